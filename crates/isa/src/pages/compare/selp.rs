//! `selp`: one of two values, chosen by a predicate.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.6.3", &["selp"], &[line("selp.type d, a, b, c")], Meaning::Spec(spec))
    .about("choose by a predicate", "`a` if `c` is true, else `b`.")
    .sets(&[("type", Slot::Type, Set::Of(&[B16, B32, B64, U16, U32, U64, S16, S32, S64, F32, F64]))])
    .operands(&[
        dst("d", Of(Slot::Type)),
        src("a b", Of(Slot::Type)).constants(Immediate::Number),
        src("c", Is(Pred)).constants(Immediate::No),
    ])
    .word_floors(&[(F64, Floor::new(1, 0, 13))])
    .examples(&["selp.s32 r0, r, g, p;", "@q selp.f32 f0, t, x, xp;", "selp.b32 r, 1, 0, p;"])
    .refused(&[("selp.s32 r0, r, g, !p;", "the predicate is not negated here")]);

fn spec(_: &Inst, &[a, b, c, ..]: &Args) -> Bits {
    if bit(c, 0) == 1 { a } else { b }
}
