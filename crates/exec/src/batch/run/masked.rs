//! Loads and stores of some threads, and of all from and to their own local memory, at addresses that lie together.

use crate::batch::lanes::Place;
use crate::batch::plan::Move;
use crate::batch::run::Cta;
use crate::batch::run::access::{Found, Home, LanesMut, element_type};
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
            let offsets = self.offsets(addresses, found, skip);
            let (bulk, base) = match found.home {
                Home::Global(index) => {
                    (Bulk::of_words(&self.job.memory.allocation(index).words), found.base.wrapping_sub(skip))
                }
                Home::Local => (Bulk::of_slice(&mut self.local), 0),
                Home::Shared | Home::Param => (Bulk::of_slice(&mut self.shared), 0),
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
            let offsets = self.offsets(addresses, found, skip);
            let (bulk, base) = match found.home {
                Home::Global(index) => {
                    (Bulk::of_words(&self.job.memory.allocation(index).words), found.base.wrapping_sub(skip))
                }
                Home::Local => (Bulk::of_slice(&mut self.local), 0),
                Home::Shared | Home::Param => (Bulk::of_slice(&mut self.shared), 0),
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

    /// Where each thread's element lies in its home's memory, so many bytes after its address, for whole warps; none in global
    /// memory, where that is not the thread's own affair.
    fn offsets(&mut self, addresses: Place, found: Found, skip: u64) -> Option<Vec<u64>> {
        if matches!(found.home, Home::Global(_)) {
            return None;
        }
        let mut offsets = std::mem::take(&mut self.addresses);
        offsets.clear();
        let all = &self.lines.u64s(addresses)[..self.threads];
        let base = found.base.wrapping_sub(skip);
        if found.home == Home::Local {
            // A word of all threads after the other.
            let row = self.local_row() as u64;
            let place = |(thread, address): (usize, &u64)| {
                let at = address.wrapping_sub(base);
                (at & !7).wrapping_mul(row) + 8 * thread as u64 + (at & 7)
            };
            offsets.extend(all.iter().enumerate().map(place));
        } else {
            let step = self.shared_step();
            for (member, addresses) in all.chunks(self.job.threads as usize).enumerate() {
                let base = base.wrapping_sub(member as u64 * step);
                offsets.extend(addresses.iter().map(|address| address.wrapping_sub(base)));
            }
        }
        offsets.resize(self.threads.next_multiple_of(WARP), 0);
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
