//! Affine values at work: computed once for all threads, and written out for each where something needs that.

use crate::batch::affine::{AXES, AffineDef, AffineValue, operate};
use crate::batch::plan::{AffineId, AffineOp};
use crate::batch::run::Cta;
use crate::batch::run::rooms::AffineRegister;
use margay_isa::uop::Type;
use std::ops::Range;

impl Cta<'_> {
    /// Sets the value that is each block's place in the grid along an axis.
    pub(super) fn place_blocks(&mut self, id: AffineId, axis: u8) {
        let (first, last) = (self.job.grid.at(self.index), self.job.grid.at(self.index + self.count - 1));
        let base = u64::from(first.axis(axis));
        // Along one axis of the grid, or along another where that has nothing.
        let along = match self.job.grid {
            _ if (first.y, first.z) == (last.y, last.z) => Some(0),
            grid if grid.x == 1 && first.z == last.z => Some(1),
            grid if (grid.x, grid.y) == (1, 1) => Some(2),
            _ => None,
        };
        if let Some(along) = along {
            let mut steps = [0; AXES];
            steps[3] = i64::from(axis == along);
            self.affine_values[id as usize] = AffineRegister {
                affine: AffineValue { base, steps },
                is_affine: true,
                pattern: None,
                is_materialized: false,
            };
            return;
        }
        // A new row of the grid begins among them.
        let place = self.plan.affine_values[id as usize].place;
        for t in 0..self.threads {
            let block = self.job.grid.at(self.index + t as u64 / u64::from(self.job.threads));
            self.lines.set(Type::U32, place, t, block.axis(axis).into());
        }
        self.affine_values[id as usize] = AffineRegister {
            affine: AffineValue::default(),
            is_affine: false,
            pattern: None,
            is_materialized: true,
        };
    }

    /// How far the threads reach along each axis, and turns where they lie along the third one.
    pub(super) fn extent(&self) -> [u32; AXES] {
        let [x, y, z] = self.plan.axes.extent;
        [x, y, z * self.turns, self.count as u32]
    }

    /// A thread's place along each axis.
    pub(super) fn place_of(&self, thread: usize) -> [u32; AXES] {
        let own = self.job.threads;
        let [x, y, z] = self.plan.axes.place(thread as u32 % own);
        [x, y, z, thread as u32 / own]
    }

    pub(super) fn affine_register(&self, id: AffineId) -> AffineRegister {
        self.affine_values[id as usize]
    }

    /// Materializes an affine value: writes it out for every thread.
    pub(super) fn materialize(&mut self, id: AffineId) {
        let register = &mut self.affine_values[id as usize];
        let place = self.plan.affine_values[id as usize];
        if register.is_materialized || place.place.stride == 0 {
            return;
        }
        register.is_materialized = true;
        if register.pattern.is_some() {
            return self.materialize_periodic(id);
        }
        let affine = register.affine;
        // For all blocks of a batch, though fewer may run now: what no block changes stays for the next ones.
        let threads = self.plan.batch_size as usize * self.job.threads as usize;
        let (rows, first) = (Rows::new(affine, self.plan.axes.extent), self.plan.axes.extent[0] as usize);
        let (level, step) = (self.lines.level(), affine.steps[0]);
        match place.ty {
            Type::U64 => {
                let lanes = self.lines.u64s_mut(place.place)[..threads].chunks_mut(first);
                lanes.zip(rows).for_each(|(lanes, base)| level.ramp(lanes, base, step as u64));
            }
            Type::U32 | Type::Pred => {
                let lanes = self.lines.u32s_mut(place.place)[..threads].chunks_mut(first);
                lanes.zip(rows).for_each(|(lanes, base)| {
                    level.ramp_narrow(lanes, base as u32, step as u32);
                });
            }
        }
    }

    pub(super) fn affine_ops(&mut self, range: Range<u32>) {
        let ops = &self.plan.affine_ops[range.start as usize..range.end as usize];
        ops.iter().for_each(|op| self.affine_op(op));
    }

    #[inline(always)]
    fn affine_op(&mut self, op: &AffineOp) {
        let rule = match op.def {
            AffineDef::Op(rule) => rule,
            AffineDef::Uniform(ty, place) => {
                let affine = AffineValue::uniform(self.lines.get(ty, place, 0));
                self.affine_values[op.to as usize] =
                    AffineRegister { affine, is_affine: true, pattern: None, is_materialized: true };
                return;
            }
        };
        let [a, b, c] = op.from.map(|id| &self.affine_values[id as usize]);
        if a.is_affine
            && b.is_affine
            && c.is_affine
            && let Some(affine) = operate(rule, op.ty, [&a.affine, &b.affine, &c.affine], self.extent())
        {
            self.affine_values[op.to as usize] =
                AffineRegister { affine, is_affine: true, pattern: None, is_materialized: false };
            return;
        }
        self.op_by_thread(op);
    }

    /// Executes an operation that was deferred; `false` if its result is not affine: others may lie in its lines,
    /// and in those of its operands.
    pub(super) fn rematerialize(&mut self, op: u32) -> bool {
        let op = &self.plan.affine_ops[op as usize];
        let [a, b, c] = op.from.map(|id| &self.affine_values[id as usize]);
        let AffineDef::Op(rule) = op.def else { return false };
        if !(a.is_affine && b.is_affine && c.is_affine) {
            return false;
        }
        let Some(affine) = operate(rule, op.ty, [&a.affine, &b.affine, &c.affine], self.extent()) else {
            return false;
        };
        self.affine_values[op.to as usize] =
            AffineRegister { affine, is_affine: true, pattern: None, is_materialized: false };
        true
    }

    /// The same on lines.
    #[cold]
    pub(super) fn op_by_thread(&mut self, op: &AffineOp) {
        op.from.iter().for_each(|id| self.materialize(*id));
        self.lines.run_one(&op.materialized);
        self.affine_values[op.to as usize] = AffineRegister {
            affine: AffineValue::default(),
            is_affine: false,
            pattern: None,
            is_materialized: true,
        };
    }
}

/// The values of the threads that are first along the first axis, one after the other.
pub(super) struct Rows {
    extent: [u32; 3],
    steps: [i64; AXES],
    /// Where the next one is along the second and third axis, and the values there at their beginnings.
    at: [u32; 2],
    bases: [u64; 3],
}

impl Rows {
    pub(super) fn new(affine: AffineValue, extent: [u32; 3]) -> Rows {
        Rows { extent, steps: affine.steps, at: [0; 2], bases: [affine.base; 3] }
    }
}

impl Iterator for Rows {
    type Item = u64;

    #[inline]
    fn next(&mut self) -> Option<u64> {
        let [row, plane, block] = self.bases;
        let next = |base: u64, axis: usize| base.wrapping_add_signed(self.steps[axis]);
        self.at[0] += 1;
        if self.at[0] < self.extent[1] {
            self.bases[0] = next(row, 1);
            return Some(row);
        }
        (self.at[0], self.at[1]) = (0, self.at[1] + 1);
        let plane = next(plane, 2);
        self.bases = match self.at[1] < self.extent[2] {
            true => [plane, plane, block],
            false => {
                self.at[1] = 0;
                [next(block, 3); 3]
            }
        };
        Some(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_begin_where_threads_at_their_places_do() {
        for extent in [[16, 1, 1], [4, 3, 2], [1, 5, 1], [8, 1, 3]] {
            let affine = AffineValue { base: u64::MAX - 5, steps: [7, -3, 1000, 1 << 40] };
            let [_, y, z] = extent;
            let places = (0..3).flat_map(|w| (0..z).flat_map(move |k| (0..y).map(move |j| [0, j, k, w])));
            let wanted: Vec<u64> = places.map(|place| affine.at(Type::U64, place)).collect();
            let found: Vec<u64> = Rows::new(affine, extent).take(wanted.len()).collect();
            assert_eq!(found, wanted, "{extent:?}");
        }
    }
}
