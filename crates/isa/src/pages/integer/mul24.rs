//! `mul24`: product of two 24-bit integers.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.1.5", &["mul24"], &[line("mul24.mode.type d, a, b")], Meaning::Stages(spec))
    .about("multiply two 24-bit integers",
        "Bits 23 to 0 of each source are the operands (for `.s32`, bit 23 is the sign). Of the 48-bit product `.lo` \
         gives bits 31 to 0, `.hi` bits 47 to 16.")
    .sets(&[("mode", Slot::Mode, Set::Of(&[Hi, Lo])), ("type", Slot::Type, U32_S32)])
    .operands(&[dst("d", Of(Slot::Type)), src("a b", Of(Slot::Type))])
    .order(Order::ModeFirst)
    .lower(lower)
    .shown(&[("mul24.hi.s32 d, a, b", &[0x0080_0001, 0x100])])
    .examples(&["mul24.lo.s32 d, a, b;"])
    .errata(&[erratum(
        "does not say what the upper 8 bits of the sources do",
        "ignores them; a signed operand is extended from bit 23",
    )
    .arises(wider)]);

fn spec(i: &Inst, &[a, b, ..]: &Args, trace: &mut Trace) -> Bits {
    i.ty(Slot::Type).wrap(part(i, a, b, trace))
}

/// The bits of the 48-bit product that the mode names, and those above them.
pub(super) fn part(i: &Inst, a: Bits, b: Bits, trace: &mut Trace) -> i128 {
    let operand = i.ty(Slot::Type).with_bits(24);
    let a = trace.step("a<23..0>", operand.value(a));
    let b = trace.step("b<23..0>", operand.value(b));
    let t = trace.step("t", a * b);
    if i[Slot::Mode] == Hi { trace.step("t<47..16>", t >> 16) } else { t }
}

fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    let [a, b] = e.sources();
    let d = match i[Slot::Mode] {
        Hi => lower_high_product(i, e, a, b),
        _ => {
            let [a, b] = lower_factors(i, e, a, b);
            e.mul(a, b)
        }
    };
    e.done(d)
}

/// The low 24 bits of the sources, as numbers.
pub(super) fn lower_factors(i: &Inst, e: &mut Emit, a: Val, b: Val) -> [Val; 2] {
    let signed = i.ty(Slot::Type).signed();
    [a, b].map(|factor| e.extract(signed, factor, 0, 24))
}

/// Whether a factor has more than 24 bits.
pub(super) fn wider(i: &Inst, &[a, b, ..]: &Args) -> bool {
    let ty = i.ty(Slot::Type);
    [a, b].iter().any(|factor| ty.wrap(ty.with_bits(24).value(*factor)) != *factor)
}

/// Bits 47 to 16 of the product: the high half, once both factors have moved to the top of 32 bits.
pub(super) fn lower_high_product(i: &Inst, e: &mut Emit, a: Val, b: Val) -> Val {
    let [a, b] = [a, b].map(|factor| e.shl_by(factor, 8));
    e.mul_high(i.ty(Slot::Type).signed(), a, b)
}
