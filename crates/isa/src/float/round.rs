//! Rounding: the only place where an exact number becomes a pattern.

use super::exact::{Exact, Rest};
use super::format::Format;
use super::real::Real;
use crate::types::Bits;
use crate::words::Word;

/// In which direction a number that a format does not have is rounded.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mode {
    /// To the nearest, of two equally near to the even one (`.rn`).
    Nearest,
    /// To the nearest, of two equally near to the one further from 0 (`.rna`).
    NearestAway,
    /// Towards 0 (`.rz`).
    Zero,
    /// Towards negative infinity (`.rm`).
    Down,
    /// Towards positive infinity (`.rp`).
    Up,
}

impl Mode {
    /// The mode that a word names, those of integral rounding included; to the nearest even without one.
    pub fn of(word: Word) -> Mode {
        match word {
            Word::Rz | Word::Rzi => Mode::Zero,
            Word::Rm | Word::Rmi => Mode::Down,
            Word::Rp | Word::Rpi => Mode::Up,
            Word::Rna => Mode::NearestAway,
            _ => Mode::Nearest,
        }
    }

    /// Whether so many units of a number with that sign and so much more become one unit more.
    fn raises(self, negative: bool, units: u128, rest: Rest) -> bool {
        match self {
            _ if rest == Rest::None => false,
            Mode::Nearest => rest == Rest::AboveHalf || rest == Rest::Half && units & 1 == 1,
            Mode::NearestAway => rest != Rest::BelowHalf,
            Mode::Zero => false,
            Mode::Down => negative,
            Mode::Up => !negative,
        }
    }
}

impl Exact {
    /// The whole number of units of 2^e, without sign, that the number is rounded to.
    pub fn rounded(&self, e: i32, mode: Mode) -> u128 {
        let (units, rest) = self.in_units(e);
        units.saturating_add(mode.raises(self.negative, units, rest).into())
    }
}

/// The pattern of what an operation gave: rounded if it is a number, and with the NaN that the format makes of the operands'
/// patterns, of which the first that is NaN is kept where NaNs are kept at all.
pub fn encode(format: &Format, mode: Mode, flush: bool, value: Real, operands: &[Bits]) -> Bits {
    let sign = |negative| if negative { format.sign_bit() } else { 0 };
    match value {
        Real::Nan { .. } => format.nan(operands),
        Real::Infinite { negative } => sign(negative) | format.beyond(),
        Real::Zero { negative } => sign(negative),
        Real::Cancelled => sign(mode == Mode::Down),
        Real::Finite(exact) => round(format, mode, flush, exact),
    }
}

/// The pattern of the number, rounded to the format.
///
/// With `flush` a result whose size is below the least normal number is a zero of its sign. That is decided after rounding to the
/// format's precision as if exponents had no lower end, as x86 does and as NVIDIA's code does: 2^-126 - 2^-151 rounds to nearest as
/// 2^-126 and stays, 2^-126 - 2^-150 does not. A size above the greatest number gives by the mode the greatest number or what the
/// format has [beyond](Format::beyond) it.
pub fn round(format: &Format, mode: Mode, flush: bool, value: Exact) -> Bits {
    let sign = if value.negative { format.sign_bit() } else { 0 };
    if value.m == 0 {
        return sign;
    }
    let stored = format.precision as i32 - 1;
    let (top, least) = (value.top(), format.least_exponent());
    if flush && top < least {
        let units = value.rounded(top - stored, mode);
        let reached = top + i32::from(units >> format.precision != 0);
        if reached < least {
            return sign;
        }
    }
    // Not below the least exponent: subnormal numbers are multiples of the least one.
    let exponent = top.max(least);
    let units = value.rounded(exponent - stored, mode) as Bits;
    // The highest unit adds itself to the exponent: a carry gives the next one, a subnormal number exponent 0.
    let field = (exponent - least + i32::from(format.precision > 1)) as Bits;
    let size = ((field << stored) + units).saturating_sub(1 << stored) << format.unused;
    let greatest = format.greatest();
    if size <= greatest {
        return sign | size;
    }
    let away = match mode {
        Mode::Nearest | Mode::NearestAway => true,
        Mode::Zero => false,
        Mode::Down => value.negative,
        Mode::Up => !value.negative,
    };
    sign | if away { format.beyond() } else { greatest }
}
