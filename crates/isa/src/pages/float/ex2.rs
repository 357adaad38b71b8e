//! `ex2`: power of two.
use super::rcp::NAMED;
use super::sin::approximate;
use crate::prelude::*;

pub static PAGE: Page = approximate("9.7.3.21", &["ex2"], &[
    line("ex2.approx{.ftz}.f32 d, a"),
    line("ex2.f32 d, a").since(Floor::ZERO).until(NAMED),
])
    .about("power of two", "An approximation.")
    .examples(&["ex2.approx.ftz.f32 ca, a;"]);
