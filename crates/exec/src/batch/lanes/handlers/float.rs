//! Floating-point operations: the machine's arithmetic.

use super::{Handler, compare64, d1, d2, d3, narrow, narrow2, ones, w1, w2, w3, widen1};
use margay_isa::uop::float::convert::*;
use margay_isa::uop::float::{
    Approx, Convert, Float, FloatCmp, Flush, Rounding, approx, convert, double, single,
};

pub(super) const fn f32(float: Float) -> Handler {
    match float {
        Float::Add => w2(single::add),
        Float::AddOdd => w2(single::add_odd),
        Float::Sub => w2(single::sub),
        Float::Mul => w2(single::mul),
        Float::Fma => w3(single::fma),
        Float::Div => w2(single::div),
        Float::Sqrt => w1(single::sqrt),
        Float::Min => w2(single::min),
        Float::Max => w2(single::max),
        Float::Saturate => w1(single::saturate),
        Float::Even => w1(single::even),
        Float::Trunc => w1(single::trunc),
        Float::Floor => w1(single::floor),
        Float::Ceil => w1(single::ceil),
    }
}

pub(super) const fn f64(float: Float) -> Handler {
    match float {
        Float::Add => d2(double::add),
        Float::AddOdd => d2(double::add_odd),
        Float::Sub => d2(double::sub),
        Float::Mul => d2(double::mul),
        Float::Fma => d3(double::fma),
        Float::Div => d2(double::div),
        Float::Sqrt => d1(double::sqrt),
        Float::Min => d2(double::min),
        Float::Max => d2(double::max),
        Float::Saturate => d1(double::saturate),
        Float::Even => d1(double::even),
        Float::Trunc => d1(double::trunc),
        Float::Floor => d1(double::floor),
        Float::Ceil => d1(double::ceil),
    }
}

pub(super) const fn flush(flush: Flush) -> Handler {
    match flush {
        Flush::Value => w1(single::flush),
        Flush::Mul => w2(single::mul_flush),
        Flush::Fma => w3(single::fma_flush),
        Flush::Div => w2(single::div_flush),
    }
}

pub(super) const fn cmp32(cmp: FloatCmp) -> Handler {
    match cmp {
        FloatCmp::Eq => w2(|a, b| ones(single::compare(FloatCmp::Eq, a, b))),
        FloatCmp::Ne => w2(|a, b| ones(single::compare(FloatCmp::Ne, a, b))),
        FloatCmp::Lt => w2(|a, b| ones(single::compare(FloatCmp::Lt, a, b))),
        FloatCmp::Le => w2(|a, b| ones(single::compare(FloatCmp::Le, a, b))),
        FloatCmp::Num => w2(|a, b| ones(single::compare(FloatCmp::Num, a, b))),
        FloatCmp::Equ => w2(|a, b| ones(single::compare(FloatCmp::Equ, a, b))),
        FloatCmp::Neu => w2(|a, b| ones(single::compare(FloatCmp::Neu, a, b))),
        FloatCmp::Ltu => w2(|a, b| ones(single::compare(FloatCmp::Ltu, a, b))),
        FloatCmp::Leu => w2(|a, b| ones(single::compare(FloatCmp::Leu, a, b))),
        FloatCmp::Nan => w2(|a, b| ones(single::compare(FloatCmp::Nan, a, b))),
    }
}

pub(super) const fn cmp64(cmp: FloatCmp) -> Handler {
    match cmp {
        FloatCmp::Eq => compare64(|a, b| ones(double::compare(FloatCmp::Eq, a, b))),
        FloatCmp::Ne => compare64(|a, b| ones(double::compare(FloatCmp::Ne, a, b))),
        FloatCmp::Lt => compare64(|a, b| ones(double::compare(FloatCmp::Lt, a, b))),
        FloatCmp::Le => compare64(|a, b| ones(double::compare(FloatCmp::Le, a, b))),
        FloatCmp::Num => compare64(|a, b| ones(double::compare(FloatCmp::Num, a, b))),
        FloatCmp::Equ => compare64(|a, b| ones(double::compare(FloatCmp::Equ, a, b))),
        FloatCmp::Neu => compare64(|a, b| ones(double::compare(FloatCmp::Neu, a, b))),
        FloatCmp::Ltu => compare64(|a, b| ones(double::compare(FloatCmp::Ltu, a, b))),
        FloatCmp::Leu => compare64(|a, b| ones(double::compare(FloatCmp::Leu, a, b))),
        FloatCmp::Nan => compare64(|a, b| ones(double::compare(FloatCmp::Nan, a, b))),
    }
}

pub(super) const fn add_to_f32(rounding: Rounding) -> Handler {
    use Rounding::{Down, Nearest, Odd, Up, Zero};
    match rounding {
        Nearest => narrow2(|a, b| convert::add_to_f32(Nearest, a, b)),
        Zero => narrow2(|a, b| convert::add_to_f32(Zero, a, b)),
        Down => narrow2(|a, b| convert::add_to_f32(Down, a, b)),
        Up => narrow2(|a, b| convert::add_to_f32(Up, a, b)),
        Odd => narrow2(|a, b| convert::add_to_f32(Odd, a, b)),
    }
}

pub(super) const fn fma_f32(rounding: Rounding) -> Handler {
    use Rounding::{Down, Nearest, Odd, Up, Zero};
    match rounding {
        Nearest => w3(|a, b, c| convert::fma_f32(Nearest, a, b, c)),
        Zero => w3(|a, b, c| convert::fma_f32(Zero, a, b, c)),
        Down => w3(|a, b, c| convert::fma_f32(Down, a, b, c)),
        Up => w3(|a, b, c| convert::fma_f32(Up, a, b, c)),
        Odd => w3(|a, b, c| convert::fma_f32(Odd, a, b, c)),
    }
}

pub(super) const fn directed(float: Float, rounding: Rounding) -> Handler {
    use Rounding::{Down, Up, Zero};
    use margay_isa::uop::float::directed::directed;
    match (float, rounding) {
        (Float::Add, Zero) => d2(|a, b| directed(Float::Add, Zero, a, b, 0)),
        (Float::Sub, Zero) => d2(|a, b| directed(Float::Sub, Zero, a, b, 0)),
        (Float::Mul, Zero) => d2(|a, b| directed(Float::Mul, Zero, a, b, 0)),
        (Float::Fma, Zero) => d3(|a, b, c| directed(Float::Fma, Zero, a, b, c)),
        (Float::Div, Zero) => d2(|a, b| directed(Float::Div, Zero, a, b, 0)),
        (Float::Sqrt, Zero) => d1(|a| directed(Float::Sqrt, Zero, a, 0, 0)),
        (Float::Add, Down) => d2(|a, b| directed(Float::Add, Down, a, b, 0)),
        (Float::Sub, Down) => d2(|a, b| directed(Float::Sub, Down, a, b, 0)),
        (Float::Mul, Down) => d2(|a, b| directed(Float::Mul, Down, a, b, 0)),
        (Float::Fma, Down) => d3(|a, b, c| directed(Float::Fma, Down, a, b, c)),
        (Float::Div, Down) => d2(|a, b| directed(Float::Div, Down, a, b, 0)),
        (Float::Sqrt, Down) => d1(|a| directed(Float::Sqrt, Down, a, 0, 0)),
        (Float::Add, Up) => d2(|a, b| directed(Float::Add, Up, a, b, 0)),
        (Float::Sub, Up) => d2(|a, b| directed(Float::Sub, Up, a, b, 0)),
        (Float::Mul, Up) => d2(|a, b| directed(Float::Mul, Up, a, b, 0)),
        (Float::Fma, Up) => d3(|a, b, c| directed(Float::Fma, Up, a, b, c)),
        (Float::Div, Up) => d2(|a, b| directed(Float::Div, Up, a, b, 0)),
        (Float::Sqrt, Up) => d1(|a| directed(Float::Sqrt, Up, a, 0, 0)),
        (other, _) => f64(other),
    }
}

pub(super) const fn one_nan() -> Handler {
    w1(single::one_nan)
}

pub(super) const fn approximate(function: Approx) -> Handler {
    match function {
        Approx::Reciprocal => w1(approx::reciprocal),
        Approx::Root => w1(approx::root),
        Approx::ReciprocalRoot => w1(approx::reciprocal_root),
        Approx::RootWithSubnormals => w1(approx::root_with_subnormals),
        Approx::ReciprocalRootWithSubnormals => w1(approx::reciprocal_root_with_subnormals),
        Approx::Logarithm => w1(approx::logarithm),
        Approx::Power => w1(approx::power),
        Approx::Sine => w1(approx::sine),
        Approx::Cosine => w1(approx::cosine),
        Approx::Tangent => w1(approx::tangent),
        Approx::ReciprocalUpper => w1(approx::reciprocal_upper),
        Approx::ReciprocalRootUpper => w1(approx::reciprocal_root_upper),
    }
}

pub(super) const fn convert(convert: Convert) -> Handler {
    use Rounding::{Down, Nearest, Odd, Up, Zero};
    match convert {
        Convert::F32ToF64 => widen1(f32_to_f64),
        Convert::F64ToF32(Nearest) => narrow(|a| f64_to_f32(Nearest, a)),
        Convert::F64ToF32(Zero) => narrow(|a| f64_to_f32(Zero, a)),
        Convert::F64ToF32(Down) => narrow(|a| f64_to_f32(Down, a)),
        Convert::F64ToF32(Up) => narrow(|a| f64_to_f32(Up, a)),
        Convert::F64ToF32(Odd) => narrow(|a| f64_to_f32(Odd, a)),
        Convert::F16ToF32 => w1(f16_to_f32),
        Convert::F32ToF16(Nearest) => w1(|a| f32_to_f16(Nearest, a)),
        Convert::F32ToF16(Zero) => w1(|a| f32_to_f16(Zero, a)),
        Convert::F32ToF16(Down) => w1(|a| f32_to_f16(Down, a)),
        Convert::F32ToF16(Up) => w1(|a| f32_to_f16(Up, a)),
        Convert::F32ToF16(Odd) => w1(|a| f32_to_f16(Odd, a)),
        Convert::F32ToBf16(Nearest) => w1(|a| f32_to_bf16(Nearest, a)),
        Convert::F32ToBf16(Zero) => w1(|a| f32_to_bf16(Zero, a)),
        Convert::F32ToBf16(Down) => w1(|a| f32_to_bf16(Down, a)),
        Convert::F32ToBf16(Up) => w1(|a| f32_to_bf16(Up, a)),
        Convert::F32ToBf16(Odd) => w1(|a| f32_to_bf16(Odd, a)),
        Convert::S32ToF32 => w1(s32_to_f32),
        Convert::U32ToF32 => w1(u32_to_f32),
        Convert::S32ToF64 => widen1(s32_to_f64),
        Convert::U32ToF64 => widen1(u32_to_f64),
        Convert::S64ToF64(Nearest) => d1(|a| s64_to_f64(Nearest, a)),
        Convert::S64ToF64(Zero) => d1(|a| s64_to_f64(Zero, a)),
        Convert::S64ToF64(Down) => d1(|a| s64_to_f64(Down, a)),
        Convert::S64ToF64(Up) => d1(|a| s64_to_f64(Up, a)),
        Convert::S64ToF64(Odd) => d1(|a| s64_to_f64(Odd, a)),
        Convert::U64ToF64(Nearest) => d1(|a| u64_to_f64(Nearest, a)),
        Convert::U64ToF64(Zero) => d1(|a| u64_to_f64(Zero, a)),
        Convert::U64ToF64(Down) => d1(|a| u64_to_f64(Down, a)),
        Convert::U64ToF64(Up) => d1(|a| u64_to_f64(Up, a)),
        Convert::U64ToF64(Odd) => d1(|a| u64_to_f64(Odd, a)),
        Convert::F32ToS32 => w1(f32_to_s32),
        Convert::F32ToU32 => w1(f32_to_u32),
        Convert::F64ToS32 => narrow(f64_to_s32),
        Convert::F64ToU32 => narrow(f64_to_u32),
        Convert::F64ToS64 => d1(f64_to_s64),
        Convert::F64ToU64 => d1(f64_to_u64),
    }
}
