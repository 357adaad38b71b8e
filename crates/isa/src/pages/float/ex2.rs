//! `ex2`: power of two.
use super::rcp::NAMED;
use super::sin::page;
use crate::float::{approximate, rounded};
use crate::pages::approximation::{Approximation, DEVICE, FOLDED, ROUNDED};
use crate::pages::lower_approximations::lower_approximation;
use crate::prelude::*;
use crate::uop::float::Approx;

pub static PAGE: Page = page("9.7.3.21", &["ex2"], &[
    line("ex2.approx{.ftz}.f32 d, a"),
    line("ex2.f32 d, a").since(Floor::ZERO).until(NAMED),
], Meaning::Stages(spec::<DEVICE>))
    .lower(lower)
    .approximate(Meaning::Stages(spec::<ROUNDED>), Meaning::Stages(spec::<FOLDED>))
    .fidelity(|_| Fidelity::Device)
    .about("power of two", "An approximation.")
    .shown(&[("ex2.approx.f32 d, a", &[0x3f00_0000])])
    .examples(&["ex2.approx.ftz.f32 ca, a;"]);

pub(in crate::pages) const POWER: Approximation =
    Approximation { name: "2^a", function: &rounded::POWER, steps: approximate::ex2 };

fn spec<const BY: usize>(i: &Inst, args: &Args, trace: &mut Trace) -> Bits {
    POWER.single::<BY>(i, args, trace)
}

fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    lower_approximation(i, e, Approx::Power)
}
