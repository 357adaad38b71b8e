//! Machine instructions before registers are chosen.

use iced_x86::Code;

/// A register that there are as many of as are wanted, set once.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Reg(pub(super) u32);

/// What a register holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// 64 bytes.
    Vector,
    /// A bit for each lane.
    Mask,
}

/// Where an operand in memory lies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Base {
    /// In the lines, so many bytes from their start.
    Lines(i32),
    /// In what a pointer of the caller's points to, so many bytes from there: its number.
    Pointer(usize, i32),
    /// Among the constants: its number.
    Constant(usize),
    /// In a slot of the stack.
    Slot(usize),
}

/// An operand in memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Memory {
    pub(super) base: Base,
    /// How many lines it moves on from one group of threads to the next.
    pub(super) step: u8,
}

/// An operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Arg {
    /// All of a register.
    Whole(Reg),
    /// The lower half of a vector.
    Lower(Reg),
    Memory(Memory),
    Number(u8),
}

impl Arg {
    pub(super) fn reg(self) -> Option<Reg> {
        match self {
            Arg::Whole(reg) | Arg::Lower(reg) => Some(reg),
            Arg::Memory(_) | Arg::Number(_) => None,
        }
    }
}

/// A machine instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Instr {
    pub(super) code: Code,
    /// What it sets; none if it writes to memory.
    pub(super) to: Option<Arg>,
    /// A register whose old content the result is made from, and whose place the result takes.
    pub(super) onto: Option<Reg>,
    /// Its other operands, in the order in which they are encoded.
    pub(super) from: [Option<Arg>; 3],
    /// The mask of the lanes that it sets.
    pub(super) by: Option<Reg>,
    /// Whether the other lanes become 0.
    pub(super) zeroes: bool,
}

impl Instr {
    /// The registers that it reads.
    pub(super) fn reads(&self) -> impl Iterator<Item = Reg> {
        self.from.into_iter().flatten().filter_map(Arg::reg).chain(self.onto).chain(self.by)
    }

    /// The register that it sets.
    pub(super) fn sets(&self) -> Option<Reg> {
        self.to.and_then(Arg::reg)
    }
}

/// A run of operations as machine instructions.
#[derive(Default)]
pub(super) struct Body {
    pub(super) instrs: Vec<Instr>,
    /// What each register holds.
    pub(super) kinds: Vec<Kind>,
    /// Where a register's content can be loaded from at any time while it is used.
    pub(super) homes: Vec<Option<Memory>>,
    /// Lines of constants.
    pub(super) constants: Vec<[u32; 16]>,
    /// Which pointers the caller gives.
    pub(super) pointers: Vec<Pointer>,
}

/// A pointer that the caller gives: where a value lies that may be in memory instead of its lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) struct Pointer {
    /// The first line of the value's place.
    pub(in super::super) line: u32,
    /// Whether it is the place of a result.
    pub(in super::super) written: bool,
}

impl Body {
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
        Memory { base: Base::Constant(number), step: 0 }
    }

    /// Leaves out what sets registers that nothing reads.
    pub(super) fn drop_unused(&mut self) {
        let mut used = vec![false; self.kinds.len()];
        let mut kept = Vec::with_capacity(self.instrs.len());
        for instr in self.instrs.drain(..).rev() {
            if instr.sets().is_none_or(|reg| used[reg.0 as usize]) {
                instr.reads().for_each(|reg| used[reg.0 as usize] = true);
                kept.push(instr);
            }
        }
        kept.reverse();
        self.instrs = kept;
    }
}
