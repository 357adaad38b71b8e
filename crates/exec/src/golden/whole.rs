//! Instructions that a whole warp carries out on matrices: registers of all lanes in and out, or memory on one side
//! (manual, 9.7.14).

use super::Cta;
use super::lane::Lane;
use super::thread::Failure;
use crate::code::{Deed, Together, Transfer};
use crate::grid::Dim;
use crate::memory::{Access, Fault, FaultKind};
use crate::sanitize::touched::Made;
use crate::trap::{TrapKind, lanes};
use margay_front::module::Space;
use margay_isa::{Across, Lanes, MAX_SOURCES, Stretch, Tiles, WARP};

impl<'a> Cta<'a> {
    /// Carries an instruction out for the lanes that have come and all others of their warp that live.
    pub(super) fn carry_out_whole(
        &mut self,
        warp: usize,
        members: u32,
        together: &'a Together,
    ) -> Result<(), Failure> {
        let first = warp * WARP + members.trailing_zeros() as usize;
        if members != u32::MAX {
            let there = u32::MAX >> (WARP - self.lanes_of(warp).len());
            let missing = match !members & there {
                0 => format!("the block does not have {}", named(!members)),
                ended => format!("{} ended before", named(ended)),
            };
            let text = format!("`{}` needs all lanes of its warp, but {missing}", together.inst);
            return Err(Failure::new(first, TrapKind::Warp(text)));
        }
        if self.watch.is_some() {
            self.tell_meeting(warp, &Lanes { sources: &[[0; MAX_SOURCES]; WARP], members });
        }
        let block = self.job.place(self.index);
        let mut sources: Vec<Across> = vec![[0; WARP]; together.sources.len()];
        for lane in 0..WARP {
            let t = warp * WARP + lane;
            let Some(own) = self.together(t) else { continue };
            self.with_lane(t, block, |thread| {
                for (column, source) in sources.iter_mut().zip(&own.sources) {
                    column[lane] = thread.read(source) as u64;
                }
            });
        }
        let mut results: Vec<Across> = vec![[0; WARP]; together.targets.len()];
        match &together.deed {
            Deed::Whole(whole) => whole.carry_out(&sources, &mut results),
            Deed::Tiles(tiles) if tiles.stores => self.store_tiles(warp, block, tiles, &sources)?,
            Deed::Tiles(tiles) => self.load_tiles(warp, block, tiles, &sources, &mut results)?,
            Deed::Warpgroup(product) => {
                let sources = sources.split_at(product.sums());
                self.multiply_shared((warp, block), together, product, sources, &mut results)?;
            }
            Deed::TensorMemory(step) => {
                self.reach_tensor_memory((warp, block), together, step, &mut sources, &mut results)?;
            }
            Deed::Factors(_) | Deed::ByLane(_) => {}
        }
        for lane in 0..WARP {
            let t = warp * WARP + lane;
            let Some(own) = self.together(t) else { continue };
            let values = results.iter().map(|result| result[lane].into());
            self.resume(t, own.targets.iter().zip(values));
        }
        Ok(())
    }

    /// Lets something be done as a thread that waits.
    pub(super) fn with_lane<R>(&mut self, t: usize, block: Dim, act: impl FnOnce(&mut Lane) -> R) -> R {
        let mut lane = self.lane(t, block);
        let done = act(&mut lane);
        let (stack, hint) = (std::mem::take(&mut lane.stack), lane.hint);
        self.threads[t].stack = stack;
        self.hint = hint;
        done
    }

    /// Carries something out for each stretch of memory, as the thread whose address leads there.
    fn each_stretch(
        &mut self,
        warp: usize,
        block: Dim,
        tiles: &Tiles,
        sources: &[Across],
        mut act: impl FnMut(&mut Lane, &Transfer<()>, u64, &Stretch) -> Result<(), Fault>,
    ) -> Result<(), Failure> {
        for stretch in &tiles.stretches {
            let lane = usize::from(stretch.lane);
            let thread = warp * WARP + lane;
            let Some(place) = self.together(thread).and_then(|own| own.place.as_ref()) else { continue };
            let stride = sources.get(tiles.stride_source()).map(|stride| stride[lane]);
            let offset = tiles.offset(stretch, stride);
            let done = self.with_lane(thread, block, |lane| {
                let address = lane.address(place).wrapping_add(offset) & place.mask;
                act(lane, place, address, stretch)
            });
            done.map_err(|fault| Failure::new(thread, TrapKind::Memory(fault)))?;
        }
        Ok(())
    }

    fn load_tiles(
        &mut self,
        warp: usize,
        block: Dim,
        tiles: &Tiles,
        sources: &[Across],
        results: &mut [Across],
    ) -> Result<(), Failure> {
        let mut tile = Vec::with_capacity(tiles.bytes());
        self.each_stretch(warp, block, tiles, sources, |lane, place, address, stretch| {
            lane.allowed(Access::Read, place, tiles, address, stretch)?;
            let step = step(stretch);
            for at in (0..stretch.bytes).step_by(step as usize) {
                let from = lane.find_of(Access::Read, place, address.wrapping_add(at.into()), step.into())?;
                if lane.watch.is_some() {
                    lane.watched(Access::Read, from, step.into(), place.strength, Made::ByThread);
                }
                tile.extend_from_slice(&lane.load(from, 0, step).to_le_bytes()[..step as usize]);
            }
            Ok(())
        })?;
        tiles.spread(&tile, results);
        Ok(())
    }

    /// Nothing is written before all of it is allowed.
    fn store_tiles(
        &mut self,
        warp: usize,
        block: Dim,
        tiles: &Tiles,
        sources: &[Across],
    ) -> Result<(), Failure> {
        let mut tile = vec![0; tiles.bytes()];
        tiles.collect(sources, &mut tile);
        self.each_stretch(warp, block, tiles, sources, |lane, place, address, stretch| {
            lane.allowed(Access::Write, place, tiles, address, stretch)?;
            let step = step(stretch);
            (0..stretch.bytes).step_by(step as usize).try_for_each(|at| {
                lane.find_of(Access::Write, place, address.wrapping_add(at.into()), step.into()).map(drop)
            })
        })?;
        let mut left = &tile[..];
        self.each_stretch(warp, block, tiles, sources, |lane, place, address, stretch| {
            let step = step(stretch);
            for at in (0..stretch.bytes).step_by(step as usize) {
                let to = lane.find_of(Access::Write, place, address.wrapping_add(at.into()), step.into())?;
                let (own, others) = left.split_at(step as usize);
                left = others;
                let mut value = [0; 16];
                value[..own.len()].copy_from_slice(own);
                lane.store(to, 0, step, u128::from_le_bytes(value));
                if lane.watch.is_some() {
                    lane.watched(Access::Write, to, step.into(), place.strength, Made::ByThread);
                }
            }
            Ok(())
        })
    }
}

impl Lane<'_> {
    /// Refuses a stretch that does not lie where it must.
    fn allowed(
        &mut self,
        access: Access,
        place: &Transfer<()>,
        tiles: &Tiles,
        address: u64,
        stretch: &Stretch,
    ) -> Result<(), Fault> {
        let shared = self.job.memory.layout().shared;
        if tiles.in_shared && place.space.is_none() && shared.offset(address).is_none() {
            self.find(access, None, true, address, 1)?;
            let fault = Fault::at(Space::Global, access, address, stretch.bytes.into());
            return Err(fault.because(FaultKind::OtherSpace));
        }
        match address % u64::from(stretch.align) {
            0 => Ok(()),
            _ => self.find_of(access, place, address, stretch.align.into()).map(drop),
        }
    }
}

/// Lanes of a mask, for people.
fn named(mask: u32) -> String {
    format!("{} {}", if mask.count_ones() == 1 { "lane" } else { "lanes" }, lanes(mask))
}

/// How many bytes of a stretch are moved at once.
fn step(stretch: &Stretch) -> u32 {
    1 << stretch.bytes.trailing_zeros().min(stretch.align.trailing_zeros()).min(4)
}
