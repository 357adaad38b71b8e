//! `rsqrt`: reciprocal of the square root.
use super::sin::approximate;
use crate::prelude::*;

pub static PAGE: Page = approximate("9.7.3.16", &["rsqrt"], &[
    line("rsqrt.approx{.ftz}.f32 d, a"),
    line("rsqrt.approx.f64 d, a").since(Floor::new(1, 4, 13)),
    line("rsqrt.approx.ftz.f64 d, a").since(Floor::new(4, 0, 20)),
])
    .about("reciprocal of the square root", "An approximation.")
    .examples(&["rsqrt.approx.ftz.f32 isr, x;", "rsqrt.approx.f64 ISR, X;", "rsqrt.approx.ftz.f64 ISR, X;"]);
