//! What is said when no thread of a block can go on.

use super::{Cta, State};
use crate::grid::Dim;
use crate::memory::Private;
use crate::trap::{Meeting, Trap, TrapKind, Waiting};
use margay_front::module::{FunctionId, InstructionId};
use margay_isa::{BarrierObject, WARP};

impl Cta<'_> {
    /// Every living thread waits, and none of what they wait for can happen.
    pub(super) fn deadlock(&self, block: Dim) -> Box<Trap> {
        let mut groups: Vec<Waiting> = Vec::new();
        let waiting = (0..self.threads.len()).filter_map(|t| Some((t, self.meeting(t)?)));
        for (t, at) in waiting {
            let thread = &self.threads[t];
            let place = (FunctionId(thread.stack.function), InstructionId(thread.stack.pc));
            match groups.iter_mut().find(|g| (g.function, g.instruction) == place && g.at == at) {
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
        let first = self.threads.iter().position(|t| t.state != State::Ended).unwrap_or(0);
        self.trap(TrapKind::Deadlock(groups), first, block)
    }

    /// What a thread waits for.
    fn meeting(&self, t: usize) -> Option<Meeting> {
        match self.threads[t].state {
            State::Barrier { id, .. } => Some(Meeting::Barrier { id, expected: self.barriers.expected(id) }),
            State::Together => {
                let mask = self.visits[t].members.unwrap_or(u32::MAX) & self.alive[t / WARP];
                let missing = mask & !self.company(t / WARP, t);
                Some(Meeting::Warp { instruction: self.together(t)?.inst.to_string(), missing })
            }
            State::Asleep(asleep) => {
                let object = BarrierObject::of(self.shared.words.load(asleep.at, 8));
                Some(Meeting::Object { address: asleep.at, missing: object.missing() })
            }
            State::Ready | State::Ended => None,
        }
    }
}
