//! What the SIMD video instructions share: choosing elements, and merging or accumulating them (manual, 9.7.18.2).

use crate::prelude::*;

mod lower;

use lower::{Exact, Lanewise, Part, average, distance, greater, lesser};
pub use lower::{lower_arithmetic, lower_comparison};

/// How a page cuts its registers.
#[derive(Clone, Copy)]
pub struct Cut {
    /// Elements in a register.
    pub lanes: u32,
    /// Bits of an element.
    pub bits: u32,
}

/// Two half-words.
pub const HALVES: Cut = Cut { lanes: 2, bits: 16 };
/// Four bytes.
pub const BYTES: Cut = Cut { lanes: 4, bits: 8 };

/// Defaults of masks and selectors, halves.
pub const HALF_DEFAULTS: &[(Slot, Word)] = &[
    (Slot::Mask, Word::Elements(Elements::halves(&[1, 0]))),
    (Slot::ASel, Word::Elements(Elements::halves(&[1, 0]))),
    (Slot::BSel, Word::Elements(Elements::halves(&[3, 2]))),
];

/// Defaults of masks and selectors, bytes.
pub const BYTE_DEFAULTS: &[(Slot, Word)] = &[
    (Slot::Mask, Word::Elements(Elements::bytes(&[3, 2, 1, 0]))),
    (Slot::ASel, Word::Elements(Elements::bytes(&[3, 2, 1, 0]))),
    (Slot::BSel, Word::Elements(Elements::bytes(&[7, 6, 5, 4]))),
];

/// The sources: all 32 bits, registers only.
pub const OPERANDS: &[Operand] = &[
    dst("d", Of(Slot::DType)),
    src("a", Of(Slot::AType)).constants(Immediate::No),
    src("b", Of(Slot::BType)).constants(Immediate::No),
    src("c", Of(Slot::DType)).constants(Immediate::No),
];

/// Operands of comparisons, which have no destination type.
pub const COMPARISON_OPERANDS: &[Operand] = &[
    dst("d", Is(U32)),
    src("a", Of(Slot::AType)).constants(Immediate::No),
    src("b", Of(Slot::BType)).constants(Immediate::No),
    src("c", Is(U32)).constants(Immediate::No),
];

/// What the arithmetic pages compute.
pub const ARITHMETIC_TEXT: &str = "Selectors choose the elements of the two operands from all of `a` and `b`. Each pair, extended by its operand's \
     type, is added, subtracted, averaged (halves round away from zero), or gives its absolute difference, lesser or \
     greater. Elements in the mask go to their places in `d`, cut to their width (clamped first with `.sat`); the \
     others come from `c`. With `.add` the exact results in the mask are summed with `c` instead.";

/// What the comparison pages compute.
pub const COMPARISON_TEXT: &str = "Selectors choose the elements of the two operands from all of `a` and `b`. Each pair, extended by its operand's \
     type, is compared: 1 if the comparison holds, else 0. Elements in the mask go to their places in `d`, the others \
     come from `c`. With `.add` the ones in the mask are counted into `c` instead.";

/// The manual's merge, taken by its letter, neither cuts nor places the elements.
pub const MERGE: Erratum = erratum(
    "merges with `d |= mask[i] ? t[i] : Vc[i]`, which neither cuts the elements nor moves them into place",
    "cuts each element to its width and puts it into its place",
)
.concerns(|_| false);

/// The element that feeds one lane of an operand: numbered through `a` first, then `b`.
fn select(cut: Cut, a: Bits, b: Bits, ty: Ty, selector: Word, lane: u32) -> i128 {
    let source = selector.elements().map_or(lane, |e| e.source(lane as usize) as u32);
    ty.with_bits(cut.bits).value((b << 32 | a) >> (source * cut.bits))
}

/// Applies `operate` to each selected pair of elements, then merges the results into `c` or adds them to it.
pub fn elementwise(
    i: &Inst,
    cut: Cut,
    &[a, b, c, ..]: &Args,
    trace: &mut Trace,
    operate: impl Fn(&mut Trace, u32, i128, i128) -> i128,
) -> Bits {
    let mask = i[Slot::Mask].elements();
    let mut d = c;
    for lane in (0..cut.lanes).filter(|k| mask.is_none_or(|m| m.selects(*k as usize))) {
        let va = trace.element("Va", lane, select(cut, a, b, i.ty(Slot::AType), i[Slot::ASel], lane));
        let vb = trace.element("Vb", lane, select(cut, a, b, i.ty(Slot::BType), i[Slot::BSel], lane));
        let t = operate(trace, lane, va, vb);
        if i[Slot::Op2] == Add {
            d = (d as i128 + t) as Bits & 0xffff_ffff;
            trace.element("d += t", lane, d as i128);
        } else {
            let element = (1 << cut.bits) - 1;
            let at = lane * cut.bits;
            d = d & !(element << at) | (t as Bits & element) << at;
        }
    }
    d
}

/// A primary operation that has a two-way and a four-way form.
struct Primary {
    /// On exact numbers.
    exact: fn(i128, i128) -> i128,
    /// On packed elements, as micro-ops.
    lower: fn(&mut Lanewise, Part, Part) -> Exact,
}

impl Primary {
    /// That of an instruction.
    ///
    /// # Panics
    /// For an opcode that has none; the tests run every opcode of every page.
    fn of(i: &Inst) -> Primary {
        match i.opcode().trim_end_matches(['2', '4']) {
            "vadd" => Primary { exact: |va, vb| va + vb, lower: |_, va, vb| Exact::Sum(va, vb) },
            "vsub" => Primary { exact: |va, vb| va - vb, lower: |_, va, vb| Exact::Difference(va, vb) },
            "vavrg" => Primary { exact: |va, vb| (va + vb + i128::from(va + vb >= 0)) >> 1, lower: average },
            "vabsdiff" => Primary { exact: |va, vb| (va - vb).abs(), lower: distance },
            "vmin" => Primary { exact: Ord::min, lower: lesser },
            "vmax" => Primary { exact: Ord::max, lower: greater },
            other => panic!("`{other}` has no primary operation"),
        }
    }
}

/// The whole of `vadd2` … `vmax4`.
pub fn arithmetic(i: &Inst, cut: Cut, args: &Args, trace: &mut Trace) -> Bits {
    let clamp = i.has(Slot::Sat).then(|| i.ty(Slot::DType).with_bits(cut.bits));
    let primary = Primary::of(i).exact;
    elementwise(i, cut, args, trace, |trace, lane, va, vb| {
        let t = trace.element("t", lane, primary(va, vb));
        match clamp {
            Some(ty) => trace.element("CLAMP", lane, ty.clamp(t)),
            None => t,
        }
    })
}

/// The whole of `vset2` and `vset4`.
pub fn comparison(i: &Inst, cut: Cut, args: &Args, trace: &mut Trace) -> Bits {
    elementwise(i, cut, args, trace, |trace, lane, va, vb| {
        trace.element("t", lane, super::stages::compare(i[Slot::Cmp], va, vb).into())
    })
}

/// The comparisons' text and pseudo-code name different sources for the elements outside the mask.
pub const UNSELECTED: Erratum = erratum(
    "its text takes the elements outside the mask from `b`, its pseudo-code from `c`",
    "takes them from `c`",
)
.concerns(|i| i.has(Slot::Mask) && !i.has(Slot::Op2));
