//! `sub` on `.f16`, `.bf16` and pairs of them.
use super::add::page;
use crate::pages::float::sub::{lower, spec};
use crate::pages::contraction::difference;
use crate::prelude::*;

pub static PAGE: Page = page("9.7.4.2", &["sub"], Meaning::Stages(spec))
    .lower(lower)
    .about("subtract half-precision numbers", "The difference, rounded to nearest even; pairs element by element.")
    .part(difference)
    .shown(&[("sub.bf16 d, a, b", &[0x3f80, 0x3b01])])
    .examples(&["sub.f16 d, a, b;", "sub.rn.ftz.sat.f16x2 d, a, b;", "sub.bf16 d, a, b;"]);
