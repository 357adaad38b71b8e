//! What the SIMD video instructions share: choosing elements, and merging or accumulating them (manual, 9.7.18.2).

use crate::prelude::*;

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
pub const MERGE: Erratum = Erratum {
    manual: "merges with `d |= mask[i] ? t[i] : Vc[i]`, which neither cuts the elements nor moves them into place",
    margay: "cuts each element to its width and puts it into its place",
    ptxas: None,
    concerns: |_| false,
};

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

/// The primary operations that have a two-way and a four-way form.
///
/// # Panics
/// For an opcode that has none; the tests run every opcode of every page.
fn primary(opcode: &str) -> fn(i128, i128) -> i128 {
    match opcode.trim_end_matches(['2', '4']) {
        "vadd" => |va, vb| va + vb,
        "vsub" => |va, vb| va - vb,
        "vavrg" => |va, vb| if va + vb >= 0 { (va + vb + 1) >> 1 } else { (va + vb) >> 1 },
        "vabsdiff" => |va, vb| (va - vb).abs(),
        "vmin" => Ord::min,
        "vmax" => Ord::max,
        other => panic!("`{other}` has no primary operation"),
    }
}

/// The whole of `vadd2` … `vmax4`.
pub fn arithmetic(i: &Inst, cut: Cut, args: &Args, trace: &mut Trace) -> Bits {
    let clamp = i.has(Slot::Sat).then(|| i.ty(Slot::DType).with_bits(cut.bits));
    let primary = primary(i.opcode());
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
pub const UNSELECTED: Erratum = Erratum {
    manual: "its text takes the elements outside the mask from `b`, its pseudo-code from `c`",
    margay: "takes them from `c`",
    ptxas: None,
    concerns: |i| i.has(Slot::Mask) && !i.has(Slot::Op2),
};

/// The permutation that brings the selected elements of `b:a` into place, as micro-ops.
fn selected(cut: Cut, selector: Word, e: &mut Emit, a: Val, b: Val) -> Val {
    let source = |lane: u32| selector.elements().map_or(lane, |s| s.source(lane as usize) as u32);
    let nibbles = (0..cut.lanes).fold(0, |all, lane| {
        let at = source(lane);
        all | match cut.bits {
            8 => at << (4 * lane),
            _ => (at * 0x22 + 0x10) << (8 * lane),
        }
    });
    match nibbles {
        0x7654 => b,
        _ => e.permute_by(a, b, nibbles),
    }
}

/// The bits of the elements in the mask.
fn masked(i: &Inst, cut: Cut) -> u32 {
    let element = u32::MAX >> (32 - cut.bits);
    let mask = i[Slot::Mask].elements();
    let lanes = (0..cut.lanes).filter(|k| mask.is_none_or(|m| m.selects(*k as usize)));
    lanes.fold(0, |bits, lane| bits | element << (lane * cut.bits))
}

fn packed(cut: Cut, e: &mut Emit, op: Packed, a: Val, b: Val) -> Val {
    if cut.bits == 8 { e.bytes(op, a, b) } else { e.halves(op, a, b) }
}

/// The last step as micro-ops: the packed results `t` in the mask, with those of `c` outside it.
fn merged(i: &Inst, cut: Cut, e: &mut Emit, t: Val, c: Val) -> Val {
    let mask = masked(i, cut);
    if mask == u32::MAX {
        return t;
    }
    let mask = e.u32(mask);
    e.lop3(0xca, mask, t, c)
}

/// The sum of the elements of `t` in the mask, each with or without sign, and of `c`.
fn summed(i: &Inst, cut: Cut, e: &mut Emit, signed: bool, t: Val, c: Val) -> Val {
    let unit = if cut.bits == 8 { 0x0101_0101 } else { 0x0001_0001 };
    let ones = e.u32(masked(i, cut) & unit);
    match cut.bits {
        8 if signed => e.dot(Dot::Bytes(false, true), ones, t, c),
        8 => e.dot(Dot::Bytes(false, true), t, ones, c),
        _ => e.dot(Dot::Halves(signed, false), t, ones, c),
    }
}

/// `vset2` and `vset4` as micro-ops.
pub fn lower_comparison(i: &Inst, cut: Cut, e: &mut Emit) -> Option<()> {
    let [a, b, c] = e.sources();
    let (signed_a, signed_b) = (i.ty(Slot::AType).signed(), i.ty(Slot::BType).signed());
    let (va, vb) = (selected(cut, i[Slot::ASel], e, a, b), selected(cut, i[Slot::BSel], e, a, b));
    if signed_a != signed_b {
        return None;
    }
    let less = if signed_a { Packed::LtS } else { Packed::LtU };
    let (op, first, second, opposite) = match i[Slot::Cmp] {
        Eq => (Packed::Eq, va, vb, false),
        Ne => (Packed::Eq, va, vb, true),
        Lt => (less, va, vb, false),
        Gt => (less, vb, va, false),
        Le => (less, vb, va, true),
        _ => (less, va, vb, true),
    };
    let mask = packed(cut, e, op, first, second);
    let unit = e.u32(if cut.bits == 8 { 0x0101_0101 } else { 0x0001_0001 });
    let t = if opposite { e.lop3(0x0a, mask, mask, unit) } else { e.and(mask, unit) };
    let d = if i[Slot::Op2] == Add { summed(i, cut, e, false, t, c) } else { merged(i, cut, e, t, c) };
    e.result(d);
    Some(())
}
