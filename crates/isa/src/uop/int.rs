//! Integer operations of one width.

use super::facts::{AffineRule, Facts};
use super::scalar::*;
use super::{Type, Type::U32};

/// Integer operations of one width.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Int {
    /// `a + b`.
    Add,
    /// `a - b`.
    Sub,
    /// The low half of `a * b`.
    Mul,
    /// The high half of `a * b`, without sign.
    MulHighU,
    /// The high half of `a * b`, with sign.
    MulHighS,
    /// The low half of `a * b + c`.
    MulAdd,
    /// `a + b + c`.
    AddAdd,
    /// Bits that are in both.
    And,
    /// Bits that are in either.
    Or,
    /// Bits that are in one of the two.
    Xor,
    /// `a` shifted left by `b`; 0 if that is the width or more.
    Shl,
    /// `a` shifted right by `b`, zeros moving in.
    Shr,
    /// `a` shifted right by `b`, the sign moving in.
    Sar,
    /// The lesser, without sign.
    MinU,
    /// The lesser, with sign.
    MinS,
    /// The greater, without sign.
    MaxU,
    /// The greater, with sign.
    MaxS,
    /// `|a - b|`, without sign.
    AbsDiffU,
    /// `|a - b|` of numbers with sign; the result has none.
    AbsDiffS,
    /// How many bits are 1.
    Popc,
    /// How many zeros stand above the highest 1.
    Clz,
    /// The bits in opposite order.
    Brev,
    /// `a / b` without sign; all ones if `b` is 0.
    DivU,
    /// `a / b` with sign, towards zero; all ones if `b` is 0; the least number divided by -1 is itself.
    DivS,
    /// The remainder of `DivU`; all ones if `b` is 0.
    RemU,
    /// The remainder of `DivS`, with the sign of `a`; all ones if `b` is 0.
    RemS,
    /// So many bits from this one on, zeros above: position, length (at least 1, and both within the width).
    ExtractU(u8, u8),
    /// So many bits from this one on, the highest of them above: position, length.
    ExtractS(u8, u8),
}

impl Int {
    /// All of them on numbers of a type; of fields, some.
    pub(super) fn all(ty: Type) -> Vec<Int> {
        use Int::*;
        let mut all = vec![
            Add, Sub, Mul, MulHighU, MulHighS, MulAdd, AddAdd, And, Or, Xor, Shl, Shr, Sar, MinU, MinS, MaxU,
            MaxS, AbsDiffU, AbsDiffS, Popc, Clz, Brev, DivU, DivS, RemU, RemS,
        ];
        let width = if ty == Type::U64 { 64 } else { 32 };
        for at in (0..width).step_by(5) {
            for length in [1, 3, 8, width - at].into_iter().filter(|length| at + length <= width) {
                all.extend([ExtractU(at, length), ExtractS(at, length)]);
            }
        }
        all
    }

    /// What is known of it on numbers of a type.
    pub(super) const fn facts(self, ty: Type) -> Facts {
        let (one, two, three) = (Facts::alike(1, ty), Facts::alike(2, ty), Facts::alike(3, ty));
        let shift = Facts::new(if matches!(ty, Type::U64) { &[Type::U64, U32] } else { &[U32, U32] }, ty);
        let count = Facts { result: U32, ..one };
        match self {
            Int::Add => two.commuting().affine(AffineRule::Sum),
            Int::Sub => two.affine(AffineRule::Difference),
            Int::Mul => two.commuting().affine(AffineRule::Product),
            Int::MulHighU | Int::MulHighS => two.commuting(),
            Int::MulAdd => three.commuting().affine(AffineRule::ProductSum),
            Int::AddAdd => three.commuting().affine(AffineRule::SumOfThree),
            Int::And => two.commuting().affine(AffineRule::Mask),
            Int::Or | Int::Xor => two.commuting().affine(AffineRule::Bitwise),
            Int::Shl => shift.affine(AffineRule::Shift),
            Int::Shr | Int::Sar => shift.affine(AffineRule::ShiftOfPositive),
            Int::MinU | Int::MinS | Int::MaxU | Int::MaxS => two.commuting(),
            Int::AbsDiffU | Int::AbsDiffS => two.commuting(),
            Int::Popc | Int::Clz => count,
            Int::ExtractU(at, length) => one.affine(AffineRule::Field { at, length }),
            Int::ExtractS(at, length) => one.affine(AffineRule::SignedField { at, length }),
            Int::Brev => one,
            Int::DivU | Int::DivS | Int::RemU | Int::RemS => two,
        }
    }

    pub(super) fn eval32(self, a: u32, b: u32, c: u32) -> u32 {
        match self {
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

    pub(super) fn eval64(self, a: u64, b: u64, c: u64) -> u64 {
        match self {
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
}
