//! `mul24`: product of two 24-bit integers.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.1.5", &["mul24"], &[line("mul24.mode.type d, a, b")], Meaning::Spec(spec))
    .about("multiply two 24-bit integers",
        "Bits 23 to 0 of each source are the operands (for `.s32`, bit 23 is the sign). Of the 48-bit product `.lo` \
         gives bits 31 to 0, `.hi` bits 47 to 16.")
    .sets(&[("mode", Slot::Mode, Set::Of(&[Hi, Lo])), ("type", Slot::Type, U32_S32)])
    .operands(&[dst("d", Of(Slot::Type)), src("a b", Of(Slot::Type))])
    .order(Order::ModeFirst)
    .examples(&["mul24.lo.s32 d, a, b;"])
    .errata(&[Erratum {
        manual: "does not say what the upper 8 bits of the sources do",
        margay: "ignores them; a signed operand is extended from bit 23",
        ptxas: None,
        concerns: |_| true,
    }]);

fn spec(i: &Inst, &[a, b, ..]: &Args) -> Bits {
    let ty = i.ty(Slot::Type);
    let operand = ty.with_bits(24);
    let product = operand.value(a) * operand.value(b);
    ty.wrap(if i[Slot::Mode] == Hi { product >> 16 } else { product })
}
