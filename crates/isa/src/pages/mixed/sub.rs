//! `sub` of an `.f32` from a half-precision number.
use super::add::page;
use crate::pages::arithmetic::*;
use crate::pages::lower_floats::{Operation, lower_mixed};
use crate::prelude::*;

pub static PAGE: Page = page("9.7.5.2", &["sub"], Meaning::Stages(spec))
    .lower(lower)
    .about("subtract numbers of two precisions", "`a`, widened to `.f32`, minus `c`, rounded.")
    .shown(&[("sub.rz.f32.bf16 d, a, c", &[0x3f81, 0x0000_0001])])
    .examples(&["sub.f32.f16 d, a, c;", "sub.rz.f32.bf16.sat d, a, c;"]);

fn spec(i: &Inst, args: &Args, trace: &mut Trace) -> Bits {
    let wide = i.ty(Slot::Type);
    mixed(i, wide, [i.ty(Slot::AType), wide], args, trace, "a - c", |[a, c]| a.minus(c))
}

fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    let wide = i.ty(Slot::Type);
    lower_mixed(i, e, wide, &[i.ty(Slot::AType), wide], Operation::Sub)
}
