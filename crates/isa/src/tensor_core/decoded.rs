//! Patterns read many at a time: their numbers in double precision, which holds all of them, and the exponents that align them.

use crate::float::{Format, Special};

/// How far the exponent of 0 is below that of the least number: below that of every product.
const ZERO: i32 = -4096;

/// Numbers side by side, and their exponents.
#[derive(Clone, Copy)]
pub(super) struct Numbers<const L: usize> {
    pub values: [f64; L],
    pub exponents: [f32; L],
    /// Ones where it is infinity or NaN, whose value and exponent mean nothing.
    pub special: [u32; L],
}

/// The power of two with that exponent, which double precision has as a normal number.
#[inline(always)]
pub(super) fn power(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// The numbers of patterns of single precision.
#[inline(always)]
pub(super) fn singles<const L: usize>(patterns: &[u32; L]) -> Numbers<L> {
    let (mut values, mut exponents, mut special) = ([0.0; L], [0.0; L], [0; L]);
    for n in 0..L {
        values[n] = f64::from(f32::from_bits(patterns[n]));
        let size = patterns[n] & 0x7fff_ffff;
        let exponent = (size >> 23) as i32 - 127;
        let exponent = if exponent > -126 { exponent } else { -126 };
        exponents[n] = (exponent + if size == 0 { ZERO } else { 0 }) as f32;
        special[n] = 0x7f7f_ffff_u32.wrapping_sub(size) >> 31;
    }
    Numbers { values, exponents, special }
}

/// How the bits of a format are taken apart, whose numbers are numbers of single precision, too.
#[derive(Clone, Copy)]
pub(super) struct Fields {
    /// Fraction bits.
    stored: u32,
    /// Bits of the exponent.
    exponent: u32,
    /// What makes a stored exponent one of single precision.
    rebias: u32,
    /// The least pattern, its sign apart, from which on there are no numbers.
    special: u32,
    /// The least exponent.
    least: i32,
}

impl Fields {
    /// Those of a format of up to 32 bits. Where numbers go by way of another format, `least` is the least
    /// exponent of that one: numbers that are normal there are taken as such.
    pub fn of(format: &Format, least: i32) -> Fields {
        let (stored, width) = (format.precision - 1, format.precision - 1 + format.exponent);
        Fields {
            stored,
            exponent: format.exponent,
            rebias: (127 - format.bias) as u32,
            special: match format.special {
                Special::Ieee => ((1 << format.exponent) - 1) << stored,
                Special::AllOnes => (1 << width) - 1,
                Special::None => 1 << width,
            },
            least,
        }
    }

    /// The numbers of patterns; what lies above these does not count.
    #[inline(always)]
    pub fn decode<const L: usize>(&self, patterns: &[u32; L]) -> Numbers<L> {
        // Shifts by constants become vector instructions everywhere.
        match (self.stored, self.exponent) {
            (23, 8) => self.decode_as::<23, 8, 0, L>(patterns),
            (10, 5) => self.decode_as::<10, 5, 0, L>(patterns),
            (7, 8) => self.decode_as::<7, 8, 0, L>(patterns),
            (10, 8) => self.decode_as::<10, 8, 13, L>(patterns),
            (3, 4) => self.decode_as::<3, 4, 0, L>(patterns),
            (2, 5) => self.decode_as::<2, 5, 0, L>(patterns),
            (3, 2) => self.decode_as::<3, 2, 0, L>(patterns),
            (2, 3) => self.decode_as::<2, 3, 0, L>(patterns),
            _ => self.decode_as::<1, 2, 0, L>(patterns),
        }
    }

    #[inline(always)]
    fn decode_as<const STORED: u32, const EXPONENT: u32, const UNUSED: u32, const L: usize>(
        &self,
        patterns: &[u32; L],
    ) -> Numbers<L> {
        let width = const { STORED + EXPONENT };
        let (mut values, mut special) = ([0.0; L], [0; L]);
        let (mut whole, mut exponents) = ([0; L], [0.0; L]);
        for n in 0..L {
            let bits = patterns[n] >> UNUSED;
            let field = bits >> STORED & ((1 << EXPONENT) - 1);
            let fraction = (bits & ((1 << STORED) - 1)) << (23 - STORED);
            // As in single precision, with a leading 1; numbers below the least normal one have none, and it is taken away.
            let subnormal = if field == 0 { u32::MAX } else { 0 };
            let leading = field.wrapping_sub(subnormal).wrapping_add(self.rebias) << 23;
            let size = f32::from_bits(leading | fraction) - f32::from_bits(leading & subnormal);
            values[n] = f32::from_bits(size.to_bits() | (bits >> width & 1) << 31);
            // Both are below 2^31, so the difference has the sign.
            special[n] = (self.special - 1).wrapping_sub(bits & ((1 << width) - 1)) >> 31;
        }
        for n in 0..L {
            let size = values[n].to_bits() & 0x7fff_ffff;
            let exponent = (size >> 23) as i32 - 127;
            let exponent = if exponent > self.least { exponent } else { self.least };
            whole[n] = exponent + if size == 0 { ZERO } else { 0 };
        }
        for n in 0..L {
            exponents[n] = whole[n] as f32;
        }
        let mut wide = [0.0; L];
        for n in 0..L {
            wide[n] = f64::from(values[n]);
        }
        Numbers { values: wide, exponents, special }
    }
}
