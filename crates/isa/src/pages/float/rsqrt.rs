//! `rsqrt`: reciprocal of the square root.
use super::rcp::NAMED;
use super::sin::approximate;
use crate::prelude::*;

pub static PAGE: Page = approximate("9.7.3.16", &["rsqrt"], &[
    line("rsqrt.approx{.ftz}.f32 d, a"),
    line("rsqrt.approx.f64 d, a").since(Floor::new(1, 4, 10)),
    line("rsqrt.approx.ftz.f64 d, a").since(Floor::new(4, 0, 20)),
    line("rsqrt.f32 d, a").since(Floor::ZERO).until(NAMED),
    line("rsqrt.f64 d, a").since(Floor::ZERO).until(NAMED),
])
    .about("reciprocal of the square root", "An approximation.")
    .examples(&["rsqrt.approx.ftz.f32 isr, x;", "rsqrt.approx.f64 ISR, X;", "rsqrt.approx.ftz.f64 ISR, X;"]);
