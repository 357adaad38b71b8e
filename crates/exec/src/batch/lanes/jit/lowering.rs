//! What a run becomes, as far as it has come: the values that places hold, in registers, and the instructions that made them.

use crate::batch::lanes::jit::exchange::Choices;
use crate::batch::lanes::jit::machine::{Arg, Base, Body, Instr, Kind, Memory, Pointer, Reg, Step};
use crate::batch::lanes::jit::pattern::{Groups, Pattern};
use crate::batch::lanes::jit::target::Machine;
use crate::batch::lanes::{FusedStore, Item, Line, Place};
use foldhash::{HashMap, HashSet};
use iced_x86::{Code, OpCodeOperandKind};
use margay_isa::uop::Type;

/// A predicate: a mask for all lanes of a group, or one for each half of them.
#[derive(Clone, Copy)]
pub(super) enum Predicate {
    Whole(Reg),
    Halves([Reg; 2]),
}

/// A value of a group of threads.
#[derive(Clone, Copy)]
pub(super) enum Value {
    Pred(Predicate),
    U32(Reg),
    /// The first eight threads', and the others'.
    U64([Reg; 2]),
}

/// A sum of products: two that grow in turn, so that one need not wait for the other, and what is taken away at the end.
#[derive(Clone, Copy)]
pub(super) struct Chain {
    /// The one that grows next, and the other.
    pub(super) sums: [Reg; 2],
    pub(super) less: Reg,
}

/// A run of operations, and what else must be known of it.
pub(super) struct Run<'a> {
    pub(super) items: &'a [Item],
    /// The constants at places that are the same in all threads, by their lines.
    pub(super) constants: &'a HashMap<u32, u64>,
    /// Where the threads' elements of each load lie.
    pub(super) patterns: &'a [Pattern],
    /// The first line of a mask that holds in all lanes, if there is one.
    pub(super) full: Option<u32>,
    /// The predicate of the threads for which all is done again, if it is.
    pub(super) again: Option<Place>,
    /// What is stored meanwhile.
    pub(super) stores: &'a [FusedStore],
    /// Whether each round of groups takes as many turns as the caller says.
    pub(super) turns: bool,
    /// Whether the threads are a multiple of the groups that a long round has, and not only of those of a unit.
    pub(super) long_rounds: bool,
    pub(super) machine: &'static Machine,
}

impl<'a> Run<'a> {
    /// One that is carried out once, for whatever threads run, and loads nothing from the kernel's memory.
    pub(super) fn new(
        items: &'a [Item],
        constants: &'a HashMap<u32, u64>,
        machine: &'static Machine,
    ) -> Run<'a> {
        Run {
            items,
            constants,
            patterns: &[],
            full: None,
            again: None,
            stores: &[],
            turns: false,
            long_rounds: false,
            machine,
        }
    }
}

impl Run<'_> {
    /// Whether each round of groups takes turns, as many as the caller says or as lanes go round.
    pub(super) fn takes_turns(&self) -> bool {
        self.turns || self.again.is_some()
    }
}

/// What a run becomes, as far as it has come.
pub(super) struct Lowering<'a> {
    pub(super) run: &'a Run<'a>,
    pub(super) body: Body,
    /// What places hold, by their first lines.
    pub(super) values: HashMap<u32, Value>,
    /// How often each place is read before something is written there.
    fresh_reads: HashMap<u32, u32>,
    /// What comparisons may look into: the operands of conjunctions, and the value of one that is a constant.
    pub(super) ands: HashMap<Reg, (Reg, Reg, Option<u64>)>,
    /// What conjunctions may look into: the masks of packed comparisons, and the code that keeps what a mask says.
    pub(super) spreads: HashMap<Reg, (Reg, Code)>,
    /// Sums of products, and what they are made of.
    pub(super) dots: HashMap<Reg, Chain>,
    /// The bytes of even and of odd places as half-words, with or without sign.
    pub(super) half_words: HashMap<(Reg, bool), [Reg; 2]>,
    /// Floating-point results with PTX's NaN, and what they were made of.
    pub(super) raws: HashMap<Reg, Reg>,
    /// Those of them that may hold a NaN that signals.
    pub(super) signalling: HashSet<Reg>,
    /// Numbers of half precision with PTX's NaN, the packed numbers that they were made of, and where those are NaNs.
    pub(super) halves: HashMap<Reg, [Reg; 2]>,
    /// Numbers of `.f32` from 0 to 1.
    pub(super) saturated: HashSet<Reg>,
    /// Masks that have been made of two halves, and second halves of masks.
    joined: HashMap<[Reg; 2], Reg>,
    seconds: HashMap<Reg, Reg>,
    pub(super) lines: HashMap<Memory, Reg>,
    /// The registers whose content can be loaded again from somewhere.
    homed: HashMap<Option<Memory>, Vec<Reg>>,
    /// What turns carry, if there are any.
    pub(super) turns: Option<Around>,
}

/// What is known of turns while one is selected.
pub(super) struct Around {
    /// The lines of places that hold floating-point results at the end of a turn: turns begin with any NaN there.
    pub(super) raw: HashSet<u32>,
    /// The lines of such places that turns begin with, and their content with PTX's NaN.
    pub(super) canonical: Vec<(u32, Reg)>,
    /// What was loaded of the places that are read before they are written, in order.
    pub(super) entered: Vec<(Place, Vec<Reg>)>,
    pub(super) enter: Vec<Instr>,
}

impl Around {
    pub(super) fn new(raw: HashSet<u32>) -> Around {
        Around { raw, canonical: Vec::new(), entered: Vec::new(), enter: Vec::new() }
    }
}

/// What tells an operand in memory from others that it cannot overlap; all behind pointers may be the same.
fn home_key(memory: Memory) -> Option<Memory> {
    match memory.base {
        Base::Pointer(..) => None,
        Base::Lines(_) | Base::Constant(_) | Base::Slot(_) => Some(memory),
    }
}

impl<'a> Lowering<'a> {
    /// Nothing yet, of a run that reads each place so often before something is written there. Some places are known to be floating-point
    /// results at the end of a turn.
    pub(super) fn new(run: &'a Run<'a>, fresh_reads: HashMap<u32, u32>, raw: HashSet<u32>) -> Lowering<'a> {
        Lowering {
            run,
            body: Body::new(run.machine),
            values: HashMap::default(),
            fresh_reads,
            ands: HashMap::default(),
            spreads: HashMap::default(),
            dots: HashMap::default(),
            half_words: HashMap::default(),
            raws: HashMap::default(),
            signalling: HashSet::default(),
            halves: HashMap::default(),
            saturated: HashSet::default(),
            joined: HashMap::default(),
            seconds: HashMap::default(),
            lines: HashMap::default(),
            homed: HashMap::default(),
            turns: run.takes_turns().then(|| Around::new(raw)),
        }
    }
}

impl Lowering<'_> {
    /// The constant at a place, if there is one.
    pub(super) fn constant(&self, place: Place) -> Option<u64> {
        if place.step() > 0 { None } else { self.run.constants.get(&place.line).copied() }
    }

    /// Where in memory a place's value is for a group: all of it, or the half with this number.
    pub(super) fn memory(&mut self, place: Place, half: usize, written: bool) -> Memory {
        let step = place.step() as u8;
        // The halves of a value that is the same in all threads are alike.
        let half = if step == 0 { 0 } else { half };
        let base = if place.is_lent() {
            let pointer = if written { Pointer::Aimed(place.line) } else { Pointer::Lent(place.line) };
            Base::Pointer(self.body.pointer(pointer), (half * self.body.machine.bytes) as i32)
        } else {
            Base::Lines((place.line as usize * size_of::<Line>() + half * self.body.machine.bytes) as i32)
        };
        Memory { base, step: Step::Vectors(step) }
    }

    pub(super) fn load(&mut self, memory: Memory) -> Reg {
        let reg = self.emit(Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512, &[Arg::Memory(memory)]);
        self.body.homes[reg.0 as usize] = Some(memory);
        self.homed.entry(home_key(memory)).or_default().push(reg);
        reg
    }

    /// The value at a place.
    pub(super) fn value(&mut self, ty: Type, place: Place) -> Value {
        match ty {
            Type::Pred => Value::Pred(self.predicate(place)),
            Type::U32 => Value::U32(self.word(place)),
            Type::U64 => Value::U64(self.wide(place)),
        }
    }

    /// The 32-bit values at a place.
    pub(super) fn word(&mut self, place: Place) -> Reg {
        match self.values.get(&place.line).copied() {
            Some(Value::U32(reg)) => reg,
            Some(Value::Pred(predicate)) => {
                let mask = self.whole(predicate);
                self.emit(Code::EVEX_Vpmovm2d_zmm_kr, &[Arg::Whole(mask)])
            }
            Some(Value::U64([reg, _])) => reg,
            None => {
                let memory = self.memory(place, 0, false);
                let reg = self.entered(place, [memory].to_vec())[0];
                self.values.insert(place.line, Value::U32(reg));
                reg
            }
        }
    }

    /// The same as an operand: in memory where it is read but once.
    pub(super) fn word_arg(&mut self, place: Place) -> Arg {
        let once = self.turns.is_none()
            && self.fresh_reads.get(&place.line) == Some(&1)
            && !self.values.contains_key(&place.line);
        if once { Arg::Memory(self.memory(place, 0, false)) } else { Arg::Whole(self.word(place)) }
    }

    /// The 32-bit values at a place, as the lanes of warps exchange them.
    pub(super) fn exchanged(&mut self, choices: &Choices, from: Place) -> Value {
        let (reg, choices) = (self.word(from), self.body.choices(choices));
        let arg = Arg::Exchanged { reg, choices };
        Value::U32(self.emit(Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512, &[arg]))
    }

    /// The 64-bit values at a place.
    pub(super) fn wide(&mut self, place: Place) -> [Reg; 2] {
        match self.values.get(&place.line).copied() {
            Some(Value::U64(halves)) => halves,
            Some(Value::U32(reg)) => [reg; 2],
            Some(Value::Pred(_)) => [self.word(place); 2],
            None => {
                let halves: &[usize] = if place.step() == 0 { &[0] } else { &[0, 1] };
                let memories = halves.iter().map(|half| self.memory(place, *half, false)).collect();
                let regs = self.entered(place, memories);
                let halves = [regs[0], regs[regs.len() - 1]];
                self.values.insert(place.line, Value::U64(halves));
                halves
            }
        }
    }

    /// The predicates at a place.
    pub(super) fn predicate(&mut self, place: Place) -> Predicate {
        if let Some(Value::Pred(predicate)) = self.values.get(&place.line) {
            return *predicate;
        }
        let lines = self.word(place);
        let predicate = Predicate::Whole(self.emit(Code::EVEX_Vpmovd2m_kr_zmm, &[Arg::Whole(lines)]));
        self.values.insert(place.line, Value::Pred(predicate));
        predicate
    }

    /// A mask for all lanes.
    pub(super) fn whole(&mut self, predicate: Predicate) -> Reg {
        let halves = match predicate {
            Predicate::Whole(mask) => return mask,
            Predicate::Halves(halves) => halves,
        };
        if let Some(mask) = self.joined.get(&halves) {
            return *mask;
        }
        let [low, high] = halves.map(Arg::Whole);
        let mask = self.emit(Code::VEX_Kunpckbw_kr_kr_kr, &[high, low]);
        self.joined.insert(halves, mask);
        mask
    }

    /// A mask for each half of the lanes.
    pub(super) fn halves(&mut self, predicate: Predicate) -> [Reg; 2] {
        let mask = match predicate {
            Predicate::Whole(mask) => mask,
            Predicate::Halves(halves) => return halves,
        };
        if let Some(second) = self.seconds.get(&mask) {
            return [mask, *second];
        }
        let second = self.emit(Code::VEX_Kshiftrw_kr_kr_imm8, &[Arg::Whole(mask), Arg::Number(8)]);
        self.seconds.insert(mask, second);
        [mask, second]
    }

    /// What lies at a place that nothing has been written to yet.
    fn entered(&mut self, place: Place, memories: Vec<Memory>) -> Vec<Reg> {
        match self.turns {
            None => memories.into_iter().map(|memory| self.load(memory)).collect(),
            Some(_) => self.begin_with(place, memories),
        }
    }

    pub(super) fn store(&mut self, place: Place) {
        let Some(value) = self.values.get(&place.line).copied() else { return };
        let halves = match value {
            Value::Pred(_) => vec![self.word(place)],
            Value::U32(reg) => vec![reg],
            Value::U64(halves) => halves.to_vec(),
        };
        for (half, reg) in halves.into_iter().enumerate() {
            let memory = self.memory(place, half, true);
            // What is overwritten cannot be loaded from there again; a pointer may point to these lines, or to the same as
            // another.
            let own = self.memory(Place { stride: place.own_stride(), ..place }, half, true);
            for key in [None, Some(memory), Some(own)] {
                for reg in self.homed.remove(&key).unwrap_or_default() {
                    self.body.homes[reg.0 as usize] = None;
                }
            }
            self.store_at(memory, reg);
        }
    }

    /// Stores a value where a pass finds elements; none if those of neighbours do not follow each other.
    pub(super) fn store_elements(&mut self, store: &FusedStore, pattern: &Pattern) -> Option<()> {
        if pattern.lane != i64::from(store.bytes) || !pattern.is_one_row(self.body.machine) {
            return None;
        }
        let regs = match self.value(store.ty(), store.from) {
            Value::U64(halves) => halves.to_vec(),
            Value::U32(reg) => vec![reg],
            Value::Pred(_) => vec![self.word(store.from)],
        };
        let step = self.step_of(pattern);
        let pointer = self.body.pointer(Pointer::Load(store.source));
        // It may be where others' content could be loaded from again.
        for reg in self.homed.remove(&None).unwrap_or_default() {
            self.body.homes[reg.0 as usize] = None;
        }
        for (half, reg) in regs.into_iter().enumerate() {
            let at = (half * self.body.machine.bytes) as i32;
            self.store_at(Memory { base: Base::Pointer(pointer, at), step }, reg);
        }
        Some(())
    }

    /// How elements move on from group to group.
    pub(super) fn step_of(&mut self, pattern: &Pattern) -> Step {
        match &pattern.groups {
            Groups::Vectors(vectors) => Step::Vectors(*vectors),
            Groups::Table(distances) => Step::Table(self.body.table(distances), 0),
        }
    }

    /// An instruction that stores a register.
    pub(super) fn store_at(&mut self, memory: Memory, reg: Reg) {
        let from = [Some(Arg::Memory(memory)), Some(Arg::Whole(reg)), None];
        let code = Code::EVEX_Vmovdqu64_zmmm512_k1z_zmm;
        self.body.instrs.push(Instr { code, to: None, onto: None, from, by: None, zeroes: false });
    }

    /// A line of constants, in a register.
    pub(super) fn line(&mut self, line: [u32; 16]) -> Reg {
        let memory = self.body.constant(line);
        match self.lines.get(&memory) {
            Some(reg) => *reg,
            None => {
                let reg = self.load(memory);
                self.lines.insert(memory, reg);
                reg
            }
        }
    }

    /// An instruction that sets a register of its own.
    pub(super) fn emit(&mut self, code: Code, from: &[Arg]) -> Reg {
        self.push(code, None, from, None)
    }

    /// An instruction whose result is made from what a register held.
    pub(super) fn onto(&mut self, code: Code, onto: Reg, from: &[Arg]) -> Reg {
        self.push(code, Some(onto), from, None)
    }

    /// An instruction that sets only the lanes of a mask; the others hold what a register held.
    pub(super) fn masked(&mut self, code: Code, onto: Reg, from: &[Arg], by: Reg) -> Reg {
        self.push(code, Some(onto), from, Some(by))
    }

    /// An instruction whose result is 0 in the lanes that a mask leaves out.
    pub(super) fn kept(&mut self, code: Code, from: &[Arg], by: Reg) -> Reg {
        let reg = self.push(code, None, from, Some(by));
        if let Some(instr) = self.body.instrs.last_mut() {
            instr.zeroes = true;
        }
        reg
    }

    /// An instruction that takes its lanes from two registers, by a mask.
    pub(super) fn blend(&mut self, code: Code, from: &[Arg], by: Reg) -> Reg {
        self.push(code, None, from, Some(by))
    }

    fn push(&mut self, code: Code, onto: Option<Reg>, from: &[Arg], by: Option<Reg>) -> Reg {
        let result = code.op_code().op0_kind();
        let kind = if result == OpCodeOperandKind::k_reg { Kind::Mask } else { Kind::Vector };
        let to = self.body.reg(kind);
        // Half a vector is named where the instruction takes or gives no more.
        let arg = match result {
            OpCodeOperandKind::ymm_reg | OpCodeOperandKind::ymm_or_mem => Arg::Lower(to),
            _ => Arg::Whole(to),
        };
        let mut args = [None; 3];
        args.iter_mut().zip(from).for_each(|(slot, arg)| *slot = Some(*arg));
        self.body.instrs.push(Instr { code, to: Some(arg), onto, from: args, by, zeroes: false });
        to
    }
}
