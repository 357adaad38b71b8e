//! Instructions that lanes of a warp carry out together: who waits for whom, and when they go on (manual, 9.7.13).
//!
//! A lane that names the members waits until all of them that have not ended have come to the same instruction with the
//! same mask. A lane that names none goes on with those that have come when no other lane of its warp can move.

use super::Cta;
use super::thread::{Failure, State, Thread, Visit};
use crate::code::{Action, Deed, MAX_RESULTS, Members, Together};
use crate::trap::TrapKind;
use margay_isa::{Args, Lanes, MAX_SOURCES, WARP};
use std::cmp::Reverse;

/// So often the other lanes of a warp have their turn before lanes that name no members stop waiting for them.
const PATIENCE: u32 = 64;

/// The place of a thread in the kernel: how deep in calls, in which function, where.
fn position(thread: &Thread) -> (Reverse<usize>, u32, u32) {
    (Reverse(thread.stack.calls.len()), thread.stack.function, thread.stack.pc)
}

impl<'a> Cta<'a> {
    /// Thread `t` has come with these sources.
    pub(super) fn meet(&mut self, t: usize, sources: Args, members: Option<u32>) -> Result<(), Failure> {
        let (warp, lane) = (t / WARP, t % WARP);
        if let Some(mask) = members.filter(|mask| mask >> lane & 1 == 0) {
            let name = self.together(t).map(|together| together.inst.to_string()).unwrap_or_default();
            let text = format!("lane {lane} is not in the member mask {mask:#010x} of its own `{name}`");
            return Err(Failure::new(t, TrapKind::Warp(text)));
        }
        if self.visits.is_empty() {
            self.visits = vec![Visit::default(); self.threads.len()];
        }
        self.visits[t] = Visit { members, sources, turns: 0 };
        self.threads[t].state = State::Together;
        match members {
            _ if self.together(t).is_some_and(|own| own.members == Members::Each) => {
                self.reach_tensor_memory_alone(t)
            }
            Some(_) => self.try_together(warp, t),
            None => {
                self.gathering += 1;
                Ok(())
            }
        }
    }

    /// Lets lanes go on that have waited only for a lane that has ended.
    pub(super) fn stop_waiting_for_ended(&mut self, warp: usize) -> Result<(), Failure> {
        for t in self.lanes_of(warp) {
            if self.waits_together(t) && self.visits[t].members.is_some() {
                self.try_together(warp, t)?;
            }
        }
        Ok(())
    }

    /// The lanes with which thread `t` carries out its instruction, as far as they have come.
    pub(super) fn company(&self, warp: usize, t: usize) -> u32 {
        let Some(here) = self.together(t) else { return 0 };
        let same = |other: &usize| {
            self.visits[*other].members == self.visits[t].members
                && self.together(*other).is_some_and(|o| std::ptr::eq(o, here) || o.inst == here.inst)
        };
        let lanes = self.lanes_of(warp).filter(|other| self.waits_together(*other)).filter(same);
        lanes.fold(0, |mask, other| mask | 1 << (other % WARP))
    }

    /// Carries out the instruction of thread `t` if all members have come.
    fn try_together(&mut self, warp: usize, t: usize) -> Result<(), Failure> {
        let company = self.company(warp, t);
        if self.visits[t].members.is_none_or(|mask| mask & self.alive[warp] != company) {
            return Ok(());
        }
        match self.together(t) {
            Some(together) if matches!(together.deed, Deed::Warpgroup(_)) => self.try_warpgroup(warp, t),
            Some(together) if !matches!(together.deed, Deed::ByLane(_)) => {
                self.carry_out_whole(warp, company, together)
            }
            _ => {
                self.carry_out(warp, company);
                Ok(())
            }
        }
    }

    /// Lets lanes that name no members go on, where no other lane of their warp will come soon. Whether any does.
    pub(super) fn let_gathered_go(&mut self) -> bool {
        if self.gathering == 0 {
            return false;
        }
        let mut any = false;
        for warp in 0..self.alive.len() {
            let gathered = |cta: &Self, t: usize| cta.waits_together(t) && cta.visits[t].members.is_none();
            let mut waiting: Vec<usize> = self.lanes_of(warp).filter(|t| gathered(self, *t)).collect();
            let Some(turns) = waiting.iter().map(|t| self.visits[*t].turns).max() else { continue };
            let others = self.lanes_of(warp).any(|t| self.threads[t].state == State::Ready);
            if others && turns < PATIENCE {
                waiting.iter().for_each(|t| self.visits[*t].turns += 1);
                continue;
            }
            // Those that are furthest behind: the others may be met by them later.
            let first = waiting.iter().map(|t| position(&self.threads[*t])).min();
            waiting.retain(|t| Some(position(&self.threads[*t])) == first);
            self.gathering -= waiting.len();
            self.carry_out(warp, waiting.iter().fold(0, |mask, t| mask | 1 << (t % WARP)));
            any = true;
        }
        any
    }

    fn carry_out(&mut self, warp: usize, members: u32) {
        let mut sources = [[0; MAX_SOURCES]; WARP];
        for t in self.lanes_of(warp).filter(|t| members >> (t % WARP) & 1 == 1) {
            sources[t % WARP] = self.visits[t].sources;
        }
        let lanes = Lanes { sources: &sources, members };
        if self.watch.is_some() {
            self.tell_meeting(warp, &lanes);
        }
        for (lane, _) in lanes.iter() {
            let t = warp * WARP + lane;
            let Some(Together { inst, deed: Deed::ByLane(function), targets, .. }) = self.together(t) else {
                continue;
            };
            let mut results = [0; MAX_RESULTS];
            function(inst, &lanes, lane, &mut results[..targets.len()]);
            self.resume(t, targets.iter().zip(results));
        }
    }

    fn waits_together(&self, t: usize) -> bool {
        self.threads[t].state == State::Together
    }

    /// The instruction at which a thread stands, if it is one that lanes carry out together.
    pub(super) fn together(&self, t: usize) -> Option<&'a Together> {
        match self.action(t)? {
            Action::Collective(together) => Some(together),
            _ => None,
        }
    }
}
