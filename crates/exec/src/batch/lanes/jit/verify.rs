//! A judge of chosen registers, who does not know how they were chosen: he follows what every place holds.
//!
//! Prior art: regalloc2's symbolic checker. It walks the chosen code beside the code that it was made of, and knows for each
//! register and slot of the stack whose content lies there. An instruction must find in every operand what it names.

use crate::batch::lanes::jit::allocate::{Allocated, Placed, Turned};
use crate::batch::lanes::jit::fold::with_operand;
use crate::batch::lanes::jit::machine::{Arg, Base, Body, Carried, Instr, Kind, Memory, Reg};
use foldhash::{HashMap, HashSet};

/// Says what is wrong with the registers chosen for some instructions; the first slots of the stack were in use before.
pub(super) fn verify(body: &Body, instrs: &[Instr], slots: usize, chosen: &Allocated) -> Result<(), String> {
    State { reserved: slots, ..State::new(body) }.follow(instrs, chosen)
}

/// The same for a run that takes turns.
pub(super) fn verify_turns(body: &Body, slots: usize, chosen: &Turned) -> Result<(), String> {
    let Turned { enter, turn, asking, leave } = chosen;
    let turns = body.turns.as_ref().ok_or("there are no turns")?;
    let mut entered = State { reserved: slots, ..State::new(body) };
    entered.follow(&turns.enter, enter)?;
    // What holds before every turn but the first: less and less, until a turn leaves all of it.
    let mut holds = entered.clone().turn(body, turn, &entered)?;
    loop {
        let left = holds.clone().turn(body, turn, &entered)?;
        let mut asked = left.clone();
        asked.follow(&turns.asking, asking)?;
        if holds.is_part_of(&asked) {
            return holds.follow(&turns.leave, leave);
        }
        holds.keep(&asked);
    }
}

/// What lies where.
#[derive(Clone)]
struct State<'b> {
    body: &'b Body,
    vectors: [Option<Reg>; 32],
    masks: [Option<Reg>; 8],
    stack: HashMap<usize, Reg>,
    /// Slots that are not the allocator's.
    reserved: usize,
    /// Registers that were set, and those of them whose home has been written over since.
    set: HashSet<Reg>,
    stale: HashSet<Reg>,
    /// Registers that hold the same from the second turn on, each with one of them.
    alike: HashMap<Reg, Reg>,
}

impl<'b> State<'b> {
    fn new(body: &'b Body) -> State<'b> {
        State {
            body,
            vectors: [None; 32],
            masks: [None; 8],
            stack: HashMap::default(),
            reserved: 0,
            set: HashSet::default(),
            stale: HashSet::default(),
            alike: HashMap::default(),
        }
    }

    /// Follows the code chosen for some instructions.
    fn follow(&mut self, instrs: &[Instr], chosen: &Allocated) -> Result<(), String> {
        let mut wanted = instrs.iter();
        for (at, placed) in chosen.code.iter().enumerate() {
            let result = match wanted.as_slice().first() {
                Some(instr) if *instr == placed.instr => {
                    wanted.next();
                    self.own(placed)
                }
                Some(instr) if let Some((reg, memory)) = read_in_memory(instr, &placed.instr) => {
                    wanted.next();
                    self.must_lie(reg, memory).and_then(|()| self.own(placed))
                }
                _ => self.moved(placed),
            };
            result.map_err(|fault| format!("instruction {at}, {:?}: {fault}", placed.instr.code))?;
        }
        match wanted.next() {
            None => Ok(()),
            Some(left) => Err(format!("{:?} is missing", left.code)),
        }
    }

    /// Follows a turn.
    fn turn(mut self, body: &Body, chosen: &Allocated, entered: &State<'b>) -> Result<State<'b>, String> {
        self.follow(&body.instrs, chosen)?;
        let carried = body.turns.iter().flat_map(|turns| turns.carried.iter().copied()).collect::<Vec<_>>();
        Ok(self.next_turn(&carried, entered))
    }

    /// What the next turn begins with: what this one has left for it has the names that turns begin with, and nothing else is known.
    fn next_turn(&self, carried: &[Carried], entered: &State<'b>) -> State<'b> {
        let mut state = State { reserved: self.reserved, ..State::new(self.body) };
        let mut names: HashMap<Reg, Reg> = HashMap::default();
        for Carried { begins, ends } in carried {
            let first = *names.entry(self.named(*ends)).or_insert(*begins);
            state.alike.insert(*begins, first);
        }
        let name = |held: &Reg| names.get(&self.named(*held)).copied();
        state.vectors = self.vectors.map(|held| held.as_ref().and_then(name));
        state.stack = self.stack.iter().filter_map(|(slot, held)| Some((*slot, name(held)?))).collect();
        state.set = entered.set.iter().copied().chain(carried.iter().map(|pair| pair.begins)).collect();
        state.stale.clone_from(&self.stale);
        state
    }

    /// Whether a register holds what another one is known to.
    fn are_alike(&self, held: Reg, reg: Reg) -> bool {
        self.named(held) == self.named(reg)
    }

    /// The one of registers that hold the same.
    fn named(&self, reg: Reg) -> Reg {
        self.alike.get(&reg).copied().unwrap_or(reg)
    }

    /// All registers that are known to hold what one does.
    fn class(&self, reg: Reg) -> impl Iterator<Item = Reg> {
        let others = self.alike.keys().copied().filter(move |other| *other != reg);
        std::iter::once(reg).chain(others.filter(move |other| self.are_alike(*other, reg)))
    }

    /// Whether all that is known here holds there, too.
    fn is_part_of(&self, other: &State) -> bool {
        let holds = |here: Reg, there: Option<Reg>| {
            there.is_some_and(|there| self.class(here).all(|reg| other.are_alike(there, reg)))
        };
        let mut vectors = self.vectors.iter().zip(&other.vectors);
        vectors.all(|(here, there)| here.is_none_or(|here| holds(here, *there)))
            && self.stack.iter().all(|(slot, reg)| holds(*reg, other.stack.get(slot).copied()))
    }

    /// Forgets what does not hold there, too.
    fn keep(&mut self, other: &State) {
        let both = |here: Reg, there: Option<Reg>| {
            there.and_then(|there| self.class(here).find(|reg| other.are_alike(there, *reg)))
        };
        let vectors = self.vectors.iter().zip(&other.vectors);
        let vectors: Vec<_> = vectors.map(|(here, there)| here.and_then(|here| both(here, *there))).collect();
        let stack = self.stack.iter();
        let stack =
            stack.filter_map(|(slot, reg)| Some((*slot, both(*reg, other.stack.get(slot).copied())?)));
        let stack = stack.collect();
        // What is alike in one of the two alone is not.
        let mut names: HashMap<(Reg, Reg), Reg> = HashMap::default();
        let named = self.alike.keys().map(|reg| {
            let name = *names.entry((self.named(*reg), other.named(*reg))).or_insert(*reg);
            (*reg, name)
        });
        let alike = named.collect();
        self.vectors.copy_from_slice(&vectors);
        (self.stack, self.alike) = (stack, alike);
    }

    fn place(&mut self, kind: Kind, number: u8) -> Option<&mut Option<Reg>> {
        match kind {
            Kind::Vector if number >= self.body.machine.vectors => None,
            Kind::Vector => self.vectors.get_mut(usize::from(number)),
            Kind::Mask => self.masks.get_mut(usize::from(number)),
        }
    }

    fn must_hold(&mut self, reg: Reg, number: u8) -> Result<(), String> {
        let kind = self.body.kinds[reg.0 as usize];
        match self.place(kind, number).copied() {
            Some(Some(held)) if self.are_alike(held, reg) => Ok(()),
            Some(held) => Err(format!("{kind:?} {number} holds {held:?}, not {reg:?}")),
            None => Err(format!("there is no {kind:?} {number}")),
        }
    }

    /// Something in memory must be a register's content: on the stack or where it is at home.
    fn must_lie(&self, reg: Reg, memory: Memory) -> Result<(), String> {
        let stacked = match memory.base {
            Base::Slot(slot) if slot >= self.reserved => {
                self.stack.get(&slot).is_some_and(|held| self.are_alike(*held, reg))
            }
            _ => false,
        };
        let home = self.body.homes[reg.0 as usize] == Some(memory) && !self.stale.contains(&reg);
        if !stacked && !home {
            return Err(format!("{memory:?} does not hold {reg:?}"));
        }
        if !self.set.contains(&reg) {
            return Err(format!("{reg:?} is read before it is set"));
        }
        Ok(())
    }

    fn put(&mut self, reg: Reg, number: u8) -> Result<(), String> {
        let kind = self.body.kinds[reg.0 as usize];
        let place = self.place(kind, number).ok_or_else(|| format!("there is no {kind:?} {number}"))?;
        *place = Some(reg);
        self.set.insert(reg);
        Ok(())
    }

    /// One of the instructions that registers were chosen for.
    fn own(&mut self, placed: &Placed) -> Result<(), String> {
        let Placed { instr, to, from, by } = placed;
        for (arg, number) in instr.from.iter().zip(from) {
            if let Some(reg) = arg.and_then(Arg::reg) {
                self.must_hold(reg, *number)?;
            }
        }
        if let Some(mask) = instr.by {
            self.must_hold(mask, *by)?;
            if *by == 0 && self.body.kinds[mask.0 as usize] == Kind::Mask {
                return Err("mask 0 cannot choose lanes".to_string());
            }
        }
        if let Some(onto) = instr.onto {
            self.must_hold(onto, *to)?;
        }
        let Some(set) = instr.sets() else {
            let written = instr.from.iter().flatten().find_map(|arg| arg.memory());
            if let Some(memory) = written {
                self.write_over(memory);
            }
            return Ok(());
        };
        for (arg, number) in instr.from.iter().zip(from) {
            if let (Some(Arg::Gathered { .. }), Some(mask)) = (arg, instr.by) {
                let kind = self.body.kinds[mask.0 as usize];
                if number == to || kind == Kind::Vector && (by == to || by == number) {
                    return Err("a gather's registers are not apart".to_string());
                }
                // It leaves nothing of its mask.
                if let Some(held) = self.place(kind, *by) {
                    *held = None;
                }
            }
        }
        self.put(set, *to)
    }

    /// After a store: what could be loaded from there again no longer can.
    fn write_over(&mut self, memory: Memory) {
        let through_pointer = |memory: Memory| matches!(memory.base, Base::Pointer(..));
        let overlaps = |home: Memory| home == memory || through_pointer(home) && through_pointer(memory);
        let homes = &self.body.homes;
        let stale = self.set.iter().filter(|reg| homes[reg.0 as usize].is_some_and(overlaps));
        self.stale.extend(stale);
    }

    /// An instruction that the allocator added: to the stack, from there or from home, or from one register to another.
    fn moved(&mut self, placed: &Placed) -> Result<(), String> {
        let Placed { instr, to, from, .. } = placed;
        match (instr.to, instr.from) {
            (None, [Some(Arg::Memory(memory)), Some(Arg::Whole(reg)), None]) => {
                self.must_hold(reg, from[1])?;
                match memory.base {
                    Base::Slot(slot) if slot >= self.reserved && !memory.moves() => {
                        self.stack.insert(slot, reg);
                        Ok(())
                    }
                    _ => Err(format!("a spill to {memory:?}")),
                }
            }
            (Some(Arg::Whole(reg)), [Some(Arg::Memory(memory)), None, None]) => {
                self.must_lie(reg, memory)?;
                self.put(reg, *to)
            }
            (Some(Arg::Whole(set)), [Some(Arg::Whole(_)), None, None]) => {
                // The result is made where the copy lies; what it is made of stays where it was.
                let kind = self.body.kinds[set.0 as usize];
                let copied = self.place(kind, from[0]).and_then(|held| *held);
                let reg = copied.ok_or_else(|| format!("{kind:?} {} holds nothing", from[0]))?;
                self.put(reg, *to)
            }
            _ => Err("nothing that was asked for".to_string()),
        }
    }
}

/// The register that an instruction reads in memory, in place of one that was wanted, and where; none if that is another instruction.
fn read_in_memory(wanted: &Instr, instr: &Instr) -> Option<(Reg, Memory)> {
    let memory = instr.args().find_map(|arg| arg.memory())?;
    let reg = wanted.reads().find(|reg| with_operand(wanted, *reg, memory).as_ref() == Some(instr))?;
    Some((reg, memory))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::lanes::jit::allocate::allocate;
    use crate::batch::lanes::jit::machine::Step;
    use crate::batch::lanes::jit::target::AVX512;
    use iced_x86::Code;

    /// As many loads as there are not registers for, and a sum of all.
    fn body() -> Body {
        let mut body = Body::new(&AVX512);
        let instr = |code, to, from| Instr { code, to, onto: None, from, by: None, zeroes: false };
        let loaded: Vec<Reg> = (0..40)
            .map(|k| {
                let reg = body.reg(Kind::Vector);
                let memory = Memory { base: Base::Lines(k * 64), step: Step::Vectors(1) };
                let from = [Some(Arg::Memory(memory)), None, None];
                body.instrs.push(instr(Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512, Some(Arg::Whole(reg)), from));
                reg
            })
            .collect();
        let sum = loaded[1..].iter().fold(loaded[0], |sum, reg| {
            let next = body.reg(Kind::Vector);
            let from = [Some(Arg::Whole(sum)), Some(Arg::Whole(*reg)), None];
            let code = Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32;
            body.instrs.push(instr(code, Some(Arg::Whole(next)), from));
            next
        });
        let memory = Memory { base: Base::Lines(0), step: Step::Vectors(1) };
        let from = [Some(Arg::Memory(memory)), Some(Arg::Whole(sum)), None];
        body.instrs.push(instr(Code::EVEX_Vmovdqu64_zmmm512_k1z_zmm, None, from));
        body
    }

    #[test]
    fn what_was_chosen_holds_and_no_other_register_or_slot_does() {
        let body = body();
        let chosen = || allocate(&body, &body.instrs, 3).expect("registers");
        assert_eq!(verify(&body, &body.instrs, 3, &chosen()), Ok(()));
        assert!(chosen().slots > 3, "nothing was spilled");
        let (mut wrong, mut moved) = (0, 0);
        for at in 0..chosen().code.len() {
            let instr = chosen().code[at].instr;
            for k in 0..3 {
                if instr.from[k].and_then(Arg::reg).is_some() {
                    let mut other = chosen();
                    other.code[at].from[k] ^= 1;
                    assert!(verify(&body, &body.instrs, 3, &other).is_err(), "instruction {at}, operand {k}");
                    wrong += 1;
                }
            }
            // A spill, a reload, or an operand that is read where it lies.
            for k in 0..3 {
                let Some(Arg::Memory(Memory { base: Base::Slot(slot), .. })) = instr.from[k] else {
                    continue;
                };
                for wrong in [slot + 1, 0] {
                    let mut other = chosen();
                    other.code[at].instr.from[k] = Some(Arg::Memory(Memory::fixed(Base::Slot(wrong))));
                    assert!(verify(&body, &body.instrs, 3, &other).is_err(), "instruction {at}");
                }
                moved += 1;
            }
        }
        assert!(wrong > 70 && moved > 8, "{wrong} operands, {moved} slots");
        let mut short = chosen();
        short.code.pop();
        assert!(verify(&body, &body.instrs, 3, &short).is_err());
    }

    #[test]
    fn a_home_that_was_written_over_is_no_home() {
        let mut body = body();
        for k in 0..40 {
            body.homes[k] = Some(Memory { base: Base::Lines(k as i32 * 64), step: Step::Vectors(1) });
        }
        let chosen = allocate(&body, &body.instrs, 0).expect("registers");
        assert_eq!(verify(&body, &body.instrs, 0, &chosen), Ok(()));
        assert_eq!(chosen.slots, 0, "homes are for nothing");
        let over = Some(Arg::Memory(Memory { base: Base::Lines(35 * 64), step: Step::Vectors(1) }));
        let store = body.instrs[body.instrs.len() - 1];
        body.instrs.insert(40, Instr { from: [over, Some(Arg::Whole(Reg(39))), None], ..store });
        let chosen = allocate(&body, &body.instrs, 0).expect("registers");
        let fault = verify(&body, &body.instrs, 0, &chosen).expect_err("a home that is stale");
        assert!(fault.contains("does not hold Reg(35)"), "{fault}");
    }
}
