//! Loads and stores of some threads, and of all from and to their own local memory, at addresses that lie together.

use crate::batch::lanes::{LanesMut, Place};
use crate::batch::plan::Move;
use crate::batch::run::Cta;
use crate::batch::run::access::element_type;
use crate::batch::run::found::{Found, Home};
use crate::batch::run::part::{Part, whole_warps};
use crate::memory::Bulk;
use margay_isa::WARP;
use margay_isa::uop::Type;
use std::borrow::Cow;

impl Cta<'_> {
    /// A load by a part of the threads. The addresses must not be the same in all threads.
    pub(super) fn load_some(
        &mut self,
        load: &Move<Option<Place>>,
        addresses: Place,
        found: Found,
        part: &Part,
    ) {
        let (level, ty) = (self.lines.level(), element_type(load.bytes));
        let bits = bits(part);
        for (k, to) in load.elements.iter().enumerate() {
            let Some(to) = to else { continue };
            let skip = k as u64 * u64::from(load.bytes);
            let offsets = self.offsets(addresses, found, skip, &bits);
            let base = if offsets.is_some() { 0 } else { found.base.wrapping_sub(skip) };
            let bulk = match found.home {
                Home::Global(index) => Bulk::of_words(&self.job.memory.allocation(index).words),
                Home::Local => Bulk::of_slice(&mut self.local),
                Home::Shared | Home::Param => Bulk::of_slice(&mut self.shared),
            };
            let (from, to) = self.lines.pair_mut(addresses, *to, ty);
            let from = offsets.as_deref().unwrap_or(from);
            match to {
                LanesMut::U32(lanes) => bulk.gather_some(level, &bits, from, base, load.bytes, lanes),
                LanesMut::U64(lanes) => bulk.gather_some_u64(level, &bits, from, base, lanes),
            }
            self.keep_room(offsets);
        }
    }

    /// A store by a part of the threads. The addresses must not be the same in all threads.
    pub(super) fn store_some(&mut self, store: &Move<Place>, addresses: Place, found: Found, part: &Part) {
        let bits = bits(part);
        for (k, from) in store.elements.iter().enumerate() {
            let skip = k as u64 * u64::from(store.bytes);
            let offsets = self.offsets(addresses, found, skip, &bits);
            let base = if offsets.is_some() { 0 } else { found.base.wrapping_sub(skip) };
            let bulk = match found.home {
                Home::Global(index) => Bulk::of_words(&self.job.memory.allocation(index).words),
                Home::Local => Bulk::of_slice(&mut self.local),
                Home::Shared | Home::Param => Bulk::of_slice(&mut self.shared),
            };
            let to = offsets.as_deref().unwrap_or_else(|| self.lines.u64s(addresses));
            // Which bits of a thread's number say where its value is.
            let lanes = if from.stride == 0 { 0 } else { usize::MAX };
            match element_type(store.bytes) {
                Type::U64 => {
                    let values = self.lines.u64s(*from);
                    bulk.scatter_some(&bits, to, base, store.bytes, |t| values[t & lanes]);
                }
                Type::U32 | Type::Pred => {
                    let values = self.lines.u32s(*from);
                    bulk.scatter_some(&bits, to, base, store.bytes, |t| values[t & lanes].into());
                }
            }
            self.keep_room(offsets);
        }
    }

    /// Where the elements of some threads lie in their home's memory, so many bytes after their addresses; none where that is the
    /// address without a base in all threads.
    fn offsets(&mut self, addresses: Place, found: Found, skip: u64, bits: &[u32]) -> Option<Vec<u64>> {
        let base = found.base.wrapping_sub(skip);
        let several = found.home == Home::Shared && self.count > 1;
        if found.home != Home::Local && !several {
            return None;
        }
        let mut offsets = std::mem::take(&mut self.addresses);
        // What threads have that take no part may be anything.
        offsets.resize(bits.len() * WARP, 0);
        let all = self.lines.u64s(addresses);
        if found.home == Home::Local {
            let row = self.local_row() as u64;
            self.lines.level().offsets_in_words(bits, all, (base, row), &mut offsets);
            return Some(offsets);
        }
        // Only blocks of whole warps run together.
        let (own, step) = (self.job.threads as usize / WARP, self.shared_step());
        let warps = all.as_chunks::<WARP>().0.iter().zip(offsets.as_chunks_mut::<WARP>().0).enumerate();
        for (warp, (addresses, offsets)) in warps.filter(|(warp, _)| bits[*warp] != 0) {
            let base = base.wrapping_sub((warp / own) as u64 * step);
            offsets.iter_mut().zip(addresses).for_each(|(offset, at)| *offset = at.wrapping_sub(base));
        }
        Some(offsets)
    }

    fn keep_room(&mut self, offsets: Option<Vec<u64>>) {
        if let Some(offsets) = offsets {
            self.addresses = offsets;
        }
    }
}

/// The threads of a part, a bit each for every warp.
fn bits(part: &Part) -> Cow<'_, [u32]> {
    match part {
        Part::All(threads) => whole_warps(*threads).into(),
        Part::Some(chosen) => chosen.bits.as_slice().into(),
    }
}
