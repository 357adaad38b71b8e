//! `max` on `.f32` and `.f64`.
use super::min::{choose, page};
use crate::float::Real;
use crate::pages::lower_floats::{Operation, lower_arithmetic};
use crate::prelude::*;

pub static PAGE: Page = page("9.7.3.12", &["max"], Meaning::Stages(spec))
    .lower(lower)
    .about("greater of floating-point numbers", "Like `min`, for the larger number.")
    .shown(&[("max.f32 d, a, b", &[0x7fc0_0000, 0xbf80_0000])])
    .examples(&["max.ftz.f32 f0, f1, f2;", "max.f64 a, b, c;"]);

pub(in crate::pages) fn spec(i: &Inst, args: &Args, trace: &mut Trace) -> Bits {
    choose(i, args, trace, "max", Real::greater)
}

pub(in crate::pages) fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    lower_arithmetic(i, e, Operation::Max)
}
