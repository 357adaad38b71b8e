//! How approximate functions become micro-ops: the steps that `float::approximate` has around the unit, on numbers of the machine.

use super::approximation::flushes;
use super::lower_floats::{as_single, element, half_of, joined};
use crate::float::{F16, Format};
use crate::prelude::*;
use crate::uop::Cmp;
use crate::uop::float::{Approx, Convert, Float, Flush, Rounding};

const SIZE: u32 = !(1 << 31);
const LEAST_NORMAL: u32 = 0x0080_0000;
const INFINITY: u32 = 0x7f80_0000;
/// 2^126, of which the reciprocal is the least normal number.
const GREATEST_WITH_NORMAL_RECIPROCAL: u32 = 0x7e80_0000;
/// -126
const LEAST_EXPONENT: u32 = 0xc2fc_0000;
/// 1 / 2 pi
const TURNS_A_RADIAN: u32 = 0x3e22_f983;

/// An approximate function of one `.f32` number.
pub fn lower_approximation(i: &Inst, e: &mut Emit, function: Approx) -> Option<()> {
    let [x] = e.sources();
    if i[Slot::Type] == F64 {
        let d = match (function, i.has(Slot::Ftz)) {
            (Approx::Reciprocal, _) => upper(e, Approx::ReciprocalUpper, x),
            (Approx::ReciprocalRoot, true) => upper(e, Approx::ReciprocalRootUpper, x),
            (Approx::ReciprocalRoot, false) => reciprocal_root(e, x),
            _ => return None,
        };
        return e.done(d);
    }
    if i[Slot::Type] != F32 {
        return None;
    }
    let d = match (function, flushes(i)) {
        (Approx::Tangent, _) => e.approx(function, x),
        (Approx::Sine | Approx::Cosine, _) => {
            let turns = turns(e, x);
            e.approx(function, turns)
        }
        (_, true) => e.approx(function, x),
        (Approx::Reciprocal, _) => {
            let scale = scale(e, x, true);
            let scaled = e.float(Float::Mul, &[x, scale]);
            let d = e.approx(function, scaled);
            e.float(Float::Mul, &[d, scale])
        }
        (Approx::Root, _) => e.approx(Approx::RootWithSubnormals, x),
        (Approx::ReciprocalRoot, _) => e.approx(Approx::ReciprocalRootWithSubnormals, x),
        (Approx::Logarithm, _) => logarithm(e, x),
        (Approx::Power, _) => power(e, x),
        // No page is of these.
        (Approx::RootWithSubnormals | Approx::ReciprocalRootWithSubnormals, _)
        | (Approx::ReciprocalUpper | Approx::ReciprocalRootUpper, _) => e.approx(function, x),
    };
    e.done(d)
}

/// An approximate function of half-precision numbers: that of `.f32`, cut off; what is beyond `.f16` is infinite.
pub fn lower_halves(i: &Inst, e: &mut Emit, function: Approx) -> Option<()> {
    /// 2^16, above all numbers of `.f16`, and infinity in it.
    const BEYOND: u32 = 0x4780_0000;
    const INFINITE: u32 = 0x7c00;
    let ty = i.ty(Slot::Type);
    let format = Format::of(ty)?;
    let [x] = e.sources();
    let elements: Vec<Val> = (0..ty.lanes)
        .map(|lane| {
            let a = element(e, ty, lane, x);
            let a = as_single(e, format, false, a);
            let d = e.approx(function, a);
            let cut = half_of(e, format, Rounding::Zero, false, d);
            if *format != F16 || function == Approx::Tangent {
                return cut;
            }
            // Powers have no sign.
            let [beyond, last, infinite] = [BEYOND, INFINITY, INFINITE].map(|bits| e.u32(bits));
            let (above, number) = (e.le(false, beyond, d), e.le(false, d, last));
            let is_beyond = e.and(above, number);
            e.select(is_beyond, infinite, cut)
        })
        .collect();
    let d = joined(e, ty, &elements);
    e.done(d)
}

/// A quotient by way of the divisor's reciprocal; `full` scales divisors that are too great for that.
pub fn lower_quotient(i: &Inst, e: &mut Emit, full: bool) -> Option<()> {
    let [a, b] = e.sources();
    let flush = flushes(i);
    let flushed = |e: &mut Emit, v: Val| if flush { e.flush(Flush::Value, &[v]) } else { v };
    let (mut a, mut b) = (flushed(e, a), flushed(e, b));
    if full || !flush {
        // With `.ftz` no divisor is small any more, but 0, which stays what it is.
        let scale = scale(e, b, full);
        let product = |e: &mut Emit, v: Val| match flush {
            true => e.flush(Flush::Mul, &[v, scale]),
            false => e.float(Float::Mul, &[v, scale]),
        };
        (a, b) = (product(e, a), product(e, b));
    }
    let reciprocal = e.approx(Approx::Reciprocal, b);
    let d = match flush {
        true => e.flush(Flush::Mul, &[a, reciprocal]),
        false => e.float(Float::Mul, &[a, reciprocal]),
    };
    e.done(d)
}

/// The pattern of 2^k.
fn power_of_two(k: i32) -> u32 {
    ((127 + k) as u32) << 23
}

/// Whether a number is zero or subnormal.
fn is_small(e: &mut Emit, x: Val) -> Val {
    let (size, least) = (e.u32(SIZE), e.u32(LEAST_NORMAL));
    let size = e.and(x, size);
    e.lt(false, size, least)
}

/// What a number is multiplied with before its reciprocal is taken: 2^24 if it is small, 2^-2 if it is `great`, else 1.
fn scale(e: &mut Emit, x: Val, great: bool) -> Val {
    let is_small = is_small(e, x);
    let [up, one] = [24, 0].map(|k| e.u32(power_of_two(k)));
    let scale = e.select(is_small, up, one);
    if !great {
        return scale;
    }
    let (size, most, down) = (e.u32(SIZE), e.u32(GREATEST_WITH_NORMAL_RECIPROCAL), e.u32(power_of_two(-2)));
    let size = e.and(x, size);
    let is_great = e.lt(false, most, size);
    e.select(is_great, down, scale)
}

/// The logarithm, of small numbers that of 2^24 times them, less 24.
fn logarithm(e: &mut Emit, x: Val) -> Val {
    let is_small = is_small(e, x);
    let [up, one] = [24, 0].map(|k| e.u32(power_of_two(k)));
    let by = e.select(is_small, up, one);
    let x = e.float(Float::Mul, &[x, by]);
    let d = e.approx(Approx::Logarithm, x);
    let [less, none] = [24f32.to_bits(), 0].map(|bits| e.u32(bits));
    let less = e.select(is_small, less, none);
    e.float(Float::Sub, &[d, less])
}

/// The power of 2, below 2^-126 as the square of its root.
fn power(e: &mut Emit, x: Val) -> Val {
    let (least, size, infinity) = (e.u32(LEAST_EXPONENT), e.u32(SIZE), e.u32(INFINITY));
    let size = e.and(x, size);
    let below = e.cmp(Cmp::LtU, least, x);
    let number = e.le(false, size, infinity);
    let below = e.and(below, number);
    let [half, one] = [-1, 0].map(|k| e.u32(power_of_two(k)));
    let by = e.select(below, half, one);
    let x = e.float(Float::Mul, &[x, by]);
    let d = e.approx(Approx::Power, x);
    let square = e.float(Float::Mul, &[d, d]);
    e.select(below, square, d)
}

/// An angle in turns, towards 0.
fn turns(e: &mut Emit, x: Val) -> Val {
    let by = e.u32(TURNS_A_RADIAN);
    let [x, by] = [x, by].map(|v| e.convert(Convert::F32ToF64, v));
    let turns = e.float(Float::Mul, &[x, by]);
    e.convert(Convert::F64ToF32(Rounding::Zero), turns)
}

/// A function of the upper half of an `.f64` number, 0 below it.
fn upper(e: &mut Emit, function: Approx, x: Val) -> Val {
    let (half, zero) = (e.high(x), e.u32(0));
    let d = e.approx(function, half);
    e.pack(zero, d)
}

/// The reciprocal of the square root of an `.f64` number, refined.
fn reciprocal_root(e: &mut Emit, x: Val) -> Val {
    const INFINITE: u64 = 0x7ff << 52;
    let [least, infinity, sign, quiet, nan, zero] =
        [1 << 52, INFINITE, 1 << 63, 1 << 51, 0xfff8 << 48, 0].map(|bits| e.u64(bits));
    let not_sign = e.not(sign);
    let size = e.and(x, not_sign);
    // Subnormal numbers times 2^54, and the result times 2^27.
    let is_small = e.lt(false, size, least);
    let [up, back, one] = [1023 + 54, 1023 + 27, 1023].map(|field: u64| e.u64(field << 52));
    let (by, with) = (e.select(is_small, up, one), e.select(is_small, back, one));
    let number = e.float(Float::Mul, &[x, by]);
    let root = refined(e, number);
    let d = e.float(Float::Mul, &[root, with]);
    let is_infinite = e.eq(size, infinity);
    let d = e.select(is_infinite, zero, d);
    let is_negative = e.lt(true, x, zero);
    let d = e.select(is_negative, nan, d);
    let (own, is_nan) = (e.or(x, quiet), e.lt(false, infinity, size));
    let d = e.select(is_nan, own, d);
    let is_zero = e.eq(size, zero);
    let signs = e.and(x, sign);
    let signed = e.or(signs, infinity);
    e.select(is_zero, signed, d)
}

/// y + p y e with y the unit's value, e = 1 - x y^2 and p = 1/2 + 3/8 e, every step rounded.
fn refined(e: &mut Emit, x: Val) -> Val {
    let y = upper(e, Approx::ReciprocalRootUpper, x);
    let [three_eighths, half, one, sign] =
        [0x3fd8 << 48, 0x3fe0 << 48, 1f64.to_bits(), 1 << 63].map(|bits| e.u64(bits));
    let square = e.float(Float::Mul, &[y, y]);
    let square = e.xor(square, sign);
    let rest = e.float(Float::Fma, &[x, square, one]);
    let p = e.float(Float::Fma, &[rest, three_eighths, half]);
    let step = e.float(Float::Mul, &[y, rest]);
    e.float(Float::Fma, &[p, step, y])
}
