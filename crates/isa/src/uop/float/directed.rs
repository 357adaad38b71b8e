//! Single elements of `.f64`, rounded in another direction than to the nearest: the nearest number, or the one beside it.

use super::{Float, Rounding};
use crate::float::{F64, Mode, Real, encode};

/// The size of results between which what was lost is a number itself: patterns of 2^-900 and 2^1000.
const LEAST: u64 = (1023 - 900) << 52;
const MOST: u64 = (1023 + 1000) << 52;
const SIGN: u64 = 1 << 63;

/// The result of `+`, `-`, `*`, a fused product and sum, `/` or a square root, rounded towards 0, downwards or upwards.
#[inline(always)]
pub fn directed(float: Float, rounding: Rounding, a: u64, b: u64, c: u64) -> u64 {
    let nearest = float.eval64(a, b, c);
    if f64::from_bits(nearest).is_nan() {
        return nearest;
    }
    let size = nearest & !SIGN;
    match lost(float, [a, b].map(f64::from_bits), f64::from_bits(nearest)) {
        Some(lost) if LEAST < size && size < MOST => beside(rounding, nearest, lost),
        _ => exactly(float, rounding, [a, b, c]),
    }
}

/// By how much the exact result is more than the nearest number, or something of the same sign; none if that may not be a number.
#[inline(always)]
fn lost(float: Float, [x, y]: [f64; 2], nearest: f64) -> Option<f64> {
    let of_sum = |y: f64| {
        let taken = nearest - x;
        (x - (nearest - taken)) + (y - taken)
    };
    match float {
        Float::Add => Some(of_sum(y)),
        Float::Sub => Some(of_sum(-y)),
        Float::Mul => Some(x.mul_add(y, -nearest)),
        // What is left must not be below the least number.
        Float::Div if x.to_bits() & !SIGN > LEAST => {
            let left = (-nearest).mul_add(y, x);
            Some(if y < 0.0 { -left } else { left })
        }
        Float::Sqrt if x.to_bits() > LEAST => Some((-nearest).mul_add(nearest, x)),
        _ => None,
    }
}

/// The nearest number, or the one beside it if the exact result lies between them and that one is wanted.
#[inline(always)]
fn beside(rounding: Rounding, nearest: u64, lost: f64) -> u64 {
    let negative = nearest & SIGN != 0;
    let (down, up) = match rounding {
        Rounding::Down => (lost < 0.0, false),
        Rounding::Up => (false, lost > 0.0),
        Rounding::Zero => (lost < 0.0 && !negative, lost > 0.0 && negative),
        Rounding::Nearest | Rounding::Odd => (false, false),
    };
    let greater = u64::from(if negative { down } else { up });
    let lesser = u64::from(if negative { up } else { down });
    nearest + greater - lesser
}

/// The same from the exact result.
#[cold]
fn exactly(float: Float, rounding: Rounding, operands: [u64; 3]) -> u64 {
    let [a, b, c] = operands.map(|bits| F64.decode(bits.into()));
    let result = match float {
        Float::Add => a.plus(b),
        Float::Sub => a.minus(b),
        Float::Mul => a.times(b),
        Float::Fma => a.times(b).plus(c),
        Float::Div => a.over(b),
        Float::Sqrt => a.square_root(),
        _ => Real::Nan { negative: false },
    };
    let mode = match rounding {
        Rounding::Zero => Mode::Zero,
        Rounding::Down => Mode::Down,
        Rounding::Up => Mode::Up,
        Rounding::Nearest | Rounding::Odd => Mode::Nearest,
    };
    encode(&F64, mode, false, result, &[]) as u64
}
