//! One thread at work: fetch, guard, act, until something ends its turn.

use super::Job;
use super::access::Bytes;
use crate::code::{Action, Compute, Function, MAX_RESULTS, Source, Target, Transfer};
use crate::grid::Dim;
use crate::memory::{Access, Fault};
use crate::trap::TrapKind;
use margay_isa::{Bits, MAX_SOURCES, Trace};

/// A thread and what it may touch.
pub(super) struct Lane<'a> {
    pub(super) job: &'a Job<'a>,
    /// The block's place in the grid.
    pub(super) block: Dim,
    /// The thread's place in the block.
    pub(super) thread: Dim,
    /// The thread's number in the block.
    pub(super) index: u32,
    pub(super) pc: u32,
    pub(super) registers: &'a mut [u64],
    pub(super) shared: &'a mut [u64],
    pub(super) local: &'a mut [u64],
    /// Where the function's own part of local memory begins.
    pub(super) frame_base: u64,
    /// Steps that the block has taken.
    pub(super) clock: u64,
    /// The allocation that was used last.
    pub(super) hint: usize,
}

/// Why a turn ends.
pub(super) enum Event {
    /// No steps are left.
    TurnOver,
    /// The thread has ended.
    Ended,
    /// The thread has arrived at a barrier; `pc` is behind it.
    Arrived { id: u32, count: Option<u32>, waits: bool },
    /// Something went wrong at `pc`.
    Trap(Box<TrapKind>),
}

impl<'a> Lane<'a> {
    /// Takes up to `left` steps. Gives where the thread stands, why it stopped, and the allocation it used last.
    pub(super) fn run(mut self, left: &mut u64) -> (u32, Event, usize) {
        let event = self.steps(left);
        (self.pc, event, self.hint)
    }

    fn steps(&mut self, left: &mut u64) -> Event {
        let job = self.job;
        while *left > 0 {
            let op = &job.code.ops[self.pc as usize];
            *left -= 1;
            self.clock += 1;
            if let Some(guard) = op.guard
                && self.registers[guard.slot as usize] != guard.runs_if
            {
                self.pc += 1;
                continue;
            }
            match &op.action {
                Action::Compute(compute) => self.compute(compute),
                Action::Branch(target) => {
                    self.pc = *target;
                    continue;
                }
                Action::Load(transfer) => {
                    if let Err(fault) = self.fetch(transfer) {
                        return trap(TrapKind::Memory(fault));
                    }
                }
                Action::Store(transfer) => {
                    if let Err(fault) = self.put(transfer) {
                        return trap(TrapKind::Memory(fault));
                    }
                }
                Action::Shift(shift) => {
                    let (source, target, difference) = &**shift;
                    let value = (self.read(source) as u64).wrapping_add(*difference);
                    self.write(target, Bits::from(value));
                }
                Action::Nothing => {}
                Action::Return | Action::Exit => return Event::Ended,
                Action::Trap(opcode) => return trap(TrapKind::Instruction(opcode)),
                Action::Barrier(barrier) => {
                    let id = self.read(&barrier.id) as u32;
                    let count = barrier.count.as_ref().map(|count| self.read(count) as u32);
                    self.pc += 1;
                    return Event::Arrived { id, count, waits: barrier.waits };
                }
            }
            self.pc += 1;
        }
        Event::TurnOver
    }

    #[inline]
    fn compute(&mut self, compute: &Compute) {
        let mut args = [0; MAX_SOURCES];
        for (arg, source) in args.iter_mut().zip(&compute.sources) {
            *arg = self.read(source);
        }
        let one = match compute.function {
            Function::One(f) => f(&compute.inst, &args),
            Function::Stages(f) => f(&compute.inst, &args, &mut Trace::off()),
            Function::Many(f) => {
                let mut results = [0; MAX_RESULTS];
                f(&compute.inst, &args, &mut results[..compute.targets.len()]);
                for (target, value) in compute.targets.iter().zip(results) {
                    self.write(target, value);
                }
                return;
            }
        };
        for target in &compute.targets {
            self.write(target, one);
        }
    }

    /// Finds the bytes of a load or store.
    #[inline]
    fn place<T>(&mut self, access: Access, transfer: &Transfer<T>) -> Result<Bytes<'a>, Fault> {
        let base = self.read(&transfer.address) as u64;
        let address = base.wrapping_add(transfer.offset) & transfer.mask;
        let bytes = u64::from(transfer.bytes) * transfer.elements.len() as u64;
        self.find(access, transfer.space, address, bytes)
    }

    #[inline]
    fn fetch(&mut self, transfer: &Transfer<Target>) -> Result<(), Fault> {
        let from = self.place(Access::Read, transfer)?;
        for (k, target) in transfer.elements.iter().enumerate() {
            let value = self.load(from, k as u64, transfer.bytes);
            self.write(target, value);
        }
        Ok(())
    }

    #[inline]
    fn put(&mut self, transfer: &Transfer<Source>) -> Result<(), Fault> {
        let to = self.place(Access::Write, transfer)?;
        for (k, source) in transfer.elements.iter().enumerate() {
            let value = self.read(source);
            self.store(to, k as u64, transfer.bytes, value);
        }
        Ok(())
    }

    #[inline]
    fn read(&self, source: &Source) -> Bits {
        match source {
            Source::Register { slot, mask } => Bits::from(self.registers[*slot as usize] & mask),
            Source::Constant(bits) => *bits,
            Source::Frame(offset) => Bits::from(self.frame_base + offset),
            Source::Special { value, mask } => Bits::from(self.special(*value, self.clock) & mask),
            Source::Wide { slot } => {
                let [low, high] = [0, 1].map(|k| Bits::from(self.registers[*slot as usize + k]));
                low | high << 64
            }
        }
    }

    #[inline]
    fn write(&mut self, target: &Target, value: Bits) {
        match target {
            Target::Register { slot, spread, mask } => {
                let spread = ((value as u64) << spread) as i64 >> spread;
                self.registers[*slot as usize] = spread as u64 & mask;
            }
            Target::Wide { slot, spread, mask } => {
                let spread = ((value << spread) as i128 >> spread) as Bits & mask;
                self.registers[*slot as usize] = spread as u64;
                self.registers[*slot as usize + 1] = (spread >> 64) as u64;
            }
            Target::Sink => {}
        }
    }
}

fn trap(kind: TrapKind) -> Event {
    Event::Trap(Box::new(kind))
}
