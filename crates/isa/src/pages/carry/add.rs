//! `add.cc`: add and keep the carry; and the grammar and sum that the other additions with carry share.
use crate::prelude::*;

pub static PAGE: Page = page("9.7.2.1", &["add"], &[line("add.cc.type d, a, b")], sum, Carry::Out)
    .about("add and keep the carry", "The sum, cut to the type's width; the carry out of it goes to the carry flag.")
    .lower(lower)
    .examples(&["@p add.cc.u32 x1, y1, z1;", "add.cc.s64 d, a, b;"])
    .refused(&[("add.cc.u16 d, a, b;", "carries are kept for 32 and 64 bits"), ("add.cc.sat.s32 d, a, b;", "a carry is not clamped")]);

pub(super) const TYPES: Set = Set::Of(&[U32, S32, U64, S64]);
const WIDE: Floor = Floor::new(4, 3, 20);
pub(super) const WORD_FLOORS: &[(Word, Floor)] = &[(U64, WIDE), (S64, WIDE)];

pub(super) const fn page(
    section: &'static str,
    opcodes: &'static [&'static str],
    syntax: &'static [Syntax],
    spec: fn(&Inst, &Args, &mut [Bits]),
    carry: Carry,
) -> Page {
    const OPERANDS: &[Operand] = &[dst("d", Of(Slot::Type)), src("a b", Of(Slot::Type))];
    Page::new(section, opcodes, syntax, Meaning::Many(spec))
        .sets(&[("type", Slot::Type, TYPES)])
        .operands(OPERANDS)
        .carry(carry)
        .since(Floor::new(1, 2, 10))
        .word_floors(WORD_FLOORS)
        .order(Order::Free)
}

/// The low bits of `a + b + carry`, and the bit above them.
pub(super) fn sum(i: &Inst, &[a, b, carry, ..]: &Args, results: &mut [Bits]) {
    keep(i, a + b + bit(carry, 0), results);
}

/// The low bits of a sum, and the bit above them as the carry.
pub(super) fn keep(i: &Inst, sum: Bits, results: &mut [Bits]) {
    let ty = i.ty(Slot::Type);
    let both = [sum & ty.mask(), bit(sum, ty.bits.into())];
    results.iter_mut().zip(both).for_each(|(result, value)| *result = value);
}

pub(super) fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    let [a, b] = e.sources();
    let sum = e.add(a, b);
    lower_carry(i, e, sum, a)
}

/// The last step of an addition: the carry is added to a sum that has wrapped if it is less than its `addend`, and the
/// results are kept.
pub(super) fn lower_carry(i: &Inst, e: &mut Emit, sum: Val, addend: Val) -> Option<()> {
    if !i.reads_carry() {
        e.result(sum);
        let wrapped = e.lt(false, sum, addend);
        return e.done(wrapped);
    }
    let carry = e.source(e.source_count() - 1);
    let one = lower_flag(e, carry, e.ty(sum));
    let sum = e.add(sum, one);
    e.result(sum);
    if i.writes_carry() {
        let below = e.lt(false, sum, addend);
        let within = e.le(false, sum, addend);
        let wrapped = e.select(carry, within, below);
        e.result(wrapped);
    }
    Some(())
}

/// The carry flag as a number.
pub(super) fn lower_flag(e: &mut Emit, carry: Val, ty: Type) -> Val {
    let [one, zero] = [1, 0].map(|bits| e.constant(ty, bits));
    e.select(carry, one, zero)
}
