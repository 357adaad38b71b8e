//! The handlers of floating-point operations: the machine's arithmetic, lane by lane.

use crate::batch::lanes::portable::{At, ones};
use margay_isa::uop::float::convert::*;
use margay_isa::uop::float::{Approx, Convert, Float, FloatCmp, Flush, Rounding, approx, double, single};

#[inline(always)]
pub(super) fn f32(at: At, float: Float) {
    match float {
        Float::Add => at.w2(single::add),
        Float::Sub => at.w2(single::sub),
        Float::Mul => at.w2(single::mul),
        Float::Fma => at.w3(single::fma),
        Float::Div => at.w2(single::div),
        Float::Sqrt => at.w1(single::sqrt),
        Float::Min => at.w2(single::min),
        Float::Max => at.w2(single::max),
        Float::Saturate => at.w1(single::saturate),
        Float::Even => at.w1(single::even),
        Float::Trunc => at.w1(single::trunc),
        Float::Floor => at.w1(single::floor),
        Float::Ceil => at.w1(single::ceil),
    }
}

#[inline(always)]
pub(super) fn f64(at: At, float: Float) {
    match float {
        Float::Add => at.d2(double::add),
        Float::Sub => at.d2(double::sub),
        Float::Mul => at.d2(double::mul),
        Float::Fma => at.d3(double::fma),
        Float::Div => at.d2(double::div),
        Float::Sqrt => at.d1(double::sqrt),
        Float::Min => at.d2(double::min),
        Float::Max => at.d2(double::max),
        Float::Saturate => at.d1(double::saturate),
        Float::Even => at.d1(double::even),
        Float::Trunc => at.d1(double::trunc),
        Float::Floor => at.d1(double::floor),
        Float::Ceil => at.d1(double::ceil),
    }
}

#[inline(always)]
pub(super) fn flush(at: At, flush: Flush) {
    match flush {
        Flush::Value => at.w1(single::flush),
        Flush::Mul => at.w2(single::mul_flush),
        Flush::Fma => at.w3(single::fma_flush),
        Flush::Div => at.w2(single::div_flush),
    }
}

#[inline(always)]
pub(super) fn compare32(at: At, cmp: FloatCmp) {
    match cmp {
        FloatCmp::Eq => at.w2(|a, b| ones(single::compare(FloatCmp::Eq, a, b))),
        FloatCmp::Ne => at.w2(|a, b| ones(single::compare(FloatCmp::Ne, a, b))),
        FloatCmp::Lt => at.w2(|a, b| ones(single::compare(FloatCmp::Lt, a, b))),
        FloatCmp::Le => at.w2(|a, b| ones(single::compare(FloatCmp::Le, a, b))),
        FloatCmp::Num => at.w2(|a, b| ones(single::compare(FloatCmp::Num, a, b))),
        FloatCmp::Equ => at.w2(|a, b| ones(single::compare(FloatCmp::Equ, a, b))),
        FloatCmp::Neu => at.w2(|a, b| ones(single::compare(FloatCmp::Neu, a, b))),
        FloatCmp::Ltu => at.w2(|a, b| ones(single::compare(FloatCmp::Ltu, a, b))),
        FloatCmp::Leu => at.w2(|a, b| ones(single::compare(FloatCmp::Leu, a, b))),
        FloatCmp::Nan => at.w2(|a, b| ones(single::compare(FloatCmp::Nan, a, b))),
    }
}

#[inline(always)]
pub(super) fn compare64(at: At, cmp: FloatCmp) {
    match cmp {
        FloatCmp::Eq => at.compare64(|a, b| ones(double::compare(FloatCmp::Eq, a, b))),
        FloatCmp::Ne => at.compare64(|a, b| ones(double::compare(FloatCmp::Ne, a, b))),
        FloatCmp::Lt => at.compare64(|a, b| ones(double::compare(FloatCmp::Lt, a, b))),
        FloatCmp::Le => at.compare64(|a, b| ones(double::compare(FloatCmp::Le, a, b))),
        FloatCmp::Num => at.compare64(|a, b| ones(double::compare(FloatCmp::Num, a, b))),
        FloatCmp::Equ => at.compare64(|a, b| ones(double::compare(FloatCmp::Equ, a, b))),
        FloatCmp::Neu => at.compare64(|a, b| ones(double::compare(FloatCmp::Neu, a, b))),
        FloatCmp::Ltu => at.compare64(|a, b| ones(double::compare(FloatCmp::Ltu, a, b))),
        FloatCmp::Leu => at.compare64(|a, b| ones(double::compare(FloatCmp::Leu, a, b))),
        FloatCmp::Nan => at.compare64(|a, b| ones(double::compare(FloatCmp::Nan, a, b))),
    }
}

#[inline(always)]
pub(super) fn add_odd(at: At) {
    at.d2(double::add_odd);
}

#[inline(always)]
pub(super) fn approximate(at: At, function: Approx) {
    match function {
        Approx::Reciprocal => at.w1(approx::reciprocal),
        Approx::Root => at.w1(approx::root),
        Approx::ReciprocalRoot => at.w1(approx::reciprocal_root),
        Approx::Logarithm => at.w1(approx::logarithm),
        Approx::Power => at.w1(approx::power),
        Approx::Sine => at.w1(approx::sine),
        Approx::Cosine => at.w1(approx::cosine),
    }
}

#[inline(always)]
pub(super) fn convert(at: At, convert: Convert) {
    use Rounding::{Down, Nearest, Odd, Up, Zero};
    match convert {
        Convert::F32ToF64 => at.widen1(f32_to_f64),
        Convert::F64ToF32(Nearest) => at.narrow(|a| f64_to_f32(Nearest, a)),
        Convert::F64ToF32(Zero) => at.narrow(|a| f64_to_f32(Zero, a)),
        Convert::F64ToF32(Down) => at.narrow(|a| f64_to_f32(Down, a)),
        Convert::F64ToF32(Up) => at.narrow(|a| f64_to_f32(Up, a)),
        Convert::F64ToF32(Odd) => at.narrow(|a| f64_to_f32(Odd, a)),
        Convert::F16ToF32 => at.w1(f16_to_f32),
        Convert::F32ToF16(Nearest) => at.w1(|a| f32_to_f16(Nearest, a)),
        Convert::F32ToF16(Zero) => at.w1(|a| f32_to_f16(Zero, a)),
        Convert::F32ToF16(Down) => at.w1(|a| f32_to_f16(Down, a)),
        Convert::F32ToF16(Up) => at.w1(|a| f32_to_f16(Up, a)),
        Convert::F32ToF16(Odd) => at.w1(|a| f32_to_f16(Odd, a)),
        Convert::F32ToBf16(Nearest) => at.w1(|a| f32_to_bf16(Nearest, a)),
        Convert::F32ToBf16(Zero) => at.w1(|a| f32_to_bf16(Zero, a)),
        Convert::F32ToBf16(Down) => at.w1(|a| f32_to_bf16(Down, a)),
        Convert::F32ToBf16(Up) => at.w1(|a| f32_to_bf16(Up, a)),
        Convert::F32ToBf16(Odd) => at.w1(|a| f32_to_bf16(Odd, a)),
        Convert::S32ToF32 => at.w1(s32_to_f32),
        Convert::U32ToF32 => at.w1(u32_to_f32),
        Convert::S32ToF64 => at.widen1(s32_to_f64),
        Convert::U32ToF64 => at.widen1(u32_to_f64),
        Convert::S64ToF64(Nearest) => at.d1(|a| s64_to_f64(Nearest, a)),
        Convert::S64ToF64(rounding) => at.d1(|a| s64_to_f64(rounding, a)),
        Convert::U64ToF64(Nearest) => at.d1(|a| u64_to_f64(Nearest, a)),
        Convert::U64ToF64(rounding) => at.d1(|a| u64_to_f64(rounding, a)),
        Convert::F32ToS32 => at.w1(f32_to_s32),
        Convert::F32ToU32 => at.w1(f32_to_u32),
        Convert::F64ToS32 => at.narrow(f64_to_s32),
        Convert::F64ToU32 => at.narrow(f64_to_u32),
        Convert::F64ToS64 => at.d1(f64_to_s64),
        Convert::F64ToU64 => at.d1(f64_to_u64),
    }
}
