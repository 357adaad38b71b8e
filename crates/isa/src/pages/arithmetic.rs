//! What pages on floating-point numbers share: from operands to exact numbers, and from what comes of them to a result.
//!
//! A page says what is computed, on exact numbers. Flushed operands, packed elements, NaN, rounding, `.ftz`, `.sat`, `.relu` and
//! `.oob` are dealt with here, once for all.

use crate::float::{F16, Format, Mode, Real, encode, rounding};
use crate::prelude::*;

/// The result of an operation on operands that all have the type of the result.
pub fn arithmetic<const N: usize>(
    i: &Inst,
    args: &Args,
    trace: &mut Trace,
    name: &'static str,
    operation: impl Fn([Real; N]) -> Real,
) -> Bits {
    let ty = i.ty(Slot::Type);
    mixed(i, ty, [ty; N], args, trace, name, operation)
}

/// The same of a quotient, which keeps the NaN of its first operand before that of the second.
pub fn division(
    i: &Inst,
    args: &Args,
    trace: &mut Trace,
    name: &'static str,
    operation: impl Fn([Real; 2]) -> Real,
) -> Bits {
    let ty = i.ty(Slot::Type);
    elements(i, (ty, [ty; 2]), args, trace, (name, Keeps::First), operation)
}

/// Which operand's NaN a result is, of several.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keeps {
    /// That of the first.
    First,
    /// That of the first only if no other is NaN.
    Later,
}

/// The result, of type `ty`, of an operation on operands of the types `from`.
pub fn mixed<const N: usize>(
    i: &Inst,
    ty: Ty,
    from: [Ty; N],
    args: &Args,
    trace: &mut Trace,
    name: &'static str,
    operation: impl Fn([Real; N]) -> Real,
) -> Bits {
    elements(i, (ty, from), args, trace, (name, Keeps::Later), operation)
}

fn elements<const N: usize>(
    i: &Inst,
    (ty, from): (Ty, [Ty; N]),
    args: &Args,
    trace: &mut Trace,
    (name, keeps): (&'static str, Keeps),
    operation: impl Fn([Real; N]) -> Real,
) -> Bits {
    let Some(format) = Format::of(ty) else { return 0 };
    (0..ty.lanes).fold(0, |d, lane| {
        let element = (ty.lanes > 1).then_some(lane);
        let patterns: [Bits; N] = std::array::from_fn(|k| args[k] >> (lane * from[k].bits) & from[k].mask());
        let numbers = std::array::from_fn(|k| {
            let number = operand(i, Format::of(from[k]).unwrap_or(format), patterns[k]);
            if trace.is_on() {
                trace.real(source_name(i, k), element, number.0, || number.1.into());
            }
            number.0
        });
        let result = if i.has(Slot::Oob) && patterns.iter().take(2).any(|bits| out_of_bounds(format, *bits)) {
            trace.float("oob", element, format, 0, || "an operand is out of bounds".into())
        } else {
            finish(i, format, element, &by_precedence(keeps, patterns), trace, name, operation(numbers))
        };
        d | result << (lane * ty.bits)
    })
}

/// The number that an operand is: subnormal ones are zeros of their sign if `.ftz` says so.
pub fn operand(i: &Inst, format: &Format, bits: Bits) -> (Real, &'static str) {
    let number = format.decode(bits);
    // The manual knows `.ftz` of `.f64` for approximations alone.
    if i.has(Slot::Ftz) && format.bits < 64 && format.is_subnormal(bits) {
        return (Real::Zero { negative: number.negative() }, "subnormal, flushed");
    }
    (number, "")
}

/// What the page calls an operand that is read.
fn source_name(i: &Inst, k: usize) -> &'static str {
    let mut sources = i.operands().filter(|(_, operand)| operand.role == Role::Source);
    sources.nth(k).map_or("", |(template, _)| template.name)
}

/// The NaNs by which tensor instructions mark elements outside a tensor. The manual, 9.7.4.4, does not say which: an H200 takes 0x7ff7
/// with either sign for it and no other, CUTLASS writes 0x7eff for `.f16`.
fn out_of_bounds(format: &Format, bits: Bits) -> bool {
    bits & 0x7fff == 0x7ff7 || *format == F16 && bits == 0x7eff
}

/// What an operation gave as a result of the format; the operands are in the order in which a NaN of theirs is kept.
fn finish(
    i: &Inst,
    format: &'static Format,
    element: Option<u32>,
    operands: &[Bits],
    trace: &mut Trace,
    name: &'static str,
    value: Real,
) -> Bits {
    trace.real(name, element, value, String::new);
    let flush = i.has(Slot::Ftz) && format.bits < 64;
    let mut d = encode(format, Mode::of(i[Slot::Rnd]), flush, value, operands);
    if value == Real::Cancelled {
        trace.float("round", element, format, d, || "the sum of opposite numbers".into());
    }
    if let Some(exact) = value.finite() {
        trace.float("round", element, format, d, || match d & !format.sign_bit() {
            0 if flush => "below the least normal number, flushed".into(),
            _ => rounding(format, d, &exact),
        });
    }
    if i.has(Slot::Sat) {
        d = trace.float("sat", element, format, saturated(format, d), String::new);
    }
    if i.has(Slot::Relu) {
        d = trace.float("relu", element, format, clipped(format, d), String::new);
    }
    d
}

/// The operands in the order in which a NaN of theirs is kept, as an H200 does.
fn by_precedence<const N: usize>(keeps: Keeps, mut operands: [Bits; N]) -> [Bits; N] {
    if keeps == Keeps::Later {
        operands.rotate_left(1);
    }
    operands
}

/// `.sat`: at least +0, at most 1; NaN gives +0.
pub(super) fn saturated(format: &Format, bits: Bits) -> Bits {
    if bits & format.sign_bit() != 0 || format.is_nan(bits) { 0 } else { bits.min(format.one()) }
}

/// `.relu`: +0 for what is negative; NaN stays.
pub(super) fn clipped(format: &Format, bits: Bits) -> Bits {
    if bits & format.sign_bit() != 0 && !format.is_nan(bits) { 0 } else { bits }
}
