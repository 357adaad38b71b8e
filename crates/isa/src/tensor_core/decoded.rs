//! Patterns read eight at a time: their numbers in double precision, which holds all of them, and the exponents that align them.

use crate::float::{Format, Special};

/// How many patterns are taken apart at once.
pub(super) const LANES: usize = 8;

/// Eight values side by side.
pub(super) type Lanes<T> = [T; LANES];

/// The exponent of 0: below that of every number, twice as well.
const ZERO: f32 = -4096.0;

/// Numbers and their exponents.
#[derive(Clone, Copy)]
pub(super) struct Numbers {
    pub values: Lanes<f64>,
    pub exponents: Lanes<f32>,
    /// Ones where it is infinity or NaN, whose value and exponent mean nothing.
    pub special: Lanes<u32>,
}

impl Numbers {
    pub const NONE: Numbers = Numbers { values: [0.0; LANES], exponents: [ZERO; LANES], special: [0; LANES] };
}

/// The power of two with that exponent, which double precision has as a normal number.
#[inline(always)]
pub(super) fn power(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// How the bits of a format are taken apart.
#[derive(Clone, Copy)]
pub(super) struct Fields {
    /// Fraction bits.
    stored: u32,
    unused: u32,
    exponent: u32,
    bias: i32,
    /// The least pattern, its sign apart, that is no number; those after it up to the greatest exponent's end are none either.
    special: u32,
    /// The least exponent.
    least: i32,
}

impl Fields {
    /// Those of a format of up to 32 bits. Where numbers go by way of another format, `least` is the least
    /// exponent of that one: numbers that are normal there are taken as such.
    pub fn of(format: &Format, least: i32) -> Fields {
        let (stored, size) = (format.precision - 1, format.precision - 1 + format.exponent);
        let special = match format.special {
            Special::Ieee => ((1 << format.exponent) - 1) << stored,
            Special::AllOnes => (1 << size) - 1,
            Special::None => 1 << size,
        };
        Fields { stored, unused: format.unused, exponent: format.exponent, bias: format.bias, special, least }
    }

    /// The numbers of patterns; what lies above these does not count.
    #[inline(always)]
    pub fn decode(&self, patterns: Lanes<u32>) -> Numbers {
        let width = self.stored + self.exponent;
        let mut numbers = Numbers::NONE;
        for n in 0..LANES {
            let bits = patterns[n] >> self.unused;
            let fraction = bits & ((1 << self.stored) - 1);
            let field = (bits >> self.stored & ((1 << self.exponent) - 1)) as i32;
            let normal = i32::from(field != 0);
            let m = (fraction as i32 | normal << self.stored) as f32;
            let exponent = field + 1 - normal - self.bias;
            let size = f64::from(m) * power(exponent - self.stored as i32);
            numbers.values[n] = f64::from_bits(size.to_bits() | u64::from(bits >> width & 1) << 63);
            // How far a number below the least normal one can be shifted up: to its highest bit, or to the least exponent.
            let top = (m.to_bits() >> 23) as i32 - 127;
            let (free, room) = (self.stored as i32 - top, exponent - self.least);
            let shift = if free < room { free } else { room };
            numbers.exponents[n] = if m == 0.0 { ZERO } else { (exponent - shift) as f32 };
            numbers.special[n] = u32::from(bits & ((1 << width) - 1) >= self.special);
        }
        numbers
    }
}
