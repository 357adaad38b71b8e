//! One micro-op on one thread's values: what constants are folded with, and what engines are judged by.

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
