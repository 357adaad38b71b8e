//! The approximate instructions as the code that ptxas 13.5 generates computes them: a few exact steps around a unit's functions.
//!
//! The unit is the hardware's or, as where ptxas computes with literals, one whose functions are correctly rounded.

use super::rounded::{self, nearest, operand, single};
use super::{F16, F32, F64, Format, Mode, Real, encode, mufu};
use crate::Bits;

/// The functions of a unit on `.f32`; operands and results below the least normal number are zeros.
pub(crate) struct Unit {
    rcp: fn(u32) -> u32,
    sqrt: fn(u32) -> u32,
    rsq: fn(u32) -> u32,
    lg2: fn(u32) -> u32,
    ex2: fn(u32) -> u32,
    /// Of radians.
    sin: fn(u32) -> u32,
    cos: fn(u32) -> u32,
}

/// The hardware's.
pub(crate) static DEVICE: Unit = Unit {
    rcp: mufu::rcp,
    sqrt: mufu::sqrt,
    rsq: mufu::rsq,
    lg2: mufu::lg2,
    ex2: mufu::ex2,
    sin: |x| mufu::sin(turns(x)),
    cos: |x| mufu::cos(turns(x)),
};

/// Correctly rounded ones.
pub(crate) static FOLDED: Unit = Unit {
    rcp: |x| single(&rounded::RECIPROCAL, true, x),
    sqrt: |x| single(&rounded::ROOT, true, x),
    rsq: |x| single(&rounded::RECIPROCAL_ROOT, true, x),
    lg2: |x| single(&rounded::LOGARITHM, true, x),
    ex2: |x| single(&rounded::POWER, true, x),
    sin: |x| single(&rounded::SINE, true, x),
    cos: |x| single(&rounded::COSINE, true, x),
};

/// 1 / 2 pi
const TURNS_A_RADIAN: u32 = 0x3e22_f983;
const SIGN: u32 = 1 << 31;
const LEAST_NORMAL: u32 = 0x0080_0000;
/// 2^126, of which the reciprocal is the least normal number.
const GREATEST_WITH_NORMAL_RECIPROCAL: u32 = 0x7e80_0000;

fn single_value(real: Real, mode: Mode, flush: bool) -> u32 {
    encode(&F32, mode, flush, real, &[]) as u32
}

fn real(bits: u32, flush: bool) -> Real {
    operand(&F32, flush, bits.into())
}

fn product(a: u32, b: u32, flush: bool) -> u32 {
    single_value(real(a, flush).times(real(b, flush)), Mode::Nearest, flush)
}

/// The product with 2^k.
fn scaled(x: u32, k: i32) -> u32 {
    product(x, ((127 + k) as u32) << 23, false)
}

fn turns(x: u32) -> u32 {
    single_value(real(x, false).times(real(TURNS_A_RADIAN, false)), Mode::Zero, false)
}

fn size(x: u32) -> u32 {
    x & !SIGN
}

fn is_small(x: u32) -> bool {
    size(x) < LEAST_NORMAL
}

/// `rcp.approx`
pub(crate) fn rcp(unit: &Unit, flush: bool, x: u32) -> u32 {
    let scale = match size(x) {
        _ if flush => return (unit.rcp)(x),
        size if size > GREATEST_WITH_NORMAL_RECIPROCAL => -2,
        size if size < LEAST_NORMAL => 24,
        _ => 0,
    };
    scaled((unit.rcp)(scaled(x, scale)), scale)
}

/// `sqrt.approx`
pub(crate) fn sqrt(unit: &Unit, flush: bool, x: u32) -> u32 {
    if is_small(x) && !flush { scaled((unit.sqrt)(scaled(x, 24)), -12) } else { (unit.sqrt)(x) }
}

/// `rsqrt.approx`
pub(crate) fn rsqrt(unit: &Unit, flush: bool, x: u32) -> u32 {
    if is_small(x) && !flush { scaled((unit.rsq)(scaled(x, 24)), 12) } else { (unit.rsq)(x) }
}

/// `lg2.approx`
pub(crate) fn lg2(unit: &Unit, flush: bool, x: u32) -> u32 {
    /// 24
    const PLACES: u32 = 0x41c0_0000;
    if !is_small(x) || flush {
        return (unit.lg2)(x);
    }
    let log = real((unit.lg2)(scaled(x, 24)), false);
    single_value(log.minus(real(PLACES, false)), Mode::Nearest, false)
}

/// `ex2.approx`
pub(crate) fn ex2(unit: &Unit, flush: bool, x: u32) -> u32 {
    /// -126
    const LEAST_EXPONENT: u32 = 0xc2fc_0000;
    if x <= LEAST_EXPONENT || size(x) > 0x7f80_0000 || flush {
        return (unit.ex2)(x);
    }
    let root = (unit.ex2)(scaled(x, -1));
    product(root, root, false)
}

/// `sin.approx`: turns below the least normal number are zero to the unit anyway.
pub(crate) fn sin(unit: &Unit, _: bool, x: u32) -> u32 {
    (unit.sin)(x)
}

/// `cos.approx`
pub(crate) fn cos(unit: &Unit, _: bool, x: u32) -> u32 {
    (unit.cos)(x)
}

/// `tanh.approx`: there is but the hardware's.
pub(crate) fn tanh(_: &Unit, _: bool, x: u32) -> u32 {
    mufu::tanh(x)
}

/// Half-precision numbers: the result on `.f32` is cut off, and what is beyond the format is infinite.
pub(crate) fn half(format: &Format, x: Bits, steps: impl Fn(u32) -> u32) -> Bits {
    /// 2^16, above all numbers of `.f16`.
    const BEYOND: u32 = 0x4780_0000;
    let d = steps(encode(&F32, Mode::Nearest, false, format.decode(x), &[]) as u32);
    if *format == F16 && (BEYOND..=0x7f80_0000).contains(&size(d)) {
        return Bits::from(d & SIGN) >> 16 | format.infinity().unwrap_or(0);
    }
    encode(format, Mode::Zero, false, F32.decode(d.into()), &[])
}

/// `div.approx`
pub(crate) fn div(unit: &Unit, flush: bool, a: u32, b: u32) -> u32 {
    let k = if is_small(b) && !flush { 24 } else { 0 };
    let (a, b) = if k == 0 { (a, b) } else { (scaled(a, k), scaled(b, k)) };
    product(a, (unit.rcp)(b), flush)
}

/// `div.full`
pub(crate) fn div_full(unit: &Unit, flush: bool, a: u32, b: u32) -> u32 {
    let k = match size(b) {
        size if size > GREATEST_WITH_NORMAL_RECIPROCAL => -2,
        size if size < LEAST_NORMAL && !flush => 24,
        _ => return product(a, (unit.rcp)(b), flush),
    };
    let by = |x| product(x, ((127 + k) as u32) << 23, flush);
    product(by(a), (unit.rcp)(by(b)), flush)
}

/// `rcp.approx.ftz.f64`: the upper half of the operand makes that of the result, the lower ones are of no matter.
pub(crate) fn rcp_upper(x: u64) -> u64 {
    u64::from(mufu::rcp_upper((x >> 32) as u32)) << 32
}

/// `rsqrt.approx.ftz.f64`
pub(crate) fn rsqrt_upper(x: u64) -> u64 {
    u64::from(mufu::rsq_upper((x >> 32) as u32)) << 32
}

/// `rsqrt.approx.f64`: two steps of refinement from what the unit gives.
pub(crate) fn rsqrt_double(x: u64) -> u64 {
    let nearest = |real| nearest(&F64, false, real);
    match F64.decode(x.into()) {
        Real::Nan { .. } => F64.nan(&[x.into()]) as u64,
        Real::Zero { negative } => nearest(Real::Infinite { negative }) as u64,
        Real::Infinite { negative: false } => 0,
        Real::Finite(exact) if !exact.negative => {
            if !F64.is_subnormal(x.into()) {
                return refined(x);
            }
            let double = |real: Real, k: i32| nearest(real.times(F64.decode(((1023 + k) as u128) << 52)));
            let root = refined(double(F64.decode(x.into()), 54) as u64);
            double(F64.decode(root.into()), 27) as u64
        }
        _ => F64.nan(&[]) as u64,
    }
}

/// y + p y e with y the unit's value, e = 1 - x y^2 and p = 1/2 + 3/8 e, every step rounded.
fn refined(x: u64) -> u64 {
    /// 3/8 and 1/2
    const BY: [u128; 2] = [0x3fd8_0000_0000_0000, 0x3fe0_0000_0000_0000];
    let step = |real| F64.decode(nearest(&F64, false, real));
    let [three_eighths, half] = BY.map(|bits| F64.decode(bits));
    let (x, y) = (F64.decode(x.into()), F64.decode(rsqrt_upper(x).into()));
    let e = step(x.times(step(y.times(y)).negated()).plus(Real::ONE));
    let p = step(e.times(three_eighths).plus(half));
    nearest(&F64, false, p.times(step(y.times(e))).plus(y)) as u64
}
