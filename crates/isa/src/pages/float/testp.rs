//! `testp`: what sort of floating-point number it is.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.3.1", &["testp"], &[line("testp.op.type p, a")], Meaning::NotYet)
    .about("what sort of number it is", "Whether the number is of the sort named.")
    .sets(&[
        ("op", Slot::Mode, Set::Of(&[Finite, Infinite, Number, NotANumber, Normal, Subnormal])),
        ("type", Slot::Type, Set::Of(&[F32, F64])),
    ])
    .operands(&[dst("p", Is(Pred)), src("a", Of(Slot::Type)).constants(Immediate::Number)])
    .since(Floor::new(2, 0, 20))
    .examples(&["testp.notanumber.f32 isnan, f0;", "testp.infinite.f64 p, X;"]);
