//! `vadd`, `vsub`, `vabsdiff`, `vmin`, `vmax`: scalar video arithmetic on bytes, half-words and words.
use crate::pages::stages::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.18.1.1", &["vadd", "vsub", "vabsdiff", "vmin", "vmax"], &[
    line("vop.dtype.atype.btype{.sat} d, a{.asel}, b{.bsel}"),
    line("vop.dtype.atype.btype{.sat}.op2 d, a{.asel}, b{.bsel}, c"),
    line("vop.dtype.atype.btype{.sat} d.dsel, a{.asel}, b{.bsel}, c"),
    line("vop.dtype.atype.btype{.sat} d, a{.asel}, b{.bsel}, c"),
], Meaning::Stages(spec))
    .about("byte, half-word and word arithmetic with a second step",
        "Takes a byte, half-word or word of `a` and of `b`, each extended by its type to an exact number, \
         and adds, subtracts, takes the absolute difference, the minimum or the maximum. `.sat` clamps to \
         the range of the destination type (of the part written, in a merge). Then either `.op2` combines \
         the result with all of `c`, or a selector on `d` puts its low bits into that part of `c`.")
    .sets(&[
        ("dtype", Slot::DType, U32_S32), ("atype", Slot::AType, U32_S32), ("btype", Slot::BType, U32_S32),
        ("dsel", Slot::DSel, Set::Parts), ("asel", Slot::ASel, Set::Parts), ("bsel", Slot::BSel, Set::Parts),
        ("op2", Slot::Op2, OP2),
    ])
    .operands(&[dst("d", Of(Slot::DType)), src("a", Of(Slot::AType)), src("b", Of(Slot::BType)), src("c", Of(Slot::DType))])
    .since(Floor::new(2, 0, 20))
    .order(Order::Free)
    .ptxas(Meaning::Stages(spec_ptxas))
    .lower(|i, e| lower_scalar(i, e, lower_primary))
    .ptxas_lower(lower_ptxas)
    .shown(&[
        ("vadd.u32.u32.u32.sat d.b0, a.b0, b.b1, c", &[0xf0, 0x2000, 0x1122_3344]),
        ("vsub.u32.u32.u32.sat d, a.b0, b.b1", &[0x20, 0xf000]),
        ("vabsdiff.u32.s32.s32.add d, a.h0, b.h1, c", &[0xfff0, 0x0010_0000, 100]),
        ("vmin.s32.s32.s32.max d, a.b0, b.b0, c", &[0x80, 0x7f, 0xffff_fff0]),
        ("vmax.s32.s32.s32.min d, a.b0, b.b0, c", &[0x80, 0x7f, 100]),
    ])
    .examples(&[
        "vadd.s32.u32.s32.sat r1, r2.b0, r3.h0;",
        "vsub.s32.s32.u32.sat r1, r2.h1, r3.h1;",
        "vabsdiff.s32.s32.s32.sat r1.h0, r2.b0, r3.b2, c;",
        "vmin.s32.s32.s32.sat.add r1, r2, r3, c;",
    ])
    .errata(&[
        ONE_OF_TWO,
        IGNORED_C,
        erratum("clamps a merged result to the range of the part", "does so")
            .ptxas("gives the part's maximum for every negative result (vabsdiff excepted)")
            .concerns(|i| i.has(Slot::Sat) && i.has(Slot::DSel) && i.opcode() != "vabsdiff"),
        erratum("clamps an unsigned 32-bit result at both ends", "does so")
            .ptxas("vadd, vsub and vabsdiff clamp at 0 only: what exceeds 32 bits wraps")
            .concerns(|i| {
                let wide = !(i.has(Slot::ASel) && i.has(Slot::BSel));
                i.has(Slot::Sat) && i[Slot::DType] == U32 && !i.has(Slot::DSel) && !is_min_or_max(i) && wide
            }),
        erratum("compares the exact result with c, extended by the destination type", "does so")
            .ptxas("cuts the result to 32 bits, extends it with its sign, and compares by the destination type")
            .concerns(|i| matches!(i[Slot::Op2], Min | Max) && compared_otherwise(i)),
    ]);

/// Whether ptxas can find another order than the manual between the result and `c`: for sums and differences that leave
/// 32 bits, and for negative results that it takes for large ones.
fn compared_otherwise(i: &Inst) -> bool {
    let signed_source = i[Slot::AType] == S32 || i[Slot::BType] == S32;
    match i.opcode() {
        "vadd" | "vsub" => true,
        "vabsdiff" => false,
        _ => i[Slot::DType] == U32 && signed_source && !i.has(Slot::Sat),
    }
}

fn is_min_or_max(i: &Inst) -> bool {
    matches!(i.opcode(), "vmin" | "vmax")
}

fn primary(i: &Inst, ta: i128, tb: i128) -> i128 {
    match i.opcode() {
        "vadd" => ta + tb,
        "vsub" => ta - tb,
        "vabsdiff" => (ta - tb).abs(),
        "vmin" => ta.min(tb),
        "vmax" => ta.max(tb),
        other => panic!("`{other}` has no primary operation"),
    }
}

/// Whether words of one type are clamped to it, which takes no more than 32 bits.
fn clamps_words(i: &Inst) -> bool {
    let parts = [Slot::ASel, Slot::BSel, Slot::DSel].into_iter().any(|slot| i.has(slot));
    let one_type = i[Slot::AType] == i[Slot::DType] && i[Slot::BType] == i[Slot::DType];
    i.has(Slot::Sat) && one_type && !parts
}

fn lower_primary(i: &Inst, e: &mut Emit, exact: bool, ta: Ranged, tb: Ranged) -> Ranged {
    let dtype = i.ty(Slot::DType);
    match i.opcode() {
        "vadd" if clamps_words(i) => Ranged::clamped_sum(e, dtype, ta, tb),
        "vsub" if clamps_words(i) => Ranged::clamped_difference(e, dtype, ta, tb),
        _ => lower_unclamped(i, e, exact, ta, tb),
    }
}

fn lower_unclamped(i: &Inst, e: &mut Emit, exact: bool, ta: Ranged, tb: Ranged) -> Ranged {
    match i.opcode() {
        "vadd" => Ranged::sum(e, exact, ta, tb),
        "vsub" => Ranged::difference(e, exact, ta, tb),
        "vabsdiff" => Ranged::distance(e, ta, tb),
        "vmin" => Ranged::lesser(e, ta, tb),
        "vmax" => Ranged::greater(e, ta, tb),
        other => panic!("`{other}` has no primary operation"),
    }
}

fn spec(i: &Inst, args: &Args, trace: &mut Trace) -> Bits {
    scalar(i, args, trace, primary)
}

fn spec_ptxas(i: &Inst, &[a, b, c, ..]: &Args, trace: &mut Trace) -> Bits {
    let dtype = i.ty(Slot::DType);
    let ta = source("ta", a, i.ty(Slot::AType), i[Slot::ASel], trace);
    let tb = source("tb", b, i.ty(Slot::BType), i[Slot::BSel], trace);
    let mut tmp = trace.step("tmp", primary(i, ta, tb));
    let absdiff = i.opcode() == "vabsdiff";
    if i.has(Slot::Sat) {
        let clamped = opt_saturate(tmp, true, dtype, i[Slot::DSel]);
        tmp = match (i.has(Slot::DSel), dtype.signed()) {
            (true, _) if tmp < 0 && !absdiff => clamp_type(dtype, i[Slot::DSel]).max(),
            (false, false) if !is_min_or_max(i) => tmp.max(0),
            _ => clamped,
        };
        trace.step("optSaturate", tmp);
    }
    let narrow = matches!(i.opcode(), "vadd" | "vsub");
    finish_ptxas(i, tmp, narrow, c, trace)
}

fn lower_ptxas(i: &Inst, e: &mut Emit) -> Option<()> {
    let [ta, tb] = lower_sources(i, e);
    let mut tmp = lower_unclamped(i, e, true, ta, tb);
    if i.has(Slot::Sat) {
        let ty = clamp_type(i.ty(Slot::DType), i[Slot::DSel]);
        let clamped = tmp.clamped(e, ty.min(), ty.max());
        tmp = match (i.has(Slot::DSel), ty.signed()) {
            (true, _) if i.opcode() != "vabsdiff" => Ranged::unless_negative(e, tmp, ty.max() as u32, clamped),
            (false, false) if !is_min_or_max(i) => tmp.clamped(e, 0, i128::MAX),
            _ => clamped,
        };
    }
    lower_finish_ptxas(i, e, tmp, matches!(i.opcode(), "vadd" | "vsub"))
}
