//! One thread at work: fetch, guard, act, until something ends its turn.

use super::barrier::Arrival;
use super::shared::Shared;
use super::stack::Stack;
use super::thread::{Done, Look};
use crate::code::{
    Action, Atomic, Barrier, Compute, Function, MAX_RESULTS, Members, Purpose, Source, Target, Together,
    Transfer,
};
use crate::grid::Dim;
use crate::launch::Job;
use crate::memory::{Access, Fault, Words};
use crate::output::Output;
use crate::profile::Counters;
use crate::sanitize::Watch;
use crate::sanitize::touched::Made;
use crate::trap::TrapKind;
use margay_isa::{Args, AtomicSpace, Bits, MAX_SOURCES, Trace};
use std::sync::atomic::{Ordering::SeqCst, fence};

/// A thread and what it may touch.
pub(super) struct Lane<'a> {
    pub(super) job: &'a Job<'a>,
    /// The block's place in the grid.
    pub(super) block: Dim,
    /// The block's number in its cluster.
    pub(super) rank: u32,
    /// The thread's place in the block.
    pub(super) thread: Dim,
    /// The thread's number in the block.
    pub(super) index: u32,
    pub(super) stack: Stack,
    pub(super) shared: &'a mut Shared,
    pub(super) output: &'a mut Output,
    /// Steps that the block has taken.
    pub(super) clock: u64,
    /// The allocation that was used last.
    pub(super) hint: usize,
    pub(super) watch: Option<&'a mut Watch>,
    pub(super) tally: Option<&'a mut Counters>,
}

/// Why a turn ends.
pub(super) enum Event {
    /// No steps are left.
    TurnOver,
    /// The thread has ended.
    Ended,
    /// The thread has come to a barrier.
    Arrived(Arrival),
    /// The thread has come to an instruction of several lanes with these sources, and the mask of them if it names one.
    Meets(Box<Args>, Option<u32>),
    /// The thread has asked for a phase of a barrier object that is not over.
    Asks(Box<Look>),
    /// The thread has come to the cluster's barrier.
    AtGate,
    /// The thread has ended the phase of a barrier object.
    PhaseOver,
    /// Something went wrong where the thread stands.
    Trap(Box<TrapKind>),
}

impl<'a> Lane<'a> {
    /// Takes up to `left` steps. Gives where the thread stands, why it stopped, and the allocation it used last.
    pub(super) fn run(mut self, left: &mut u64) -> (Stack, Event, usize) {
        let event = self.steps(left);
        (self.stack, event, self.hint)
    }

    fn steps(&mut self, left: &mut u64) -> Event {
        let mut code = self.code();
        while *left > 0 {
            let op = &code.ops[self.stack.pc as usize];
            *left -= 1;
            self.clock += 1;
            if let Some(tally) = &mut self.tally {
                tally.count(self.stack.function, self.stack.pc);
            }
            if self.job.tracks_registers {
                self.judge_registers(op);
            }
            if let Some(guard) = op.guard
                && self.stack.registers[self.stack.frame.registers + guard.slot as usize] != guard.runs_if
            {
                self.stack.pc += 1;
                continue;
            }
            if op.guard.is_some()
                && let Some(tally) = &mut self.tally
            {
                tally.hold(self.stack.function, self.stack.pc);
            }
            match &op.action {
                Action::Compute(compute) => self.compute(compute),
                Action::Branch(target) => {
                    self.stack.pc = *target;
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
                Action::StoreSome(transfer) => {
                    if let Err(fault) = self.put_some(transfer) {
                        return trap(TrapKind::Memory(fault));
                    }
                }
                Action::Atomic(atomic) => {
                    if let Err(fault) = self.atomic(atomic) {
                        return trap(TrapKind::Memory(fault));
                    }
                }
                Action::Shift(shift) => {
                    let (source, target, difference) = &**shift;
                    let value = (self.read(source) as u64).wrapping_add(*difference);
                    self.write(target, Bits::from(value));
                }
                Action::Equals(equals) => {
                    let (source, target, wanted) = &**equals;
                    self.write(target, Bits::from(self.read(source) == Bits::from(*wanted)));
                }
                Action::TestSpace(test) => {
                    let (source, target, space, far) = &**test;
                    let lies = self.lies_in(self.read(source) as u64, *space, *far);
                    self.write(target, Bits::from(lies));
                }
                Action::TestFrames(test) => {
                    let [address, distance] =
                        [&test.address, &test.distance].map(|source| self.read(source) as u64);
                    self.write(&test.target, Bits::from(test.holds(address, distance)));
                }
                Action::Copy(copy) => {
                    if let Err(fault) = self.copy(copy) {
                        return trap(TrapKind::Memory(fault));
                    }
                }
                Action::CommitCopies(line) => {
                    if let Some(watch) = &mut self.watch {
                        watch.commit_copies(self.index, *line);
                    }
                }
                Action::AwaitCopies(line, groups) => {
                    if let Some(watch) = &mut self.watch {
                        watch.await_copies(self.index, *line, *groups);
                    }
                }
                Action::Bulk(bulk) => match self.bulk(bulk) {
                    Ok(Done::GoOn) => {}
                    Ok(done) => return self.stops(done),
                    Err(kind) => return trap(kind),
                },
                Action::Tensor(step) => match self.tensor(step) {
                    Ok(Done::GoOn) => {}
                    Ok(done) => return self.stops(done),
                    Err(kind) => return trap(kind),
                },
                Action::Texture(step) => {
                    if let Err(kind) = self.texture(step) {
                        return trap(kind);
                    }
                }
                Action::Object(step) => match self.object(step) {
                    Ok(Done::GoOn) => {}
                    Ok(done) => return self.stops(done),
                    Err(kind) => return trap(kind),
                },
                Action::SaveStack(target) => self.write(target, Bits::from(self.stack.top)),
                Action::RestoreStack(source) => {
                    if let Err(kind) = self.restore_stack(source) {
                        return trap(kind);
                    }
                }
                Action::Allocate(wanted) => {
                    let (target, bytes, align) = &**wanted;
                    let bytes = self.read(bytes) as u64;
                    match self.stack.allocate(self.job, bytes, *align) {
                        Ok(address) => {
                            if let Some(watch) = &mut self.watch {
                                watch.fresh_local(self.index, address, bytes);
                            }
                            self.write(target, Bits::from(address));
                        }
                        Err(kind) => return trap(kind),
                    }
                }
                Action::Fence(strength) => {
                    fence(SeqCst);
                    if let Some(watch) = &mut self.watch {
                        watch.fence(self.index, *strength);
                    }
                }
                Action::Gate(_) => {
                    self.stack.deeds += 1;
                    return Event::AtGate;
                }
                Action::MapToCta(map) => {
                    let (source, rank, target, generic) = &**map;
                    match self.map_to_cta(self.read(source) as u64, self.read(rank) as u32, *generic) {
                        Ok(address) => self.write(target, Bits::from(address)),
                        Err(text) => return trap(TrapKind::Target(text)),
                    }
                }
                Action::TellCta(tell) => {
                    let (source, target, generic) = &**tell;
                    let rank = self.cta_of(self.read(source) as u64, *generic);
                    self.write(target, Bits::from(rank));
                }
                Action::Nothing => {}
                Action::BranchIndexed(branch) => {
                    let (index, targets) = &**branch;
                    let index = self.read(index) as u64;
                    let Some(target) = targets.get(index as usize) else {
                        let text = format!("branch index {index} is outside its list of {}", targets.len());
                        return trap(TrapKind::Target(text));
                    };
                    self.stack.pc = *target;
                    continue;
                }
                Action::Call(call) => {
                    if let Err(kind) = self.call(call) {
                        return trap(kind);
                    }
                    code = self.code();
                    continue;
                }
                Action::Return => {
                    if !self.give_back() {
                        return Event::Ended;
                    }
                    code = self.code();
                }
                Action::Exit => return Event::Ended,
                Action::Trap(opcode) => return trap(TrapKind::Instruction(opcode)),
                Action::Barrier(barrier) => return Event::Arrived(self.arrival(barrier)),
                Action::Collective(together) => return self.meets(together),
            }
            self.stack.pc += 1;
        }
        Event::TurnOver
    }

    /// Writes what the thread has waited for, and goes behind the instruction.
    pub(super) fn resume<'t>(mut self, results: impl Iterator<Item = (&'t Target, Bits)>) -> Stack {
        results.for_each(|(target, value)| self.write(target, value));
        self.stack.pc += 1;
        self.stack
    }

    /// The thread's turn ends with a step on a barrier object.
    fn stops(&mut self, done: Done) -> Event {
        match done {
            Done::Asks(look) => Event::Asks(Box::new(look)),
            Done::GoOn | Done::PhaseOver => {
                self.stack.pc += 1;
                Event::PhaseOver
            }
        }
    }

    fn arrival(&mut self, barrier: &Barrier) -> Arrival {
        self.stack.deeds += 1;
        let vote = match &barrier.purpose {
            Purpose::Reduce(reduce) => Some(self.read(&reduce.predicate) == reduce.holds_if),
            Purpose::Arrive | Purpose::Wait => None,
        };
        Arrival {
            id: self.read(&barrier.id) as u32,
            count: barrier.count.as_ref().map(|count| self.read(count) as u32),
            passes: matches!(barrier.purpose, Purpose::Arrive),
            vote,
        }
    }

    fn meets(&mut self, together: &Together) -> Event {
        self.stack.deeds += 1;
        let sources = Box::new(self.sources(&together.sources));
        let members = named(together, &sources);
        Event::Meets(sources, members)
    }

    fn atomic(&mut self, atomic: &Atomic) -> Result<(), Fault> {
        let at = self.place(Access::Atomic, &atomic.place)?;
        let space = if matches!(at, Bytes::Global(..)) { AtomicSpace::Global } else { AtomicSpace::Shared };
        let count = atomic.place.elements.len();
        // A source may be a register that the element before writes.
        let sources = self.sources(&atomic.sources);
        for k in 0..count {
            let mut args = [0; MAX_SOURCES];
            match count {
                1 => args[1..].copy_from_slice(&sources[..MAX_SOURCES - 1]),
                _ => args[1] = sources[k],
            }
            let old = self.update(at.element(k, atomic.place.bytes), atomic.place.bytes, |old| {
                args[0] = old;
                (atomic.function)(&atomic.inst, space, &args)
            });
            if let Some(target) = atomic.targets.get(k) {
                self.write(target, old);
            }
        }
        if self.watch.is_some() {
            self.watched(Access::Atomic, at, atomic.place.size(), atomic.place.strength, Made::ByThread);
        }
        Ok(())
    }

    #[inline]
    pub(super) fn sources(&self, sources: &[Source]) -> Args {
        let mut args = [0; MAX_SOURCES];
        for (arg, source) in args.iter_mut().zip(sources) {
            *arg = self.read(source);
        }
        args
    }

    #[inline]
    fn compute(&mut self, compute: &Compute) {
        let args = self.sources(&compute.sources);
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

    #[inline]
    pub(super) fn address<T>(&self, transfer: &Transfer<T>) -> u64 {
        (self.read(&transfer.address) as u64).wrapping_add(transfer.offset) & transfer.mask
    }

    /// Finds the bytes of a load or store.
    #[inline]
    pub(super) fn place<T>(&mut self, access: Access, transfer: &Transfer<T>) -> Result<Bytes<'a>, Fault> {
        let address = self.address(transfer);
        self.find_of(access, transfer, address, transfer.size())
    }

    #[inline]
    fn fetch(&mut self, transfer: &Transfer<Target>) -> Result<(), Fault> {
        let from = self.place(Access::Read, transfer)?;
        if self.watch.is_some() {
            self.watched(Access::Read, from, transfer.size(), transfer.strength, Made::ByThread);
        }
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
        if self.watch.is_some() {
            self.watched(Access::Write, to, transfer.size(), transfer.strength, Made::ByThread);
        }
        Ok(())
    }

    /// The whole place must be there, as for a store of all elements.
    fn put_some(&mut self, transfer: &Transfer<Option<Source>>) -> Result<(), Fault> {
        self.place(Access::Write, transfer)?;
        let first = self.address(transfer);
        for (k, source) in transfer.elements.iter().enumerate() {
            let Some(source) = source else { continue };
            let bytes = u64::from(transfer.bytes);
            let to = self.find_of(Access::Write, transfer, first + k as u64 * bytes, bytes)?;
            let value = self.read(source);
            self.store(to, 0, transfer.bytes, value);
            if self.watch.is_some() {
                self.watched(Access::Write, to, bytes, transfer.strength, Made::ByThread);
            }
        }
        Ok(())
    }

    #[inline]
    fn slot(&self, slot: u32) -> u64 {
        self.stack.registers[self.stack.frame.registers + slot as usize]
    }

    #[inline]
    fn slot_mut(&mut self, slot: u32) -> &mut u64 {
        &mut self.stack.registers[self.stack.frame.registers + slot as usize]
    }

    #[inline]
    pub(super) fn read(&self, source: &Source) -> Bits {
        match source {
            Source::Register { slot, mask } => Bits::from(self.slot(*slot) & mask),
            Source::Constant(bits) => *bits,
            Source::Frame(offset) => Bits::from(self.stack.frame.local.wrapping_add(*offset)),
            Source::Special { value, mask } => Bits::from(self.special(*value, self.clock) & mask),
            Source::Wide { slot } => {
                let [low, high] = [0, 1].map(|k| Bits::from(self.slot(slot + k)));
                low | high << 64
            }
        }
    }

    #[inline]
    pub(super) fn write(&mut self, target: &Target, value: Bits) {
        match target {
            Target::Register { slot, spread, mask } => {
                let spread = ((value as u64) << spread) as i64 >> spread;
                *self.slot_mut(*slot) = spread as u64 & mask;
            }
            Target::Wide { slot, spread, mask } => {
                let spread = ((value << spread) as i128 >> spread) as Bits & mask;
                *self.slot_mut(*slot) = spread as u64;
                *self.slot_mut(slot + 1) = (spread >> 64) as u64;
            }
            Target::Sink => {}
        }
    }
}

fn trap(kind: TrapKind) -> Event {
    Event::Trap(Box::new(kind))
}

/// Some bytes of memory, found and allowed.
#[derive(Clone, Copy)]
pub(super) enum Bytes<'m> {
    Global(&'m Words, u64),
    Shared(u64),
    Local(u64),
    Param(u64),
}

/// The lanes that an instruction names, whose sources these are.
pub(super) fn named(together: &Together, sources: &Args) -> Option<u32> {
    match together.members {
        Members::Any | Members::Each => None,
        Members::Named(k) => Some(sources[k] as u32),
        Members::All => Some(u32::MAX),
    }
}
