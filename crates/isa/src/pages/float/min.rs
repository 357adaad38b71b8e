//! `min` on `.f32` and `.f64`; and the grammar that `max` shares.
use crate::float::Real;
use crate::pages::arithmetic::*;
use crate::pages::lower_floats::{Operation, lower_arithmetic};
use crate::prelude::*;

pub static PAGE: Page = page("9.7.3.11", &["min"], Meaning::Stages(spec))
    .lower(lower)
    .about("lesser of floating-point numbers",
        "The smaller number; a NaN is ignored in favour of a number unless `.NaN` is given. `.xorsign.abs` \
         compares magnitudes and gives the product of the signs.")
    .shown(&[("min.xorsign.abs.f32 d, a, b", &[0xc040_0000, 0x4000_0000])])
    .examples(&["@p min.ftz.f32 z, z, x;", "min.f64 a, b, c;", "min.NaN.xorsign.abs.f32 d, a, b;", "min.NaN.f32 d, a, b, c;"])
    .refused(&[("min.relu.f32 d, a, b;", "`.relu` is for integers"), ("min.xorsign.f32 d, a, b;", "`.abs` is missing")]);

pub(super) const fn page(section: &'static str, opcodes: &'static [&'static str], meaning: Meaning) -> Page {
    const SYNTAX: &[Syntax] = &[
        line("op{.ftz}{.NaN}{.xorsign.abs}.f32 d, a, b"),
        line("op{.ftz}{.NaN}{.abs}.f32 d, a, b, c").since(Floor::new(8, 8, 100)),
        line("op.f64 d, a, b"),
    ];
    const OPERANDS: &[Operand] = &[dst("d", Of(Slot::Type)), src("a b c", Of(Slot::Type)).constants(Immediate::Number)];
    const WORD_FLOORS: &[(Word, Floor)] = &[(NaN, Floor::new(7, 0, 80)), (XorSign, Floor::new(7, 2, 86))];
    Page::new(section, opcodes, SYNTAX, meaning)
        .operands(OPERANDS)
        .word_floors(WORD_FLOORS)
        .order(Order::Free)
}

pub(in crate::pages) fn spec(i: &Inst, args: &Args, trace: &mut Trace) -> Bits {
    choose(i, args, trace, "min", Real::lesser)
}

/// One of two or three numbers: `pick` prefers numbers to NaN, `.NaN` does not.
pub(super) fn choose(
    i: &Inst,
    args: &Args,
    trace: &mut Trace,
    name: &'static str,
    pick: fn(Real, Real) -> Real,
) -> Bits {
    let pick = |a: Real, b: Real| match [a, b].into_iter().find(|number| number.is_nan()) {
        Some(nan) if i.has(Slot::NaN) => nan,
        _ if i.has(Slot::Abs) => pick(a.magnitude(), b.magnitude()),
        _ => pick(a, b),
    };
    if i.line().operands.len() == 4 {
        return arithmetic(i, args, trace, name, |[a, b, c]| pick(pick(a, b), c));
    }
    arithmetic(i, args, trace, name, |[a, b]| match pick(a, b) {
        chosen if i.has(Slot::XorSign) => chosen.with_sign(a.negative() != b.negative()),
        chosen => chosen,
    })
}

pub(in crate::pages) fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    lower_arithmetic(i, e, Operation::Min)
}
