//! `sub` on `.f32`, `.f32x2` and `.f64`.
use super::add::page;
use crate::pages::arithmetic::*;
use crate::pages::contraction::difference;
use crate::pages::lower_floats::{Operation, lower_arithmetic};
use crate::prelude::*;

pub static PAGE: Page = page("9.7.3.4", &["sub"], Meaning::Stages(spec))
    .lower(lower)
    .about("subtract two floating-point numbers", "The difference, rounded to nearest even unless a rounding is named.")
    .part(difference)
    .shown(&[("sub.ftz.f32 d, a, b", &[0x0080_0001, 0x0080_0000])])
    .examples(&["sub.f32 c, a, b;", "sub.rn.ftz.f32 f1, f2, f3;", "sub.f64 c, a, b;"]);

pub(in crate::pages) fn spec(i: &Inst, args: &Args, trace: &mut Trace) -> Bits {
    arithmetic(i, args, trace, "a - b", |[a, b]| a.minus(b))
}

pub(in crate::pages) fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    lower_arithmetic(i, e, Operation::Sub)
}
