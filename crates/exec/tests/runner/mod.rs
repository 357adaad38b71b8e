//! Reads the comments of a run file, launches, and writes what came out.

#![allow(unsafe_code)]

mod value;

use margay_exec::{
    Argument, Dim, Engine, Error, Finding, Launch, Memory, Program, Sanitize, Simd, parameter_block,
};
use margay_front::module::{FunctionId, InstructionId, Module};
use margay_front::source::LineIndex;
use margay_isa::Semantics;
use value::Type;

const RUN: &str = "// run: ";
const GIVES: &str = "// gives: ";

/// The text with fresh `gives` lines behind every `run` line. All ways to run a launch must agree.
pub fn rewritten(text: &str) -> String {
    let module = margay_front::compile(text).unwrap_or_else(|errors| {
        panic!("{text}\n{}", errors.iter().map(|e| format!("{e:?}\n")).collect::<String>())
    });
    let mut out = String::new();
    for line in text.lines().filter(|l| !l.starts_with(GIVES)) {
        out += line;
        out.push('\n');
        if let Some(run) = line.strip_prefix(RUN) {
            let run = Run::read(run);
            let gave = run.launch(&module, text, Way::default());
            let three = Way { workers: 3, ..Way::default() };
            assert_eq!(gave, run.launch(&module, text, three), "the number of workers shows: {line}");
            for lent in
                [Engine::Golden, Engine::Batch].map(|engine| Way { engine, lent: true, ..Way::default() })
            {
                let mut other = run.launch(&module, text, lent);
                if run.executes_any {
                    other.executed = gave.executed;
                }
                match lent.engine {
                    Engine::Golden => assert_eq!(gave, other, "lent memory shows: {line}"),
                    Engine::Batch => assert_eq!(gave.certain(), other.certain(), "lent memory shows: {line}"),
                }
            }
            for simd in Simd::available().iter().filter(|_| run.engine.is_none()) {
                let batch = Way { engine: Engine::Batch, simd: Some(*simd), ..Way::default() };
                let mut other = run.launch(&module, text, batch);
                if run.executes_any {
                    other.executed = gave.executed;
                }
                assert_eq!(gave.certain(), other.certain(), "the batch engine shows ({simd}): {line}");
            }
            if run.sanitize.any() {
                for seed in 0..SEEDS {
                    let other = run.launch(&module, text, Way { seed: Some(seed), ..Way::default() });
                    assert_eq!(
                        found(&other.lines),
                        found(&gave.lines),
                        "another order is judged differently: {line}"
                    );
                }
            }
            gave.lines.iter().for_each(|l| out += &format!("{GIVES}{l}\n"));
        }
    }
    out
}

/// In so many other orders of threads and blocks, sanitizers must find the same.
const SEEDS: u64 = 6;

/// What sanitizers found and where, without the threads that were seen and how often.
fn found(lines: &[String]) -> Vec<&str> {
    let found = lines.iter().filter_map(|line| line.strip_prefix("found "));
    found
        .map(|line| line.split(" times: ").next().unwrap_or(line).rsplit_once(", ").map_or(line, |l| l.0))
        .collect()
}

/// A way to run a launch.
#[derive(Clone, Copy)]
struct Way {
    engine: Engine,
    simd: Option<Simd>,
    workers: usize,
    seed: Option<u64>,
    /// Whether buffers are lent.
    lent: bool,
}

impl Default for Way {
    fn default() -> Way {
        Way { engine: Engine::Golden, simd: None, workers: 1, seed: None, lent: false }
    }
}

/// What a launch gave.
#[derive(PartialEq, Eq, Debug)]
struct Gave {
    lines: Vec<String>,
    /// Instructions, if it was not stopped.
    executed: Option<u64>,
}

impl Gave {
    /// What every engine gives: where a thread ends the launch, how far others have printed by then depends on their order.
    fn certain(&self) -> (Vec<&str>, Option<u64>) {
        let traps = self.lines.iter().any(|line| line.starts_with("trap "));
        let lines = self.lines.iter().map(String::as_str);
        (lines.filter(|line| !(traps && line.starts_with("prints "))).collect(), self.executed)
    }
}

/// One `run` line.
struct Run<'t> {
    entry: &'t str,
    arguments: Vec<(&'t str, Value<'t>)>,
    grid: Dim,
    block: Dim,
    cluster: Option<Dim>,
    shared: u64,
    steps: Option<u64>,
    semantics: Semantics,
    contract: bool,
    sanitize: Sanitize,
    /// The one engine that it is for.
    engine: Option<Engine>,
    /// Whether how many instructions it executes depends on the turns that threads have.
    executes_any: bool,
    free: Option<&'t str>,
    get: Vec<(&'t str, Type)>,
}

enum Value<'t> {
    /// A buffer, what it holds, and whether the host has written it.
    Buffer(Type, Vec<u8>, bool),
    Number(Vec<u8>),
    Address(&'t str, i64),
}

impl<'t> Run<'t> {
    fn read(line: &'t str) -> Run<'t> {
        let (call, options) = line.split_once("--").unwrap_or((line, ""));
        let (entry, arguments) = call.trim().split_once(' ').unwrap_or((call.trim(), ""));
        let mut run = Run {
            entry,
            arguments: split(arguments).into_iter().map(argument).collect(),
            grid: 1.into(),
            block: 1.into(),
            cluster: None,
            shared: 0,
            steps: None,
            semantics: Semantics::Manual,
            contract: false,
            sanitize: Sanitize::default(),
            engine: None,
            executes_any: false,
            free: None,
            get: Vec::new(),
        };
        for option in options.split_whitespace() {
            let (key, value) = option.split_once('=').unwrap();
            match key {
                "grid" => run.grid = dim(value),
                "block" => run.block = dim(value),
                "cluster" => run.cluster = Some(dim(value)),
                "shared" => run.shared = value.parse().unwrap(),
                "steps" => run.steps = Some(value.parse().unwrap()),
                "semantics" if value == "rounded" => run.semantics = Semantics::Rounded,
                "semantics" => run.semantics = Semantics::Ptxas13_5,
                "contract" => {
                    assert_eq!(value, "yes");
                    run.contract = true;
                }
                "sanitize" => {
                    let has = |name| value.split(',').any(|word| word == name);
                    run.sanitize = Sanitize {
                        memory: has("memory"),
                        init: has("init"),
                        race: has("race"),
                        sync: has("sync"),
                    };
                }
                "engine" => {
                    let engines = [Engine::Golden, Engine::Batch];
                    run.engine = engines.into_iter().find(|engine| engine.name() == value);
                    assert!(run.engine.is_some(), "unknown engine `{value}`");
                }
                "executes" => {
                    assert_eq!(value, "any");
                    run.executes_any = true;
                }
                "free" => run.free = Some(value),
                "get" => {
                    let (name, ty) = value.split_once(':').unwrap();
                    run.get.push((name, Type::read(ty)));
                }
                _ => panic!("unknown option `{key}`"),
            }
        }
        run
    }

    /// What a fresh launch gives, line by line.
    fn launch(&self, module: &Module, text: &str, way: Way) -> Gave {
        let refused = |e: margay_exec::LaunchError| {
            let places =
                e.places.iter().map(|p| format!("; {}", place(module, text, p.function, p.instruction)));
            Gave { lines: vec![format!("refused: {e}{}", places.collect::<String>())], executed: None }
        };
        let mut memory = Memory::new(module.address_size());
        let program = match Program::load(module, &mut memory) {
            Ok(program) => program,
            Err(error) => return refused(error),
        };
        let mut addresses = Vec::new();
        let mut lent: Vec<Vec<u128>> = Vec::new();
        for (name, value) in &self.arguments {
            if let Value::Buffer(_, bytes, given) = value {
                let (count, called) = (bytes.len() as u64, format!("argument `{name}`"));
                // What is lent counts as written.
                let address = if way.lent && *given {
                    lent.push(vec![0; bytes.len().div_ceil(16)]);
                    let start = lent.last_mut().unwrap().as_mut_ptr().cast();
                    // SAFETY: it lives until the launch is over, and nobody else uses it.
                    unsafe { memory.lend(start, count, called, false).unwrap() }
                } else {
                    memory.alloc(count, called).unwrap()
                };
                if *given {
                    memory.write(address, bytes).unwrap();
                }
                addresses.push((*name, address));
            }
        }
        let address_of = |name: &str| {
            let argument = addresses.iter().find(|(n, _)| *n == name).map(|(_, address)| *address);
            argument.or(program.variable(name).map(|(address, _)| address)).unwrap()
        };
        let arguments: Vec<Argument> = self
            .arguments
            .iter()
            .map(|(name, value)| match value {
                Value::Buffer(..) => Argument::Address(address_of(name)),
                Value::Number(bytes) => Argument::Bytes(bytes.clone()),
                Value::Address(name, offset) => {
                    Argument::Address(address_of(name).wrapping_add_signed(*offset))
                }
            })
            .collect();
        if let Some(name) = self.free {
            memory.free(address_of(name)).unwrap();
        }
        let entry = module.entry(self.entry).unwrap();
        let parameters = match parameter_block(module.function(entry), module.address_size(), &arguments) {
            Ok(parameters) => parameters,
            Err(error) => return refused(error),
        };
        let launch = Launch {
            grid: self.grid,
            block: self.block,
            cluster: self.cluster,
            shared_bytes: self.shared,
            parameters,
            semantics: self.semantics,
            contract: self.contract,
            max_steps: self.steps,
            engine: self.engine.unwrap_or(way.engine),
            simd: way.simd,
            workers: way.workers,
            schedule_seed: way.seed,
            sanitize: self.sanitize,
            ..Launch::new(entry)
        };
        let mut lines = Vec::new();
        let executed = match launch.run(&program, &memory) {
            Err(Error::Launch(error)) => return refused(error),
            Err(Error::Trap(trap)) => {
                let place = place(module, text, trap.function, trap.instruction);
                let printed = trap.printed.lines().map(|line| format!("prints {line}"));
                let findings = told(module, text, &trap.findings);
                let lines = printed.chain([format!("trap at {place}: {trap}")]).chain(findings).collect();
                return Gave { lines, executed: None };
            }
            Ok(report) => {
                assert!(report.instructions >= report.threads);
                lines.extend(report.printed.lines().map(|line| format!("prints {line}")));
                lines.extend(told(module, text, &report.findings));
                Some(report.instructions)
            }
        };
        for (name, value) in &self.arguments {
            let Value::Buffer(ty, before, _) = value else { continue };
            let now = memory.read(address_of(name), before.len() as u64).unwrap_or(before.clone());
            if now != *before {
                lines.push(format!("{name}={}", ty.show(&now)));
            }
        }
        for (name, ty) in &self.get {
            let (address, size) = program.variable(name).unwrap();
            lines.push(format!("{name}={}", ty.show(&memory.read(address, size).unwrap())));
        }
        if lines.is_empty() {
            lines.push("nothing".into());
        }
        Gave { lines, executed }
    }
}

/// The findings of sanitizers, one a line.
fn told(module: &Module, text: &str, findings: &[Finding]) -> Vec<String> {
    let line = |finding: &Finding| {
        let place = |act: &margay_exec::Act| place(module, text, act.function, act.instruction);
        let places: Vec<_> = finding.acts.iter().map(place).collect();
        let (places, name) = (places.join(" and "), finding.sanitizer.name());
        format!("found {name} at {places}, {} times: {finding}", finding.count)
    };
    findings.iter().map(line).collect()
}

/// The line of an instruction, the instruction, and its source line.
fn place(module: &Module, text: &str, function: FunctionId, instruction: InstructionId) -> String {
    let Some(span) = module.function(function).spans.get(instruction.0 as usize) else {
        return "the end of the kernel".into();
    };
    let line = LineIndex::new(text).line_of(span.start) + 1;
    let origin = module.origin(function, instruction);
    let origin = origin.map_or_else(String::new, |origin| format!(" ({origin})"));
    format!("line {line} `{}`{origin}", &text[span.range()])
}

/// Splits at blanks outside brackets.
fn split(text: &str) -> Vec<&str> {
    let mut depth = 0;
    let blank = move |c: char| {
        depth += i32::from(c == '[') - i32::from(c == ']');
        c == ' ' && depth == 0
    };
    text.split(blank).filter(|t| !t.is_empty()).collect()
}

fn argument(text: &str) -> (&str, Value<'_>) {
    let (name, value) = text.split_once('=').unwrap();
    let value = if let Some(place) = value.strip_prefix('&') {
        let at = place.find(['+', '-']).unwrap_or(place.len());
        Value::Address(&place[..at], place[at..].parse().unwrap_or(0))
    } else if let Some((ty, list)) = value.split_once('[') {
        let ty = Type::read(ty);
        let elements = list.trim_end_matches(']').split_whitespace();
        Value::Buffer(ty, elements.flat_map(|e| ty.bytes(e)).collect(), true)
    } else if let Some((ty, count)) = value.split_once('#') {
        // So many elements without an order, the same in every run.
        let ty = Type::read(ty);
        let bytes = (0..(ty.size() * count.parse::<usize>().unwrap()) as u64)
            .map(|k| (k.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8);
        Value::Buffer(ty, bytes.collect(), true)
    } else if let Some((ty, count)) = value.split_once(['*', '?']) {
        let ty = Type::read(ty);
        Value::Buffer(ty, vec![0; ty.size() * count.parse::<usize>().unwrap()], value.contains('*'))
    } else if let Some(hex) = value.strip_prefix("bytes:") {
        let digits = hex.as_bytes().chunks(2).map(|c| std::str::from_utf8(c).unwrap());
        Value::Number(digits.map(|d| u8::from_str_radix(d, 16).unwrap()).collect())
    } else {
        let (ty, number) = value.split_once(':').unwrap();
        Value::Number(Type::read(ty).bytes(number))
    };
    (name, value)
}

fn dim(text: &str) -> Dim {
    let mut axes = text.split(',').map(|n| n.parse().unwrap()).chain(std::iter::repeat(1));
    let mut next = || axes.next().unwrap();
    Dim::new(next(), next(), next())
}
