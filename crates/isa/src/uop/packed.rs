//! Operations on packed elements.

use super::scalar::*;
use super::{Facts, Type};

/// Operations on packed elements, each by itself. `U` and `S` say how elements are read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Packed {
    /// `a + b`, modulo the element's width.
    Add,
    /// `a - b`, modulo the element's width.
    Sub,
    /// `a + b`, clamped.
    AddSatU,
    /// `a + b`, clamped.
    AddSatS,
    /// `a - b`, clamped.
    SubSatU,
    /// `a - b`, clamped.
    SubSatS,
    /// `|a - b|`.
    AbsDiffU,
    /// `|a - b|` of numbers with sign; the result has none.
    AbsDiffS,
    /// Half of `a + b`, exact sums, rounded up.
    AvgU,
    /// Half of `a + b`, exact sums, rounded away from zero.
    AvgS,
    /// The lesser.
    MinU,
    /// The lesser.
    MinS,
    /// The greater.
    MaxU,
    /// The greater.
    MaxS,
    /// All ones where `a == b`, else 0.
    Eq,
    /// All ones where `a < b`, else 0.
    LtU,
    /// All ones where `a < b`, else 0.
    LtS,
}

impl Packed {
    pub(super) const ALL: [Packed; 17] = [
        Packed::Add,
        Packed::Sub,
        Packed::AddSatU,
        Packed::AddSatS,
        Packed::SubSatU,
        Packed::SubSatS,
        Packed::AbsDiffU,
        Packed::AbsDiffS,
        Packed::AvgU,
        Packed::AvgS,
        Packed::MinU,
        Packed::MinS,
        Packed::MaxU,
        Packed::MaxS,
        Packed::Eq,
        Packed::LtU,
        Packed::LtS,
    ];

    /// What is known of it, whatever its elements.
    pub(super) const fn facts(self) -> Facts {
        Facts::alike(2, Type::U32)
    }

    pub(super) fn eval_bytes(self, a: u32, b: u32) -> u32 {
        let (a, b) = (a.to_le_bytes(), b.to_le_bytes());
        u32::from_le_bytes(std::array::from_fn(|k| self.byte(a[k], b[k])))
    }

    pub(super) fn eval_halves(self, a: u32, b: u32) -> u32 {
        let one = |k: u32| u32::from(self.half((a >> k) as u16, (b >> k) as u16)) << k;
        one(0) | one(16)
    }

    fn byte(self, a: u8, b: u8) -> u8 {
        let (s, t) = (a as i8, b as i8);
        match self {
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

    fn half(self, a: u16, b: u16) -> u16 {
        let (s, t) = (a as i16, b as i16);
        match self {
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
}
