//! `testp`: what sort of floating-point number it is.
use crate::float::{Format, Real};
use crate::pages::lower_floats::lower_sort;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.3.1", &["testp"], &[line("testp.op.type p, a")], Meaning::Spec(spec))
    .lower(lower)
    .about("what sort of number it is", "Whether the number is of the sort named.")
    .sets(&[
        ("op", Slot::Mode, Set::Of(&[Finite, Infinite, Number, NotANumber, Normal, Subnormal])),
        ("type", Slot::Type, Set::Of(&[F32, F64])),
    ])
    .operands(&[dst("p", Is(Pred)), src("a", Of(Slot::Type)).constants(Immediate::Number)])
    .since(Floor::new(2, 0, 20))
    .shown(&[("testp.subnormal.f32 p, a", &[1])])
    .examples(&["testp.notanumber.f32 isnan, f0;", "testp.infinite.f64 p, X;"])
    .errata(&[erratum("does not say whether 0.0 is normal", "says that it is, as ptxas does")
        .concerns(|i| i[Slot::Mode] == Normal)
        .arises(|i, args| args[0] & (i.ty(Slot::Type).mask() >> 1) == 0)]);

fn spec(i: &Inst, &[a, ..]: &Args) -> Bits {
    let Some(format) = Format::of(i.ty(Slot::Type)) else { return 0 };
    let number = format.decode(a);
    let infinite = matches!(number, Real::Infinite { .. });
    let subnormal = format.is_subnormal(a);
    let holds = match i[Slot::Mode] {
        Finite => !infinite && !number.is_nan(),
        Infinite => infinite,
        Number => !number.is_nan(),
        NotANumber => number.is_nan(),
        Subnormal => subnormal,
        // Zero is as normal as any other number.
        _ => !infinite && !number.is_nan() && !subnormal,
    };
    holds.into()
}

fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    let [a] = e.sources();
    let p = lower_sort(i, e, a)?;
    e.done(p)
}
