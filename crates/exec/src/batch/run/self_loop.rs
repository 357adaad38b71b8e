//! Self-loops at work: blocks that only compute and branch to themselves go round without the engine.

use crate::batch::lanes::{VectorOp, What};
use crate::batch::plan::{Block, Exit, SelfLoop, Step};
use crate::batch::run::Cta;
use margay_isa::uop::Type;

/// Turns that threads take at most before the engine looks whether the launch has been cancelled, and whose turn it is.
const MOST_TURNS: u32 = 1 << 12;

impl Cta<'_> {
    /// Whether there is machine code, and blocks may go round without being counted turn by turn.
    pub(super) fn may_go_round(&self) -> bool {
        self.lines.may_if_convert() && self.tally.is_none() && self.job.budget.is_none() && !self.broken
    }

    /// Carries out a self-loop: many turns at once where it has code, else one.
    pub(super) fn self_loop(&mut self, block: &Block, self_loop: &SelfLoop) {
        let Exit::Branch { by, yes, no, .. } = block.exit else { unreachable!("a self-loop branches") };
        let SelfLoop { run, running, turns } = self_loop;
        for step in block.steps.iter().filter(|step| matches!(step, Step::Scalar(_) | Step::Materialize(_))) {
            // Neither can fail.
            _ = self.step(step);
        }
        self.lines.update_mask(self.plan.active);
        let move_all = VectorOp { what: What::Move(Type::Pred), to: *running, from: [self.plan.active; 3] };
        self.lines.run_one(&move_all);
        self.lines.u32s_mut(*turns).fill(0);
        if self.lines.run_self_loop(run.clone(), MOST_TURNS) {
            let turns: u64 = self.lines.u32s(*turns).iter().map(|turns| u64::from(*turns)).sum();
            self.steps += turns * u64::from(block.counted);
            return match yes == self.at {
                true => self.branch(*running, yes, no),
                false => self.branch(*running, no, yes),
            };
        }
        self.steps += self.active as u64 * u64::from(block.counted);
        let others = |step: &&Step| !matches!(step, Step::Scalar(_) | Step::Materialize(_));
        for step in block.steps.iter().filter(others) {
            _ = self.step(step);
        }
        self.branch(by, yes, no);
    }
}
