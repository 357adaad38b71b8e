//! Kernels that are drawn at random, and what both engines make of them.

use margay_exec::{Argument, Dim, Engine, Launch, Memory, Program, Simd, Stage, parameter_block};
use margay_front::module::Module;

pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % below
    }

    pub(super) fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }
}

/// A launch of the kernel `k`, whose parameters are its input, if there is any, its output and a number.
pub(super) struct Drawn<'m> {
    pub(super) module: &'m Module,
    pub(super) blocks: u32,
    pub(super) block: Dim,
    pub(super) input: &'m [u8],
    /// Bytes of the output.
    pub(super) output: u64,
    pub(super) n: u32,
}

/// Instructions, or what went wrong: which of several threads that fail is the first is open. And what was written, if nothing did.
pub(super) type Outcome = (Result<u64, Option<String>>, Option<Vec<u8>>);

impl Drawn<'_> {
    /// The batch engine's plan, and what an engine gives.
    pub(super) fn outcome(&self, engine: Engine, simd: Option<Simd>) -> (String, Outcome) {
        let mut memory = Memory::new(64);
        let program = Program::load(self.module, &mut memory).unwrap();
        let mut arguments = Vec::new();
        if !self.input.is_empty() {
            let input = memory.alloc(self.input.len() as u64, "in").unwrap();
            memory.write(input, self.input).unwrap();
            arguments.push(Argument::Address(input));
        }
        let out = memory.alloc(self.output, "out").unwrap();
        arguments.extend([Argument::Address(out), Argument::from(self.n)]);
        let entry = self.module.entry("k").unwrap();
        let parameters = parameter_block(self.module.function(entry), 64, &arguments).unwrap();
        let launch = Launch {
            grid: self.blocks.into(),
            block: self.block,
            parameters,
            workers: 1,
            engine,
            simd,
            ..Launch::new(entry)
        };
        let plan = launch.stage(Stage::Plan, &program, &memory, &|_, _| 1).unwrap();
        let run = launch.run(&program, &memory).map(|report| report.instructions);
        let run = run.map_err(|error| error.to_string().split(';').next().map(String::from));
        let written = memory.read(out, self.output).unwrap().to_vec();
        let written = run.is_ok().then_some(written);
        (plan, (run, written))
    }

    /// Stops if a level of the batch engine gives something else than the golden engine. Whether that ends well, and on how many levels
    /// the plan has a word.
    pub(super) fn judge(&self, round: usize, word: &str) -> (bool, usize) {
        let (_, want) = self.outcome(Engine::Golden, None);
        let mut having = 0;
        for simd in Simd::available() {
            let (plan, got) = self.outcome(Engine::Batch, Some(*simd));
            assert!(
                got == want,
                "{simd}, round {round}, blocks of {:?}, {}: {:?}, not {:?}",
                self.block,
                self.n,
                got.0,
                want.0
            );
            having += usize::from(plan.contains(word));
        }
        (want.0.is_ok(), having)
    }
}

/// How many kernels are judged: as the environment says, or so many.
pub(super) fn rounds(variable: &str, otherwise: usize) -> usize {
    std::env::var(variable).map_or(otherwise, |count| count.parse().expect("a number"))
}
