//! `sub.cc`: subtract and keep the borrow; and the difference that `subc` shares.
use super::add::{keep, lower_flag, page};
use crate::prelude::*;

pub static PAGE: Page = page("9.7.2.3", &["sub"], &[line("sub.cc.type d, a, b")], difference, Carry::Out)
    .about("subtract and keep the borrow", "The difference, cut to the type's width; the borrow goes to the carry flag.")
    .lower(lower)
    .since(BORROWS)
    .examples(&["@p sub.cc.u32 x1, y1, z1;", "sub.u32.cc d, a, b;"]);

/// A version later than sums with carry, as ptxas 13.5 has it.
pub(super) const BORROWS: Floor = Floor::new(1, 3, 10);

/// The low bits of `a - (b + borrow)`, and whether more had to be borrowed.
pub(super) fn difference(i: &Inst, &[a, b, borrow, ..]: &Args, results: &mut [Bits]) {
    keep(i, a.wrapping_sub(b + bit(borrow, 0)), results);
}

/// The difference; more had to be borrowed if `a` is less than `b`, or, with a borrow, not greater.
pub(super) fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    let [a, b] = e.sources();
    let difference = e.sub(a, b);
    if !i.reads_carry() {
        e.result(difference);
        let borrowed = e.lt(false, a, b);
        return e.done(borrowed);
    }
    let borrow = e.source(2);
    let one = lower_flag(e, borrow, e.ty(a));
    let difference = e.sub(difference, one);
    e.result(difference);
    if i.writes_carry() {
        let below = e.lt(false, a, b);
        let within = e.le(false, a, b);
        let borrowed = e.select(borrow, within, below);
        e.result(borrowed);
    }
    Some(())
}
