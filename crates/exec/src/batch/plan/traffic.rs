//! How much memory a plan's threads move.

use super::{BarrierExit, Exit, Plan, Step, WaitExit};

impl Plan {
    /// Bytes that a thread loads and stores at most; none if it may go round in loops, or has steps of whole warps.
    pub(crate) fn bytes_moved(&self) -> Option<u64> {
        let mut bytes = 0;
        for (at, block) in self.blocks.iter().enumerate() {
            if block.exit.first_target().is_some_and(|first| first <= at) {
                return None;
            }
            for step in &block.steps {
                bytes += match step {
                    Step::Load(load) => u64::from(load.size),
                    Step::Store(store) => u64::from(store.size),
                    Step::Collective(_) | Step::Products(_) => return None,
                    _ => 0,
                };
            }
        }
        Some(bytes)
    }
}

impl Exit {
    /// Of the blocks at which threads go on, the one that stands first.
    fn first_target(&self) -> Option<usize> {
        match self {
            Exit::Go(next) | Exit::Barrier(BarrierExit { next, .. }) | Exit::Wait(WaitExit { next, .. }) => {
                Some(*next)
            }
            Exit::Branch { yes, no, .. } => Some(*yes.min(no)),
            Exit::Indexed { blocks, beyond, .. } => blocks.iter().chain([beyond]).min().copied(),
            Exit::End | Exit::Bailout => None,
        }
    }
}
