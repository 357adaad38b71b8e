//! What sanitizers are told of a running block.

use super::Cta;
use super::lane::{Bytes, Lane};
use super::thread::State;
use crate::code::{Action, Strength};
use crate::memory::Access;
use crate::sanitize::touched::{Made, Touched};
use crate::sanitize::{Comer, Watch};
use margay_front::module::Space;
use margay_isa::{Lanes, WARP, absent_lane};

impl Lane<'_> {
    /// Tells of an access that was made.
    #[cold]
    #[inline(never)]
    pub(super) fn watched(&mut self, access: Access, at: Bytes, bytes: u64, strength: Strength, made: Made) {
        let Some(watch) = self.watch.take() else { return };
        let memory = self.job.memory;
        let (space, allocation, read_only, base, address) = match at {
            Bytes::Global(_, offset) => {
                let allocation = memory.allocation(self.hint);
                let (base, origin) = (allocation.region.base, allocation.origin);
                (Space::Global, self.hint, allocation.read_only, base, origin + offset)
            }
            Bytes::Shared(address) => (Space::Shared, 0, false, 0, address),
            Bytes::Local(address) => (Space::Local, 0, false, 0, address),
            Bytes::Param(_) => {
                self.watch = Some(watch);
                return;
            }
        };
        let value = |from: u64, width: u32| {
            let skip = (from - address) / u64::from(width);
            self.load(at, skip, width) as u32
        };
        let touched = Touched {
            function: self.stack.function,
            instruction: self.stack.pc,
            made,
            thread: self.index,
            access,
            strength,
            space,
            address,
            bytes,
            allocation,
            read_only,
            base,
            value: &value,
            local: &|| self.stack.regions(self.job),
        };
        watch.touch(self.job, &touched);
        self.watch = Some(watch);
    }
}

impl Cta<'_> {
    /// Tells that a warp has arrived at a barrier: threads of it wait there, or pass.
    pub(super) fn tell_arrival(&mut self, warp: usize, id: u8) {
        if self.watch.is_some() {
            let here = |cta: &Self, t: usize| matches!(cta.threads[t].state, State::Barrier { id: at, .. } if at == id);
            let comers: Vec<Comer> =
                self.lanes_of(warp).filter(|t| here(self, *t)).map(|t| self.comer(t)).collect();
            if let Some(watch) = &mut self.watch {
                watch.arrive(id, warp, &comers);
            }
        }
    }

    /// Tells that a barrier is complete for threads of these warps, and that of the others, or of these, some have ended.
    pub(super) fn tell_completion(&mut self, id: u8, warps: u32, for_all: bool) {
        if self.watch.is_none() {
            return;
        }
        let (mut waiting, mut ended) = (Vec::new(), Vec::new());
        for t in 0..self.threads.len() {
            let arrived = warps >> (t / WARP) & 1 == 1;
            match self.threads[t].state {
                State::Barrier { id: at, passes: false } if at == id && arrived => {
                    waiting.push(self.comer(t))
                }
                State::Ended if arrived || for_all => ended.push(self.comer(t)),
                _ => {}
            }
        }
        if let Some(watch) = &mut self.watch {
            watch.complete(id, &waiting, ended);
        }
    }

    /// Tells that lanes of a warp carry out an instruction together.
    pub(super) fn tell_meeting(&mut self, warp: usize, lanes: &Lanes) {
        let Some(mut watch) = self.watch.take() else { return };
        let named = lanes.iter().any(|(lane, _)| self.visits[warp * WARP + lane].members.is_some());
        if named {
            watch.meet(warp, lanes.members);
            self.tell_mask(&mut watch, warp, lanes);
        }
        for (lane, _) in lanes.iter() {
            let t = warp * WARP + lane;
            let Some(together) = self.together(t) else { continue };
            if let Some(from) = absent_lane(&together.inst, lanes, lane) {
                let stack = &self.threads[t].stack;
                let reader = (stack.function, stack.pc, t as u32);
                watch.absent(self.job, reader, &together.inst.to_string(), from, self.visits[t].members);
            }
        }
        self.watch = Some(watch);
    }

    /// Tells which lanes the first of those that meet has named.
    fn tell_mask(&self, watch: &mut Watch, warp: usize, lanes: &Lanes) {
        let Some((lane, _)) = lanes.iter().next() else { return };
        let t = warp * WARP + lane;
        if let (Some(together), Some(mask)) = (self.together(t), self.visits[t].members) {
            let stack = &self.threads[t].stack;
            let there = u32::MAX >> (WARP - self.lanes_of(warp).len());
            watch.named((stack.function, stack.pc, t as u32), &together.inst.to_string(), mask, there);
        }
    }

    fn comer(&self, t: usize) -> Comer {
        let stack = &self.threads[t].stack;
        let aligned = matches!(self.action(t), Some(Action::Barrier(barrier)) if barrier.aligned);
        let passes = matches!(self.threads[t].state, State::Barrier { passes: true, .. });
        Comer { thread: t as u32, function: stack.function, instruction: stack.pc, aligned, passes }
    }
}
