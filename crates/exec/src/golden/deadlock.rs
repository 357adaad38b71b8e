//! What is said when no thread of a block can go on.

use super::Cta;
use super::shared::Shared;
use super::thread::State;
use crate::memory::Private;
use crate::trap::{Meeting, Waiting};
use margay_front::module::{FunctionId, InstructionId};
use margay_isa::{BarrierObject, WARP};

impl Cta<'_> {
    /// Adds what the living threads wait for, of which nothing can happen.
    pub(super) fn waiting(&self, shared: &Shared, groups: &mut Vec<Waiting>) {
        let others = groups.len();
        let waiting = (0..self.threads.len()).filter_map(|t| Some((t, self.meeting(t, shared)?)));
        for (t, at) in waiting {
            // What blocks have of their own is not the same.
            let start = if matches!(at, Meeting::Cluster { .. }) { 0 } else { others };
            let thread = &self.threads[t];
            let place = (FunctionId(thread.stack.function), InstructionId(thread.stack.pc));
            match groups[start..].iter_mut().find(|g| (g.function, g.instruction) == place && g.at == at) {
                Some(group) => group.threads += 1,
                None => groups.push(Waiting {
                    at,
                    function: place.0,
                    instruction: place.1,
                    threads: 1,
                    first: thread.id,
                }),
            }
        }
    }

    /// What a thread waits for.
    fn meeting(&self, t: usize, shared: &Shared) -> Option<Meeting> {
        match self.threads[t].state {
            State::Barrier { id, .. } => Some(Meeting::Barrier { id, expected: self.barriers.expected(id) }),
            State::Together => {
                let mask = self.visits[t].members.unwrap_or(u32::MAX) & self.alive[t / WARP];
                let missing = mask & !self.company(t / WARP, t);
                Some(Meeting::Warp { instruction: self.together(t)?.inst.to_string(), missing })
            }
            State::Asleep(asleep) => {
                let object = BarrierObject::of(shared.words.load(asleep.at, 8));
                let address = asleep.at - u64::from(self.rank) * self.job.shared_step();
                Some(Meeting::Object { address, missing: object.missing() })
            }
            State::Gate => {
                let missing = shared.gate.missing().min(u32::MAX.into()) as u32;
                Some(Meeting::Cluster { missing })
            }
            State::Ready | State::Ended => None,
        }
    }
}
