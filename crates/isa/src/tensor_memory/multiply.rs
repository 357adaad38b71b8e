//! Products into tensor memory: what a descriptor of an instruction says, where matrices lie, and what becomes of D (manual, 9.7.16.10).

use super::{Cell, LANES, QUARTER};
use crate::floor::Target;
use crate::fragments::Whole;
use crate::inst::Inst;
use crate::shape::MatrixShape;
use crate::shared_matrix::{CORE, Chunk, Descriptor};
use crate::tensor_core::{Form, Multiplier, Product, Workspace};
use crate::words::{Slot, Word};
use std::sync::Arc;

/// Rows and columns that are multiplied at once.
const SIZE: (usize, usize) = (16, 8);

/// Bytes and words of a row of A and a column of B.
const BYTES: usize = 32;
const WORDS: usize = BYTES / size_of::<u32>();

/// Words of a bit for each lane.
const WORDS_OF_LANES: usize = LANES / 32;

/// Rows of a CTA that leave half of the lanes to others.
const FEW: usize = LANES / 2;

/// A row of A or a column of B: elements side by side from the low end on, each in its room.
pub type Packed = [u32; WORDS];

/// What an instruction says of products, but for what its operands do.
#[derive(Clone)]
pub struct Multiply {
    kind: Word,
    device: Target,
    /// Scales of a row of A and a column of B.
    scales: usize,
    /// Whether A lies in tensor memory.
    holds_a: bool,
    /// Whether D is divided before it is added, by an operand.
    divides: bool,
    /// Whether operands name lanes that keep what they have.
    masks: bool,
    /// Whether D is added where `enable_input_d` is false.
    inverted: bool,
    /// CTAs whose memories have parts of the matrices: one, or the two of a pair.
    ctas: usize,
    /// The product of a block, as the lanes of a warp hold one.
    of_warp: fn(&Form, Target) -> Whole,
}

/// The values of an instruction's operands.
#[derive(Clone, Copy, Debug)]
pub struct Sources {
    /// Where D lies.
    pub d: Cell,
    /// Where A lies in tensor memory, or the descriptor of where it does in shared memory.
    pub a: u64,
    /// The descriptor of B.
    pub b: u64,
    /// The descriptor of the instruction.
    pub instruction: u32,
    /// Whether D is added.
    pub adds: bool,
    /// By which power of two D is divided before.
    pub divided: u32,
    /// A bit for each lane of each CTA that keeps what it has.
    pub kept: [u128; 2],
    /// Where the scales of A and of B lie.
    pub scales: [Cell; 2],
}

/// A matrix of factors.
#[derive(Clone, Copy)]
struct Factor {
    /// Rows of A or columns of B that a CTA has in shared memory.
    lines: usize,
    /// Bits of an element, and of the room that it has.
    width: u32,
    room: u32,
    /// Whether it is transposed: lines lie across the depth.
    across: bool,
    /// The sign of its elements, where that changes.
    sign: u64,
}

/// A product whose shape and types are known.
#[derive(Clone)]
pub struct Multiplication {
    a: Factor,
    b: Factor,
    /// That of a block.
    form: Form,
    /// Whether D has half precision.
    halves: bool,
    /// Bytes of a word at which scales begin.
    scales_at: [u32; 2],
    scales: usize,
    ctas: usize,
}

/// The product of a block of 16 rows and 8 columns, ready to be carried out many times.
pub struct Block {
    multiplier: Multiplier,
    product: Option<Arc<Product>>,
}

impl Block {
    /// The same as lanes of a warp hold it, if words of rows and columns are what they hold.
    pub fn product(&self) -> Option<&Arc<Product>> {
        self.product.as_ref()
    }
}

impl Multiply {
    pub(crate) fn new(inst: &Inst, device: Target, of_warp: fn(&Form, Target) -> Whole) -> Multiply {
        let has = |name: &str| inst.operands().any(|(template, _)| template.name == name);
        let scales = match (inst[Slot::Kind], inst[Slot::Scale]) {
            (Word::KindMxf8f6f4, _) => 1,
            (Word::KindMxf4nvf4, Word::ScaleVec4 | Word::Block16) => 4,
            (Word::KindMxf4 | Word::KindMxf4nvf4, _) => 2,
            _ => 0,
        };
        Multiply {
            kind: inst[Slot::Kind],
            device,
            scales,
            holds_a: !has("a_desc"),
            divides: has("scale_input_d"),
            masks: has("disable_output_lane"),
            inverted: inst.has(Slot::NotC),
            ctas: if inst[Slot::CtaGroup] == Word::CtaGroup2 { 2 } else { 1 },
            of_warp,
        }
    }

    /// Whether A lies in tensor memory.
    pub fn holds_a(&self) -> bool {
        self.holds_a
    }

    /// How many CTAs have parts of the matrices.
    pub fn ctas(&self) -> usize {
        self.ctas
    }

    /// The operands, from their values in the order in which the instruction has them.
    ///
    /// # Panics
    /// If there are fewer than the form has.
    pub fn sources(&self, values: &[u64]) -> Sources {
        let [d, a, b, instruction, rest @ ..] = values else { panic!("four operands at least") };
        let (scales, rest) = rest.split_at(if self.scales > 0 { 2 } else { 0 });
        let (kept, rest) = rest.split_at(if self.masks { self.ctas * WORDS_OF_LANES } else { 0 });
        let cell = |k: usize| Cell::of(scales.get(k).copied().unwrap_or(0) as u32 & 0x3fff_ffff);
        let mut of_ctas = kept.chunks(WORDS_OF_LANES);
        let mut bits = || {
            let words = of_ctas.next().unwrap_or(&[]).iter();
            words.rev().fold(0, |all, bits| all << 32 | u128::from(*bits as u32))
        };
        Sources {
            d: Cell::of(*d as u32),
            a: *a,
            b: *b,
            instruction: *instruction as u32,
            adds: (rest[0] & 1 == 1) != self.inverted,
            divided: if self.divides { rest[1] as u32 } else { 0 },
            kept: [bits(), bits()],
            scales: [cell(0), cell(1)],
        }
    }

    /// The product that a descriptor of an instruction says.
    ///
    /// # Errors
    /// What no descriptor of the kind says.
    pub fn said(&self, bits: u32) -> Result<Multiplication, String> {
        let field = |at: u32, width: u32| bits >> at & ((1 << width) - 1);
        let is_set = |at: u32| field(at, 1) == 1;
        let scaled = self.scales > 0;
        let small = matches!(self.kind, Word::KindMxf4 | Word::KindMxf4nvf4);
        if is_set(2) {
            return Err("it says that A is sparse, and the instruction does not".into());
        }
        let reserved = match self.kind {
            _ if !scaled => 1 << 6 | 1 << 23 | 7 << 29 | if self.kind == Word::KindI8 { 0 } else { 1 << 3 },
            Word::KindMxf8f6f4 => 0b100_1011 | 7 << 24 | 1 << 31,
            _ => 0b100_1011 | 1 << 12 | 7 << 24,
        };
        if bits & reserved != 0 {
            return Err(format!("it has bits {:#x}, which mean nothing", bits & reserved));
        }
        if small && is_set(31) {
            return Err("products of a depth of 96, which bit 31 asks for, are not run yet".into());
        }
        let (m, n) = (16 * field(24, 5) as usize, 8 * field(17, 6) as usize);
        self.fits(m, n)?;
        let [a, b] = [field(7, 3), field(10, if small { 2 } else { 3 })];
        let types = [self.factor_type("A", a)?, self.factor_type("B", b)?];
        let of_d = match (self.kind, field(4, 2)) {
            (Word::KindF16 | Word::KindF8f6f4, 0) => Word::F16,
            (Word::KindF16 | Word::KindF8f6f4 | Word::KindTf32, 1) => Word::F32,
            (Word::KindI8, 2) => Word::S32,
            _ if scaled => Word::F32,
            (_, code) => {
                return Err(format!("it says that D is of type {code}, which the kind does not have"));
            }
        };
        if of_d == Word::F16 && types.contains(&Word::Bf16) {
            return Err("it says that D is `.f16` and that factors are `.bf16`".into());
        }
        let of_scales = match (self.kind, is_set(23)) {
            _ if !scaled => Word::Absent,
            (_, true) => Word::Ue8m0,
            (Word::KindMxf4nvf4, false) => Word::Ue4m3,
            (_, false) => return Err("it says that scales are `.ue4m3`, which the kind does not have".into()),
        };
        let depth = match self.kind {
            Word::KindF16 => 16,
            Word::KindTf32 => 8,
            Word::KindMxf4 | Word::KindMxf4nvf4 => 64,
            _ => 32,
        };
        let factor = |k: usize, lines: usize| {
            let width = types[k].ty().map_or(32, |ty| ty.bits);
            let sign = if is_set(13 + k as u32) { 1 << (width - 1) } else { 0 };
            let room = (8 * BYTES / depth) as u32;
            Factor { lines, width, room, across: is_set(15 + k as u32), sign }
        };
        let (a, b) = (factor(0, m / self.ctas), factor(1, n / self.ctas));
        for (name, matrix) in [("A", a), ("B", b)] {
            if matrix.across && matrix.width < 8 {
                return Err(format!(
                    "it says that {name} is transposed, whose elements have {} bits",
                    matrix.width
                ));
            }
            if matrix.sign != 0 && self.kind == Word::KindI8 {
                return Err(format!("it says that {name} is negated, and it has integers"));
            }
        }
        let form = Form {
            clamped: self.kind == Word::KindI8 && is_set(3),
            kind: self.kind,
            scales: of_scales,
            asynchronous: true,
            ..Form::plain(
                MatrixShape { m: SIZE.0 as u16, n: SIZE.1 as u16, k: depth as u16 },
                [of_d, types[0], types[1], of_d],
            )
        };
        if b.across && b.room == 8 && !n.is_multiple_of(2 * self.ctas * SIZE.1) {
            return Err(format!("it says that B is transposed, with elements of 8 bits and {n} columns"));
        }
        let at = |at: u32| if scaled { field(at, 2) } else { 0 };
        if ![at(29), at(4)].iter().all(|first| first.is_multiple_of(self.scales.max(1) as u32)) {
            return Err("it says that scales begin in the middle of others".into());
        }
        Ok(Multiplication {
            a,
            b,
            form,
            halves: of_d == Word::F16,
            scales_at: [at(29), at(4)],
            scales: self.scales,
            ctas: self.ctas,
        })
    }

    /// The product of a block, made ready.
    pub fn block(&self, said: &Multiplication) -> Block {
        let is_whole = |matrix: &Factor| matrix.width == matrix.room;
        let product = match (self.scales, is_whole(&said.a) && is_whole(&said.b)) {
            (0, true) => match (self.of_warp)(&said.form, self.device) {
                Whole::Product(product) => Some(product),
                Whole::Other(_) => None,
            },
            _ => None,
        };
        Block { multiplier: Multiplier::new(&said.form, self.device), product }
    }

    fn fits(&self, m: usize, n: usize) -> Result<(), String> {
        let rows: &[usize] = match self.ctas {
            2 => &[128, 256],
            _ if self.scales > 0 => &[128],
            _ => &[64, 128],
        };
        if !rows.contains(&m) {
            let may = rows.iter().map(usize::to_string).collect::<Vec<_>>().join(" or ");
            return Err(format!("it says that A has {m} rows, which may be {may}"));
        }
        let step = match self.kind {
            Word::KindI8 if n > 32 || self.ctas == 2 => 16,
            _ => 8,
        };
        if (8..=256).contains(&n) && n.is_multiple_of(self.ctas * step) {
            Ok(())
        } else {
            let may = match (self.kind, self.ctas) {
                (Word::KindI8, 1) => "8, 24, and 16 to 256 by 16".into(),
                (_, ctas) => format!("{0} to 256 by {0}", ctas * step),
            };
            Err(format!("it says that B has {n} columns, which may be {may}"))
        }
    }

    /// What a code says of the type of factors.
    fn factor_type(&self, name: &str, code: u32) -> Result<Word, String> {
        let found = match (self.kind, code) {
            (Word::KindTf32, 2) => Word::Tf32,
            (Word::KindF16, 0) => Word::F16,
            (Word::KindF16, 1) => Word::Bf16,
            (Word::KindI8, 0) => Word::U8,
            (Word::KindI8, 1) => Word::S8,
            (Word::KindF8f6f4 | Word::KindMxf8f6f4, 0) => Word::E4m3,
            (Word::KindF8f6f4 | Word::KindMxf8f6f4, 1) => Word::E5m2,
            (Word::KindF8f6f4 | Word::KindMxf8f6f4, 3) => Word::E2m3,
            (Word::KindF8f6f4 | Word::KindMxf8f6f4, 4) => Word::E3m2,
            (Word::KindF8f6f4 | Word::KindMxf8f6f4, 5) => Word::E2m1,
            (Word::KindMxf4 | Word::KindMxf4nvf4, 1) => Word::E2m1,
            _ => return Err(format!("it says that {name} is of type {code}, which the kind does not have")),
        };
        Ok(found)
    }
}

impl Factor {
    /// Where it lies in shared memory.
    fn descriptor(&self, bits: u64) -> Result<Descriptor, String> {
        let matrix = Descriptor::of_tensor_memory(bits, self.across)?;
        // Words across the depth move by pairs of chunks, and nothing else does.
        match self.across && (self.room == 32) != matrix.moves_pairs() {
            true => {
                let modes = if self.room == 32 { "1" } else { "0, 2, 4 or 6" };
                Err(format!(
                    "its swizzling mode is {}, and of elements of {} bits across the depth it must be {modes}",
                    bits >> 61,
                    self.room
                ))
            }
            false => Ok(matrix),
        }
    }

    /// Where chunks of a matrix in shared memory lie, in the order in which [`Factor::elements`] takes them.
    fn chunks(&self, matrix: &Descriptor, chunks: &mut Vec<u64>) {
        let of_chunk = (8 * size_of::<Chunk>()) as u32 / self.room;
        if !self.across {
            const DEPTH: usize = BYTES / size_of::<Chunk>();
            for i in 0..self.lines / CORE {
                let cores: [_; DEPTH] = std::array::from_fn(|k| matrix.core(i, k));
                chunks.extend((0..CORE).flat_map(|row| cores.map(|core| core[row])));
            }
            return;
        }
        let (across, depth) = (self.lines.div_ceil(of_chunk as usize), 8 * BYTES / self.room as usize);
        let each = (0..across).flat_map(|i| (0..depth).map(move |k| (i, k)));
        chunks.extend(each.map(|(i, k)| matrix.chunk(i, k / CORE, k % CORE)));
    }

    /// The sign of every element of a word.
    fn signs(&self) -> u32 {
        (0..32 / self.room).fold(0, |signs, k| signs | (self.sign as u32) << (k * self.room))
    }

    /// Lines, from the chunks that [`Factor::chunks`] finds.
    fn packed(&self, chunks: &[Chunk]) -> Vec<Packed> {
        let mut lines = vec![[0; WORDS]; self.lines];
        if !self.across && self.width == self.room {
            let signs = self.signs();
            let words = chunks.as_flattened().as_chunks().0.iter();
            let all = lines.as_flattened_mut().iter_mut().zip(words);
            all.for_each(|(word, bytes)| *word = u32::from_le_bytes(*bytes) ^ signs);
            return lines;
        }
        // Numbers of fewer bits than their room lie side by side at the beginning of a chunk.
        let of_chunk = (8 * size_of::<Chunk>()) / self.room as usize;
        let depth = 8 * BYTES / self.room as usize;
        for (at, chunk) in chunks.iter().enumerate() {
            let bits = u128::from_le_bytes(*chunk);
            for k in 0..of_chunk {
                let (line, along) = match self.across {
                    false => (at / (depth / of_chunk), at % (depth / of_chunk) * of_chunk + k),
                    true => (at / depth * of_chunk + k, at % depth),
                };
                let element = self.element((bits >> (k as u32 * self.width)) as u64);
                let (word, shift) = (along / (32 / self.room as usize), along as u32 * self.room % 32);
                if let Some(line) = lines.get_mut(line) {
                    line[word] |= (element as u32) << shift;
                }
            }
        }
        lines
    }

    /// A line from its words in tensor memory, where each element has its room to itself.
    fn packed_words(&self, mut words: Packed) -> Packed {
        // Numbers of 4 bits lie in the middle of their byte.
        let left = if self.width == 4 && self.room == 8 { 2 } else { 0 };
        let mask =
            (0..32 / self.room).fold(0, |mask, k| mask | (u32::MAX >> (32 - self.width)) << (k * self.room));
        words.iter_mut().for_each(|word| *word = (*word >> left & mask) ^ self.signs());
        words
    }

    fn element(&self, bits: u64) -> u64 {
        bits & (u64::MAX >> (64 - self.width)) ^ self.sign
    }

    /// The elements of lines.
    fn elements(&self, lines: &[Packed]) -> Vec<u64> {
        let mask = u32::MAX >> (32 - self.width);
        let words = lines.as_flattened().iter();
        words
            .flat_map(|word| (0..32 / self.room).map(move |k| u64::from(word >> (k * self.room) & mask)))
            .collect()
    }
}

impl Multiplication {
    /// Rows and columns of D.
    pub fn size(&self) -> (usize, usize) {
        (self.ctas * self.a.lines, self.ctas * self.b.lines)
    }

    /// Where the chunks of a CTA's rows of A lie in its shared memory, by the descriptor.
    ///
    /// # Errors
    /// What is wrong with the descriptor.
    pub fn chunks_of_a(&self, descriptor: u64, chunks: &mut Vec<u64>) -> Result<(), String> {
        self.a.chunks(&self.a.descriptor(descriptor)?, chunks);
        Ok(())
    }

    /// The same of its columns of B.
    ///
    /// # Errors
    /// What is wrong with the descriptor.
    pub fn chunks_of_b(&self, descriptor: u64, chunks: &mut Vec<u64>) -> Result<(), String> {
        self.b.chunks(&self.b.descriptor(descriptor)?, chunks);
        Ok(())
    }

    /// Rows of A from their chunks.
    pub fn a(&self, chunks: &[Chunk]) -> Vec<Packed> {
        self.a.packed(chunks)
    }

    /// Columns of B from their chunks.
    pub fn b(&self, chunks: &[Chunk]) -> Vec<Packed> {
        self.b.packed(chunks)
    }

    /// A row of A from its words in tensor memory.
    pub fn row_of_a(&self, words: Packed) -> Packed {
        self.a.packed_words(words)
    }

    /// What matters to the arithmetic of a block.
    pub fn form(&self) -> &Form {
        &self.form
    }

    /// Which CTA has an element of D, or a row of A, and where, counted from the first lane and column (manual, 9.7.16.10.5).
    pub fn cell(&self, row: usize, column: usize) -> (usize, Cell) {
        let (cta, row) = (row / self.a.lines, row % self.a.lines);
        let (lane, column) = match (self.ctas, self.a.lines) {
            (1, FEW) => (row / SIZE.0 * 2 * SIZE.0 + row % SIZE.0, column),
            (_, FEW) => (row + column / self.run() * FEW, column % self.run()),
            _ => (row, column),
        };
        (cta, Cell { lane: lane as u32, column: column as u32 })
    }

    /// Columns of D that lie side by side in a lane.
    pub fn run(&self) -> usize {
        if self.ctas == 2 && self.a.lines == FEW { self.b.lines } else { self.size().1 }
    }

    /// Lanes from the first to the last of D and A.
    pub fn lanes(&self) -> usize {
        if self.ctas == 1 && self.a.lines == FEW { LANES - SIZE.0 } else { LANES }
    }

    /// The first lanes that D and A may have.
    pub fn may_begin_at(&self, lane: u32) -> bool {
        lane == 0 || lane as usize == SIZE.0 && self.ctas == 1 && self.a.lines == FEW
    }

    /// Whether there are scales.
    pub fn has_scales(&self) -> bool {
        self.scales > 0
    }

    /// The word with the scales of one of a CTA's rows of A, counted from the first one: other quarters of the lanes have copies.
    pub fn scales_of_row(&self, row: usize) -> Cell {
        Cell { lane: (row % QUARTER) as u32, column: (row / QUARTER) as u32 }
    }

    /// The word with those of a column of B, which every CTA has for its rows: where halves of the lanes have other columns of D, each
    /// has the scales of its own, and a copy in its second quarter.
    pub fn scales_of_column(&self, column: usize) -> Cell {
        let (half, column) = (column / self.run(), column % self.run());
        self.scales_of_row(column).plus((half * FEW) as u32, 0)
    }

    /// The scales in such words, of A's or else of B's.
    pub fn scales(&self, words: &[u32], of_b: bool) -> Vec<u64> {
        let first = self.scales_at[usize::from(of_b)];
        let each = words.iter().flat_map(|word| (0..self.scales as u32).map(move |k| (*word, k)));
        each.map(|(word, k)| u64::from(word.rotate_right(8 * (first + k)) & 0xff)).collect()
    }

    /// Divides words of D, and takes of each what is a number.
    pub fn divide(&self, d: &mut [u32], sources: &Sources) {
        match (self.halves, sources.divided) {
            (false, 0) => {}
            (true, by) => d.iter_mut().for_each(|word| *word = half_divided(*word as u16, by).into()),
            (false, by) => d.iter_mut().for_each(|word| *word = single_divided(*word, by)),
        }
    }

    /// What becomes of D, row by row, in place of what is added, from A's rows and B's columns and their scales: those of B for each CTA's
    /// rows.
    ///
    /// # Panics
    /// If there are fewer rows, columns or scales than the product has.
    pub fn carry_out(&self, block: &Block, [a, b]: [&[Packed]; 2], [of_a, of_b]: [&[u64]; 2], d: &mut [u32]) {
        let (m, n) = self.size();
        let (a, b) = (self.a.elements(a), self.b.elements(b));
        let depth = usize::from(self.form.shape.k);
        let multiplier = &block.multiplier;
        let mut work = Workspace::new();
        let mut sums = [0; SIZE.0 * SIZE.1];
        let part = |all: &[u64], first: usize, count: usize, each: usize| -> std::ops::Range<usize> {
            if all.is_empty() { 0..0 } else { first * each..(first + count) * each }
        };
        for (row, column) in (0..m).step_by(SIZE.0).flat_map(|i| (0..n).step_by(SIZE.1).map(move |j| (i, j)))
        {
            let at = |k: usize| (row + k / SIZE.1) * n + column + k % SIZE.1;
            sums.iter_mut().enumerate().for_each(|(k, c)| *c = d[at(k)].into());
            let of_cta = row / self.a.lines * n;
            let scales = [
                &of_a[part(of_a, row, SIZE.0, self.scales)],
                &of_b[part(of_b, of_cta + column, SIZE.1, self.scales)],
            ];
            let rows = &a[part(&a, row, SIZE.0, depth)];
            let columns = &b[part(&b, column, SIZE.1, depth)];
            multiplier.multiply_add_in(&mut work, rows, columns, scales, &mut sums);
            sums.iter().enumerate().for_each(|(k, c)| d[at(k)] = *c as u32);
        }
    }
}

/// A number of single precision divided by a power of two, to the nearest.
fn single_divided(bits: u32, by: u32) -> u32 {
    if by == 0 { bits } else { (f32::from_bits(bits) * (1.0 / (1u32 << by) as f32)).to_bits() }
}

/// The same of half precision.
fn half_divided(bits: u16, by: u32) -> u16 {
    use crate::float::{F16, F32, Mode, encode};
    if by == 0 {
        return bits;
    }
    let single = encode(&F32, Mode::Nearest, false, F16.decode(bits.into()), &[]) as u32;
    let divided = single_divided(single, by);
    encode(&F16, Mode::Nearest, false, F32.decode(divided.into()), &[]) as u16
}
