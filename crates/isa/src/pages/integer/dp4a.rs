//! `dp4a`: dot product of four bytes with four bytes, added to a sum.
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.1.23", &["dp4a"], &[line("dp4a.atype.btype d, a, b, c")], Meaning::Stages(spec))
    .about("four-way byte dot product, accumulated",
        "`c` plus the four products of the bytes of `a` and `b`, each byte signed or unsigned by its operand's type; the \
         sum is cut to 32 bits.")
    .sets(&[("atype", Slot::AType, U32_S32), ("btype", Slot::BType, U32_S32)])
    .operands(&[dst("d", Is(U32)), src("a", Of(Slot::AType)), src("b", Of(Slot::BType)), src("c", Is(U32))])
    .since(Floor::new(5, 0, 61))
    .order(Order::Free)
    .lower(lower)
    .shown(&[("dp4a.s32.s32 d, a, b, c", &[0x01fe_03fc, 0x0101_0101, 100])])
    .examples(&["dp4a.u32.u32 d0, a0, b0, c0;", "dp4a.u32.s32 d1, a1, b1, c1;"]);

fn spec(i: &Inst, &[a, b, c, ..]: &Args, trace: &mut Trace) -> Bits {
    let byte = |slot, bits: Bits, k: u32| i.ty(slot).with_bits(8).value(bits >> (8 * k));
    let sum = (0..4).fold(c as i128, |d, k| {
        let va = trace.element("Va", k, byte(Slot::AType, a, k));
        let vb = trace.element("Vb", k, byte(Slot::BType, b, k));
        trace.element("d += Va * Vb", k, d + va * vb)
    });
    i.ty(Slot::AType).wrap(sum)
}

fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    let [a, b, c] = e.sources();
    let d = match (i.ty(Slot::AType).signed(), i.ty(Slot::BType).signed()) {
        (true, false) => e.dot(Dot::Bytes(false, true), b, a, c),
        (signed_a, signed_b) => e.dot(Dot::Bytes(signed_a, signed_b), a, b, c),
    };
    e.done(d)
}
