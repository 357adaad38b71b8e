//! Bytes of machine code for AArch64: the same loop over groups of threads, and pairs of vectors of 128 bits for those of AVX2.
//!
//! What is encoded are the instructions that were legalized for AVX2. Each of their vectors is two of this machine's, one after the
//! other, and most of them are an instruction on either half (`neon/vectors.rs`); so nothing before knows this machine.

mod assembler;
mod floats;
mod moves;
#[cfg(test)]
mod tests;
mod vectors;

use crate::batch::lanes::jit::allocate::{Allocated, Placed};
use crate::batch::lanes::jit::encode::{Around, Function};
use crate::batch::lanes::jit::machine::{Arg, Base, Body, Memory, Pointer, Step};
use assembler::{Assembler, EQUAL, NOT_EQUAL, STACK, UMAXP_WORDS, V, X};
use iced_x86::Code;
use std::fmt::Write;
use yaxpeax_arch::{Decoder, U8Reader};
use yaxpeax_arm::armv8::a64::InstDecoder;

/// Vectors that rounds have, as pairs; the others are scratch.
pub(super) const PAIRS: u8 = 13;

/// The pair for an operand in memory, and scratch.
const LOADED: u8 = PAIRS;
const T: [V; 4] = [28, 29, 30, 31];

/// What the procedure call standard passes: as for the other machines.
const LINES: X = 0;
const POINTERS: X = 1;
const AT: X = 2;
const END: X = 3;
const FIRST: X = 4;

/// Where constants are, how many more turns there are, where in the tables of distances the round is, and where the tables are.
const CONSTANTS: X = 5;
const TURNS: X = 6;
const IN_TABLES: X = 7;
const TABLES: [X; 4] = [8, 9, 10, 11];

/// Scratch: an address, a pointer that has no register, a number.
const ADDRESS: X = 16;
const POINTER: X = 17;
const NUMBER: X = 15;

/// The lines of a round's threads, of values of 32 and of 64 bits.
const ROWS: [X; 2] = [12, 13];

/// Registers for pointers, beside those of tables that there are not: one that need not be as it was for the caller, and those that must be.
const FREE: [X; 1] = [14];
const KEPT: [X; 10] = [19, 20, 21, 22, 23, 24, 25, 26, 27, 28];

/// The lower halves of these must be as they were.
const KEPT_VECTORS: [V; 8] = [8, 9, 10, 11, 12, 13, 14, 15];

/// Bytes of the stack for what is kept.
const FRAME: i64 = 8 * (KEPT.len() + KEPT_VECTORS.len()) as i64;

/// Bytes of a line.
const LINE: i64 = 64;

/// Slots that the stack has room for.
const MOST_SLOTS: usize = 256;

/// Pointers that the table has room for: loads from it reach no further, where turns need as many distances after them.
const MOST_POINTERS: usize = 2000;

/// Adds a function and its constants, and gives where it begins; none if it needs too many tables, slots or pointers, or a register for a
/// pointer that there is not.
pub(super) fn add(bytes: &mut Vec<u8>, function: &Function) -> Option<u32> {
    let Function { body, before, round, around, groups } = function;
    let last = around.map_or(*round, |around| &around.leave);
    let slots = before.slots.max(last.slots);
    if body.tables.len() > TABLES.len() || slots > MOST_SLOTS || body.pointers.len() > MOST_POINTERS {
        return None;
    }
    // A self-loop is told how often it may go round where others are told their place in tables.
    if body.is_self_loop() && !body.tables.is_empty() {
        return None;
    }
    bytes.resize(bytes.len().next_multiple_of(LINE as usize), 0);
    let data = bytes.len();
    bytes.extend(body.constants.iter().flatten().flat_map(|word| word.to_le_bytes()));
    let mut tables = Vec::new();
    for table in &body.tables {
        tables.push((bytes.len() - data) as i64);
        bytes.extend(table.iter().flat_map(|distance| distance.to_le_bytes()));
    }
    let start = bytes.len();
    let pointers = assigned(function)?;
    let mut writer = Writer { code: Assembler::default(), body, pointers, most: most(function) };
    writer.enter(slots as i64 * LINE);
    writer.code.adr_before(CONSTANTS, (start - data + 4 * writer.code.here()) as u32)?;
    if !tables.is_empty() {
        writer.code.mov_general(IN_TABLES, FIRST);
    }
    for (register, at) in TABLES.iter().zip(&tables) {
        writer.code.add_number(*register, CONSTANTS, *at);
    }
    writer.load_pointers(|_| true);
    if !before.code.is_empty() {
        writer.rows();
        writer.all(before)?;
    }
    let again = writer.code.here();
    writer.rows();
    match around {
        Some(around) => writer.turns(around, round)?,
        None => writer.all(round)?,
    }
    if !tables.is_empty() {
        writer.code.add_number(IN_TABLES, IN_TABLES, 8 * *groups as i64);
    }
    writer.code.add_number(AT, AT, (*groups * body.machine.bytes) as i64);
    writer.code.cmp(AT, END);
    writer.code.branch(NOT_EQUAL, again)?;
    writer.leave(slots as i64 * LINE);
    bytes.extend(writer.code.words().iter().flat_map(|word| word.to_le_bytes()));
    Some(start as u32)
}

/// The registers of a function's pointers, as far as there are some; none if turns read by one that has none, which they could not move on.
fn assigned(Function { body, round, around, .. }: &Function) -> Option<Vec<Option<X>>> {
    let others = TABLES.iter().skip(body.tables.len());
    let registers = others.chain(&FREE).chain(&KEPT).copied();
    let mut pointers = vec![None; body.pointers.len()];
    // What turns move on comes first.
    let mut order: Vec<usize> = (0..pointers.len()).collect();
    if around.is_some() {
        order.sort_by_key(|k| !matches!(body.pointers[*k], Pointer::Load(_)));
    }
    for (k, register) in order.into_iter().zip(registers) {
        pointers[k] = Some(register);
    }
    let read = round.code.iter().flat_map(|placed| placed.instr.from).flatten();
    let mut read = read.filter_map(Arg::memory).filter_map(Memory::pointer);
    (around.is_none() || read.all(|pointer| pointers[pointer].is_some())).then_some(pointers)
}

/// The last pair that a function uses.
fn most(Function { before, round, around, .. }: &Function) -> u8 {
    let around = around.iter().flat_map(|around| [&around.enter, &around.asking, &around.leave]);
    let all = around.chain([*before, *round]).flat_map(|code| &code.code);
    all.flat_map(|placed| placed.from.into_iter().chain([placed.to, placed.by])).max().unwrap_or(0)
}

/// A function that is being written.
struct Writer<'b> {
    code: Assembler,
    body: &'b Body,
    /// The registers of its pointers, as far as there are some.
    pointers: Vec<Option<X>>,
    /// The last pair that is used.
    most: u8,
}

impl Writer<'_> {
    /// Keeps what the caller needs, and makes room for slots.
    fn enter(&mut self, room: i64) {
        self.code.add_number(STACK, STACK, -FRAME);
        for (d, at) in self.kept_vectors() {
            self.code.stp_lower(d, STACK, at);
        }
        for (d, at) in self.kept() {
            self.code.stp_general(d, STACK, at);
        }
        if room > 0 {
            self.code.add_number(STACK, STACK, -room);
        }
    }

    fn leave(&mut self, room: i64) {
        if room > 0 {
            self.code.add_number(STACK, STACK, room);
        }
        for (d, at) in self.kept_vectors() {
            self.code.ldp_lower(d, STACK, at);
        }
        for (d, at) in self.kept() {
            self.code.ldp_general(d, STACK, at);
        }
        self.code.add_number(STACK, STACK, FRAME);
        self.code.ret();
    }

    /// Vectors that are kept, two at a time, and where in the frame.
    fn kept_vectors(&self) -> Vec<([V; 2], i64)> {
        let pairs = KEPT_VECTORS.as_chunks().0.iter().copied();
        pairs.take_while(|[first, _]| *first <= 2 * self.most).zip((0..).step_by(16)).collect()
    }

    /// The same of general registers.
    fn kept(&self) -> Vec<([X; 2], i64)> {
        let is_used = |[d, e]: &[X; 2]| [d, e].iter().any(|x| self.pointers.contains(&Some(**x)));
        let pairs = KEPT.as_chunks().0.iter().copied();
        pairs.take_while(is_used).zip((8 * KEPT_VECTORS.len() as i64..).step_by(16)).collect()
    }

    /// Says where the lines of the round's threads are.
    fn rows(&mut self) {
        for (up, row) in (0..).zip(ROWS) {
            self.code.add_shifted(row, LINES, AT, up);
        }
    }

    /// What is done for some groups as often as the caller says, or while lanes of them go round, but not more often than that.
    fn turns(&mut self, around: &Around, turn: &Allocated) -> Option<()> {
        self.all(&around.enter)?;
        let known = self.body.pointers.len() as u32;
        let asks = self.body.is_self_loop();
        match asks {
            true => self.code.mov_general(TURNS, FIRST),
            false => self.code.ldr(TURNS, POINTERS, 2 * known),
        }
        let again = self.code.here();
        self.all(turn)?;
        for (k, register) in self.pointers.clone().into_iter().enumerate() {
            if let (Pointer::Load(_), Some(register)) = (self.body.pointers[k], register) {
                self.code.ldr(ADDRESS, POINTERS, known + k as u32);
                self.code.add_shifted(register, register, ADDRESS, 0);
            }
        }
        self.code.count_down(TURNS);
        if asks {
            let leaves = self.code.branch_later(EQUAL);
            for placed in &around.asking.code {
                if placed.instr.asks_again() {
                    self.ask(placed, again)?;
                } else {
                    self.placed(placed)?;
                }
            }
            self.code.lead_here(leaves)?;
        } else {
            self.code.branch(NOT_EQUAL, again)?;
        }
        self.all(&around.leave)?;
        self.load_pointers(|pointer| matches!(pointer, Pointer::Load(_)));
        Some(())
    }

    /// Goes round again if any lane of a mask does.
    fn ask(&mut self, placed: &Placed, again: usize) -> Option<()> {
        let [low, high] = halves(self.pair(placed, 0, 32)?);
        self.code.two(assembler::ORR, T[0], low, high);
        self.code.two(UMAXP_WORDS, T[0], T[0], T[0]);
        self.code.fmov(ADDRESS, T[0]);
        self.code.branch_unless_zero(ADDRESS, again)
    }

    fn all(&mut self, code: &Allocated) -> Option<()> {
        code.code.iter().try_for_each(|placed| self.placed(placed))
    }

    /// Puts some pointers into their registers.
    fn load_pointers(&mut self, wanted: fn(Pointer) -> bool) {
        for (k, pointer) in self.body.pointers.iter().enumerate() {
            if let Some(register) = self.pointers[k].filter(|_| wanted(*pointer)) {
                self.code.ldr(register, POINTERS, k as u32);
            }
        }
    }

    fn placed(&mut self, placed: &Placed) -> Option<()> {
        if placed.instr.code == Code::Prefetcht0_m8 {
            let at = self.whole_address(placed.instr.from[0]?.memory()?);
            self.code.prfm(at);
            return Some(());
        }
        if placed.instr.args().any(|arg| matches!(arg, Arg::Rounding(_) | Arg::Element(_))) {
            return None;
        }
        None.or_else(|| vectors::write(self, placed))
            .or_else(|| floats::write(self, placed))
            .or_else(|| moves::write(self, placed))
    }

    /// The pair that an operand is in, after so many of its bytes have been loaded if it lies in memory.
    fn pair(&mut self, placed: &Placed, operand: usize, bytes: usize) -> Option<u8> {
        match placed.instr.from[operand]? {
            Arg::Whole(_) | Arg::Lower(_) => Some(placed.from[operand]),
            Arg::Memory(memory) => {
                self.load(LOADED, memory, bytes);
                Some(LOADED)
            }
            _ => None,
        }
    }

    /// Loads so many bytes of a vector.
    fn load(&mut self, pair: u8, memory: Memory, bytes: usize) {
        if bytes == 32 {
            let [low, high] = halves(pair);
            match self.address_of_pair(memory) {
                (base, at) if is_near(at) => self.code.ldp([low, high], base, at),
                (base, at) => {
                    self.code.ldr_vector(low, base, at);
                    self.code.ldr_vector(high, base, at + 16);
                }
            }
        } else {
            let base = self.whole_address(memory);
            self.code.load_bytes(bytes, halves(pair)[0], base);
        }
    }

    fn store(&mut self, pair: u8, memory: Memory) {
        let [low, high] = halves(pair);
        match self.address_of_pair(memory) {
            (base, at) if is_near(at) => self.code.stp([low, high], base, at),
            (base, at) => {
                self.code.str_vector(low, base, at);
                self.code.str_vector(high, base, at + 16);
            }
        }
    }

    /// Where two vectors lie, with a distance that their instructions have room for.
    fn address_of_pair(&mut self, memory: Memory) -> (X, i64) {
        let (base, at) = self.address(memory);
        if is_near(at) || at % 16 == 0 && (0..65520).contains(&at) {
            return (base, at);
        }
        self.code.add_number(ADDRESS, base, at);
        (ADDRESS, 0)
    }

    /// A register with where an operand lies.
    fn whole_address(&mut self, memory: Memory) -> X {
        let (base, at) = self.address(memory);
        if at == 0 && base != STACK {
            return base;
        }
        self.code.add_number(ADDRESS, base, at);
        ADDRESS
    }

    /// A register, and how many bytes on from there.
    fn address(&mut self, memory: Memory) -> (X, i64) {
        let (base, at) = match memory.base {
            Base::Lines(at) => (LINES, at.into()),
            Base::Pointer(k, at) => match self.pointers[k] {
                Some(register) => (register, at.into()),
                None => {
                    self.code.ldr(POINTER, POINTERS, k as u32);
                    (POINTER, at.into())
                }
            },
            Base::Constant(k) => (CONSTANTS, k as i64 * LINE),
            Base::Slot(k) => (STACK, k as i64 * LINE),
        };
        match memory.step {
            Step::Vectors(0) => (base, at),
            Step::Vectors(vectors @ 1..=2) if base == LINES => (ROWS[usize::from(vectors) - 1], at),
            Step::Vectors(vectors) => {
                self.code.add_shifted(ADDRESS, base, AT, vectors.trailing_zeros());
                (ADDRESS, at)
            }
            Step::Table(table, group) => {
                self.code.add_shifted(ADDRESS, TABLES[table], IN_TABLES, 0);
                self.code.ldr(ADDRESS, ADDRESS, group.into());
                self.code.add_shifted(ADDRESS, base, ADDRESS, 0);
                (ADDRESS, at)
            }
        }
    }
}

/// A function's instructions as text, by their places.
pub(super) fn disassembled(bytes: &[u8], start: u32) -> String {
    let decoder = InstDecoder::default();
    let mut text = String::new();
    for (at, word) in (start..).step_by(4).zip(bytes.as_chunks::<4>().0) {
        let _ = match decoder.decode(&mut U8Reader::new(word)) {
            Ok(instruction) => writeln!(text, "  {at:4x}  {instruction}"),
            Err(_) => writeln!(text, "  {at:4x}  {:#010x}", u32::from_le_bytes(*word)),
        };
    }
    text
}

/// Whether instructions on two vectors reach so far.
fn is_near(at: i64) -> bool {
    at % 16 == 0 && (-1024..=1008).contains(&at)
}

/// The vectors of a pair.
fn halves(pair: u8) -> [V; 2] {
    [2 * pair, 2 * pair + 1]
}
