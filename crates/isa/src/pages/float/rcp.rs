//! `rcp`: reciprocal; and the grammar that `sqrt` shares.
use super::add::ROUNDINGS;
use crate::float::{Real, approximate, rounded};
use crate::pages::approximation::{Approximation, DEVICE, FOLDED, ROUNDED};
use crate::pages::arithmetic::*;
use crate::pages::silent::*;
use crate::pages::lower_approximations::lower_approximation;
use crate::pages::lower_floats::{Operation, lower_arithmetic};
use crate::prelude::*;
use crate::uop::float::Approx;

pub static PAGE: Page = page("9.7.3.13", &["rcp"], SYNTAX, Meaning::Stages(spec::<DEVICE>))
    .lower(lower)
    .approximate(Meaning::Stages(spec::<ROUNDED>), Meaning::Stages(spec::<FOLDED>))
    .about("reciprocal", "1 divided by the number: correctly rounded if a rounding is given, else \
                          approximate.")
    .shown(&[("rcp.rp.f32 d, a", &[0x4040_0000])])
    .examples(&["rcp.approx.ftz.f32 ri, r;", "rcp.rn.f64 xi, x;", "rcp.approx.ftz.f64 d, a;"])
    .errata(&[erratum(
            "prints `.ftz` for `.f64` with `.approx` alone",
            "takes it with the other roundings too, where it changes nothing, as ptxas does",
        ).concerns(|i| i[Slot::Type] == F64 && i.has(Slot::Ftz) && i[Slot::Rnd] != Approx),
        FLUSHED, NOT_A_NUMBER]);

/// From where on how to round must be said.
pub(super) const NAMED: Floor = Floor::new(1, 4, 10);
const SYNTAX: &[Syntax] = &[
    line("rcp.approx{.ftz}.f32 d, a"),
    line("rcp.rnd{.ftz}.f32 d, a").since(Floor::new(1, 4, 20)),
    line("rcp.rnd.f64 d, a").since(Floor::new(1, 4, 10)),
    line("rcp.approx.ftz.f64 d, a").since(Floor::new(2, 1, 20)),
    line("rcp.rnd.ftz.f64 d, a").since(Floor::new(2, 1, 20)),
    line("rcp.f32 d, a").since(Floor::ZERO).until(NAMED),
];

pub(super) const fn page(
    section: &'static str,
    opcodes: &'static [&'static str],
    syntax: &'static [Syntax],
    meaning: Meaning,
) -> Page {
    const OPERANDS: &[Operand] = &[dst("d", Of(Slot::Type)), src("a", Of(Slot::Type)).constants(Immediate::Number)];
    const FLOORS: &[FormFloor] = &[FormFloor {
        text: "rounding of `.f64` other than `.rn`",
        when: |i| i[Slot::Type] == F64 && matches!(i[Slot::Rnd], Rz | Rm | Rp),
        floor: Floor::new(2, 0, 20),
    }];
    Page::new(section, opcodes, syntax, meaning)
        .fidelity(fidelity)
        .sets(&[("rnd", Slot::Rnd, ROUNDINGS)])
        .operands(OPERANDS)
        .since(Floor::new(1, 4, 10))
        .form_floors(FLOORS)
        .order(Order::Free)
}

/// Whether a form of `div`, `rcp` or `sqrt` is not the correctly rounded one.
pub(super) fn is_approximate(i: &Inst) -> bool {
    i[Slot::Rnd] == Approx || i[Slot::Mode] == Full || i[Slot::Type] == F32 && !i.has(Slot::Rnd)
}

/// What evidence stands behind a form of `div`, `rcp` or `sqrt`.
pub(super) fn fidelity(i: &Inst) -> Fidelity {
    match (is_approximate(i), i[Slot::Type]) {
        (false, _) => Fidelity::Exact,
        (true, F64) => Fidelity::Model,
        (true, _) => Fidelity::Device,
    }
}

const RECIPROCAL: Approximation =
    Approximation { name: "1 / a", function: &rounded::RECIPROCAL, steps: approximate::rcp };

fn spec<const BY: usize>(i: &Inst, args: &Args, trace: &mut Trace) -> Bits {
    match (is_approximate(i), i[Slot::Type]) {
        (true, F64) => return RECIPROCAL.upper::<BY>(approximate::rcp_upper, args, trace),
        (true, _) => return RECIPROCAL.single::<BY>(i, args, trace),
        _ => {}
    }
    arithmetic(i, args, trace, "1 / a", |[a]| Real::ONE.over(a))
}

fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    if is_approximate(i) {
        return lower_approximation(i, e, Approx::Reciprocal);
    }
    lower_arithmetic(i, e, Operation::Reciprocal)
}
