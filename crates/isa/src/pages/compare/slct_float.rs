//! `slct` by a floating-point number.
use crate::float::{Format, Real};
use crate::pages::arithmetic::operand;
use crate::pages::lower_floats::as_single;
use crate::prelude::*;
use crate::uop::float::FloatCmp;

pub static PAGE: Page = Page::new("9.7.6.4", &["slct"], &[line("slct{.ftz}.dtype.f32 d, a, b, c")], Meaning::Spec(spec))
    .lower(lower)
    .about("choose by the sign of a floating-point number", "`a` if `c` is 0 or greater, also if it is -0.0, else `b`.")
    .sets(&[("dtype", Slot::DType, Set::Of(&[B16, B32, B64, U16, U32, U64, S16, S32, S64, F32, F64]))])
    .operands(&[
        dst("d", Of(Slot::DType)),
        src("a b", Of(Slot::DType)).constants(Immediate::Number),
        src("c", Of(Slot::Type)).constants(Immediate::Number),
    ])
    .examples(&["slct.ftz.u64.f32 A, B, C, fval;", "slct.f32.f32 x, y, z, fval;"]);

fn spec(i: &Inst, &[a, b, c, ..]: &Args) -> Bits {
    let Some(format) = Format::of(i.ty(Slot::Type)) else { return b };
    let (number, _) = operand(i, format, c);
    let chosen = matches!(number, Real::Zero { .. }) || !number.is_nan() && !number.negative();
    if chosen { a } else { b }
}

fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    let [a, b, c] = e.sources();
    let number = as_single(e, Format::of(i.ty(Slot::Type))?, i.has(Slot::Ftz), c);
    let zero = e.u32(0);
    let first = e.float_cmp(FloatCmp::Le, zero, number);
    let d = e.select(first, a, b);
    e.done(d)
}
