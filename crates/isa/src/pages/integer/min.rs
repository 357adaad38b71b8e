//! `min`: the lesser of two integers, or of packed ones element by element; and the grammar that `max` shares.
use super::add::PACKED_BYTES;
use crate::pages::lowering::*;
use crate::pages::pairs::*;
use crate::prelude::*;

pub static PAGE: Page = page("9.7.1.12", &["min"], Meaning::Stages(spec))
    .about("lesser of two integers",
        "The lesser of `a` and `b` by the type's signedness, element by element for packed types. With `.relu` a \
         negative result becomes 0.")
    .lower(|i, e| lower(i, e, false))
    .shown(&[("min.relu.s16x2 d, a, b", &[0xfffb_0003, 0x0002_0007])])
    .examples(&["min.s32 r0, a, b;", "@p min.u16 h, i, j;", "min.s16x2.relu u, v, w;"]);

const SYNTAX: &[Syntax] = &[
    line("op.atype d, a, b"),
    line("op{.relu}.btype d, a, b"),
    line("op.u8x4 d, a, b").since(PACKED_BYTES),
    line("op{.relu}.s8x4 d, a, b").since(PACKED_BYTES),
];

pub(super) const fn page(section: &'static str, opcodes: &'static [&'static str], meaning: Meaning) -> Page {
    const SETS: &[(&str, Slot, Set)] = &[
        ("atype", Slot::Type, Set::Of(&[U16, U32, U64, U16x2, S16, S64])),
        ("btype", Slot::Type, Set::Of(&[S16x2, S32])),
    ];
    const OPERANDS: &[Operand] = &[dst("d", Of(Slot::Type)), src("a b", Of(Slot::Type))];
    const FLOOR: Floor = Floor::new(8, 0, 90);
    const WORD_FLOORS: &[(Word, Floor)] = &[(U16x2, FLOOR), (S16x2, FLOOR), (Relu, FLOOR)];
    Page::new(section, opcodes, SYNTAX, meaning)
        .sets(SETS)
        .operands(OPERANDS)
        .word_floors(WORD_FLOORS)
        .order(Order::Free)
}

fn spec(i: &Inst, args: &Args, trace: &mut Trace) -> Bits {
    choose(i, args, trace, "min", Ord::min)
}

pub(super) fn choose(
    i: &Inst,
    &[a, b, ..]: &Args,
    trace: &mut Trace,
    name: &'static str,
    f: fn(i128, i128) -> i128,
) -> Bits {
    pairs(i.ty(Slot::Type), a, b, trace, |trace, k, a, b| {
        let chosen = trace.noted(name, k, f(a, b), String::new);
        if i.has(Slot::Relu) { trace.noted("relu", k, chosen.max(0), String::new) } else { chosen }
    })
}

/// `min` as micro-ops, or `max`.
pub(super) fn lower(i: &Inst, e: &mut Emit, greater: bool) -> Option<()> {
    let [a, b] = e.sources();
    let ty = i.ty(Slot::Type);
    let mut d = extreme(e, ty, greater, a, b);
    if i.has(Slot::Relu) {
        let zero = e.u32(0);
        d = extreme(e, ty, true, d, zero);
    }
    e.done(d)
}

fn extreme(e: &mut Emit, ty: Ty, greater: bool, a: Val, b: Val) -> Val {
    match (ty.bits, greater) {
        (8 | 16, true) => packed(e, ty, (Packed::MaxU, Packed::MaxS), a, b),
        (8 | 16, false) => packed(e, ty, (Packed::MinU, Packed::MinS), a, b),
        (_, true) => e.max(ty.signed(), a, b),
        (_, false) => e.min(ty.signed(), a, b),
    }
}
