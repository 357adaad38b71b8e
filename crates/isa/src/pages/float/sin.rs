//! `sin`: sine; and what approximate functions of one number share.
use super::rcp::NAMED;
use crate::prelude::*;

pub static PAGE: Page = approximate("9.7.3.18", &["sin"], &[
    line("sin.approx{.ftz}.f32 d, a"),
    line("sin.f32 d, a").since(Floor::ZERO).until(NAMED),
])
    .about("sine of an angle in radians", "An approximation.")
    .examples(&["sin.approx.ftz.f32 sa, a;"]);

pub(in crate::pages) const fn approximate(
    section: &'static str,
    opcodes: &'static [&'static str],
    syntax: &'static [Syntax],
) -> Page {
    const OPERANDS: &[Operand] = &[dst("d", Of(Slot::Type)), src("a", Of(Slot::Type)).constants(Immediate::Number)];
    Page::new(section, opcodes, syntax, Meaning::NotYet)
        .operands(OPERANDS)
        .since(Floor::new(1, 4, 10))
        .order(Order::Free)
}
