//! A sum of products on eight columns at a time.
//!
//! Operations of the machine's double precision stand for integers here, because vector instructions for them exist everywhere.
//! Products of factors with at most 12 significant bits are exact. A running sum begins so great that its last place is the unit to which
//! terms are cut: adding a term rounds it to nearest, and what is almost half a unit nearer to 0 is thereby cut.

use super::architecture::{Narrow, Sum};
use super::decoded::{LANES, Lanes, Numbers, power};

/// Less than half a unit by less than the last place of any term can be worth, which has 24 significant bits and is below 2^27 units.
const ALMOST_HALF: f64 = 0.5 - 1.0 / (1 << 26) as f64;

/// What a running sum begins with, in units: its exponent stays the same, whatever is added or subtracted.
const FULL: f64 = 1.5 * (1u64 << 52) as f64;

/// The running sum, and a term cut off towards 0 to whole units.
#[inline(always)]
fn plus(total: f64, term: f64, almost_half: f64) -> f64 {
    total + (term - f64::from_bits(term.to_bits() & 1 << 63 | almost_half.to_bits()))
}

/// The sums of C and the products of a row, a number and its exponent at each k, with all columns.
#[inline(always)]
pub(super) fn add(sum: &Sum, row: &[(f64, f32)], columns: &[Numbers], c: &Numbers) -> Lanes<u32> {
    let mut top = [sum.least_exponent() as f32; LANES];
    for (top, c) in top.iter_mut().zip(&c.exponents) {
        *top = if *c > *top { *c } else { *top };
    }
    for ((_, exponent), column) in row.iter().zip(columns) {
        for (top, of_column) in top.iter_mut().zip(&column.exponents) {
            let exponent = exponent + of_column;
            *top = if exponent > *top { exponent } else { *top };
        }
    }
    let (mut almost_half, mut full, mut totals) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
    for n in 0..LANES {
        // A small whole number becomes the low bits of a pattern when this is added.
        const WHOLE: f32 = 12_582_912.0;
        let unit = power((top[n] + WHOLE).to_bits() as i32 - WHOLE.to_bits() as i32 - sum.fraction);
        (almost_half[n], full[n]) = (unit * ALMOST_HALF, unit * FULL);
        totals[n] = plus(full[n], c.values[n], almost_half[n]);
    }
    for ((value, _), column) in row.iter().zip(columns) {
        for n in 0..LANES {
            totals[n] = plus(totals[n], value * column.values[n], almost_half[n]);
        }
    }
    for n in 0..LANES {
        totals[n] -= full[n];
    }
    narrow(sum.result, &totals)
}

/// The patterns of exact sums, rounded.
#[inline(always)]
pub(super) fn narrow(result: Narrow, exact: &Lanes<f64>) -> Lanes<u32> {
    match result {
        Narrow::Single => single(exact, 23),
        Narrow::SingleOf13 => single(exact, 13),
        Narrow::Half => exact.map(half),
    }
}

/// Towards 0 to so many fraction bits, beyond the greatest number to infinity; never to -0.
#[inline(always)]
fn single(exact: &Lanes<f64>, fraction: u32) -> Lanes<u32> {
    let mut d = [0; LANES];
    let mut small = 0;
    for n in 0..LANES {
        let cut = f64::from_bits(exact[n].to_bits() & !((1 << (52 - fraction)) - 1));
        d[n] = (cut as f32).to_bits();
        small |= u32::from(cut.abs() < f64::from(f32::MIN_POSITIVE)) & u32::from(cut != 0.0);
    }
    if small != 0 {
        for n in (0..LANES).filter(|n| exact[*n].abs() < f64::from(f32::MIN_POSITIVE)) {
            let units = (exact[n].abs() * power(149)) as u32 & !((1 << (23 - fraction)) - 1);
            d[n] = if units == 0 { 0 } else { units | u32::from(exact[n] < 0.0) << 31 };
        }
    }
    d
}

/// To the nearest number of half precision, of two equally near to the even one; never to -0.
#[inline(always)]
fn half(exact: f64) -> u32 {
    // The unit is that of the number's exponent, or of subnormal numbers; what is added leaves no place for less than a unit.
    let exponent = (exact.to_bits() >> 52 & 0x7ff) as i32 - 1023;
    let exponent = if exponent > -14 { exponent } else { -14 };
    let full = power(exponent - 10) * FULL;
    let rounded = exact + full - full;
    let (size, sign) = (rounded.abs(), u32::from(rounded < 0.0) << 15);
    let normal = ((size as f32).to_bits() >> 13).wrapping_sub(112 << 10);
    let subnormal = (size + power(52 - 24)).to_bits() as u32;
    sign | if size >= 65536.0 {
        0x7c00
    } else if size < power(-14) {
        subnormal
    } else {
        normal
    }
}
