//! `tanh`: hyperbolic tangent.
use super::sin::page;
use crate::float::rounded;
use crate::pages::approximation::open;
use crate::prelude::*;

pub static PAGE: Page = page("9.7.3.22", &["tanh"], &[
    line("tanh.approx.f32 d, a").since(Floor::new(7, 0, 75)),
], Meaning::Stages(spec))
    .fidelity(|_| Fidelity::Open)
    .about("hyperbolic tangent", "An approximation.")
    .shown(&[("tanh.approx.f32 d, a", &[0x3f00_0000])])
    .examples(&["tanh.approx.f32 sa, a;"])
    .refused(&[("tanh.approx.ftz.f32 d, a;", "small numbers are never flushed here")]);

pub(in crate::pages) fn spec(i: &Inst, args: &Args, trace: &mut Trace) -> Bits {
    open(i, args, trace, "tanh(a)", &rounded::HYPERBOLIC_TANGENT)
}
