//! Single elements converted from format to format, and from and to integers.

use super::{Rounding, double, single};

const SIGN: u32 = 1 << 31;
const INFINITY: u32 = 0x7f80_0000;

#[inline(always)]
fn is_nan(bits: u32) -> bool {
    bits & !SIGN > INFINITY
}

/// Exact.
#[inline(always)]
pub fn f32_to_f64(a: u32) -> u64 {
    let sign = u64::from(a & SIGN) << 32;
    let nan = sign | 0x7ff8 << 48 | u64::from(a & 0x7f_ffff) << 29;
    if is_nan(a) { nan } else { f64::from(f32::from_bits(a)).to_bits() }
}

/// Rounded.
#[inline(always)]
pub fn f64_to_f32(rounding: Rounding, a: u64) -> u32 {
    let number = f64::from_bits(a);
    let nearest = number as f32;
    let (bits, back) = (nearest.to_bits(), f64::from(nearest).abs());
    let (negative, even) = (bits & SIGN != 0, bits & 1 == 0);
    let size = number.abs();
    let step = rounding.correction(negative, even, back < size, back > size);
    let nan = (a >> 32) as u32 & SIGN | 0x7fc0_0000 | (a >> 29) as u32 & 0x7f_ffff;
    if number.is_nan() { nan } else { bits.wrapping_add_signed(step) }
}

/// The sum of two numbers of `.f64`, rounded once.
#[inline(always)]
pub fn add_to_f32(rounding: Rounding, a: u64, b: u64) -> u32 {
    f64_to_f32(rounding, double::add_odd(a, b))
}

/// `a * b + c`, rounded once towards 0, downwards or upwards.
#[inline(always)]
pub fn fma_f32(rounding: Rounding, a: u32, b: u32, c: u32) -> u32 {
    // Downwards is upwards of what has the other sign, and so is the sign of a sum that is 0.
    let (sign, rounding) = match rounding {
        Rounding::Down => (SIGN, Rounding::Up),
        rounding => (0, rounding),
    };
    // Products of 24 bits are exact.
    let product = double::mul(f32_to_f64(a ^ sign), f32_to_f64(b));
    single::one_nan(add_to_f32(rounding, product, f32_to_f64(c ^ sign)) ^ sign)
}

/// Exact.
#[inline(always)]
pub fn f16_to_f32(a: u32) -> u32 {
    /// 2^-24, the unit of subnormal numbers.
    const UNIT: f32 = f32::from_bits((127 - 24) << 23);
    let size = a & 0x7fff;
    let normal = (size << 13).wrapping_add((127 - 15) << 23);
    let small = (size as i32 as f32 * UNIT).to_bits();
    let number = if size < 0x400 { small } else { normal };
    let special = size << 13 | if size > 0x7c00 { 0x7fc0_0000 } else { INFINITY };
    (a & 0x8000) << 16 | if size < 0x7c00 { number } else { special }
}

/// Rounded.
#[inline(always)]
pub fn f32_to_f16(rounding: Rounding, a: u32) -> u32 {
    let (negative, size) = (a & SIGN != 0, a & !SIGN);
    let field = size >> 23;
    // Below 2^-14 units of 2^-24, of which less than one is left of what lies far below; above, exponents with another bias.
    let small = field < 127 - 14;
    let significand = if field == 0 { size } else { size & 0x7f_ffff | 0x80_0000 };
    let units = if small { significand } else { size.wrapping_sub((127 - 15) << 23) };
    let by = if small { (126 - field).min(25) } else { 13 };
    let h = raised(rounding, negative, units, by);
    let beyond = match rounding {
        Rounding::Nearest => 0x7c00,
        Rounding::Zero | Rounding::Odd => 0x7bff,
        Rounding::Down => 0x7bff + u32::from(negative),
        Rounding::Up => 0x7bff + u32::from(!negative),
    };
    let beyond = if size == INFINITY { 0x7c00 } else { beyond };
    let h = if size >= (127 + 16) << 23 { beyond } else { h };
    if size > INFINITY { 0x7fff } else { a >> 16 & 0x8000 | h }
}

/// Rounded.
#[inline(always)]
pub fn f32_to_bf16(rounding: Rounding, a: u32) -> u32 {
    let h = raised(rounding, a & SIGN != 0, a & !SIGN, 16);
    if is_nan(a) { 0x7fff } else { a >> 16 & 0x8000 | h }
}

/// A size without so many of its low bits.
#[inline(always)]
fn raised(rounding: Rounding, negative: bool, size: u32, by: u32) -> u32 {
    let (units, whole) = (size >> (by & 31), 1 << (by & 31));
    let raises = rounding.raises(negative, units, size & (whole - 1), whole >> 1);
    units + u32::from(raises)
}

/// Rounded to nearest.
#[inline(always)]
pub fn s32_to_f32(a: u32) -> u32 {
    (a as i32 as f32).to_bits()
}

/// Rounded to nearest.
#[inline(always)]
pub fn u32_to_f32(a: u32) -> u32 {
    (a as f32).to_bits()
}

/// Exact.
#[inline(always)]
pub fn s32_to_f64(a: u32) -> u64 {
    f64::from(a as i32).to_bits()
}

/// Exact.
#[inline(always)]
pub fn u32_to_f64(a: u32) -> u64 {
    f64::from(a).to_bits()
}

/// Rounded.
#[inline(always)]
pub fn s64_to_f64(rounding: Rounding, a: u64) -> u64 {
    let negative = (a as i64) < 0;
    let sign = if negative { 1 << 63 } else { 0 };
    sign | size_to_f64(rounding, negative, (a as i64).unsigned_abs())
}

/// Rounded.
#[inline(always)]
pub fn u64_to_f64(rounding: Rounding, a: u64) -> u64 {
    size_to_f64(rounding, false, a)
}

#[inline(always)]
fn size_to_f64(rounding: Rounding, negative: bool, size: u64) -> u64 {
    /// 2^32
    const UNIT: f64 = f64::from_bits((1023 + 32) << 52);
    let (upper, lower) = (f64::from((size >> 32) as u32) * UNIT, f64::from(size as u32));
    let sum = upper + lower;
    let lost = lower - (sum - upper);
    let bits = sum.to_bits();
    let step = rounding.correction(negative, bits & 1 == 0, lost > 0.0, lost < 0.0);
    bits.wrapping_add_signed(step.into())
}

/// Towards 0, clamped. On integers, as machines have no such conversion of many lanes that clamps.
#[inline(always)]
pub fn f32_to_s32(a: u32) -> u32 {
    let limit = if a & SIGN != 0 { i32::MIN } else { i32::MAX } as u32;
    let size = single_size(a);
    let number = if a & SIGN != 0 { size.wrapping_neg() } else { size };
    let number = if single_field(a) >= 127 + 31 { limit } else { number };
    if is_nan(a) { 0 } else { number }
}

/// Towards 0, clamped.
#[inline(always)]
pub fn f32_to_u32(a: u32) -> u32 {
    let number = if single_field(a) >= 127 + 32 { u32::MAX } else { single_size(a) };
    if (a & SIGN != 0) | is_nan(a) { 0 } else { number }
}

#[inline(always)]
fn single_field(a: u32) -> i32 {
    (a >> 23 & 0xff) as i32
}

/// The size of a number below 2^32 without its fraction.
#[inline(always)]
fn single_size(a: u32) -> u32 {
    let by = single_field(a) - 127 - 23;
    let significand = a & 0x7f_ffff | 0x80_0000;
    significand >> (-by).clamp(0, 31) << by.clamp(0, 31)
}

/// Towards 0, clamped.
#[inline(always)]
pub fn f64_to_s32(a: u64) -> u32 {
    let limit = if is_negative(a) { i32::MIN } else { i32::MAX } as u32;
    let size = double_size(a) as u32;
    let number = if is_negative(a) { size.wrapping_neg() } else { size };
    let number = if double_field(a) >= 1023 + 31 { limit } else { number };
    if f64::from_bits(a).is_nan() { 0 } else { number }
}

/// Towards 0, clamped.
#[inline(always)]
pub fn f64_to_u32(a: u64) -> u32 {
    let number = if double_field(a) >= 1023 + 32 { u32::MAX } else { double_size(a) as u32 };
    if is_negative(a) | f64::from_bits(a).is_nan() { 0 } else { number }
}

/// Towards 0, clamped.
#[inline(always)]
pub fn f64_to_s64(a: u64) -> u64 {
    let limit = if is_negative(a) { i64::MIN } else { i64::MAX } as u64;
    let size = double_size(a);
    let number = if is_negative(a) { size.wrapping_neg() } else { size };
    let number = if double_field(a) >= 1023 + 63 { limit } else { number };
    if f64::from_bits(a).is_nan() { 0 } else { number }
}

/// Towards 0, clamped.
#[inline(always)]
pub fn f64_to_u64(a: u64) -> u64 {
    let number = if double_field(a) >= 1023 + 64 { u64::MAX } else { double_size(a) };
    if is_negative(a) | f64::from_bits(a).is_nan() { 0 } else { number }
}

#[inline(always)]
fn is_negative(a: u64) -> bool {
    a >> 63 != 0
}

#[inline(always)]
fn double_field(a: u64) -> i32 {
    (a >> 52 & 0x7ff) as i32
}

/// The size of a number below 2^64 without its fraction.
#[inline(always)]
fn double_size(a: u64) -> u64 {
    let by = double_field(a) - 1023 - 52;
    let significand = a & 0xf_ffff_ffff_ffff | 1 << 52;
    significand >> (-by).clamp(0, 63) << by.clamp(0, 63)
}
