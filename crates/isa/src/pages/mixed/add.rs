//! `add` of a half-precision number and an `.f32`; and the grammar that `sub` shares.
use crate::pages::arithmetic::*;
use crate::pages::silent::*;
use crate::pages::lower_floats::{Operation, lower_mixed};
use crate::prelude::*;

pub static PAGE: Page = page("9.7.5.1", &["add"], Meaning::Stages(spec))
    .lower(lower)
    .about("add numbers of two precisions", "`a`, widened to `.f32`, plus `c`, rounded.")
    .shown(&[("add.f32.f16 d, a, c", &[0x3c01, 0x3f80_0001])])
    .examples(&["add.f32.bf16 d, a, c;", "add.rz.f32.bf16.sat d, a, c;"])
    .refused(&[("add.ftz.f32.f16 d, a, c;", "small numbers are never flushed here")]);

pub(super) const fn page(section: &'static str, opcodes: &'static [&'static str], meaning: Meaning) -> Page {
    const SYNTAX: &[Syntax] = &[line("op{.rnd}{.sat}.f32.atype d, a, c")];
    const SETS: &[(&str, Slot, Set)] =
        &[("rnd", Slot::Rnd, Set::Of(&[Rn, Rz, Rm, Rp])), ("atype", Slot::AType, Set::Of(&[F16, Bf16]))];
    const OPERANDS: &[Operand] = &[
        dst("d", Is(F32)),
        src("a", Of(Slot::AType)).constants(Immediate::No),
        src("c", Is(F32)).constants(Immediate::Number),
    ];
    Page::new(section, opcodes, SYNTAX, meaning)
        .sets(SETS)
        .operands(OPERANDS)
        .since(Floor::new(8, 6, 100))
        .order(Order::Free)
        .errata(&[NEGATIVE_ZERO, NOT_A_NUMBER])
}

fn spec(i: &Inst, args: &Args, trace: &mut Trace) -> Bits {
    let wide = i.ty(Slot::Type);
    mixed(i, wide, [i.ty(Slot::AType), wide], args, trace, "a + c", |[a, c]| a.plus(c))
}

fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    let wide = i.ty(Slot::Type);
    lower_mixed(i, e, wide, &[i.ty(Slot::AType), wide], Operation::Add)
}
