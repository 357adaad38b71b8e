//! The functions that devices approximate, correctly rounded.
//!
//! A result is what both ends of an interval around the value are rounded to, as rounding keeps the order of numbers. Only where they
//! differ, which is one operand in about 2^19, series are summed until they decide (Ziv 1991).

use super::exact::Exact;
use super::wide::product;
use super::{F32, F64, Format, Mode, Nan, Real, encode, near, series};
use crate::types::Bits;

/// The upper half of a `.f64` pattern.
pub(crate) static UPPER: Format =
    Format { name: "upper half of f64", bits: 32, precision: 21, nan: Nan::Canonical(0x7fff_ffff), ..F64 };

/// A function of one number.
pub(crate) struct Function {
    /// Its value.
    pub exact: fn(Real) -> Real,
    /// A first attempt at it, see `near`.
    near: fn(f64) -> f64,
}

/// 1 / x
pub(crate) static RECIPROCAL: Function = Function { exact: reciprocal, near: near::reciprocal };
/// The square root.
pub(crate) static ROOT: Function = Function { exact: root, near: near::root };
/// 1 / √x
pub(crate) static RECIPROCAL_ROOT: Function =
    Function { exact: reciprocal_root, near: near::reciprocal_root };
/// log2(x)
pub(crate) static LOGARITHM: Function = Function { exact: logarithm, near: near::logarithm };
/// 2^x
pub(crate) static POWER: Function = Function { exact: power, near: near::power };
/// tanh(x)
pub(crate) static HYPERBOLIC_TANGENT: Function =
    Function { exact: hyperbolic_tangent, near: near::hyperbolic_tangent };
/// sin(x) for x of `.f32`.
pub(crate) static SINE: Function = Function { exact: sine, near: |x| near::sine(x, 0) };
/// cos(x) for x of `.f32`.
pub(crate) static COSINE: Function = Function { exact: cosine, near: |x| near::sine(x, 1) };

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
pub(crate) fn single(function: &Function, flush: bool, bits: u32) -> u32 {
    machine_single(function, flush, bits).unwrap_or_else(|| {
        let x = operand(&F32, flush, bits.into());
        attempt(function, &F32, flush, x).unwrap_or_else(|| slow_single(function, flush, x)) as u32
    })
}

/// What [`attempt`] does, for `.f32` in the machine's own conversions, which round to nearest as IEEE 754 says. Where numbers may be flushed
/// it says nothing.
fn machine_single(function: &Function, flush: bool, bits: u32) -> Option<u32> {
    let x = f32::from_bits(bits);
    if !x.is_finite() || flush && x.is_subnormal() {
        return None;
    }
    let ends = ends((function.near)(x.into()))?;
    let [low, high] = ends.map(|end| end as f32);
    let same = low.to_bits() == high.to_bits();
    (same && (!flush || low.abs() > f32::MIN_POSITIVE)).then_some(low.to_bits())
}

/// The ends of the interval in which the value lies that an attempt gives, if it gives one.
fn ends(value: f64) -> Option<[f64; 2]> {
    let ends = [value - value * near::ERROR, value + value * near::ERROR];
    ends.iter().all(|end| end.is_finite()).then_some(ends)
}

fn slow_single(function: &Function, flush: bool, x: Real) -> Bits {
    nearest(&F32, flush, F64.decode(nearest(&F64, false, (function.exact)(x))))
}

/// A function's result in a format of at most 24 significant bits.
pub(crate) fn rounded(function: &Function, format: &Format, flush: bool, bits: Bits) -> Bits {
    let single = (format.bits, format.precision) == (F32.bits, F32.precision);
    let machine = if single { machine_single(function, flush, bits as u32) } else { None };
    machine.map_or_else(
        || {
            let x = operand(format, flush, bits);
            attempt(function, format, flush, x).unwrap_or_else(|| nearest(format, flush, (function.exact)(x)))
        },
        Bits::from,
    )
}

/// The pattern of a function's value, with or without rounding to `.f64` before, if a first attempt decides it.
///
/// The ends of the interval are numbers of `.f64`, and the value rounded to `.f64` lies between them, too.
fn attempt(function: &Function, format: &Format, flush: bool, x: Real) -> Option<Bits> {
    let x = f64::from_bits(nearest(&F64, false, x) as u64);
    let [low, high] =
        ends((function.near)(x))?.map(|end| nearest(format, flush, F64.decode(end.to_bits().into())));
    (low == high).then_some(low)
}

/// 1 / x
fn reciprocal(x: Real) -> Real {
    Real::ONE.over(x)
}

/// The square root.
fn root(x: Real) -> Real {
    x.square_root()
}

/// 1 / √x, infinite with the sign of a zero.
fn reciprocal_root(x: Real) -> Real {
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
fn logarithm(x: Real) -> Real {
    match x {
        Real::Zero { .. } | Real::Cancelled => Real::Infinite { negative: true },
        Real::Finite(x) if !x.negative => number(series::logarithm(x)),
        Real::Infinite { negative: false } => x,
        _ => NAN,
    }
}

/// 2^x
fn power(x: Real) -> Real {
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
fn hyperbolic_tangent(x: Real) -> Real {
    match x {
        Real::Finite(x) => Real::Finite(series::hyperbolic_tangent(x)),
        Real::Infinite { negative } => Real::ONE.with_sign(negative),
        _ => x,
    }
}

/// sin(x) for x of `.f32`.
fn sine(x: Real) -> Real {
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
    use super::super::{BF16, F16};
    use super::*;
    use std::io::Read;

    /// What MPFR rounds to `.f64`: operands over all exponents, near 1, near multiples of pi / 2, and random ones.
    const VECTORS: &[u8] = include_bytes!("../../tests/data/rounded.tsv.gz");

    fn function(name: &str) -> &'static Function {
        match name {
            "sqrt" => &ROOT,
            "rsqrt" => &RECIPROCAL_ROOT,
            "lg2" => &LOGARITHM,
            "ex2" => &POWER,
            "tanh" => &HYPERBOLIC_TANGENT,
            "sin" => &SINE,
            "cos" => &COSINE,
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
            let got = nearest(&F64, false, (function(name).exact)(F32.decode(a)));
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

    const ALL: [(&str, &Function); 8] = [
        ("rcp", &RECIPROCAL),
        ("sqrt", &ROOT),
        ("rsqrt", &RECIPROCAL_ROOT),
        ("lg2", &LOGARITHM),
        ("ex2", &POWER),
        ("tanh", &HYPERBOLIC_TANGENT),
        ("sin", &SINE),
        ("cos", &COSINE),
    ];

    /// So many of all operands lie at even steps.
    const EVEN: usize = 65_552;

    /// Every 65521st pattern, those around all powers of two and next to multiples of pi / 2, and random ones.
    fn operands() -> Vec<u32> {
        let mut all: Vec<u32> = (0..=u32::MAX).step_by(65_521).collect();
        for exponent in 0..=0x1ff_u32 {
            let first = exponent << 23;
            all.extend((0..12).chain(0x40_0000 - 4..0x40_0000 + 4).map(|k| first + k));
            all.extend((1..12).map(|k| first.wrapping_sub(k)));
        }
        all.extend((0..4000_u32).flat_map(|k| {
            let near = (f64::from(k) * std::f64::consts::FRAC_PI_2) as f32;
            [near.to_bits().wrapping_sub(1), near.to_bits(), near.to_bits() + 1]
        }));
        let mut random = 0x2545_f491_4f6c_dd1d_u64;
        all.extend((0..60_000).map(|_| {
            random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            (random >> 32) as u32
        }));
        all
    }

    #[test]
    fn first_attempts_decide_nothing_that_series_decide_otherwise() {
        for (name, function) in ALL {
            let mut open = 0;
            for (k, a) in operands().into_iter().enumerate() {
                for flush in [false, true] {
                    let x = operand(&F32, flush, a.into());
                    let exact = (function.exact)(x);
                    let want = nearest(&F32, flush, F64.decode(nearest(&F64, false, exact)));
                    let got = attempt(function, &F32, flush, x);
                    assert!(got.is_none_or(|got| got == want), "{name} of {a:#x}, {flush}: {got:x?}");
                    let got = rounded(function, &F32, flush, a.into());
                    assert_eq!(got, nearest(&F32, flush, exact), "{name} of {a:#x}, {flush}");
                    assert_eq!(Bits::from(single(function, flush, a)), want, "{name} of {a:#x}, {flush}");
                    // Not among the operands that are chosen for being hard.
                    open += u32::from(
                        k < EVEN && exact.finite().is_some() && attempt(function, &F32, flush, x).is_none(),
                    );
                }
            }
            assert!(open < 20, "{name}: {open} are left open");
        }
    }

    #[test]
    fn first_attempts_err_by_less_than_their_bound() {
        for (name, function) in ALL {
            for a in operands() {
                let exact = (function.exact)(F32.decode(a.into()));
                let value = (function.near)(f64::from(f32::from_bits(a)));
                let want = f64::from_bits(nearest(&F64, false, exact) as u64);
                // What is beyond the numbers of the format is of no matter.
                if value.is_finite() && exact.finite().is_some_and(|d| d.top().abs() < 250) {
                    let error = (value - want).abs();
                    assert!(
                        error <= want.abs() * near::ERROR / 2.0,
                        "{name} of {a:#x}: {value:e}, not {want:e}"
                    );
                }
            }
        }
    }

    #[test]
    fn halves_of_both_kinds_are_what_series_make_of_them() {
        for (name, function) in [("ex2", &POWER), ("tanh", &HYPERBOLIC_TANGENT)] {
            for (format, flush) in [(&F16, false), (&BF16, false), (&BF16, true)] {
                for a in 0..=0xffff {
                    let x = operand(format, flush, a);
                    let want = nearest(format, flush, (function.exact)(x));
                    assert_eq!(
                        rounded(function, format, flush, a),
                        want,
                        "{name} of {a:#x}, {}",
                        format.name
                    );
                }
            }
        }
    }
}
