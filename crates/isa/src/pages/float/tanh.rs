//! `tanh`: hyperbolic tangent.
use super::sin::approximate;
use crate::prelude::*;

pub static PAGE: Page = approximate("9.7.3.22", &["tanh"], &[line("tanh.approx.f32 d, a").since(Floor::new(7, 0, 75))])
    .about("hyperbolic tangent", "An approximation.")
    .examples(&["tanh.approx.f32 sa, a;"])
    .refused(&[("tanh.approx.ftz.f32 d, a;", "small numbers are never flushed here")]);
