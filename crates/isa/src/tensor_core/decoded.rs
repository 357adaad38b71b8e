//! Factors decoded once for a whole product: significands as whole numbers in single precision, and exponents beside them.

use crate::float::{Format, Special};

/// The exponent of 0: below that of every number, twice as well.
pub(super) const ZERO: i32 = -4096;

/// How the bits of a format are taken apart.
#[derive(Clone, Copy)]
pub(super) struct Fields {
    /// Fraction bits.
    pub stored: u32,
    unused: u32,
    exponent: u32,
    bias: i32,
    special: Special,
    /// The least exponent.
    least: i32,
}

/// A number: its significand in units of the last fraction bit, with sign, and its exponent.
#[derive(Clone, Copy)]
pub(super) struct Number {
    pub significand: f32,
    pub exponent: i32,
    /// Infinity or NaN; significand and exponent mean nothing then.
    pub special: bool,
}

impl Fields {
    /// Those of a format whose significands single precision can hold. Where numbers go by way of another format, `least` is the least
    /// exponent of that one: numbers that are normal there are taken as such.
    pub fn of(format: &Format, least: i32) -> Fields {
        Fields {
            stored: format.precision - 1,
            unused: format.unused,
            exponent: format.exponent,
            bias: format.bias,
            special: format.special,
            least,
        }
    }

    /// The number of a pattern; what lies above it does not count.
    #[inline(always)]
    pub fn decode(&self, bits: u32) -> Number {
        let bits = bits >> self.unused;
        let ones = (1 << self.exponent) - 1;
        let (fraction, field) = (bits & ((1 << self.stored) - 1), bits >> self.stored & ones);
        let negative = bits >> (self.stored + self.exponent) & 1;
        let special = match self.special {
            Special::Ieee => field == ones,
            Special::AllOnes => field == ones && fraction == (1 << self.stored) - 1,
            Special::None => false,
        };
        let mut m = fraction | u32::from(field != 0) << self.stored;
        let mut exponent = (field as i32).max(1) - self.bias;
        if self.least < 1 - self.bias && m != 0 {
            let shift = (m.leading_zeros() + self.stored).saturating_sub(31);
            let shift = shift.min((exponent - self.least) as u32);
            (m, exponent) = (m << shift, exponent - shift as i32);
        }
        let size = m as i32 as f32;
        Number {
            significand: f32::from_bits(size.to_bits() | negative << 31),
            exponent: if m == 0 { ZERO } else { exponent },
            special,
        }
    }
}
