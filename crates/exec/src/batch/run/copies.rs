//! Rows and vectors of global memory on their way to shared memory: a load finds them, and the store that takes its elements copies them.

use crate::batch::affine::PeriodicValue;
use crate::batch::lanes::Place;
use crate::batch::plan::{Address, Block, Move, Step};
use crate::batch::run::found::{Found, Home};
use crate::batch::run::part::Part;
use crate::batch::run::periodic::warp_places;
use crate::batch::run::rooms::{AffineRegister, Left, LeftAt, RowCopy};
use crate::batch::run::{Bailout, Cta};
use crate::memory::{Access, Bulk, Grid, RowCopies};

/// Bytes of a thread's elements from which on they are copied thread by thread.
const VECTOR: u32 = 8;

impl Cta<'_> {
    /// Leaves a load's elements to the store that takes them, if those of neighbours follow each other or each thread has a vector.
    /// `false` if it must be made now.
    pub(super) fn leave(&mut self, load: &Move<Option<Place>>) -> bool {
        let Some(site) = load.copied.filter(|_| self.is_full()) else { return false };
        if let Address::Affine(id) = load.address
            && let AffineRegister { affine, is_affine: true, .. } = self.affine_register(id)
        {
            return affine.steps[0] == i64::from(load.size)
                && match self.find_affine(Access::Read, load, affine, 0) {
                    Some((Found { home: Home::Global(index), .. }, at)) => {
                        let at = LeftAt::Rows(Grid { at, steps: affine.steps, extent: self.extent() });
                        self.left.push(Left { site, index, at });
                        true
                    }
                    _ => false,
                };
        }
        if let Some((addresses, Found { home: Home::Global(index), base })) =
            self.find_periodic_vectors(Access::Read, load)
        {
            let at = LeftAt::Periodic { addresses, base };
            self.left.push(Left { site, index, at });
            return true;
        }
        match self.find_vectors(Access::Read, load) {
            Some((place, Found { home: Home::Global(index), base })) => {
                let mut addresses = self.address_rooms.pop().unwrap_or_default();
                addresses.clear();
                addresses.extend(&self.lines.u64s(place)[..self.threads]);
                self.left.push(Left { site, index, at: LeftAt::Vectors { addresses, base } });
                true
            }
            _ => false,
        }
    }

    /// The addresses of all threads' vectors, if each has its own and all lie together, and in what.
    fn find_vectors<T>(&mut self, access: Access, moved: &Move<T>) -> Option<(Place, Found)> {
        let place = match moved.address {
            Address::Varying(place) => place,
            Address::Affine(id) | Address::Periodic(id) => self.addresses(id),
            Address::Uniform(_) => return None,
        };
        if place.stride == 0 || moved.size < VECTOR {
            return None;
        }
        let (found, _) = self.find_together(access, moved, place, &Part::All(self.threads))?;
        Some((place, found))
    }

    /// The same of periodic addresses.
    fn find_periodic_vectors<T>(
        &mut self,
        access: Access,
        moved: &Move<T>,
    ) -> Option<(PeriodicValue, Found)> {
        let (Address::Affine(id) | Address::Periodic(id)) = moved.address else { return None };
        if moved.size < VECTOR {
            return None;
        }
        let value = self.periodic(id)?;
        let found = self.find_periodic(access, moved, value)?;
        Some((value, found))
    }

    /// Copies what the load has left to where a store writes it. `false` if the store must be made: then the elements are loaded.
    pub(super) fn copy_left(&mut self, store: &Move<Place>) -> bool {
        let Some(k) = store.copied.and_then(|site| self.left.iter().position(|left| left.site == site))
        else {
            return false;
        };
        let mut left = self.left.swap_remove(k);
        if let LeftAt::Periodic { addresses, base } = left.at {
            if self.copy_periodic(store, (left.index, addresses, base)) {
                return true;
            }
            left.at = self.one_by_one_of(left.index, addresses, base);
        }
        let done = match &left.at {
            LeftAt::Periodic { .. } => false,
            LeftAt::Rows(from) => self.copy_rows(store, (left.index, *from)),
            LeftAt::Vectors { addresses, base } => self.copy_vectors(store, (left.index, addresses, *base)),
        };
        if !done {
            self.load_left(&left, store.bytes, &store.elements);
        }
        if let LeftAt::Vectors { addresses, .. } = left.at {
            self.address_rooms.push(addresses);
        }
        done
    }

    fn copy_vectors(&mut self, store: &Move<Place>, (index, from, base): (usize, &[u64], u64)) -> bool {
        let Some((place, found)) = self.find_vectors(Access::Write, store) else { return false };
        if found.home != Home::Shared {
            return false;
        }
        // What is copied before this store may lie where it writes.
        self.copy_sunk();
        let to = self.copied_addresses(place, found.home);
        let memory = Bulk::of_words(&self.job.memory.allocation(index).words);
        let shared = Bulk::of_slice(&mut self.shared);
        let done = shared.copy_vectors((&to, found.base), (memory, from, base), store.size);
        self.addresses = to;
        done
    }

    /// The same of addresses that are periodic on both sides.
    fn copy_periodic(
        &mut self,
        store: &Move<Place>,
        (index, from, base): (usize, PeriodicValue, u64),
    ) -> bool {
        let Some((to, found @ Found { home: Home::Shared, .. })) =
            self.find_periodic_vectors(Access::Write, store)
        else {
            return false;
        };
        // What is copied before this store may lie where it writes.
        self.copy_sunk();
        let there = self.warp_starts(from, Home::Global(index));
        let here = self.warp_starts(to, found.home);
        let from = warp_places(&self.patterns, from, base, &there);
        let to = warp_places(&self.patterns, to, found.base, &here);
        let memory = Bulk::of_words(&self.job.memory.allocation(index).words);
        Bulk::of_slice(&mut self.shared).copy_warps(&to, (memory, &from), store.size);
        true
    }

    /// Where elements at periodic addresses lie, thread by thread.
    fn one_by_one_of(&mut self, index: usize, value: PeriodicValue, base: u64) -> LeftAt {
        let mut addresses = self.address_rooms.pop().unwrap_or_default();
        self.offsets_of_all(value, Found { home: Home::Global(index), base: 0 }, &mut addresses);
        LeftAt::Vectors { addresses, base }
    }

    fn copy_rows(&mut self, store: &Move<Place>, from: (usize, Grid)) -> bool {
        let Address::Affine(id) = store.address else { return false };
        let register = self.affine_register(id);
        if !register.is_affine || register.affine.steps[0] != i64::from(store.size) {
            return false;
        }
        let Some((found, at)) = self.find_affine(Access::Write, store, register.affine, 0) else {
            return false;
        };
        if found.home != Home::Shared {
            return false;
        }
        let to = Grid { at, steps: self.steps_in(found, register.affine), extent: self.extent() };
        let copy = RowCopy { to, from, size: store.size };
        if self.sinks {
            self.sunk.push(copy)
        } else {
            self.copy(&copy)
        }
        true
    }

    fn copy(&mut self, RowCopy { to, from: (index, from), size }: &RowCopy) {
        let memory = Bulk::of_words(&self.job.memory.allocation(*index).words);
        let level = self.lines.level();
        Bulk::of_slice(&mut self.shared).copy_rows(level, *to, (memory, *from), *size);
    }

    /// Carries out steps before a pass, and sinks the copies among them into it.
    pub(super) fn sinking(&mut self, steps: &[Step]) -> Result<(), Bailout> {
        // Where several turns are looked at as one, the third axis is that of turns.
        self.sinks = self.turns == 1;
        let done = steps.iter().try_for_each(|step| self.step(step));
        self.sinks = false;
        if done.is_err() {
            self.copy_sunk();
        }
        done
    }

    /// Makes the copies that are sunk into a pass which has not made them.
    pub(super) fn copy_sunk(&mut self) {
        for copy in std::mem::take(&mut self.sunk) {
            self.copy(&copy);
        }
    }

    /// The copies that a pass is to make.
    pub(super) fn row_copies(&mut self) -> Vec<RowCopies> {
        let (level, memory) = (self.lines.level(), self.job.memory);
        let shared = Bulk::of_slice(&mut self.shared);
        let found = |RowCopy { to, from: (index, from), size }: &RowCopy| {
            let other = Bulk::of_words(&memory.allocation(*index).words);
            shared.row_copies(level, *to, (other, *from), *size)
        };
        self.sunk.iter().map(found).collect()
    }

    /// Loads what was left, since something needs it in lines.
    fn load_left(&mut self, left: &Left, bytes: u32, elements: &[Place]) {
        if let LeftAt::Periodic { addresses, base } = left.at {
            let at = self.one_by_one_of(left.index, addresses, base);
            return self.load_left(&Left { at, ..*left }, bytes, elements);
        }
        let (threads, level) = (self.threads, self.lines.level());
        let bulk = Bulk::of_words(&self.job.memory.allocation(left.index).words);
        for (k, to) in elements.iter().enumerate() {
            let plus = k as u64 * u64::from(bytes);
            match (&left.at, bytes) {
                (LeftAt::Rows(grid), 8) => {
                    let grid = Grid { at: grid.at + plus, ..*grid };
                    bulk.read_grid_u64(level, grid, &mut self.lines.u64s_mut(*to)[..threads]);
                }
                (LeftAt::Rows(grid), _) => {
                    let grid = Grid { at: grid.at + plus, ..*grid };
                    bulk.read_grid(level, grid, bytes, &mut self.lines.u32s_mut(*to)[..threads]);
                }
                (LeftAt::Periodic { .. }, _) => {}
                (LeftAt::Vectors { addresses, base }, 8) => {
                    let base = base.wrapping_sub(plus);
                    bulk.gather_u64(level, addresses, base, &mut self.lines.u64s_mut(*to)[..threads]);
                }
                (LeftAt::Vectors { addresses, base }, _) => {
                    let base = base.wrapping_sub(plus);
                    bulk.gather(level, addresses, base, bytes, &mut self.lines.u32s_mut(*to)[..threads]);
                }
            }
        }
    }

    /// Loads all that was left by a block's loads: another engine goes on inside it.
    pub(super) fn load_all_left(&mut self, block: &Block) {
        for left in std::mem::take(&mut self.left) {
            let load = block.steps.iter().find_map(|step| match step {
                Step::Load(load) if load.copied == Some(left.site) => Some(load),
                _ => None,
            });
            let load = load.expect("it is a load of this block");
            let elements: Vec<Place> = load.elements.iter().flatten().copied().collect();
            debug_assert_eq!(elements.len(), load.elements.len());
            self.load_left(&left, load.bytes, &elements);
        }
    }
}
