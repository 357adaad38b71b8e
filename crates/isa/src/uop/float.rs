//! Floating-point operations: patterns of bits in, patterns out, NaN as PTX has it, rounded to nearest even unless said.
//!
//! A NaN result on `.f32` is 0x7fffffff; on `.f64` it is the NaN of the second operand, else that of the third, else of the
//! first, of a quotient that of the first before the second's, made quiet; 0xfff8000000000000 where no operand is NaN. Numbers of half precision are computed with as `.f32` or `.f64`.

pub mod approx;
pub mod convert;
pub mod directed;
pub mod double;
pub mod interpolation;
pub mod single;

use super::{Facts, Type};

/// Operations of one format.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Float {
    /// `a + b`.
    Add,
    /// `a + b`, rounded to odd: of the two numbers beside a sum that is none, the one whose last bit is set.
    AddOdd,
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

/// The functions that a device approximates, bit for bit: operands and results below the least normal number are zeros, if a function
/// does not say otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Approx {
    /// The reciprocal.
    Reciprocal,
    /// The square root.
    Root,
    /// The reciprocal of the square root.
    ReciprocalRoot,
    /// The square root, of subnormal numbers, too.
    RootWithSubnormals,
    /// The reciprocal of the square root, of subnormal numbers, too.
    ReciprocalRootWithSubnormals,
    /// The logarithm to base 2.
    Logarithm,
    /// The power of 2.
    Power,
    /// The sine of so many turns.
    Sine,
    /// The cosine of so many turns.
    Cosine,
    /// The hyperbolic tangent; small numbers are left as they are.
    Tangent,
    /// The reciprocal of an `.f64` number, upper halves both.
    ReciprocalUpper,
    /// The reciprocal of the square root of an `.f64` number, upper halves both.
    ReciprocalRootUpper,
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
    pub(super) const ALL: [Float; 14] = [
        Float::Add,
        Float::AddOdd,
        Float::Sub,
        Float::Mul,
        Float::Fma,
        Float::Div,
        Float::Sqrt,
        Float::Min,
        Float::Max,
        Float::Saturate,
        Float::Even,
        Float::Trunc,
        Float::Floor,
        Float::Ceil,
    ];

    /// What is known of it on patterns of a type.
    pub(super) const fn facts(self, ty: Type) -> Facts {
        let (one, two, three) = (Facts::alike(1, ty), Facts::alike(2, ty), Facts::alike(3, ty));
        let facts = match self {
            Float::Add | Float::Mul | Float::Min | Float::Max => two.commuting(),
            Float::AddOdd | Float::Sub | Float::Div => two,
            Float::Fma => three.commuting(),
            Float::Sqrt | Float::Saturate | Float::Even | Float::Trunc | Float::Floor | Float::Ceil => one,
        };
        // On `.f64` it matters which of two NaNs is the second.
        Facts { commutes: facts.commutes && matches!(ty, Type::U32), ..facts }
    }

    pub(super) fn eval32(self, a: u32, b: u32, c: u32) -> u32 {
        match self {
            Float::Add => single::add(a, b),
            Float::AddOdd => single::add_odd(a, b),
            Float::Sub => single::sub(a, b),
            Float::Mul => single::mul(a, b),
            Float::Fma => single::fma(a, b, c),
            Float::Div => single::div(a, b),
            Float::Sqrt => single::sqrt(a),
            Float::Min => single::min(a, b),
            Float::Max => single::max(a, b),
            Float::Saturate => single::saturate(a),
            Float::Even => single::even(a),
            Float::Trunc => single::trunc(a),
            Float::Floor => single::floor(a),
            Float::Ceil => single::ceil(a),
        }
    }

    /// Those of which there are results rounded in other directions than to the nearest.
    pub(super) const DIRECTED: [Float; 6] =
        [Float::Add, Float::Sub, Float::Mul, Float::Fma, Float::Div, Float::Sqrt];

    pub(super) fn eval64(self, a: u64, b: u64, c: u64) -> u64 {
        match self {
            Float::Add => double::add(a, b),
            Float::AddOdd => double::add_odd(a, b),
            Float::Sub => double::sub(a, b),
            Float::Mul => double::mul(a, b),
            Float::Fma => double::fma(a, b, c),
            Float::Div => double::div(a, b),
            Float::Sqrt => double::sqrt(a),
            Float::Min => double::min(a, b),
            Float::Max => double::max(a, b),
            Float::Saturate => double::saturate(a),
            Float::Even => double::even(a),
            Float::Trunc => double::trunc(a),
            Float::Floor => double::floor(a),
            Float::Ceil => double::ceil(a),
        }
    }
}

impl Flush {
    pub(super) const ALL: [Flush; 4] = [Flush::Value, Flush::Mul, Flush::Fma, Flush::Div];

    pub(super) const fn facts(self) -> Facts {
        match self {
            Flush::Value => Facts::alike(1, Type::U32),
            Flush::Mul => Facts::alike(2, Type::U32).commuting(),
            Flush::Fma => Facts::alike(3, Type::U32).commuting(),
            Flush::Div => Facts::alike(2, Type::U32),
        }
    }

    pub(super) fn eval(self, a: u32, b: u32, c: u32) -> u32 {
        match self {
            Flush::Value => single::flush(a),
            Flush::Mul => single::mul_flush(a, b),
            Flush::Fma => single::fma_flush(a, b, c),
            Flush::Div => single::div_flush(a, b),
        }
    }
}

impl FloatCmp {
    /// Whether it holds of two numbers.
    #[inline(always)]
    pub(super) fn holds<T: PartialOrd>(self, a: T, b: T) -> bool {
        let (less, greater, equal) = (a < b, a > b, a == b);
        match self {
            FloatCmp::Eq => equal,
            FloatCmp::Ne => less | greater,
            FloatCmp::Lt => less,
            FloatCmp::Le => less | equal,
            FloatCmp::Num => less | greater | equal,
            FloatCmp::Equ => !(less | greater),
            FloatCmp::Neu => !equal,
            FloatCmp::Ltu => !(greater | equal),
            FloatCmp::Leu => !greater,
            FloatCmp::Nan => !(less | greater | equal),
        }
    }

    pub(super) const ALL: [FloatCmp; 10] = [
        FloatCmp::Eq,
        FloatCmp::Ne,
        FloatCmp::Lt,
        FloatCmp::Le,
        FloatCmp::Num,
        FloatCmp::Equ,
        FloatCmp::Neu,
        FloatCmp::Ltu,
        FloatCmp::Leu,
        FloatCmp::Nan,
    ];

    /// What is known of it on patterns of a type.
    pub(super) const fn facts(self, ty: Type) -> Facts {
        let two = Facts { result: Type::Pred, ..Facts::alike(2, ty) };
        match self {
            FloatCmp::Lt | FloatCmp::Le | FloatCmp::Ltu | FloatCmp::Leu => two,
            FloatCmp::Eq | FloatCmp::Ne | FloatCmp::Num => two.commuting(),
            FloatCmp::Equ | FloatCmp::Neu | FloatCmp::Nan => two.commuting(),
        }
    }
}

impl Approx {
    pub(super) const ALL: [Approx; 12] = [
        Approx::Reciprocal,
        Approx::Root,
        Approx::ReciprocalRoot,
        Approx::RootWithSubnormals,
        Approx::ReciprocalRootWithSubnormals,
        Approx::Logarithm,
        Approx::Power,
        Approx::Sine,
        Approx::Cosine,
        Approx::Tangent,
        Approx::ReciprocalUpper,
        Approx::ReciprocalRootUpper,
    ];

    pub(super) fn eval(self, a: u32) -> u32 {
        match self {
            Approx::Reciprocal => approx::reciprocal(a),
            Approx::Root => approx::root(a),
            Approx::ReciprocalRoot => approx::reciprocal_root(a),
            Approx::RootWithSubnormals => approx::root_with_subnormals(a),
            Approx::ReciprocalRootWithSubnormals => approx::reciprocal_root_with_subnormals(a),
            Approx::Logarithm => approx::logarithm(a),
            Approx::Power => approx::power(a),
            Approx::Sine => approx::sine(a),
            Approx::Cosine => approx::cosine(a),
            Approx::Tangent => approx::tangent(a),
            Approx::ReciprocalUpper => approx::reciprocal_upper(a),
            Approx::ReciprocalRootUpper => approx::reciprocal_root_upper(a),
        }
    }
}

impl Convert {
    /// All of them, in every direction.
    pub(super) fn all() -> Vec<Convert> {
        use Convert::*;
        let rounded = [F64ToF32, F32ToF16, F32ToBf16, S64ToF64, U64ToF64];
        let mut all: Vec<Convert> =
            rounded.into_iter().flat_map(|convert| Rounding::ALL.map(convert)).collect();
        all.extend([F32ToF64, F16ToF32, S32ToF32, U32ToF32, S32ToF64, U32ToF64]);
        all.extend([F32ToS32, F32ToU32, F64ToS32, F64ToU32, F64ToS64, F64ToU64]);
        all
    }

    pub(super) const fn facts(self) -> Facts {
        use Convert::*;
        use Type::{U32, U64};
        match self {
            F16ToF32 | F32ToF16(_) | F32ToBf16(_) | S32ToF32 | U32ToF32 | F32ToS32 | F32ToU32 => {
                Facts::new(&[U32], U32)
            }
            F32ToF64 | S32ToF64 | U32ToF64 => Facts::new(&[U32], U64),
            F64ToF32(_) | F64ToS32 | F64ToU32 => Facts::new(&[U64], U32),
            S64ToF64(_) | U64ToF64(_) | F64ToS64 | F64ToU64 => Facts::new(&[U64], U64),
        }
    }

    pub(super) fn eval(self, a: u64) -> u64 {
        let x = a as u32;
        match self {
            Convert::F32ToF64 => convert::f32_to_f64(x),
            Convert::F64ToF32(rounding) => convert::f64_to_f32(rounding, a).into(),
            Convert::F16ToF32 => convert::f16_to_f32(x).into(),
            Convert::F32ToF16(rounding) => convert::f32_to_f16(rounding, x).into(),
            Convert::F32ToBf16(rounding) => convert::f32_to_bf16(rounding, x).into(),
            Convert::S32ToF32 => convert::s32_to_f32(x).into(),
            Convert::U32ToF32 => convert::u32_to_f32(x).into(),
            Convert::S32ToF64 => convert::s32_to_f64(x),
            Convert::U32ToF64 => convert::u32_to_f64(x),
            Convert::S64ToF64(rounding) => convert::s64_to_f64(rounding, a),
            Convert::U64ToF64(rounding) => convert::u64_to_f64(rounding, a),
            Convert::F32ToS32 => convert::f32_to_s32(x).into(),
            Convert::F32ToU32 => convert::f32_to_u32(x).into(),
            Convert::F64ToS32 => convert::f64_to_s32(a).into(),
            Convert::F64ToU32 => convert::f64_to_u32(a).into(),
            Convert::F64ToS64 => convert::f64_to_s64(a),
            Convert::F64ToU64 => convert::f64_to_u64(a),
        }
    }
}

impl Rounding {
    const ALL: [Rounding; 5] =
        [Rounding::Nearest, Rounding::Zero, Rounding::Down, Rounding::Up, Rounding::Odd];

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
