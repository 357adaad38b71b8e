//! `madc`: multiply and add with the carry kept before.
use super::mad::{lower, page};
use crate::prelude::*;

pub static PAGE: Page = page("9.7.2.6", &["madc"], &[line("madc.mode{.cc}.type d, a, b, c")], Carry::InOut)
    .about("multiply and add with carry",
        "The low or high half of the product of `a` and `b`, plus `c`, plus the carry flag; with `.cc` the carry is kept.")
    .lower(lower)
    .examples(&["madc.hi.u32 d, a, b, c;", "madc.lo.cc.u32 r, p, q, r;"]);
