//! `add.cc`: add and keep the carry; and the grammar that the other additions with carry share.
use crate::prelude::*;

pub static PAGE: Page = page("9.7.2.1", &["add"], &[line("add.cc.type d, a, b")])
    .about("add and keep the carry", "The sum, cut to the type's width; the carry out of it goes to the carry flag.")
    .examples(&["@p add.cc.u32 x1, y1, z1;", "add.cc.s64 d, a, b;"])
    .refused(&[("add.cc.u16 d, a, b;", "carries are kept for 32 and 64 bits"), ("add.cc.sat.s32 d, a, b;", "a carry is not clamped")]);

pub(super) const TYPES: Set = Set::Of(&[U32, S32, U64, S64]);
const WIDE: Floor = Floor::new(4, 3, 20);
pub(super) const WORD_FLOORS: &[(Word, Floor)] = &[(U64, WIDE), (S64, WIDE)];

pub(super) const fn page(
    section: &'static str,
    opcodes: &'static [&'static str],
    syntax: &'static [Syntax],
) -> Page {
    const OPERANDS: &[Operand] = &[dst("d", Of(Slot::Type)), src("a b", Of(Slot::Type))];
    Page::new(section, opcodes, syntax, Meaning::NotYet)
        .sets(&[("type", Slot::Type, TYPES)])
        .operands(OPERANDS)
        .since(Floor::new(1, 2, 10))
        .word_floors(WORD_FLOORS)
        .order(Order::Free)
}
