//! Single elements of `.f64`: the machine's arithmetic, with NaN as PTX has it.

use super::FloatCmp;

const SIGN: u64 = 1 << 63;
const INFINITY: u64 = 0x7ff << 52;
const QUIET: u64 = 1 << 51;
/// The NaN of operations on numbers.
const NAN: u64 = SIGN | INFINITY | QUIET;

#[inline(always)]
fn of(bits: u64) -> f64 {
    f64::from_bits(bits)
}

#[inline(always)]
fn is_nan(bits: u64) -> bool {
    bits & !SIGN > INFINITY
}

/// The result of an operation on one number.
#[inline(always)]
fn one(value: f64, a: u64) -> u64 {
    let nan = if is_nan(a) { a | QUIET } else { NAN };
    if value.is_nan() { nan } else { value.to_bits() }
}

/// The result of an operation on two numbers.
#[inline(always)]
fn two(value: f64, a: u64, b: u64) -> u64 {
    let nan = if is_nan(a) { a | QUIET } else { NAN };
    let nan = if is_nan(b) { b | QUIET } else { nan };
    if value.is_nan() { nan } else { value.to_bits() }
}

/// `a + b`
#[inline(always)]
pub fn add(a: u64, b: u64) -> u64 {
    two(of(a) + of(b), a, b)
}

/// `a + b` rounded to odd: the nearest number, or the one before it if that is beyond the sum, with its last bit set if it is not
/// the sum.
#[inline(always)]
pub fn add_odd(a: u64, b: u64) -> u64 {
    let (x, y) = (of(a), of(b));
    let sum = x + y;
    let taken = sum - x;
    let lost = (x - (sum - taken)) + (y - taken);
    let inexact = (lost > 0.0) | (lost < 0.0);
    let beyond = inexact & ((lost < 0.0) == (sum > 0.0));
    two(sum, a, b).wrapping_sub(beyond.into()) | u64::from(inexact)
}

/// `a - b`
#[inline(always)]
pub fn sub(a: u64, b: u64) -> u64 {
    two(of(a) - of(b), a, b)
}

/// `a * b`
#[inline(always)]
pub fn mul(a: u64, b: u64) -> u64 {
    two(of(a) * of(b), a, b)
}

/// `a * b + c`, rounded once.
#[inline(always)]
pub fn fma(a: u64, b: u64, c: u64) -> u64 {
    let nan = if is_nan(a) { a | QUIET } else { NAN };
    let nan = if is_nan(c) { c | QUIET } else { nan };
    let nan = if is_nan(b) { b | QUIET } else { nan };
    let value = of(a).mul_add(of(b), of(c));
    if value.is_nan() { nan } else { value.to_bits() }
}

/// `a / b`; a NaN of `a` before that of `b`.
#[inline(always)]
pub fn div(a: u64, b: u64) -> u64 {
    two(of(a) / of(b), b, a)
}

/// The square root.
#[inline(always)]
pub fn sqrt(a: u64) -> u64 {
    one(of(a).sqrt(), a)
}

/// A pattern as an integer in the order of the numbers, -0 below +0.
#[inline(always)]
fn rank(a: u64) -> i64 {
    a as i64 ^ (a as i64 >> 63 & i64::MAX)
}

/// The one that is no NaN, the chosen one if none is.
#[inline(always)]
fn chosen(a: u64, b: u64, first: bool) -> u64 {
    let number = if is_nan(b) | (first & !is_nan(a)) { a } else { b };
    if is_nan(a) & is_nan(b) { b | QUIET } else { number }
}

/// The lesser.
#[inline(always)]
pub fn min(a: u64, b: u64) -> u64 {
    chosen(a, b, rank(a) < rank(b))
}

/// The greater.
#[inline(always)]
pub fn max(a: u64, b: u64) -> u64 {
    chosen(a, b, rank(a) > rank(b))
}

/// Clamped to the range from +0 to 1; NaN gives +0.
#[inline(always)]
pub fn saturate(a: u64) -> u64 {
    // By bits: of a comparison of numbers compilers make an instruction to which a NaN that signals is the greater one.
    let positive = if a <= INFINITY { a } else { 0 };
    positive.min(1f64.to_bits())
}

/// To a whole number, of two equally near ones to the even one.
#[inline(always)]
pub fn even(a: u64) -> u64 {
    one(of(a).round_ties_even(), a)
}

/// To a whole number, towards 0.
#[inline(always)]
pub fn trunc(a: u64) -> u64 {
    one(of(a).trunc(), a)
}

/// To a whole number, downwards.
#[inline(always)]
pub fn floor(a: u64) -> u64 {
    one(of(a).floor(), a)
}

/// To a whole number, upwards.
#[inline(always)]
pub fn ceil(a: u64) -> u64 {
    one(of(a).ceil(), a)
}

/// Whether a comparison holds.
#[inline(always)]
pub fn compare(cmp: FloatCmp, a: u64, b: u64) -> bool {
    cmp.holds(of(a), of(b))
}
