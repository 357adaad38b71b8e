//! `fma` of two half-precision numbers and an `.f32`.
use crate::pages::arithmetic::*;
use crate::pages::silent::*;
use crate::pages::lower_floats::{Operation, lower_mixed};
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.5.3", &["fma"], &[line("fma.rnd{.sat}.f32.abtype d, a, b, c")], Meaning::Stages(spec))
    .lower(lower)
    .about("multiply and add numbers of two precisions", "The exact product of `a` and `b` plus `c`, rounded to `.f32`.")
    .sets(&[("rnd", Slot::Rnd, Set::Of(&[Rn, Rz, Rm, Rp])), ("abtype", Slot::AType, Set::Of(&[F16, Bf16]))])
    .operands(&[
        dst("d", Is(F32)),
        src("a b", Of(Slot::AType)).constants(Immediate::No),
        src("c", Is(F32)).constants(Immediate::Number),
    ])
    .since(Floor::new(8, 6, 100))
    .order(Order::Free)
    .refused(&[("fma.f32.f16 d, a, b, c;", "a rounding must be named")])
    .shown(&[("fma.rn.f32.bf16 d, a, b, c", &[0x3f81, 0x3f81, 0xbf81_0000])])
    .examples(&["fma.rn.sat.f32.f16 d, a, b, c;", "fma.rz.f32.bf16 d, a, b, c;"])
    .errata(&[erratum(
        "says both that a missing rounding means `.rn` and that there is no default",
        "requires one, as ptxas does, although the syntax line makes it optional",
    ), NEGATIVE_ZERO, NOT_A_NUMBER]);

fn spec(i: &Inst, args: &Args, trace: &mut Trace) -> Bits {
    let (narrow, wide) = (i.ty(Slot::AType), i.ty(Slot::Type));
    mixed(i, wide, [narrow, narrow, wide], args, trace, "a * b + c", |[a, b, c]| a.times(b).plus(c))
}

fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    let (narrow, wide) = (i.ty(Slot::AType), i.ty(Slot::Type));
    lower_mixed(i, e, wide, &[narrow, narrow, wide], Operation::Fma)
}
