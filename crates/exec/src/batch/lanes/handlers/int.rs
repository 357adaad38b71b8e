//! Integer operations.

use super::{Handler, d1, d1_by, d2, d3, narrow, shift64, w1, w1_by, w2, w3};
use margay_isa::uop::Int;
use margay_isa::uop::scalar::*;

pub(super) const fn int32(int: Int) -> Handler {
    match int {
        Int::Add => w2(u32::wrapping_add),
        Int::Sub => w2(u32::wrapping_sub),
        Int::Mul => w2(u32::wrapping_mul),
        Int::MulHighU => w2(mul_high_u32),
        Int::MulHighS => w2(mul_high_s32),
        Int::MulAdd => w3(|a, b, c| a.wrapping_mul(b).wrapping_add(c)),
        Int::AddAdd => w3(|a, b, c| a.wrapping_add(b).wrapping_add(c)),
        Int::And => w2(|a, b| a & b),
        Int::Or => w2(|a, b| a | b),
        Int::Xor => w2(|a, b| a ^ b),
        Int::Shl => w2(shl32),
        Int::Shr => w2(shr32),
        Int::Sar => w2(sar32),
        Int::MinU => w2(u32::min),
        Int::MinS => w2(|a, b| (a as i32).min(b as i32) as u32),
        Int::MaxU => w2(u32::max),
        Int::MaxS => w2(|a, b| (a as i32).max(b as i32) as u32),
        Int::AbsDiffU => w2(u32::abs_diff),
        Int::AbsDiffS => w2(|a, b| (a as i32).abs_diff(b as i32)),
        Int::Popc => w1(u32::count_ones),
        Int::Clz => w1(u32::leading_zeros),
        Int::Brev => w1(u32::reverse_bits),
        Int::DivU => w2(div_u32),
        Int::DivS => w2(div_s32),
        Int::RemU => w2(rem_u32),
        Int::RemS => w2(rem_s32),
        Int::ExtractU(position, length) => w1_by(field_u32).with([position, length]),
        Int::ExtractS(position, length) => w1_by(field_s32).with([position, length]),
    }
}

pub(super) const fn int64(int: Int) -> Handler {
    match int {
        Int::Add => d2(u64::wrapping_add),
        Int::Sub => d2(u64::wrapping_sub),
        Int::Mul => d2(u64::wrapping_mul),
        Int::MulHighU => d2(mul_high_u64),
        Int::MulHighS => d2(mul_high_s64),
        Int::MulAdd => d3(|a, b, c| a.wrapping_mul(b).wrapping_add(c)),
        Int::AddAdd => d3(|a, b, c| a.wrapping_add(b).wrapping_add(c)),
        Int::And => d2(|a, b| a & b),
        Int::Or => d2(|a, b| a | b),
        Int::Xor => d2(|a, b| a ^ b),
        Int::Shl => shift64(shl64),
        Int::Shr => shift64(shr64),
        Int::Sar => shift64(sar64),
        Int::MinU => d2(u64::min),
        Int::MinS => d2(|a, b| (a as i64).min(b as i64) as u64),
        Int::MaxU => d2(u64::max),
        Int::MaxS => d2(|a, b| (a as i64).max(b as i64) as u64),
        Int::AbsDiffU => d2(u64::abs_diff),
        Int::AbsDiffS => d2(|a, b| (a as i64).abs_diff(b as i64)),
        Int::Popc => narrow(u64::count_ones),
        Int::Clz => narrow(u64::leading_zeros),
        Int::Brev => d1(u64::reverse_bits),
        Int::DivU => d2(div_u64),
        Int::DivS => d2(div_s64),
        Int::RemU => d2(rem_u64),
        Int::RemS => d2(rem_s64),
        Int::ExtractU(position, length) => d1_by(field_u64).with([position, length]),
        Int::ExtractS(position, length) => d1_by(field_s64).with([position, length]),
    }
}

/// How far a field of a number of so many bits moves up, and then down.
#[inline(always)]
fn moves(width: u32, [position, length]: [u8; 2]) -> (u32, u32) {
    let (position, length) = (u32::from(position), u32::from(length));
    (width.wrapping_sub(position + length) & (width - 1), width.wrapping_sub(length) & (width - 1))
}

#[inline(always)]
fn field_u32(field: [u8; 2], a: u32) -> u32 {
    let (up, down) = moves(32, field);
    a << up >> down
}

#[inline(always)]
fn field_s32(field: [u8; 2], a: u32) -> u32 {
    let (up, down) = moves(32, field);
    ((a << up) as i32 >> down) as u32
}

#[inline(always)]
fn field_u64(field: [u8; 2], a: u64) -> u64 {
    let (up, down) = moves(64, field);
    a << up >> down
}

#[inline(always)]
fn field_s64(field: [u8; 2], a: u64) -> u64 {
    let (up, down) = moves(64, field);
    ((a << up) as i64 >> down) as u64
}
