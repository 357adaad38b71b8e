//! One micro-op on one thread's values: what constants are folded with, and what engines are judged by.

use super::float::{Approx, Convert, Float, Flush, approx, convert, double, single};
use super::scalar::*;
use super::{Cmp, Dot, Int, Logic, Op, Packed, Type};

/// The result of an operation on values that fit the types of its operands.
///
/// ```
/// use margay_isa::uop::{Op, Packed, eval};
/// assert_eq!(eval(Op::Bytes(Packed::AddSatU), [0x01ff_0203, 0x0101_0101, 0]), 0x02ff_0304);
/// ```
pub fn eval(op: Op, [a, b, c]: [u64; 3]) -> u64 {
    let (x, y, z) = (a as u32, b as u32, c as u32);
    match op {
        Op::Int32(int) => u64::from(int32(int, x, y, z)),
        Op::Int64(int) => int64(int, a, b, c),
        Op::Cmp32(cmp) => u64::from(match cmp {
            Cmp::Eq => x == y,
            Cmp::Ne => x != y,
            Cmp::LtU => x < y,
            Cmp::LeU => x <= y,
            Cmp::LtS => (x as i32) < y as i32,
            Cmp::LeS => x as i32 <= y as i32,
        }),
        Op::Cmp64(cmp) => u64::from(match cmp {
            Cmp::Eq => a == b,
            Cmp::Ne => a != b,
            Cmp::LtU => a < b,
            Cmp::LeU => a <= b,
            Cmp::LtS => (a as i64) < b as i64,
            Cmp::LeS => a as i64 <= b as i64,
        }),
        Op::Bytes(packed) => {
            let (p, q) = (x.to_le_bytes(), y.to_le_bytes());
            u64::from(u32::from_le_bytes(std::array::from_fn(|k| byte(packed, p[k], q[k]))))
        }
        Op::Halves(packed) => {
            let one = |k: u32| u32::from(half(packed, (x >> k) as u16, (y >> k) as u16)) << k;
            u64::from(one(0) | one(16))
        }
        Op::Dot(dot) => u64::from(match dot {
            Dot::Bytes(sa, sb) => dot_bytes((sa, sb), x, y, z),
            Dot::Halves(sa, sb) => dot_halves((sa, sb), x, y, z),
            Dot::AbsDiffBytesU => abs_diff_bytes(false, x, y, z),
            Dot::AbsDiffBytesS => abs_diff_bytes(true, x, y, z),
        }),
        Op::Pred(logic) => match logic {
            Logic::And => a & b,
            Logic::Or => a | b,
            Logic::Xor => a ^ b,
            Logic::AndNot => a & !b & 1,
        },
        Op::Select(Type::Pred | Type::U32 | Type::U64) => {
            if a != 0 {
                b
            } else {
                c
            }
        }
        Op::Lop3(table) => u64::from(lop3(table, x, y, z)),
        Op::FunnelLeft => u64::from(funnel_left(x, y, z)),
        Op::FunnelRight => u64::from(funnel_right(x, y, z)),
        Op::Permute => u64::from(permute(x, y, z)),
        Op::MulWideU => mul_wide_u(x, y),
        Op::MulWideS => mul_wide_s(x, y),
        Op::Zext => u64::from(x),
        Op::Sext => x as i32 as u64,
        Op::Low => u64::from(x),
        Op::High => a >> 32,
        Op::Pack => u64::from(y) << 32 | u64::from(x),
        Op::FromPred => a,
        Op::F32(float) => u64::from(float32(float, x, y, z)),
        Op::F64(float) => float64(float, a, b, c),
        Op::Flush(flush) => u64::from(match flush {
            Flush::Value => single::flush(x),
            Flush::Mul => single::mul_flush(x, y),
            Flush::Fma => single::fma_flush(x, y, z),
            Flush::Div => single::div_flush(x, y),
        }),
        Op::CmpF32(cmp) => u64::from(single::compare(cmp, x, y)),
        Op::CmpF64(cmp) => u64::from(double::compare(cmp, a, b)),
        Op::Convert(convert) => converted(convert, a),
        Op::AddOdd => double::add_odd(a, b),
        Op::Approx(function) => u64::from(match function {
            Approx::Reciprocal => approx::reciprocal(x),
            Approx::Root => approx::root(x),
            Approx::ReciprocalRoot => approx::reciprocal_root(x),
            Approx::Logarithm => approx::logarithm(x),
            Approx::Power => approx::power(x),
            Approx::Sine => approx::sine(x),
            Approx::Cosine => approx::cosine(x),
        }),
    }
}

fn float32(float: Float, a: u32, b: u32, c: u32) -> u32 {
    match float {
        Float::Add => single::add(a, b),
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

fn float64(float: Float, a: u64, b: u64, c: u64) -> u64 {
    match float {
        Float::Add => double::add(a, b),
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

fn converted(to: Convert, a: u64) -> u64 {
    let x = a as u32;
    match to {
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

fn int32(int: Int, a: u32, b: u32, c: u32) -> u32 {
    match int {
        Int::Add => a.wrapping_add(b),
        Int::Sub => a.wrapping_sub(b),
        Int::Mul => a.wrapping_mul(b),
        Int::MulHighU => mul_high_u32(a, b),
        Int::MulHighS => mul_high_s32(a, b),
        Int::MulAdd => a.wrapping_mul(b).wrapping_add(c),
        Int::AddAdd => a.wrapping_add(b).wrapping_add(c),
        Int::And => a & b,
        Int::Or => a | b,
        Int::Xor => a ^ b,
        Int::Shl => shl32(a, b),
        Int::Shr => shr32(a, b),
        Int::Sar => sar32(a, b),
        Int::MinU => a.min(b),
        Int::MinS => (a as i32).min(b as i32) as u32,
        Int::MaxU => a.max(b),
        Int::MaxS => (a as i32).max(b as i32) as u32,
        Int::AbsDiffU => a.abs_diff(b),
        Int::AbsDiffS => (a as i32).abs_diff(b as i32),
        Int::Popc => a.count_ones(),
        Int::Clz => a.leading_zeros(),
        Int::Brev => a.reverse_bits(),
        Int::DivU => div_u32(a, b),
        Int::DivS => div_s32(a, b),
        Int::RemU => rem_u32(a, b),
        Int::RemS => rem_s32(a, b),
        Int::ExtractU(position, length) => extract_u32(a, position, length),
        Int::ExtractS(position, length) => extract_s32(a, position, length),
    }
}

fn int64(int: Int, a: u64, b: u64, c: u64) -> u64 {
    match int {
        Int::Add => a.wrapping_add(b),
        Int::Sub => a.wrapping_sub(b),
        Int::Mul => a.wrapping_mul(b),
        Int::MulHighU => mul_high_u64(a, b),
        Int::MulHighS => mul_high_s64(a, b),
        Int::MulAdd => a.wrapping_mul(b).wrapping_add(c),
        Int::AddAdd => a.wrapping_add(b).wrapping_add(c),
        Int::And => a & b,
        Int::Or => a | b,
        Int::Xor => a ^ b,
        Int::Shl => shl64(a, b as u32),
        Int::Shr => shr64(a, b as u32),
        Int::Sar => sar64(a, b as u32),
        Int::MinU => a.min(b),
        Int::MinS => (a as i64).min(b as i64) as u64,
        Int::MaxU => a.max(b),
        Int::MaxS => (a as i64).max(b as i64) as u64,
        Int::AbsDiffU => a.abs_diff(b),
        Int::AbsDiffS => (a as i64).abs_diff(b as i64),
        Int::Popc => u64::from(a.count_ones()),
        Int::Clz => u64::from(a.leading_zeros()),
        Int::Brev => a.reverse_bits(),
        Int::DivU => div_u64(a, b),
        Int::DivS => div_s64(a, b),
        Int::RemU => rem_u64(a, b),
        Int::RemS => rem_s64(a, b),
        Int::ExtractU(position, length) => extract_u64(a, position, length),
        Int::ExtractS(position, length) => extract_s64(a, position, length),
    }
}

fn byte(packed: Packed, a: u8, b: u8) -> u8 {
    let (s, t) = (a as i8, b as i8);
    match packed {
        Packed::Add => a.wrapping_add(b),
        Packed::Sub => a.wrapping_sub(b),
        Packed::AddSatU => a.saturating_add(b),
        Packed::AddSatS => s.saturating_add(t) as u8,
        Packed::SubSatU => a.saturating_sub(b),
        Packed::SubSatS => s.saturating_sub(t) as u8,
        Packed::AbsDiffU => a.abs_diff(b),
        Packed::AbsDiffS => s.abs_diff(t),
        Packed::AvgU => avg_u8(a, b),
        Packed::AvgS => avg_s8(a, b),
        Packed::MinU => a.min(b),
        Packed::MinS => s.min(t) as u8,
        Packed::MaxU => a.max(b),
        Packed::MaxS => s.max(t) as u8,
        Packed::Eq => ones8(a == b),
        Packed::LtU => ones8(a < b),
        Packed::LtS => ones8(s < t),
    }
}

fn half(packed: Packed, a: u16, b: u16) -> u16 {
    let (s, t) = (a as i16, b as i16);
    match packed {
        Packed::Add => a.wrapping_add(b),
        Packed::Sub => a.wrapping_sub(b),
        Packed::AddSatU => a.saturating_add(b),
        Packed::AddSatS => s.saturating_add(t) as u16,
        Packed::SubSatU => a.saturating_sub(b),
        Packed::SubSatS => s.saturating_sub(t) as u16,
        Packed::AbsDiffU => a.abs_diff(b),
        Packed::AbsDiffS => s.abs_diff(t),
        Packed::AvgU => avg_u16(a, b),
        Packed::AvgS => avg_s16(a, b),
        Packed::MinU => a.min(b),
        Packed::MinS => s.min(t) as u16,
        Packed::MaxU => a.max(b),
        Packed::MaxS => s.max(t) as u16,
        Packed::Eq => ones16(a == b),
        Packed::LtU => ones16(a < b),
        Packed::LtS => ones16(s < t),
    }
}
