//! `mul` on `.f16`, `.bf16` and pairs of them.
use super::add::page;
use crate::pages::float::mul::{lower, spec};
use crate::pages::contraction::product;
use crate::prelude::*;

pub static PAGE: Page = page("9.7.4.3", &["mul"], Meaning::Stages(spec))
    .lower(lower)
    .about("multiply half-precision numbers", "The product, rounded to nearest even; pairs element by element.")
    .part(product)
    .shown(&[("mul.f16 d, a, b", &[0x3c01, 0x3c01])])
    .examples(&["mul.f16 d, a, b;", "mul.rn.ftz.sat.f16x2 d, a, b;", "mul.bf16 d, a, b;"]);
