//! A sum of products in many lanes at a time.
//!
//! Operations of the machine's double precision stand for integers here, because vector instructions for them exist everywhere.
//! Products of factors with at most 12 significant bits are exact. A running sum begins so great that its last place is the unit to which
//! terms are cut: adding a term rounds it to nearest, and what is almost half a unit nearer to 0 is thereby cut.

use super::architecture::{Narrow, Sum};
use super::decoded::{Numbers, power};
use super::workspace::LANES;

/// Less than half a unit by less than the last place of any term can be worth, which has 24 significant bits and is below 2^27 units.
const ALMOST_HALF: f64 = 0.5 - 1.0 / (1 << 26) as f64;

/// What a running sum begins with, in units: its exponent stays the same, whatever is added or subtracted.
const FULL: f64 = 1.5 * (1u64 << 52) as f64;

/// The running sum, and a term cut off towards 0 to whole units.
#[inline(always)]
fn plus(total: f64, term: f64, almost_half: f64) -> f64 {
    total + (term - f64::from_bits(term.to_bits() & 1 << 63 | almost_half.to_bits()))
}

/// What is added: lines of one matrix, and at each k all elements of the other one.
#[derive(Clone, Copy)]
pub(super) struct Terms<'a> {
    pub along: (&'a [[f64; LANES]], &'a [[f32; LANES]]),
    pub across: (&'a [f64], &'a [f32]),
    /// Columns of the other one.
    pub columns: usize,
}

/// The sums of C and of the products of lines with the numbers in column `n` of the other matrix, aligned to `least` at least.
#[inline(always)]
pub(super) fn add(sum: &Sum, least: f32, terms: &Terms, n: usize, c: &Numbers<LANES>) -> [u32; LANES] {
    let Terms { along, across, columns } = *terms;
    let mut top = [least; LANES];
    for (top, c) in top.iter_mut().zip(&c.exponents) {
        *top = if *c > *top { *c } else { *top };
    }
    for (exponents, others) in along.1.iter().zip(across.1.chunks_exact(columns)) {
        let other = others[n];
        for l in 0..LANES {
            let exponent = exponents[l] + other;
            top[l] = if exponent > top[l] { exponent } else { top[l] };
        }
    }
    let (mut almost_half, mut full, mut totals) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
    for l in 0..LANES {
        // A small whole number becomes the low bits of a pattern when this is added.
        const WHOLE: f32 = 12_582_912.0;
        let unit = power((top[l] + WHOLE).to_bits() as i32 - WHOLE.to_bits() as i32 - sum.fraction);
        (almost_half[l], full[l]) = (unit * ALMOST_HALF, unit * FULL);
    }
    for l in 0..LANES {
        totals[l] = plus(full[l], c.values[l], almost_half[l]);
    }
    for (values, others) in along.0.iter().zip(across.0.chunks_exact(columns)) {
        let other = others[n];
        for l in 0..LANES {
            totals[l] = plus(totals[l], values[l] * other, almost_half[l]);
        }
    }
    for l in 0..LANES {
        totals[l] -= full[l];
    }
    narrow(sum.result, &totals)
}

/// The patterns of exact sums, rounded.
#[inline(always)]
pub(super) fn narrow<const L: usize>(result: Narrow, exact: &[f64; L]) -> [u32; L] {
    match result {
        Narrow::Single => single(exact, 23),
        Narrow::SingleOf13 => single(exact, 13),
        Narrow::Half => {
            let mut d = [0; L];
            for l in 0..L {
                d[l] = half(exact[l]);
            }
            d
        }
    }
}

/// Towards 0 to so many fraction bits, beyond the greatest number to infinity; never to -0.
#[inline(always)]
fn single<const L: usize>(exact: &[f64; L], fraction: u32) -> [u32; L] {
    let mut d = [0; L];
    let mut small = 0;
    for l in 0..L {
        let cut = f64::from_bits(exact[l].to_bits() & !((1 << (52 - fraction)) - 1));
        d[l] = (cut as f32).to_bits();
        small |= u32::from(cut.abs() < f64::from(f32::MIN_POSITIVE)) & u32::from(cut != 0.0);
    }
    if small != 0 { with_subnormal(*exact, d, fraction) } else { d }
}

/// The same where numbers below the least normal one are among them.
#[cold]
#[inline(never)]
fn with_subnormal<const L: usize>(exact: [f64; L], mut d: [u32; L], fraction: u32) -> [u32; L] {
    for (d, exact) in d.iter_mut().zip(exact).filter(|(_, exact)| exact.abs() < f64::from(f32::MIN_POSITIVE))
    {
        let units = (exact.abs() * power(149)) as u32 & !((1 << (23 - fraction)) - 1);
        *d = if units == 0 { 0 } else { units | u32::from(exact < 0.0) << 31 };
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

/// A number of single precision to the nearest of half precision, with its sign.
#[inline(always)]
pub(super) fn half_of(single: u32) -> u32 {
    // Infinity becomes what is far beyond the greatest number.
    let number = f64::from(f32::from_bits(single)).clamp(-1e9, 1e9);
    half(number) | single >> 31 << 15
}
