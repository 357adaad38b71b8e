//! Single elements of `.f32`: the machine's arithmetic, with NaN and flushed results as PTX has them.

use super::FloatCmp;

/// The NaN that operations give.
pub const NAN: u32 = 0x7fff_ffff;

const SIGN: u32 = 1 << 31;
const INFINITY: u32 = 0x7f80_0000;
/// 2^64, by which products are kept away from the least exponents, …
const UP: f32 = f32::from_bits((127 + 64) << 23);
/// … and the least normal number times that.
const LEAST: f32 = f32::from_bits((127 - 126 + 64) << 23);

#[inline(always)]
fn of(bits: u32) -> f32 {
    f32::from_bits(bits)
}

#[inline(always)]
fn is_nan(bits: u32) -> bool {
    bits & !SIGN > INFINITY
}

#[inline(always)]
fn result(value: f32) -> u32 {
    if value.is_nan() { NAN } else { value.to_bits() }
}

/// The number, and of any NaN the one that there is.
#[inline(always)]
pub fn one_nan(a: u32) -> u32 {
    if is_nan(a) { NAN } else { a }
}

/// The result, a zero of its sign if `scaled`, 2^64 times it and rounded without a lower end, is too small.
#[inline(always)]
fn flushed(value: f32, scaled: f32) -> u32 {
    let bits = result(value);
    if scaled.abs() < LEAST { bits & SIGN } else { bits }
}

/// `a + b`
#[inline(always)]
pub fn add(a: u32, b: u32) -> u32 {
    result(of(a) + of(b))
}

/// `a + b` rounded to odd: the nearest number, or the one before it if that is beyond the sum, with its last bit set if it is not
/// the sum.
#[inline(always)]
pub fn add_odd(a: u32, b: u32) -> u32 {
    let (x, y) = (of(a), of(b));
    let sum = x + y;
    let taken = sum - x;
    let lost = (x - (sum - taken)) + (y - taken);
    let inexact = (lost > 0.0) | (lost < 0.0);
    let beyond = inexact & ((lost < 0.0) == (sum > 0.0));
    result(sum).wrapping_sub(beyond.into()) | u32::from(inexact)
}

/// `a - b`
#[inline(always)]
pub fn sub(a: u32, b: u32) -> u32 {
    result(of(a) - of(b))
}

/// `a * b`
#[inline(always)]
pub fn mul(a: u32, b: u32) -> u32 {
    result(of(a) * of(b))
}

/// `a * b + c`, rounded once.
#[inline(always)]
pub fn fma(a: u32, b: u32, c: u32) -> u32 {
    result(of(a).mul_add(of(b), of(c)))
}

/// `a / b`
#[inline(always)]
pub fn div(a: u32, b: u32) -> u32 {
    result(of(a) / of(b))
}

/// The square root.
#[inline(always)]
pub fn sqrt(a: u32) -> u32 {
    result(of(a).sqrt())
}

/// A zero of its sign if it is subnormal.
#[inline(always)]
pub fn flush(a: u32) -> u32 {
    if a & INFINITY == 0 { a & SIGN } else { a }
}

/// `a * b`, flushed. Where the scaled `a` is infinite the product is not small, or `b` is 0.
#[inline(always)]
pub fn mul_flush(a: u32, b: u32) -> u32 {
    flushed(of(a) * of(b), of(a) * UP * of(b))
}

/// `a * b + c`, rounded once and flushed. Where the scaled `a` is infinite, what is left of a sum of opposite numbers has ulps of
/// 2^-108 and more.
#[inline(always)]
pub fn fma_flush(a: u32, b: u32, c: u32) -> u32 {
    flushed(of(a).mul_add(of(b), of(c)), (of(a) * UP).mul_add(of(b), of(c) * UP))
}

/// `a / b`, flushed.
#[inline(always)]
pub fn div_flush(a: u32, b: u32) -> u32 {
    flushed(of(a) / of(b), of(a) * UP / of(b))
}

/// A pattern as an integer in the order of the numbers, -0 below +0.
#[inline(always)]
fn rank(a: u32) -> i32 {
    a as i32 ^ (a as i32 >> 31 & i32::MAX)
}

/// The one that is no NaN, the chosen one if none is.
#[inline(always)]
fn chosen(a: u32, b: u32, first: bool) -> u32 {
    let number = if is_nan(b) | (first & !is_nan(a)) { a } else { b };
    if is_nan(a) & is_nan(b) { NAN } else { number }
}

/// The lesser.
#[inline(always)]
pub fn min(a: u32, b: u32) -> u32 {
    chosen(a, b, rank(a) < rank(b))
}

/// The greater.
#[inline(always)]
pub fn max(a: u32, b: u32) -> u32 {
    chosen(a, b, rank(a) > rank(b))
}

/// Clamped to the range from +0 to 1; NaN gives +0.
#[inline(always)]
pub fn saturate(a: u32) -> u32 {
    // By bits: of a comparison of numbers compilers make an instruction to which a NaN that signals is the greater one.
    let positive = if a <= INFINITY { a } else { 0 };
    positive.min(1f32.to_bits())
}

/// To a whole number, of two equally near ones to the even one.
#[inline(always)]
pub fn even(a: u32) -> u32 {
    result(of(a).round_ties_even())
}

/// To a whole number, towards 0.
#[inline(always)]
pub fn trunc(a: u32) -> u32 {
    result(of(a).trunc())
}

/// To a whole number, downwards.
#[inline(always)]
pub fn floor(a: u32) -> u32 {
    result(of(a).floor())
}

/// To a whole number, upwards.
#[inline(always)]
pub fn ceil(a: u32) -> u32 {
    result(of(a).ceil())
}

/// Whether a comparison holds.
#[inline(always)]
pub fn compare(cmp: FloatCmp, a: u32, b: u32) -> bool {
    cmp.holds(of(a), of(b))
}
