//! `sub.cc`: subtract and keep the borrow.
use super::add::page;
use crate::prelude::*;

pub static PAGE: Page = page("9.7.2.3", &["sub"], &[line("sub.cc.type d, a, b")])
    .about("subtract and keep the borrow", "The difference, cut to the type's width; the borrow goes to the carry flag.")
    .examples(&["@p sub.cc.u32 x1, y1, z1;", "sub.u32.cc d, a, b;"]);
