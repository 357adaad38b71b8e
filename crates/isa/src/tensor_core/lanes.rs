//! A sum of products on eight columns at a time.
//!
//! Operations of the machine's single and double precision stand for integers here, because vector instructions for them exist
//! everywhere. None rounds where it is not meant to: significands of factors have at most 11 bits, so that their products fit the 24
//! of single precision; scaling is by powers of two; sums are below 2^53 units, which double precision holds.

use super::architecture::{Narrow, Sum};

/// How many columns are computed at once.
pub(super) const COLUMNS: usize = 8;
/// How many terms of less than 2^27 units fit 32 bits with a sign, and one below 2^26 beside them.
const TERMS: usize = 8;

/// A value for each column.
pub(super) type Lanes<T> = [T; COLUMNS];

/// Numbers of all columns at the same k: significands with sign, as whole numbers, and exponents.
#[derive(Clone, Copy)]
pub(super) struct Numbers {
    pub significands: Lanes<f32>,
    pub exponents: Lanes<i32>,
}

/// The power of two with that exponent, which is below 128; 0 where single precision has no normal number.
#[inline(always)]
fn power(exponent: i32) -> f32 {
    f32::from_bits(((exponent + 127).max(0) as u32) << 23)
}

/// The power of two with that exponent, which double precision has as a normal number.
#[inline(always)]
pub(super) fn wide_power(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// The sums of C and the products of a row, a number and its exponent at each k, with all columns. `fraction` are the fraction bits of
/// the significands of a product, `c_fraction` those of C.
#[inline(always)]
pub(super) fn add(
    sum: &Sum,
    row: &[(f32, i32)],
    columns: &[Numbers],
    fraction: u32,
    c: &Numbers,
    c_fraction: u32,
) -> Lanes<u32> {
    let mut top = [sum.least_exponent(); COLUMNS];
    for n in 0..COLUMNS {
        top[n] = top[n].max(c.exponents[n]);
    }
    for ((_, exponent), column) in row.iter().zip(columns) {
        for n in 0..COLUMNS {
            top[n] = top[n].max(exponent + column.exponents[n]);
        }
    }
    let mut totals = [0.0; COLUMNS];
    let (shift, c_shift) = (sum.fraction - fraction as i32, sum.fraction - c_fraction as i32);
    for n in 0..COLUMNS {
        totals[n] = f64::from((c.significands[n] * power(c.exponents[n] - top[n] + c_shift)) as i32);
    }
    for (row, columns) in row.chunks(TERMS).zip(columns.chunks(TERMS)) {
        let mut part = [0; COLUMNS];
        for ((significand, exponent), column) in row.iter().zip(columns) {
            for n in 0..COLUMNS {
                let scale = power(exponent + column.exponents[n] - top[n] + shift);
                part[n] += (significand * column.significands[n] * scale) as i32;
            }
        }
        for n in 0..COLUMNS {
            totals[n] += f64::from(part[n]);
        }
    }
    let mut d = [0; COLUMNS];
    for n in 0..COLUMNS {
        d[n] = narrow(sum.result, totals[n] * wide_power(top[n] - sum.fraction));
    }
    d
}

/// The pattern of an exact sum, rounded.
#[inline(always)]
pub(super) fn narrow(result: Narrow, exact: f64) -> u32 {
    match result {
        Narrow::Single => single(exact, 23),
        Narrow::SingleOf13 => single(exact, 13),
        Narrow::Half => half(exact),
    }
}

/// Towards 0 to so many fraction bits, beyond the greatest number to infinity; never to -0.
#[inline(always)]
fn single(exact: f64, fraction: u32) -> u32 {
    let cut = f64::from_bits(exact.to_bits() & !((1 << (52 - fraction)) - 1));
    if cut.abs() < f64::from(f32::MIN_POSITIVE) {
        let units = (cut.abs() * wide_power(149)) as u32 & !((1 << (23 - fraction)) - 1);
        return if units == 0 { 0 } else { units | u32::from(cut < 0.0) << 31 };
    }
    (cut as f32).to_bits()
}

/// To the nearest number of half precision, of two equally near to the even one; never to -0.
#[inline(always)]
fn half(exact: f64) -> u32 {
    // The unit is that of the number's exponent, or of subnormal numbers; what is added leaves no place for less than a unit.
    let exponent = ((exact.to_bits() >> 52 & 0x7ff) as i32 - 1023).max(-14);
    let full = 1.5 * wide_power(exponent - 10 + 52);
    let rounded = exact + full - full;
    let (size, sign) = (rounded.abs(), u32::from(rounded < 0.0) << 15);
    sign | match size {
        _ if size >= 65536.0 => 0x7c00,
        _ if size < wide_power(-14) => (size * wide_power(24)) as u32,
        _ => ((size as f32).to_bits() >> 13) - (112 << 10),
    }
}
