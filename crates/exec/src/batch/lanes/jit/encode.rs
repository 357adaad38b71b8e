//! Bytes of machine code: a loop over groups of threads around a run's instructions.

use super::allocate::{Allocated, Placed};
use super::machine::{Arg, Base, Kind, Memory, Pointer, Reg};
use iced_x86::{Code, Encoder, Instruction, OpKind, Register};

/// Bytes of a line.
const LINE: i64 = 64;

/// The caller's lines, the table of pointers, and the first and last byte of the stretch, as the System V calling
/// convention passes them; the third counts.
const LINES: Register = Register::RDI;
const TABLE: Register = Register::RSI;
const AT: Register = Register::RDX;
const END: Register = Register::RCX;

/// Registers for pointers; those behind the fifth must be kept for the caller.
const POINTERS: [Register; 10] = [
    Register::RAX,
    Register::R8,
    Register::R9,
    Register::R10,
    Register::R11,
    Register::RBX,
    Register::R12,
    Register::R13,
    Register::R14,
    Register::R15,
];
const OWN: usize = 5;

/// Slots that the stack has room for.
const MOST_SLOTS: usize = 256;

/// One after another, functions and their constants.
pub(super) struct Text {
    encoder: Encoder,
    bytes: Vec<u8>,
}

/// A function, before it is encoded.
pub(super) struct Function<'b> {
    /// Groups of threads in a round.
    pub(super) groups: usize,
    pub(super) kinds: &'b [Kind],
    pub(super) constants: &'b [[u32; 16]],
    pub(super) pointers: &'b [Pointer],
    pub(super) allocated: &'b Allocated,
}

impl Text {
    pub(super) fn new() -> Text {
        Text { encoder: Encoder::new(64), bytes: Vec::new() }
    }

    pub(super) fn bytes(self) -> Vec<u8> {
        self.bytes
    }

    fn align(&mut self) {
        let end = self.bytes.len().next_multiple_of(LINE as usize);
        self.bytes.resize(end, 0xcc);
    }

    /// Adds a function, and gives where it begins; none if there are too many pointers or slots.
    pub(super) fn add(&mut self, function: &Function) -> Option<u32> {
        let Function { constants, pointers, allocated, .. } = function;
        if pointers.len() > POINTERS.len() || allocated.slots > MOST_SLOTS {
            return None;
        }
        self.align();
        let pool = self.bytes.len() as u64;
        self.bytes.extend(constants.iter().flatten().flat_map(|word| word.to_le_bytes()));
        let start = self.bytes.len() as u32;
        let kept = &POINTERS[OWN.min(pointers.len())..pointers.len()];
        let whole = allocated.slots as i64 * LINE;
        for register in kept {
            self.emit(Code::Push_r64, &[Part::Register(*register)])?;
        }
        if whole > 0 {
            self.emit(Code::Push_r64, &[Part::Register(Register::RBP)])?;
            self.emit(Code::Mov_r64_rm64, &[Part::Register(Register::RBP), Part::Register(Register::RSP)])?;
            self.emit(Code::And_rm64_imm8, &[Part::Register(Register::RSP), Part::Wide(-LINE)])?;
            self.emit(Code::Sub_rm64_imm32, &[Part::Register(Register::RSP), Part::Wide(whole)])?;
        }
        for (k, register) in POINTERS[..pointers.len()].iter().enumerate() {
            let place = Part::Memory { base: TABLE, scale: 0, at: 8 * k as i64 };
            self.emit(Code::Mov_r64_rm64, &[Part::Register(*register), place])?;
        }
        while !self.bytes.len().is_multiple_of(32) {
            self.emit(Code::Nopd, &[])?;
        }
        let again = self.bytes.len() as u64;
        for placed in &allocated.code {
            self.placed(function, placed, pool)?;
        }
        let round = Part::Wide(function.groups as i64 * LINE);
        self.emit(Code::Add_rm64_imm32, &[Part::Register(AT), round])?;
        self.emit(Code::Cmp_r64_rm64, &[Part::Register(AT), Part::Register(END)])?;
        let back = Instruction::with_branch(Code::Jne_rel32_64, again).ok()?;
        self.put(&back)?;
        if whole > 0 {
            self.emit(Code::Leaveq, &[])?;
        }
        for register in kept.iter().rev() {
            self.emit(Code::Pop_r64, &[Part::Register(*register)])?;
        }
        // Code with older vector instructions is slow while the upper halves are in use.
        self.emit(Code::VEX_Vzeroupper, &[])?;
        self.emit(Code::Retnq, &[])?;
        Some(start)
    }

    fn placed(&mut self, function: &Function, placed: &Placed, pool: u64) -> Option<()> {
        let Placed { instr, to, from, by } = placed;
        let mut parts = Vec::with_capacity(4);
        if let Some(arg) = instr.to {
            parts.push(part(function, arg, *to, pool));
        }
        for (arg, number) in instr.from.iter().zip(from) {
            if let Some(arg) = arg {
                parts.push(part(function, *arg, *number, pool));
            }
        }
        let mut made = made(instr.code, &parts);
        if instr.by.is_some() {
            made.set_op_mask(Register::K0 + u32::from(*by));
            made.set_zeroing_masking(instr.zeroes);
        }
        self.put(&made)
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

/// An operand as it is encoded.
enum Part {
    Register(Register),
    Number(u8),
    Wide(i64),
    /// With a scale of 0, no index.
    Memory {
        base: Register,
        scale: u32,
        at: i64,
    },
}

fn part(function: &Function, arg: Arg, number: u8, pool: u64) -> Part {
    let number = u32::from(number);
    match arg {
        Arg::Whole(Reg(reg)) => Part::Register(match function.kinds[reg as usize] {
            Kind::Vector => Register::ZMM0 + number,
            Kind::Mask => Register::K0 + number,
        }),
        Arg::Lower(_) => Part::Register(Register::YMM0 + number),
        Arg::Number(number) => Part::Number(number),
        Arg::Memory(Memory { base, step }) => {
            let scale = u32::from(step);
            match base {
                Base::Lines(at) => Part::Memory { base: LINES, scale, at: at.into() },
                Base::Pointer(k, at) => Part::Memory { base: POINTERS[k], scale, at: at.into() },
                Base::Constant(k) => {
                    Part::Memory { base: Register::RIP, scale: 0, at: pool as i64 + k as i64 * LINE }
                }
                Base::Slot(k) => Part::Memory { base: Register::RSP, scale: 0, at: k as i64 * LINE },
            }
        }
    }
}

fn made(code: Code, parts: &[Part]) -> Instruction {
    let mut made = Instruction::default();
    made.set_code(code);
    for (k, part) in parts.iter().enumerate() {
        let k = k as u32;
        match part {
            Part::Register(register) => {
                made.set_op_kind(k, OpKind::Register);
                made.set_op_register(k, *register);
            }
            Part::Number(number) => {
                made.set_op_kind(k, OpKind::Immediate8);
                made.set_immediate8(*number);
            }
            Part::Wide(number) => match code {
                Code::And_rm64_imm8 => {
                    made.set_op_kind(k, OpKind::Immediate8to64);
                    made.set_immediate8to64(*number);
                }
                _ => {
                    made.set_op_kind(k, OpKind::Immediate32to64);
                    made.set_immediate32to64(*number);
                }
            },
            Part::Memory { base, scale, at } => {
                made.set_op_kind(k, OpKind::Memory);
                made.set_memory_base(*base);
                if *scale > 0 {
                    made.set_memory_index(AT);
                    made.set_memory_index_scale(*scale);
                }
                made.set_memory_displacement64(*at as u64);
                // As short as it fits; addresses beside the next instruction's always have 4 bytes.
                made.set_memory_displ_size(if *base == Register::RIP { 8 } else { 1 });
            }
        }
    }
    made
}
