//! Products of warpgroups, whose matrices lie in shared memory: a kernel on both engines.

use crate::measure::{Candidate, rounds as measured};
use crate::products::{bits, patterns};
use margay_exec::{Argument, Engine, Launch, Memory, Program, parameter_block};
use margay_front::module::Module;
use margay_isa::Word;

/// The depth, and the types of D and of A (and B).
type Case = (u16, Word, Word);

const CASES: [Case; 5] = [
    (16, Word::F32, Word::F16),
    (16, Word::F16, Word::F16),
    (8, Word::F32, Word::Tf32),
    (32, Word::F32, Word::E4m3),
    (32, Word::S32, Word::S8),
];

/// How often the warpgroup multiplies, and columns of B.
const TURNS: u32 = 50;
const COLUMNS: usize = 128;
/// Products of 16 rows and 8 columns of one instruction.
const EACH: usize = 64 / 16 * COLUMNS / 8;
/// Words of 64 rows of A and of B's columns, 32 bytes each.
const WORDS: usize = (64 + COLUMNS) * 8;

/// A kernel of a block of 128 threads, which multiplies what it reads.
pub struct Kernel {
    module: Module,
    /// Words that each thread writes.
    sums: usize,
    /// What shared memory holds.
    words: Vec<u32>,
}

impl Kernel {
    fn new((k, d, a): Case) -> Kernel {
        let sums = 64 * COLUMNS * bits(d) / 32 / 128;
        let names: Vec<String> = (0..sums).map(|r| format!("%d{r}")).collect();
        let clear: String = names.iter().map(|name| format!("mov.b32 {name}, 0;\n")).collect();
        let stores: String = names
            .iter()
            .enumerate()
            .map(|(r, name)| format!("st.global.b32 [%out+{}], {name};\n", 512 * r))
            .collect();
        let list = names.join(", ");
        let operands = match a {
            Word::S8 => "1",
            Word::F16 => "1, 1, 1, 0, 0",
            _ => "1, 1, 1",
        };
        // Core matrices follow each other: along the depth first, then down.
        let text = format!(
            ".version 8.4\n.target sm_90a\n.address_size 64\n.shared .align 128 .b32 tiles[{WORDS}];\n\
             .visible .entry products(.param .u64 in, .param .u64 out) {{\n\
             .reg .b32 %d<64>, %turn, %t, %k, %x; .reg .b64 %in, %out, %at, %place, %a, %b; .reg .pred %more;\n\
             ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x; mul.wide.u32 %at, %t, 4; add.u64 %out, %out, %at;\n\
             mov.u32 %k, %t;\ncopy:\nmul.wide.u32 %at, %k, 4; add.u64 %place, %in, %at; ld.global.u32 %x, [%place];\n\
             mov.u64 %place, tiles; add.u64 %place, %place, %at; st.shared.u32 [%place], %x;\n\
             add.u32 %k, %k, 128; setp.lt.u32 %more, %k, {WORDS}; @%more bra copy;\nbar.sync 0;\n\
             mov.u64 %a, tiles; shr.u64 %a, %a, 4; or.b64 %a, %a, 0x1000080000; add.u64 %b, %a, {};\n\
             {clear}mov.u32 %turn, {TURNS};\nagain:\nwgmma.fence.sync.aligned;\n\
             wgmma.mma_async.sync.aligned.m64n{COLUMNS}k{k}.{d}.{a}.{a} {{{list}}}, %a, %b, {operands};\n\
             wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n\
             sub.u32 %turn, %turn, 1; setp.ne.u32 %more, %turn, 0; @%more bra again;\n{stores}ret;\n}}\n",
            64 * 32 / 16
        );
        Kernel::of(&text, sums, (a, WORDS))
    }

    /// That of a text, whose threads write so many words each, and which reads so many words of a type.
    pub fn of(text: &str, sums: usize, (a, count): (Word, usize)) -> Kernel {
        let module = margay_front::compile(text).unwrap_or_else(|errors| panic!("{:?}\n{text}", errors[0]));
        let per = 32 / bits(a);
        let join = |all: &[u64]| all.iter().rev().fold(0, |word, e| word << (32 / per) | e);
        let words = patterns(a, count * per).chunks(per).map(|all| join(all) as u32).collect();
        Kernel { module, sums, words }
    }

    /// Something that runs it on an engine and gives what it writes.
    fn ready(&self, engine: Engine) -> impl FnMut() -> Vec<u8> {
        let mut memory = Memory::new(64);
        let program = Program::load(&self.module, &mut memory).expect("the module fits");
        let (input, output) = (
            memory.alloc(4 * self.words.len() as u64, "input").expect("there is room"),
            memory.alloc(512 * self.sums as u64, "output").expect("there is room"),
        );
        let bytes: Vec<u8> = self.words.iter().flat_map(|word| word.to_le_bytes()).collect();
        memory.write(input, &bytes).expect("it fits");
        let entry = self.module.entry("products").expect("the kernel is there");
        let arguments = [Argument::Address(input), Argument::Address(output)];
        let parameters = parameter_block(self.module.function(entry), 64, &arguments).expect("they fit");
        let launch = Launch { block: 128u32.into(), parameters, engine, workers: 1, ..Launch::new(entry) };
        move || {
            launch.run(&program, &memory).expect("it runs");
            memory.read(output, 512 * self.sums as u64).expect("the output")
        }
    }

    /// Prints what each of so many products takes on both engines.
    pub fn measure(&self, name: &str, products: usize, rounds: usize) {
        let (mut batch, mut golden) = (self.ready(Engine::Batch), self.ready(Engine::Golden));
        assert_eq!(batch(), golden(), "{name}");
        let timed =
            measured(vec![Candidate::timed("batch", batch), Candidate::timed("golden", golden)], rounds);
        let each = 1e9 / products as f64;
        println!(
            "{name:24} {:>8.0} {:>6.0}% {:>8.0}",
            timed[0].median * each,
            timed[0].spread * 100.0,
            timed[1].median * each
        );
    }
}

/// Prints what a product of 16 rows and 8 columns takes of a warpgroup's.
pub fn run(rounds: usize) {
    println!(
        "\nthe same of products of warpgroups (wgmma) of 64 rows and {COLUMNS} columns, whose matrices lie in shared memory:"
    );
    println!("{:24} {:>8} {:>7} {:>8}", "", "batch", "spread", "golden");
    for (k, d, a) in CASES {
        Kernel::new((k, d, a)).measure(&format!("sm_90a {d}.{a} k{k}"), TURNS as usize * EACH, rounds);
    }
}
