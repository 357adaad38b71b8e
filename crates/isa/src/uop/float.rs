//! Floating-point operations: patterns of bits in, patterns out, NaN as PTX has it, rounded to nearest even unless said.
//!
//! A NaN result on `.f32` is 0x7fffffff; on `.f64` it is the NaN of the second operand, else that of the first, else of the third,
//! made quiet, and 0xfff8000000000000 where no operand is NaN. Numbers of half precision are computed with as `.f32` or `.f64`.

pub mod approx;
pub mod convert;
pub mod double;
pub mod single;

/// Operations of one format.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Float {
    /// `a + b`.
    Add,
    /// `a - b`.
    Sub,
    /// `a * b`.
    Mul,
    /// `a * b + c`, rounded once.
    Fma,
    /// `a / b`.
    Div,
    /// The square root.
    Sqrt,
    /// The lesser, -0 below +0; the number if the other is NaN.
    Min,
    /// The greater, -0 below +0; the number if the other is NaN.
    Max,
    /// At least +0, at most 1; NaN gives +0.
    Saturate,
    /// To a whole number, of two equally near ones to the even one. As all four it keeps the sign of what becomes 0.
    Even,
    /// To a whole number, towards 0.
    Trunc,
    /// To a whole number, downwards.
    Floor,
    /// To a whole number, upwards.
    Ceil,
}

/// Operations on `.f32` whose results are zeros of their sign where they are below the least normal number. That is decided after
/// rounding to 24 bits as if exponents had no lower end.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Flush {
    /// `a`. A NaN stays as it is.
    Value,
    /// `a * b`.
    Mul,
    /// `a * b + c`, rounded once.
    Fma,
    /// `a / b`.
    Div,
}

/// Comparisons. The last five hold if either operand is NaN, the others do not.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FloatCmp {
    /// `a == b`.
    Eq,
    /// `a != b`.
    Ne,
    /// `a < b`.
    Lt,
    /// `a <= b`.
    Le,
    /// Neither is NaN.
    Num,
    /// `a == b`, or NaN.
    Equ,
    /// `a != b`, or NaN.
    Neu,
    /// `a < b`, or NaN.
    Ltu,
    /// `a <= b`, or NaN.
    Leu,
    /// Either is NaN.
    Nan,
}

/// Conversions. Where nothing else is said, a NaN becomes the one of the destination.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Convert {
    /// Exact; a NaN keeps sign and payload, made quiet.
    F32ToF64,
    /// Rounded; a NaN keeps its sign and what there is room for of its payload, made quiet.
    F64ToF32(Rounding),
    /// Exact; a NaN keeps sign and payload, made quiet.
    F16ToF32,
    /// Rounded.
    F32ToF16(Rounding),
    /// Rounded.
    F32ToBf16(Rounding),
    /// Rounded to nearest.
    S32ToF32,
    /// Rounded to nearest.
    U32ToF32,
    /// Exact.
    S32ToF64,
    /// Exact.
    U32ToF64,
    /// Rounded.
    S64ToF64(Rounding),
    /// Rounded.
    U64ToF64(Rounding),
    /// Towards 0, clamped; NaN gives 0, as it does for the other integers.
    F32ToS32,
    /// Towards 0, clamped.
    F32ToU32,
    /// Towards 0, clamped.
    F64ToS32,
    /// Towards 0, clamped.
    F64ToU32,
    /// Towards 0, clamped.
    F64ToS64,
    /// Towards 0, clamped.
    F64ToU64,
}

/// The functions that a device approximates, bit for bit: operands and results below the least normal number are zeros.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Approx {
    /// The reciprocal.
    Reciprocal,
    /// The square root.
    Root,
    /// The reciprocal of the square root.
    ReciprocalRoot,
    /// The logarithm to base 2.
    Logarithm,
    /// The power of 2.
    Power,
    /// The sine of so many turns.
    Sine,
    /// The cosine of so many turns.
    Cosine,
}

/// In which direction is rounded.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Rounding {
    /// To the nearest, of two equally near to the even one.
    Nearest,
    /// Towards 0.
    Zero,
    /// Towards negative infinity.
    Down,
    /// Towards positive infinity.
    Up,
    /// Of the two next to an inexact number to the one whose last bit is 1: rounded once more to at least two bits less, in any
    /// direction, that gives what rounding once had given.
    Odd,
}

impl Float {
    /// How many operands it takes.
    pub const fn arity(self) -> usize {
        match self {
            Float::Fma => 3,
            Float::Sqrt | Float::Saturate | Float::Even | Float::Trunc | Float::Floor | Float::Ceil => 1,
            Float::Add | Float::Sub | Float::Mul | Float::Div | Float::Min | Float::Max => 2,
        }
    }

    /// Whether the first two operands may change places: on `.f32`, where NaN results are all alike.
    pub(super) const fn commutes(self) -> bool {
        matches!(self, Float::Add | Float::Mul | Float::Fma | Float::Min | Float::Max)
    }
}

impl Flush {
    /// How many operands it takes.
    pub const fn arity(self) -> usize {
        match self {
            Flush::Value => 1,
            Flush::Mul | Flush::Div => 2,
            Flush::Fma => 3,
        }
    }
}

impl FloatCmp {
    /// Whether the operands may change places.
    pub(super) const fn commutes(self) -> bool {
        !matches!(self, FloatCmp::Lt | FloatCmp::Le | FloatCmp::Ltu | FloatCmp::Leu)
    }
}

impl Convert {
    /// Whether the operand has 64 bits.
    pub(super) const fn is_from_64(self) -> bool {
        use Convert::{F64ToF32, F64ToS32, F64ToS64, F64ToU32, F64ToU64, S64ToF64, U64ToF64};
        matches!(self, F64ToF32(_) | F64ToS32 | F64ToU32 | F64ToS64 | F64ToU64 | S64ToF64(_) | U64ToF64(_))
    }

    /// Whether the result has 64 bits.
    pub(super) const fn is_to_64(self) -> bool {
        use Convert::{F32ToF64, F64ToS64, F64ToU64, S32ToF64, S64ToF64, U32ToF64, U64ToF64};
        matches!(self, F32ToF64 | F64ToS64 | F64ToU64 | S32ToF64 | U32ToF64 | S64ToF64(_) | U64ToF64(_))
    }
}

impl Rounding {
    /// What is to be added to the pattern of a size that was rounded to nearest, to have it rounded in this direction instead:
    /// whether the number is negative, the pattern even, and how the rounded size compares with the exact one.
    #[inline(always)]
    fn correction(self, negative: bool, even: bool, less: bool, greater: bool) -> i32 {
        let (up, down) = match self {
            Rounding::Nearest => (false, false),
            Rounding::Zero => (false, true),
            Rounding::Down => (negative, !negative),
            Rounding::Up => (!negative, negative),
            Rounding::Odd => (even, even),
        };
        i32::from(up & less) - i32::from(down & greater)
    }

    /// Whether a size of so many units and a rest, in units of which a whole one has twice `half`, becomes one unit more.
    #[inline(always)]
    fn raises(self, negative: bool, units: u32, rest: u32, half: u32) -> bool {
        match self {
            Rounding::Nearest => (rest > half) | ((rest == half) & (units & 1 == 1)),
            Rounding::Zero => false,
            Rounding::Down => (rest != 0) & negative,
            Rounding::Up => (rest != 0) & !negative,
            Rounding::Odd => (rest != 0) & (units & 1 == 0),
        }
    }
}
