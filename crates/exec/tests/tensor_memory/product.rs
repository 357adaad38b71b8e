//! Products: where elements of A, B, D and of scales lie, and what D becomes (manual, 9.7.16.10).

use crate::kernel::{Block, COLUMNS, LANES, SHARED, WORDS, at, judge_cells, kernel, once, run};
use crate::layout::{Layout, MODES, bits_of};
use crate::random::Random;
use margay_isa::tensor_core::{Form, NO_SCALES, multiply_add};
use margay_isa::{Bits, MatrixShape, Word};

/// Where matrices may lie in shared memory: the first byte, and how many.
const ROOMS: [(usize, usize); 2] = [(0, 0x5000), (0x5000, SHARED - 0x5000)];

/// A type: its word, its code in descriptors of instructions, and its bits.
type Ty = (Word, u32, usize);

const F16: Ty = (Word::F16, 0, 16);
const F32: Ty = (Word::F32, 1, 32);
const S32: Ty = (Word::S32, 2, 32);
const BF16: Ty = (Word::Bf16, 1, 16);
const SMALL: &[Ty] =
    &[(Word::E4m3, 0, 8), (Word::E5m2, 1, 8), (Word::E2m3, 3, 6), (Word::E3m2, 4, 6), (Word::E2m1, 5, 4)];

/// A kind: its name and word, the types that its factors and D have, and bits of the room of an element.
struct Kind {
    name: &'static str,
    word: Word,
    factors: &'static [Ty],
    sums: &'static [Ty],
    room: usize,
    /// Ways to say how many scales a line has, and how many these are.
    scales: &'static [(&'static str, usize)],
}

const DENSE: &[(&str, usize)] = &[("", 0)];
const KINDS: [Kind; 7] = [
    Kind {
        name: "f16",
        word: Word::KindF16,
        factors: &[F16, BF16],
        sums: &[F16, F32],
        room: 16,
        scales: DENSE,
    },
    Kind {
        name: "tf32",
        word: Word::KindTf32,
        factors: &[(Word::Tf32, 2, 32)],
        sums: &[F32],
        room: 32,
        scales: DENSE,
    },
    Kind {
        name: "f8f6f4",
        word: Word::KindF8f6f4,
        factors: SMALL,
        sums: &[F16, F32],
        room: 8,
        scales: DENSE,
    },
    Kind {
        name: "i8",
        word: Word::KindI8,
        factors: &[(Word::U8, 0, 8), (Word::S8, 1, 8)],
        sums: &[S32],
        room: 8,
        scales: DENSE,
    },
    Kind {
        name: "mxf8f6f4",
        word: Word::KindMxf8f6f4,
        factors: SMALL,
        sums: &[F32],
        room: 8,
        scales: &[("", 1), (".scale_vec::1X", 1), (".block32", 1)],
    },
    Kind {
        name: "mxf4",
        word: Word::KindMxf4,
        factors: &[(Word::E2m1, 1, 4)],
        sums: &[F32],
        room: 4,
        scales: &[("", 2), (".scale_vec::2X", 2), (".block32", 2)],
    },
    Kind {
        name: "mxf4nvf4",
        word: Word::KindMxf4nvf4,
        factors: &[(Word::E2m1, 1, 4)],
        sums: &[F32],
        room: 4,
        scales: &[(".scale_vec::2X", 2), (".block32", 2), (".scale_vec::4X", 4), (".block16", 4)],
    },
];

/// Which kinds come how often.
const DENSE_KINDS: [usize; 6] = [0, 2, 0, 1, 2, 3];
const SCALED_KINDS: [usize; 4] = [4, 5, 6, 6];

/// A product.
#[derive(Debug)]
struct Drawn {
    kind: &'static str,
    form: Form,
    /// Of A and of B: bits of an element and of its room, rows or columns, whether they lie across the depth, whether they are negated.
    widths: [usize; 2],
    room: usize,
    lines: [usize; 2],
    turns: [bool; 2],
    negates: [bool; 2],
    layouts: [Layout; 2],
    /// Lane and column of D and, if it is in tensor memory, of A.
    d: (usize, usize),
    a: Option<(usize, usize)>,
    /// The word that says how many scales there are, how many, the columns where they begin, and the bytes.
    scales: (&'static str, usize, [usize; 2], [usize; 2]),
    adds: bool,
    divided: Option<u32>,
    kept: Option<[u32; 4]>,
    instruction: u32,
    /// Whether numbers are of any size, and whether all of A and B are zero.
    wild: bool,
    empty: bool,
}

impl Drawn {
    /// Number `turn` of those that are drawn of a kind.
    fn new(random: &mut Random, kind: &Kind, turn: usize) -> Drawn {
        let count = kind.factors.len();
        let of_a = kind.factors[turn % count];
        let of_b = kind.factors[(turn + turn / count) % count];
        let of_d = if [of_a.0, of_b.0].contains(&Word::Bf16) { F32 } else { *random.pick(kind.sums) };
        let (scale, scales) = kind.scales[turn % kind.scales.len()];
        let (widths, room) = ([of_a.2, of_b.2], kind.room);
        let depth = 256 / room;

        let holds_a = random.once_in(2);
        let turns =
            [0, 1].map(|f| widths[f] == room && room >= 8 && !(f == 0 && holds_a) && random.once_in(2));
        let m = if scales > 0 || random.once_in(2) { 128 } else { 64 };
        let step = if turns[1] && room == 8 { 16 } else { 8 };
        let most = if random.once_in(4) { 256 } else { 64 };
        let n = step * (1 + random.below(most / step));
        let n = if kind.name == "i8" && n > 32 { n / 16 * 16 } else { n };
        let lines = [m, n];
        let layouts = [0, 1].map(|f| {
            let mode = match (turns[f], room) {
                (true, 32) => 4,
                (true, _) => random.below(4),
                (false, _) => random.below(MODES.len()),
            };
            let size = if turns[f] { (lines[f] * room / 128, depth) } else { (lines[f], 2) };
            Layout::draw(random, ROOMS[f], size, (mode, turns[f]))
        });

        // D, A and scales lie one after the other, in any order.
        let mut columns = [0; 4];
        let (mut rest, mut next) = (vec![(0, n), (1, 8), (2, 4), (3, 8)], 0);
        while !rest.is_empty() {
            let (which, wide) = rest.swap_remove(random.below(rest.len()));
            columns[which] = next + random.below((COLUMNS - 276) / 4 + 1);
            next = columns[which] + wide;
        }
        let [of_d_columns, of_a_columns, of_scales @ ..] = columns;
        let mut lane = || if m == 64 { 16 * random.below(2) } else { 0 };
        let (d, a) = ((lane(), of_d_columns), (lane(), of_a_columns));

        let is_integer = of_d.0 == Word::S32;
        let negates = [0, 1].map(|_| !is_integer && random.once_in(3));
        let clamped = is_integer && random.once_in(2);
        let of_scales_type = match (scales, kind.name) {
            (0, _) => Word::Absent,
            (4, _) if random.once_in(2) => Word::Ue4m3,
            _ => Word::Ue8m0,
        };
        let bytes = [0, 1].map(|_| match scales {
            1 => random.below(4),
            2 => 2 * random.below(2),
            _ => 0,
        });
        let mut instruction = of_a.1 << 7 | of_b.1 << 10 | (n as u32 / 8) << 17 | (m as u32 / 16) << 24;
        instruction |= match scales {
            0 => of_d.1 << 4 | u32::from(clamped) << 3,
            _ => {
                let is_ue8m0 = u32::from(of_scales_type == Word::Ue8m0);
                (bytes[1] as u32) << 4 | is_ue8m0 << 23 | (bytes[0] as u32) << 29
            }
        };
        for f in 0..2 {
            instruction |= u32::from(negates[f]) << (13 + f) | u32::from(turns[f]) << (15 + f);
        }
        let shape = MatrixShape { m: 16, n: 8, k: depth as u16 };
        let form = Form {
            clamped,
            kind: kind.word,
            scales: of_scales_type,
            asynchronous: true,
            ..Form::plain(shape, [of_d.0, of_a.0, of_b.0, of_d.0])
        };
        let divides = ["f16", "tf32"].contains(&kind.name) && random.once_in(2);
        Drawn {
            kind: kind.name,
            form,
            widths,
            room,
            lines,
            turns,
            negates,
            layouts,
            d,
            a: holds_a.then_some(a),
            scales: (scale, scales, of_scales, bytes),
            adds: !random.once_in(4),
            divided: divides.then(|| random.below(16).max(random.below(16)) as u32),
            kept: (scales == 0 && random.once_in(2))
                .then(|| [0; 4].map(|_: u32| (random.next() & random.next()) as u32)),
            instruction,
            wild: random.once_in(6),
            // Only so does it show how D is rounded where it is divided.
            empty: divides && random.once_in(2),
        }
    }

    /// What the thread does that multiplies.
    fn text(&self, random: &mut Random) -> String {
        let (scale, scales, of_scales, _) = self.scales;
        let place = |(lane, column): (usize, usize)| lane << 16 | column;
        let [of_a, of_b] = self.layouts.map(|layout| layout.descriptor());
        let mut text = format!(
            "mov.u64 %descA, {of_a}; mov.u64 %descB, {of_b};\nadd.u32 %w0, %base, {}; add.u32 %w1, %base, {};\n",
            place(self.d),
            self.a.map_or(0, place)
        );
        // The highest two bits of where scales lie do not count.
        for (k, column) in of_scales.iter().enumerate() {
            let place = *column as u64 | (random.below(4) as u64) << 30;
            text += &format!("add.u32 %w{}, %base, {place};\n", 2 + k);
        }
        for (k, bits) in self.kept.iter().flatten().enumerate() {
            text += &format!("mov.b32 %w{}, {bits};\n", 4 + k);
        }
        let inverted = random.once_in(2);
        text += &format!("setp.eq.u32 %adds, {}, 1;\n", u32::from(self.adds != inverted));
        text += &format!("tcgen05.mma.cta_group::1.kind::{}", self.kind);
        if scales > 0 {
            text += &format!(".block_scale{scale}");
        }
        text += ["", "", ".collector::a::fill", ".collector::a::discard"][random.below(4)];
        text += &format!(
            " [%w0], {}, %descB, {}",
            if self.a.is_some() { "[%w1]" } else { "%descA" },
            self.instruction
        );
        if scales > 0 {
            text += ", [%w2], [%w3]";
        }
        if self.kept.is_some() {
            text += ", {%w4, %w5, %w6, %w7}";
        }
        text += if inverted { ", !%adds" } else { ", %adds" };
        if let Some(divided) = self.divided {
            text += &format!(", {divided}");
        }
        text + ";\n"
    }

    /// What the block has before: numbers of the types wherever A, B, D and scales may lie.
    fn block(&self, random: &mut Random) -> Block {
        let mut picture = vec![0; SHARED];
        let rooms = ROOMS.into_iter().enumerate().filter(|_| !self.empty);
        for (f, (first, bytes)) in rooms {
            let ty = [self.form.a, self.form.b][f];
            for word in picture[first..first + bytes].as_chunks_mut().0 {
                *word = self.word(random, ty).to_le_bytes();
            }
        }
        let mut cells: Vec<u32> = (0..LANES * COLUMNS).map(|_| self.word(random, self.form.d)).collect();
        if let Some((_, column)) = self.a {
            for (lane, k) in (0..LANES).flat_map(|lane| (0..8).map(move |k| (lane, k))) {
                cells[at(lane, column + k)] = if self.empty { 0 } else { self.word(random, self.form.a) };
            }
        }
        for (first, count) in self.scales.2.into_iter().zip([4, 8]) {
            for (lane, column) in (0..32).flat_map(|lane| (first..first + count).map(move |k| (lane, k))) {
                // All quarters of the lanes have the same.
                let word = self.word(random, self.form.scales);
                (0..4).for_each(|quarter| cells[at(lane + 32 * quarter, column)] = word);
            }
        }
        Block { picture, cells, words: vec![0; LANES * WORDS] }
    }

    /// A word of numbers, mostly ones that have others of about their size.
    fn word(&self, random: &mut Random, ty: Word) -> u32 {
        let bits = random.next() as u32;
        match ty {
            _ if self.wild => bits,
            Word::F16 => 0x3000_3000 + (bits & 0x8fff_8fff),
            Word::Bf16 => 0x3e00_3e00 + (bits & 0x81ff_81ff),
            Word::Tf32 => 0x3e00_0000 + (bits & 0x81ff_ffff),
            Word::F32 => 0x3f00_0000 + (bits & 0x83ff_ffff),
            Word::E4m3 | Word::E5m2 => bits & 0xbfbf_bfbf,
            Word::Ue8m0 => 0x7878_7878 + (bits & 0x0f0f_0f0f),
            Word::Ue4m3 => bits & 0x3f3f_3f3f,
            _ => bits,
        }
    }

    /// A row of A or a column of B.
    fn line(&self, block: &Block, f: usize, x: usize) -> Vec<Bits> {
        let (width, room) = (self.widths[f], self.room);
        let element = |k: usize| match (f, self.a) {
            (0, Some((lane, column))) => {
                let word = block.cells[at(lane + self.lane(x), column + k * room / 32)];
                // Numbers of 4 bits lie in the middle of their byte.
                let left = if (width, room) == (4, 8) { 2 } else { 0 };
                u64::from(word) >> (k * room % 32 + left) & ((1 << width) - 1)
            }
            _ => {
                // Numbers of fewer bits lie side by side at the beginning of a chunk.
                let of_chunk = 128 / room;
                let (chunk, k) = match self.turns[f] {
                    false => (self.layouts[f].chunk(x, k / of_chunk), k % of_chunk),
                    true => (self.layouts[f].chunk(x / of_chunk, k), x % of_chunk),
                };
                bits_of(&block.picture, chunk, k * width, width)
            }
        };
        let sign = u64::from(self.negates[f]) << (width - 1);
        (0..256 / room).map(|k| Bits::from(element(k) ^ sign)).collect()
    }

    /// The lane of a row, counted from the first.
    fn lane(&self, row: usize) -> usize {
        if self.lines[0] == 64 { row / 16 * 32 + row % 16 } else { row }
    }

    /// The scales of a row or a column.
    fn scales(&self, block: &Block, f: usize, x: usize) -> Vec<Bits> {
        let (_, count, columns, bytes) = self.scales;
        let byte = |k: usize| block.cells[at(x % 32, columns[f] + x / 32)] >> (8 * (bytes[f] + k)) & 0xff;
        (0..count).map(|k| byte(k).into()).collect()
    }

    /// What is added, of a word of D.
    fn added(&self, word: u32) -> u32 {
        let by = self.divided.unwrap_or(0);
        match self.form.d {
            _ if !self.adds => 0,
            Word::F16 => divided_half(word as u16, by).into(),
            Word::F32 if by > 0 => (f32::from_bits(word) / (1u32 << by) as f32).to_bits(),
            _ => word,
        }
    }

    /// All of tensor memory after the product has been carried out so many times.
    fn expected(&self, block: &Block, times: usize) -> Vec<u32> {
        let [m, n] = self.lines;
        let all = |f: usize| -> Vec<_> {
            (0..self.lines[f]).map(|x| (self.line(block, f, x), self.scales(block, f, x))).collect()
        };
        let (rows, columns) = (all(0), all(1));
        let device = "sm_100a".parse().unwrap();
        let mut cells = block.cells.clone();
        for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let lane = self.d.0 + self.lane(i);
            if self.kept.is_some_and(|kept| kept[lane / 32] >> (lane % 32) & 1 == 1) {
                continue;
            }
            let cell = &mut cells[at(lane, self.d.1 + j)];
            let ((a, of_a), (b, of_b)) = (&rows[i], &columns[j]);
            let scales = if of_a.is_empty() { NO_SCALES } else { [&of_a[..], &of_b[..]] };
            for _ in 0..times {
                *cell = multiply_add(&self.form, device, a, b, scales, self.added(*cell).into()) as u32;
            }
        }
        cells
    }
}

/// A half divided by a power of two, to the nearest, and of two as near to the even one.
fn divided_half(bits: u16, by: u32) -> u16 {
    let (exponent, fraction) = (u32::from(bits >> 10 & 0x1f), u32::from(bits & 0x3ff));
    match exponent {
        _ if by == 0 => bits,
        31 => bits,
        _ if exponent > by => bits - ((by as u16) << 10),
        _ => {
            // What is left has no exponent: so many bits are cut.
            let (whole, cut) = match exponent {
                0 => (fraction, by),
                _ => (fraction | 0x400, by + 1 - exponent),
            };
            let (kept, rest, half) = (whole >> cut, whole & ((1 << cut) - 1), 1 << (cut - 1));
            let up = rest > half || rest == half && kept & 1 == 1;
            bits & 0x8000 | (kept + u32::from(up)) as u16
        }
    }
}

/// Judges so many products, of dense matrices or those with scales.
pub fn judge(seed: u64, count: usize, scaled: bool) {
    let mut turns = [0; KINDS.len()];
    let kinds: &[usize] = if scaled { &SCALED_KINDS } else { &DENSE_KINDS };
    for number in 0..count {
        let mut random = Random::new(seed, number as u64 + if scaled { 1 << 32 } else { 0 });
        let kind = kinds[number % kinds.len()];
        let drawn = Drawn::new(&mut random, &KINDS[kind], turns[kind]);
        turns[kind] += 1;
        let what = drawn.text(&mut random);
        let times = 1 + usize::from(random.once_in(4));
        let text = kernel(&once(random.below(LANES), &what.repeat(times)));
        // Blocks run side by side.
        let blocks = if random.once_in(4) { 2 } else { 1 };
        let blocks: Vec<Block> = (0..blocks).map(|_| drawn.block(&mut random)).collect();
        for (left, block) in run(&text, &blocks).iter().zip(&blocks) {
            let what = format!("{seed}, {number}, {times} times: {what}\n{drawn:?}");
            judge_cells(&left.cells, &drawn.expected(block, times), &what);
        }
    }
}
