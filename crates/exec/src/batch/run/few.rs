//! Loads and stores of few threads at affine addresses: each is computed where it is needed, and no other.

use crate::batch::affine::AffineValue;
use crate::batch::lanes::{Lines, Place};
use crate::batch::plan::Move;
use crate::batch::run::Cta;
use crate::batch::run::access::element_type;
use crate::batch::run::affine::Rows;
use crate::batch::run::found::{Found, Home};
use crate::batch::run::part::Part;
use crate::memory::{Access, Bulk};
use margay_isa::WARP;

/// Threads are few where there are at least so many times as many altogether.
const FEW: usize = 8;

/// Some threads, and where in the memory of a home their elements lie.
struct Few<'b> {
    home: Home,
    offsets: AffineValue,
    extent: [u32; 3],
    threads: usize,
    /// For every warp, a bit for each of them.
    bits: &'b [u32],
}

impl Cta<'_> {
    /// A load by few threads. `false` if they are many, or the addresses of all threads do not lie together; then nothing is done.
    pub(super) fn load_few(&mut self, load: &Move<Option<Place>>, affine: AffineValue, part: &Part) -> bool {
        let Some(few) = self.find_few(Access::Read, load, affine, part) else { return false };
        let bulk = match few.home {
            Home::Global(index) => Bulk::of_words(&self.job.memory.allocation(index).words),
            _ => Bulk::of_slice(&mut self.shared),
        };
        for (k, to) in load.elements.iter().enumerate() {
            let Some(to) = to else { continue };
            let above = k as u64 * u64::from(load.bytes);
            match load.bytes {
                1 => few.load(bulk, above, 1, &mut self.lines, *to),
                2 => few.load(bulk, above, 2, &mut self.lines, *to),
                4 => few.load(bulk, above, 4, &mut self.lines, *to),
                _ => few.load(bulk, above, 8, &mut self.lines, *to),
            }
        }
        true
    }

    /// A store by few threads. `false` if nothing was done, as for loads.
    pub(super) fn store_few(&mut self, store: &Move<Place>, affine: AffineValue, part: &Part) -> bool {
        let Some(few) = self.find_few(Access::Write, store, affine, part) else { return false };
        let bulk = match few.home {
            Home::Global(index) => Bulk::of_words(&self.job.memory.allocation(index).words),
            _ => Bulk::of_slice(&mut self.shared),
        };
        for (k, from) in store.elements.iter().enumerate() {
            let above = k as u64 * u64::from(store.bytes);
            match store.bytes {
                1 => few.store(bulk, above, 1, &self.lines, *from),
                2 => few.store(bulk, above, 2, &self.lines, *from),
                4 => few.store(bulk, above, 4, &self.lines, *from),
                _ => few.store(bulk, above, 8, &self.lines, *from),
            }
        }
        true
    }

    /// The part, if it is few threads, with their elements, if all threads' lie together in memory that needs no look at each.
    fn find_few<'p, T>(
        &mut self,
        access: Access,
        moved: &Move<T>,
        affine: AffineValue,
        part: &'p Part,
    ) -> Option<Few<'p>> {
        let bits = part.few(self.threads / FEW)?;
        let (found, at) = self.find_affine(access, moved, affine, 0)?;
        let Found { home, .. } = found;
        let fits = match home {
            Home::Global(index) => !self.job.memory.is_heap(index),
            Home::Shared => true,
            Home::Local | Home::Param => false,
        };
        let offsets = AffineValue { base: at, steps: self.steps_in(found, affine) };
        let (extent, threads) = (self.plan.axes.extent, self.threads);
        fits.then_some(Few { home, offsets, extent, threads, bits })
    }
}

impl Few<'_> {
    #[inline(always)]
    fn load(&self, bulk: Bulk, above: u64, bytes: u32, lines: &mut Lines, to: Place) {
        let ty = element_type(bytes);
        self.each(|t, at| lines.set(ty, to, t, bulk.load(at.wrapping_add(above), bytes)));
    }

    #[inline(always)]
    fn store(&self, bulk: Bulk, above: u64, bytes: u32, lines: &Lines, from: Place) {
        let ty = element_type(bytes);
        self.each(|t, at| bulk.store(at.wrapping_add(above), bytes, lines.get(ty, from, t)));
    }

    /// Calls `f` for each thread, in order, with its offset.
    #[inline(always)]
    fn each(&self, mut f: impl FnMut(usize, u64)) {
        let (length, step) = (self.extent[0] as usize, self.offsets.steps[0] as u64);
        let rows = Rows::new(self.offsets, self.extent);
        for (row, base) in (0..self.threads).step_by(length).zip(rows) {
            for first in (0..length).step_by(WARP) {
                let mut some = word(self.bits, row + first, length - first);
                while some != 0 {
                    let at = first + some.trailing_zeros() as usize;
                    f(row + at, base.wrapping_add(step.wrapping_mul(at as u64)));
                    some &= some - 1;
                }
            }
        }
    }
}

/// The bits from one on, so many at most.
#[inline(always)]
fn word(bits: &[u32], at: usize, count: usize) -> u32 {
    let (place, shift) = (at / WARP, at % WARP);
    let low = u64::from(bits.get(place).copied().unwrap_or(0));
    let high = if shift == 0 { 0 } else { u64::from(bits.get(place + 1).copied().unwrap_or(0)) };
    let word = ((high << WARP | low) >> shift) as u32;
    if count < WARP { word & !(u32::MAX << count) } else { word }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_begins_at_any_bit() {
        let bits = [0x8000_0001u32, 0x0f0f_1234, 0xffff_0000];
        let bit = |at: usize| bits.get(at / WARP).is_some_and(|word| word >> (at % WARP) & 1 == 1);
        for (at, count) in (0..96).flat_map(|at| [1, 5, 31, 32, 40].map(|count| (at, count))) {
            let wanted = (0..count.min(WARP)).filter(|k| bit(at + k)).fold(0u32, |word, k| word | 1 << k);
            assert_eq!(word(&bits, at, count), wanted, "{count} from {at}");
        }
    }
}
