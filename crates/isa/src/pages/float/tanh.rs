//! `tanh`: hyperbolic tangent.
use super::sin::page;
use crate::float::{approximate, rounded};
use crate::pages::approximation::{Approximation, DEVICE, ROUNDED};
use crate::pages::lower_approximations::lower_approximation;
use crate::prelude::*;
use crate::uop::float::Approx;

// ptxas leaves literals to the device, too.
pub static PAGE: Page = page("9.7.3.22", &["tanh"], &[
    line("tanh.approx.f32 d, a").since(Floor::new(7, 0, 75)),
], Meaning::Stages(spec::<DEVICE>))
    .lower(lower)
    .approximate(Meaning::Stages(spec::<ROUNDED>), Meaning::Stages(spec::<DEVICE>))
    .fidelity(|_| Fidelity::Device)
    .about("hyperbolic tangent", "An approximation; numbers below 2^-8 are left as they are.")
    .shown(&[("tanh.approx.f32 d, a", &[0x3f00_0000])])
    .examples(&["tanh.approx.f32 sa, a;"])
    .refused(&[("tanh.approx.ftz.f32 d, a;", "small numbers are never flushed here")]);

pub(in crate::pages) const TANGENT: Approximation =
    Approximation { name: "tanh(a)", function: &rounded::HYPERBOLIC_TANGENT, steps: approximate::tanh };

fn spec<const BY: usize>(i: &Inst, args: &Args, trace: &mut Trace) -> Bits {
    TANGENT.single::<BY>(i, args, trace)
}

fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    lower_approximation(i, e, Approx::Tangent)
}
