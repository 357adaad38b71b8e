//! `rsqrt`: reciprocal of the square root.
use super::rcp::NAMED;
use super::sin::page;
use crate::float::{approximate, rounded};
use crate::pages::approximation::{Approximation, DEVICE, FOLDED, ROUNDED};
use crate::pages::lower_approximations::lower_approximation;
use crate::prelude::*;
use crate::uop::float::Approx;

pub static PAGE: Page = page("9.7.3.16", &["rsqrt"], &[
    line("rsqrt.approx{.ftz}.f32 d, a"),
    line("rsqrt.approx.f64 d, a").since(Floor::new(1, 4, 10)),
    line("rsqrt.approx.ftz.f64 d, a").since(Floor::new(4, 0, 20)),
    line("rsqrt.f32 d, a").since(Floor::ZERO).until(NAMED),
    line("rsqrt.f64 d, a").since(Floor::ZERO).until(NAMED),
], Meaning::Stages(spec::<DEVICE>))
    .lower(lower)
    .approximate(Meaning::Stages(spec::<ROUNDED>), Meaning::Stages(spec::<FOLDED>))
    .fidelity(|i| if i[Slot::Type] == F64 { Fidelity::Model } else { Fidelity::Device })
    .about("reciprocal of the square root", "An approximation.")
    .shown(&[("rsqrt.approx.f32 d, a", &[0x4040_0000])])
    .examples(&["rsqrt.approx.ftz.f32 isr, x;", "rsqrt.approx.f64 ISR, X;", "rsqrt.approx.ftz.f64 ISR, X;"]);

const ROOT: Approximation = Approximation { name: "1 / sqrt(a)", function: &rounded::RECIPROCAL_ROOT, steps: approximate::rsqrt };

fn spec<const BY: usize>(i: &Inst, args: &Args, trace: &mut Trace) -> Bits {
    match (i[Slot::Type], i.has(Slot::Ftz)) {
        (F64, true) => ROOT.upper::<BY>(approximate::rsqrt_upper, args, trace),
        (F64, false) => ROOT.double::<BY>(approximate::rsqrt_double, args, trace),
        _ => ROOT.single::<BY>(i, args, trace),
    }
}

fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    lower_approximation(i, e, Approx::ReciprocalRoot)
}
