//! Loads and stores at addresses that grow evenly: found at once, and moved row by row.

use super::access::{Found, Home};
use super::even::{AXES, Even};
use super::lanes::Place;
use super::plan::Move;
use super::run::Cta;
use crate::memory::{Access, Bulk, Grid};
use margay_front::module::Space;

impl Cta<'_> {
    /// A load from evenly growing addresses, by all threads, whether they take part or not. `false` if they do not all lie
    /// together in one allocation or in shared memory; then nothing is done.
    pub(super) fn load_even(&mut self, load: &Move<Option<Place>>, even: Even) -> bool {
        let Some((found, at)) = self.find_even(Access::Read, load.space, load.size, even) else {
            return false;
        };
        let (threads, extent, level) = (self.threads, self.extent(), self.lines.level());
        let bulk = match found.home {
            Home::Global(index) => Bulk::of_words(&self.job.memory.allocation(index).words),
            Home::Shared => Bulk::of_slice(&mut self.shared),
            Home::Local | Home::Param => return false,
        };
        let mut grid = Grid { at, steps: even.steps, extent };
        for to in &load.elements {
            match to {
                Some(to) if load.bytes == 8 => {
                    bulk.read_grid_u64(level, grid, &mut self.lines.u64s_mut(*to)[..threads]);
                }
                Some(to) => bulk.read_grid(level, grid, load.bytes, &mut self.lines.u32s_mut(*to)[..threads]),
                None => {}
            }
            grid.at += u64::from(load.bytes);
        }
        true
    }

    /// A store by all threads to evenly growing addresses. `false` if nothing was done.
    pub(super) fn store_even(&mut self, store: &Move<Place>, even: Even) -> bool {
        let Some((found, at)) = self.find_even(Access::Write, store.space, store.size, even) else {
            return false;
        };
        let (extent, level) = (self.extent(), self.lines.level());
        let bulk = match found.home {
            Home::Global(index) if !self.job.memory.is_heap(index) => {
                Bulk::of_words(&self.job.memory.allocation(index).words)
            }
            Home::Shared => Bulk::of_slice(&mut self.shared),
            Home::Global(_) | Home::Local | Home::Param => return false,
        };
        let mut grid = Grid { at, steps: even.steps, extent };
        for from in &store.elements {
            let same = from.stride == 0;
            match store.bytes {
                8 => bulk.write_grid_u64(level, grid, self.lines.u64s(*from), same),
                bytes => bulk.write_grid(level, grid, bytes, self.lines.u32s(*from), same),
            }
            grid.at += u64::from(store.bytes);
        }
        true
    }

    /// Whether the rows of threads follow each other without a gap, at the distance of threads in a row.
    pub(super) fn is_joined(&self, even: Even) -> bool {
        let extent = self.extent();
        let mut step = even.steps[0];
        (1..AXES).all(|axis| {
            step = step.wrapping_mul(i64::from(extent[axis - 1]));
            extent[axis] == 1 || even.steps[axis] == step
        })
    }

    /// Where evenly growing addresses of all threads lie, and the offset of the first thread's.
    pub(super) fn find_even(
        &mut self,
        access: Access,
        space: Option<Space>,
        size: u32,
        even: Even,
    ) -> Option<(Found, u64)> {
        let mut low_bits = even.base;
        even.steps.iter().for_each(|step| low_bits |= *step as u64);
        if low_bits & u64::from(size - 1) != 0 {
            return None;
        }
        let (below, above) = even.reach(self.extent())?;
        let (least, most) = (even.base.checked_add_signed(below)?, even.base.checked_add_signed(above)?);
        let bytes = (most - least).checked_add(size.into())?;
        let found = self.find(access, space, least, bytes)?;
        Some((found, even.base - found.base))
    }
}
