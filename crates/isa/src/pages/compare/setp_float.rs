//! `setp` on `.f32` and `.f64`.
use crate::pages::comparison::*;
use crate::pages::lower_floats::lower_reals;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.6.2", &["setp"], &[
    line("setp.CmpOp{.ftz}.type p{|q}, a, b"),
    line("setp.CmpOp.BoolOp{.ftz}.type p{|q}, a, b, {!}c"),
], Meaning::Many(spec))
    .lower(lower)
    .about("compare two floating-point numbers into a predicate",
        "As on integers; comparisons ending in `u` also hold if a number is NaN, `.num` and `.nan` test for that alone.")
    .sets(&[("CmpOp", Slot::Cmp, FLOAT_COMPARISONS), ("BoolOp", Slot::Bool, BOOLEAN), ("type", Slot::Type, FLOATS)])
    .operands(&[
        dst("p q", Is(Pred)).sink(),
        src("a b", Of(Slot::Type)).constants(Immediate::Number),
        src("c", Is(Pred)),
    ])
    .rules(&[FTZ_NEEDS_F32])
    .examples(&["setp.lt.and.f32 p|q, a, b, r;", "setp.geu.ftz.f32 p, a, b;", "setp.num.f64 p, a, a;"])
    .refused(&[("setp.lo.f32 p, a, b;", "`.lo` compares unsigned integers")]);

fn spec(i: &Inst, &[a, b, c, ..]: &Args, results: &mut [Bits]) {
    let holds = compare_reals(i, i.ty(Slot::Type), a, b);
    for (result, t) in results.iter_mut().zip([holds, !holds]) {
        *result = combine(i, t, c).into();
    }
}

fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    let [a, b] = e.sources();
    let holds = lower_reals(i, e, i.ty(Slot::Type), a, b)?;
    let p = lower_combination(i, e, holds);
    e.result(p);
    let fails = e.not(holds);
    let q = lower_combination(i, e, fails);
    e.done(q)
}
