//! `neg`: arithmetic negation of a signed integer, or of packed ones element by element.
use super::add::PACKED_BYTES;
use crate::pages::lowering::*;
use crate::pages::pairs::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.1.11", &["neg"], &[
    line("neg.type d, a"),
    line("neg.s8x4 d, a").since(PACKED_BYTES),
], Meaning::Stages(spec))
    .about("negate a signed integer",
        "`-a`, cut to the type's width: the least number, which has no positive counterpart, stays itself. Packed types \
         negate element by element.")
    .sets(&[("type", Slot::Type, SIGNED)])
    .operands(&[dst("d", Of(Slot::Type)), src("a", Of(Slot::Type))])
    .order(Order::Free)
    .lower(lower)
    .shown(&[("neg.s32 d, a", &[7])])
    .examples(&["neg.s32 r0, a;", "neg.s8x4 r0, a;"]);

fn spec(i: &Inst, &[a, ..]: &Args, trace: &mut Trace) -> Bits {
    let ty = i.ty(Slot::Type);
    pairs(ty, 0, a, trace, |trace, k, zero, a| trace.exact("-a", k, ty, zero - a))
}

fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    let [a] = e.sources();
    let ty = i.ty(Slot::Type);
    let zero = e.constant(e.ty(a), 0);
    let d = match ty.bits {
        8 | 16 => packed(e, ty, (Packed::Sub, Packed::Sub), zero, a),
        _ => e.sub(zero, a),
    };
    e.done(d)
}
