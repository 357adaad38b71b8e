//! Registers of the machine for those of a run: what is used last goes to the stack where they do not suffice.

use crate::batch::lanes::jit::carry::Carrier;
use crate::batch::lanes::jit::fold::with_operand;
use crate::batch::lanes::jit::machine::{Arg, Base, Body, Instr, Kind, Memory, Reg};
use iced_x86::Code;

/// The vectors that there are at most.
const VECTORS: u8 = 32;
/// The masks, without the first, which means none.
const MASKS: u8 = 8;

/// A machine instruction on numbered registers.
pub(super) struct Placed {
    pub(super) instr: Instr,
    /// The number of the register that it sets.
    pub(super) to: u8,
    pub(super) from: [u8; 3],
    pub(super) by: u8,
}

/// Instructions with their registers, and how many slots of the stack they use.
pub(super) struct Allocated {
    pub(super) code: Vec<Placed>,
    pub(super) slots: usize,
}

const NEVER: u32 = u32::MAX;

/// Registers that an instruction reads, at most.
const MOST_READS: usize = 5;

pub(super) struct Allocator<'b> {
    pub(super) body: &'b Body,
    /// Where each register is read next: its number among the uses.
    next: Vec<u32>,
    /// Where registers are read, each with the number of the same register's next use.
    uses: Vec<(u32, u32)>,
    /// The number that each register has, if it is in one.
    pub(super) number: Vec<Option<u8>>,
    pub(super) slot: Vec<Option<usize>>,
    /// What numbered registers hold, by kind.
    pub(super) vectors: [Option<Reg>; VECTORS as usize],
    masks: [Option<Reg>; MASKS as usize],
    free_slots: Vec<usize>,
    pub(super) slots: usize,
    /// Slots that are not given to others: what turns carry lies there.
    pub(super) kept_slots: Vec<usize>,
    /// The number that each register had better have, if it is free.
    pub(super) wished: Vec<Option<u8>>,
    code: Vec<Placed>,
}

/// Chooses registers; the first slots of the stack are in use. None if an instruction reads what no instruction before it sets,
/// or needs more registers at once than there are.
pub(super) fn allocate(body: &Body, instrs: &[Instr], slots: usize) -> Option<Allocated> {
    let mut allocator = Allocator::new(body, slots);
    allocator.note_uses(instrs, 0);
    allocator.place_all(instrs, 0)?;
    Some(allocator.taken())
}

/// The instructions of a run that takes turns, with their registers.
pub(super) struct Turned {
    pub(super) enter: Allocated,
    pub(super) turn: Allocated,
    pub(super) asking: Allocated,
    pub(super) leave: Allocated,
}

/// The same for a run that takes turns. What turns carry lies where a turn finds it when it ends, and what asks for another one leaves it
/// there.
pub(super) fn allocate_turns(body: &Body, slots: usize) -> Option<Turned> {
    let turns = body.turns.as_ref()?;
    let mut allocator = Allocator::new(body, slots);
    let first = turns.enter.len() as u32;
    let end = first + body.instrs.len() as u32;
    for carried in &turns.carried {
        allocator.note_use(carried.ends, end);
    }
    allocator.note_uses(&body.instrs, first);
    allocator.note_uses(&turns.enter, 0);
    allocator.place_all(&turns.enter, 0)?;
    // What is asked about between turns is in registers then: there may be no other one to load it to.
    let set: Vec<Reg> = turns.asking.iter().filter_map(Instr::sets).collect();
    let asked = turns.asking.iter().flat_map(Instr::reads).filter(|reg| !set.contains(reg));
    let asked: Vec<Reg> = asked.collect();
    for reg in &asked {
        if allocator.number[reg.0 as usize].is_none() {
            allocator.reload(*reg, &asked, first)?;
        }
    }
    let mut carrier = Carrier::new(&mut allocator, &turns.carried);
    let enter = allocator.taken();
    allocator.place_all(&body.instrs, first)?;
    carrier.end_turn(&mut allocator, end)?;
    let turn = allocator.taken();
    let mut between = Allocator::new(body, allocator.slots);
    for carried in &turns.carried {
        between.note_use(carried.begins, turns.asking.len() as u32);
    }
    between.note_uses(&turns.asking, 0);
    carrier.begin(&mut between);
    between.place_all(&turns.asking, 0)?;
    if !carrier.is_as_it_was(&between) {
        return None;
    }
    let asking = between.taken();
    let mut after = Allocator::new(body, between.slots);
    after.note_uses(&turns.leave, 0);
    carrier.begin_read(&mut after);
    after.place_all(&turns.leave, 0)?;
    Some(Turned { enter, turn, asking, leave: after.taken() })
}

impl<'b> Allocator<'b> {
    fn new(body: &'b Body, slots: usize) -> Allocator<'b> {
        Allocator {
            body,
            next: vec![NEVER; body.kinds.len()],
            uses: Vec::with_capacity(2 * body.instrs.len()),
            number: vec![None; body.kinds.len()],
            slot: vec![None; body.kinds.len()],
            vectors: [None; VECTORS as usize],
            masks: [None; MASKS as usize],
            free_slots: Vec::new(),
            slots,
            kept_slots: Vec::new(),
            wished: vec![None; body.kinds.len()],
            code: Vec::new(),
        }
    }

    /// Notes what instructions read, the first of which has this place; those after them must be known.
    fn note_uses(&mut self, instrs: &[Instr], first: u32) {
        for (at, instr) in (first..first + instrs.len() as u32).zip(instrs).rev() {
            for reg in instr.reads() {
                if self.next_use(reg) != Some(at) {
                    self.note_use(reg, at);
                }
            }
        }
    }

    /// Notes that a register is read; those after it must be known.
    fn note_use(&mut self, reg: Reg, at: u32) {
        let next = &mut self.next[reg.0 as usize];
        self.uses.push((at, *next));
        *next = self.uses.len() as u32 - 1;
    }

    /// Where a register is read next.
    fn next_use(&self, reg: Reg) -> Option<u32> {
        self.uses.get(self.next[reg.0 as usize] as usize).map(|(at, _)| *at)
    }

    /// Whether something still reads a register.
    pub(super) fn is_read(&self, reg: Reg) -> bool {
        self.next_use(reg).is_some()
    }

    fn place_all(&mut self, instrs: &[Instr], first: u32) -> Option<()> {
        (first..).zip(instrs).try_for_each(|(at, instr)| self.place(at, instr))
    }

    /// The instructions so far.
    fn taken(&mut self) -> Allocated {
        Allocated { code: std::mem::take(&mut self.code), slots: self.slots }
    }

    fn place(&mut self, at: u32, instr: &Instr) -> Option<()> {
        let (mut room, mut count) = ([Reg(0); MOST_READS], 0);
        for reg in instr.reads() {
            room[count] = reg;
            count += 1;
        }
        let all = &room[..count];
        let from_memory = all.iter().find_map(|reg| Some((*reg, self.in_memory(instr, *reg, all, at)?)));
        // What lies there must stay until it has been read.
        let lies = from_memory.map(|(reg, _)| reg);
        let instr = from_memory.as_ref().map_or(instr, |(_, instr)| instr);
        if let Some(place) = room[..count].iter().position(|reg| Some(*reg) == lies) {
            room.swap(place, count - 1);
            count -= 1;
        }
        let reads = &room[..count];
        for reg in reads {
            if self.number[reg.0 as usize].is_none() {
                self.reload(*reg, reads, at)?;
            }
        }
        let number = |reg: Option<Reg>| reg.map_or(Some(0), |reg| self.number[reg.0 as usize]);
        let mut from = [0; 3];
        for (from, arg) in from.iter_mut().zip(instr.from) {
            *from = number(arg.and_then(Arg::reg))?;
        }
        let by = number(instr.by)?;
        let its = number(instr.onto)?;
        let Some(set) = instr.sets() else {
            self.end_uses(reads, at);
            self.code.push(Placed { instr: *instr, to: 0, from, by });
            return Some(());
        };
        let to = match instr.onto {
            Some(old) => {
                self.end_uses(&[old], at);
                let ends = !self.is_read(old);
                let to = if ends {
                    self.hold(set, its);
                    its
                } else {
                    // What is read must not lie where the result is made.
                    let to = self.take(set, reads, at + 1)?;
                    self.copy(set, its, to);
                    to
                };
                self.end_uses(reads, at);
                to
            }
            None => {
                self.end_uses(reads, at);
                self.take(set, &[], at + 1)?
            }
        };
        if !self.is_read(set) {
            self.release(set);
        }
        self.code.push(Placed { instr: *instr, to, from, by });
        self.end_uses(lies.as_slice(), at);
        Some(())
    }

    /// An instruction that reads a register's content where it lies in memory, if it is in no register, and would be the first to leave it
    /// again.
    fn in_memory(&self, instr: &Instr, reg: Reg, kept: &[Reg], at: u32) -> Option<Instr> {
        let index = reg.0 as usize;
        if self.number[index].is_some() || self.body.kinds[index] != Kind::Vector {
            return None;
        }
        let vectors = &self.vectors[..usize::from(self.body.machine.vectors)];
        // A register that holds nothing is free.
        let stays_longer = |held: &Option<Reg>, then: u32| {
            held.is_some_and(|held| {
                kept.contains(&held) || self.next_use(held).is_some_and(|next| next <= then)
            })
        };
        let is_first =
            self.use_after(reg, at).is_none_or(|then| vectors.iter().all(|held| stays_longer(held, then)));
        let stacked = self.slot[index].map(|slot| Memory::fixed(Base::Slot(slot)));
        let memory = self.body.homes[index].or(stacked).filter(|_| is_first)?;
        with_operand(instr, reg, memory)
    }

    /// Where a register is read for the first time after a place.
    fn use_after(&self, reg: Reg, at: u32) -> Option<u32> {
        let mut next = self.next[reg.0 as usize];
        loop {
            let (place, then) = self.uses.get(next as usize)?;
            if *place > at {
                return Some(*place);
            }
            next = *then;
        }
    }

    /// Forgets uses up to here, and the registers that have no more.
    fn end_uses(&mut self, regs: &[Reg], at: u32) {
        for reg in regs {
            while let Some((next, then)) = self.uses.get(self.next[reg.0 as usize] as usize)
                && *next <= at
            {
                self.next[reg.0 as usize] = *then;
            }
            if !self.is_read(*reg) {
                self.release(*reg);
            }
        }
    }

    pub(super) fn release(&mut self, reg: Reg) {
        if let Some(number) = self.number[reg.0 as usize].take() {
            let holds = self.holds(self.body.kinds[reg.0 as usize]);
            if holds[usize::from(number)] == Some(reg) {
                holds[usize::from(number)] = None;
            }
        }
        if let Some(slot) = self.slot[reg.0 as usize].take()
            && !self.kept_slots.contains(&slot)
        {
            self.free_slots.push(slot);
        }
    }

    fn holds(&mut self, kind: Kind) -> &mut [Option<Reg>] {
        match kind {
            Kind::Vector => &mut self.vectors[..usize::from(self.body.machine.vectors)],
            Kind::Mask => &mut self.masks,
        }
    }

    pub(super) fn hold(&mut self, reg: Reg, number: u8) {
        let kind = self.body.kinds[reg.0 as usize];
        self.holds(kind)[usize::from(number)] = Some(reg);
        self.number[reg.0 as usize] = Some(number);
    }

    /// A number for a register, but none of those that are to be kept, or that are read before an instruction.
    fn take(&mut self, reg: Reg, kept: &[Reg], before: u32) -> Option<u8> {
        let kind = self.body.kinds[reg.0 as usize];
        // The first mask register cannot choose lanes.
        let first = usize::from(kind == Kind::Mask);
        let wished = self.wished[reg.0 as usize];
        let holds = self.holds(kind);
        if let Some(wished) = wished.filter(|number| holds[usize::from(*number)].is_none()) {
            self.hold(reg, wished);
            return Some(wished);
        }
        if let Some(free) = (first..holds.len()).find(|number| holds[*number].is_none()) {
            self.hold(reg, free as u8);
            return Some(free as u8);
        }
        let holds: Vec<(usize, Reg)> =
            (first..holds.len()).filter_map(|number| Some((number, holds[number]?))).collect();
        let next = |reg: Reg| self.next_use(reg).unwrap_or(NEVER);
        let candidates = holds.into_iter().filter(|(_, held)| !kept.contains(held) && next(*held) >= before);
        // What can be loaded again costs no store.
        let cost = |held: Reg| u32::from(self.body.homes[held.0 as usize].is_some());
        let furthest = candidates.max_by_key(|(_, held)| (next(*held), cost(*held)));
        let (number, evicted) = furthest?;
        self.spill(evicted, number as u8);
        self.hold(reg, number as u8);
        Some(number as u8)
    }

    fn spill(&mut self, reg: Reg, number: u8) {
        let index = reg.0 as usize;
        self.number[index] = None;
        if self.body.homes[index].is_some() || self.slot[index].is_some() {
            return;
        }
        let slot = self.free_slots.pop().unwrap_or_else(|| {
            self.slots += 1;
            self.slots - 1
        });
        self.slot[index] = Some(slot);
        self.store(reg, number, slot);
    }

    /// Stores what a number holds to a slot.
    pub(super) fn store(&mut self, reg: Reg, number: u8, slot: usize) {
        let code = match self.body.kinds[reg.0 as usize] {
            Kind::Vector => self.body.machine.store,
            Kind::Mask => Code::VEX_Kmovq_m64_kr,
        };
        let memory = Arg::Memory(Memory::fixed(Base::Slot(slot)));
        let from = [Some(memory), Some(Arg::Whole(reg)), None];
        let instr = Instr { code, to: None, onto: None, from, by: None, zeroes: false };
        self.code.push(Placed { instr, to: 0, from: [0, number, 0], by: 0 });
    }

    pub(super) fn reload(&mut self, reg: Reg, kept: &[Reg], at: u32) -> Option<()> {
        let index = reg.0 as usize;
        let stacked = self.slot[index].map(|slot| Memory::fixed(Base::Slot(slot)));
        let memory = self.body.homes[index].or(stacked)?;
        // What is read beside it by the same instruction stays, and so does what this instruction reads later.
        let to = self.take(reg, kept, at)?;
        self.load(reg, to, memory);
        Some(())
    }

    /// Loads a register's content into a number.
    pub(super) fn load(&mut self, reg: Reg, to: u8, memory: Memory) {
        let code = match self.body.kinds[reg.0 as usize] {
            Kind::Vector => self.body.machine.load,
            Kind::Mask => Code::VEX_Kmovq_kr_km64,
        };
        let instr = Instr {
            code,
            to: Some(Arg::Whole(reg)),
            onto: None,
            from: [Some(Arg::Memory(memory)), None, None],
            by: None,
            zeroes: false,
        };
        self.code.push(Placed { instr, to, from: [0; 3], by: 0 });
    }

    /// Copies what one number holds to another; both are of the register's kind.
    pub(super) fn copy(&mut self, reg: Reg, from: u8, to: u8) {
        let code = match self.body.kinds[reg.0 as usize] {
            Kind::Vector => self.body.machine.copy,
            Kind::Mask => Code::VEX_Kmovq_kr_km64,
        };
        let arg = Some(Arg::Whole(reg));
        let instr = Instr { code, to: arg, onto: None, from: [arg, None, None], by: None, zeroes: false };
        self.code.push(Placed { instr, to, from: [from, 0, 0], by: 0 });
    }
}
