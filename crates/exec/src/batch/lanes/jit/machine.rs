//! Machine instructions before registers are chosen.

use crate::batch::lanes::jit::exchange::Choices;
use crate::batch::lanes::jit::target::Machine;
use iced_x86::Code;
use margay_isa::uop::float::Rounding;

/// A register that there are as many of as are wanted, set once.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Reg(pub(super) u32);

/// What a register holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// As many bytes as the machine has.
    Vector,
    /// A bit for each lane.
    Mask,
}

/// Where an operand in memory lies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Base {
    /// In the lines, so many bytes from their start.
    Lines(i32),
    /// Where a pointer of the caller's points to, so many bytes from there: its number.
    Pointer(usize, i32),
    /// Among the constants: its number.
    Constant(usize),
    /// In a slot of the stack.
    Slot(usize),
}

/// How an operand in memory moves on from group to group of threads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Step {
    /// By so many vectors: none, 1, 2, 4 or 8.
    Vectors(u8),
    /// By what a table says for each group: its number, and the group in a round.
    Table(usize, u8),
}

/// An operand in memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Memory {
    pub(super) base: Base,
    pub(super) step: Step,
}

impl Memory {
    /// An operand that is the same for all groups.
    pub(super) fn fixed(base: Base) -> Memory {
        Memory { base, step: Step::Vectors(0) }
    }

    /// The pointer behind which it lies.
    pub(super) fn pointer(self) -> Option<usize> {
        match self.base {
            Base::Pointer(pointer, _) => Some(pointer),
            Base::Lines(_) | Base::Constant(_) | Base::Slot(_) => None,
        }
    }

    /// Whether it moves.
    pub(super) fn moves(self) -> bool {
        self.step != Step::Vectors(0)
    }
}

/// An operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Arg {
    /// All of a register.
    Whole(Reg),
    /// The lower half of a vector.
    Lower(Reg),
    Memory(Memory),
    /// An element in memory, for all lanes.
    Element(Memory),
    /// Elements in memory, each as far from there as a register says; whether its lower half says it all.
    Gathered {
        memory: Memory,
        by: Reg,
        lower: bool,
    },
    /// What the lanes of a register get when those of a warp exchange its values: the number of the choices.
    Exchanged {
        reg: Reg,
        choices: usize,
    },
    /// A mask of which it is of no concern what it holds.
    AnyMask,
    Number(u8),
    /// How the instruction rounds, if not to the nearest: never to odd. Such an instruction reads no memory.
    Rounding(Rounding),
}

impl Arg {
    pub(super) fn reg(self) -> Option<Reg> {
        match self {
            Arg::Whole(reg)
            | Arg::Lower(reg)
            | Arg::Gathered { by: reg, .. }
            | Arg::Exchanged { reg, .. } => Some(reg),
            Arg::Memory(_) | Arg::Element(_) | Arg::AnyMask | Arg::Number(_) | Arg::Rounding(_) => None,
        }
    }

    pub(super) fn memory(self) -> Option<Memory> {
        match self {
            Arg::Memory(memory) | Arg::Element(memory) | Arg::Gathered { memory, .. } => Some(memory),
            Arg::Whole(_)
            | Arg::Lower(_)
            | Arg::Exchanged { .. }
            | Arg::AnyMask
            | Arg::Number(_)
            | Arg::Rounding(_) => None,
        }
    }

    /// Whether it lies elsewhere in memory for another group.
    pub(super) fn moves(self) -> bool {
        self.memory().is_some_and(Memory::moves)
    }
}

/// A machine instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Instr {
    pub(super) code: Code,
    /// What it sets; none if it writes to memory.
    pub(super) to: Option<Arg>,
    /// A register whose old content the result is made from, and whose place the result takes.
    pub(super) onto: Option<Reg>,
    /// Its other operands, in the order in which they are encoded.
    pub(super) from: [Option<Arg>; 3],
    /// The mask of the lanes that it sets, or chooses from its last operand.
    pub(super) by: Option<Reg>,
    /// Whether the other lanes become 0.
    pub(super) zeroes: bool,
}

impl Instr {
    /// The operands in `from`.
    pub(super) fn args(&self) -> impl Iterator<Item = &Arg> {
        self.from.iter().flatten()
    }

    /// The registers that it reads.
    pub(super) fn reads(&self) -> impl Iterator<Item = Reg> {
        self.args().filter_map(|arg| arg.reg()).chain(self.onto).chain(self.by)
    }

    /// Whether it asks if any lane goes round again.
    pub(super) fn asks_again(&self) -> bool {
        matches!(self.code, Code::VEX_Kortestw_kr_kr | Code::VEX_Vptest_ymm_ymmm256)
    }

    /// The register that it sets.
    pub(super) fn sets(&self) -> Option<Reg> {
        self.to.as_ref().and_then(|arg| arg.reg())
    }
}

/// A run of operations as machine instructions.
pub(super) struct Body {
    pub(super) machine: &'static Machine,
    /// What is done once, before the first group.
    pub(super) before: Vec<Instr>,
    pub(super) instrs: Vec<Instr>,
    /// What each register holds.
    pub(super) kinds: Vec<Kind>,
    /// Where a register's content can be loaded from again while it is used. Where that is the kernel's memory, a race may show.
    pub(super) homes: Vec<Option<Memory>>,
    /// Lines of constants; shorter vectors have the beginning.
    pub(super) constants: Vec<[u32; 16]>,
    /// Which pointers the caller gives.
    pub(super) pointers: Vec<Pointer>,
    /// How far operands in memory lie from their pointers, group by group.
    pub(super) tables: Vec<Vec<i64>>,
    /// How the lanes of warps exchange values.
    pub(super) choices: Vec<Choices>,
    /// What is done around the turns that each round takes, if it takes several.
    pub(super) turns: Option<Turns>,
}

/// What a run that takes many turns does around those of each round; its instructions are one turn.
#[derive(Default)]
pub(super) struct Turns {
    /// Loads before the first turn.
    pub(super) enter: Vec<Instr>,
    /// What goes from turn to turn.
    pub(super) carried: Vec<Carried>,
    /// What is done between turns to see whether any lane goes round again; none if turns are only counted. It reads registers that turns
    /// begin with, and so does the next.
    pub(super) asking: Vec<Instr>,
    /// What is done after the last turn.
    pub(super) leave: Vec<Instr>,
}

/// A value that goes from turn to turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Carried {
    /// The register that a turn begins with.
    pub(super) begins: Reg,
    /// The one whose content the next turn begins with; the same one for what never changes.
    pub(super) ends: Reg,
}

/// A pointer that the caller gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pointer {
    /// To a value that memory may lend: the first line of its place.
    Lent(u32),
    /// To where a result goes that may be written to memory: the first line of its place.
    Aimed(u32),
    /// To the first thread's first element of a load: its number.
    Load(usize),
}

impl Body {
    pub(super) fn new(machine: &'static Machine) -> Body {
        Body {
            machine,
            before: Vec::new(),
            instrs: Vec::new(),
            kinds: Vec::new(),
            homes: Vec::new(),
            constants: Vec::new(),
            pointers: Vec::new(),
            tables: Vec::new(),
            choices: Vec::new(),
            turns: None,
        }
    }

    pub(super) fn reg(&mut self, kind: Kind) -> Reg {
        self.kinds.push(kind);
        self.homes.push(None);
        Reg(self.kinds.len() as u32 - 1)
    }

    pub(super) fn pointer(&mut self, pointer: Pointer) -> usize {
        self.pointers.iter().position(|known| *known == pointer).unwrap_or_else(|| {
            self.pointers.push(pointer);
            self.pointers.len() - 1
        })
    }

    /// A line of constants, as an operand.
    pub(super) fn constant(&mut self, line: [u32; 16]) -> Memory {
        let known = self.constants.iter().position(|known| *known == line);
        let number = known.unwrap_or_else(|| {
            self.constants.push(line);
            self.constants.len() - 1
        });
        Memory::fixed(Base::Constant(number))
    }

    /// Lines of constants one after another, as an operand that is the first of them.
    pub(super) fn block(&mut self, lines: &[[u32; 16]]) -> Memory {
        let known = self.constants.windows(lines.len()).position(|known| known == lines);
        let number = known.unwrap_or_else(|| {
            self.constants.extend(lines);
            self.constants.len() - lines.len()
        });
        Memory::fixed(Base::Constant(number))
    }

    /// The number of a table of distances, one for each group; equal tables are one.
    pub(super) fn table(&mut self, distances: &[i64]) -> usize {
        let known = self.tables.iter().position(|known| known == distances);
        known.unwrap_or_else(|| {
            self.tables.push(distances.to_vec());
            self.tables.len() - 1
        })
    }

    /// The number of choices; equal ones are one.
    pub(super) fn choices(&mut self, choices: &Choices) -> usize {
        self.choices.iter().position(|known| known == choices).unwrap_or_else(|| {
            self.choices.push(*choices);
            self.choices.len() - 1
        })
    }

    /// The line of constants that a register holds, if it does.
    pub(super) fn line_of(&self, reg: Reg) -> Option<&[u32; 16]> {
        match self.homes[reg.0 as usize]?.base {
            Base::Constant(number) => self.constants.get(number),
            _ => None,
        }
    }

    /// Whether all is done again while some lanes go round.
    pub(super) fn is_self_loop(&self) -> bool {
        self.turns.as_ref().is_some_and(|turns| !turns.asking.is_empty())
    }

    /// Whether an operand lies where a load of the kernel finds its elements.
    pub(super) fn is_element(&self, memory: Memory) -> bool {
        matches!(memory.base, Base::Pointer(k, _) if matches!(self.pointers[k], Pointer::Load(_)))
    }

    /// The registers that are read after a turn, by what is done then or by the next turn.
    pub(super) fn read_after_turn(&self) -> impl Iterator<Item = Reg> {
        self.turns.iter().flat_map(|turns| turns.carried.iter().map(|carried| carried.ends))
    }

    /// Leaves out what sets registers that nothing reads.
    pub(super) fn drop_unused(&mut self) {
        let mut used = vec![false; self.kinds.len()];
        let (mut enter, mut carried) = (Vec::new(), Vec::new());
        if let Some(turns) = &mut self.turns {
            (enter, carried) = (std::mem::take(&mut turns.enter), std::mem::take(&mut turns.carried));
            keep(&mut turns.leave, &mut used);
            keep(&mut turns.asking, &mut used);
        }
        // What a turn leaves for the next one is needed where that needs it.
        let mut known = 0;
        while !carried.is_empty() {
            for Carried { begins, ends } in &carried {
                used[ends.0 as usize] |= used[begins.0 as usize];
            }
            mark(&self.instrs, &mut used);
            let now = used.iter().filter(|used| **used).count();
            if now == std::mem::replace(&mut known, now) {
                break;
            }
        }
        keep(&mut self.instrs, &mut used);
        keep(&mut self.before, &mut used);
        carried.retain(|carried| used[carried.begins.0 as usize]);
        keep(&mut enter, &mut used);
        if let Some(turns) = &mut self.turns {
            (turns.enter, turns.carried) = (enter, carried);
        }
    }
}

/// Marks what instructions read that write to memory or set what is marked.
fn mark(instrs: &[Instr], used: &mut [bool]) {
    for instr in instrs.iter().rev() {
        if instr.sets().is_none_or(|reg| used[reg.0 as usize]) {
            instr.reads().for_each(|reg| used[reg.0 as usize] = true);
        }
    }
}

/// The same, and leaves out the other instructions.
fn keep(instrs: &mut Vec<Instr>, used: &mut [bool]) {
    mark(instrs, used);
    instrs.retain(|instr| instr.sets().is_none_or(|reg| used[reg.0 as usize]));
}
