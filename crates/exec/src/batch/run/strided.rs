//! Loads and stores at affine addresses: found at once, and moved row by row.

use crate::batch::affine::{AXES, AffineValue};
use crate::batch::lanes::{GROUP, Place, UNIT};
use crate::batch::plan::{Address, Move};
use crate::batch::run::Cta;
use crate::batch::run::found::{Found, Home};
use crate::memory::{Access, Bulk, Grid};
use margay_front::module::Space;
use margay_isa::uop::Type;

impl Cta<'_> {
    /// A load from affine addresses, by all threads, whether they take part or not. `false` if they do not all lie
    /// together in one allocation or in shared memory; then nothing is done.
    pub(super) fn load_affine(&mut self, load: &Move<Option<Place>>, affine: AffineValue) -> bool {
        let Some((found, at)) = self.find_affine(Access::Read, load, affine, 0) else {
            return false;
        };
        let (threads, extent, level) = (self.threads, self.extent(), self.lines.level());
        let steps = self.steps_in(found, affine);
        let bulk = match found.home {
            Home::Global(index) => Bulk::of_words(&self.job.memory.allocation(index).words),
            Home::Shared => Bulk::of_slice(&mut self.shared),
            Home::Local | Home::Param => return false,
        };
        let mut grid = Grid { at, steps, extent };
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

    /// Lets the next operation write its result to memory by itself, where a store of it finds the elements of all threads, or of each
    /// CTA, one after the other.
    pub(super) fn aim(&mut self, store: &Move<Place>) {
        self.aimed = self.aims(store);
        if !self.aimed {
            self.lines.aim_at_lines();
        }
    }

    fn aims(&mut self, store: &Move<Place>) -> bool {
        let Address::Affine(id) = store.address else { return false };
        let register = self.affine_register(id);
        let all = self.is_full() && self.threads == self.plan.vector_ops.groups() * GROUP;
        if !all || !register.is_affine || register.affine.steps[0] != i64::from(store.bytes) {
            return false;
        }
        let (own, step) = (self.job.threads as usize, register.affine.steps[AXES - 1]);
        let all = self.is_joined(register.affine);
        let of_each = || {
            let steps = register.affine.steps;
            let joined =
                AffineValue { steps: [steps[0], steps[1], steps[2], own as i64 * steps[0]], base: 0 };
            own.is_multiple_of(UNIT * GROUP) && self.is_joined(joined)
        };
        if !all && !of_each() {
            return false;
        }
        match self.find_affine(Access::Write, store, register.affine, 0) {
            Some((Found { home: Home::Global(index), .. }, at)) if !self.job.memory.is_heap(index) => {
                let memory: &'_ crate::Memory = self.job.memory;
                let ty = if store.bytes == 8 { Type::U64 } else { Type::U32 };
                let memory = Bulk::of_words(&memory.allocation(index).words);
                match all {
                    true => self.lines.aim(memory, at, ty),
                    false => self.lines.aim_at_rows(memory, at, step, ty, own),
                }
            }
            _ => false,
        }
    }

    /// A store by all threads to affine addresses. `false` if nothing was done.
    pub(super) fn store_affine(&mut self, store: &Move<Place>, affine: AffineValue) -> bool {
        let Some((found, at)) = self.find_affine(Access::Write, store, affine, 0) else {
            return false;
        };
        let steps = self.steps_in(found, affine);
        self.store_found(store, found, at, steps)
    }

    /// The same where elements have been found; each thread's lies that far from the first one's.
    pub(super) fn store_found(
        &mut self,
        store: &Move<Place>,
        found: Found,
        at: u64,
        steps: [i64; AXES],
    ) -> bool {
        let (extent, level) = (self.extent(), self.lines.level());
        let bulk = match found.home {
            Home::Global(index) if !self.job.memory.is_heap(index) => {
                Bulk::of_words(&self.job.memory.allocation(index).words)
            }
            Home::Shared => Bulk::of_slice(&mut self.shared),
            Home::Global(_) | Home::Local | Home::Param => return false,
        };
        let mut grid = Grid { at, steps, extent };
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

    /// The steps of offsets in a home: blocks have shared memory of their own.
    pub(super) fn steps_in(&self, found: Found, affine: AffineValue) -> [i64; AXES] {
        let mut steps = affine.steps;
        if found.home == Home::Shared {
            steps[AXES - 1] = steps[AXES - 1].wrapping_add(self.shared_step() as i64);
        }
        steps
    }

    /// Whether the rows of threads follow each other without a gap, at the distance of threads in a row.
    pub(super) fn is_joined(&self, affine: AffineValue) -> bool {
        let extent = self.extent();
        let mut step = affine.steps[0];
        (1..AXES).all(|axis| {
            step = step.wrapping_mul(i64::from(extent[axis - 1]));
            extent[axis] == 1 || affine.steps[axis] == step
        })
    }

    /// Where affine addresses of all threads lie, and up to `span` bytes more from each, and the offset of the first
    /// thread's.
    pub(super) fn find_affine<T>(
        &mut self,
        access: Access,
        moved: &Move<T>,
        affine: AffineValue,
        span: u64,
    ) -> Option<(Found, u64)> {
        let low_bits = affine.steps.iter().fold(affine.base, |bits, step| bits | *step as u64);
        if low_bits & u64::from(moved.size - 1) != 0 {
            return None;
        }
        let (below, above) = affine.reach(self.extent())?;
        let (least, most) = (affine.base.checked_add_signed(below)?, affine.base.checked_add_signed(above)?);
        let bytes = (most - least).checked_add(span)?.checked_add(moved.size.into())?;
        // Mostly it is the allocation in which this instruction found its elements before.
        let index = self.hints[moved.site as usize];
        let found = match self.job.memory.origin_of(index, access, least, bytes) {
            Some(base) if moved.space == Some(Space::Global) => Found { home: Home::Global(index), base },
            _ => self.find(access, moved.area(), least, bytes)?,
        };
        if let Home::Global(index) = found.home {
            self.hints[moved.site as usize] = index;
        }
        Some((found, affine.base - found.base))
    }
}
