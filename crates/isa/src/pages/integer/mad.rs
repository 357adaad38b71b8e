//! `mad`: multiply, keep the low half, the high half or all of the product, add a third integer.
use super::mul::{lower_product, product};
use crate::pages::lowering::*;
use crate::pages::pairs::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.1.4", &["mad"], &[
    line("mad.mode.type d, a, b, c"),
    line("mad.hi.sat.s32 d, a, b, c"),
], Meaning::Stages(spec))
    .about("multiply two integers and add a third",
        "The product of `a` and `b` is cut as in `mul` (`.lo`, `.hi` or `.wide`), then `c` is added and the sum cut to \
         the destination's width. `mad.hi.sat.s32` clamps the sum instead.")
    .sets(&[("mode", Slot::Mode, Set::Of(&[Hi, Lo, Wide])), ("type", Slot::Type, INTEGERS)])
    .operands(&[
        dst("d", DoubledIfWide(Slot::Type)),
        src("a b", Of(Slot::Type)),
        src("c", DoubledIfWide(Slot::Type)),
    ])
    .rules(&[Rule {
        text: "`.wide` takes 16- and 32-bit types only",
        slot: Some(Slot::Mode),
        holds: |i| i[Slot::Mode] != Wide || i.ty(Slot::Type).bits < 64,
    }])
    .order(Order::ModeFirst)
    .lower(lower)
    .shown(&[("mad.hi.sat.s32 d, a, b, c", &[0x4000_0000, 0x4000_0000, 0x7fff_ffff])])
    .examples(&["@p mad.lo.s32 d, a, b, c;", "mad.lo.s32 r, p, q, r;", "mad.hi.sat.s32 r, p, q, r;"]);

fn spec(i: &Inst, &[a, b, c, ..]: &Args, trace: &mut Trace) -> Bits {
    let ty = i.ty(Slot::Type);
    let result = if i[Slot::Mode] == Wide { ty.with_bits(ty.bits * 2) } else { ty };
    let t = product(ty, a, b, trace);
    let part = if i[Slot::Mode] == Hi { t >> ty.bits } else { t };
    let part = trace.step("part of t", result.value(part));
    result.wrap(saturated(trace, None, result, "part of t + c", part + result.value(c), i.has(Slot::Sat)))
}

fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    let [a, b, c] = e.sources();
    let ty = i.ty(Slot::Type);
    let d = match (i[Slot::Mode], ty.bits) {
        (Lo, _) => {
            let sum = e.mul_add(a, b, c);
            cut(e, ty, sum)
        }
        (Wide, 16) if ty.signed() => e.dot(Dot::Halves(true, true), a, b, c),
        (Wide, 16) => e.mul_add(a, b, c),
        (mode, bits) => {
            let product = lower_product(i, e, a, b);
            match bits {
                _ if i.has(Slot::Sat) => clamped_sum(e, true, product, c),
                16 if mode == Hi => packed(e, ty, (Packed::Add, Packed::Add), product, c),
                _ => e.add(product, c),
            }
        }
    };
    e.done(d)
}
