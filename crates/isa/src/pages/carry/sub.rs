//! `sub.cc`: subtract and keep the borrow; and what `subc` shares: the difference, and the one that machines compute.
use super::add::{keep, lower_flag, page};
use crate::prelude::*;

pub static PAGE: Page = page("9.7.2.3", &["sub"], &[line("sub.cc.type d, a, b")], difference, Carry::Out)
    .about("subtract and keep the borrow", "The difference, cut to the type's width; the borrow goes to the carry flag.")
    .borrows()
    .ptxas(Meaning::Many(machine))
    .lower(lower)
    .ptxas_lower(lower_machine)
    .since(BORROWS)
    .examples(&["@p sub.cc.u32 x1, y1, z1;", "sub.u32.cc d, a, b;"])
    .errata(&[FLAG]);

/// A version later than sums with carry, as ptxas 13.5 has it.
pub(super) const BORROWS: Floor = Floor::new(1, 3, 10);

/// The manual keeps the borrow (9.7.2.3), machines the carry out of the sum that they compute instead.
pub(super) const FLAG: Erratum = erratum("keeps the borrow of a difference in CC.CF", "does so").ptxas(
    "keeps \"no borrow\": a difference is a + ~b + CC.CF (+ 1 for `sub.cc`), so a flag of `add.cc` read by `subc`, or of `sub.cc` \
     read by `addc` or `madc`, counts the other way",
);

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

/// The low bits of `a + ~b + flag`, and the carry out of it: 1 if nothing had to be borrowed.
pub(super) fn machine(i: &Inst, &[a, b, flag, ..]: &Args, results: &mut [Bits]) {
    let one = if i.reads_carry() { bit(flag, 0) } else { 1 };
    keep(i, a + (b ^ i.ty(Slot::Type).mask()) + one, results);
}

/// As `lower`, with the flag the other way round.
pub(super) fn lower_machine(i: &Inst, e: &mut Emit) -> Option<()> {
    let [a, b] = e.sources();
    let difference = e.sub(a, b);
    if !i.reads_carry() {
        e.result(difference);
        let kept = e.le(false, b, a);
        return e.done(kept);
    }
    let flag = e.source(2);
    let [zero, one] = [0, 1].map(|bits| e.constant(e.ty(a), bits));
    let borrow = e.select(flag, zero, one);
    let difference = e.sub(difference, borrow);
    e.result(difference);
    if i.writes_carry() {
        let within = e.le(false, b, a);
        let below = e.lt(false, b, a);
        let kept = e.select(flag, within, below);
        e.result(kept);
    }
    Some(())
}
