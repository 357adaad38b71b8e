//! `min` on `.f32` and `.f64`; and the grammar that `max` shares.
use crate::prelude::*;

pub static PAGE: Page = page("9.7.3.11", &["min"])
    .about("lesser of floating-point numbers",
        "The smaller number; a NaN is ignored in favour of a number unless `.NaN` is given. `.xorsign.abs` \
         compares magnitudes and gives the product of the signs.")
    .examples(&["@p min.ftz.f32 z, z, x;", "min.f64 a, b, c;", "min.NaN.xorsign.abs.f32 d, a, b;", "min.NaN.f32 d, a, b, c;"])
    .refused(&[("min.relu.f32 d, a, b;", "`.relu` is for integers"), ("min.xorsign.f32 d, a, b;", "`.abs` is missing")]);

pub(super) const fn page(section: &'static str, opcodes: &'static [&'static str]) -> Page {
    const SYNTAX: &[Syntax] = &[
        line("op{.ftz}{.NaN}{.xorsign.abs}.f32 d, a, b"),
        line("op{.ftz}{.NaN}{.abs}.f32 d, a, b, c").since(Floor::new(8, 8, 100)),
        line("op.f64 d, a, b"),
    ];
    const OPERANDS: &[Operand] = &[dst("d", Of(Slot::Type)), src("a b c", Of(Slot::Type)).constants(Immediate::Number)];
    const WORD_FLOORS: &[(Word, Floor)] = &[(NaN, Floor::new(7, 0, 80)), (XorSign, Floor::new(7, 2, 86))];
    Page::new(section, opcodes, SYNTAX, Meaning::NotYet)
        .operands(OPERANDS)
        .word_floors(WORD_FLOORS)
        .order(Order::Free)
}
