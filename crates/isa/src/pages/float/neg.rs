//! `neg` on `.f32` and `.f64`.
use super::abs::page;
use crate::prelude::*;

pub static PAGE: Page = page("9.7.3.10", &["neg"])
    .about("negate a floating-point number", "The number with the other sign.")
    .examples(&["neg.ftz.f32 x, f0;", "neg.f64 x, f0;"]);
