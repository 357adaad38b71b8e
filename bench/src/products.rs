//! Products of matrices as tensor cores compute them: in kernels on both engines, and whole ones beside the specification.

use crate::measure::{Candidate, rounds as measured};
use margay_exec::{Argument, Engine, Launch, Memory, Program, parameter_block};
use margay_front::module::Module;
use margay_isa::tensor_core::{Form, Multiplier, NO_SCALES, multiply_add};
use margay_isa::{MatrixShape, Word};

/// A device, the depth, and the types of D (and C) and of A (and B).
type Case = (&'static str, u16, Word, Word);

const CASES: [Case; 8] = [
    ("sm_80", 16, Word::F32, Word::F16),
    ("sm_80", 16, Word::F16, Word::F16),
    ("sm_80", 16, Word::F32, Word::Bf16),
    ("sm_80", 8, Word::F32, Word::Tf32),
    ("sm_90", 16, Word::F32, Word::F16),
    ("sm_89", 32, Word::F32, Word::E4m3),
    ("sm_90", 32, Word::F32, Word::E4m3),
    ("sm_80", 32, Word::S32, Word::S8),
];

/// Warps of a kernel, and how often each multiplies.
const WARPS: u32 = 4;
const TURNS: u32 = 500;

/// Patterns of finite numbers: exponents of 8 bits are those of the numbers between 2^-15 and 2, as data mostly has them, of others the
/// upper ones are left out.
pub fn patterns(word: Word, count: usize) -> Vec<u64> {
    let (mask, always) = match word {
        Word::F32 | Word::Tf32 => (0x87ff_ffff, 0x3800_0000),
        Word::Bf16 => (0x87ff, 0x3800),
        Word::F16 => (0xbfff, 0),
        Word::S32 => (0xffff_ffff, 0),
        _ => (0xbf, 0),
    };
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let next = || {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        state >> 24 & mask | always
    };
    std::iter::repeat_with(next).take(count).collect()
}

/// Bits of an element.
pub fn bits(word: Word) -> usize {
    if word == Word::Tf32 { 32 } else { word.ty().map_or(8, |ty| ty.bits as usize) }
}

/// A kernel that multiplies the same matrices again and again.
struct Kernel {
    module: Module,
    /// Words that each thread reads, and writes.
    words: (usize, usize),
    registers: Vec<u32>,
}

impl Kernel {
    fn new((device, k, d, a): Case) -> Kernel {
        let depth = usize::from(k);
        let [of_a, of_b, of_c] =
            [16 * depth * bits(a), 8 * depth * bits(a), 128 * bits(d)].map(|all| all / 1024);
        let list = |name: &str, count: usize| {
            let names: Vec<String> = (0..count).map(|r| format!("%{name}{r}")).collect();
            names.join(", ")
        };
        let mut loads = String::new();
        for (name, first, count) in [("a", 0, of_a), ("b", of_a, of_b), ("c", of_a + of_b, of_c)] {
            for r in 0..count {
                loads += &format!("ld.global.b32 %{name}{r}, [%in+{}];\n", 128 * (first + r));
            }
        }
        let stores: String =
            (0..of_c).map(|r| format!("st.global.b32 [%out+{}], %d{r};\n", 128 * r)).collect();
        let text = format!(
            ".version 8.4\n.target {device}\n.address_size 64\n.visible .entry products(.param .u64 in, .param .u64 out) {{\n\
             .reg .b32 %a<8>, %b<8>, %c<8>, %d<8>, %turn, %lane; .reg .b64 %in, %out, %at; .reg .pred %more;\n\
             ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %lane, %laneid; mul.wide.u32 %at, %lane, 4;\n\
             add.u64 %in, %in, %at; add.u64 %out, %out, %at;\n{loads}mov.u32 %turn, {TURNS};\nagain:\n\
             mma.sync.aligned.m16n8k{k}.row.col.{d}.{a}.{a}.{d} {{{}}}, {{{}}}, {{{}}}, {{{}}};\n\
             sub.u32 %turn, %turn, 1; setp.ne.u32 %more, %turn, 0; @%more bra again;\n{stores}ret;\n}}\n",
            list("d", of_c),
            list("a", of_a),
            list("b", of_b),
            list("c", of_c)
        );
        let module = margay_front::compile(&text).unwrap_or_else(|errors| panic!("{:?}\n{text}", errors[0]));
        let packed = |word: Word, count: usize| {
            let per = 32 / bits(word);
            let join = |all: &[u64]| all.iter().rev().fold(0, |word, e| word << (32 / per) | e);
            patterns(word, 32 * count * per).chunks(per).map(|all| join(all) as u32).collect::<Vec<_>>()
        };
        let registers = [packed(a, of_a), packed(a, of_b), packed(d, of_c)].concat();
        Kernel { module, words: (of_a + of_b + of_c, of_c), registers }
    }

    /// Something that runs it on an engine and gives what it writes.
    fn ready(&self, engine: Engine) -> impl FnMut() -> Vec<u8> {
        let mut memory = Memory::new(64);
        let program = Program::load(&self.module, &mut memory).expect("the module fits");
        let mut room = |words: usize, name| memory.alloc(128 * words as u64, name).expect("there is room");
        let (input, output) = (room(self.words.0, "input"), room(self.words.1, "output"));
        let bytes: Vec<u8> = self.registers.iter().flat_map(|word| word.to_le_bytes()).collect();
        memory.write(input, &bytes).expect("it fits");
        let entry = self.module.entry("products").expect("the kernel is there");
        let arguments = [Argument::Address(input), Argument::Address(output)];
        let parameters = parameter_block(self.module.function(entry), 64, &arguments).expect("they fit");
        let launch =
            Launch { block: (32 * WARPS).into(), parameters, engine, workers: 1, ..Launch::new(entry) };
        move || {
            launch.run(&program, &memory).expect("it runs");
            memory.read(output, 128 * self.words.1 as u64).expect("the output")
        }
    }
}

/// Prints what a product of 16 rows and 8 columns takes.
pub fn run(rounds: usize) {
    println!(
        "\nproducts of 16 rows and 8 columns on one core, ns each: in a kernel of {WARPS} warps, with all that belongs"
    );
    println!("to it; by `Multiplier` alone, with instructions that every machine has; by the specification");
    let head = ["batch", "spread", "golden", "alone", "spread", "specification"];
    println!(
        "{:24} {:>8} {:>7} {:>8} {:>8} {:>7} {:>14}",
        "", head[0], head[1], head[2], head[3], head[4], head[5]
    );
    for case in CASES {
        let (device, k, d, a) = case;
        let form = Form::plain(MatrixShape { m: 16, n: 8, k }, [d, a, a, d]);
        let target = device.parse().expect("a target");
        let (multiplier, depth) = (Multiplier::new(&form, target), usize::from(k));
        let (rows, columns, c) = (patterns(a, 16 * depth), patterns(a, 8 * depth), patterns(d, 128));
        let fast = || {
            let mut sums = c.clone();
            multiplier.multiply_add(&rows, &columns, [&[], &[]], &mut sums);
            sums
        };
        let wide = |part: &[u64]| part.iter().map(|bits| u128::from(*bits)).collect::<Vec<_>>();
        let one = |at: usize| {
            let (row, column) = (&rows[at / 8 * depth..][..depth], &columns[at % 8 * depth..][..depth]);
            multiply_add(&form, target, &wide(row), &wide(column), NO_SCALES, c[at].into()) as u64
        };
        let specified = || (0..128).map(one).collect::<Vec<u64>>();
        assert_eq!(fast(), specified(), "{form:?} on {device}");
        let kernel = Kernel::new(case);
        let (mut batch, mut golden) = (kernel.ready(Engine::Batch), kernel.ready(Engine::Golden));
        assert_eq!(batch(), golden(), "{form:?} on {device}");
        let timed = measured(
            vec![
                Candidate::timed("batch", batch),
                Candidate::timed("golden", golden),
                Candidate::timed("fast", fast),
                Candidate::timed("specified", specified),
            ],
            rounds,
        );
        let each = 1e9 / f64::from(WARPS * TURNS);
        let [batch, golden, fast, specified] = [&timed[0], &timed[1], &timed[2], &timed[3]];
        println!(
            "{:24} {:>8.0} {:>6.0}% {:>8.0} {:>8.0} {:>6.0}% {:>14.0}",
            format!("{device} {d}.{a} k{k}"),
            batch.median * each,
            batch.spread * 100.0,
            golden.median * each,
            fast.median * 1e9,
            fast.spread * 100.0,
            specified.median * 1e9
        );
    }
}
