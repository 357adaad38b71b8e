//! `setp` on `.f16`, `.bf16` and pairs of them.
use crate::pages::comparison::*;
use crate::pages::lower_floats::{element, lower_reals};
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.7.2", &["setp"], &[
    line("setp.CmpOp{.ftz}.f16 p, a, b"),
    line("setp.CmpOp.BoolOp{.ftz}.f16 p, a, b, {!}c"),
    line("setp.CmpOp{.ftz}.f16x2 p{|q}, a, b"),
    line("setp.CmpOp.BoolOp{.ftz}.f16x2 p{|q}, a, b, {!}c"),
    line("setp.CmpOp.bf16 p, a, b").since(Floor::new(7, 8, 90)),
    line("setp.CmpOp.BoolOp.bf16 p, a, b, {!}c").since(Floor::new(7, 8, 90)),
    line("setp.CmpOp.bf16x2 p{|q}, a, b").since(Floor::new(7, 8, 90)),
    line("setp.CmpOp.BoolOp.bf16x2 p{|q}, a, b, {!}c").since(Floor::new(7, 8, 90)),
], Meaning::Many(spec))
    .lower(lower)
    .about("compare half-precision numbers into predicates",
        "As on `.f32`; of pairs, `p` tells of the low elements and `q` of the high ones.")
    .sets(&[("CmpOp", Slot::Cmp, FLOAT_COMPARISONS), ("BoolOp", Slot::Bool, BOOLEAN)])
    .operands(&[
        dst("p q", Is(Pred)).sink(),
        src("a b", Of(Slot::Type)).constants(Immediate::No),
        src("c", Is(Pred)),
    ])
    .since(Floor::new(4, 2, 53))
    .examples(&["setp.lt.and.f16x2 p|q, f1, f2, r;", "@q setp.eq.f16 p, h1, h2;", "setp.gt.bf16x2 u|v, c, d;"])
    .refused(&[("setp.eq.f16 p|q, a, b;", "one result")])
    .errata(&[erratum(
            "prints two results for pairs",
            "lets the second be left out, as ptxas does",
        ).concerns(|i| matches!(i[Slot::Type], F16x2 | Bf16x2))]);

fn spec(i: &Inst, &[a, b, c, ..]: &Args, results: &mut [Bits]) {
    let ty = i.ty(Slot::Type);
    for (lane, result) in results.iter_mut().enumerate() {
        let at = lane as u32 * ty.bits;
        *result = combine(i, compare_reals(i, ty, a >> at, b >> at), c).into();
    }
}

fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    let [a, b] = e.sources();
    let ty = i.ty(Slot::Type);
    for lane in 0..ty.lanes {
        let [a, b] = [a, b].map(|v| element(e, ty, lane, v));
        let holds = lower_reals(i, e, ty, a, b)?;
        let p = lower_combination(i, e, holds);
        e.result(p);
    }
    Some(())
}
