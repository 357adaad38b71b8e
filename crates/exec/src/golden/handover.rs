//! A block that another engine has begun, taken over where it stands.

use super::thread::State;
use super::{Barriers, Cta};
use crate::output::Output;
use crate::tensor_memory::TensorMemory;
use margay_isa::WARP;
use std::collections::BTreeSet;

/// Where a thread stands, for an engine that takes it over.
pub(crate) struct Standing {
    /// The calls that have not returned, the kernel's first.
    pub(crate) calls: Vec<Called>,
    /// Its next instruction in the function that runs.
    pub(crate) pc: u32,
    /// What its registers hold, by slot: the kernel's, then those of the functions that are called.
    pub(crate) registers: Vec<u64>,
    /// The barrier at which it waits, and whether only for the rest of its warp.
    pub(crate) waits: Option<(u8, bool)>,
    /// Local memory, the kernel's frame first; what lies behind the last one is of no matter.
    pub(crate) local: Vec<u64>,
}

/// What a block has done so far.
pub(crate) struct Progress {
    pub(crate) steps: u64,
    pub(crate) output: Output,
    /// Who has come to its barriers, if anybody may have.
    pub(crate) barriers: Option<Barriers>,
    /// Where barrier objects lie in its shared memory.
    pub(crate) objects: BTreeSet<u64>,
    pub(crate) tensor_memory: TensorMemory,
}

/// A call that has not returned.
pub(crate) struct Called {
    /// The call, in the function that calls.
    pub(crate) pc: u32,
    pub(crate) function: u32,
}

impl Cta<'_> {
    /// The block goes on as it stands; `standing` gives each thread, or nothing for one that has ended.
    pub(super) fn take_over(
        &mut self,
        progress: Progress,
        mut standing: impl FnMut(usize) -> Option<Standing>,
    ) {
        (self.steps, self.output) = (progress.steps, progress.output);
        if let Some(barriers) = progress.barriers {
            self.barriers = barriers;
        }
        for t in 0..self.threads.len() {
            match standing(t) {
                Some(standing) => {
                    let (job, stack) = (self.job, &mut self.threads[t].stack);
                    for call in &standing.calls {
                        stack.pc = call.pc;
                        let code = job.ready.code[call.function as usize].as_ref();
                        let entered = code.map(|code| stack.enter(job, call.function, code, 0).is_ok());
                        debug_assert_eq!(
                            entered,
                            Some(true),
                            "a call was inlined that does not fit the stack"
                        );
                    }
                    stack.pc = standing.pc;
                    debug_assert_eq!(stack.registers.len(), standing.registers.len());
                    stack.registers = standing.registers;
                    stack.take_local(standing.local);
                    if let Some((id, passes)) = standing.waits {
                        self.threads[t].state = State::Barrier { id, passes };
                    }
                }
                None => {
                    self.threads[t].state = State::Ended;
                    self.alive[t / WARP] &= !(1 << (t % WARP));
                    self.leave_gate(t);
                }
            }
        }
    }
}
