//! Barriers at which some threads wait while others run: who has come is counted warp by warp, as the golden engine does
//! (manual, section 9.7.13.1).

#[cfg(debug_assertions)]
use crate::batch::plan::Block;
use crate::batch::plan::{BarrierExit, Exit, Number};
use crate::batch::run::{Cta, GRID_STALL_LIMIT, Pending, STALL_LIMIT};
use crate::golden::{self, Arrival};
use margay_isa::WARP;

impl Cta<'_> {
    /// Those that run come to a barrier, warp by warp.
    pub(super) fn come_to_barrier(&mut self, barrier: &BarrierExit) {
        if self.is_for_all(barrier) {
            self.pass_barrier();
            return self.go(barrier.next);
        }
        self.note_alive();
        let (here, own) = (self.at, self.warps_of_a_block());
        let nobody = self.no_threads();
        let mut rest = self.lines.run_those(nobody, false);
        for warp in 0..rest.len() {
            while rest[warp] != 0 {
                let (arrival, lanes) = self.arrival(barrier, warp, rest[warp]);
                let Ok(id) = self.barriers.blocks[warp / own].come(warp % own, lanes, &arrival) else {
                    // The golden engine says what is wrong.
                    self.active = rest.iter().map(|bits| bits.count_ones() as usize).sum();
                    if let Some(tally) = &mut self.tally {
                        tally.leave(here, self.active);
                    }
                    let nobody = self.run_those(rest);
                    self.pool.push(nobody);
                    return self.hand_over(self.plan.blocks[here].first, None);
                };
                rest[warp] &= !lanes;
                lanes_of(lanes).for_each(|lane| self.barriers.at[warp * WARP + lane] = (id, barrier.passes));
                self.park_lanes(true, here, warp, lanes);
                self.settle_barrier(warp, id);
            }
        }
        self.pool.push(rest);
        self.active = 0;
        self.resume_pending();
    }

    /// Those that run end; nobody waits for them any more.
    pub(super) fn end(&mut self) {
        if self.barriers.are_open() {
            let nobody = self.no_threads();
            let ended = self.lines.run_those(nobody, false);
            self.note_alive();
            let own = self.warps_of_a_block();
            for warp in (0..ended.len()).filter(|warp| ended[*warp] != 0) {
                let open: Vec<u8> = self.barriers.blocks[warp / own].open().collect();
                open.into_iter().for_each(|id| self.settle_barrier(warp, id));
            }
            self.pool.push(ended);
        }
        self.resume_pending();
    }

    /// Threads that wait at barriers come to them again, in the order of the engine that goes on, so that it tells of the same
    /// thread if one may not; but not where others have gone on that they wait for no longer.
    pub(super) fn come_again(&mut self) {
        if self.barriers.blocks.iter().any(golden::Barriers::are_passed) {
            return;
        }
        self.barriers.blocks.iter_mut().for_each(golden::Barriers::reset);
        for pending in self.pending.iter_mut().filter(|pending| pending.came) {
            pending.came = false;
            if let Some(tally) = self.tally.as_mut().filter(|_| self.plan.blocks[pending.block].waits()) {
                tally.leave(pending.block, pending.count);
            }
        }
    }

    /// Whether those that run stand before a barrier for all, while others of their blocks (CTAs) can still come to it, or end.
    pub(super) fn others_can_come(&self) -> bool {
        let can_come = |pending: &Pending| !pending.came && !self.plan.blocks[pending.block].only_ends;
        self.pending.iter().any(can_come) && !self.have_come()
    }

    /// Whether no thread waits elsewhere whose block has come to a barrier.
    pub(super) fn have_come(&self) -> bool {
        let own = self.job.threads as usize;
        let any = |bits: &[u32], member: usize| of_block(bits, member, own).any(|bits| bits != 0);
        let running = self.lines.running();
        // Those that only end are as good as gone.
        let mut pending = self.pending.iter().filter(|pending| !self.plan.blocks[pending.block].only_ends);
        pending.all(|pending| {
            (0..self.count as usize).all(|member| !any(&pending.bits, member) || !any(running, member))
        })
    }

    /// Whether others have run for so long that they seem to wait for what those would do that are to come to a barrier: steps
    /// before it in its block. Where nothing reads memory that others change meanwhile, only a race could wait.
    pub(super) fn others_wait_too_long(&mut self) -> bool {
        let is_held = |pending: &Pending| {
            let block = &self.plan.blocks[pending.block];
            pending.came && !block.waits() && !block.only_meets
        };
        if self.handed || self.active == 0 || !self.pending.iter().any(is_held) {
            return false;
        }
        self.held_for += 1;
        let soon = self.plan.may_wait && !self.job.cooperative;
        self.held_for > if soon { STALL_LIMIT } else { GRID_STALL_LIMIT }
    }

    /// Threads wait only where uniformity knows of it: what is the same in all threads has one place.
    #[cfg(debug_assertions)]
    pub(super) fn judge_pending(&self, block: &Block) {
        let known = self.pending.iter().all(|pending| block.pending.has(pending.block));
        assert!(known, "threads wait where uniformity does not know of it");
    }

    /// Those that run wait before their barrier, and others go on.
    pub(super) fn wait_for_others(&mut self) {
        let nobody = self.no_threads();
        let waiting = self.lines.run_those(nobody, false);
        for (warp, lanes) in waiting.iter().enumerate().filter(|(_, lanes)| **lanes != 0) {
            self.park_lanes(true, self.at, warp, *lanes);
        }
        self.pool.push(waiting);
        self.active = 0;
        self.resume_pending();
    }

    /// Whether all threads of all blocks (CTAs) wait at the same barrier, which is for all of them, and nobody has come to any before.
    fn is_for_all(&self, barrier: &BarrierExit) -> bool {
        let all = self.job.threads.next_multiple_of(WARP as u32);
        let is_all = |count: &Number| matches!(count, Number::Constant(count) if *count == u64::from(all));
        self.pending.is_empty()
            && !barrier.passes
            && matches!(barrier.id, Number::Constant(0..16))
            && barrier.count.as_ref().is_none_or(is_all)
            && !self.barriers.are_open()
    }

    /// What the first of some lanes comes to a barrier for, and the lanes that come for the same.
    fn arrival(&self, barrier: &BarrierExit, warp: usize, lanes: u32) -> (Arrival, u32) {
        let of = |lane: usize| {
            let number = |number| self.number(number, warp * WARP + lane) as u32;
            (number(&barrier.id), barrier.count.as_ref().map(number))
        };
        let (id, count) = of(lanes.trailing_zeros() as usize);
        let same = |lane: &usize| of(*lane) == (id, count);
        let lanes = match (&barrier.id, &barrier.count) {
            (Number::Constant(_), None | Some(Number::Constant(_))) => lanes,
            _ => mask(lanes_of(lanes).filter(same)),
        };
        (Arrival { id, count, passes: barrier.passes, vote: None }, lanes)
    }

    /// What a thread that waits has in the place of a number.
    pub(super) fn number(&self, number: &Number, thread: usize) -> u64 {
        match number {
            Number::Constant(number) => *number,
            Number::Slot { slot, mask } => self.held(self.plan.homes[*slot as usize], thread) & mask,
        }
    }

    /// Lets a warp arrive at a barrier if it can, and threads go on whom that completes.
    fn settle_barrier(&mut self, warp: usize, id: u8) {
        let own = self.warps_of_a_block();
        let (member, first) = (warp / own, warp / own * own);
        let barriers = &mut self.barriers.blocks[member];
        let arrives = barriers.arrive(warp - first, id, self.barriers.alive[warp]);
        let completed = barriers.complete(id, &self.barriers.alive[first..first + own]);
        if arrives {
            self.let_go(warp, (id, true));
        }
        let Some(tally) = completed else { return };
        if let Some(output) = self.outputs.get_mut(member).filter(|_| tally.of_all) {
            output.pass_barrier();
        }
        for warp in (0..own).filter(|warp| tally.warps >> warp & 1 == 1) {
            self.let_go(first + warp, (id, false));
        }
    }

    /// Lets those of a warp go on that wait at a barrier, or there for the rest of their warp.
    fn let_go(&mut self, warp: usize, what: (u8, bool)) {
        let mut k = self.pending.partition_point(|pending| !pending.came);
        while k < self.pending.len() {
            let (block, waiting) = (self.pending[k].block, self.pending[k].bits[warp]);
            let Exit::Barrier(barrier) = &self.plan.blocks[block].exit else {
                // They wait before theirs.
                k += 1;
                continue;
            };
            let is_meant = |lane: &usize| self.barriers.at[warp * WARP + lane] == what;
            let lanes = mask(lanes_of(waiting).filter(is_meant));
            k = self.release(k, &[(warp, lanes)], barrier.next);
        }
    }

    /// Lanes of some warps that wait at the `k`th place go on with a block. Gives the number of the place after it.
    pub(super) fn release(&mut self, k: usize, let_go: &[(usize, u32)], next: usize) -> usize {
        let pending = &mut self.pending[k];
        for (warp, lanes) in let_go {
            pending.bits[*warp] &= !lanes;
            pending.count -= lanes.count_ones() as usize;
        }
        let is_empty = pending.count == 0;
        if is_empty {
            let Pending { bits, .. } = self.pending.remove(k);
            self.pool.push(bits);
        }
        let before = self.pending.len();
        let any = let_go.iter().filter(|(_, lanes)| *lanes != 0);
        any.for_each(|(warp, lanes)| self.park_lanes(false, next, *warp, *lanes));
        // They stand before those that wait.
        k + usize::from(!is_empty) + self.pending.len() - before
    }

    /// Lanes of a warp wait at a block, at its barrier or to go on.
    pub(super) fn park_lanes(&mut self, came: bool, block: usize, warp: usize, lanes: u32) {
        let at = self.place_among_pending(came, block).unwrap_or_else(|at| {
            let bits = self.no_threads();
            self.pending.insert(at, Pending { block, came, count: 0, bits });
            at
        });
        let pending = &mut self.pending[at];
        pending.bits[warp] |= lanes;
        pending.count += lanes.count_ones() as usize;
    }

    fn note_alive(&mut self) {
        let alive = &mut self.barriers.alive;
        alive.clear();
        alive.extend_from_slice(self.lines.running());
        for pending in &self.pending {
            alive.iter_mut().zip(&pending.bits).for_each(|(alive, bits)| *alive |= bits);
        }
    }

    /// Blocks (CTAs) whose threads wait while others run are of whole warps where several run together.
    fn warps_of_a_block(&self) -> usize {
        (self.job.threads as usize).div_ceil(WARP)
    }
}

/// The bits of a block's threads, by the warps that they lie in among the threads of all blocks, each of which has so many.
pub(super) fn of_block(bits: &[u32], member: usize, own: usize) -> impl Iterator<Item = u32> {
    let (first, end) = (member * own, (member + 1) * own);
    (first / WARP..end.div_ceil(WARP)).map(move |warp| {
        let below = u32::MAX << first.saturating_sub(warp * WARP);
        let above = u32::MAX >> ((warp + 1) * WARP).saturating_sub(end);
        bits[warp] & below & above
    })
}

/// The lanes in a mask.
fn lanes_of(mask: u32) -> impl Iterator<Item = usize> {
    (0..WARP).filter(move |lane| mask >> lane & 1 == 1)
}

/// The mask of some lanes.
fn mask(lanes: impl Iterator<Item = usize>) -> u32 {
    lanes.fold(0, |mask, lane| mask | 1 << lane)
}
