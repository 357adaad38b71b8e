//! `sad`: absolute difference of two integers, added to a third.
use crate::pages::lowering::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.1.7", &["sad"], &[line("sad.type d, a, b, c")], Meaning::Stages(spec))
    .about("add an absolute difference to a sum",
        "`c + |a - b|`: the difference is exact by the type's signedness, the sum is cut to the type's width.")
    .sets(&[("type", Slot::Type, INTEGERS)])
    .operands(&[dst("d", Of(Slot::Type)), src("a b c", Of(Slot::Type))])
    .order(Order::Free)
    .lower(lower)
    .shown(&[("sad.s32 d, a, b, c", &[0xffff_fffb, 7, 100])])
    .examples(&["sad.s32 d, a, b, c;", "sad.u32 d, a, b, d;"]);

fn spec(i: &Inst, &[a, b, c, ..]: &Args, trace: &mut Trace) -> Bits {
    let ty = i.ty(Slot::Type);
    let t = trace.step("t", (ty.value(a) - ty.value(b)).abs());
    ty.wrap(trace.exact("c + t", None, ty, ty.value(c) + t))
}

fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    let [a, b, c] = e.sources();
    let ty = i.ty(Slot::Type);
    let d = if ty.bits == 16 {
        let difference = packed(e, ty, (Packed::AbsDiffU, Packed::AbsDiffS), a, b);
        packed(e, ty, (Packed::Add, Packed::Add), difference, c)
    } else {
        let difference = e.abs_diff(ty.signed(), a, b);
        e.add(difference, c)
    };
    e.done(d)
}
