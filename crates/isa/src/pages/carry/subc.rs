//! `subc`: subtract with the borrow kept before.
use super::add::page;
use super::sub::{BORROWS, difference, lower};
use crate::prelude::*;

pub static PAGE: Page = page("9.7.2.4", &["subc"], &[line("subc{.cc}.type d, a, b")], difference, Carry::InOut)
    .about("subtract with borrow", "`a` minus the sum of `b` and the carry flag; with `.cc` the borrow is kept.")
    .lower(lower)
    .since(BORROWS)
    .examples(&["@p subc.cc.u32 x2, y2, z2;", "subc.u64 d, a, b;"]);
