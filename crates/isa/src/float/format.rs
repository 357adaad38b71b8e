//! Formats: what patterns of bits stand for.

use super::exact::Exact;
use super::real::Real;
use crate::types::{Bits, Kind, Ty};
use crate::words::Word;

/// A binary floating-point format.
#[derive(PartialEq, Eq, Debug)]
pub struct Format {
    /// What the manual calls it, without the dot.
    pub name: &'static str,
    /// Bits of a pattern.
    pub bits: u32,
    /// Bits of the exponent field.
    pub exponent: u32,
    /// Significant bits, the one that is not stored included.
    pub precision: u32,
    /// What is added to an exponent before it is stored.
    pub bias: i32,
    /// Whether there is a sign bit.
    pub signed: bool,
    /// Low bits of a pattern that mean nothing (tf32).
    pub unused: u32,
    /// Which patterns are no finite numbers.
    pub special: Special,
    /// What a NaN becomes that an operation gives.
    pub nan: Nan,
}

/// Which patterns of a format are no finite numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Special {
    /// The greatest exponent is for infinity and NaN, as in IEEE 754.
    Ieee,
    /// All ones, the sign apart, is NaN; there is no infinity.
    AllOnes,
    /// None: no infinity, no NaN.
    None,
}

/// What a NaN becomes that an operation gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Nan {
    /// Always this pattern.
    Canonical(Bits),
    /// That of the operand, made quiet; this pattern where no operand is NaN.
    Kept(Bits),
}

const IEEE: Format = Format {
    name: "",
    bits: 0,
    exponent: 0,
    precision: 0,
    bias: 0,
    signed: true,
    unused: 0,
    special: Special::Ieee,
    nan: Nan::Canonical(0),
};

/// IEEE double precision; its NaNs keep their payload, and one that no operand brings has the sign.
pub static F64: Format = Format {
    name: "f64",
    bits: 64,
    exponent: 11,
    precision: 53,
    bias: 1023,
    nan: Nan::Kept(0xfff8_0000_0000_0000),
    ..IEEE
};
/// IEEE single precision.
pub static F32: Format = Format {
    name: "f32",
    bits: 32,
    exponent: 8,
    precision: 24,
    bias: 127,
    nan: Nan::Canonical(0x7fff_ffff),
    ..IEEE
};
/// IEEE half precision.
pub static F16: Format = Format {
    name: "f16",
    bits: 16,
    exponent: 5,
    precision: 11,
    bias: 15,
    nan: Nan::Canonical(0x7fff),
    ..IEEE
};
/// The upper half of single precision.
pub static BF16: Format = Format {
    name: "bf16",
    bits: 16,
    exponent: 8,
    precision: 8,
    bias: 127,
    nan: Nan::Canonical(0x7fff),
    ..IEEE
};
/// Single precision without its 13 low bits, in a pattern of 32.
pub static TF32: Format = Format {
    name: "tf32",
    bits: 32,
    exponent: 8,
    precision: 11,
    bias: 127,
    unused: 13,
    nan: Nan::Canonical(0x7fff_e000),
    ..IEEE
};
/// 8 bits with 5 of exponent, infinity and NaN as in IEEE 754.
pub static E5M2: Format =
    Format { name: "e5m2", bits: 8, exponent: 5, precision: 3, bias: 15, nan: Nan::Canonical(0x7f), ..IEEE };
/// 8 bits with 4 of exponent, without infinity.
pub static E4M3: Format = Format {
    name: "e4m3",
    bits: 8,
    exponent: 4,
    precision: 4,
    bias: 7,
    special: Special::AllOnes,
    nan: Nan::Canonical(0x7f),
    ..IEEE
};
/// 6 bits with 3 of exponent; where a NaN would be there is the greatest number.
pub static E3M2: Format = Format {
    name: "e3m2",
    bits: 6,
    exponent: 3,
    precision: 3,
    bias: 3,
    special: Special::None,
    nan: Nan::Canonical(0x1f),
    ..IEEE
};
/// 6 bits with 2 of exponent; where a NaN would be there is the greatest number.
pub static E2M3: Format = Format {
    name: "e2m3",
    bits: 6,
    exponent: 2,
    precision: 4,
    bias: 1,
    special: Special::None,
    nan: Nan::Canonical(0x1f),
    ..IEEE
};
/// 4 bits with 2 of exponent; where a NaN would be there is the greatest number.
pub static E2M1: Format = Format {
    name: "e2m1",
    bits: 4,
    exponent: 2,
    precision: 2,
    bias: 1,
    special: Special::None,
    nan: Nan::Canonical(0x7),
    ..IEEE
};
/// 8 bits of exponent: powers of two, without sign and zero.
pub static UE8M0: Format = Format {
    name: "ue8m0",
    bits: 8,
    exponent: 8,
    precision: 1,
    bias: 127,
    signed: false,
    special: Special::AllOnes,
    nan: Nan::Canonical(0xff),
    ..IEEE
};
/// 8 bits with 5 of exponent, without sign and infinity.
pub static UE5M3: Format = Format {
    name: "ue5m3",
    bits: 8,
    exponent: 5,
    precision: 4,
    bias: 15,
    signed: false,
    special: Special::AllOnes,
    nan: Nan::Canonical(0xff),
    ..IEEE
};

/// Every format.
pub static FORMATS: [&Format; 12] =
    [&F64, &F32, &F16, &BF16, &TF32, &E5M2, &E4M3, &E3M2, &E2M3, &E2M1, &UE8M0, &UE5M3];

impl Format {
    /// The format of numbers, or of each element, of the type that a word names.
    ///
    /// ```
    /// use margay_isa::{Word, float::{E4M3, F16, Format}};
    /// assert_eq!(Format::named(Word::F16x2), Some(&F16));
    /// assert_eq!(Format::named(Word::E4m3x4), Some(&E4M3));
    /// assert_eq!(Format::named(Word::U32), None);
    /// ```
    pub fn named(word: Word) -> Option<&'static Format> {
        Some(match word {
            Word::F64 => &F64,
            Word::F32 | Word::F32x2 => &F32,
            Word::F16 | Word::F16x2 => &F16,
            Word::Bf16 | Word::Bf16x2 => &BF16,
            Word::Tf32 => &TF32,
            Word::E5m2 | Word::E5m2x2 | Word::E5m2x4 => &E5M2,
            Word::E4m3 | Word::E4m3x2 | Word::E4m3x4 => &E4M3,
            Word::E3m2 | Word::E3m2x2 | Word::E3m2x4 => &E3M2,
            Word::E2m3 | Word::E2m3x2 | Word::E2m3x4 => &E2M3,
            Word::E2m1 | Word::E2m1x2 | Word::E2m1x4 => &E2M1,
            Word::Ue8m0 | Word::Ue8m0x2 => &UE8M0,
            Word::Ue5m3x2 => &UE5M3,
            _ => return None,
        })
    }

    /// The format of a type's elements, where the type alone tells it: 16 bits and more.
    pub fn of(ty: Ty) -> Option<&'static Format> {
        match (ty.kind, ty.bits) {
            (Kind::Float, 64) => Some(&F64),
            (Kind::Float, 32) => Some(&F32),
            (Kind::Float, 16) => Some(&F16),
            (Kind::OtherFloat, 16) => Some(&BF16),
            (Kind::OtherFloat, 32) => Some(&TF32),
            _ => None,
        }
    }

    /// The exponent of the least normal number.
    pub fn least_exponent(&self) -> i32 {
        // Without fraction bits the exponent 0 is as good as any other.
        if self.precision == 1 { -self.bias } else { 1 - self.bias }
    }

    /// The sign bit, if there is one.
    pub fn sign_bit(&self) -> Bits {
        if self.signed { 1 << (self.bits - 1) } else { 0 }
    }

    /// The pattern of the greatest finite number.
    pub fn greatest(&self) -> Bits {
        let ones = (1 << (self.bits - u32::from(self.signed))) - 1;
        let past_greatest = match self.special {
            Special::Ieee => self.infinity().unwrap_or(ones),
            Special::AllOnes => ones,
            Special::None => return ones,
        };
        past_greatest - (1 << self.unused)
    }

    /// The pattern of positive infinity, if there is one.
    pub fn infinity(&self) -> Option<Bits> {
        let field = (1 << self.exponent) - 1;
        (self.special == Special::Ieee).then_some(field << (self.precision - 1 + self.unused))
    }

    /// The pattern of what is greater than the greatest number: infinity, where there is none NaN, else the greatest number.
    pub fn beyond(&self) -> Bits {
        match self.special {
            Special::Ieee => self.infinity().unwrap_or(self.greatest()),
            Special::AllOnes => self.mask() & !self.sign_bit(),
            Special::None => self.greatest(),
        }
    }

    /// The pattern of 1. A number of every format.
    pub fn one(&self) -> Bits {
        (self.bias as Bits) << (self.precision - 1 + self.unused)
    }

    /// Whether a pattern is NaN.
    pub fn is_nan(&self, bits: Bits) -> bool {
        let size = bits & (self.sign_bit().wrapping_sub(1)) & self.mask();
        match self.special {
            Special::Ieee => {
                self.infinity().is_some_and(|infinity| size >> self.unused > infinity >> self.unused)
            }
            Special::AllOnes => size == self.mask() & !self.sign_bit(),
            Special::None => false,
        }
    }

    /// All bits of a pattern.
    pub fn mask(&self) -> Bits {
        (1 << self.bits) - 1
    }

    /// What the low bits stand for.
    pub fn decode(&self, bits: Bits) -> Real {
        let negative = bits & self.sign_bit() != 0;
        if self.is_nan(bits) {
            return Real::Nan { negative };
        }
        let size = (bits & self.mask() & !self.sign_bit()) >> self.unused;
        if self.infinity().is_some_and(|infinity| size == infinity >> self.unused) {
            return Real::Infinite { negative };
        }
        let stored = self.precision - 1;
        let (field, fraction) = ((size >> stored) as i32, size & ((1 << stored) - 1));
        let subnormal = field == 0 && self.precision > 1;
        let m = if subnormal { fraction } else { fraction | 1 << stored };
        if m == 0 {
            return Real::Zero { negative };
        }
        let exponent = if subnormal { 1 } else { field } - self.bias;
        Real::Finite(Exact { negative, m, e: exponent - stored as i32, more: false })
    }

    /// Whether a pattern is a number other than 0 whose size is below the least normal number.
    pub fn is_subnormal(&self, bits: Bits) -> bool {
        let size = (bits & self.mask() & !self.sign_bit()) >> self.unused;
        size != 0 && self.precision > 1 && size >> (self.precision - 1) == 0
    }

    /// The NaN that an operation gives: that of the first operand here which is NaN, in formats that keep them.
    pub fn nan(&self, operands: &[Bits]) -> Bits {
        match self.nan {
            Nan::Canonical(bits) => bits,
            Nan::Kept(generated) => {
                let first = operands.iter().find(|bits| self.is_nan(**bits));
                first.map_or(generated, |bits| bits | 1 << (self.precision - 2))
            }
        }
    }
}
