//! `ex2`: power of two.
use super::sin::approximate;
use crate::prelude::*;

pub static PAGE: Page = approximate("9.7.3.21", &["ex2"], &[line("ex2.approx{.ftz}.f32 d, a")])
    .about("power of two", "An approximation.")
    .examples(&["ex2.approx.ftz.f32 ca, a;"]);
