//! First attempts at functions in the machine's double precision: near enough that rounding seldom needs more digits.
//!
//! Only `+`, `-`, `*`, `/` and square roots are used, which IEEE 754 lays down to the last bit, so that all machines get the same. Every
//! function has operands of at most 24 significant bits, of `.f32` or a smaller format, and gives its value with an error of less than
//! [`ERROR`] of it, or NaN where it says nothing. The bounds count an operation's error as u = 2^-53 of its result; each of them is
//! below 2^-45, half of what is promised. Whether an attempt decides the result, `rounded::attempt` tells.

use super::series::TWO_OVER_PI;
use std::f64::consts::{FRAC_PI_2, LN_2};

/// 2^-44
pub(super) const ERROR: f64 = f64::from_bits((1023 - 44) << 52);

/// 1 / x, to u.
pub(super) fn reciprocal(x: f64) -> f64 {
    1.0 / x
}

/// The square root, to u.
pub(super) fn root(x: f64) -> f64 {
    x.sqrt()
}

/// 1 / √x, to 2 u.
pub(super) fn reciprocal_root(x: f64) -> f64 {
    1.0 / x.sqrt()
}

/// 1 / first!, ± 1 / (first + step)!, 1 / (first + 2 step)!, …
const fn factorials<const N: usize>(first: u32, step: u32, alternating: bool) -> [f64; N] {
    let (mut all, mut factorial, mut n, mut k) = ([0.0; N], 1.0, 0, 0);
    while k < N {
        while n < first + step * k as u32 {
            n += 1;
            factorial *= n as f64;
        }
        all[k] = if alternating && k % 2 == 1 { -1.0 / factorial } else { 1.0 / factorial };
        k += 1;
    }
    all
}

/// 1, 1/3, 1/5, …
const fn odd_reciprocals<const N: usize>() -> [f64; N] {
    let (mut all, mut k) = ([0.0; N], 0);
    while k < N {
        all[k] = 1.0 / (2 * k + 1) as f64;
        k += 1;
    }
    all
}

/// c₀ + c₁ t + c₂ t² + …
///
/// All polynomials here have c₀ = 1 and terms that fall by more than half from one to the next, so the steps' errors, too, come to
/// less than 4 u of the sum, and less than 8 u with those of the coefficients (20 u for 1 / 19!, of which next to nothing counts).
fn polynomial<const N: usize>(coefficients: [f64; N], t: f64) -> f64 {
    coefficients.into_iter().rev().fold(0.0, |sum, coefficient| sum * t + coefficient)
}

/// e^t for |t| < 0.35: what 15 terms leave out is below 0.35^15 / 15! < 2^-62.
fn exponential(t: f64) -> f64 {
    polynomial(const { factorials::<15>(0, 1, false) }, t)
}

/// log2(x): with x = 2^k m, 3/4 ≤ m < 3/2 and s = (m - 1) / (m + 1), which is below 1/5 in size, k + 2 s (1 + s²/3 + s⁴/5 + …) / ln 2.
///
/// m ± 1 are exact. 13 terms leave out less than 25^-13 < 2^-60. Logarithm of m and k together are at least 2/3 of the former in size, so
/// that what its error of 16 u becomes in the sum is below 32 u.
pub(super) fn logarithm(x: f64) -> f64 {
    const FRACTION: u64 = (1 << 52) - 1;
    const HALF: u64 = 1 << 51;
    if !(x.is_normal() && x > 0.0) {
        return f64::NAN;
    }
    let bits = x.to_bits();
    let up = u64::from(bits & HALF != 0);
    let whole = (bits >> 52) as i32 - 1023 + up as i32;
    let m = f64::from_bits(bits & FRACTION | (1023 - up) << 52);
    let s = (m - 1.0) / (m + 1.0);
    let ln = 2.0 * s * polynomial(const { odd_reciprocals::<13>() }, s * s);
    f64::from(whole) + ln / LN_2
}

/// 2^x = 2^k e^(y ln 2) with x = k + y, |y| ≤ 1/2: y is exact, y ln 2 has an error of 2 u, and so has its power of e.
///
/// Beyond 256 results are beyond every format that has so many bits, and the same as at 256.
pub(super) fn power(x: f64) -> f64 {
    let x = x.clamp(-256.0, 256.0);
    let (whole, y) = split(x);
    exponential(y * LN_2) * two_to(whole)
}

/// tanh(x) = p / (p + 2) with p = e^(2|x|) - 1.
///
/// Below 1/4, p = t (1 + t/2! + t²/3! + …) with t = 2|x|, of which 14 terms leave out less than 2^-54. Its error of 10 u is no more in the
/// result, which adds 4 u. Above, with t = k ln 2 + r, the error of r is below (2 t + 1) u, that of e^t below (2 t + 9) u, and that of the
/// result 1 / sinh(t) times as much, at most 20 u, and 4 u. Beyond 17 the result is less than 2^-47 from 1, and from that at 17.
pub(super) fn hyperbolic_tangent(x: f64) -> f64 {
    let t = 2.0 * x.clamp(-17.0, 17.0).abs();
    let p = if t < 0.5 {
        t * polynomial(const { factorials::<14>(1, 1, false) }, t)
    } else {
        let (whole, _) = split(t / LN_2);
        exponential(t - f64::from(whole) * LN_2) * two_to(whole) - 1.0
    };
    (p / (p + 2.0)).copysign(x)
}

/// sin(x + quarters·pi/2): by the series of sine or cosine of what is left of x beside quarter turns, at most pi/4 and known to 4 u.
///
/// Ten terms leave out less than 0.62^10 / 20! < 2^-66. The size of an angle up to pi/4 has at most its own relative error as sine and less
/// as cosine.
pub(super) fn sine(x: f64, quarters: u32) -> f64 {
    let (r, quarter) = if x.abs() < 0.5 { (x, 0) } else { reduced(x) };
    let quarter = quarter.wrapping_add(quarters);
    let value = if quarter & 1 == 0 {
        r * polynomial(const { factorials::<10>(1, 2, true) }, r * r)
    } else {
        polynomial(const { factorials::<10>(0, 2, true) }, r * r)
    };
    if quarter & 2 == 0 { value } else { -value }
}

/// What is left of a number from 1/2 to 2^128 beside quarter turns, at most half of one, and how many those are.
///
/// Of the number m·2^e, m of 24 bits, 192 bits of 2 / pi are needed, from the one on that stands for 2^(1-e): earlier ones make whole
/// turns. The product's two highest bits are quarter turns; the next 126 are known but for one unit of the last, and say nothing if the
/// first 60 of them are zeros.
fn reduced(x: f64) -> (f64, u32) {
    /// Zeros before the point.
    const DIGITS: [u64; 7] = {
        let mut digits = [0; 7];
        let mut k = 0;
        while k < 6 {
            digits[k + 1] = TWO_OVER_PI[k];
            k += 1;
        }
        digits
    };
    const LEAST: u128 = 1 << 68;
    let bits = x.to_bits();
    let e = (bits >> 52 & 0x7ff) as i32 - 1023 - 23;
    if !(-24..=104).contains(&e) || bits & ((1 << 29) - 1) != 0 {
        return (f64::NAN, 0);
    }
    let m = bits >> 29 & ((1 << 23) - 1) | 1 << 23;
    // The first bit after the point is the 64th.
    let first = (e + 62) as usize;
    let limb = |k: usize| {
        let pair = u128::from(DIGITS[first / 64 + k]) << 64 | u128::from(DIGITS[first / 64 + k + 1]);
        (pair << (first % 64) >> 64) as u64
    };
    let times = |k: usize, carry: u128| u128::from(limb(k)) * u128::from(m) + (carry >> 64);
    let low = times(2, 0);
    let middle = times(1, low);
    let high = times(0, middle);
    let product = high << 64 | u128::from(middle as u64);
    let (quarters, fraction) = ((product >> 126) as u32, product << 2);
    let past_half = fraction >> 127 == 1;
    let size = if past_half { fraction.wrapping_neg() } else { fraction };
    if size < LEAST {
        return (f64::NAN, 0);
    }
    let r = size as f64 * two_to(-128) * FRAC_PI_2;
    let quarters = quarters.wrapping_add(u32::from(past_half));
    if x < 0.0 {
        (if past_half { r } else { -r }, quarters.wrapping_neg())
    } else {
        (if past_half { -r } else { r }, quarters)
    }
}

/// The nearest whole number, and what is left.
fn split(x: f64) -> (i32, f64) {
    let whole = (x + 0.5_f64.copysign(x)) as i32;
    (whole, x - f64::from(whole))
}

/// 2^k
fn two_to(k: i32) -> f64 {
    f64::from_bits(((1023 + k) as u64) << 52)
}
