//! The hardware's unit for approximate functions: eight functions on `.f32`, two on the upper half of `.f64`, bit for bit.
//!
//! Operands and results below the least normal number are zeros of their sign, but for the hyperbolic tangent. Compared on all
//! operands with an H200 (sm_90), and but for that function by others with devices from sm_50 to sm_75; how instructions are made of
//! these functions says [`approximate`](super::approximate).

pub(crate) mod shape;
pub(crate) mod tables;

use shape::{ARGUMENT, EX2, LG2, RCP, RSQ, Row, SIN, SQRT, Shape, TANH, TANH_LEAST};

/// Where exponent and fraction stand in a pattern of 32 bits.
struct Layout {
    exponent: u32,
    fraction: u32,
}

const SINGLE: Layout = Layout { exponent: 8, fraction: 23 };
/// The upper half of a pattern of 64 bits.
const UPPER: Layout = Layout { exponent: 11, fraction: 20 };

const NAN: u32 = 0x7fff_ffff;
const SIGN: u32 = 1 << 31;
const FRACTION: u32 = (1 << ARGUMENT) - 1;

/// What a pattern stands for, its sign apart.
enum Size {
    Nan,
    Infinite,
    Zero,
    /// (1 + fraction / 2^23) 2^exponent
    Normal {
        exponent: i32,
        fraction: u32,
    },
}

impl Layout {
    fn bias(&self) -> i32 {
        (1 << (self.exponent - 1)) - 1
    }

    fn infinity(&self) -> u32 {
        ((1 << self.exponent) - 1) << self.fraction
    }

    fn read(&self, bits: u32) -> (u32, Size) {
        let size = bits & !SIGN;
        let fraction = size & ((1 << self.fraction) - 1);
        let kind = match size >> self.fraction {
            0 => Size::Zero,
            _ if size > self.infinity() => Size::Nan,
            _ if size == self.infinity() => Size::Infinite,
            field => Size::Normal {
                exponent: field as i32 - self.bias(),
                fraction: fraction << (ARGUMENT - self.fraction),
            },
        };
        (bits & SIGN, kind)
    }

    /// The pattern of sum / 2^one * 2^exponent, cut to the significand.
    fn write(&self, sign: u32, sum: i64, one: u32, exponent: i32) -> u32 {
        let Some(top) = sum.checked_ilog2() else { return sign };
        let field = exponent + top as i32 - one as i32 + self.bias();
        if field <= 0 {
            return sign;
        }
        if field as u32 >> self.exponent != 0 || field as u32 == (1 << self.exponent) - 1 {
            return sign | self.infinity();
        }
        let significand = match top.checked_sub(self.fraction) {
            Some(excess) => sum >> excess,
            None => sum << (self.fraction - top),
        };
        sign | (field as u32) << self.fraction | significand as u32 & ((1 << self.fraction) - 1)
    }
}

/// The interpolation for an argument.
fn interpolate(shape: &Shape, rows: &[Row], argument: u32) -> i64 {
    let (row, low) = shape.split(argument);
    shape.interpolate(rows[row], low)
}

/// The part of a table for even or for odd exponents.
fn half<T>(rows: &[T], exponent: i32) -> &[T] {
    let (even, odd) = rows.split_at(rows.len() / 2);
    if exponent % 2 == 0 { even } else { odd }
}

/// The reciprocal.
pub(crate) fn rcp(x: u32) -> u32 {
    reciprocal(&SINGLE, x)
}

/// The reciprocal of a `.f64` number, upper halves both.
pub(crate) fn rcp_upper(x: u32) -> u32 {
    reciprocal(&UPPER, x)
}

fn reciprocal(layout: &Layout, x: u32) -> u32 {
    match layout.read(x) {
        (_, Size::Nan) => NAN,
        (sign, Size::Infinite) => sign,
        (sign, Size::Zero) => sign | layout.infinity(),
        (sign, Size::Normal { exponent, fraction }) => {
            layout.write(sign, interpolate(&RCP, &tables::RCP, fraction), RCP.one, -exponent)
        }
    }
}

/// The square root.
pub(crate) fn sqrt(x: u32) -> u32 {
    match SINGLE.read(x) {
        (_, Size::Nan) | (SIGN, Size::Infinite | Size::Normal { .. }) => NAN,
        (_, Size::Infinite) => x,
        (sign, Size::Zero) => sign,
        (sign, Size::Normal { exponent, fraction }) => {
            let sum = interpolate(&SQRT, half(&tables::SQRT, exponent), fraction);
            SINGLE.write(sign, sum, SQRT.one, exponent.div_euclid(2))
        }
    }
}

/// The reciprocal of the square root.
pub(crate) fn rsq(x: u32) -> u32 {
    reciprocal_root(&SINGLE, x)
}

/// The reciprocal of the square root of a `.f64` number, upper halves both.
pub(crate) fn rsq_upper(x: u32) -> u32 {
    reciprocal_root(&UPPER, x)
}

fn reciprocal_root(layout: &Layout, x: u32) -> u32 {
    match layout.read(x) {
        (_, Size::Nan) | (SIGN, Size::Infinite | Size::Normal { .. }) => NAN,
        (_, Size::Infinite) => 0,
        (sign, Size::Zero) => sign | layout.infinity(),
        (sign, Size::Normal { exponent, fraction }) => {
            let power_of_four = fraction == 0 && exponent % 2 == 0;
            let sum = interpolate(&RSQ, half(&tables::RSQ, exponent), fraction);
            let sum = if power_of_four { 1 << RSQ.one } else { sum };
            layout.write(sign, sum, RSQ.one, -exponent.div_euclid(2))
        }
    }
}

/// The logarithm to base 2.
pub(crate) fn lg2(x: u32) -> u32 {
    /// Low places of the sum that are left out.
    const CLEARED: u32 = 20;
    match SINGLE.read(x) {
        (_, Size::Zero) => SIGN | SINGLE.infinity(),
        (_, Size::Nan) | (SIGN, _) => NAN,
        (_, Size::Infinite) => x,
        (_, Size::Normal { exponent: 0, fraction: 0 }) => 0,
        (_, Size::Normal { exponent, fraction }) => {
            let sum = interpolate(&LG2, &tables::LG2, fraction) + (i64::from(exponent) << LG2.one);
            let sign = if sum < 0 { SIGN } else { 0 };
            SINGLE.write(sign, sum.abs() >> CLEARED << CLEARED, LG2.one, 0)
        }
    }
}

/// The power of 2.
pub(crate) fn ex2(x: u32) -> u32 {
    let (sign, size) = SINGLE.read(x);
    let (whole, fraction) = match size {
        Size::Nan => return NAN,
        Size::Zero => (0, 0),
        Size::Normal { exponent, fraction } if exponent < 8 => {
            // Places below the 23rd of the fraction are cut off.
            let fixed = u64::from(fraction | 1 << ARGUMENT) << 8 >> (8 - exponent).min(63);
            ((fixed >> ARGUMENT) as i32, fixed as u32 & FRACTION)
        }
        _ if sign == 0 => return SINGLE.infinity(),
        _ => return 0,
    };
    let (whole, fraction) = match (sign, fraction) {
        (0, _) => (whole, fraction),
        (_, 0) => (-whole, 0),
        _ => (-whole - 1, !fraction & FRACTION),
    };
    SINGLE.write(0, interpolate(&EX2, &tables::EX2, fraction), EX2.one, whole)
}

/// The hyperbolic tangent, of which small numbers are left as they are, subnormal ones too; from 8 on it is 1.
pub(crate) fn tanh(x: u32) -> u32 {
    /// 1
    const ONE: u32 = 0x3f80_0000;
    let (sign, size) = (x & SIGN, x & !SIGN);
    if size > SINGLE.infinity() {
        return NAN;
    }
    let field = size >> ARGUMENT;
    let Some(binade) = field.checked_sub(TANH_LEAST) else { return x };
    let Some(&(first, bits)) = tables::TANH_BINADES.get(binade as usize) else { return sign | ONE };
    let argument = (size & FRACTION) >> (TANH.index - u32::from(bits));
    let (row, low) = TANH.split(argument);
    SINGLE.write(sign, TANH.interpolate(tables::TANH[usize::from(first) + row], low), TANH.one, 0)
}

/// The sine of so many turns.
pub(crate) fn sin(turns: u32) -> u32 {
    circular(turns, 0)
}

/// The cosine of so many turns.
pub(crate) fn cos(turns: u32) -> u32 {
    circular(turns & !SIGN, 1)
}

/// The sine of so many turns and so many quarters; in odd quarters its table is read from the other end, which is the complement
/// of the fraction and not its difference to 1.
fn circular(turns: u32, ahead: u32) -> u32 {
    let (sign, size) = SINGLE.read(turns);
    let places = match size {
        Size::Nan | Size::Infinite => return NAN,
        Size::Zero => 0,
        Size::Normal { exponent, fraction } => {
            // Quarters of a turn with 23 places below them; whole turns are of no matter.
            let significand = u64::from(fraction | 1 << ARGUMENT);
            match exponent + 2 {
                left @ 0..25 => significand << left,
                right @ -24..0 => significand >> -right,
                _ => 0,
            }
        }
    };
    let quarter = (places >> ARGUMENT) as u32 + ahead;
    let fraction = places as u32 & FRACTION;
    let fraction = if quarter & 1 == 1 { !fraction & FRACTION } else { fraction };
    let sign = if quarter & 2 != 0 { sign ^ SIGN } else { sign };
    SINGLE.write(sign, interpolate(&SIN, &tables::SIN, fraction), SIN.one, 0)
}
