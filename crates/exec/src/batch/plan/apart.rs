//! Whether a plan's steps need warps that are those of one block (CTA) alone.

use crate::batch::plan::{Exit, Plan, Step};

impl Plan {
    /// Whether warps do something together, threads of a block (CTA) wait while others run, or print. Then the warps of blocks that run
    /// together must be whole; threads of all others follow each other.
    pub(crate) fn needs_whole_warps(&self) -> bool {
        let meets = |step: &Step| matches!(step, Step::Collective(_) | Step::Products(_) | Step::Print(_));
        let waits = |exit: &Exit| matches!(exit, Exit::Barrier(_) | Exit::Wait(_));
        self.prints
            || self.parks
            || self.blocks.iter().any(|block| waits(&block.exit) || block.steps.iter().any(meets))
    }
}
