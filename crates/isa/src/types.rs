//! Types: width, kind and elements, exact values of bit patterns, and which register an operand accepts.

use crate::words::Word;
use std::fmt;

/// The bits of a value, in the low end; what lies above the type's width is zero.
pub type Bits = u128;

/// What the bits of an element mean.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// Unsigned integer.
    Unsigned,
    /// Signed integer, two's complement.
    Signed,
    /// Untyped bits.
    Untyped,
    /// IEEE binary floating point, and the narrower formats that only conversions know.
    Float,
    /// bfloat16 and tf32.
    OtherFloat,
    /// A predicate.
    Predicate,
}

/// A PTX type: so many elements of one kind and width.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Ty {
    /// What the bits mean.
    pub kind: Kind,
    /// Bits of one element.
    pub bits: u32,
    /// Elements in the value: 1, 2 (`.u16x2`) or 4 (`.u8x4`).
    pub lanes: u32,
}

impl Ty {
    /// The type named by a word.
    pub fn of(word: Word) -> Option<Ty> {
        use Kind::*;
        let (kind, bits, lanes) = match word {
            Word::U2 => (Unsigned, 2, 1),
            Word::U4 => (Unsigned, 4, 1),
            Word::S2 => (Signed, 2, 1),
            Word::S4 => (Signed, 4, 1),
            Word::B2 => (Untyped, 2, 1),
            Word::B4 => (Untyped, 4, 1),
            Word::U8 => (Unsigned, 8, 1),
            Word::U16 => (Unsigned, 16, 1),
            Word::U32 => (Unsigned, 32, 1),
            Word::U64 => (Unsigned, 64, 1),
            Word::S8 => (Signed, 8, 1),
            Word::S16 => (Signed, 16, 1),
            Word::S32 => (Signed, 32, 1),
            Word::S64 => (Signed, 64, 1),
            Word::B8 => (Untyped, 8, 1),
            Word::B16 => (Untyped, 16, 1),
            Word::B32 => (Untyped, 32, 1),
            Word::B64 => (Untyped, 64, 1),
            Word::B128 => (Untyped, 128, 1),
            Word::U16x2 => (Unsigned, 16, 2),
            Word::S16x2 => (Signed, 16, 2),
            Word::U8x4 => (Unsigned, 8, 4),
            Word::S8x4 => (Signed, 8, 4),
            Word::F16 => (Float, 16, 1),
            Word::F16x2 => (Float, 16, 2),
            Word::F32 => (Float, 32, 1),
            Word::F32x2 => (Float, 32, 2),
            Word::F64 => (Float, 64, 1),
            Word::Bf16 => (OtherFloat, 16, 1),
            Word::Bf16x2 => (OtherFloat, 16, 2),
            Word::Tf32 => (OtherFloat, 32, 1),
            Word::E4m3x2 | Word::E5m2x2 | Word::E2m3x2 | Word::E3m2x2 | Word::Ue8m0x2 => (OtherFloat, 8, 2),
            Word::S2f6x2 | Word::Ue5m3x2 => (OtherFloat, 8, 2),
            Word::E4m3x4 | Word::E5m2x4 | Word::E2m3x4 | Word::E3m2x4 => (OtherFloat, 8, 4),
            Word::E2m1x2 => (OtherFloat, 4, 2),
            Word::E2m1x4 => (OtherFloat, 4, 4),
            Word::E4m3 | Word::E5m2 | Word::Ue8m0 | Word::Ue4m3 => (OtherFloat, 8, 1),
            Word::E3m2 | Word::E2m3 => (OtherFloat, 6, 1),
            Word::E2m1 => (OtherFloat, 4, 1),
            Word::B1 => (Untyped, 1, 1),
            Word::Pred => (Predicate, 1, 1),
            _ => return None,
        };
        Some(Ty { kind, bits, lanes })
    }

    /// Bits of the whole value.
    pub fn width(self) -> u32 {
        self.bits * self.lanes
    }

    /// Whether elements are signed integers.
    pub fn signed(self) -> bool {
        self.kind == Kind::Signed
    }

    /// Whether the type is an integer or untyped bits.
    pub fn is_integer(self) -> bool {
        matches!(self.kind, Kind::Unsigned | Kind::Signed | Kind::Untyped)
    }

    /// The same kind at another element width.
    pub fn with_bits(self, bits: u32) -> Ty {
        Ty { bits, ..self }
    }

    /// One element alone.
    pub fn element(self) -> Ty {
        Ty { lanes: 1, ..self }
    }

    /// Ones in every bit of one element.
    pub fn mask(self) -> Bits {
        if self.bits >= 128 { Bits::MAX } else { (1 << self.bits) - 1 }
    }

    /// The exact number that the low element of `bits` stands for.
    ///
    /// ```
    /// use margay_isa::{Ty, Word};
    /// assert_eq!(Ty::of(Word::S8).unwrap().value(0x1ff), -1);
    /// assert_eq!(Ty::of(Word::U8).unwrap().value(0x1ff), 255);
    /// ```
    pub fn value(self, bits: Bits) -> i128 {
        let unused = 128 - self.bits;
        let top = bits << unused;
        if self.signed() { top as i128 >> unused } else { (top >> unused) as i128 }
    }

    /// The low `bits` of a number: what a register of one element holds afterwards.
    pub fn wrap(self, value: i128) -> Bits {
        value as Bits & self.mask()
    }

    /// The least number the type can hold.
    pub fn min(self) -> i128 {
        if self.signed() { -(1 << (self.bits - 1)) } else { 0 }
    }

    /// The greatest number the type can hold. Integers up to 64 bits.
    pub fn max(self) -> i128 {
        if self.signed() { (1 << (self.bits - 1)) - 1 } else { self.mask() as i128 }
    }

    /// The nearest number that the type can hold.
    pub fn clamp(self, value: i128) -> i128 {
        value.clamp(self.min(), self.max())
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            Kind::Unsigned => "u",
            Kind::Signed => "s",
            Kind::Untyped => "b",
            Kind::Float => "f",
            Kind::OtherFloat => "bf",
            Kind::Predicate => return f.write_str(".pred"),
        };
        write!(f, ".{kind}{}", self.bits)?;
        if self.lanes > 1 { write!(f, "x{}", self.lanes) } else { Ok(()) }
    }
}
