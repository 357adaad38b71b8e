//! Single elements of the functions that a device approximates: its unit's interpolation without a branch, so that many lanes can go
//! side by side. `float::mufu` says the same step by step, and judges it.

use super::single::NAN;
use crate::float::mufu::shape::{ARGUMENT, EX2, LG2, RCP, RSQ, Row, SIN, SQRT, Shape, TANH, TANH_LEAST};
use crate::float::mufu::tables;

const SIGN: u32 = 1 << 31;
const INFINITY: u32 = 0x7f80_0000;
const FRACTION: u32 = (1 << ARGUMENT) - 1;
/// In the upper half of `.f64`.
const UPPER_INFINITY: u32 = 0x7ff0_0000;
const UPPER_FRACTION: u32 = (1 << 20) - 1;

/// The parts of a pattern.
struct Parts {
    sign: u32,
    /// The pattern without its sign.
    size: u32,
    /// The exponent, 127 above its value.
    field: i32,
    fraction: u32,
}

#[inline(always)]
fn parts(x: u32) -> Parts {
    let size = x & !SIGN;
    Parts { sign: x & SIGN, size, field: (size >> ARGUMENT) as i32, fraction: x & FRACTION }
}

/// The square of the low bits as [`Shape::square`] has it.
#[inline(always)]
fn square(shape: &Shape, low: u32) -> i64 {
    const CUT: u32 = 19;
    let up = 17 - shape.low_bits();
    let x = low << up;
    let mut dropped = 0;
    // Bit i with itself, and with the bits above it whose products stand below the cut.
    let mut row = |i: u32| {
        let others = x & ((1 << (CUT - 1 - i)) - 1) & (u32::MAX << (i + 1));
        let products = (1 << (2 * i)) + (others << (i + 1));
        dropped += (0u32.wrapping_sub(x >> i & 1)) & products;
    };
    row(0);
    row(1);
    row(2);
    row(3);
    row(4);
    row(5);
    row(6);
    row(7);
    row(8);
    // Above it only the bit itself is left.
    dropped += (x >> 9 & 1) << 18;
    ((u64::from(x) * u64::from(x) - u64::from(dropped)) >> (2 * up)) as i64
}

/// The sum for an argument, of the rows from `first` on.
#[inline(always)]
fn interpolate<const N: usize>(shape: &Shape, rows: &[Row; N], first: usize, argument: u32) -> i64 {
    sum(shape, rows[(first + (argument >> shape.low_bits()) as usize) & (N - 1)], argument)
}

/// The sum of a row for the low bits of an argument.
#[inline(always)]
fn sum(shape: &Shape, [constant, slope, bend]: Row, argument: u32) -> i64 {
    let low = argument & ((1 << shape.low_bits()) - 1);
    let first = (i64::from(slope) * i64::from(low)) << shape.places[1];
    let second = i64::from(bend) * square(shape, low);
    let sum = (i64::from(constant) << shape.places[0]) + shape.bias();
    let sum = if shape.falls { sum - first } else { sum + first };
    if shape.bends_down { sum - second } else { sum + second }
}

/// The pattern of sum / 2^one * 2^exponent, the sum not negative, cut to the significand.
#[inline(always)]
fn pattern(sign: u32, sum: i64, one: u32, exponent: i32) -> u32 {
    let zeros = (sum as u64).leading_zeros();
    let significand = (((sum as u64) << (zeros & 63)) >> (63 - ARGUMENT)) as u32 & FRACTION;
    let field = exponent + 63 - zeros as i32 - one as i32 + 127;
    let number = (field as u32) << ARGUMENT | significand;
    let number = if field >= 255 { INFINITY } else { number };
    sign | if (sum == 0) | (field <= 0) { 0 } else { number }
}

/// The reciprocal.
#[inline(always)]
pub fn reciprocal(x: u32) -> u32 {
    let Parts { sign, size, field, fraction } = parts(x);
    let number = pattern(sign, interpolate(&RCP, &tables::RCP, 0, fraction), RCP.one, 127 - field);
    let number = if field == 0 { sign | INFINITY } else { number };
    let number = if size == INFINITY { sign } else { number };
    if size > INFINITY { NAN } else { number }
}

/// The pattern of the upper half of an `.f64` number.
#[inline(always)]
fn upper_pattern(sign: u32, sum: i64, one: u32, exponent: i32) -> u32 {
    let zeros = (sum as u64).leading_zeros();
    let significand = (((sum as u64) << (zeros & 63)) >> (63 - 20)) as u32 & UPPER_FRACTION;
    let field = exponent + 63 - zeros as i32 - one as i32 + 1023;
    let number = (field as u32) << 20 | significand;
    let number = if field >= 2047 { UPPER_INFINITY } else { number };
    sign | if field <= 0 { 0 } else { number }
}

/// The reciprocal of an `.f64` number, upper halves both.
#[inline(always)]
pub fn reciprocal_upper(x: u32) -> u32 {
    let (sign, size, fraction) = (x & SIGN, x & !SIGN, (x & UPPER_FRACTION) << (ARGUMENT - 20));
    let field = (size >> 20) as i32;
    let sum = interpolate(&RCP, &tables::RCP, 0, fraction);
    let number = upper_pattern(sign, sum, RCP.one, 1023 - field);
    let number = if field == 0 { sign | UPPER_INFINITY } else { number };
    let number = if size == UPPER_INFINITY { sign } else { number };
    if size > UPPER_INFINITY { NAN } else { number }
}

/// The reciprocal of the square root of an `.f64` number, upper halves both.
#[inline(always)]
pub fn reciprocal_root_upper(x: u32) -> u32 {
    let (sign, size, fraction) = (x & SIGN, x & !SIGN, (x & UPPER_FRACTION) << (ARGUMENT - 20));
    let field = (size >> 20) as i32;
    let even = field & 1 == 1;
    let first = if even { 0 } else { tables::RSQ.len() / 2 };
    let sum = interpolate(&RSQ, &tables::RSQ, first, fraction);
    let sum = if even & (fraction == 0) { 1 << RSQ.one } else { sum };
    let number = upper_pattern(sign, sum, RSQ.one, -((field - 1023) >> 1));
    let number = if size == UPPER_INFINITY { 0 } else { number };
    let number = if (size > UPPER_INFINITY) | (sign != 0) { NAN } else { number };
    if field == 0 { sign | UPPER_INFINITY } else { number }
}

/// The square root.
#[inline(always)]
pub fn root(x: u32) -> u32 {
    let Parts { sign, size, field, fraction } = parts(x);
    // An odd field is an even exponent.
    let first = if field & 1 == 1 { 0 } else { tables::SQRT.len() / 2 };
    let sum = interpolate(&SQRT, &tables::SQRT, first, fraction);
    let number = pattern(sign, sum, SQRT.one, (field - 127) >> 1);
    let number = if size == INFINITY { INFINITY } else { number };
    let number = if (size > INFINITY) | (sign != 0) { NAN } else { number };
    if field == 0 { sign } else { number }
}

/// The reciprocal of the square root.
#[inline(always)]
pub fn reciprocal_root(x: u32) -> u32 {
    let Parts { sign, size, field, fraction } = parts(x);
    let even = field & 1 == 1;
    let first = if even { 0 } else { tables::RSQ.len() / 2 };
    let sum = interpolate(&RSQ, &tables::RSQ, first, fraction);
    let sum = if even & (fraction == 0) { 1 << RSQ.one } else { sum };
    let number = pattern(sign, sum, RSQ.one, -((field - 127) >> 1));
    let number = if size == INFINITY { 0 } else { number };
    let number = if (size > INFINITY) | (sign != 0) { NAN } else { number };
    if field == 0 { sign | INFINITY } else { number }
}

/// The square root, of subnormal numbers, too.
#[inline(always)]
pub fn root_with_subnormals(x: u32) -> u32 {
    with_subnormals(x, root, -12)
}

/// The reciprocal of the square root, of subnormal numbers, too.
#[inline(always)]
pub fn reciprocal_root_with_subnormals(x: u32) -> u32 {
    with_subnormals(x, reciprocal_root, 12)
}

/// A function of a number, or of 2^24 times that if it is small; then the result is multiplied by 2^places.
#[inline(always)]
fn with_subnormals(x: u32, function: impl Fn(u32) -> u32, places: i32) -> u32 {
    let times = |number: u32, places: i32| {
        let power = f32::from_bits(((127 + places) as u32) << ARGUMENT);
        (f32::from_bits(number) * power).to_bits()
    };
    let is_small = parts(x).field == 0;
    let number = function(if is_small { times(x, 24) } else { x });
    if is_small { times(number, places) } else { number }
}

/// The logarithm to base 2.
#[inline(always)]
pub fn logarithm(x: u32) -> u32 {
    /// Low places of the sum that are left out.
    const CLEARED: u32 = 20;
    let Parts { sign, size, field, fraction } = parts(x);
    let sum = interpolate(&LG2, &tables::LG2, 0, fraction) + (i64::from(field - 127) << LG2.one);
    let below = if sum < 0 { SIGN } else { 0 };
    let number = pattern(below, sum.abs() >> CLEARED << CLEARED, LG2.one, 0);
    let number = if x == 0x3f80_0000 { 0 } else { number };
    let number = if size == INFINITY { INFINITY } else { number };
    let number = if (size > INFINITY) | (sign != 0) { NAN } else { number };
    if field == 0 { SIGN | INFINITY } else { number }
}

/// The power of 2.
#[inline(always)]
pub fn power(x: u32) -> u32 {
    let Parts { sign, size, field, fraction } = parts(x);
    // Fixed point with 23 places; below 2^-24 nothing is left, from 2^8 on the result is beyond the ends.
    let left = (127 + 8 - field).clamp(1, 63) as u32;
    let fixed = u64::from(fraction | 1 << ARGUMENT) << 8 >> left;
    let fixed = if field == 0 { 0 } else { fixed };
    let (whole, places) = ((fixed >> ARGUMENT) as i32, fixed as u32 & FRACTION);
    let down = (sign != 0) & (places != 0);
    let whole = if sign != 0 { -whole - i32::from(down) } else { whole };
    let places = if down { !places & FRACTION } else { places };
    let number = pattern(0, interpolate(&EX2, &tables::EX2, 0, places), EX2.one, whole);
    let beyond = if sign == 0 { INFINITY } else { 0 };
    let number = if field >= 127 + 8 { beyond } else { number };
    if size > INFINITY { NAN } else { number }
}

/// The sine of so many turns.
#[inline(always)]
pub fn sine(turns: u32) -> u32 {
    circular(turns, 0)
}

/// The cosine of so many turns.
#[inline(always)]
pub fn cosine(turns: u32) -> u32 {
    circular(turns & !SIGN, 1)
}

/// The hyperbolic tangent.
#[inline(always)]
pub fn tangent(x: u32) -> u32 {
    let Parts { sign, size, field, fraction } = parts(x);
    let binade = field - TANH_LEAST as i32;
    let last = tables::TANH_BINADES.len() as i32 - 1;
    let (first, bits) = tables::TANH_BINADES[binade.clamp(0, last) as usize];
    let argument = fraction >> (TANH.index - u32::from(bits));
    let row = usize::from(first) + (argument >> TANH.low_bits()) as usize;
    let number =
        pattern(sign, sum(&TANH, tables::TANH[row.min(tables::TANH.len() - 1)], argument), TANH.one, 0);
    let number = if binade > last { sign | 1f32.to_bits() } else { number };
    let number = if binade < 0 { x } else { number };
    if size > INFINITY { NAN } else { number }
}

#[inline(always)]
fn circular(turns: u32, ahead: u32) -> u32 {
    let Parts { sign, size, field, fraction } = parts(turns);
    // Quarters of a turn with 23 places below them: from 2^23 turns on none are left.
    let significand = u64::from(fraction | 1 << ARGUMENT);
    let by = field - 127 + 2;
    let places = significand << by.clamp(0, 24) >> (-by).clamp(0, 25);
    let places = if (by > 24) | (field == 0) { 0 } else { places };
    let quarter = (places >> ARGUMENT) as u32 + ahead;
    let argument = places as u32 & FRACTION;
    let argument = if quarter & 1 == 1 { !argument & FRACTION } else { argument };
    let sign = sign ^ (quarter & 2) << 30;
    let number = pattern(sign, interpolate(&SIN, &tables::SIN, 0, argument), SIN.one, 0);
    if size >= INFINITY { NAN } else { number }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::float::mufu;

    /// Every 64th operand, and all next to powers of two.
    #[test]
    fn functions_without_branches_are_those_of_the_unit() {
        type Function = fn(u32) -> u32;
        let functions: [(&str, Function, Function); 10] = [
            ("hyperbolic tangent", tangent, mufu::tanh),
            ("reciprocal", reciprocal, mufu::rcp),
            ("root", root, mufu::sqrt),
            ("reciprocal root", reciprocal_root, mufu::rsq),
            ("logarithm", logarithm, mufu::lg2),
            ("power", power, mufu::ex2),
            ("sine", sine, mufu::sin),
            ("cosine", cosine, mufu::cos),
            ("upper reciprocal", reciprocal_upper, mufu::rcp_upper),
            ("upper reciprocal root", reciprocal_root_upper, mufu::rsq_upper),
        ];
        let step = 1021;
        let near =
            (0..=511u32).flat_map(|k| (0..64u32).map(move |d| (k << 23).wrapping_add(d).wrapping_sub(32)));
        let operands: Vec<u32> = (0..u32::MAX / step).map(|k| k * step).chain(near).collect();
        for (name, function, want) in functions {
            for x in &operands {
                assert_eq!(function(*x), want(*x), "{name} of {x:#x}");
            }
        }
    }
}
