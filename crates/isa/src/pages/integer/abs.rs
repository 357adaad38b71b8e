//! `abs`: absolute value of a signed integer.
use crate::pages::lowering::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.1.10", &["abs"], &[line("abs.type d, a")], Meaning::Stages(spec))
    .about("absolute value of a signed integer",
        "`|a|`, cut to the type's width: the least number, which has no positive counterpart, stays itself.")
    .sets(&[("type", Slot::Type, SIGNED)])
    .operands(&[dst("d", Of(Slot::Type)), src("a", Of(Slot::Type))])
    .order(Order::Free)
    .lower(lower)
    .shown(&[("abs.s32 d, a", &[0xffff_fff9])])
    .examples(&["abs.s32 r0, a;"]);

fn spec(i: &Inst, &[a, ..]: &Args, trace: &mut Trace) -> Bits {
    let ty = i.ty(Slot::Type);
    ty.wrap(trace.exact("|a|", None, ty, ty.value(a).abs()))
}

fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    let [a] = e.sources();
    let ty = i.ty(Slot::Type);
    let zero = e.constant(e.ty(a), 0);
    let d = match ty.bits {
        16 => packed(e, ty, (Packed::AbsDiffU, Packed::AbsDiffS), a, zero),
        _ => e.abs_diff(true, a, zero),
    };
    e.done(d)
}
