//! Why the batch engine hands over to the golden one.

use crate::code::{Action, Purpose};

/// Why an instruction is left to the golden engine wherever it comes; those that the batch engine carries out say why it
/// may still not be able to.
pub(crate) fn reason(action: &Action) -> &'static str {
    match action {
        Action::Call(_) => "calls are made thread by thread",
        Action::Trap(_) => "it stops the launch",
        Action::SaveStack(_) | Action::RestoreStack(_) | Action::Allocate(_) => "it moves the thread's stack",
        Action::Gate(_) => "it is at the cluster's barrier",
        Action::MapToCta(_) | Action::TellCta(_) | Action::TestSpace(_) => {
            "it is about other blocks of the cluster"
        }
        Action::Copy(_) | Action::Bulk(_) | Action::Tensor(_) => "it copies from memory to memory",
        Action::Texture(_) => "the texture, or what is done with it, is not allowed",
        Action::Object(_) => "it counts at a barrier object, or waits at it",
        Action::StoreSome(_) => "it leaves elements out",
        Action::Compute(_) => "it reads a clock",
        Action::BranchIndexed(_) => "a guard or an index beyond the list decides where to go on",
        Action::Barrier(barrier) => match barrier.purpose {
            Purpose::Arrive => "it arrives at a barrier without waiting",
            Purpose::Wait | Purpose::Reduce(_) => {
                "not all threads of the block are known to reach the barrier"
            }
        },
        Action::Collective(_) => "not all participating lanes have arrived",
        Action::Load(_) | Action::Store(_) | Action::Atomic(_) => {
            "an address failed its check, or must be checked thread by thread"
        }
        Action::Shift(_)
        | Action::Equals(_)
        | Action::TestFrames(_)
        | Action::CommitCopies(_)
        | Action::AwaitCopies(..)
        | Action::Branch(_)
        | Action::Return
        | Action::Exit
        | Action::Fence(_)
        | Action::Nothing => "possible deadlock between threads, or the step limit is about to be reached",
    }
}
