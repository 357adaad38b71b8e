//! The kernels on margay's engines, beside native code that does the same; every result is compared before it is timed.

use crate::agree::{check, same};
use crate::buffer::Buffer;
use crate::case::{self, CACHE, Case, Kernel, MEMORY, SMOKE};
use crate::floats;
use crate::level;
use crate::measure::{Candidate, Timing, rounds};
use crate::pocl::Pocl;
use margay_exec::{Argument, Dim, Engine, Launch, Memory, Program, Simd, parameter_block};
use margay_front::module::{FunctionId, Module};
use std::time::{Duration, Instant};

/// nvcc's PTX of the kernels of integers.
pub const PTX: &str = include_str!("../data/kernels.ptx");

/// Kernels of one module.
pub struct Suite {
    /// The part of the command line that measures them.
    pub part: &'static str,
    /// How their short names begin.
    pub letter: char,
    ptx: &'static str,
    kernels: fn() -> Vec<Kernel>,
}

/// All of them.
pub const SUITES: [Suite; 3] = [
    Suite { part: "kernels", letter: 'K', ptx: PTX, kernels: case::kernels },
    Suite { part: "floats", letter: 'F', ptx: floats::PTX, kernels: floats::kernels },
    Suite { part: "approximations", letter: 'A', ptx: floats::PTX, kernels: floats::approximations },
];

impl Suite {
    /// Whether a kernel of the suite is called so.
    pub fn has(&self, name: &str) -> bool {
        (self.kernels)().iter().any(|kernel| kernel.short == name)
    }

    /// Those whose short names are given, or all if none of the suite is.
    fn chosen(&self, names: &[String]) -> Vec<Kernel> {
        let all = !names.iter().any(|name| name.starts_with(self.letter));
        (self.kernels)().into_iter().filter(|k| all || names.iter().any(|name| name == k.short)).collect()
    }
}

/// A case in margay's memory, ready to be launched again and again.
pub struct Ready<'m> {
    program: Program<'m>,
    memory: Memory,
    entry: FunctionId,
    parameters: Vec<u8>,
    grid: Dim,
    block: Dim,
    out: u64,
    words: usize,
}

impl<'m> Ready<'m> {
    pub fn new(module: &'m Module, kernel: &Kernel, case: &Case) -> Ready<'m> {
        let mut memory = Memory::new(64);
        let program = Program::load(module, &mut memory).expect("the module fits");
        let mut arguments = Vec::new();
        for input in &case.inputs {
            let address = memory.alloc(4 * input.len() as u64, "input").expect("there is room");
            memory.write(address, &input.bytes()).expect("it was just allocated");
            arguments.push(Argument::Address(address));
        }
        let out = memory.alloc(4 * case.output as u64, "output").expect("there is room");
        arguments.push(Argument::Address(out));
        arguments.extend(case.scalars.iter().map(|s| Argument::from(*s)));
        let entry = module.entry(kernel.entry).expect("the kernel is there");
        let parameters = parameter_block(module.function(entry), 64, &arguments).expect("they fit");
        let dim = |[x, y, z]: [u32; 3]| Dim { x, y, z };
        let (grid, block) = (dim(case.grid), dim(case.block));
        Ready { program, memory, entry, parameters, grid, block, out, words: case.output }
    }

    /// Runs it once; the instructions that threads executed.
    pub fn launch(&self, engine: Engine, workers: usize) -> u64 {
        let parameters = self.parameters.clone();
        let (grid, block) = (self.grid, self.block);
        let launch = Launch { grid, block, parameters, engine, workers, ..Launch::new(self.entry) };
        launch.run(&self.program, &self.memory).expect("it runs").instructions
    }

    /// The output as it stands, and makes it zeros again.
    pub fn take(&mut self) -> Vec<u32> {
        let bytes = self.memory.read(self.out, 4 * self.words as u64).expect("the output");
        self.memory.write(self.out, &vec![0; bytes.len()]).expect("the output");
        bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
    }
}

/// Kernel, size, and how long everybody takes.
pub struct Row {
    pub kernel: Kernel,
    pub place: &'static str,
    pub size: usize,
    /// Bytes read or written at least once.
    pub bytes: usize,
    /// Instructions that threads executed.
    pub instructions: u64,
    pub hand: Timing,
    pub plain: Timing,
    pub one: Timing,
    pub two: Timing,
    /// Half of what two launches at once take, one worker each: what the machine lets a second worker gain.
    pub apart: Timing,
    /// At its own, smaller size.
    pub golden: Timing,
    /// Instructions at that size.
    pub golden_instructions: u64,
    /// With one thread and with two, where it is there.
    pub pocl: Vec<Timing>,
}

/// What plain Rust computes.
pub fn expected(kernel: &Kernel, case: &Case) -> Vec<u32> {
    let mut out = Buffer::zeroed(case.output);
    (kernel.plain)(level::chosen(), case, &mut out);
    out.to_vec()
}

/// Measures one kernel at one size, after having compared all results.
fn measure(
    module: &Module,
    kernel: Kernel,
    (place, size): (&'static str, usize),
    count: usize,
    pocl: &mut [Pocl],
) -> Row {
    let case = (kernel.case)(size);
    let expected = expected(&kernel, &case);
    let mut out = Buffer::zeroed(case.output);
    let level = level::chosen();
    // Small sizes are there to check all that is written.
    let levels = if size == kernel.sizes[SMOKE] { Simd::available() } else { &[level] };
    for level in levels {
        out.fill(0);
        kernel.by_hand(*level, &case, &mut out);
        check(&kernel, size, &format!("the version by hand for `{level}`"), &out, &expected);
    }
    let mut ready = Ready::new(module, &kernel, &case);
    let mut instructions = 0;
    let mut results = Vec::new();
    for workers in [1, 2] {
        instructions = ready.launch(Engine::Batch, workers);
        results = ready.take();
        check(&kernel, size, "the batch engine", &results, &expected);
    }
    let smallest = kernel.sizes[SMOKE];
    let small = (kernel.case)(smallest);
    let mut judge = Ready::new(module, &kernel, &small);
    judge.launch(Engine::Batch, 1);
    let found = judge.take();
    let golden_instructions = judge.launch(Engine::Golden, 1);
    let golden = judge.take();
    check(&kernel, smallest, "the golden engine", &golden, &self::expected(&kernel, &small));
    same(&kernel, smallest, "the batch engine", &found, &golden);

    for pocl in pocl.iter_mut() {
        if let Some(found) = pocl.prepare(&kernel, &case).expect("the peer runs") {
            check(&kernel, size, "PoCL", &found, &expected);
        }
    }

    let mut twin = Ready::new(module, &kernel, &case);
    twin.launch(Engine::Batch, 1);
    same(&kernel, size, "a second launch beside the first", &twin.take(), &results);
    let mut other = Buffer::zeroed(case.output);
    let mut candidates = vec![
        Candidate::timed("by hand", || kernel.by_hand(level, &case, &mut out)),
        Candidate::timed("plain", || (kernel.plain)(level, &case, &mut other)),
        Candidate::timed("batch, one worker", || ready.launch(Engine::Batch, 1)),
        Candidate::timed("batch, two workers", || ready.launch(Engine::Batch, 2)),
        Candidate::apart("batch, twice", [&ready, &twin].map(|ready| || ready.launch(Engine::Batch, 1))),
        Candidate::timed("golden", || judge.launch(Engine::Golden, 1)),
    ];
    candidates.extend(
        pocl.iter_mut()
            .filter(|pocl| pocl.has(&kernel))
            .map(|pocl| Candidate { name: "PoCL".into(), run: Box::new(|| pocl.run()) }),
    );
    let mut timings = rounds(candidates, count);
    let pocl = timings.split_off(6);
    let [hand, plain, one, two, apart, golden] = timings.try_into().ok().expect("six were given");
    let bytes = case.bytes();
    Row {
        kernel,
        place,
        size,
        bytes,
        instructions,
        hand,
        plain,
        one,
        two,
        apart,
        golden,
        golden_instructions,
        pocl,
    }
}

/// The table of a suite's kernels whose short names are given, of all if none is.
pub fn run(suite: &Suite, names: &[String], count: usize, smoke: bool) -> Vec<Row> {
    let module = margay_front::compile(suite.ptx).expect("the kernels are valid");
    let places: &[_] = if smoke { &[("check", SMOKE)] } else { &[("cache", CACHE), ("memory", MEMORY)] };
    let peers: Result<Vec<_>, _> = [1, 2].into_iter().map(Pocl::start).collect();
    let mut pocl = match peers {
        Ok(pocl) => pocl,
        Err(reason) => {
            println!("\nPoCL is not measured: {reason}");
            Vec::new()
        }
    };
    println!(
        "\n{}; times are ns for each instruction of each thread; x: times as long as by hand",
        suite.part
    );
    println!(
        "{:<26} {:>8} {:>14} | {:>7} {:>7} {:>7} {:>6} | {:>6} {:>6} {:>6} {:>7} {:>6} {:>6} | {:>4} {:>6} {:>5} {:>6}",
        "",
        "",
        "by hand",
        "plain",
        "batch",
        "2 work.",
        "golden",
        "plain",
        "batch",
        "2 work.",
        "golden",
        "PoCL",
        "2 thr.",
        "bar",
        "spread",
        "speed",
        "of",
    );
    println!(
        "{:<26} {:>8} {:>7} {:>6} | {:>7} {:>7} {:>7} {:>6} | {:>6} {:>6} {:>6} {:>7} {:>6} {:>6} | {:>4} {:>6} {:>5} {:>6}",
        "",
        "size",
        "ns",
        "GB/s",
        "ns",
        "ns",
        "ns",
        "ns",
        "x",
        "x",
        "x",
        "x",
        "x",
        "x",
        "x",
        "batch",
        "up",
        "apart",
    );
    let mut rows = Vec::new();
    for kernel in suite.chosen(names) {
        for (place, at) in places {
            let row = measure(&module, kernel, (place, kernel.sizes[*at]), count, &mut pocl);
            print(&row);
            rows.push(row);
        }
    }
    let ratios = rows.iter().map(|row| row.one.ratio(&row.hand).ln());
    println!("geometric mean of batch: {:.2}", (ratios.sum::<f64>() / rows.len() as f64).exp());
    rows
}

/// Launches kernels on the batch engine, one worker, three seconds each and size: for a profiler to look on.
pub fn spin(names: &[String]) {
    for suite in SUITES.iter().filter(|suite| names.iter().any(|name| name.starts_with(suite.letter))) {
        let module = margay_front::compile(suite.ptx).expect("the kernels are valid");
        for kernel in suite.chosen(names) {
            for (place, at) in [("cache", CACHE), ("memory", MEMORY)] {
                let ready = Ready::new(&module, &kernel, &(kernel.case)(kernel.sizes[at]));
                let (start, mut launches) = (Instant::now(), 0);
                while start.elapsed() < Duration::from_secs(3) {
                    ready.launch(Engine::Batch, 1);
                    launches += 1;
                }
                let each = start.elapsed().as_secs_f64() * 1e3 / f64::from(launches);
                println!("{}, {place}: {launches} launches of {each:.3} ms", kernel.short);
            }
        }
    }
}

fn print(row: &Row) {
    let each = |t: &Timing| t.median * 1e9 / row.instructions as f64;
    let golden = row.golden.median * 1e9 / row.golden_instructions as f64;
    let times = |t: Option<&Timing>| t.map_or("-".into(), |t| format!("{:.2}", t.ratio(&row.hand)));
    let native = format!("{:>7.4} {:>6.1}", each(&row.hand), row.bytes as f64 / row.hand.median / 1e9);
    let (plain, one, two) = (each(&row.plain), each(&row.one), each(&row.two));
    println!(
        "{:<26} {:>8} {native} | {plain:>7.4} {one:>7.4} {two:>7.4} {golden:>6.1} | {:>6} {:>6} {:>6} {:>7.0} {:>6} {:>6} | {:>4.1} {:>5.0}% {:>5.2} {:>6.2}",
        format!("{} {}, {}", row.kernel.short, row.kernel.title, row.place),
        row.size,
        times(Some(&row.plain)),
        times(Some(&row.one)),
        times(Some(&row.two)),
        golden / each(&row.hand),
        times(row.pocl.first()),
        times(row.pocl.get(1)),
        row.kernel.bar(level::chosen()),
        row.one.spread * 100.0,
        row.one.ratio(&row.two),
        row.one.ratio(&row.apart),
    );
}
