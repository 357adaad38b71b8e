//! `abs` on `.f32` and `.f64`; and the grammar that `neg` shares.
use crate::pages::arithmetic::*;
use crate::pages::silent::*;
use crate::pages::lower_floats::{Operation, lower_arithmetic};
use crate::prelude::*;

pub static PAGE: Page = page("9.7.3.9", &["abs"], Meaning::Stages(spec))
    .lower(lower)
    .about("absolute value of a floating-point number", "The number without its sign.")
    .shown(&[("abs.ftz.f32 d, a", &[0x8040_0000])])
    .examples(&["abs.ftz.f32 x, f0;", "abs.f64 x, f0;"]);

pub(super) const fn page(section: &'static str, opcodes: &'static [&'static str], meaning: Meaning) -> Page {
    const SYNTAX: &[Syntax] = &[line("op{.ftz}.f32 d, a"), line("op.f64 d, a")];
    const OPERANDS: &[Operand] = &[dst("d", Of(Slot::Type)), src("a", Of(Slot::Type)).constants(Immediate::Number)];
    Page::new(section, opcodes, SYNTAX, meaning).operands(OPERANDS).order(Order::Free).errata(&[SIGN_OF_NAN])
}

pub(in crate::pages) fn spec(i: &Inst, args: &Args, trace: &mut Trace) -> Bits {
    arithmetic(i, args, trace, "|a|", |[a]| a.magnitude())
}

pub(in crate::pages) fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    lower_arithmetic(i, e, Operation::Magnitude)
}
