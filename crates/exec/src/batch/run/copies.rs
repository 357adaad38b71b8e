//! Rows of global memory on their way to shared memory: a load finds them, and the store that takes its elements copies them.

use crate::batch::lanes::Place;
use crate::batch::plan::{Address, Block, Move, Step};
use crate::batch::run::found::{Found, Home};
use crate::batch::run::rooms::{Left, RowCopy};
use crate::batch::run::{Bailout, Cta};
use crate::memory::{Access, Bulk, Grid, RowCopies};

impl Cta<'_> {
    /// Leaves a load's elements to the store that takes them, if those of neighbours follow each other. `false` if it must be made now.
    pub(super) fn leave(&mut self, load: &Move<Option<Place>>) -> bool {
        let (Some(site), Address::Affine(id)) = (load.copied, load.address) else { return false };
        let register = self.affine_register(id);
        let affine = register.affine;
        if !register.is_affine || !self.is_full() || affine.steps[0] != i64::from(load.size) {
            return false;
        }
        match self.find_affine(Access::Read, load, affine, 0) {
            Some((Found { home: Home::Global(index), .. }, at)) => {
                let grid = Grid { at, steps: affine.steps, extent: self.extent() };
                self.left.push(Left { site, index, grid });
                true
            }
            _ => false,
        }
    }

    /// Copies what the load has left to where a store writes it. `false` if the store must be made: then the elements are loaded.
    pub(super) fn copy_left(&mut self, store: &Move<Place>) -> bool {
        let Some(k) = store.copied.and_then(|site| self.left.iter().position(|left| left.site == site))
        else {
            return false;
        };
        let left = self.left.swap_remove(k);
        let done = self.copy_rows(store, &left);
        if !done {
            self.load_left(&left, store.bytes, &store.elements);
        }
        done
    }

    fn copy_rows(&mut self, store: &Move<Place>, left: &Left) -> bool {
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
        let copy = RowCopy { to, from: (left.index, left.grid), size: store.size };
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
        let (threads, level) = (self.threads, self.lines.level());
        let bulk = Bulk::of_words(&self.job.memory.allocation(left.index).words);
        let mut grid = left.grid;
        for to in elements {
            match bytes {
                8 => bulk.read_grid_u64(level, grid, &mut self.lines.u64s_mut(*to)[..threads]),
                _ => bulk.read_grid(level, grid, bytes, &mut self.lines.u32s_mut(*to)[..threads]),
            }
            grid.at += u64::from(bytes);
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
