//! Steps of observed threads: registers before and after each of their instructions.

use super::Cta;
use super::lane::Lane;
use super::stack::Stack;
use super::thread::Begun;
use crate::batch::compile::liveness;
use crate::code::{Action, Callee, Op};
use crate::decode;
use crate::grid::Dim;
use crate::observe::{Held, Seen, Spot};
use crate::reach::reach;
use margay_front::module::{FunctionId, InstructionId};
use margay_isa::Bits;

impl Cta<'_> {
    /// Whether the launch is observed, and this thread.
    pub(super) fn is_observed(&self, t: usize, block: Dim) -> bool {
        self.job.observe.is_some_and(|observe| observe.follows(block, self.threads[t].id))
    }

    /// Notes what the thread's next instruction finds.
    pub(super) fn begin_step(&mut self, t: usize, block: Dim) -> Begun {
        let (stack, begun) = self.lane(t, block).begin();
        self.threads[t].stack = stack;
        begun
    }

    /// Tells of an instruction that is done.
    pub(super) fn end_step(&mut self, t: usize, begun: Begun) {
        let Begun { at, skipped, reads, writes, address, registers } = begun;
        let held = |slot: &u32| {
            let bits = self.threads[t].stack.registers.get(registers + *slot as usize).copied();
            bits.map(|bits| self.held(at.function.0, *slot, bits))
        };
        let writes = joined(writes.iter().filter_map(held).collect());
        if let Some(observe) = self.job.observe {
            (observe.tell)(&Seen::Step { at, skipped, reads, writes, address });
        }
    }

    fn held(&self, function: u32, slot: u32, bits: u64) -> Held {
        held(self.job, function, slot, bits)
    }
}

impl Lane<'_> {
    fn begin(self) -> (Stack, Begun) {
        let (function, pc) = (self.stack.function, self.stack.pc);
        let code = self.code();
        let op = &code.ops[pc as usize];
        let slot = |slot: u32| self.stack.registers[self.stack.frame.registers + slot as usize];
        let skipped = op.guard.is_some_and(|guard| slot(guard.slot) != guard.runs_if);
        let mut reads = Vec::new();
        let seen = if skipped { Op { action: Action::Nothing, ..op.clone() } } else { op.clone() };
        liveness::reads(&seen, &mut |read| {
            if !reads.contains(&read) {
                reads.push(read);
            }
        });
        let reads = joined(reads.iter().map(|read| held(self.job, function, *read, slot(*read))).collect());
        let calls = matches!(&op.action, Action::Call(call) if !matches!(call.callee, Callee::Provided(_)));
        let mut writes = Vec::new();
        if !skipped && !calls {
            liveness::writes(op, &mut |slot| writes.push(slot));
        }
        let address = match &op.action {
            _ if skipped => None,
            Action::Load(transfer) => Some(self.address(transfer)),
            Action::Store(transfer) => Some(self.address(transfer)),
            Action::Atomic(atomic) => Some(self.address(&atomic.place)),
            Action::Collective(together) => together.place.as_ref().map(|place| self.address(place)),
            Action::Object(step) => Some(self.address(&step.place)),
            Action::Texture(step) => Some(self.address(&step.handle)),
            _ => None,
        };
        let at = Spot {
            function: FunctionId(function),
            instruction: InstructionId(pc),
            block: self.block,
            thread: self.thread,
        };
        let registers = self.stack.frame.registers;
        (self.stack, Begun { at, skipped, reads, writes, address, registers })
    }
}

/// What a slot of a function holds.
fn held(job: &super::Job, function: u32, slot: u32, value: u64) -> Held {
    let id = FunctionId(function);
    let code = job.ready.code[function as usize].as_ref();
    let reached = reach(job.module, job.entry);
    let names = reached
        .functions
        .get(&id)
        .zip(code)
        .map(|(reached, code)| decode::names(job.module.function(id), reached, code));
    let name = names.and_then(|names| names.into_iter().nth(slot as usize)).unwrap_or_default();
    let bits = code.and_then(|code| code.widths.get(slot as usize)).copied().unwrap_or(64);
    let mask = if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
    Held { name, value: Bits::from(value & mask), bits }
}

/// Halves of a wide register become one.
fn joined(halves: Vec<Held>) -> Vec<Held> {
    let mut whole: Vec<Held> = Vec::new();
    for held in halves {
        match (held.name.strip_suffix(".high"), whole.last_mut()) {
            (Some(name), Some(low)) if low.name.strip_suffix(".low") == Some(name) => {
                *low = Held {
                    name: name.to_string(),
                    value: low.value | held.value << 64,
                    bits: 64 + held.bits,
                };
            }
            _ => whole.push(held),
        }
    }
    whole
}
