//! Products of warpgroups: elements go where layouts of single bytes say, and both engines give what one element after the other gives.

#[allow(dead_code, reason = "other tests use more of it")]
#[path = "support/random_kernel/random.rs"]
mod random;

use margay_exec::{Argument, Engine, Launch, Memory, Program, Report, Simd, parameter_block};
use margay_front::module::Module;
use margay_isa::tensor_core::{Form, NO_SCALES, multiply_add};
use margay_isa::{Bits, Inst, Meaning, PAGES, Page, Slot, Sparse, Word, forms};
use random::Random;

/// Bytes of the shared memory that matrices lie in, and where B's begin.
const SHARED: usize = 0xc000;
const OF_B: usize = 0x4000;
/// Threads of a launch: two blocks of two warpgroups.
const BLOCKS: usize = 2;
const THREADS: usize = 256;

/// How a matrix lies in shared memory.
#[derive(Clone, Copy, Debug)]
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
    /// One for so many elements across the depth, of so many bytes along it.
    fn draw(
        random: &mut Random,
        start: usize,
        (across, depth, bytes): (usize, usize, usize),
        turns: bool,
    ) -> Layout {
        let width = [16, 32, 64, 128][random.below(4)];
        let (leading, stride) = match (turns, width) {
            (false, 16) => (128, 128 * depth * bytes / 16),
            (false, _) => (across / 8 * 8 * width, 8 * width),
            (true, 16) => (across / 8 * 128, 128),
            (true, _) => (depth * width, 8 * width),
        };
        Layout { start, leading, stride, width, across: turns }
    }

    fn descriptor(&self) -> u64 {
        let mode = match self.width {
            16 => 0,
            128 => 1,
            64 => 2,
            _ => 3u64,
        };
        let at = |bytes: usize, bit: u32| (bytes as u64 / 16) << bit;
        at(self.start, 0) | at(self.leading, 16) | at(self.stride, 32) | mode << 62
    }

    /// Where the first byte of an element lies, of so many bytes: element across the depth, element along it (CUTLASS's canonical layouts).
    fn place(&self, x: usize, k: usize, bytes: usize) -> usize {
        let Layout { start, leading, stride, width, across } = *self;
        let at = match (width, across) {
            (16, false) => x / 8 * stride + x % 8 * 16 + k * bytes / 16 * leading + k * bytes % 16,
            (_, false) => x / 8 * stride + x % 8 * width + k * bytes / width * leading + k * bytes % width,
            (16, true) => x * bytes / 16 * stride + k / 8 * leading + k % 8 * 16 + x * bytes % 16,
            (_, true) => x * bytes / width * leading + k / 8 * stride + k % 8 * width + x * bytes % width,
        };
        let at = start + at;
        let lines = at >> 7;
        let turned = match width {
            128 => (lines & 7) << 4,
            64 => (lines & 3) << 4,
            32 => (lines & 1) << 4,
            _ => 0,
        };
        at ^ turned
    }
}

/// Where an element of D, or of A in registers, lies: thread of the warpgroup, register, lowest bit.
fn in_registers(row: usize, column: usize, bits: usize) -> (usize, usize, usize) {
    let per = 32 / bits;
    // Of D two neighbours, of A what a register holds.
    let (pair, within) = (column / 8, column % 8);
    let (warp, g, half) = (row / 16, row % 8, row % 16 / 8);
    let i = 4 * pair + 2 * half + within % 2;
    (32 * warp + 4 * g + within / 2, i / per, i % per * bits)
}

fn a_in_registers(row: usize, k: usize, bits: usize) -> (usize, usize, usize) {
    let per = 32 / bits;
    let word = k / per;
    let (warp, g, half) = (row / 16, row % 8, row % 16 / 8);
    (32 * warp + 4 * g + word % 4, half + 2 * (word / 4), k % per * bits)
}

/// A number of a type, mostly one that has neighbours of about its size.
fn number(random: &mut Random, ty: Word) -> u64 {
    let bits = random.next();
    match ty {
        Word::F16 => 0x3000 + (bits & 0x8fff),
        Word::Bf16 => 0x3e00 + (bits & 0x81ff),
        Word::Tf32 => 0x3e00_0000 + (bits & 0x81ff_ffff),
        Word::F32 => 0x3f00_0000 + (bits & 0x80ff_ffff),
        Word::S32 => bits & 0xffff_ffff,
        Word::B1 => bits & 1,
        _ => bits & 0xbf,
    }
}

fn bits_of(word: Word) -> usize {
    word.ty().map_or(0, |ty| ty.bits as usize)
}

/// A kernel around one product: a picture of shared memory, registers before and after, descriptors, whether D is added.
fn kernel(inst: &Inst, constants: &dyn Fn(&str) -> String) -> String {
    let mut text = format!(
        ".version 9.1\n.target sm_90a\n.address_size 64\n.shared .align 1024 .b8 tile[{SHARED}];\n\
         .visible .entry k(.param .u64 picture, .param .u64 in, .param .u64 out, .param .u64 of_a, .param .u64 of_b, .param .u32 adds) {{\n\
         .reg .b64 %picture, %in, %out, %at, %address, %descA, %descB; .reg .b32 %t, %k, %x; .reg .pred %p, %adds;\n\
         .reg .b32 %d<128>, %a<4>, %meta;\n\
         ld.param.u64 %picture, [picture]; ld.param.u64 %in, [in]; ld.param.u64 %out, [out];\n\
         ld.param.u64 %descA, [of_a]; ld.param.u64 %descB, [of_b]; ld.param.u32 %x, [adds]; setp.ne.u32 %adds, %x, 0;\n\
         mov.u32 %t, %tid.x; mov.u32 %k, %t;\n\
         copy:\nmul.wide.u32 %at, %k, 4; add.u64 %address, %picture, %at; ld.global.u32 %x, [%address];\n\
         mov.u64 %address, tile; add.u64 %address, %address, %at; st.shared.u32 [%address], %x;\n\
         add.u32 %k, %k, {THREADS}; setp.lt.u32 %p, %k, {};\n@%p bra copy;\nbar.sync 0;\n\
         mov.u32 %x, %ctaid.x; mad.lo.u32 %t, %x, {THREADS}, %t; mul.wide.u32 %at, %t, 4; add.u64 %in, %in, %at; add.u64 %out, %out, %at;\n",
        SHARED / 4
    );
    let all = BLOCKS * THREADS * 4;
    let mut read = Vec::new();
    let mut operands = Vec::new();
    for (template, _) in inst.operands() {
        let count = inst.elements(template);
        let list = |letter: char| {
            let names: Vec<String> = (0..count).map(|k| format!("%{letter}{k}")).collect();
            (format!("{{{}}}", names.join(", ")), names)
        };
        operands.push(match template.name {
            "d" => {
                let (text, names) = list('d');
                read.extend(names);
                text
            }
            "a" => {
                let (text, names) = list('a');
                read.extend(names);
                text
            }
            "a_desc" => "%descA".into(),
            "b_desc" => "%descB".into(),
            "scale_d" => "%adds".into(),
            "sp_meta" => {
                read.push("%meta".into());
                "%meta".into()
            }
            name => constants(name),
        });
    }
    for (k, name) in read.iter().enumerate() {
        text += &format!("ld.global.b32 {name}, [%in+{}];\n", k * all);
    }
    let operands: Vec<&str> = operands.iter().map(String::as_str).collect();
    text += "wgmma.fence.sync.aligned;\n";
    text += &format!("{};\n", inst.statement(&operands));
    text += "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n";
    for k in 0..read.iter().filter(|name| name.starts_with("%d")).count() {
        text += &format!("st.global.b32 [%out+{}], %d{k};\n", k * all);
    }
    text + "ret;\n}\n"
}

/// A launch, on two blocks of two warpgroups.
struct Given<'g> {
    picture: &'g [u8],
    /// Words of each register and thread of the launch.
    registers: &'g [u32],
    /// How many of the registers are D's.
    sums: usize,
    descriptors: [u64; 2],
    adds: bool,
    /// Blocks, and threads of each.
    shape: (u32, u32),
}

fn run(module: &Module, given: &Given, engine: Engine, simd: Option<Simd>) -> (Vec<u32>, Report) {
    let mut memory = Memory::new(64);
    let program = Program::load(module, &mut memory).unwrap();
    let mut buffer = |bytes: &[u8], name: &str| {
        let address = memory.alloc(bytes.len() as u64, name).unwrap();
        memory.write(address, bytes).unwrap();
        address
    };
    let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let picture = buffer(given.picture, "picture");
    let input = buffer(&words(given.registers), "in");
    let (blocks, threads) = given.shape;
    let size = given.sums * (blocks * threads) as usize * 4;
    let out = buffer(&vec![0xcd; size], "out");
    let entry = module.entry("k").unwrap();
    let arguments = [
        Argument::Address(picture),
        Argument::Address(input),
        Argument::Address(out),
        Argument::Bytes(given.descriptors[0].to_le_bytes().to_vec()),
        Argument::Bytes(given.descriptors[1].to_le_bytes().to_vec()),
        Argument::Bytes(u32::from(given.adds).to_le_bytes().to_vec()),
    ];
    let launch = Launch {
        grid: blocks.into(),
        block: threads.into(),
        parameters: parameter_block(module.function(entry), 64, &arguments).unwrap(),
        engine,
        simd,
        workers: 1,
        ..Launch::new(entry)
    };
    let report = launch.run(&program, &memory).unwrap_or_else(|error| panic!("{error}"));
    let left = memory.read(out, size as u64).unwrap();
    (left.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect(), report)
}

/// The forms of a page that the target of the kernels has.
fn all_forms(page: &'static Page) -> Vec<Inst> {
    forms::forms(page, page.opcodes[0], 0, &mut || 0)
}

fn pages() -> impl Iterator<Item = &'static Page> {
    PAGES.iter().copied().filter(|page| matches!(page.meaning, Meaning::Warpgroup(_)))
}

fn is_sparse(inst: &Inst) -> bool {
    inst.has(Slot::Sparse)
}

/// What is judged of a form.
struct Case {
    text: String,
    picture: Vec<u8>,
    registers: Vec<u32>,
    sums: usize,
    descriptors: [u64; 2],
    adds: bool,
    /// D's registers after it.
    expected: Vec<u32>,
}

/// Which operands say what, drawn.
struct Chosen {
    turns: [bool; 2],
    negates: [bool; 2],
    adds: bool,
}

impl Chosen {
    fn draw(inst: &Inst, random: &mut Random) -> Chosen {
        let mut draw = |name: &str| has(inst, name) && random.below(2) == 1;
        Chosen {
            turns: ["imm_trans_a", "imm_trans_b"].map(&mut draw),
            negates: ["imm_scale_a", "imm_scale_b"].map(&mut draw),
            adds: draw("scale_d"),
        }
    }

    fn constant(&self, name: &str) -> String {
        let scale = |negates: bool| if negates { "-1" } else { "1" };
        let turn = |turns: bool| if turns { "1" } else { "0" };
        match name {
            "imm_scale_a" => scale(self.negates[0]),
            "imm_scale_b" => scale(self.negates[1]),
            "imm_trans_a" => turn(self.turns[0]),
            "imm_trans_b" => turn(self.turns[1]),
            "sp_sel" => "0",
            name => panic!("{name}"),
        }
        .into()
    }
}

fn has(inst: &Inst, name: &str) -> bool {
    inst.operands().any(|(template, _)| template.name == name)
}

/// Rows of A, as it is stored, and columns of B, one after the other.
struct Factors {
    a: Vec<u64>,
    b: Vec<u64>,
    /// Metadata of the threads of a warpgroup.
    metadata: Option<Vec<u32>>,
}

/// A form with matrices; `multiply` gives an element of D, of a row and a column and of what is added.
fn case(
    inst: &Inst,
    random: &mut Random,
    chosen: &Chosen,
    factors: &Factors,
    multiply: &dyn Fn(usize, usize, u64) -> u64,
) -> Case {
    let Word::Shape(shape) = inst[Slot::Shape] else { panic!("{inst}") };
    let (n, k) = (usize::from(shape.n), usize::from(shape.k));
    let (of_a, of_b, of_d) = (inst[Slot::AType], inst[Slot::BType], inst[Slot::DType]);
    let stored = factors.a.len() / 64;
    // Single bits lie in bytes of eight.
    let unit = |ty: Word| if ty == Word::B1 { 8 } else { 1 };
    let bytes = |ty: Word| bits_of(ty).max(8) / 8;
    let layout = |random: &mut Random, start, (across, depth, ty): (usize, usize, Word), turns| {
        Layout::draw(random, start, (across, depth / unit(ty), bytes(ty)), turns)
    };
    let a_layout = layout(random, 0, (64, stored, of_a), chosen.turns[0]);
    let b_layout = layout(random, OF_B, (n, k, of_b), chosen.turns[1]);
    let mut picture: Vec<u8> = (0..SHARED).map(|_| random.next() as u8).collect();
    let mut put = |layout: &Layout, elements: &[u64], depth: usize, ty: Word| {
        for (at, bits) in elements.iter().enumerate() {
            let (x, k) = (at / depth, at % depth);
            let place = layout.place(x, k / unit(ty), bytes(ty));
            if unit(ty) == 8 {
                picture[place] = picture[place] & !(1 << (k % 8)) | (*bits as u8) << (k % 8);
            } else {
                picture[place..place + bytes(ty)].copy_from_slice(&bits.to_le_bytes()[..bytes(ty)]);
            }
        }
    };
    if has(inst, "a_desc") {
        put(&a_layout, &factors.a, stored, of_a);
    }
    put(&b_layout, &factors.b, k, of_b);

    let sums = 64 * n * bits_of(of_d) / 32 / 128;
    let of_a_registers = if has(inst, "a_desc") { 0 } else { 4 };
    let count = BLOCKS * THREADS;
    let mut registers = vec![0; (sums + of_a_registers + usize::from(factors.metadata.is_some())) * count];
    let mut expected = vec![0; sums * count];
    for group in (0..count).step_by(128) {
        if of_a_registers > 0 {
            for (at, bits) in factors.a.iter().enumerate() {
                let (thread, register, shift) = a_in_registers(at / stored, at % stored, bits_of(of_a));
                registers[(sums + register) * count + group + thread] |= (*bits as u32) << shift;
            }
        }
        if let Some(metadata) = &factors.metadata {
            let at = (sums + of_a_registers) * count + group;
            registers[at..at + 128].copy_from_slice(metadata);
        }
        for (row, column) in (0..64).flat_map(|row| (0..n).map(move |column| (row, column))) {
            let c = if is_sparse(inst) { 0 } else { number(random, of_d) };
            let (thread, register, shift) = in_registers(row, column, bits_of(of_d));
            let at = register * count + group + thread;
            registers[at] |= (c as u32) << shift;
            let is_added = chosen.adds != inst.has(Slot::NotC);
            expected[at] |= (multiply(row, column, if is_added { c } else { 0 }) as u32) << shift;
        }
    }
    let descriptors = [a_layout.descriptor(), b_layout.descriptor()];
    let text = kernel(inst, &|name| chosen.constant(name));
    Case { text, picture, registers, sums, descriptors, adds: chosen.adds, expected }
}

/// A form with drawn matrices, and each element of D by itself.
fn full(inst: &Inst, random: &mut Random) -> Case {
    let Word::Shape(shape) = inst[Slot::Shape] else { panic!("{inst}") };
    let (n, k) = (usize::from(shape.n), usize::from(shape.k));
    let (of_a, of_b) = (inst[Slot::AType], inst[Slot::BType]);
    let chosen = Chosen::draw(inst, random);
    let a: Vec<u64> = (0..64 * k).map(|_| number(random, of_a)).collect();
    let b: Vec<u64> = (0..n * k).map(|_| number(random, of_b)).collect();
    let (form, device) = (Form::of(inst), "sm_90a".parse().unwrap());
    let signed = |elements: &[u64], ty: Word, negates: bool| -> Vec<Bits> {
        elements.iter().map(|bits| Bits::from(bits ^ u64::from(negates) << (bits_of(ty) - 1))).collect()
    };
    let multiply = |row: usize, column: usize, c: u64| {
        let of_row = signed(&a[row * k..][..k], of_a, chosen.negates[0]);
        let of_column = signed(&b[column * k..][..k], of_b, chosen.negates[1]);
        multiply_add(&form, device, &of_row, &of_column, NO_SCALES, c.into()) as u64
    };
    let factors = Factors { a: a.clone(), b: b.clone(), metadata: None };
    case(inst, random, &chosen, &factors, &multiply)
}

/// A form with matrices of small integers, of whose A two of four elements are not zero, or one of two.
fn sparse(inst: &Inst, random: &mut Random) -> Case {
    let Word::Shape(shape) = inst[Slot::Shape] else { panic!("{inst}") };
    let (n, k) = (usize::from(shape.n), usize::from(shape.k));
    let (of_a, of_b, of_d) = (inst[Slot::AType], inst[Slot::BType], inst[Slot::DType]);
    let chosen = Chosen { negates: [false; 2], ..Chosen::draw(inst, random) };
    let stored = match bits_of(of_a) {
        32 => Sparse { unit: 1, step: 4, span: 8, two_rows: true },
        16 => Sparse { unit: 1, step: 2, span: 16, two_rows: true },
        _ => Sparse { unit: 1, step: 2, span: 32, two_rows: false },
    };
    let (of, kept) = stored.share();
    let mut a = vec![0; 64 * k];
    for group in a.chunks_exact_mut(of) {
        for _ in 0..kept {
            group[random.below(of)] = 1 + random.below(2) as u64;
        }
    }
    let b: Vec<u64> = (0..n * k).map(|_| random.below(3) as u64).collect();
    let (mut elements, mut metadata) = (Vec::new(), Vec::new());
    for rows in a.chunks_exact(16 * k) {
        let (some, told) = stored.compress(rows, k).unwrap();
        elements.extend(some.into_iter().map(|a| small(a, of_a)));
        metadata.extend(told.map(|bits| bits as u32));
    }
    let multiply = |row: usize, column: usize, c: u64| {
        let products = a[row * k..][..k].iter().zip(&b[column * k..][..k]).map(|(a, b)| a * b);
        small(c + products.sum::<u64>(), of_d)
    };
    let factors =
        Factors { a: elements, b: b.iter().map(|b| small(*b, of_b)).collect(), metadata: Some(metadata) };
    case(inst, random, &chosen, &factors, &multiply)
}

/// A small integer as a number of a type.
fn small(number: u64, ty: Word) -> u64 {
    let (bias, fraction) = match ty {
        Word::F16 => (15, 10),
        Word::Bf16 => (127, 7),
        Word::Tf32 | Word::F32 => (127, 23),
        Word::E4m3 => (7, 3),
        Word::E5m2 => (15, 2),
        _ => return number,
    };
    let Some(exponent) = number.checked_ilog2() else { return 0 };
    assert!(exponent <= fraction, "{number} is no {ty:?}");
    (bias + u64::from(exponent)) << fraction | (number << (fraction - exponent)) & ((1 << fraction) - 1)
}

fn judge(inst: &Inst, case: &Case) {
    let module =
        margay_front::compile(&case.text).unwrap_or_else(|errors| panic!("{:?}\n{}", errors[0], case.text));
    let Case { picture, registers, sums, descriptors, adds, .. } = case;
    let shape = (BLOCKS as u32, THREADS as u32);
    let given = Given { picture, registers, sums: *sums, descriptors: *descriptors, adds: *adds, shape };
    let (golden, report) = run(&module, &given, Engine::Golden, None);
    let differs = golden.iter().zip(&case.expected).position(|(is, be)| is != be);
    assert_eq!(
        differs,
        None,
        "{inst} {adds} {:x?}\n{}",
        differs.map(|at| (golden[at], case.expected[at])),
        case.text
    );
    for simd in Simd::available() {
        let (batch, other) = run(&module, &given, Engine::Batch, Some(*simd));
        assert_eq!((report.instructions, 0), (other.instructions, other.handed_over), "{inst} {simd:?}");
        assert!(golden == batch, "{inst} {simd:?}");
    }
}

/// Every form would take minutes; a stride that has nothing to do with the numbers of shapes meets all types, shapes and lines.
const STRIDE: usize = 29;

#[test]
fn every_element_is_what_a_row_and_a_column_give() {
    let mut random = Random::new(1, 1);
    let mut judged = 0;
    for page in pages() {
        for inst in all_forms(page).into_iter().filter(|inst| !is_sparse(inst)).step_by(STRIDE) {
            judge(&inst, &full(&inst, &mut random));
            judged += 1;
        }
    }
    assert!(judged > 120, "only {judged} forms were judged");
}

#[test]
fn metadata_say_which_elements_are_stored() {
    let mut random = Random::new(2, 2);
    let mut judged = 0;
    for page in pages() {
        for inst in all_forms(page).into_iter().filter(is_sparse).step_by(STRIDE) {
            judge(&inst, &sparse(&inst, &mut random));
            judged += 1;
        }
    }
    assert!(judged > 120, "only {judged} forms were judged");
}

/// A kernel in which each block reads other words of the picture, and each warpgroup multiplies with a B of its own.
fn apart() -> String {
    format!(
        ".version 9.1\n.target sm_90a\n.address_size 64\n.shared .align 1024 .b8 tile[{SHARED}];\n\
         .visible .entry k(.param .u64 picture, .param .u64 in, .param .u64 out, .param .u64 of_a, .param .u64 of_b, .param .u32 adds) {{\n\
         .reg .b64 %picture, %out, %at, %address, %descA, %descB; .reg .b32 %t, %k, %x, %own; .reg .pred %p; .reg .f32 %d<4>;\n\
         ld.param.u64 %picture, [picture]; ld.param.u64 %out, [out];\n\
         ld.param.u64 %descA, [of_a]; ld.param.u64 %descB, [of_b]; mov.u32 %t, %tid.x; mov.u32 %k, %t; mov.u32 %own, %ntid.x;\n\
         mov.u32 %x, %ctaid.x; mul.wide.u32 %at, %x, 64; add.u64 %picture, %picture, %at;\n\
         copy:\nmul.wide.u32 %at, %k, 4; add.u64 %address, %picture, %at; ld.global.u32 %x, [%address];\n\
         mov.u64 %address, tile; add.u64 %address, %address, %at; st.shared.u32 [%address], %x;\n\
         add.u32 %k, %k, %own; setp.lt.u32 %p, %k, 1024;\n@%p bra copy;\nbar.sync 0;\n\
         shr.u32 %x, %t, 7; mul.wide.u32 %at, %x, 16; add.u64 %descB, %descB, %at;\n\
         mov.f32 %d0, 0f00000000; mov.f32 %d1, %d0; mov.f32 %d2, %d0; mov.f32 %d3, %d0;\n\
         wgmma.fence.sync.aligned;\n\
         wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {{%d0, %d1, %d2, %d3}}, %descA, %descB, 1, 1, 1, 0, 0;\n\
         wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n\
         mov.u32 %x, %ctaid.x; mad.lo.u32 %t, %x, %own, %t; mul.wide.u32 %at, %t, 16; add.u64 %out, %out, %at;\n\
         st.global.v4.f32 [%out], {{%d0, %d1, %d2, %d3}};\nret;\n}}\n"
    )
}

#[test]
fn warpgroups_and_blocks_have_matrices_of_their_own() {
    let mut random = Random::new(3, 3);
    let mut halves = || number(&mut random, Word::F16).to_le_bytes();
    let picture: Vec<u8> = (0..SHARED / 2).flat_map(|_| halves()[..2].to_vec()).collect();
    let module = margay_front::compile(&apart()).unwrap_or_else(|errors| panic!("{:?}", errors[0]));
    let layout = |start| Layout { start, leading: 128, stride: 256, width: 16, across: false }.descriptor();
    let descriptors = [layout(0), layout(0x800)];
    for threads in [128, 256] {
        let given = Given {
            picture: &picture,
            registers: &[],
            sums: 4,
            descriptors,
            adds: false,
            shape: (6, threads),
        };
        let (golden, _) = run(&module, &given, Engine::Golden, None);
        // Warpgroups, each with 512 words.
        let products: Vec<&[u32]> = golden.chunks(512).collect();
        assert!((1..products.len()).all(|k| !products[..k].contains(&products[k])), "{threads}");
        for simd in Simd::available() {
            let (batch, report) = run(&module, &given, Engine::Batch, Some(*simd));
            assert_eq!((&batch, 0), (&golden, report.handed_over), "{threads} {simd:?}");
        }
    }
}
