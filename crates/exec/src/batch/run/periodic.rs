//! Periodic values at work: computed once for a warp, and written out for each thread only where something needs that.

use crate::batch::affine::{AXES, AffineDef, Patterns, PeriodicValue, Warps, operate, operate_periodic};
use crate::batch::lanes::{Place, What};
use crate::batch::plan::{AffineId, AffineOp, Move};
use crate::batch::run::Cta;
use crate::batch::run::found::{Found, Home};
use crate::batch::run::rooms::AffineRegister;
use crate::memory::{Access, Bulk, WarpPlaces};
use margay_isa::WARP;
use margay_isa::uop::Type;
use std::ops::Range;
use std::sync::Arc;

impl Cta<'_> {
    pub(super) fn periodic_ops(&mut self, range: Range<u32>) {
        let ops = &self.plan.affine_ops[range.start as usize..range.end as usize];
        range.zip(ops).for_each(|(number, op)| self.periodic_op(number, op));
    }

    fn periodic_op(&mut self, number: u32, op: &AffineOp) {
        let AffineDef::Op(rule) = op.def else { return self.op_by_thread(op) };
        let extent = self.extent();
        let [a, b, c] = op.from.map(|id| &self.affine_values[id as usize]);
        let found = if a.is_affine && b.is_affine && c.is_affine {
            operate(rule, op.ty, [&a.affine, &b.affine, &c.affine], extent).map(|affine| (affine, None))
        } else {
            None
        };
        let found = found.or_else(|| {
            let value = match op.materialized.what {
                What::Move(_) => a.periodic()?,
                What::Op(what) => {
                    let warps = Warps { extent, lane_axes: self.plan.axes.of_lanes()? };
                    let operands = [a.parts()?, b.parts()?, c.parts()?];
                    operate_periodic((number, what, rule), operands, warps, &mut self.patterns)?
                }
            };
            Some((value.affine, Some(value.pattern)))
        });
        let Some((affine, pattern)) = found else { return self.op_by_thread(op) };
        self.affine_values[op.to as usize] =
            AffineRegister { affine, is_affine: pattern.is_none(), pattern, is_materialized: false };
    }

    /// How threads lie, if warps lie along axes of their own.
    fn warps(&self) -> Option<Warps> {
        Some(Warps { extent: self.extent(), lane_axes: self.plan.axes.of_lanes()? })
    }

    /// A value as a periodic one, without steps along the axes on which lanes lie, if it is one or affine.
    pub(super) fn periodic(&mut self, id: AffineId) -> Option<PeriodicValue> {
        let (warps, ty) = (self.warps()?, self.plan.affine_values[id as usize].ty);
        self.affine_values[id as usize].periodic()?.folded(ty, warps, &mut self.patterns)
    }

    /// A thread's value of one that is periodic.
    pub(super) fn periodic_at(&self, id: AffineId, thread: usize) -> u64 {
        let ty = self.plan.affine_values[id as usize].ty;
        let value = self.affine_register(id).periodic();
        value.map_or(0, |value| value.at(ty, thread % WARP, self.place_of(thread), &self.patterns))
    }

    /// Writes such a value out for every thread.
    pub(super) fn materialize_periodic(&mut self, id: AffineId) {
        let place = self.plan.affine_values[id as usize];
        let (Some(value), Some(mut warps)) = (self.periodic(id), self.warps()) else {
            return self.materialize_at_each(id);
        };
        // As affine values are, for all blocks of a batch.
        warps.extent[AXES - 1] = self.plan.batch_size;
        let starts = self.patterns.starts(value.affine.steps, warps.extent, warps.lane_axes);
        let WarpPlaces { lanes, base, starts } = warp_places(&self.patterns, value, 0, &starts);
        let (lanes, starts) = (lanes.each(), starts.iter().map(|start| start.wrapping_add(base)));
        match place.ty {
            Type::U64 => {
                let out = self.lines.u64s_mut(place.place).as_chunks_mut::<WARP>().0;
                for (out, start) in out.iter_mut().zip(starts) {
                    *out = lanes.map(|lane| lane.wrapping_add(start));
                }
            }
            Type::Pred => {
                let masks = lanes.map(|lane| 0u32.wrapping_sub(lane.wrapping_add(base) as u32 & 1));
                self.lines.u32s_mut(place.place).as_chunks_mut::<WARP>().0.fill(masks);
            }
            Type::U32 => {
                let out = self.lines.u32s_mut(place.place).as_chunks_mut::<WARP>().0;
                for (out, start) in out.iter_mut().zip(starts) {
                    *out = lanes.map(|lane| lane.wrapping_add(start) as u32);
                }
            }
        }
    }

    /// The same where there are too many patterns.
    #[cold]
    fn materialize_at_each(&mut self, id: AffineId) {
        let place = self.plan.affine_values[id as usize];
        for thread in 0..self.threads {
            let bits = self.periodic_at(id, thread);
            self.lines.set(place.ty, place.place, thread, bits);
        }
    }

    /// Where periodic addresses of all threads lie, and so many bytes from each on, if it is one place where all of them are allowed.
    pub(super) fn find_periodic<T>(
        &mut self,
        access: Access,
        moved: &Move<T>,
        value: PeriodicValue,
    ) -> Option<Found> {
        if value.low_bits(&self.patterns) & u64::from(moved.size - 1) != 0 {
            return None;
        }
        let (least, most) = value.range(self.warps()?, &self.patterns)?;
        let bytes = (most - least).checked_add(moved.size.into())?;
        let found = self.find(access, moved.area(), least, bytes)?;
        // The heap's blocks are allowed one by one.
        let is_heap = matches!(found.home, Home::Global(index) if self.job.memory.is_heap(index));
        (!is_heap && matches!(found.home, Home::Global(_) | Home::Shared)).then_some(found)
    }

    /// The least and the most of all threads' addresses, and the bits that some has below others.
    pub(super) fn ends_of(&self, value: PeriodicValue) -> Option<(u64, u64, u64)> {
        let (least, most) = value.range(self.warps()?, &self.patterns)?;
        Some((least, most, value.low_bits(&self.patterns)))
    }

    /// What is added in each warp to the first one's offsets in a home: blocks have shared memory of their own.
    pub(super) fn warp_starts(&mut self, value: PeriodicValue, home: Home) -> Arc<[u64]> {
        let mut steps = value.affine.steps;
        if home == Home::Shared {
            steps[AXES - 1] = steps[AXES - 1].wrapping_add(self.shared_step() as i64);
        }
        let extent = self.extent();
        self.patterns.starts(steps, extent, self.plan.axes.of_lanes().unwrap_or(0))
    }

    /// Where all threads' elements lie in a home, one by one.
    pub(super) fn offsets_of_all(&mut self, value: PeriodicValue, found: Found, all: &mut Vec<u64>) {
        let starts = self.warp_starts(value, found.home);
        let WarpPlaces { lanes, starts, base } = warp_places(&self.patterns, value, found.base, &starts);
        let starts = starts.iter().map(|start| start.wrapping_add(base));
        all.clear();
        all.extend(starts.flat_map(|start| lanes.each().map(|lane| lane.wrapping_add(start))));
    }

    /// A load by all threads from periodic addresses. `false` if nothing was done.
    pub(super) fn load_periodic(&mut self, load: &Move<Option<Place>>, id: AffineId) -> bool {
        let Some(value) = self.periodic(id) else { return false };
        let Some(found) = self.find_periodic(Access::Read, load, value) else { return false };
        if load.elements.len() > 1 {
            let mut from = std::mem::take(&mut self.addresses);
            self.offsets_of_all(value, found, &mut from);
            let done = self.load_vectors_from(load, &from, Found { base: 0, ..found });
            self.addresses = from;
            if done {
                return true;
            }
        }
        let starts = self.warp_starts(value, found.home);
        let mut places = warp_places(&self.patterns, value, found.base, &starts);
        let bulk = match found.home {
            Home::Global(index) => Bulk::of_words(&self.job.memory.allocation(index).words),
            _ => Bulk::of_slice(&mut self.shared),
        };
        for to in &load.elements {
            match to {
                Some(to) if load.bytes == 8 => {
                    bulk.gather_warps_u64(&places, self.lines.u64s_mut(*to).as_chunks_mut().0);
                }
                Some(to) => {
                    bulk.gather_warps(&places, load.bytes, self.lines.u32s_mut(*to).as_chunks_mut().0);
                }
                None => {}
            }
            places.base = places.base.wrapping_add(load.bytes.into());
        }
        true
    }

    /// A store by all threads to periodic addresses. `false` if nothing was done.
    pub(super) fn store_periodic(&mut self, store: &Move<Place>, id: AffineId) -> bool {
        if store.elements.iter().any(|from| from.stride == 0) {
            return false;
        }
        let Some(value) = self.periodic(id) else { return false };
        let Some(found) = self.find_periodic(Access::Write, store, value) else { return false };
        if store.elements.len() > 1 {
            let mut to = std::mem::take(&mut self.addresses);
            self.offsets_of_all(value, found, &mut to);
            let done = self.store_vectors_to(store, &to, Found { base: 0, ..found });
            self.addresses = to;
            return done;
        }
        let starts = self.warp_starts(value, found.home);
        let places = warp_places(&self.patterns, value, found.base, &starts);
        let bulk = match found.home {
            Home::Global(index) => Bulk::of_words(&self.job.memory.allocation(index).words),
            _ => Bulk::of_slice(&mut self.shared),
        };
        let from = store.elements[0];
        match store.bytes {
            8 => bulk.scatter_warps_u64(&places, self.lines.u64s(from).as_chunks().0),
            bytes => bulk.scatter_warps(&places, bytes, self.lines.u32s(from).as_chunks().0),
        }
        true
    }
}

/// Where elements at periodic addresses lie, a base taken away from these.
pub(super) fn warp_places<'a>(
    patterns: &'a Patterns,
    value: PeriodicValue,
    base: u64,
    starts: &'a [u64],
) -> WarpPlaces<'a> {
    let lanes = patterns.get(value.pattern);
    WarpPlaces { lanes, base: value.affine.base.wrapping_sub(base), starts }
}
