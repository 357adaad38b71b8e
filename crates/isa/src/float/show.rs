//! Numbers for people: exact in decimal as far as that can be read, patterns with as many digits as tell them apart.

use super::exact::{Exact, Rest};
use super::format::{F64, Format, Special};
use super::real::Real;
use super::round::{Mode, round};
use crate::types::Bits;
use std::fmt;

/// A pattern of a format, shown as the shortest decimal number that rounds to it; `nan`, `inf` and `-inf` where it is none.
///
/// ```
/// use margay_isa::float::{BF16, E2M3, F16, F32, Shown};
/// assert_eq!(Shown { format: &F32, bits: 0x3dcc_cccd }.to_string(), "0.1");
/// assert_eq!(Shown { format: &F16, bits: 0x2e66 }.to_string(), "0.1");
/// assert_eq!(Shown { format: &BF16, bits: 0xff80 }.to_string(), "-inf");
/// assert_eq!(Shown { format: &E2M3, bits: 0x1f }.to_string(), "7.5");
/// assert_eq!(Shown { format: &F32, bits: 0x8000_0000 }.to_string(), "-0.0");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Shown {
    /// The format.
    pub format: &'static Format,
    /// The pattern.
    pub bits: Bits,
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let &Shown { format, bits } = self;
        match format.decode(bits) {
            Real::Nan { .. } => f.write_str("nan"),
            Real::Finite(_) if format.precision == 53 => write!(f, "{:?}", f64::from_bits(bits as u64)),
            Real::Finite(_) if format.precision == 24 => write!(f, "{:?}", f32::from_bits(bits as u32)),
            Real::Finite(exact) => {
                // A number of every other format is one of f64 too; so is what is read back here, but for its last bits.
                let value = f64::from_bits(round(&F64, Mode::Nearest, false, exact) as u64);
                let texts = (0..17).map(|digits| format!("{value:.digits$e}"));
                let read = |text: String| text.parse().unwrap_or(value);
                // Where all that is too large becomes the greatest number, only that number is shown for it.
                let size = bits & format.mask() & !format.sign_bit();
                let is_end = format.special == Special::None && size == format.greatest();
                let rounds_to_it = |number: &f64| match F64.decode(number.to_bits().into()) {
                    Real::Finite(_) if is_end => *number == value,
                    Real::Finite(exact) => round(format, Mode::Nearest, false, exact) == bits & format.mask(),
                    _ => false,
                };
                write!(f, "{:?}", texts.map(read).find(rounds_to_it).unwrap_or(value))
            }
            other => match (other, other.negative()) {
                (Real::Infinite { .. }, false) => f.write_str("inf"),
                (Real::Infinite { .. }, true) => f.write_str("-inf"),
                (_, false) => f.write_str("0.0"),
                (_, true) => f.write_str("-0.0"),
            },
        }
    }
}

/// Digits of an exact number that are shown.
const DIGITS: usize = 50;

/// The exact decimal number, `…` after its first digits if it has too many.
///
/// ```
/// use margay_isa::float::{F32, Real};
/// assert_eq!(F32.decode(0x3dcc_cccd).to_string(), "0.100000001490116119384765625");
/// assert_eq!(F32.decode(0xff80_0000).to_string(), "-inf");
/// assert_eq!(Real::ONE.over(F32.decode(0x4040_0000)).to_string(), "0.333333333333333333…");
/// ```
impl fmt::Display for Real {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Real::Nan { .. } => f.write_str("nan"),
            Real::Infinite { negative } => f.write_str(if *negative { "-inf" } else { "inf" }),
            Real::Zero { negative: true } => f.write_str("-0"),
            Real::Zero { .. } | Real::Cancelled => f.write_str("0"),
            Real::Finite(exact) => exact.fmt(f),
        }
    }
}

/// The number in decimal, as [`Real`] is shown.
impl fmt::Display for Exact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // m·2^e is m·5^-e tenths of tenths where e is negative.
        let zeros = self.m.trailing_zeros().min(127) as i32;
        let (m, e) = (self.m >> zeros, self.e + zeros);
        let (factor, places) = if e < 0 { (5, e) } else { (2, 0) };
        let mut digits = digits_of(m, factor, e.unsigned_abs());
        // Where the first digit stands: ten to the power.
        let power = digits.len() as i32 - 1 + places;
        // Of what goes on below the last unit, only digits before it are known.
        let known = if self.more { 18 } else { DIGITS };
        let cut = self.more || digits.len() > known;
        digits.truncate(known);
        if !cut {
            let end = digits.trim_end_matches('0').len().max(1);
            digits.truncate(end);
        }
        let sign = if self.negative { "-" } else { "" };
        let dots = if cut { "…" } else { "" };
        let whole = power + 1;
        if !(-6..=21).contains(&power) {
            let point = if digits.len() > 1 { "." } else { "" };
            return write!(f, "{sign}{}{point}{}{dots}e{power}", &digits[..1], &digits[1..]);
        }
        if whole <= 0 {
            return write!(
                f,
                "{sign}0.{:0>width$}{dots}",
                digits,
                width = digits.len() + whole.unsigned_abs() as usize
            );
        }
        let whole = whole as usize;
        match digits.len() > whole {
            true => write!(f, "{sign}{}.{}{dots}", &digits[..whole], &digits[whole..]),
            false => write!(f, "{sign}{digits:0<whole$}{dots}"),
        }
    }
}

/// All decimal digits of m·factor^times.
fn digits_of(m: u128, factor: u64, times: u32) -> String {
    const BASE: u64 = 1_000_000_000;
    let mut parts: Vec<u64> = Vec::new();
    let mut rest = m;
    while rest > 0 {
        parts.push((rest % u128::from(BASE)) as u64);
        rest /= u128::from(BASE);
    }
    for _ in 0..times {
        let mut carry = 0;
        for part in &mut parts {
            let product = *part * factor + carry;
            (*part, carry) = (product % BASE, product / BASE);
        }
        if carry > 0 {
            parts.push(carry);
        }
    }
    let all: String = parts.iter().rev().map(|part| format!("{part:09}")).collect();
    let digits = all.trim_start_matches('0');
    if digits.is_empty() { "0".into() } else { digits.into() }
}

/// What rounding an exact number to a pattern of the format did: how far the pattern is from it, in units of the last place.
///
/// ```
/// use margay_isa::float::{F32, Real, rounding};
/// let third = Real::ONE.over(F32.decode(0x4040_0000)).finite().unwrap();
/// assert_eq!(rounding(&F32, 0x3eaa_aaab, &third), "rounded up by 0.333 ulp");
/// ```
pub fn rounding(format: &Format, bits: Bits, exact: &Exact) -> String {
    let (units, e) = match format.decode(bits) {
        Real::Finite(number) => (number.m, number.e),
        Real::Zero { .. } => (0, format.least_exponent() - (format.precision as i32 - 1)),
        // Where there is no infinity NaN stands for it.
        Real::Infinite { .. } | Real::Nan { .. } => return "more than the greatest number".into(),
        _ => return String::new(),
    };
    // Thousandths of a unit, by 2^-40 of one.
    let (parts, rest) = exact.in_units(e - 40);
    let (less, more) = (parts.min(units << 40), parts.max(units << 40));
    if parts == units << 40 && rest == Rest::None {
        return "exact".into();
    }
    if parts >> format.precision > 1 << 40 {
        return "more than the greatest number".into();
    }
    let away = units << 40 > parts;
    let up = away != exact.negative;
    let direction = if up { "up" } else { "down" };
    match ((more - less) * 1000 + (1 << 39)) >> 40 {
        0 => format!("rounded {direction} by less than 0.001 ulp"),
        thousandths => format!("rounded {direction} by {}.{:03} ulp", thousandths / 1000, thousandths % 1000),
    }
}
