//! `mad24`: product of two 24-bit integers plus a third integer.
use super::mul24::{lower_factors, lower_high_product, part, wider};
use crate::pages::lowering::*;
use crate::pages::pairs::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.1.6", &["mad24"], &[
    line("mad24.mode.type d, a, b, c"),
    line("mad24.hi.sat.s32 d, a, b, c"),
], Meaning::Stages(spec))
    .about("multiply two 24-bit integers and add a third",
        "The product as in `mul24` (`.lo`: bits 31 to 0, `.hi`: bits 47 to 16), plus the 32-bit `c`, cut to 32 bits. \
         `mad24.hi.sat.s32` clamps the sum instead.")
    .sets(&[("mode", Slot::Mode, Set::Of(&[Hi, Lo])), ("type", Slot::Type, U32_S32)])
    .operands(&[dst("d", Of(Slot::Type)), src("a b c", Of(Slot::Type))])
    .order(Order::ModeFirst)
    .lower(lower)
    .shown(&[("mad24.hi.sat.s32 d, a, b, c", &[0x007f_ffff, 0x007f_ffff, 0x7fff_ffff])])
    .examples(&["mad24.lo.s32 d, a, b, c;", "mad24.hi.sat.s32 d, a, b, c;"])
    .errata(&[erratum(
        "does not say what the upper 8 bits of the factors do",
        "ignores them; a signed operand is extended from bit 23",
    )
    .arises(wider)]);

fn spec(i: &Inst, &[a, b, c, ..]: &Args, trace: &mut Trace) -> Bits {
    let ty = i.ty(Slot::Type);
    let part = part(i, a, b, trace);
    ty.wrap(saturated(trace, None, ty, "t + c", part + ty.value(c), i.has(Slot::Sat)))
}

fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    let [a, b, c] = e.sources();
    let d = match i[Slot::Mode] {
        Hi => {
            let product = lower_high_product(i, e, a, b);
            if i.has(Slot::Sat) { clamped_sum(e, true, product, c) } else { e.add(product, c) }
        }
        _ => {
            let [a, b] = lower_factors(i, e, a, b);
            e.mul_add(a, b, c)
        }
    };
    e.done(d)
}
