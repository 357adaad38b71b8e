//! Counting executed instructions, and keeping to a launch's budget of them.

use crate::batch::lanes::Place;
use crate::batch::plan::{Block, MOST_THREADS};
use crate::batch::run::Cta;
use margay_isa::WARP;
use margay_isa::uop::Type;

impl Cta<'_> {
    /// Counts a block's instructions; `false` if the launch may not take so many more.
    pub(super) fn account(&mut self, block: &Block) -> bool {
        let steps = self.active as u64 * u64::from(block.counted);
        if let Some(budget) = &self.job.budget
            && steps > 0
        {
            let Some(granted) = budget.take(steps) else { return false };
            if granted < steps {
                budget.settle(granted);
                return false;
            }
            // Some may be given back before the block ends: meanwhile nobody can say that all are used up.
            self.unused = Some(0);
        }
        self.steps += steps;
        true
    }

    /// Takes back instructions that were counted for all threads that run, in those in which a predicate does not hold.
    pub(super) fn deferred(&mut self, predicate: Place, instructions: u32) {
        let threads = match predicate.stride {
            0 => {
                if self.lines.get(Type::Pred, predicate, 0) == 1 {
                    0
                } else {
                    self.active as u64
                }
            }
            _ => self.running_without(predicate),
        };
        let steps = threads * u64::from(instructions);
        self.steps -= steps;
        if let Some(unused) = &mut self.unused {
            *unused += steps;
        }
    }

    /// Gives back what a block has not used of the steps that it may take.
    pub(super) fn settle(&mut self) {
        if let (Some(unused), Some(budget)) = (self.unused.take(), &self.job.budget) {
            budget.settle(unused);
        }
    }

    /// How many threads run in which a predicate does not hold.
    fn running_without(&self, predicate: Place) -> u64 {
        let warps = self.threads.div_ceil(WARP);
        let mut holds = [0; MOST_THREADS as usize / WARP];
        self.lines.bits(predicate, &mut holds[..warps]);
        let runs = &self.lines.running()[..warps];
        runs.iter().zip(holds).map(|(runs, holds)| u64::from((runs & !holds).count_ones())).sum()
    }
}
