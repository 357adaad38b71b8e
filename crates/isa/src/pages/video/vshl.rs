//! `vshl`, `vshr`: scalar video shifts.
use crate::pages::stages::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.18.1.2", &["vshl", "vshr"], &[
    line("vop.dtype.atype.u32{.sat}.mode d, a{.asel}, b{.bsel}"),
    line("vop.dtype.atype.u32{.sat}.mode.op2 d, a{.asel}, b{.bsel}, c"),
    line("vop.dtype.atype.u32{.sat}.mode d.dsel, a{.asel}, b{.bsel}, c"),
    line("vop.dtype.atype.u32{.sat}.mode d, a{.asel}, b{.bsel}, c"),
], Meaning::Stages(spec))
    .about("byte, half-word and word shifts with a second step",
        "Takes a byte, half-word or word of `a`, extended by its type, and shifts it left or right by the selected part \
         of `b`, read as unsigned: amounts above 32 count as 32 with `.clamp` and modulo 32 with `.wrap`. A left shift \
         keeps 34 bits, the highest as sign. `.sat`, `.op2` and a selector on `d` follow as in `vadd`.")
    .sets(&[
        ("dtype", Slot::DType, U32_S32), ("atype", Slot::AType, U32_S32), ("u32", Slot::BType, Set::Of(&[U32])),
        ("mode", Slot::Mode, Set::Of(&[Clamp, Wrap])),
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
        ("vshl.u32.u32.u32.sat.clamp d, a.h0, b.b0", &[0xffff, 20]),
        ("vshr.s32.s32.u32.wrap.add d, a.b1, b.b0, c", &[0x8000, 34, 100]),
    ])
    .examples(&["vshl.s32.u32.u32.clamp r1, r2, r3;", "vshr.u32.u32.u32.wrap r1, r2, r3.h1;"])
    .errata(&[
        ONE_OF_TWO,
        IGNORED_C,
        erratum(
            "gives the intermediate result 34 bits without saying what a left shift drops",
            "keeps the low 34 bits of a left shift and reads bit 33 as sign, before every later stage",
        )
        .concerns(|i| i.opcode() == "vshl"),
        erratum("clamps a merged result to the range of the part", "does so")
            .ptxas("clamps it to 32 bits and then drops what does not fit the part")
            .concerns(|i| i.has(Slot::Sat) && i.has(Slot::DSel)),
        erratum("compares the exact result with c, extended by the destination type", "does so")
            .ptxas("compares 64 bits by the destination type: a left shift uncut, the rest cut to 32 bits and sign-extended")
            .concerns(|i| {
                let negative_as_large = i[Slot::DType] == U32 && i[Slot::AType] == S32 && !i.has(Slot::Sat);
                matches!(i[Slot::Op2], Min | Max) && (i.opcode() == "vshl" || negative_as_large)
            }),
    ]);

fn amount(i: &Inst, tb: i128) -> i128 {
    if i[Slot::Mode] == Wrap { tb & 31 } else { tb.min(32) }
}

fn primary(i: &Inst, ta: i128, tb: i128) -> i128 {
    match i.opcode() {
        "vshl" => ta << amount(i, tb) << (128 - 34) >> (128 - 34),
        "vshr" => ta >> amount(i, tb),
        other => panic!("`{other}` has no primary operation"),
    }
}

fn lower_places(i: &Inst, e: &mut Emit, tb: Ranged) -> Ranged {
    if i[Slot::Mode] == Wrap { tb.modulo_32(e) } else { tb }
}

fn lower_primary(i: &Inst, e: &mut Emit, exact: bool, ta: Ranged, tb: Ranged) -> Ranged {
    let places = lower_places(i, e, tb);
    match i.opcode() {
        "vshl" => Ranged::shifted_left(e, exact, ta, places),
        "vshr" => Ranged::shifted_right(e, ta, places),
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
    let left = i.opcode() == "vshl";
    let mut tmp = if left && !i.has(Slot::Sat) { ta << amount(i, tb) } else { primary(i, ta, tb) };
    trace.step("tmp", tmp);
    if i.has(Slot::Sat) {
        tmp = trace.step("optSaturate", opt_saturate(tmp, true, dtype, Absent));
    }
    finish_ptxas(i, tmp, left && i.has(Slot::Sat), c, trace)
}

fn lower_ptxas(i: &Inst, e: &mut Emit) -> Option<()> {
    let [ta, tb] = lower_sources(i, e);
    let left = i.opcode() == "vshl";
    if i.has(Slot::Sat) {
        let ty = i.ty(Slot::DType);
        let tmp = lower_primary(i, e, true, ta, tb).clamped(e, ty.min(), ty.max());
        return lower_finish_ptxas(i, e, tmp, left);
    }
    let tmp = if left {
        let places = lower_places(i, e, tb);
        Ranged::shifted_left_in_64(e, ta, places)
    } else {
        lower_primary(i, e, true, ta, tb)
    };
    lower_finish_ptxas(i, e, tmp, false)
}
