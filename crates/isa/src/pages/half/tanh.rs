//! `tanh` on `.f16`, `.bf16` and pairs of them.
use super::add::{BRAIN_HALVES, HALVES};
use crate::pages::approximation::{DEVICE, ROUNDED};
use crate::pages::float::tanh::TANGENT;
use crate::pages::lower_approximations::lower_halves;
use crate::prelude::*;
use crate::uop::float::Approx;

pub static PAGE: Page = Page::new("9.7.4.9", &["tanh"], &[
    line("tanh.approx.f16type d, a"),
    line("tanh.approx.bf16type d, a").since(Floor::new(7, 8, 90)),
], Meaning::Stages(spec::<DEVICE>))
    .lower(lower)
    .approximate(Meaning::Stages(spec::<ROUNDED>), Meaning::Stages(spec::<DEVICE>))
    .fidelity(|_| Fidelity::Device)
    .about("hyperbolic tangent in half precision",
        "An approximation: that of `.f32`, cut off; pairs element by element.")
    .sets(&[("f16type", Slot::Type, HALVES), ("bf16type", Slot::Type, BRAIN_HALVES)])
    .operands(&[dst("d", Of(Slot::Type)), src("a", Of(Slot::Type)).constants(Immediate::No)])
    .since(Floor::new(7, 0, 75))
    .order(Order::Free)
    .shown(&[("tanh.approx.f16 d, a", &[0x3800])])
    .examples(&["tanh.approx.f16 h1, h0;", "tanh.approx.bf16x2 b1, b0;"]);

fn spec<const BY: usize>(i: &Inst, args: &Args, trace: &mut Trace) -> Bits {
    TANGENT.halves::<BY>(i, args, trace)
}

fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    lower_halves(i, e, Approx::Tangent)
}
