//! Bytes of machine code: a loop over groups of threads around a run's instructions.

use crate::batch::lanes::jit::allocate::{Allocated, Placed};
use crate::batch::lanes::jit::machine::{Arg, Base, Body, Kind, Memory, Pointer, Reg, Step};
use crate::batch::lanes::jit::neon;
use crate::batch::lanes::jit::target::Encoding;
use iced_x86::{Code, Encoder, Instruction, OpKind, Register, RoundingControl};
use margay_isa::uop::float::Rounding;

/// Bytes of a line.
const LINE: i64 = 64;

/// What the System V calling convention passes: the caller's lines, the table of pointers, the first and the last byte of the
/// stretch, of which the third counts; and the first place in the tables of distances, or how many turns
/// a self-loop may take. Where rounds take turns, behind the pointers is how far each moves on from turn to turn, and how many turns there
/// are.
const LINES: Register = Register::RDI;
const POINTERS: Register = Register::RSI;
const AT: Register = Register::RDX;
const END: Register = Register::RCX;
const FIRST: Register = Register::R8;

/// For a pointer that has no register, and for a distance.
const POINTER: Register = Register::RAX;
const DISTANCE: Register = Register::R11;

/// How many more turns there are, or a self-loop may take.
const TURNS: Register = Register::RAX;

/// Where in the tables of distances the round is, and where the tables are.
const IN_TABLES: Register = Register::RBX;
const TABLES: [Register; 4] = [Register::R12, Register::R13, Register::R14, Register::R15];

/// Registers for pointers, where there are tables and where there are none.
const FEW: &[Register] = &[Register::R8, Register::R9, Register::R10, Register::RBP];
const MANY: &[Register] = &[
    Register::R8,
    Register::R9,
    Register::R10,
    Register::RBX,
    Register::RBP,
    Register::R12,
    Register::R13,
    Register::R14,
    Register::R15,
];

/// Registers that must be as they were for the caller.
const KEPT: [Register; 6] =
    [Register::RBX, Register::RBP, Register::R12, Register::R13, Register::R14, Register::R15];

/// Slots that the stack has room for.
const MOST_SLOTS: usize = 256;

/// One after another, functions and their constants.
pub(super) struct Text {
    encoder: Encoder,
    bytes: Vec<u8>,
    /// The pointer without a register of its own that lies in [`POINTER`].
    held: Option<usize>,
}

/// A function, before it is encoded.
pub(super) struct Function<'b> {
    pub(super) body: &'b Body,
    /// What is done once, before the first round.
    pub(super) before: &'b Allocated,
    /// A round, or a turn of one.
    pub(super) round: &'b Allocated,
    /// What is done around the turns of a round, if it takes several.
    pub(super) around: Option<&'b Around>,
    /// Groups of threads in a round.
    pub(super) groups: usize,
}

/// What is done before the turns of a round, between them and after them.
pub(super) struct Around {
    pub(super) enter: Allocated,
    pub(super) asking: Allocated,
    pub(super) leave: Allocated,
}

/// Where a function keeps what.
struct Layout<'b> {
    body: &'b Body,
    /// Where its constants begin.
    constants: i64,
    /// The registers of its pointers, as far as there are some.
    pointers: Vec<Option<Register>>,
    /// Where pointers and distances meet in a round, in registers.
    rows: Vec<(Row, Register)>,
}

/// A pointer, a table of distances, and the group in a round: where operands of that group lie.
type Row = (usize, usize, u8);

impl Layout<'_> {
    /// Whether pointers and rows have registers of their own.
    fn has_no_register_twice(&self) -> bool {
        let rows = self.rows.iter().map(|(_, register)| *register);
        let mut all: Vec<Register> = self.pointers.iter().flatten().copied().chain(rows).collect();
        let before = all.len();
        all.sort_unstable();
        all.dedup();
        all.len() == before
    }
}

impl Text {
    pub(super) fn new() -> Text {
        Text { encoder: Encoder::new(64), bytes: Vec::new(), held: None }
    }

    pub(super) fn bytes(self) -> Vec<u8> {
        self.bytes
    }

    fn align(&mut self) {
        let end = self.bytes.len().next_multiple_of(LINE as usize);
        self.bytes.resize(end, 0xcc);
    }

    /// Adds a function, and gives where it begins; none if it needs too many tables or slots.
    pub(super) fn add(&mut self, function: &Function) -> Option<u32> {
        let Function { body, before, round, around, groups } = function;
        if body.machine.encoding == Encoding::Neon {
            return neon::add(&mut self.bytes, function);
        }
        let last = around.map_or(*round, |around| &around.leave);
        let slots = before.slots.max(last.slots);
        if body.tables.len() > TABLES.len() || slots > MOST_SLOTS {
            return None;
        }
        self.align();
        let constants = self.bytes.len() as i64;
        self.bytes.extend(body.constants.iter().flatten().flat_map(|word| word.to_le_bytes()));
        let mut tables = Vec::new();
        for table in &body.tables {
            tables.push(self.bytes.len() as i64);
            self.bytes.extend(table.iter().flat_map(|distance| distance.to_le_bytes()));
        }
        self.align();
        let start = self.here() as u32;
        let goes_round = body.is_self_loop();
        let registers = match tables.is_empty() {
            true if goes_round => MANY[1..].to_vec(),
            true => MANY.to_vec(),
            // What turns move on had better lie in registers.
            false if around.is_some() => [FEW, &TABLES[tables.len()..]].concat(),
            false => FEW.to_vec(),
        };
        // What counts turns is scratch elsewhere.
        if goes_round && (!tables.is_empty() || body.pointers.len() > registers.len()) {
            return None;
        }
        let (pointers, others) = registers.split_at(registers.len().min(body.pointers.len()));
        let assigned = assigned(body, pointers);
        // What turns move on lies in registers; and what counts them is scratch elsewhere.
        let read_by_turns = round.code.iter().flat_map(|placed| placed.instr.from).flatten();
        let mut read_by_turns = read_by_turns.filter_map(Arg::memory).filter_map(Memory::pointer);
        if around.is_some() && !read_by_turns.all(|pointer| assigned[pointer].is_some()) {
            return None;
        }
        let tables_left = TABLES.iter().skip(tables.len());
        let free = others.iter().chain(tables_left.filter(|register| !registers.contains(register)));
        let rows = rows(round).into_iter().zip(free.copied().filter(|_| !tables.is_empty())).collect();
        let layout = Layout { body, constants, pointers: assigned, rows };
        debug_assert!(layout.has_no_register_twice());
        let used = |register: &&Register| {
            let tabled =
                !tables.is_empty() && (**register == IN_TABLES || TABLES[..tables.len()].contains(register));
            tabled || pointers.contains(register) || layout.rows.iter().any(|(_, row)| row == *register)
        };
        let kept: Vec<Register> = KEPT.iter().filter(used).copied().collect();
        for register in &kept {
            self.emit(Code::Push_r64, &[Part::Register(*register)])?;
        }
        let room = slots as i64 * LINE;
        let old_stack = Part::Memory { base: Register::RSP, index: None, at: room };
        if room > 0 {
            let [stack, scratch] = [Register::RSP, POINTER].map(Part::Register);
            self.emit(Code::Mov_r64_rm64, &[scratch, stack])?;
            self.emit(Code::Sub_rm64_imm32, &[stack, Part::Wide(room + LINE)])?;
            self.emit(Code::And_rm64_imm8, &[stack, Part::Wide(-LINE)])?;
            self.emit(Code::Mov_rm64_r64, &[old_stack, scratch])?;
        }
        if !tables.is_empty() {
            self.emit(Code::Mov_r64_rm64, &[Part::Register(IN_TABLES), Part::Register(FIRST)])?;
        }
        for (register, at) in TABLES.iter().zip(&tables) {
            let place = Part::Memory { base: Register::RIP, index: None, at: *at };
            self.emit(Code::Lea_r64_m, &[Part::Register(*register), place])?;
        }
        self.load_pointers(&layout, |_| true)?;
        self.all(&layout, before)?;
        while !self.bytes.len().is_multiple_of(32) {
            self.emit(Code::Nopd, &[])?;
        }
        let again = self.here();
        match around {
            Some(around) => self.turns(&layout, around, round)?,
            None => {
                self.rows(&layout)?;
                self.all(&layout, round)?;
            }
        }
        if !tables.is_empty() {
            let by = Part::Wide(8 * *groups as i64);
            self.emit(Code::Add_rm64_imm32, &[Part::Register(IN_TABLES), by])?;
        }
        let by = Part::Wide((*groups * body.machine.bytes) as i64);
        self.emit(Code::Add_rm64_imm32, &[Part::Register(AT), by])?;
        self.emit(Code::Cmp_r64_rm64, &[Part::Register(AT), Part::Register(END)])?;
        let back = Instruction::with_branch(Code::Jne_rel32_64, again).ok()?;
        self.put(&back)?;
        if room > 0 {
            self.emit(Code::Mov_r64_rm64, &[Part::Register(Register::RSP), old_stack])?;
        }
        for register in kept.iter().rev() {
            self.emit(Code::Pop_r64, &[Part::Register(*register)])?;
        }
        // Code with older vector instructions is slow while the upper halves are in use.
        self.emit(Code::VEX_Vzeroupper, &[])?;
        self.emit(Code::Retnq, &[])?;
        Some(start)
    }

    /// Where code may come from elsewhere, with anything in scratch registers.
    fn here(&mut self) -> u64 {
        self.held = None;
        self.bytes.len() as u64
    }

    /// What is done for some groups as often as the caller says, or while lanes of them go round, but not more often than that.
    fn turns(&mut self, layout: &Layout, around: &Around, turn: &Allocated) -> Option<()> {
        self.all(layout, &around.enter)?;
        let known = layout.body.pointers.len();
        let number = |k: usize| Part::Memory { base: POINTERS, index: None, at: 8 * k as i64 };
        let count = Part::Register(TURNS);
        let asks = layout.body.is_self_loop();
        let most = if asks { Part::Register(FIRST) } else { number(2 * known) };
        self.emit(Code::Mov_r64_rm64, &[count, most])?;
        let again = self.here();
        self.rows(layout)?;
        self.all(layout, turn)?;
        for (k, register) in layout.pointers.iter().enumerate() {
            if let (Pointer::Load(_), Some(register)) = (layout.body.pointers[k], register) {
                self.emit(Code::Add_r64_rm64, &[Part::Register(*register), number(known + k)])?;
            }
        }
        self.emit(Code::Dec_rm64, &[count])?;
        if asks {
            let jump = self.bytes.len();
            self.put(&Instruction::with_branch(Code::Je_rel32_64, again).ok()?)?;
            let from = self.bytes.len();
            for placed in &around.asking.code {
                self.placed(layout, placed)?;
                if placed.instr.asks_again() {
                    self.put(&Instruction::with_branch(Code::Jne_rel32_64, again).ok()?)?;
                }
            }
            // It leads here, as is known only now.
            let far = (self.bytes.len() - from) as u32;
            self.bytes[jump + 2..from].copy_from_slice(&far.to_le_bytes());
        } else {
            self.put(&Instruction::with_branch(Code::Jne_rel32_64, again).ok()?)?;
        }
        self.all(layout, &around.leave)?;
        self.load_pointers(layout, |pointer| matches!(pointer, Pointer::Load(_)))
    }

    fn all(&mut self, layout: &Layout, code: &Allocated) -> Option<()> {
        code.code.iter().try_for_each(|placed| self.placed(layout, placed))
    }

    /// Puts some pointers into their registers.
    fn load_pointers(&mut self, layout: &Layout, wanted: fn(Pointer) -> bool) -> Option<()> {
        for (k, register) in layout.pointers.iter().enumerate() {
            if let Some(register) = register.filter(|_| wanted(layout.body.pointers[k])) {
                let place = Part::Memory { base: POINTERS, index: None, at: 8 * k as i64 };
                self.emit(Code::Mov_r64_rm64, &[Part::Register(register), place])?;
            }
        }
        Some(())
    }

    /// Adds up pointers and distances that operands share.
    fn rows(&mut self, layout: &Layout) -> Option<()> {
        for ((pointer, table, group), register) in &layout.rows {
            let base = self.pointer(layout, *pointer)?;
            self.distance(*table, *group, *register)?;
            self.emit(Code::Add_r64_rm64, &[*register, base].map(Part::Register))?;
        }
        Some(())
    }

    fn placed(&mut self, layout: &Layout, placed: &Placed) -> Option<()> {
        let Placed { instr, to, from, by } = placed;
        let mut parts = Vec::with_capacity(5);
        if let Some(arg) = instr.to {
            parts.push(self.part(layout, arg, *to)?);
        }
        let mut direction = RoundingControl::None;
        for (arg, number) in instr.from.iter().zip(from) {
            match arg {
                Some(Arg::Rounding(rounding)) => direction = control(*rounding)?,
                Some(arg) => parts.push(self.part(layout, *arg, *number)?),
                None => {}
            }
        }
        let mask = instr.by.map(|reg| layout.body.kinds[reg.0 as usize]);
        if mask == Some(Kind::Vector) {
            parts.push(Part::Register(layout.body.machine.first + u32::from(*by)));
        }
        let mut made = made(instr.code, &parts);
        made.set_rounding_control(direction);
        made.set_is_broadcast(instr.from.iter().any(|arg| matches!(arg, Some(Arg::Element(_)))));
        if mask == Some(Kind::Mask) {
            made.set_op_mask(Register::K0 + u32::from(*by));
            made.set_zeroing_masking(instr.zeroes);
        }
        self.put(&made)
    }

    /// An operand, after what its address needs.
    fn part(&mut self, layout: &Layout, arg: Arg, number: u8) -> Option<Part> {
        let number = u32::from(number);
        Some(match arg {
            Arg::Whole(Reg(reg)) => Part::Register(match layout.body.kinds[reg as usize] {
                Kind::Vector => layout.body.machine.first + number,
                Kind::Mask => Register::K0 + number,
            }),
            Arg::Lower(_) => Part::Register(layout.body.machine.first_half + number),
            // Rounds have none left: see `exchange.rs`.
            Arg::Exchanged { .. } => return None,
            // It is part of the instruction: see `placed`.
            Arg::Rounding(_) => return None,
            Arg::AnyMask => Part::Register(Register::K0),
            Arg::Number(number) => Part::Number(number),
            Arg::Memory(memory) | Arg::Element(memory) => {
                let (base, index, at) = self.address(layout, memory)?;
                Part::Memory { base, index, at }
            }
            Arg::Gathered { memory, lower, .. } => {
                let (base, index, at) = self.address(layout, memory)?;
                // The lanes' distances take the place of the index.
                let (base, at) = match (index, base) {
                    (None, Register::RIP) => {
                        let start = Part::Memory { base, index: None, at };
                        self.emit(Code::Lea_r64_m, &[Part::Register(DISTANCE), start])?;
                        (DISTANCE, 0)
                    }
                    (None, _) => (base, at),
                    (Some((index, scale)), _) => {
                        let sum = Part::Memory { base, index: Some((index, scale)), at: 0 };
                        self.emit(Code::Lea_r64_m, &[Part::Register(DISTANCE), sum])?;
                        (DISTANCE, at)
                    }
                };
                let machine = layout.body.machine;
                let first = if lower { machine.first_half } else { machine.first };
                Part::Memory { base, index: Some((first + number, 1)), at }
            }
        })
    }

    fn address(&mut self, layout: &Layout, memory: Memory) -> Option<Address> {
        if let Some((row, at)) = row(memory)
            && let Some((_, register)) = layout.rows.iter().find(|(known, _)| *known == row)
        {
            return Some((*register, None, at.into()));
        }
        let (base, at) = match memory.base {
            Base::Lines(at) => (LINES, at.into()),
            Base::Pointer(k, at) => (self.pointer(layout, k)?, at.into()),
            Base::Constant(k) => (Register::RIP, layout.constants + k as i64 * LINE),
            Base::Slot(k) => (Register::RSP, k as i64 * LINE),
        };
        let index = match memory.step {
            Step::Vectors(0) => None,
            Step::Vectors(vectors) => Some((AT, vectors.into())),
            Step::Table(table, group) => {
                self.distance(table, group, DISTANCE)?;
                Some((DISTANCE, 1))
            }
        };
        Some((base, index, at))
    }

    /// The register of a pointer.
    fn pointer(&mut self, layout: &Layout, number: usize) -> Option<Register> {
        if let Some(register) = layout.pointers[number] {
            return Some(register);
        }
        if self.held != Some(number) {
            let place = Part::Memory { base: POINTERS, index: None, at: 8 * number as i64 };
            self.emit(Code::Mov_r64_rm64, &[Part::Register(POINTER), place])?;
            self.held = Some(number);
        }
        Some(POINTER)
    }

    /// Puts a distance from a table into a register.
    fn distance(&mut self, table: usize, group: u8, to: Register) -> Option<()> {
        let at = 8 * i64::from(group);
        let place = Part::Memory { base: TABLES[table], index: Some((IN_TABLES, 1)), at };
        self.emit(Code::Mov_r64_rm64, &[Part::Register(to), place])
    }

    fn emit(&mut self, code: Code, parts: &[Part]) -> Option<()> {
        self.put(&made(code, parts))
    }

    fn put(&mut self, instruction: &Instruction) -> Option<()> {
        self.encoder.encode(instruction, self.bytes.len() as u64).ok()?;
        let mut buffer = self.encoder.take_buffer();
        self.bytes.extend_from_slice(&buffer);
        buffer.clear();
        self.encoder.set_buffer(buffer);
        Some(())
    }
}

/// How an instruction of AVX-512 names a direction; it has no other ones.
fn control(rounding: Rounding) -> Option<RoundingControl> {
    Some(match rounding {
        Rounding::Nearest => RoundingControl::RoundToNearest,
        Rounding::Zero => RoundingControl::RoundTowardZero,
        Rounding::Down => RoundingControl::RoundDown,
        Rounding::Up => RoundingControl::RoundUp,
        Rounding::Odd => return None,
    })
}

/// The registers of a function's pointers. Where it takes turns, those that they move on come first.
fn assigned(body: &Body, registers: &[Register]) -> Vec<Option<Register>> {
    let mut order: Vec<usize> = (0..body.pointers.len()).collect();
    if body.turns.is_some() {
        order.sort_by_key(|k| !matches!(body.pointers[*k], Pointer::Load(_)));
    }
    let mut assigned = vec![None; body.pointers.len()];
    for (k, register) in order.into_iter().zip(registers) {
        assigned[k] = Some(*register);
    }
    assigned
}

/// Where an operand whose distance a table says lies, and how many bytes on from there.
fn row(memory: Memory) -> Option<(Row, i32)> {
    match (memory.base, memory.step) {
        (Base::Pointer(pointer, at), Step::Table(table, group)) => Some(((pointer, table, group), at)),
        _ => None,
    }
}

/// What more than one operand of a round shares; what most do comes first.
fn rows(round: &Allocated) -> Vec<Row> {
    let mut rows: Vec<(Row, u32)> = Vec::new();
    let args = round.code.iter().flat_map(|placed| placed.instr.from.into_iter().flatten());
    for (row, _) in args.filter_map(Arg::memory).filter_map(row) {
        match rows.iter_mut().find(|(known, _)| *known == row) {
            Some((_, times)) => *times += 1,
            None => rows.push((row, 1)),
        }
    }
    rows.retain(|(_, times)| *times > 1);
    rows.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
    rows.into_iter().map(|(row, _)| row).collect()
}

/// Where an operand in memory lies: behind a register, with an index and its scale, so many bytes on.
type Address = (Register, Option<(Register, u32)>, i64);

/// An operand as it is encoded.
#[derive(Clone, Copy)]
enum Part {
    Register(Register),
    Number(u8),
    Wide(i64),
    /// With an index and its scale.
    Memory {
        base: Register,
        index: Option<(Register, u32)>,
        at: i64,
    },
}

fn made(code: Code, parts: &[Part]) -> Instruction {
    let mut made = Instruction::default();
    made.set_code(code);
    for (k, part) in parts.iter().enumerate() {
        let k = k as u32;
        match *part {
            Part::Register(register) => {
                made.set_op_kind(k, OpKind::Register);
                made.set_op_register(k, register);
            }
            Part::Number(number) => {
                made.set_op_kind(k, OpKind::Immediate8);
                made.set_immediate8(number);
            }
            Part::Wide(number) if code == Code::And_rm64_imm8 => {
                made.set_op_kind(k, OpKind::Immediate8to64);
                made.set_immediate8to64(number);
            }
            Part::Wide(number) => {
                made.set_op_kind(k, OpKind::Immediate32to64);
                made.set_immediate32to64(number);
            }
            Part::Memory { base, index, at } => {
                made.set_op_kind(k, OpKind::Memory);
                made.set_memory_base(base);
                if let Some((index, scale)) = index {
                    made.set_memory_index(index);
                    made.set_memory_index_scale(scale);
                }
                made.set_memory_displacement64(at as u64);
                // As short as it fits; addresses beside the next instruction's always have 4 bytes.
                made.set_memory_displ_size(if base == Register::RIP { 8 } else { 1 });
            }
        }
    }
    made
}
