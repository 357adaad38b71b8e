//! `bfind`: position of the highest bit that differs from the sign.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.1.16", &["bfind"], &[
    line("bfind.type d, a"),
    line("bfind.shiftamt.type d, a"),
], Meaning::Stages(spec))
    .about("find the highest bit that is not a sign bit",
        "The position of the highest one; for a negative number, of the highest zero. With `.shiftamt`, how far to shift \
         left to bring that bit to the top. If there is none, 0xffffffff. The result is a 32-bit number for all types.")
    .sets(&[("type", Slot::Type, Set::Of(&[U32, U64, S32, S64]))])
    .operands(&[dst("d", Is(U32)), src("a", Of(Slot::Type))])
    .since(Floor::new(2, 0, 20))
    .order(Order::Free)
    .lower(lower)
    .shown(&[("bfind.shiftamt.s32 d, a", &[0xfff0_0000])])
    .examples(&["bfind.u32 d, a;", "bfind.shiftamt.s64 cnt, X;"]);

fn spec(i: &Inst, &[a, ..]: &Args, trace: &mut Trace) -> Bits {
    let ty = i.ty(Slot::Type);
    let msb = trace.step("msb", (ty.bits - 1).into());
    let a = if ty.value(a) < 0 { trace.pattern("~a", !a & ty.mask(), ty.bits) } else { a };
    let found = (0..=msb).rev().find(|n| bit(a, *n as u128) == 1);
    let Some(n) = found else {
        return trace.pattern("not found", 0xffff_ffff, 32);
    };
    trace.step("highest one", n);
    if i.has(Slot::ShiftAmt) { trace.step("msb - highest one", msb - n) as Bits } else { n as Bits }
}

fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    let [a] = e.sources();
    let ty = i.ty(Slot::Type);
    let differing = if ty.signed() {
        let sign = e.shr_by(true, a, ty.bits - 1);
        e.xor(a, sign)
    } else {
        a
    };
    let above = e.clz(differing);
    let d = if i.has(Slot::ShiftAmt) {
        let found = e.nonzero(differing);
        let none = e.u32(u32::MAX);
        e.select(found, above, none)
    } else {
        let top = e.u32(ty.bits - 1);
        e.sub(top, above)
    };
    e.done(d)
}
