//! Operations on packed elements.

use super::{Handler, bytes, halves};
use margay_isa::uop::Packed;
use margay_isa::uop::scalar::*;

pub(super) const fn of_bytes(packed: Packed) -> Handler {
    match packed {
        Packed::Add => bytes(u8::wrapping_add),
        Packed::Sub => bytes(u8::wrapping_sub),
        Packed::AddSatU => bytes(u8::saturating_add),
        Packed::AddSatS => bytes(|a, b| (a as i8).saturating_add(b as i8) as u8),
        Packed::SubSatU => bytes(u8::saturating_sub),
        Packed::SubSatS => bytes(|a, b| (a as i8).saturating_sub(b as i8) as u8),
        Packed::AbsDiffU => bytes(u8::abs_diff),
        Packed::AbsDiffS => bytes(|a, b| (a as i8).abs_diff(b as i8)),
        Packed::AvgU => bytes(avg_u8),
        Packed::AvgS => bytes(avg_s8),
        Packed::MinU => bytes(u8::min),
        Packed::MinS => bytes(|a, b| (a as i8).min(b as i8) as u8),
        Packed::MaxU => bytes(u8::max),
        Packed::MaxS => bytes(|a, b| (a as i8).max(b as i8) as u8),
        Packed::Eq => bytes(|a, b| ones8(a == b)),
        Packed::LtU => bytes(|a, b| ones8(a < b)),
        Packed::LtS => bytes(|a, b| ones8((a as i8) < b as i8)),
    }
}

pub(super) const fn of_halves(packed: Packed) -> Handler {
    match packed {
        Packed::Add => halves(u16::wrapping_add),
        Packed::Sub => halves(u16::wrapping_sub),
        Packed::AddSatU => halves(u16::saturating_add),
        Packed::AddSatS => halves(|a, b| (a as i16).saturating_add(b as i16) as u16),
        Packed::SubSatU => halves(u16::saturating_sub),
        Packed::SubSatS => halves(|a, b| (a as i16).saturating_sub(b as i16) as u16),
        Packed::AbsDiffU => halves(u16::abs_diff),
        Packed::AbsDiffS => halves(|a, b| (a as i16).abs_diff(b as i16)),
        Packed::AvgU => halves(avg_u16),
        Packed::AvgS => halves(avg_s16),
        Packed::MinU => halves(u16::min),
        Packed::MinS => halves(|a, b| (a as i16).min(b as i16) as u16),
        Packed::MaxU => halves(u16::max),
        Packed::MaxS => halves(|a, b| (a as i16).max(b as i16) as u16),
        Packed::Eq => halves(|a, b| ones16(a == b)),
        Packed::LtU => halves(|a, b| ones16(a < b)),
        Packed::LtS => halves(|a, b| ones16((a as i16) < b as i16)),
    }
}
