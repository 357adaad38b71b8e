//! How conversions from, to and between floating-point formats become micro-ops.

use super::lower_floats::{as_single, canonical, half_of, joined, magnitude, narrowed, rounding};
use super::lowering::{clamped, cut, extended};
use crate::float::{BF16, F32, F64, Format, TF32};
use crate::prelude::*;
use crate::uop::float::{Convert, Float, FloatCmp, Flush, Rounding};

/// A conversion from or to floating-point numbers, of which `.ftz` flushes those of `.f32`.
pub fn lower_conversion(i: &Inst, e: &mut Emit, ftz: bool) -> Option<()> {
    let [a] = e.sources();
    let (to, from) = (i.ty(Slot::DType), i.ty(Slot::AType));
    let rounding = rounding(i)?;
    let in_place = matches!(i[Slot::Rnd], Rni | Rzi | Rmi | Rpi);
    let d = match (Format::of(to), Format::of(from)) {
        (None, Some(format)) => integer(e, to, format, rounding, ftz, a),
        (Some(format), None) => {
            let d = from_integer(e, format, from, rounding, a);
            fitted(i, e, format, rounding, false, d)
        }
        (Some(_), Some(_))
            if to == from && !i.has(Slot::Rnd) && !i.has(Slot::Sat) && !ftz && to.bits > 16 =>
        {
            a
        }
        (Some(format), Some(source)) => {
            let number = match *source == F64 {
                true => a,
                false => as_single(e, source, ftz && *source == F32, a),
            };
            let (number, rounding) = match in_place {
                true => (integral(e, rounding, number), Rounding::Nearest),
                false => (number, rounding),
            };
            // NaNs are kept where `.ftz` does not say otherwise, to and from `.f64` and from `.bf16` to `.f32`.
            let widened = *format == F64 || *source == BF16 && *format == F32;
            let kept = *source == F64 || widened && !ftz;
            let number = if kept { number } else { canonical(e, number) };
            fitted(i, e, format, rounding, ftz, number)
        }
        (None, None) => return None,
    };
    e.done(d)
}

/// A number of `.f32` or `.f64` as a pattern of another format, as `.sat` has it.
fn fitted(i: &Inst, e: &mut Emit, format: &Format, rounding: Rounding, ftz: bool, number: Val) -> Val {
    let wide = e.ty(number) == Type::U64;
    let saturated = |e: &mut Emit, d| if i.has(Slot::Sat) { e.float(Float::Saturate, &[d]) } else { d };
    if *format == F64 {
        let d = if wide { number } else { e.convert(Convert::F32ToF64, number) };
        return saturated(e, d);
    }
    if *format == F32 {
        let d = match wide {
            true => narrowed(e, rounding, ftz, number),
            false if ftz => e.flush(Flush::Value, &[number]),
            false => number,
        };
        return saturated(e, d);
    }
    if !wide {
        let single = saturated(e, number);
        return half_of(e, format, rounding, false, single);
    }
    let single = e.convert(Convert::F64ToF32(Rounding::Odd), number);
    let single = saturated(e, single);
    let d = half_of(e, format, rounding, false, single);
    let (is_nan, nan) = (e.float_cmp(FloatCmp::Nan, single, single), half_nan(e, format, single));
    e.select(is_nan, nan, d)
}

/// A NaN with the sign and the upper bits of the payload of one of `.f32` that is quiet.
fn half_nan(e: &mut Emit, format: &Format, single: Val) -> Val {
    let upper = e.shr_by(false, single, 16);
    if *format == BF16 {
        return upper;
    }
    let [sign, exponent, payload] = [0x8000, 0x7c00, 0x3ff].map(|bits| e.u32(bits));
    let sign = e.and(upper, sign);
    let rest = e.shr_by(false, single, 13);
    let rest = e.and(rest, payload);
    let rest = e.or(rest, exponent);
    e.or(sign, rest)
}

/// A number rounded to a whole one.
fn integral(e: &mut Emit, rounding: Rounding, v: Val) -> Val {
    let float = match rounding {
        Rounding::Nearest | Rounding::Odd => Float::Even,
        Rounding::Zero => Float::Trunc,
        Rounding::Down => Float::Floor,
        Rounding::Up => Float::Ceil,
    };
    e.float(float, &[v])
}

/// A number of a format as an integer: rounded, clamped, and what stands for NaN.
fn integer(e: &mut Emit, to: Ty, format: &Format, rounding: Rounding, ftz: bool, a: Val) -> Val {
    let given = if *format == F64 { a } else { as_single(e, format, ftz && *format == F32, a) };
    let number = if rounding == Rounding::Zero { given } else { integral(e, rounding, given) };
    let wide = e.ty(number) == Type::U64;
    let number = if to.bits == 64 && !wide { e.convert(Convert::F32ToF64, number) } else { number };
    let convert = match (to.bits, wide, to.signed()) {
        (64, _, true) => Convert::F64ToS64,
        (64, _, false) => Convert::F64ToU64,
        (_, true, true) => Convert::F64ToS32,
        (_, true, false) => Convert::F64ToU32,
        (_, false, true) => Convert::F32ToS32,
        (_, false, false) => Convert::F32ToU32,
    };
    let mut d = e.convert(convert, number);
    if to.bits < 32 {
        d = clamped(e, d, to.with_bits(32), to);
        d = cut(e, to, d);
    }
    // Of 32 bits and less, from less than 64: the conversion's own 0.
    if !wide && to.bits < 64 {
        return d;
    }
    let is_nan = e.float_cmp(FloatCmp::Nan, given, given);
    let nan = e.constant(Type::of_width(to.bits), 1 << (to.bits - 1));
    e.select(is_nan, nan, d)
}

/// An integer as a number of `.f32`, if that is what it becomes, or else of `.f64`: rounded once, or exact or to odd.
fn from_integer(e: &mut Emit, format: &Format, from: Ty, rounding: Rounding, a: Val) -> Val {
    let a = extended(e, from, a);
    let once = if *format == F64 { rounding } else { Rounding::Odd };
    let direct = *format == F32 && rounding == Rounding::Nearest;
    let convert = match (from.bits, from.signed()) {
        (64, true) => Convert::S64ToF64(once),
        (64, false) => Convert::U64ToF64(once),
        (_, true) if direct => Convert::S32ToF32,
        (_, false) if direct => Convert::U32ToF32,
        (_, true) => Convert::S32ToF64,
        (_, false) => Convert::U32ToF64,
    };
    e.convert(convert, a)
}

/// A conversion of `.f32` to half precision, to pairs of them, or to `.tf32`; of no other.
pub fn lower_narrow(i: &Inst, e: &mut Emit) -> Option<()> {
    let (to, from) = (i.ty(Slot::DType), i.ty(Slot::AType));
    let format = Format::of(to)?;
    if Format::of(from) != Some(&F32) || i[Slot::Rnd] == Rs {
        return None;
    }
    let mut elements = Vec::new();
    for lane in 0..to.lanes {
        // The first source becomes the highest element.
        let number = e.source((to.lanes - 1 - lane) as usize);
        let d = match format.bits {
            16 => half_of(e, format, rounding(i)?, false, number),
            _ => tensor_single(i, e, number)?,
        };
        elements.push(within_format(i, e, format, d));
    }
    let d = joined(e, to, &elements);
    e.done(d)
}

/// A number of `.f32` rounded to the 11 bits of `.tf32`.
pub fn tensor_single(i: &Inst, e: &mut Emit, v: Val) -> Option<Val> {
    const KEPT: u32 = 0xffff_e000;
    let (kept, infinity, nan) = (e.u32(KEPT), e.u32(F32.beyond() as u32), e.u32(TF32.nan(&[]) as u32));
    let raised = match i[Slot::Rnd] {
        Rz => v,
        Rna => {
            let half = e.u32(0x1000);
            e.add(v, half)
        }
        Rn => {
            let below_half = e.u32(0x0fff);
            let last = e.extract(false, v, 13, 1);
            let sum = e.add(v, below_half);
            e.add(sum, last)
        }
        _ => return None,
    };
    let d = e.and(raised, kept);
    let size = magnitude(e, v);
    let is_nan = e.lt(false, infinity, size);
    Some(e.select(is_nan, nan, d))
}

/// What `.satfinite`, `.relu` and `.pzo` make of a result.
pub fn within_format(i: &Inst, e: &mut Emit, format: &Format, d: Val) -> Val {
    let (sign, zero) = (e.u32(format.sign_bit() as u32), e.u32(0));
    let mut d = d;
    if i.has(Slot::Sat) {
        let (greatest, infinity) = (e.u32(format.greatest() as u32), e.u32(format.beyond() as u32));
        let signed = e.and(d, sign);
        let size = e.xor(d, signed);
        let is_nan = e.lt(false, infinity, size);
        let size = e.min(false, size, greatest);
        let finite = e.or(signed, size);
        d = e.select(is_nan, d, finite);
    }
    if i.has(Slot::Relu) {
        // NaN has no sign.
        let positive = e.lt(false, d, sign);
        d = e.select(positive, d, zero);
    }
    if i[Slot::Po] == Pzo {
        let is_negative_zero = e.eq(d, sign);
        d = e.select(is_negative_zero, zero, d);
    }
    d
}
