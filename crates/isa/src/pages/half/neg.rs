//! `neg` on `.f16`, `.bf16` and pairs of them.
use super::abs::page;
use crate::pages::float::neg::{lower, spec};
use crate::prelude::*;

pub static PAGE: Page = page("9.7.4.5", &["neg"], Meaning::Stages(spec))
    .lower(lower)
    .about("negate half-precision numbers", "The number with the other sign; pairs element by element.")
    .since(Floor::new(6, 0, 53))
    .part(|_| Some(Part::Negation))
    .shown(&[("neg.bf16x2 d, a", &[0x7fc0_3f80])])
    .examples(&["neg.ftz.f16 x, f0;", "neg.bf16x2 x, f0;"]);
