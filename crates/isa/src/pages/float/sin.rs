//! `sin`: sine; and what approximate functions of one number share.
use super::rcp::NAMED;
use crate::float::{approximate, rounded};
use crate::pages::approximation::{Approximation, DEVICE, FOLDED, ROUNDED};
use crate::pages::lower_approximations::lower_approximation;
use crate::prelude::*;
use crate::uop::float::Approx;

pub static PAGE: Page = page("9.7.3.18", &["sin"], &[
    line("sin.approx{.ftz}.f32 d, a"),
    line("sin.f32 d, a").since(Floor::ZERO).until(NAMED),
], Meaning::Stages(spec::<DEVICE>))
    .lower(lower)
    .approximate(Meaning::Stages(spec::<ROUNDED>), Meaning::Stages(spec::<FOLDED>))
    .fidelity(|_| Fidelity::Device)
    .about("sine of an angle in radians", "An approximation: the angle becomes turns, rounded towards 0, of which 23 places below a quarter are looked at.")
    .shown(&[("sin.approx.f32 d, a", &[0x3f80_0000])])
    .examples(&["sin.approx.ftz.f32 sa, a;"]);

const SINE: Approximation = Approximation { name: "sin(a)", function: &rounded::SINE, steps: approximate::sin };

fn spec<const BY: usize>(i: &Inst, args: &Args, trace: &mut Trace) -> Bits {
    SINE.single::<BY>(i, args, trace)
}

/// The grammar of approximate functions of one number.
pub(in crate::pages) const fn page(
    section: &'static str,
    opcodes: &'static [&'static str],
    syntax: &'static [Syntax],
    meaning: Meaning,
) -> Page {
    const OPERANDS: &[Operand] = &[dst("d", Of(Slot::Type)), src("a", Of(Slot::Type)).constants(Immediate::Number)];
    Page::new(section, opcodes, syntax, meaning)
        .operands(OPERANDS)
        .since(Floor::new(1, 4, 10))
        .order(Order::Free)
}

fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    lower_approximation(i, e, Approx::Sine)
}
