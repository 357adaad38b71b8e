//! `mad.cc`: multiply, add, and keep the carry; and the grammar that `madc` shares.
use super::add::{TYPES, WORD_FLOORS};
use crate::prelude::*;

pub static PAGE: Page = page("9.7.2.5", &["mad"], &[line("mad.mode.cc.type d, a, b, c")])
    .about("multiply, add and keep the carry",
        "The low or high half of the product of `a` and `b`, plus `c`; the carry out of that sum goes to the carry flag.")
    .examples(&["@p mad.lo.cc.u32 d, a, b, c;", "mad.hi.u32.cc r, p, q, r;"])
    .refused(&[("mad.wide.cc.u32 d, a, b, c;", "a whole product carries nothing")]);

pub(super) const fn page(
    section: &'static str,
    opcodes: &'static [&'static str],
    syntax: &'static [Syntax],
) -> Page {
    const SETS: &[(&str, Slot, Set)] = &[("mode", Slot::Mode, Set::Of(&[Hi, Lo])), ("type", Slot::Type, TYPES)];
    const OPERANDS: &[Operand] = &[dst("d", Of(Slot::Type)), src("a b c", Of(Slot::Type))];
    Page::new(section, opcodes, syntax, Meaning::NotYet)
        .sets(SETS)
        .operands(OPERANDS)
        .since(Floor::new(3, 0, 20))
        .word_floors(WORD_FLOORS)
        .order(Order::ModeFirst)
}
