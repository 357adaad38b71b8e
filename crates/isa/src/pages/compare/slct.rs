//! `slct` by an integer: one of two values, chosen by a sign.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.6.4", &["slct"], &[line("slct.dtype.s32 d, a, b, c")], Meaning::Spec(spec))
    .about("choose by the sign of a number", "`a` if `c` is 0 or greater, else `b`.")
    .sets(&[("dtype", Slot::DType, Set::Of(&[B16, B32, B64, U16, U32, U64, S16, S32, S64, F32, F64]))])
    .operands(&[
        dst("d", Of(Slot::DType)),
        src("a b", Of(Slot::DType)).constants(Immediate::Number),
        src("c", Of(Slot::Type)),
    ])
    .lower(lower)
    .examples(&["slct.u32.s32 x, y, z, val;", "slct.u64.s32 d, a, b, -1;"])
    .refused(&[("slct.u32.u32 d, a, b, c;", "the selector is `.s32` or `.f32`")]);

fn spec(i: &Inst, &[a, b, c, ..]: &Args) -> Bits {
    if i.ty(Slot::Type).value(c) >= 0 { a } else { b }
}

fn lower(_: &Inst, e: &mut Emit) -> Option<()> {
    let [a, b, c] = e.sources();
    let zero = e.u32(0);
    let negative = e.lt(true, c, zero);
    let d = e.select(negative, b, a);
    e.done(d)
}
