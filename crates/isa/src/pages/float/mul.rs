//! `mul` on `.f32`, `.f32x2` and `.f64`.
use super::add::page;
use crate::pages::arithmetic::*;
use crate::pages::contraction::product;
use crate::pages::lower_floats::{Operation, lower_arithmetic};
use crate::prelude::*;

pub static PAGE: Page = page("9.7.3.5", &["mul"], Meaning::Stages(spec))
    .lower(lower)
    .about("multiply two floating-point numbers", "The product, rounded to nearest even unless a rounding is named.")
    .part(product)
    .shown(&[("mul.ftz.f32 d, a, b", &[0x3f7f_ffff, 0x0080_0000])])
    .examples(&["mul.ftz.f32 circumf, radius, pi;", "mul.f32 d, a, 0f3F800000;", "mul.rn.f64 d, a, b;"]);

pub(in crate::pages) fn spec(i: &Inst, args: &Args, trace: &mut Trace) -> Bits {
    arithmetic(i, args, trace, "a * b", |[a, b]| a.times(b))
}

pub(in crate::pages) fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    lower_arithmetic(i, e, Operation::Mul)
}
