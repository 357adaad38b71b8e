//! `addc`: add with the carry kept before.
use super::add::{lower, page, sum};
use crate::prelude::*;

pub static PAGE: Page = page("9.7.2.2", &["addc"], &[line("addc{.cc}.type d, a, b")], sum, Carry::InOut)
    .about("add with carry", "The sum of `a`, `b` and the carry flag; with `.cc` the carry out of it is kept.")
    .lower(lower)
    .examples(&["@p addc.cc.u32 x2, y2, z2;", "addc.u32 d, 0, 0;"]);
