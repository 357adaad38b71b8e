//! Pairs of CTAs that use tensor memory together: elements go where formulas of the manual's figures say, and sums are those of one element after
//! the other.

#[allow(dead_code, reason = "other tests use more of it")]
#[path = "support/random_kernel/random.rs"]
mod random;

use margay_exec::{Argument, Dim, Engine, Launch, Memory, Program, parameter_block};
use margay_isa::tensor_core::{Form, NO_SCALES, multiply_add};
use margay_isa::{Bits, MatrixShape, Word};
use random::Random;

/// Bytes of a CTA's shared memory that matrices lie in, and where B's begin.
const SHARED: usize = 0xa000;
const OF_B: usize = 0x5000;
/// Threads of a CTA, one for each lane of tensor memory, and the columns that are looked at.
const LANES: usize = 128;
const COLUMNS: usize = 288;
/// Where A, its scales and those of B lie in tensor memory; D lies before them.
const OF_A: usize = 256;
const SCALES: [usize; 2] = [264, 272];

/// The words of a CTA's tensor memory, lane by lane.
type Cells = Vec<u32>;

/// A kernel: CTAs of a cluster fill shared and tensor memory, `body` is what all threads do then, and tensor memory is written out.
fn kernel(body: &str) -> String {
    let words: Vec<String> = (0..8).map(|k| format!("%w{k}")).collect();
    let [low, high] = [words[..4].join(", "), words[4..].join(", ")];
    let words = words.join(", ");
    let (mut fill, mut show) = (String::new(), String::new());
    for c in (0..COLUMNS).step_by(8) {
        let at = 4 * c;
        fill += &format!(
            "ld.global.v4.b32 {{{low}}}, [%in+{at}]; ld.global.v4.b32 {{{high}}}, [%in+{}];\n\
             tcgen05.st.sync.aligned.32x32b.x8.b32 [%own+{c}], {{{words}}};\n",
            at + 16
        );
        show += &format!(
            "tcgen05.ld.sync.aligned.32x32b.x8.b32 {{{words}}}, [%own+{c}];\n\
             st.global.v4.b32 [%out+{at}], {{{low}}}; st.global.v4.b32 [%out+{}], {{{high}}};\n",
            at + 16
        );
    }
    format!(
        ".version 9.1\n.target sm_100a\n.address_size 64\n.shared .align 1024 .b8 tile[{SHARED}];\n.shared .align 8 .b64 done;\n.shared .b32 base;\n\
         .visible .entry k(.param .u64 picture, .param .u64 in, .param .u64 out) {{\n\
         .reg .b64 %picture, %in, %out, %at, %address, %state; .reg .b32 %t, %k, %x, %rank, %first, %base, %own, %bar, %w<8>, %m<8>; .reg .pred %p, %adds;\n\
         ld.param.u64 %picture, [picture]; ld.param.u64 %in, [in]; ld.param.u64 %out, [out];\n\
         mov.u32 %t, %tid.x; mov.u32 %rank, %cluster_ctarank; mov.u32 %k, %t;\n\
         mul.wide.u32 %at, %rank, {SHARED}; add.u64 %picture, %picture, %at;\n\
         copy:\nmul.wide.u32 %at, %k, 16; add.u64 %address, %picture, %at; ld.global.v4.u32 {{%w0, %w1, %w2, %w3}}, [%address];\n\
         mov.u64 %address, tile; add.u64 %address, %address, %at; st.shared.v4.u32 [%address], {{%w0, %w1, %w2, %w3}};\n\
         add.u32 %k, %k, {LANES}; setp.lt.u32 %p, %k, {};\n@%p bra copy;\n\
         setp.ge.u32 %p, %t, 32;\n@%p bra taken;\n\
         tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [base], 512;\ntcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;\n\
         taken:\nmov.u32 %bar, done; setp.eq.u32 %p, %t, 0;\n@%p mbarrier.init.shared::cta.b64 [%bar], 1;\n\
         bar.sync 0;\nld.shared.b32 %base, [base];\n\
         mad.lo.u32 %x, %rank, {LANES}, %t; mul.wide.u32 %at, %x, {}; add.u64 %in, %in, %at; add.u64 %out, %out, %at;\n\
         shr.u32 %x, %t, 5; shl.b32 %x, %x, 21; add.u32 %own, %base, %x;\n\
         {fill}tcgen05.wait::st.sync.aligned;\n\
         fence.proxy.async;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n\
         {body}\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n\
         {show}tcgen05.wait::ld.sync.aligned;\n\
         setp.ge.u32 %p, %t, 32;\n@%p bra over;\ntcgen05.dealloc.cta_group::2.sync.aligned.b32 %base, 512;\nover:\nret;\n}}\n",
        SHARED / 16,
        4 * COLUMNS,
    )
}

/// One thread of a CTA does something, and makes an arrival at the barrier object of each CTA of a mask, whose threads wait for it.
fn once(rank: usize, what: &str, mask: u32) -> String {
    format!(
        "setp.ne.u32 %p, %rank, {rank};\n@%p bra behind;\nsetp.ne.u32 %p, %t, 37;\n@%p bra behind;\n{what}\n\
         tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%bar], {mask};\n\
         behind:\nmov.u32 %x, {mask}; shr.u32 %x, %x, %rank; and.b32 %x, %x, 1; setp.eq.u32 %p, %x, 0;\n@%p bra met;\n\
         wait:\nmbarrier.try_wait.parity.shared::cta.b64 %p, [%bar], 0;\n@!%p bra wait;\nmet:\ntcgen05.fence::after_thread_sync;\n"
    )
}

/// A launch of one cluster, or of one block if that is 1; what the kernel leaves of each CTA's tensor memory, or what went wrong.
fn launch(
    text: &str,
    ctas: usize,
    pictures: &[Vec<u8>],
    cells: &[Cells],
    engine: Engine,
) -> Result<Vec<Cells>, String> {
    let module = margay_front::compile(text).unwrap_or_else(|errors| panic!("{:?}", errors[0]));
    let mut memory = Memory::new(64);
    let program = Program::load(&module, &mut memory).unwrap();
    let mut buffer = |bytes: &[u8], name: &str| {
        let address = memory.alloc(bytes.len() as u64, name).unwrap();
        memory.write(address, bytes).unwrap();
        address
    };
    let picture = buffer(&pictures.concat(), "picture");
    let words: Vec<u8> = cells.iter().flatten().flat_map(|word| word.to_le_bytes()).collect();
    let input = buffer(&words, "in");
    let out = buffer(&vec![0xcd; words.len()], "out");
    let entry = module.entry("k").unwrap();
    let arguments = [picture, input, out].map(Argument::Address);
    let run = Launch {
        grid: (ctas as u32).into(),
        block: (LANES as u32).into(),
        cluster: (ctas > 1).then(|| Dim::from(ctas as u32)),
        parameters: parameter_block(module.function(entry), 64, &arguments).unwrap(),
        engine,
        workers: 1,
        ..Launch::new(entry)
    };
    run.run(&program, &memory).map_err(|error| error.to_string())?;
    let left = memory.read(out, words.len() as u64).unwrap();
    let left: Vec<u32> = left.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    Ok(left.chunks(LANES * COLUMNS).map(<[u32]>::to_vec).collect())
}

/// How a CTA's part of a matrix lies in shared memory.
#[derive(Clone, Copy)]
struct Layout {
    start: usize,
    leading: usize,
    stride: usize,
    /// Bytes within which it is swizzled; 16 where it is not.
    width: usize,
    /// Whether neighbours are those across the depth.
    across: bool,
}

impl Layout {
    fn draw(random: &mut Random, start: usize, across: bool) -> Layout {
        let width = [16, 32, 64, 128][random.below(4)];
        let (leading, stride) = match (width, across) {
            (16, false) => (2048, 128),
            (_, false) => (16, 8 * width),
            (16, true) => (2048, 128),
            (_, true) => (0x1000, 8 * width),
        };
        Layout { start, leading, stride, width, across }
    }

    fn descriptor(&self) -> u64 {
        let mode = match self.width {
            16 => 0,
            128 => 2,
            64 => 4,
            _ => 6u64,
        };
        let at = |bytes: usize, bit: u32| (bytes as u64 / 16) << bit;
        at(self.start, 0) | at(self.leading, 16) | at(self.stride, 32) | 1 << 46 | mode << 61
    }

    /// Where the first byte lies of a chunk of 16 bytes: line and chunk along the depth, or else chunk across it and element along it.
    fn chunk(&self, x: usize, k: usize) -> usize {
        let Layout { start, leading, stride, width, across } = *self;
        let at = match (width, across) {
            (16, false) => x / 8 * stride + x % 8 * 16 + k * leading,
            (_, false) => x / 8 * stride + x % 8 * width + k * 16,
            (16, true) => x * stride + k / 8 * leading + k % 8 * 16,
            (_, true) => x * 16 / width * leading + k / 8 * stride + k % 8 * width + x * 16 % width,
        };
        let at = start + at;
        at ^ (at >> 7 & (width / 16 - 1)) << 4
    }
}

/// A type of factors: its word, its code in descriptors, its bits, and those of the room that an element has.
#[derive(Clone, Copy)]
struct Ty(Word, u32, usize, usize);

const F16: Ty = Ty(Word::F16, 0, 16, 16);
const BF16: Ty = Ty(Word::Bf16, 1, 16, 16);
const TF32: Ty = Ty(Word::Tf32, 2, 32, 32);
const U8: Ty = Ty(Word::U8, 0, 8, 8);
const S8: Ty = Ty(Word::S8, 1, 8, 8);
const E4M3: Ty = Ty(Word::E4m3, 0, 8, 8);
const E5M2: Ty = Ty(Word::E5m2, 1, 8, 8);
const E3M2: Ty = Ty(Word::E3m2, 4, 6, 8);
const E2M1: Ty = Ty(Word::E2m1, 5, 4, 8);
const PACKED: Ty = Ty(Word::E2m1, 1, 4, 4);

impl Ty {
    /// Elements of a line.
    fn depth(self) -> usize {
        256 / self.3
    }

    /// A number, mostly one that has neighbours of about its size.
    fn number(self, random: &mut Random) -> u64 {
        let bits = random.next();
        match self.0 {
            Word::F16 => 0x3000 + (bits & 0x8fff),
            Word::Bf16 => 0x3e00 + (bits & 0x81ff),
            Word::Tf32 => 0x3e00_0000 + (bits & 0x81ff_ffff),
            Word::E5m2 => bits & 0xbf,
            Word::E4m3 => bits & 0xf7,
            _ => bits & ((1 << self.2) - 1),
        }
    }
}

/// A product of a pair.
#[derive(Clone, Copy)]
struct Product {
    kind: &'static str,
    /// The kind, where the arithmetic wants it.
    word: Word,
    types: [Ty; 2],
    /// D: its word and its code in descriptors.
    of_d: (Word, u32),
    /// Scales of a line, and their word.
    scales: (usize, Word),
    /// Rows of A and columns of B.
    size: [usize; 2],
    holds_a: bool,
    /// Which factors lie across the depth.
    turns: [bool; 2],
}

/// The chunks that a factor's element lies in, its bit in it, and the CTA.
fn in_shared(product: &Product, f: usize, layout: &Layout, line: usize, k: usize) -> (usize, usize, usize) {
    let (Ty(_, _, width, room), half) = (product.types[f], product.size[f] / 2);
    let (cta, x, of_chunk) = (line / half, line % half, 128 / room);
    match product.turns[f] {
        false => (cta, layout.chunk(x, k / of_chunk), k % of_chunk * width),
        true => (cta, layout.chunk(x / of_chunk, k), x % of_chunk * width),
    }
}

fn put(bytes: &mut [u8], at: usize, bit: usize, width: usize, value: u64) {
    for k in 0..width {
        let (byte, place) = (at + (bit + k) / 8, (bit + k) % 8);
        bytes[byte] = bytes[byte] & !(1 << place) | ((value >> k & 1) as u8) << place;
    }
}

/// Puts so many bits of a word of tensor memory.
fn put_cell(cells: &mut [u32], (lane, column): (usize, usize), bit: usize, width: usize, value: u64) {
    let word = &mut cells[lane * COLUMNS + column];
    let mask = ((1u64 << width) - 1) << bit;
    *word = (u64::from(*word) & !mask | value << bit & mask) as u32;
}

/// The lanes and the column of the scales of a line in each CTA that has them (CUTLASS's layouts): all quarters of the lanes have a copy, or
/// the first two where the others have other columns.
fn places_of_scales(product: &Product, of_b: bool, line: usize) -> Vec<(usize, usize, usize)> {
    let [m, n] = product.size;
    let column = SCALES[usize::from(of_b)];
    let all = |cta: usize, line: usize, quarters: std::ops::Range<usize>| {
        quarters.map(move |quarter| (cta, 32 * quarter + line % 32, column + line / 32))
    };
    match of_b {
        false => all(line / (m / 2), line % (m / 2), 0..4).collect(),
        true if m == 256 => (0..2).flat_map(|cta| all(cta, line, 0..4)).collect(),
        true => {
            let half = line / (n / 2);
            (0..2).flat_map(|cta| all(cta, line % (n / 2), 2 * half..2 * half + 2)).collect()
        }
    }
}

/// Draws what is multiplied and how, and judges what all cells of both tensor memories hold afterwards.
fn judge(product: &Product, random: &mut Random) {
    let Product { kind, word, types, of_d, scales: (scales, of_scales), size, holds_a, turns } = *product;
    let [m, n] = size;
    let depth = types[0].depth();
    let factors: Vec<Vec<u64>> =
        (0..2).map(|f| (0..size[f] * depth).map(|_| types[f].number(random)).collect()).collect();
    let layouts = [0, 1].map(|f| Layout::draw(random, f * OF_B, turns[f]));
    let mut pictures: Vec<Vec<u8>> = (0..2).map(|_| random.bytes(SHARED)).collect();
    for f in usize::from(holds_a)..2 {
        for (at, bits) in factors[f].iter().enumerate() {
            let (cta, chunk, bit) = in_shared(product, f, &layouts[f], at / depth, at % depth);
            put(&mut pictures[cta], chunk, bit, types[f].2, *bits);
        }
    }
    let number = |random: &mut Random| match of_d.0 {
        Word::F16 => 0x3800 + (random.next() as u32 & 0x87ff),
        Word::S32 => random.next() as u32,
        _ => 0x4000_0000 + (random.next() as u32 & 0x81ff_ffff),
    };
    let mut cells: Vec<Cells> =
        (0..2).map(|_| (0..LANES * COLUMNS).map(|_| number(random)).collect()).collect();
    if holds_a {
        let Ty(_, _, width, room) = types[0];
        // Numbers of 4 bits lie in the middle of their byte. Halves of the lanes have copies where they have other columns of D.
        let left = if width == 4 && room == 8 { 2 } else { 0 };
        for (at, bits) in factors[0].iter().enumerate() {
            let (i, bit) = (at / depth, at % depth * room);
            for copy in 0..256 / m {
                let lane = i % (m / 2) + 64 * copy;
                put_cell(&mut cells[i / (m / 2)], (lane, OF_A + bit / 32), bit % 32, room, bits << left);
            }
        }
    }
    let first = [0, 1].map(|_| match scales {
        1 => random.below(4),
        2 => 2 * random.below(2),
        _ => 0,
    });
    let mut scales_of: [Vec<Bits>; 2] = [Vec::new(), Vec::new()];
    for f in 0..2 {
        for (line, k) in (0..size[f]).flat_map(|line| (0..scales).map(move |k| (line, k))) {
            let scale =
                if of_scales == Word::Ue8m0 { 120 + random.below(16) as u64 } else { random.next() & 0x7e };
            scales_of[f].push(scale.into());
            for (cta, lane, column) in places_of_scales(product, f == 1, line) {
                put_cell(&mut cells[cta], (lane, column), 8 * (first[f] + k), 8, scale);
            }
        }
    }

    let integers = of_d.0 == Word::S32;
    let negates = [0, 1].map(|_| !integers && random.once_in(3));
    let adds = !random.once_in(4);
    let divided =
        if ["f16", "tf32"].contains(&kind) && random.once_in(2) { random.below(16) as u32 } else { 0 };
    let kept: Vec<u32> = (0..8)
        .map(|_| if scales > 0 || divided > 0 { 0 } else { random.next() as u32 & random.next() as u32 })
        .collect();
    let code = |f: usize| types[f].1;
    let mut said = code(0) << 7 | code(1) << 10 | (n as u32 / 8) << 17 | (m as u32 / 16) << 24;
    said |= match scales {
        0 => of_d.1 << 4,
        _ => (first[1] as u32) << 4 | (first[0] as u32) << 29 | u32::from(of_scales == Word::Ue8m0) << 23,
    };
    for f in 0..2 {
        said |= u32::from(negates[f]) << (13 + f) | u32::from(turns[f]) << (15 + f);
    }

    let form = Form {
        kind: word,
        scales: of_scales,
        asynchronous: true,
        ..Form::plain(MatrixShape { m: 16, n: 8, k: depth as u16 }, [of_d.0, types[0].0, types[1].0, of_d.0])
    };
    let device = "sm_100a".parse().unwrap();
    let mut expected = cells.clone();
    let line = |f: usize, at: usize| -> Vec<Bits> {
        let sign = u64::from(negates[f]) << (types[f].2 - 1);
        factors[f][at * depth..][..depth].iter().map(|bits| Bits::from(bits ^ sign)).collect()
    };
    let columns: Vec<Vec<Bits>> = (0..n).map(|j| line(1, j)).collect();
    for i in 0..m {
        let row = line(0, i);
        for (j, column) in columns.iter().enumerate() {
            let (cta, lane, at) = match m {
                256 => (i / 128, i % 128, j),
                _ => (i / 64, i % 64 + 64 * (j / (n / 2)), j % (n / 2)),
            };
            if kept[4 * cta + lane / 32] >> (lane % 32) & 1 == 1 {
                continue;
            }
            let c = cells[cta][lane * COLUMNS + at];
            let c = match (adds, of_d.0) {
                (false, _) => 0,
                // Those that are drawn lie in the middle of their range, so that halving is exact.
                (true, Word::F16) => {
                    if divided > 0 {
                        halved(c as u16, divided)
                    } else {
                        c & 0xffff
                    }
                }
                (true, Word::F32) => (f32::from_bits(c) / (1u32 << divided) as f32).to_bits(),
                (true, _) => c,
            };
            let scales = match scales {
                0 => NO_SCALES,
                of => [&scales_of[0][i * of..][..of], &scales_of[1][j * of..][..of]],
            };
            let d = multiply_add(&form, device, &row, column, scales, c.into());
            expected[cta][lane * COLUMNS + at] = d as u32;
        }
    }

    let a = if holds_a { "[%w0]" } else { "%state" };
    let masks: String = kept.iter().enumerate().map(|(k, bits)| format!("mov.b32 %m{k}, {bits}; ")).collect();
    let more = match scales {
        0 if divided > 0 => format!("%adds, {divided}"),
        0 => "{%m0, %m1, %m2, %m3, %m4, %m5, %m6, %m7}, %adds".into(),
        _ => "[%w1], [%w2], %adds".into(),
    };
    let [of_a, of_b] = layouts.map(|layout| layout.descriptor());
    let what = format!(
        "add.u32 %w0, %base, {OF_A}; add.u32 %w1, %base, {}; add.u32 %w2, %base, {};\n\
         mov.u64 %state, {of_a}; mov.u64 %address, {of_b}; setp.eq.u32 %adds, {}, 1;\n\
         {masks}\n\
         tcgen05.mma.cta_group::2.kind::{kind} [%base], {a}, %address, {said}, {more};",
        SCALES[0],
        SCALES[1],
        u32::from(adds),
    );
    let text = kernel(&once(random.below(2), &what, 3));
    let left =
        launch(&text, 2, &pictures, &cells, Engine::Batch).unwrap_or_else(|error| panic!("{error}\n{what}"));
    for (at, (left, expected)) in left.concat().iter().zip(expected.concat()).enumerate() {
        let (cta, lane, column) = (at / COLUMNS / LANES, at / COLUMNS % LANES, at % COLUMNS);
        assert_eq!(*left, expected, "{kind} {size:?} in CTA {cta}, lane {lane}, column {column}: {what}");
    }
}

/// A normal half divided by a power of two that leaves it in its range, or cut to the nearest below it.
fn halved(bits: u16, by: u32) -> u32 {
    let (sign, exponent, fraction) = (bits & 0x8000, u32::from(bits >> 10 & 0x1f), u32::from(bits & 0x3ff));
    if exponent > by {
        return u32::from(bits) - (by << 10);
    }
    let (whole, cut) = (0x400 | fraction, by - exponent + 1);
    let (kept, rest, half) = (whole >> cut, whole & ((1 << cut) - 1), 1 << (cut - 1));
    u32::from(sign) + kept + u32::from(rest > half || rest == half && kept & 1 == 1)
}

const F32: (Word, u32) = (Word::F32, 1);
const DENSE: (usize, Word) = (0, Word::Absent);

fn dense(kind: &'static str, types: [Ty; 2], of_d: (Word, u32)) -> Product {
    let word = match kind {
        "f16" => Word::KindF16,
        "tf32" => Word::KindTf32,
        "i8" => Word::KindI8,
        _ => Word::KindF8f6f4,
    };
    Product { kind, word, types, of_d, scales: DENSE, size: [0; 2], holds_a: false, turns: [false; 2] }
}

#[test]
fn pairs_multiply_halves_of_their_matrices() {
    let products = [
        dense("f16", [F16, F16], F32),
        dense("f16", [BF16, F16], F32),
        dense("f16", [F16, F16], (Word::F16, 0)),
        dense("tf32", [TF32, TF32], F32),
        dense("f8f6f4", [E4M3, E2M1], F32),
        dense("f8f6f4", [E2M1, E3M2], (Word::F16, 0)),
        dense("f8f6f4", [E3M2, E5M2], F32),
        dense("i8", [S8, U8], (Word::S32, 2)),
    ];
    let mut random = Random::new(35, 0);
    for (product, m) in products.iter().flat_map(|product| [(product, 128), (product, 256)]) {
        for holds_a in [false, true] {
            let n = 32 * (1 + random.below(8));
            // Only numbers that fill their room lie across the depth, of 32 bits where pairs of chunks are swizzled.
            let mut turn = |f: usize| matches!(product.types[f].2, 8 | 16) && random.once_in(2);
            let turns = [turn(0) && !holds_a, turn(1)];
            judge(&Product { size: [m, n], holds_a, turns, ..*product }, &mut random);
        }
    }
    judge(&Product { size: [128, 16], ..products[0] }, &mut random);
    judge(&Product { size: [256, 48], ..products[0] }, &mut random);
}

#[test]
fn pairs_multiply_matrices_with_scales() {
    let scaled = |kind, word, types, scales| Product { kind, word, scales, ..dense("f8f6f4", types, F32) };
    let products = [
        scaled("mxf8f6f4.block_scale", Word::KindMxf8f6f4, [E4M3, E2M1], (1, Word::Ue8m0)),
        scaled("mxf4.block_scale", Word::KindMxf4, [PACKED; 2], (2, Word::Ue8m0)),
        scaled("mxf4nvf4.block_scale.scale_vec::4X", Word::KindMxf4nvf4, [PACKED; 2], (4, Word::Ue4m3)),
    ];
    let mut random = Random::new(36, 0);
    for (product, m) in products.iter().flat_map(|product| [(product, 128), (product, 256)]) {
        for holds_a in [false, true] {
            let n = 16 * (1 + random.below(16));
            judge(&Product { size: [m, n], holds_a, ..*product }, &mut random);
        }
    }
}

#[test]
fn each_of_a_pair_copies_its_own_shared_memory() {
    let mut random = Random::new(37, 0);
    let pictures: Vec<Vec<u8>> = (0..4).map(|_| random.bytes(SHARED)).collect();
    let cells: Vec<Cells> =
        (0..4).map(|_| (0..LANES * COLUMNS).map(|_| random.next() as u32).collect()).collect();
    let layout = Layout::draw(&mut random, 0x800, false);
    let what = format!(
        "mov.u64 %address, {}; add.u32 %w0, %base, 16; add.u32 %w1, %base, 64;\n\
         tcgen05.cp.cta_group::2.128x256b [%w0], %address;\ntcgen05.cp.cta_group::2.32x128b.warpx4 [%w1], %address;",
        layout.descriptor()
    );
    // One of the second pair of the cluster.
    let left = launch(&kernel(&once(3, &what, 0b1100)), 4, &pictures, &cells, Engine::Batch).unwrap();
    let mut expected = cells.clone();
    for (cta, lane, column) in
        (2..4).flat_map(|cta| (0..LANES).flat_map(move |l| (0..8).map(move |c| (cta, l, c))))
    {
        let word = |row: usize| {
            let at = layout.chunk(row, column / 4) + column % 4 * 4;
            u32::from_le_bytes(pictures[cta][at..at + 4].try_into().unwrap())
        };
        expected[cta][lane * COLUMNS + 16 + column] = word(lane);
        if column < 4 {
            expected[cta][lane * COLUMNS + 64 + column] = word(lane % 32);
        }
    }
    assert!(left == expected, "copies of shared memory");
}

/// Thread 0 of a CTA commits; all threads write whether the phase of their own object is over to column 0 of their lane.
fn commit(rank: usize, what: &str) -> String {
    format!(
        "setp.ne.u32 %p, %rank, {rank};\n@%p bra behind;\nsetp.ne.u32 %p, %t, 0;\n@%p bra behind;\n{what}\nbehind:\n\
         barrier.cluster.arrive;\nbarrier.cluster.wait;\n\
         mbarrier.test_wait.parity.shared::cta.b64 %p, [%bar], 0;\nselp.u32 %w0, 1, 0, %p;\n\
         tcgen05.st.sync.aligned.32x32b.x1.b32 [%own], {{%w0}};\ntcgen05.wait::st.sync.aligned;\n"
    )
}

#[test]
fn commits_arrive_in_every_block_of_a_mask_or_in_one() {
    const ONE: &str = "mbarrier::arrive::one.shared::cluster";
    let many = |group: u32, mask: u32| {
        format!("tcgen05.commit.cta_group::{group}.{ONE}.multicast::cluster.b64 [%bar], {mask};")
    };
    let far = format!("mapa.shared::cluster.u32 %x, %bar, 2;\ntcgen05.commit.cta_group::2.{ONE}.b64 [%x];");
    let generic = "cvt.u64.u32 %address, %bar;\ncvta.shared.u64 %address, %address;\n\
         tcgen05.commit.cta_group::1.mbarrier::arrive::one.multicast::cluster.b64 [%address], 6;";
    let cases = [
        (0, many(2, 0b0011), 0b0011),
        (1, many(2, 0b1010), 0b1010),
        (3, many(1, 0b1111), 0b1111),
        (2, many(1, 0), 0),
        (0, far, 0b0100),
        (1, format!("tcgen05.commit.cta_group::2.{ONE}.b64 [%bar];"), 0b0010),
        (3, generic.into(), 0b0110),
    ];
    let pictures = vec![vec![0; SHARED]; 4];
    let cells = vec![vec![7; LANES * COLUMNS]; 4];
    for (rank, what, over) in cases {
        let left = launch(&kernel(&commit(rank, &what)), 4, &pictures, &cells, Engine::Batch).unwrap();
        for (cta, cells) in left.iter().enumerate() {
            assert!(cells.chunks(COLUMNS).all(|lane| lane[0] == over >> cta & 1), "{what} in CTA {cta}");
        }
    }
    let error =
        launch(&kernel(&commit(0, &many(2, 1 << 4))), 4, &pictures, &cells, Engine::Batch).unwrap_err();
    assert!(error.contains("no block 4 in the cluster"), "{error}");
}

/// A kernel of one instruction, of which threads of one block or of a cluster meet.
fn alone(what: &str) -> String {
    format!(
        ".version 9.1\n.target sm_100a\n.address_size 64\n.shared .align 8 .b64 done;\n.shared .b32 base;\n\
         .visible .entry k(.param .u64 picture, .param .u64 in, .param .u64 out) {{\n\
         .reg .b64 %address; .reg .b32 %bar, %base; .reg .pred %p;\n\
         mov.u32 %bar, done; mov.u32 %base, 0; mov.u64 %address, 0; setp.eq.u32 %p, 0, 0;\n{what}\nret;\n}}\n"
    )
}

#[test]
fn pairs_need_a_cluster() {
    let cells = vec![vec![0; LANES * COLUMNS]; 3];
    let pictures = vec![vec![0; SHARED]; 3];
    for what in [
        "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [base], 32;",
        "tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;",
        "tcgen05.cp.cta_group::2.128x128b [%base], %address;",
        "tcgen05.mma.cta_group::2.kind::f16 [%base], %address, %address, 0, %p;",
    ] {
        for engine in [Engine::Golden, Engine::Batch] {
            let error = launch(&alone(what), 1, &pictures[..1], &cells[..1], engine).unwrap_err();
            assert!(
                error.contains("a pair of CTAs of a cluster is needed, and there is no cluster"),
                "{error}"
            );
        }
        let odd = format!(
            ".reg .pred %q; .reg .b32 %r;\nmov.u32 %r, %cluster_ctarank; setp.ne.u32 %q, %r, 2;\n@%q ret;\n{what}"
        );
        let error = launch(&alone(&odd), 3, &pictures, &cells, Engine::Golden).unwrap_err();
        assert!(
            error.contains("a pair of CTAs of a cluster is needed, and CTA 2 is its last one"),
            "{error}"
        );
    }
}

#[test]
fn commits_to_several_blocks_run_without_a_cluster() {
    let text = "mov.u32 %base, %tid.x; setp.eq.u32 %p, %base, 0;\n@%p mbarrier.init.shared::cta.b64 [%bar], 128;\nbar.sync 0;\n\
         tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%bar], 1;\nbar.sync 0;\n\
         mbarrier.test_wait.parity.shared::cta.b64 %p, [%bar], 0;\n@!%p trap;\n";
    for engine in [Engine::Golden, Engine::Batch] {
        launch(&alone(text), 1, &[vec![0; SHARED]], &[vec![0; LANES * COLUMNS]], engine).unwrap();
    }
}
