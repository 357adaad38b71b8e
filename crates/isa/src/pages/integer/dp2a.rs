//! `dp2a`: dot product of two half-words with two bytes, added to a sum.
use crate::prelude::*;

pub static PAGE: Page =
    Page::new("9.7.1.24", &["dp2a"], &[line("dp2a.mode.atype.btype d, a, b, c")], Meaning::Stages(spec))
    .about("two-way dot product of half-words and bytes, accumulated",
        "`c` plus the products of the two half-words of `a` with two bytes of `b`: the lower two for `.lo`, the upper two \
         for `.hi`. Each operand is signed or unsigned by its type; the sum is cut to 32 bits.")
    .sets(&[
        ("mode", Slot::Mode, Set::Of(&[Lo, Hi])),
        ("atype", Slot::AType, U32_S32),
        ("btype", Slot::BType, U32_S32),
    ])
    .operands(&[dst("d", Is(U32)), src("a", Of(Slot::AType)), src("b", Of(Slot::BType)), src("c", Is(U32))])
    .since(Floor::new(5, 0, 61))
    .order(Order::ModeFirst)
    .lower(lower)
    .shown(&[("dp2a.lo.s32.s32 d, a, b, c", &[0x0003_fffe, 0x0205, 100])])
    .examples(&["dp2a.lo.u32.u32 d0, a0, b0, c0;", "dp2a.hi.u32.s32 d1, a1, b1, c1;"]);

fn spec(i: &Inst, &[a, b, c, ..]: &Args, trace: &mut Trace) -> Bits {
    let b_select = if i[Slot::Mode] == Hi { 2 } else { 0 };
    trace.step("b_select", b_select.into());
    let half = |k: u32| i.ty(Slot::AType).with_bits(16).value(a >> (16 * k));
    let byte = |k: u32| i.ty(Slot::BType).with_bits(8).value(b >> (8 * k));
    let sum = (0..2).fold(c as i128, |d, k| {
        let va = trace.element("Va", k, half(k));
        let vb = trace.element("Vb", b_select + k, byte(b_select + k));
        trace.element("d += Va * Vb", k, d + va * vb)
    });
    i.ty(Slot::AType).wrap(sum)
}

fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    let [a, b, c] = e.sources();
    let zero = e.u32(0);
    // Two bytes as half-words: above each its sign, or a byte of 0.
    let bytes = match (i[Slot::Mode], i.ty(Slot::BType).signed()) {
        (Hi, true) => e.permute_by(b, b, 0xb3a2),
        (Hi, false) => e.permute_by(b, zero, 0x4342),
        (_, true) => e.permute_by(b, b, 0x9180),
        (_, false) => e.permute_by(b, zero, 0x4140),
    };
    let d = e.dot(Dot::Halves(i.ty(Slot::AType).signed(), true), a, bytes, c);
    e.done(d)
}
