//! `vmad`: scalar video multiply and add, with negation, plus-one and scaling.
use crate::pages::stages::*;
use crate::prelude::*;

pub static PAGE: Page = Page::new("9.7.18.1.3", &["vmad"], &[
    line("vmad.dtype.atype.btype{.sat}{.scale} d, {-}a{.asel}, {-}b{.bsel}, {-}c"),
    line("vmad.dtype.atype.btype.po{.sat}{.scale} d, {-}a{.asel}, {-}b{.bsel}, {-}c"),
], Meaning::Stages(spec))
    .about("byte, half-word and word multiply-add with scaling",
        "Multiplies a byte, half-word or word of `a` and of `b`, negates the product if exactly one of them is negated, \
         and adds `c` (or subtracts it, if it is negated), and 1 with `.po`. `.shr7` and `.shr15` shift the sum right. \
         The result is signed if `a` or `b` is signed, or the product or `c` is negated, else unsigned: that decides how `c` is \
         extended, how the shift fills and what `.sat` clamps to. The destination type decides nothing.")
    .sets(&[
        ("dtype", Slot::DType, U32_S32), ("atype", Slot::AType, U32_S32), ("btype", Slot::BType, U32_S32),
        ("asel", Slot::ASel, Set::Parts), ("bsel", Slot::BSel, Set::Parts),
        ("scale", Slot::Scale, Set::Of(&[Shr7, Shr15])),
    ])
    .operands(&[dst("d", Of(Slot::DType)), src("a", Of(Slot::AType)), src("b", Of(Slot::BType)), src("c", Of(Slot::DType))])
    .rules(&[
        Rule {
            text: "either the product or `c` can be negated, not both",
            slot: None,
            holds: |i| !(negated_product(i) && i.has(Slot::NegC)),
        },
        Rule {
            text: "with `.po` neither the product nor `c` can be negated: `a` and `b` carry a minus both or neither",
            slot: Some(Slot::Po),
            holds: |i| !i.has(Slot::Po) || !(negated_product(i) || i.has(Slot::NegC)),
        },
    ])
    .since(Floor::new(2, 0, 20))
    .order(Order::Free)
    .ptxas(Meaning::Stages(spec_ptxas))
    .lower(lower)
    .ptxas_lower(lower_ptxas)
    .shown(&[("vmad.s32.s32.u32.sat.shr7 d, a.h0, b.b0, -c", &[0xff00, 0x40, 1000])])
    .examples(&["vmad.s32.s32.u32.sat r0, r1, r2, -r3;", "vmad.u32.u32.u32.shr15 r0, r1.h0, r2.h0, r3;"])
    .errata(&[
        erratum("has no case for an instruction without a scale", "the sum itself").concerns(|i| !i.has(Slot::Scale)),
        erratum(
            "prints a destination type and never uses it",
            "ignores it: the sources and negations decide whether the result is signed",
        )
        .concerns(|i| i.has(Slot::Sat) || i.has(Slot::Scale)),
        erratum(
            "its table calls `c` unsigned in `(u32 * u32) - u32`, its pseudo-code extends it with its sign",
            "follows the pseudo-code",
        )
        .concerns(|i| i.has(Slot::NegC) && i[Slot::AType] == U32 && i[Slot::BType] == U32),
        erratum(
            "allows no negation with `.po`, and negation of the product or of `c` only",
            "accepts the signs of `a` and `b` if they cancel, as ptxas does",
        )
        .concerns(|i| i.has(Slot::NegA) && i.has(Slot::NegB)),
        erratum("multiplies unsigned sources as unsigned, and extends `c` with zeros in unsigned forms", "does so")
            .ptxas("multiplies as signed 32-bit words and always extends `c` with its sign")
            .concerns(|i| {
                let word = |ty, sel| i[ty] == U32 && !i.has(sel);
                let words = word(Slot::AType, Slot::ASel) || word(Slot::BType, Slot::BSel);
                (i.has(Slot::Sat) || i.has(Slot::Scale)) && (words || !signed_final(i))
            }),
    ]);

fn negated_product(i: &Inst) -> bool {
    i.has(Slot::NegA) != i.has(Slot::NegB)
}

fn signed_final(i: &Inst) -> bool {
    i.ty(Slot::AType).signed() || i.ty(Slot::BType).signed() || negated_product(i) || i.has(Slot::NegC)
}

fn spec(i: &Inst, &[a, b, c, ..]: &Args, trace: &mut Trace) -> Bits {
    let ta = source("ta", a, i.ty(Slot::AType), i[Slot::ASel], trace);
    let tb = source("tb", b, i.ty(Slot::BType), i[Slot::BSel], trace);
    let c = result_type(i).value(c);
    combine(i, ta, tb, c, trace)
}

fn spec_ptxas(i: &Inst, &[a, b, c, ..]: &Args, trace: &mut Trace) -> Bits {
    let word = Ty { kind: Kind::Signed, ..i.ty(Slot::DType) };
    let ta = source("ta", a, i.ty(Slot::AType), i[Slot::ASel], trace);
    let tb = source("tb", b, i.ty(Slot::BType), i[Slot::BSel], trace);
    combine(i, word.value(ta as Bits), word.value(tb as Bits), word.value(c), trace)
}

fn result_type(i: &Inst) -> Ty {
    Ty { kind: if signed_final(i) { Kind::Signed } else { Kind::Unsigned }, ..i.ty(Slot::DType) }
}

fn scale(i: &Inst) -> u32 {
    match i[Slot::Scale] {
        Shr7 => 7,
        Shr15 => 15,
        _ => 0,
    }
}

fn combine(i: &Inst, ta: i128, tb: i128, c: i128, trace: &mut Trace) -> Bits {
    let product = if negated_product(i) { -(ta * tb) } else { ta * tb };
    trace.noted("ta * tb", None, product, || if negated_product(i) { "negated".into() } else { String::new() });
    let c = if i.has(Slot::NegC) { -c } else { c };
    trace.step("c", c);
    let sum = trace.step("tmp", product + c + i128::from(i.has(Slot::Po)));
    let shift = scale(i);
    // An unsigned sum is negative only by the signed factors of ptxas, which then shifts zeros into its 64 bits.
    let logical = shift > 0 && !signed_final(i);
    let mut result = if logical { (sum as u64 >> shift).into() } else { sum >> shift };
    if shift > 0 {
        trace.step("result", result);
    }
    if i.has(Slot::Sat) {
        result = trace.step("CLAMP", result_type(i).clamp(result));
    }
    result as Bits & 0xffff_ffff
}

fn lower(i: &Inst, e: &mut Emit) -> Option<()> {
    let [ta, tb] = lower_sources(i, e);
    let c = Ranged::of(e.source(2), result_type(i));
    lower_combined(i, e, ta, tb, c)
}

fn lower_ptxas(i: &Inst, e: &mut Emit) -> Option<()> {
    let [ta, tb] = lower_sources(i, e).map(|t| t.as_signed_word(e));
    let c = Ranged::of(e.source(2), Ty { kind: Kind::Signed, ..i.ty(Slot::DType) });
    lower_combined(i, e, ta, tb, c)
}

fn lower_combined(i: &Inst, e: &mut Emit, ta: Ranged, tb: Ranged, c: Ranged) -> Option<()> {
    let ty = result_type(i);
    let exact = i.has(Slot::Sat) || i.has(Slot::Scale);
    let subtracts = negated_product(i) || i.has(Slot::NegC);
    let mut tmp = if exact || subtracts {
        let mut product = Ranged::product(e, exact, ta, tb);
        if subtracts && i.has(Slot::Sat) && !product.signed() {
            // Keeps the difference within 64 bits; from here on it is clamped whatever the scale. Without `.sat` the low 64
            // bits of the difference have all bits of the result.
            product = product.clamped(e, 0, 1 << 62);
        }
        match (negated_product(i), i.has(Slot::NegC)) {
            (true, _) => Ranged::difference(e, exact, c, product),
            (_, true) => Ranged::difference(e, exact, product, c),
            _ => Ranged::sum(e, exact, product, c),
        }
    } else {
        Ranged::multiplied_and_added(e, ta, tb, c)
    };
    if i.has(Slot::Po) {
        let one = Ranged::constant(e, 1);
        tmp = Ranged::sum(e, exact, tmp, one);
    }
    if i.has(Slot::Scale) {
        if !signed_final(i) && tmp.signed() {
            tmp = tmp.as_unsigned(e);
        }
        let places = Ranged::constant(e, scale(i));
        tmp = Ranged::shifted_right(e, tmp, places);
    }
    if i.has(Slot::Sat) {
        tmp = tmp.clamped(e, ty.min(), ty.max());
    }
    let d = tmp.low(e);
    e.done(d)
}
