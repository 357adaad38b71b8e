//! `mad.cc`: multiply, add, and keep the carry; and the grammar that `madc` shares.
use super::add::{TYPES, WORD_FLOORS, keep, lower_carry};
use crate::prelude::*;

pub static PAGE: Page = page("9.7.2.5", &["mad"], &[line("mad.mode.cc.type d, a, b, c")], Carry::Out)
    .about("multiply, add and keep the carry",
        "The low or high half of the product of `a` and `b`, plus `c`; the carry out of that sum goes to the carry flag.")
    .lower(lower)
    .examples(&["@p mad.lo.cc.u32 d, a, b, c;", "mad.hi.u32.cc r, p, q, r;"])
    .refused(&[("mad.wide.cc.u32 d, a, b, c;", "a whole product carries nothing")]);

pub(super) const fn page(
    section: &'static str,
    opcodes: &'static [&'static str],
    syntax: &'static [Syntax],
    carry: Carry,
) -> Page {
    const SETS: &[(&str, Slot, Set)] = &[("mode", Slot::Mode, Set::Of(&[Hi, Lo])), ("type", Slot::Type, TYPES)];
    const OPERANDS: &[Operand] = &[dst("d", Of(Slot::Type)), src("a b c", Of(Slot::Type))];
    Page::new(section, opcodes, syntax, Meaning::Many(spec))
        .sets(SETS)
        .operands(OPERANDS)
        .carry(carry)
        .since(Floor::new(3, 0, 20))
        .word_floors(WORD_FLOORS)
        .order(Order::ModeFirst)
}

/// Half of the product, `c` and the carry.
fn spec(i: &Inst, &[a, b, c, carry, ..]: &Args, results: &mut [Bits]) {
    let ty = i.ty(Slot::Type);
    let product = (ty.value(a) as Bits).wrapping_mul(ty.value(b) as Bits);
    let half = if i[Slot::Mode] == Hi { product >> ty.bits } else { product };
    keep(i, (half & ty.mask()) + c + bit(carry, 0), results);
}

/// The sum of the product's half and `c`, then the carry.
pub(super) fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    let [a, b, c] = e.sources();
    let sum = if i[Slot::Mode] == Hi {
        let product = e.mul_high(i.ty(Slot::Type).signed(), a, b);
        e.add(product, c)
    } else {
        e.mul_add(a, b, c)
    };
    lower_carry(i, e, sum, c)
}
