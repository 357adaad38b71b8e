//! `sub`: difference of two integers, or of packed bytes element by element.
use super::add::PACKED_BYTES;
use crate::pages::lowering::*;
use crate::pages::pairs::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.1.2", &["sub"], &[
    line("sub.type d, a, b"),
    line("sub{.sat}.s32 d, a, b"),
    line("sub{.sat}.type8 d, a, b").since(PACKED_BYTES),
], Meaning::Stages(spec))
    .about("subtract one integer from another",
        "`a - b`, cut to the type's width. Packed bytes are subtracted element by element. With `.sat` the exact \
         difference is clamped to the range of the type (of the element, for packed types).")
    .sets(&[("type", Slot::Type, INTEGERS), ("type8", Slot::Type, Set::Of(&[U8x4, S8x4]))])
    .operands(&[dst("d", Of(Slot::Type)), src("a b", Of(Slot::Type))])
    .order(Order::Free)
    .lower(lower)
    .shown(&[("sub.sat.s32 d, a, b", &[0x8000_0010, 0x20])])
    .examples(&["sub.s32 c, a, b;", "sub.sat.s32 c, a, b;", "sub.u8x4 c, a, b;"]);

fn spec(i: &Inst, &[a, b, ..]: &Args, trace: &mut Trace) -> Bits {
    let ty = i.ty(Slot::Type);
    pairs(ty, a, b, trace, |trace, k, a, b| saturated(trace, k, ty, "a - b", a - b, i.has(Slot::Sat)))
}

fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    let [a, b] = e.sources();
    let ty = i.ty(Slot::Type);
    let d = match (ty.bits, i.has(Slot::Sat)) {
        (8 | 16, true) => packed(e, ty, (Packed::SubSatU, Packed::SubSatS), a, b),
        (8 | 16, false) => packed(e, ty, (Packed::Sub, Packed::Sub), a, b),
        (_, true) => clamped_difference(e, a, b),
        (_, false) => e.sub(a, b),
    };
    e.done(d)
}
