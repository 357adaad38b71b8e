//! Elements of formats that NumPy has not: `bf16`, `tf32` and those of a byte.

use super::{Element, Kind};
use crate::problem::Problem;
use margay_isa::float::{F64, FORMATS, Format, Mode, Shown, encode};

/// A number of a format other than `f16`, `f32` and `f64`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    pub(super) format: u8,
    pub(super) bits: u64,
}

impl Number {
    /// The number that a pattern stands for, without the bits of its bytes that mean nothing.
    pub(super) fn new(number: u8, bits: u64) -> Number {
        let meant = format(number).map_or(0, |format| format.mask() as u64 >> format.unused << format.unused);
        Number { format: number, bits: bits & meant }
    }

    /// The number; `f64` has all those of the formats here.
    pub fn value(self) -> f64 {
        let Some(format) = format(self.format) else { return f64::NAN };
        f64::from_bits(encode(&F64, Mode::Nearest, false, format.decode(self.bits.into()), &[]) as u64)
    }

    /// The number with the fewest digits that reads back as this one.
    pub(super) fn shortest(self) -> f64 {
        format(self.format).map_or(f64::NAN, |format| shortest(format, self.bits))
    }
}

/// The number with the fewest digits that rounds to a pattern.
pub(super) fn shortest(format: &'static Format, bits: u64) -> f64 {
    Shown { format, bits: bits.into() }.to_string().parse().unwrap_or(f64::NAN)
}

fn format(number: u8) -> Option<&'static Format> {
    FORMATS.get(usize::from(number)).copied()
}

/// Bytes of an element of this format. None for those that have types of their own, or take less than a byte in memory.
pub(super) fn bytes(number: u8) -> Option<usize> {
    let format = format(number).filter(|format| !format.name.starts_with('f') && format.bits > 4)?;
    Some(format.bits.div_ceil(8) as usize)
}

pub(super) fn name(number: u8) -> &'static str {
    format(number).map_or("", |format| format.name)
}

pub(super) fn named(name: &str) -> Option<Element> {
    let number = FORMATS.iter().position(|format| format.name == name)? as u8;
    Some(Element { kind: Kind::Other(number), bytes: bytes(number)? as u8 })
}

impl Element {
    /// Whether NumPy has no such type: files hold its bits as integers, or as bytes without a meaning.
    pub fn is_foreign(self) -> bool {
        matches!(self.kind, Kind::Other(_))
    }

    /// Where patterns are the upper bits of an `f32`'s, how far down they are from there.
    pub(super) fn below_single(self) -> Option<u32> {
        let Kind::Other(number) = self.kind else { return None };
        let format = format(number)?;
        (format.exponent == 8 && format.signed).then(|| 32 - self.bits())
    }

    pub(super) fn bits_of_other(self, number: u8, text: &str) -> Result<u64, Problem> {
        let not_a_number = || {
            Problem::new(format!("`{text}` is not a number"))
                .help("write a decimal number such as `1.5e-3`, `inf`, `nan`, or `0x` and the bits")
        };
        let format = format(number).ok_or_else(not_a_number)?;
        let value = text.parse::<f64>().map_err(|_| not_a_number())?;
        let greatest = Number { format: number, bits: format.greatest() as u64 }.value();
        let range = match format.signed {
            true => format!("`{self}` holds -{greatest:?} to {greatest:?}"),
            false => format!("`{self}` holds numbers up to {greatest:?}, without a sign"),
        };
        let bits = format.read(text).map(|bits| bits as u64);
        let fits = |bits: &u64| {
            let read = Number { format: number, bits: *bits }.value();
            match value.is_finite() {
                true => {
                    // The format of scales has no zero.
                    let is_zero_kept = value != 0.0 || read == 0.0;
                    // What rounds to the greatest number is no more than half a unit of its last place above it.
                    let most = greatest + greatest / f64::from(2u32 << format.precision);
                    let is_small = value.abs() <= most && read.is_finite();
                    is_small && (format.signed || value >= 0.0) && is_zero_kept
                }
                false => read.is_nan() == value.is_nan() && !read.is_finite(),
            }
        };
        bits.filter(fits).ok_or_else(|| self.too_wide(text).help(range))
    }
}
