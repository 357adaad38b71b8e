//! `set` on integers: compare into a register of ones or zeros, or 1.0 or 0.0.
use crate::pages::comparison::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.6.1", &["set"], &[
    line("set.CmpOp.dtype.stype d, a, b"),
    line("set.CmpOp.BoolOp.dtype.stype d, a, b, {!}c"),
], Meaning::Spec(spec))
    .about("compare two integers into a register",
        "All ones if the comparison, combined with `c` if a boolean operation is given, holds, else 0; for \
         destination type `.f32` 1.0 or 0.0.")
    .sets(&[
        ("CmpOp", Slot::Cmp, INTEGER_COMPARISONS), ("BoolOp", Slot::Bool, BOOLEAN),
        ("dtype", Slot::DType, Set::Of(&[U32, S32, F32])), ("stype", Slot::Type, COMPARED),
    ])
    .operands(&[
        dst("d", Of(Slot::DType)),
        src("a b", Of(Slot::Type)),
        src("c", Is(Pred)),
    ])
    .rules(COMPARISON_RULES)
    .lower(lower)
    .examples(&["set.eq.u32.u32 d, i, n;", "set.lt.and.f32.s32 d, a, b, r;", "set.ne.or.s32.b16 d, a, b, !c;"])
    .refused(&[("set.lt.u32.b32 d, a, b;", "untyped bits have no order")]);

fn spec(i: &Inst, &[a, b, c, ..]: &Args) -> Bits {
    if combine(i, compare(i, i.ty(Slot::Type), a, b), c) { yes(i.ty(Slot::DType)) } else { 0 }
}

fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    let [a, b] = e.sources();
    let t = lower_comparison(i, e, i.ty(Slot::Type), a, b);
    let t = lower_combination(i, e, t);
    let [yes, no] = [yes(i.ty(Slot::DType)) as u32, 0].map(|bits| e.u32(bits));
    let d = e.select(t, yes, no);
    e.done(d)
}
