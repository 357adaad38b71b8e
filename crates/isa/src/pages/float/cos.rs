//! `cos`: cosine.
use super::rcp::NAMED;
use super::sin::approximate;
use crate::prelude::*;

pub static PAGE: Page = approximate("9.7.3.19", &["cos"], &[
    line("cos.approx{.ftz}.f32 d, a"),
    line("cos.f32 d, a").since(Floor::ZERO).until(NAMED),
])
    .about("cosine of an angle in radians", "An approximation.")
    .examples(&["cos.approx.ftz.f32 ca, a;"]);
