//! `fma` on `.f32`, `.f32x2` and `.f64`: multiply and add, rounded once.
use super::add::{DIRECTED, ROUNDINGS};
use crate::pages::arithmetic::*;
use crate::pages::silent::*;
use crate::pages::lower_floats::{Operation, lower_arithmetic};
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.3.6", &["fma"], &[
    line("fma.rnd{.ftz}{.sat}.f32 d, a, b, c"),
    line("fma.rnd{.ftz}.f32x2 d, a, b, c").since(Floor::new(8, 6, 100)),
    line("fma.rnd.f64 d, a, b, c").since(Floor::new(1, 4, 10)),
], Meaning::Stages(spec))
    .lower(lower)
    .about("multiply and add with one rounding", "The exact product of `a` and `b` plus `c`, rounded once.")
    .sets(&[("rnd", Slot::Rnd, ROUNDINGS)])
    .operands(&[dst("d", Of(Slot::Type)), src("a b c", Of(Slot::Type)).constants(Immediate::Number)])
    .since(Floor::new(2, 0, 20))
    .form_floors(&[DIRECTED])
    .order(Order::Free)
    .shown(&[("fma.rn.f32 d, a, b, c", &[0x3f80_0001, 0x3f80_0001, 0xbf80_0002])])
    .examples(&["fma.rn.ftz.f32 w, x, y, z;", "@p fma.rn.f64 d, a, b, c;", "fma.rp.ftz.f32x2 p, q, r, s;"])
    .refused(&[("fma.f32 d, a, b, c;", "a rounding must be named")])
    .errata(&[FLUSHED, NEGATIVE_ZERO, NOT_A_NUMBER]);

pub(in crate::pages) fn spec(i: &Inst, args: &Args, trace: &mut Trace) -> Bits {
    arithmetic(i, args, trace, "a * b + c", |[a, b, c]| a.times(b).plus(c))
}

pub(in crate::pages) fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    lower_arithmetic(i, e, Operation::Fma)
}
