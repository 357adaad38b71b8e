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
use std::ops::Range;

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
            let base = found.base.wrapping_sub(k as u64 * u64::from(load.bytes));
            let offsets = self.offsets(addresses, found.home, base, &bits);
            let warps = self.warps_by_block(found.home, base, &bits);
            let bulk = match found.home {
                Home::Global(index) => Bulk::of_words(&self.job.memory.allocation(index).words),
                Home::Local => Bulk::of_slice(&mut self.local),
                Home::Shared | Home::Param => Bulk::of_slice(&mut self.shared),
            };
            let (from, mut to) = self.lines.pair_mut(addresses, *to, ty);
            let from = offsets.as_deref().unwrap_or(from);
            for Warps { numbers, base } in warps {
                let (bits, first) = (&bits[numbers.clone()], numbers.start * WARP);
                match &mut to {
                    LanesMut::U32(to) => {
                        bulk.gather_some(level, bits, &from[first..], base, load.bytes, &mut to[first..]);
                    }
                    LanesMut::U64(to) => {
                        bulk.gather_some_u64(level, bits, &from[first..], base, &mut to[first..]);
                    }
                }
            }
            self.keep_room(offsets);
        }
    }

    /// A store by a part of the threads. The addresses must not be the same in all threads.
    pub(super) fn store_some(&mut self, store: &Move<Place>, addresses: Place, found: Found, part: &Part) {
        let (level, bits) = (self.lines.level(), bits(part));
        for (k, from) in store.elements.iter().enumerate() {
            let base = found.base.wrapping_sub(k as u64 * u64::from(store.bytes));
            let offsets = self.offsets(addresses, found.home, base, &bits);
            let warps = self.warps_by_block(found.home, base, &bits);
            let bulk = match found.home {
                Home::Global(index) => Bulk::of_words(&self.job.memory.allocation(index).words),
                Home::Local => Bulk::of_slice(&mut self.local),
                Home::Shared | Home::Param => Bulk::of_slice(&mut self.shared),
            };
            let to = offsets.as_deref().unwrap_or_else(|| self.lines.u64s(addresses));
            let same = from.stride == 0;
            for Warps { numbers, base } in warps {
                let (bits, first) = (&bits[numbers.clone()], numbers.start * WARP);
                let (to, bytes, skip) = (&to[first..], store.bytes, if same { 0 } else { first });
                match element_type(bytes) {
                    Type::U64 => {
                        let values = (&self.lines.u64s(*from)[skip..], same);
                        bulk.scatter_some(level, bits, to, base, bytes, values);
                    }
                    Type::U32 | Type::Pred => {
                        let values = (&self.lines.u32s(*from)[skip..], same);
                        bulk.scatter_some(level, bits, to, base, bytes, values);
                    }
                }
            }
            self.keep_room(offsets);
        }
    }

    /// Warps whose elements lie so far from their addresses, or from the offsets that have been found for them: blocks have shared memory of
    /// their own.
    fn warps_by_block(&self, home: Home, base: u64, bits: &[u32]) -> impl Iterator<Item = Warps> + use<> {
        let (own, step, base) = match home {
            _ if self.has_offsets(home) => (bits.len(), 0, 0),
            Home::Shared if self.count > 1 => (self.job.threads as usize / WARP, self.shared_step(), base),
            Home::Shared | Home::Local | Home::Global(_) | Home::Param => (bits.len(), 0, base),
        };
        let count = bits.len() / own.max(1);
        (0..count).map(move |member| Warps {
            numbers: member * own..(member + 1) * own,
            base: base.wrapping_sub(member as u64 * step),
        })
    }

    /// Whether threads of a warp have memory of their own in a home: local memory, or shared memory where blocks share warps.
    fn has_offsets(&self, home: Home) -> bool {
        let share = self.count > 1 && !self.job.threads.is_multiple_of(WARP as u32);
        home == Home::Local || home == Home::Shared && share
    }

    /// Where the elements of some threads lie then.
    fn offsets(&mut self, addresses: Place, home: Home, base: u64, bits: &[u32]) -> Option<Vec<u64>> {
        if !self.has_offsets(home) {
            return None;
        }
        let mut offsets = std::mem::take(&mut self.addresses);
        // What threads have that take no part may be anything.
        offsets.resize(bits.len() * WARP, 0);
        let all = self.lines.u64s(addresses);
        if home == Home::Local {
            let row = self.local_row() as u64;
            self.lines.level().offsets_in_words(bits, all, (base, row), &mut offsets);
            return Some(offsets);
        }
        let (own, step) = (self.job.threads as usize, self.shared_step());
        for (member, (offsets, all)) in offsets.chunks_mut(own).zip(all.chunks(own)).enumerate() {
            let base = base.wrapping_sub(member as u64 * step);
            offsets.iter_mut().zip(all).for_each(|(offset, at)| *offset = at.wrapping_sub(base));
        }
        Some(offsets)
    }

    fn keep_room(&mut self, offsets: Option<Vec<u64>>) {
        if let Some(offsets) = offsets {
            self.addresses = offsets;
        }
    }
}

/// Some warps, and what is taken away from their addresses.
struct Warps {
    numbers: Range<usize>,
    base: u64,
}

/// The threads of a part, a bit each for every warp.
fn bits(part: &Part) -> Cow<'_, [u32]> {
    match part {
        Part::All(threads) => whole_warps(*threads).into(),
        Part::Some(chosen) => chosen.bits.as_slice().into(),
    }
}
