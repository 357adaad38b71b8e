//! `max` on `.f16`, `.bf16` and pairs of them.
use super::min::page;
use crate::pages::float::max::{lower, spec};
use crate::prelude::*;

pub static PAGE: Page = page("9.7.4.8", &["max"], Meaning::Stages(spec))
    .lower(lower)
    .about("greater of half-precision numbers", "Like `max` on `.f32`; pairs element by element.")
    .shown(&[("max.bf16x2 d, a, b", &[0x7fc0_8000, 0x3f80_0000])])
    .examples(&["max.ftz.f16 h0, h1, h2;", "max.NaN.bf16x2 b0, b1, b2;"]);
