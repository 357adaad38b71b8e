//! Barrier objects: threads that count at them, that ask for the end of a phase, and that sleep until it comes.
//!
//! A thread that may sleep does so until the phase is over, or until no thread of the cluster can go on otherwise, or the others have
//! had many turns: then its time is up, and it learns that the phase is not over. One that only tests learns so when the others have had a turn. If it comes to ask
//! again just as it did before, with the same registers and nothing done in between that others can see or that depends on them,
//! it will do so for ever: it is not told again, but waits. If all threads wait, that is a deadlock.

use super::Cta;
use super::lane::{Bytes, Lane};
use super::stack::Stack;
use super::thread::{Asleep, Done, Look, State, Stood};
use crate::code::{Action, Arrive, Copies, ObjectChange, ObjectStep, Phase, Strength, Transfer, Wait};
use crate::grid::Dim;
use crate::memory::{Access, Private};
use crate::sanitize::touched::Made;
use crate::trap::{Trap, TrapKind};
use margay_isa::{BarrierObject, Bits};

/// After so many turns of the others the time is up for which a thread sleeps.
const PATIENCE: u32 = 1 << 10;

impl Asleep {
    /// Whether a thread that is not to sleep, or has long slept, is told that the phase is not over.
    fn has_waited(&self) -> bool {
        !self.look.sleeps || self.turns >= PATIENCE
    }
}

impl Look {
    fn is_over(&self, object: BarrierObject) -> Result<bool, TrapKind> {
        self.phase.is_over(object).map_err(TrapKind::Barrier)
    }
}

impl Lane<'_> {
    /// Carries out a step on a barrier object.
    pub(super) fn object(&mut self, step: &ObjectStep) -> Result<Done, TrapKind> {
        if let ObjectChange::Wait(wait) = &step.change {
            return self.look(step, wait);
        }
        let address = self.address(&step.place);
        let Some(blocks) = &step.blocks else { return self.change_object(step, address) };
        let (blocks, generic) = (self.read(blocks) as u32, step.place.space.is_none());
        let mut over = false;
        for rank in (0..u32::BITS).filter(|rank| blocks >> rank & 1 == 1) {
            let address = self.map_to_cta(address, rank, generic).map_err(TrapKind::Barrier)?;
            over |= matches!(self.change_object(step, address)?, Done::PhaseOver);
        }
        Ok(if over { Done::PhaseOver } else { Done::GoOn })
    }

    /// Changes the object at an address.
    fn change_object(&mut self, step: &ObjectStep, address: u64) -> Result<Done, TrapKind> {
        let at = self.place_of(step, address)?;
        let bits = self.shared.words.load(at, 8);
        let mut object = BarrierObject::of(bits);
        let numbers: Vec<u32> =
            step.change.numbers().into_iter().map(|source| self.read(source) as u32).collect();
        let (mut access, mut strength) = (Access::Atomic, step.place.strength);
        if let Some(change) = step.change.change() {
            change.apply(&mut object, &numbers).map_err(TrapKind::Barrier)?;
        }
        match &step.change {
            ObjectChange::Make(_) => {
                self.shared.objects.insert(at);
                access = Access::Write;
            }
            ObjectChange::End => {
                self.shared.objects.remove(&at);
                (access, strength) = (Access::Write, Strength::default());
            }
            ObjectChange::Arrive(arrive) => self.write(&arrive.target, Bits::from(bits)),
            _ => {}
        }
        self.shared.words.store(at, 8, object.bits());
        if let (ObjectChange::Copies { .. }, Some(watch)) = (&step.change, &mut self.watch) {
            watch.copies_done(self.index, at, Copies::Small);
        }
        if let (ObjectChange::Arrive(Arrive { commits: true, .. }), Some(watch)) =
            (&step.change, &mut self.watch)
        {
            watch.copies_done(self.index, at, Copies::Committed);
        }
        if self.watch.is_some() {
            self.watched(access, Bytes::Shared(at), 8, strength, Made::ByThread);
        }
        let over = access == Access::Atomic && object.phase != BarrierObject::of(bits).phase;
        Ok(if over { Done::PhaseOver } else { Done::GoOn })
    }

    /// Where the object of a step lies, or is to lie: where one is made there must be none.
    fn place_of(&mut self, step: &ObjectStep, address: u64) -> Result<u64, TrapKind> {
        let at = self.bytes_of(&step.place, address)?;
        if matches!(step.change, ObjectChange::Make(_)) {
            if self.shared.objects.contains(&at) {
                let address = self.shared_address(at);
                let text = format!(
                    "there is a barrier object at shared address {address:#x} already, which has not been ended"
                );
                return Err(TrapKind::Barrier(text));
            }
            return Ok(at);
        }
        self.object_at(&step.place, address)
    }

    /// Where the object lies at an address that an operand names; there must be one.
    pub(super) fn object_at(&mut self, place: &Transfer<()>, address: u64) -> Result<u64, TrapKind> {
        let at = self.bytes_of(place, address)?;
        if self.shared.objects.contains(&at) {
            return Ok(at);
        }
        let address = self.shared_address(at);
        Err(TrapKind::Barrier(format!("there is no barrier object at shared address {address:#x}")))
    }

    fn bytes_of(&mut self, place: &Transfer<()>, address: u64) -> Result<u64, TrapKind> {
        let found = self.find_of(Access::Atomic, place, address, place.size()).map_err(TrapKind::Memory)?;
        let Bytes::Shared(at) = found else {
            let text = "barrier objects lie in shared memory, and this address does not";
            return Err(TrapKind::Barrier(text.into()));
        };
        Ok(at)
    }

    /// So many bytes have come by a copy, which the object at a place counts.
    pub(super) fn bytes_have_come(&mut self, at: u64, bytes: u32) -> Result<Done, TrapKind> {
        let mut object = BarrierObject::of(self.shared.words.load(at, 8));
        let phase = object.phase;
        object.complete(bytes).map_err(TrapKind::Barrier)?;
        self.shared.words.store(at, 8, object.bits());
        if let Some(watch) = &mut self.watch {
            watch.copies_done(self.index, at, Copies::Counted);
        }
        Ok(if object.phase == phase { Done::GoOn } else { Done::PhaseOver })
    }

    fn look(&mut self, step: &ObjectStep, wait: &Wait) -> Result<Done, TrapKind> {
        let deeds = self.stack.deeds;
        let at = self.object_at(&step.place, self.address(&step.place))?;
        self.stack.deeds = deeds;
        let phase = match &wait.phase {
            Phase::State(state) => Phase::State(self.read(state) as u64),
            Phase::Parity(parity) => Phase::Parity(self.read(parity) as u64),
        };
        let look = Look { at, phase, sleeps: wait.sleeps };
        if !look.is_over(BarrierObject::of(self.shared.words.load(at, 8)))? {
            return Ok(Done::Asks(look));
        }
        self.learn(at, wait, true, step.place.strength);
        Ok(Done::GoOn)
    }

    fn learn(&mut self, at: u64, wait: &Wait, over: bool, strength: Strength) {
        self.write(&wait.target, Bits::from(over));
        if over && self.watch.is_some() {
            self.watched(Access::Read, Bytes::Shared(at), 8, strength, Made::ByThread);
        }
    }

    /// Goes behind the instruction at which the thread has waited, which learns whether the phase is over.
    fn answered(mut self, at: u64, step: &ObjectStep, over: bool) -> Stack {
        if let ObjectChange::Wait(wait) = &step.change {
            self.learn(at, wait, over, step.place.strength);
        }
        self.stack.pc += 1;
        self.stack
    }
}

impl Cta<'_> {
    /// Thread `t` asks for a phase that is not over.
    pub(super) fn ask(&mut self, t: usize, look: Look) {
        let stack = &self.threads[t].stack;
        let now = Stood {
            look,
            function: stack.function,
            pc: stack.pc,
            calls: stack.calls.len(),
            deeds: stack.deeds,
            registers: stack.registers.clone(),
        };
        let hopeless = self.threads[t].stood.as_deref() == Some(&now);
        self.threads[t].stood = Some(Box::new(now));
        self.threads[t].state = State::Asleep(Asleep { at: look.at, look, hopeless, turns: 0 });
    }

    /// Lets threads go on whose phase is over, and those that only test; whether any does.
    pub(super) fn look_again(&mut self, block: Dim) -> Result<bool, Box<Trap>> {
        let over = self.answer(block, |_| false)?;
        let told = self.answer(block, |asleep| !asleep.hopeless && asleep.has_waited())?;
        for thread in &mut self.threads {
            if let State::Asleep(asleep) = &mut thread.state {
                asleep.turns += 1;
            }
        }
        Ok(over || told)
    }

    /// Nothing can happen but that the time is up for which threads sleep; whether it is for any.
    pub(super) fn let_time_pass(&mut self, block: Dim) -> Result<bool, Box<Trap>> {
        self.answer(block, |asleep| !asleep.hopeless)
    }

    /// Lets threads go on whose phase is over, or which are not to wait longer; whether any does.
    fn answer(&mut self, block: Dim, is_up: impl Fn(&Asleep) -> bool) -> Result<bool, Box<Trap>> {
        let mut any = false;
        for t in 0..self.threads.len() {
            let State::Asleep(asleep) = self.threads[t].state else { continue };
            let over = self.is_over(&asleep).map_err(|kind| self.trap(kind, t, block))?;
            if over || is_up(&asleep) {
                self.wake(t, &asleep, over, block);
                any = true;
            }
        }
        Ok(any)
    }

    /// Lets threads go on whose phase has just ended, before it can be followed by another one.
    pub(super) fn wake_all(&mut self, block: Dim) {
        for t in 0..self.threads.len() {
            if let State::Asleep(asleep) = self.threads[t].state
                && self.is_over(&asleep) == Ok(true)
            {
                self.wake(t, &asleep, true, block);
            }
        }
    }

    fn is_over(&self, asleep: &Asleep) -> Result<bool, TrapKind> {
        asleep.look.is_over(BarrierObject::of(self.shared.words.load(asleep.at, 8)))
    }

    fn wake(&mut self, t: usize, asleep: &Asleep, over: bool, block: Dim) {
        if let Some(Action::Object(step)) = self.action(t) {
            self.threads[t].stack = self.lane(t, block).answered(asleep.at, step, over);
        }
        self.ready(t);
    }
}
