//! `setp` on integers: compare, combine with a predicate, keep result and complement.
use crate::pages::comparison::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.6.2", &["setp"], &[
    line("setp.CmpOp.type p{|q}, a, b"),
    line("setp.CmpOp.BoolOp.type p{|q}, a, b, {!}c"),
], Meaning::Many(spec))
    .about("compare two integers into a predicate",
        "`p` says whether the comparison holds, `q` whether it does not; each is combined with `c` if a \
         boolean operation is given.")
    .sets(&[("CmpOp", Slot::Cmp, INTEGER_COMPARISONS), ("BoolOp", Slot::Bool, BOOLEAN), ("type", Slot::Type, COMPARED)])
    .operands(&[
        dst("p q", Is(Pred)).sink(),
        src("a b", Of(Slot::Type)),
        src("c", Is(Pred)),
    ])
    .rules(COMPARISON_RULES)
    .lower(lower)
    .examples(&[
        "setp.lt.and.s32 p|q, a, b, r;", "@q setp.eq.u32 p, i, n;", "setp.hs.u32 p, a, 5;", "setp.ne.or.b64 p, a, b, !c;",
        "setp.lt.s64 p, 3, b;",
    ])
    .refused(&[
        ("setp.lt.b32 p, a, b;", "untyped bits have no order"),
        ("setp.lo.s32 p, a, b;", "`.lo` compares unsigned numbers"),
        ("setp.eq.and.u32 p, a, b;", "`.and` needs a predicate"),
        ("setp.eq.u32 p, a, b, c;", "a predicate needs a boolean operation"),
    ]);

fn spec(i: &Inst, &[a, b, c, ..]: &Args, results: &mut [Bits]) {
    let holds = compare(i, i.ty(Slot::Type), a, b);
    for (result, t) in results.iter_mut().zip([holds, !holds]) {
        *result = combine(i, t, c).into();
    }
}

fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    let [a, b] = e.sources();
    let holds = lower_comparison(i, e, i.ty(Slot::Type), a, b);
    let p = lower_combination(i, e, holds);
    e.result(p);
    let fails = e.not(holds);
    let q = lower_combination(i, e, fails);
    e.done(q)
}
