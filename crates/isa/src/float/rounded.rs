//! The functions that devices approximate, correctly rounded.

use super::exact::Exact;
use super::wide::product;
use super::{F32, F64, Format, Mode, Nan, Real, encode, series};
use crate::types::Bits;

/// The upper half of a `.f64` pattern.
pub(crate) static UPPER: Format =
    Format { name: "upper half of f64", bits: 32, precision: 21, nan: Nan::Canonical(0x7fff_ffff), ..F64 };

/// A function of one number.
pub(crate) type Function = fn(Real) -> Real;

const NAN: Real = Real::Nan { negative: true };
const ZERO: Real = Real::Zero { negative: false };

/// The pattern of the number nearest to a real one.
pub(crate) fn nearest(format: &Format, flush: bool, real: Real) -> Bits {
    encode(format, Mode::Nearest, flush, real, &[])
}

/// What a pattern stands for, a zero of its sign instead of a number below the least normal one with `flush`.
pub(crate) fn operand(format: &Format, flush: bool, bits: Bits) -> Real {
    if flush && format.is_subnormal(bits) {
        return Real::Zero { negative: bits & format.sign_bit() != 0 };
    }
    format.decode(bits)
}

/// A function on `.f32`: its value rounded to `.f64`, and that to `.f32`, as ptxas does it with literals.
pub(crate) fn single(function: Function, flush: bool, bits: u32) -> u32 {
    let value = function(operand(&F32, flush, bits.into()));
    nearest(&F32, flush, F64.decode(nearest(&F64, false, value))) as u32
}

/// 1 / x
pub(crate) fn reciprocal(x: Real) -> Real {
    Real::ONE.over(x)
}

/// The square root.
pub(crate) fn root(x: Real) -> Real {
    x.square_root()
}

/// 1 / √x, infinite with the sign of a zero.
pub(crate) fn reciprocal_root(x: Real) -> Real {
    match x {
        Real::Finite(x) if !x.negative => Real::Finite(inverse_root(x)),
        Real::Infinite { negative: false } => ZERO,
        Real::Zero { negative } => Real::Infinite { negative },
        _ => NAN,
    }
}

/// 1 / √x for x above 0 of at most 64 bits.
fn inverse_root(x: Exact) -> Exact {
    let odd = x.e.rem_euclid(2);
    let (m, e) = (x.m << odd, x.e - odd);
    // The greatest q with q^2 m ≤ 2^2k, of 63 or 64 bits.
    let k = 63 + (127 - m.leading_zeros()).div_ceil(2);
    let below = |q: u64| {
        let (high, low) = product(u128::from(q) * u128::from(q), m);
        let limit = if 2 * k < 128 { (0, 1 << (2 * k)) } else { (1 << (2 * k - 128), 0) };
        ((high, low) <= limit, (high, low) == limit)
    };
    let q = (0..64).rev().fold(0_u64, |q, bit| if below(q | 1 << bit).0 { q | 1 << bit } else { q });
    Exact { negative: false, m: q.into(), e: -(e / 2) - k as i32, more: !below(q).1 }
}

/// log2(x)
pub(crate) fn logarithm(x: Real) -> Real {
    match x {
        Real::Zero { .. } | Real::Cancelled => Real::Infinite { negative: true },
        Real::Finite(x) if !x.negative => number(series::logarithm(x)),
        Real::Infinite { negative: false } => x,
        _ => NAN,
    }
}

/// 2^x
pub(crate) fn power(x: Real) -> Real {
    match x {
        // Far beyond the exponents of every format.
        Real::Finite(x) if x.top() >= 14 => Real::Finite(Exact {
            negative: false,
            m: 1,
            e: if x.negative { -1 << 14 } else { 1 << 14 },
            more: true,
        }),
        Real::Finite(x) => Real::Finite(series::power(x)),
        Real::Infinite { negative: true } => ZERO,
        Real::Zero { .. } | Real::Cancelled => Real::ONE,
        _ => x,
    }
}

/// tanh(x)
pub(crate) fn hyperbolic_tangent(x: Real) -> Real {
    match x {
        Real::Finite(x) => Real::Finite(series::hyperbolic_tangent(x)),
        Real::Infinite { negative } => Real::ONE.with_sign(negative),
        _ => x,
    }
}

/// sin(x) for x of `.f32`.
pub(crate) fn sine(x: Real) -> Real {
    match x {
        Real::Finite(x) => Real::Finite(series::sine(x, 0)),
        Real::Infinite { .. } => NAN,
        _ => x,
    }
}

/// cos(x) for x of `.f32`.
pub(crate) fn cosine(x: Real) -> Real {
    match x {
        Real::Finite(x) => Real::Finite(series::sine(x, 1)),
        Real::Infinite { .. } => NAN,
        Real::Nan { .. } => x,
        _ => Real::ONE,
    }
}

/// A number that may be 0.
fn number(exact: Exact) -> Real {
    if exact.is_zero() { ZERO } else { Real::Finite(exact) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    /// What MPFR rounds to `.f64`: operands over all exponents, near 1, near multiples of pi / 2, and random ones.
    const VECTORS: &[u8] = include_bytes!("../../tests/data/rounded.tsv.gz");

    fn function(name: &str) -> Function {
        match name {
            "sqrt" => root,
            "rsqrt" => reciprocal_root,
            "lg2" => logarithm,
            "ex2" => power,
            "tanh" => hyperbolic_tangent,
            "sin" => sine,
            "cos" => cosine,
            other => panic!("{other}"),
        }
    }

    #[test]
    fn every_value_is_rounded_as_mpfr_rounds_it() {
        let mut text = String::new();
        flate2::read::GzDecoder::new(VECTORS).read_to_string(&mut text).unwrap();
        let (mut rows, mut wrong) = (0, Vec::new());
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let [name, a, d] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
            let [a, d] = [a, d].map(|hex| Bits::from_str_radix(hex, 16).unwrap());
            let got = nearest(&F64, false, function(name)(F32.decode(a)));
            if got != d {
                wrong.push(format!("{line}: got {got:x}"));
            }
            rows += 1;
        }
        assert_eq!(rows, 51_911);
        assert!(
            wrong.is_empty(),
            "{} mismatches, among them: {:#?}",
            wrong.len(),
            &wrong[..wrong.len().min(20)]
        );
    }
}
