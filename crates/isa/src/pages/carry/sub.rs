//! `sub.cc`: subtract and keep the borrow; and the difference that `subc` shares.
use super::add::{keep, page};
use crate::prelude::*;

pub static PAGE: Page = page("9.7.2.3", &["sub"], &[line("sub.cc.type d, a, b")], difference, Carry::Out)
    .about("subtract and keep the borrow", "The difference, cut to the type's width; the borrow goes to the carry flag.")
    .examples(&["@p sub.cc.u32 x1, y1, z1;", "sub.u32.cc d, a, b;"]);

/// The low bits of `a - (b + borrow)`, and whether more had to be borrowed.
pub(super) fn difference(i: &Inst, &[a, b, borrow, ..]: &Args, results: &mut [Bits]) {
    keep(i, a.wrapping_sub(b + bit(borrow, 0)), results);
}
