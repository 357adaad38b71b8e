//! `fma` on `.f16`, `.bf16` and pairs of them.
use super::add::{BRAIN_HALVES, HALVES};
use crate::pages::float::add::ROUNDINGS;
use crate::pages::float::fma::{lower, spec};
use crate::pages::silent::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.4.4", &["fma"], &[
    line("fma.rn{.ftz}{.sat}.f16type d, a, b, c"),
    line("fma.rn{.ftz}.relu.f16type d, a, b, c").since(Floor::new(7, 0, 80)),
    line("fma.rnd{.relu}.bf16type d, a, b, c").since(Floor::new(7, 0, 80)),
    line("fma.rn.oob{.relu}.f16type d, a, b, c").since(Floor::new(8, 1, 90)),
    line("fma.rnd.oob{.relu}.bf16type d, a, b, c").since(Floor::new(8, 1, 90)),
], Meaning::Stages(spec))
    .lower(lower)
    .ptxas(Meaning::Stages(device))
    .about("multiply and add half-precision numbers with one rounding",
        "The exact product of `a` and `b` plus `c`, rounded once; pairs element by element.")
    .sets(&[
        ("f16type", Slot::Type, HALVES),
        ("bf16type", Slot::Type, BRAIN_HALVES),
        ("rnd", Slot::Rnd, ROUNDINGS),
    ])
    .operands(&[dst("d", Of(Slot::Type)), src("a b c", Of(Slot::Type)).constants(Immediate::No)])
    .since(Floor::new(4, 2, 53))
    .order(Order::Free)
    .shown(&[("fma.rn.relu.f16x2 d, a, b, c", &[0x4000_3c01, 0x4200_3c01, 0xcc00_bc00])])
    .examples(&["fma.rn.f16 d, a, b, c;", "fma.rn.relu.bf16x2 d, a, b, c;", "fma.rn.oob.f16x2 d, a, b, c;"])
    .refused(&[("fma.rn.sat.bf16 d, a, b, c;", "`.sat` is for `.f16` and `.f16x2`")])
    .errata(&[erratum(
            "prints `.rn` alone",
            "takes `.rz .rm .rp` too for `.bf16` and `.bf16x2`, as ptxas does",
        ).concerns(|i| i.has(Slot::Rnd) && i[Slot::Rnd] != Rn),
        erratum(
            "does not say which NaN `.oob` looks for in `a` and `b`",
            "gives +0.0 for 0x7ff7 and 0xfff7, and in `.f16` for 0x7eff, which CUTLASS writes",
        )
        .ptxas("an H200 (sm_90) gives +0.0 for 0x7ff7 and 0xfff7 alone")
        .concerns(has_mark),
        FLUSHED, NEGATIVE_ZERO, NOT_A_NUMBER]);

/// Whether 0x7eff is taken for the mark of what is out of bounds.
fn has_mark(i: &Inst) -> bool {
    i.has(Slot::Oob) && matches!(i[Slot::Type], F16 | F16x2)
}

/// What a device computes: to it 0x7eff is a NaN as any other.
fn device(i: &Inst, args: &Args, trace: &mut Trace) -> Bits {
    const MARK: Bits = 0x7eff;
    let mut args = *args;
    if has_mark(i) {
        for a in &mut args[..2] {
            let halves = [0, 16].map(|at| if *a >> at & 0xffff == MARK { 0x7fff } else { *a >> at & 0xffff });
            *a = halves[0] | halves[1] << 16;
        }
    }
    spec(i, &args, trace)
}
