//! `max` on `.f32` and `.f64`.
use super::min::page;
use crate::prelude::*;

pub static PAGE: Page = page("9.7.3.12", &["max"])
    .about("greater of floating-point numbers", "Like `min`, for the larger number.")
    .examples(&["max.ftz.f32 f0, f1, f2;", "max.f64 a, b, c;"]);
