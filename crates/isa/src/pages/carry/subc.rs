//! `subc`: subtract with the borrow kept before.
use super::add::page;
use super::sub::{BORROWS, FLAG, difference, lower, lower_machine, machine};
use crate::prelude::*;

pub static PAGE: Page = page("9.7.2.4", &["subc"], &[line("subc{.cc}.type d, a, b")], difference, Carry::InOut)
    .about("subtract with borrow", "`a` minus the sum of `b` and the carry flag; with `.cc` the borrow is kept.")
    .borrows()
    .ptxas(Meaning::Many(machine))
    .lower(lower)
    .ptxas_lower(lower_machine)
    .since(BORROWS)
    .examples(&["@p subc.cc.u32 x2, y2, z2;", "subc.u64 d, a, b;"])
    .errata(&[FLAG]);
