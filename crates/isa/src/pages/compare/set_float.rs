//! `set` on `.f32` and `.f64`.
use crate::pages::comparison::*;
use crate::pages::lower_floats::lower_reals;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.6.1", &["set"], &[
    line("set.CmpOp{.ftz}.dtype.stype d, a, b"),
    line("set.CmpOp.BoolOp{.ftz}.dtype.stype d, a, b, {!}c"),
], Meaning::Spec(spec))
    .lower(lower)
    .about("compare two floating-point numbers into a register", "As on integers, with the comparisons of `setp`.")
    .sets(&[
        ("CmpOp", Slot::Cmp, FLOAT_COMPARISONS), ("BoolOp", Slot::Bool, BOOLEAN),
        ("dtype", Slot::DType, Set::Of(&[U32, S32, F32])), ("stype", Slot::Type, FLOATS),
    ])
    .operands(&[
        dst("d", Of(Slot::DType)),
        src("a b", Of(Slot::Type)).constants(Immediate::Number),
        src("c", Is(Pred)),
    ])
    .rules(&[FTZ_NEEDS_F32])
    .examples(&["set.lt.and.f32.f32 d, a, b, r;", "set.equ.u32.f64 d, a, b;"]);

fn spec(i: &Inst, &[a, b, c, ..]: &Args) -> Bits {
    let yes = yes(i.ty(Slot::DType));
    if combine(i, compare_reals(i, i.ty(Slot::Type), a, b), c) { yes } else { 0 }
}

fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    let [a, b] = e.sources();
    let t = lower_reals(i, e, i.ty(Slot::Type), a, b)?;
    let t = lower_combination(i, e, t);
    let [yes, no] = [yes(i.ty(Slot::DType)) as u32, 0].map(|bits| e.u32(bits));
    let d = e.select(t, yes, no);
    e.done(d)
}
