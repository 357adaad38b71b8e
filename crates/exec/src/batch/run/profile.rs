//! What the batch engine counts where a launch is to be profiled.

use crate::batch::compile::bailout_reason::reason;
use crate::batch::lanes::Place;
use crate::batch::plan::{Address, Block, Exit, Move, Step};
use crate::batch::run::{Bailout, Cta};
use crate::profile::Pattern;
use margay_isa::WARP;
use margay_isa::uop::Type;
use std::time::Instant;

impl Cta<'_> {
    /// Time is taken for this block from now on, where it is taken.
    #[inline]
    pub(crate) fn turn_begins(&mut self) {
        if let Some(tally) = self.tally.as_mut().filter(|_| self.handed) {
            tally.switch(Some(None));
        }
    }

    /// Time is taken for nothing.
    #[inline]
    pub(crate) fn turn_ends(&mut self) {
        if let Some(tally) = &mut self.tally {
            tally.switch(None);
        }
    }

    /// A block's steps, counted.
    pub(super) fn profiled(&mut self, block: &Block) -> Result<(), Bailout> {
        let (at, active, lanes) = (self.at, self.active, self.threads);
        if let Some(tally) = &mut self.tally {
            tally.enter(at, active, lanes);
        }
        // What the prologue has loaded counts where the kernel loads it; to load it once more changes nothing.
        let hoisted = block.hoisted.iter().map(|k| &self.plan.prologue[*k as usize]);
        for step in hoisted.chain(&block.steps) {
            let access = match step {
                Step::Load(load) => Some((load.pc, self.patterns(load))),
                Step::Store(store) => Some((store.pc, self.patterns(store))),
                Step::Atomic(atomic) => Some((atomic.place.pc, self.patterns(&atomic.place))),
                _ => None,
            };
            let begun = Instant::now();
            self.step(step)?;
            if let (Some((pc, threads)), Some(tally)) = (access, &mut self.tally) {
                tally.access(pc, threads, begun.elapsed());
            }
        }
        Ok(())
    }

    /// How the addresses of an access lie, warp by warp: threads by pattern.
    fn patterns<T>(&self, access: &Move<T>) -> [u64; 4] {
        let own = self.job.threads as usize;
        let mut found = [0; 4];
        let mut lanes: Vec<(usize, u64)> = Vec::with_capacity(WARP);
        // Several blocks may run together; none shares a warp with another.
        for first in (0..self.threads).step_by(own) {
            for warp in (0..own).step_by(WARP) {
                lanes.clear();
                for t in first + warp..first + (warp + WARP).min(own) {
                    if self.takes_part(access.guard, t) {
                        lanes.push((t, self.address(access.address, t)));
                    }
                }
                if let Some(pattern) = pattern(&lanes, access.size.into()) {
                    found[pattern as usize] += lanes.len() as u64;
                }
            }
        }
        found
    }

    fn address(&self, address: Address, thread: usize) -> u64 {
        let line = |place: Place| self.lines.get(Type::U64, place, thread);
        match address {
            Address::Uniform(place) | Address::Varying(place) => line(place),
            Address::Affine(id) | Address::Periodic(id) => {
                self.held(crate::batch::plan::Home::Affine(id), thread)
            }
        }
    }

    /// Notes that the golden engine goes on with an instruction, in the middle of a block if one is given.
    pub(super) fn note_hand_over(&mut self, pc: u32, inside: Option<&Block>) {
        let (job, active, at, blocks) = (self.job, self.active, self.at, self.count());
        let (Some(tally), Some(code)) = (&mut self.tally, &job.ready.code[job.entry.0 as usize]) else {
            return;
        };
        let asked = matches!(self.plan.blocks[at].exit, Exit::Bailout);
        let reason = match (inside, &job.budget) {
            (Some(_), _) => reason(&code.ops[pc as usize].action),
            (None, _) if asked => reason(&code.ops[pc as usize].action),
            (None, Some(_)) => "the step limit is about to be reached",
            (None, None) => "possible deadlock between threads",
        };
        // Behind a block that branches, threads count as having passed what is left to the golden engine.
        let end = inside.map_or(pc, |block| {
            if block.branches { block.counted_end } else { block.first + block.instructions }
        });
        tally.hand_over(job.entry, (pc, reason), blocks, active, pc..end);
    }
}

/// How the addresses of some threads of a warp lie, for accesses of so many bytes. None if there are none.
fn pattern(lanes: &[(usize, u64)], bytes: u64) -> Option<Pattern> {
    let [first, rest @ ..] = lanes else { return None };
    if rest.iter().all(|(_, address)| *address == first.1) {
        return Some(Pattern::Uniform);
    }
    let grows = |step: i128| {
        let expected = |t: usize| i128::from(first.1) + step * (t - first.0) as i128;
        rest.iter().all(|(t, address)| i128::from(*address) == expected(*t))
    };
    if grows(bytes.into()) {
        return Some(Pattern::Contiguous);
    }
    let (t, address) = rest[0];
    let (far, lanes) = (i128::from(address) - i128::from(first.1), (t - first.0) as i128);
    Some(if far % lanes == 0 && grows(far / lanes) { Pattern::Strided } else { Pattern::Gathered })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warp_s_addresses_are_told_apart() {
        let at = |addresses: &[u64]| addresses.iter().copied().enumerate().collect::<Vec<_>>();
        assert_eq!(pattern(&[], 4), None);
        assert_eq!(pattern(&at(&[8]), 4), Some(Pattern::Uniform));
        assert_eq!(pattern(&at(&[8, 8, 8]), 4), Some(Pattern::Uniform));
        assert_eq!(pattern(&at(&[8, 12, 16]), 4), Some(Pattern::Contiguous));
        assert_eq!(pattern(&[(1, 8), (3, 16), (4, 20)], 4), Some(Pattern::Contiguous));
        assert_eq!(pattern(&at(&[8, 24, 40]), 4), Some(Pattern::Strided));
        assert_eq!(pattern(&at(&[16, 12, 8]), 4), Some(Pattern::Strided));
        assert_eq!(pattern(&[(0, 0), (2, 7), (3, 9)], 1), Some(Pattern::Gathered));
        assert_eq!(pattern(&at(&[8, 12, 20]), 4), Some(Pattern::Gathered));
    }
}
