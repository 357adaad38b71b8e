//! A block that another engine has begun, taken over where it stands.

use super::{Cta, State};
use margay_isa::WARP;

/// Where a thread stands, for an engine that takes it over.
pub(crate) struct Standing {
    /// Its next instruction in the kernel.
    pub(crate) pc: u32,
    /// What its registers hold, by slot.
    pub(crate) registers: Vec<u64>,
    /// The kernel's frame in local memory.
    pub(crate) local: Vec<u64>,
}

impl Cta<'_> {
    /// The block goes on as it stands after so many steps; `standing` gives each thread, or nothing for one that has ended.
    pub(super) fn take_over(&mut self, steps: u64, mut standing: impl FnMut(usize) -> Option<Standing>) {
        self.steps = steps;
        for t in 0..self.threads.len() {
            match standing(t) {
                Some(standing) => {
                    let stack = &mut self.threads[t].stack;
                    stack.pc = standing.pc;
                    stack.registers = standing.registers;
                    stack.local = standing.local;
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
