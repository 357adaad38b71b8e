//! `ex2` on `.f16`, `.bf16` and pairs of them.
use super::add::{BRAIN_HALVES, HALVES};
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.4.10", &["ex2"], &[
    line("ex2.approx.f16type d, a"),
    line("ex2.approx.ftz.bf16type d, a").since(Floor::new(7, 8, 90)),
], Meaning::NotYet)
    .about("power of two in half precision", "An approximation; pairs element by element.")
    .sets(&[("f16type", Slot::Type, HALVES), ("bf16type", Slot::Type, BRAIN_HALVES)])
    .operands(&[dst("d", Of(Slot::Type)), src("a", Of(Slot::Type)).constants(Immediate::No)])
    .since(Floor::new(7, 0, 75))
    .order(Order::Free)
    .examples(&["ex2.approx.f16 h1, h0;", "ex2.approx.ftz.bf16x2 b1, b0;"]);
