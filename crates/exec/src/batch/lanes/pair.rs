//! Two places at once: addresses that are read, and lanes that are written.

use crate::batch::lanes::{Lines, Place, width};
use margay_isa::uop::Type;

/// The lanes of a place that is written, by its type.
pub(crate) enum LanesMut<'l> {
    U32(&'l mut [u32]),
    U64(&'l mut [u64]),
}

impl Lines<'_> {
    /// Addresses to be read and a place to be written, which must lie apart.
    pub(crate) fn pair_mut(&mut self, from: Place, to: Place, ty: Type) -> (&[u64], LanesMut<'_>) {
        let (from, to) = self.apart(from, 2, to, usize::from(width(ty)));
        let from = bytemuck::cast_slice(from);
        match ty {
            Type::U64 => (from, LanesMut::U64(bytemuck::cast_slice_mut(to))),
            Type::U32 | Type::Pred => (from, LanesMut::U32(bytemuck::cast_slice_mut(to))),
        }
    }
}
