//! The stages that the video instructions share, named as in the manual (9.7.18.1).

use crate::prelude::*;

mod lower;

pub use lower::{Ranged, lower_finish, lower_finish_ptxas, lower_scalar, lower_sources};

/// Bytes and half-words of a 32-bit register: what a selector means.
fn part(selector: Word) -> (u32, u32) {
    match selector.elements() {
        Some(e) => (e.bits(), e.source(0) as u32 * e.bits()),
        None => (32, 0),
    }
}

/// `partSelectSignExtend`: the selected byte, half-word or word, extended by its operand's type to an exact number.
pub fn part_select_sign_extend(bits: Bits, ty: Ty, selector: Word) -> i128 {
    let (width, at) = part(selector);
    ty.with_bits(width).value(bits >> at)
}

/// The type that a result is clamped to: the destination's kind, at the width of the part it is merged into.
pub fn clamp_type(dtype: Ty, dsel: Word) -> Ty {
    dtype.with_bits(part(dsel).0)
}

/// `optSaturate`: clamped if asked for, taking the width of a merged part into account.
pub fn opt_saturate(tmp: i128, sat: bool, dtype: Ty, dsel: Word) -> i128 {
    if sat { clamp_type(dtype, dsel).clamp(tmp) } else { tmp }
}

/// `optSecOp`: the secondary operation with the third operand.
pub fn opt_sec_op(op2: Word, tmp: i128, c: i128) -> i128 {
    match op2 {
        Add => tmp + c,
        Min => tmp.min(c),
        Max => tmp.max(c),
        _ => tmp,
    }
}

/// The secondary `.min` and `.max` as code from ptxas 13.5 computes them: on 64 bits, compared by the destination type.
/// `narrow` results are cut to 32 bits and extended with their sign first, whatever the destination type.
pub fn sec_op_ptxas(op2: Word, dtype: Ty, narrow: bool, tmp: i128, c: Bits) -> i128 {
    let tmp = if narrow { tmp as i32 as i64 } else { tmp as i64 };
    let c = dtype.value(c) as i64;
    let key = |v: i64| if dtype.signed() { v as i128 } else { v as u64 as i128 };
    let tmp_first = key(tmp) <= key(c);
    match op2 {
        Min => if tmp_first { tmp } else { c }.into(),
        Max => if tmp_first { c } else { tmp }.into(),
        _ => opt_sec_op(op2, tmp.into(), c.into()),
    }
}

/// `optMerge`: the low bits of the result in the chosen part of the third operand.
pub fn opt_merge(dsel: Word, tmp: i128, c: Bits) -> Bits {
    let (width, at) = part(dsel);
    let mask = (1 << width) - 1;
    c & !(mask << at) & 0xffff_ffff | (tmp as Bits & mask) << at
}

/// The last two stages: a secondary operation, or a merge, or neither; the low 32 bits are the result.
pub fn finish(i: &Inst, tmp: i128, c: Bits, c_value: i128, trace: &mut Trace) -> Bits {
    if i.has(Slot::Op2) {
        let d = trace.step("optSecOp", opt_sec_op(i[Slot::Op2], tmp, c_value));
        return d as Bits & 0xffff_ffff;
    }
    let d = opt_merge(i[Slot::DSel], tmp, c);
    if i.has(Slot::DSel) {
        trace.noted("optMerge", None, d as i128, || format!("into c.{}", i[Slot::DSel]));
    }
    d
}

/// As `finish`, with the secondary operation as ptxas 13.5 computes it.
pub fn finish_ptxas(i: &Inst, tmp: i128, narrow: bool, c: Bits, trace: &mut Trace) -> Bits {
    if i.has(Slot::Op2) {
        let d = sec_op_ptxas(i[Slot::Op2], i.ty(Slot::DType), narrow, tmp, c);
        return trace.step("optSecOp", d) as Bits & 0xffff_ffff;
    }
    finish(i, tmp, c, 0, trace)
}

/// Records a selected source.
pub fn source(name: &'static str, bits: Bits, ty: Ty, selector: Word, trace: &mut Trace) -> i128 {
    let value = part_select_sign_extend(bits, ty, selector);
    let signed = if ty.signed() { "signed" } else { "unsigned" };
    trace.noted(name, None, value, || match selector {
        Absent => format!("all 32 bits, {signed}"),
        part => format!(".{part}, {signed}"),
    })
}

/// The whole of a scalar page whose result may be clamped: select, operate, saturate, finish.
pub fn scalar(
    i: &Inst,
    &[a, b, c, ..]: &Args,
    trace: &mut Trace,
    primary: fn(&Inst, i128, i128) -> i128,
) -> Bits {
    let dtype = i.ty(Slot::DType);
    let ta = source("ta", a, i.ty(Slot::AType), i[Slot::ASel], trace);
    let tb = source("tb", b, i.ty(Slot::BType), i[Slot::BSel], trace);
    let mut tmp = trace.step("tmp", primary(i, ta, tb));
    if i.has(Slot::Sat) {
        tmp = trace.step("optSaturate", opt_saturate(tmp, true, dtype, i[Slot::DSel]));
    }
    finish(i, tmp, c, dtype.value(c), trace)
}

/// Whether a comparison holds.
pub fn compare(cmp: Word, a: i128, b: i128) -> bool {
    match cmp {
        Eq => a == b,
        Ne => a != b,
        Lt => a < b,
        Le => a <= b,
        Gt => a > b,
        _ => a >= b,
    }
}

/// The six comparisons of integers.
pub const COMPARISONS: Set = Set::Of(&[Eq, Ne, Lt, Le, Gt, Ge]);
/// The secondary operations.
pub const OP2: Set = Set::Of(&[Add, Min, Max]);

/// Why the scalar pages have a line that the manual does not print.
pub const IGNORED_C: Erratum = erratum(
    "prints a third source only with a secondary operation or a merge",
    "accepts one without either, and ignores it",
)
.concerns(|i| {
    i.line().operands.len() == 4
        && !i.has(Slot::Op2)
        && !i.has(Slot::DSel)
        && i.page().sets.iter().any(|s| s.1 == Slot::DSel)
});

/// What the pseudo-code of the scalar pages leaves open about their last two stages.
pub const ONE_OF_TWO: Erratum = erratum(
    "assigns d from the secondary operation and then again from the merge, and calls optSecOp by another name",
    "applies the one that is written; both together are refused",
)
.concerns(|_| false);
