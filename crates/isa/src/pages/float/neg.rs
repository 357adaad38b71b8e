//! `neg` on `.f32` and `.f64`.
use super::abs::page;
use crate::pages::arithmetic::*;
use crate::pages::lower_floats::{Operation, lower_arithmetic};
use crate::prelude::*;

pub static PAGE: Page = page("9.7.3.10", &["neg"], Meaning::Stages(spec))
    .lower(lower)
    .about("negate a floating-point number", "The number with the other sign.")
    .part(|_| Some(Part::Negation))
    .shown(&[("neg.f64 d, a", &[0x3ff8_0000_0000_0000])])
    .examples(&["neg.ftz.f32 x, f0;", "neg.f64 x, f0;"]);

pub(in crate::pages) fn spec(i: &Inst, args: &Args, trace: &mut Trace) -> Bits {
    arithmetic(i, args, trace, "-a", |[a]| a.negated())
}

pub(in crate::pages) fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    lower_arithmetic(i, e, Operation::Negation)
}
