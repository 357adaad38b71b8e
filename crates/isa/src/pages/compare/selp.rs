//! `selp`: one of two values, chosen by a predicate.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.6.3", &["selp"], &[line("selp.type d, a, b, {!}c")], Meaning::Spec(spec))
    .about("choose by a predicate", "`a` if `c` is true, else `b`.")
    .sets(&[("type", Slot::Type, Set::Of(&[B16, B32, B64, U16, U32, U64, S16, S32, S64, F32, F64]))])
    .operands(&[
        dst("d", Of(Slot::Type)),
        src("a b", Of(Slot::Type)).constants(Immediate::Number),
        src("c", Is(Pred)),
    ])
    .lower(lower)
    .examples(&["selp.s32 r0, r, g, p;", "@q selp.f32 f0, t, x, xp;", "selp.b32 r, 1, 0, p;", "selp.u32 r, a, b, !p;"])
    .errata(&[erratum("shows no negated predicate", "takes one, as ptxas does").concerns(|i| i.has(Slot::NotC))]);

fn spec(i: &Inst, &[a, b, c, ..]: &Args) -> Bits {
    if (bit(c, 0) == 1) != i.has(Slot::NotC) { a } else { b }
}

fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    let [a, b, c] = e.sources();
    let (yes, no) = if i.has(Slot::NotC) { (b, a) } else { (a, b) };
    let d = e.select(c, yes, no);
    e.done(d)
}
