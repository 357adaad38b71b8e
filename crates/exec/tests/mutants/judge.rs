//! Mutants on both engines: memory, what is printed, and the number of executed instructions must be the same, or the trap.

use super::Mutant;
use super::given::{self, MARGIN, Word};
use margay_exec::{
    Argument, Engine, Error, Launch, Memory, Program, Sanitize, Simd, TrapKind, parameter_block,
};
use margay_front::module::{Module, Space};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Steps of a launch on the golden engine, at most.
const MOST_STEPS: u64 = 1 << 21;

/// So long a launch that ends on the golden engine may take on the other one.
const MOST_TIME: Duration = Duration::from_secs(10);

pub enum Verdict {
    Agrees,
    /// Both engines end in the same trap.
    Traps,
    /// The checker refuses it, or the launch.
    Refused,
    /// It takes too many steps.
    Long,
    /// Its results depend on the order of threads.
    Races,
    Differs(String),
}

impl Verdict {
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Agrees => "agrees",
            Verdict::Traps => "traps",
            Verdict::Refused => "refused",
            Verdict::Long => "long",
            Verdict::Races => "races",
            Verdict::Differs(_) => "differs",
        }
    }
}

/// A way to run a mutant; the golden engine's if there are no vector instructions.
#[derive(Clone, Copy, Debug, Default)]
struct Way {
    simd: Option<Simd>,
    workers: usize,
    order: Option<u64>,
    sanitize: Sanitize,
}

#[derive(PartialEq)]
enum Outcome {
    /// Buffers and module variables, what was printed, and how many instructions were executed.
    Done(Vec<u8>, String, u64),
    Trapped(String),
    Refused(String),
    Long,
    Found(String),
}

impl Outcome {
    /// Whether they are the same but for which thread ends the launch.
    fn is_like(&self, other: &Outcome) -> bool {
        let place = |text: &str| text.split("; thread").next().map(str::to_string);
        match (self, other) {
            (Outcome::Trapped(one), Outcome::Trapped(other)) => place(one) == place(other),
            _ => self == other,
        }
    }

    fn told(&self, wanted: &Outcome) -> String {
        match (self, wanted) {
            (Outcome::Done(memory, printed, steps), Outcome::Done(others, text, count)) => {
                let first = memory.iter().zip(others).position(|(a, b)| a != b);
                let printed = if printed == text { "" } else { ", prints something else" };
                format!("byte {first:?} is wrong{printed}, {steps} steps instead of {count}")
            }
            _ => format!("{} instead of {}", self.short(), wanted.short()),
        }
    }

    fn short(&self) -> String {
        match self {
            Outcome::Done(..) => "ends well".into(),
            Outcome::Trapped(text) => format!("traps ({text})"),
            Outcome::Refused(text) => format!("is refused ({text})"),
            Outcome::Long => "takes long".into(),
            Outcome::Found(text) => text.clone(),
        }
    }
}

/// What is to be said of a mutant.
pub fn judged(mutant: &Mutant) -> Verdict {
    let Ok(module) = margay_front::compile(&mutant.text()) else { return Verdict::Refused };
    let golden = Way { workers: 1, ..Way::default() };
    let wanted = run(mutant, &module, golden);
    match &wanted {
        Outcome::Refused(_) => return Verdict::Refused,
        Outcome::Long => return Verdict::Long,
        _ => {}
    }
    let levels = Simd::available();
    let (compiled, plain): (Vec<Simd>, Vec<Simd>) = levels.iter().partition(|simd| simd.compiles());
    let turn = mutant.given.turn;
    let plain = plain.get(turn % plain.len()).into_iter();
    let mut ways: Vec<Way> = plain.chain(&compiled).map(|simd| Way { simd: Some(*simd), ..golden }).collect();
    let traps = matches!(wanted, Outcome::Trapped(_));
    let two = turn / 16 % ways.len();
    // Which of several traps comes first depends on the order of blocks.
    ways[two].workers = if traps { 1 } else { 2 };
    for way in ways {
        let judged = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(mutant, &module, way)));
        let outcome = match judged {
            Ok(outcome) => outcome,
            Err(panic) => {
                let text = panic.downcast_ref::<String>().cloned().unwrap_or_default();
                return Verdict::Differs(format!("{way:?}: panics: {text}"));
            }
        };
        match outcome {
            outcome if outcome == wanted => {}
            // One thread traps, others never end: which is seen depends on the order.
            Outcome::Long if traps => {}
            outcome if races(mutant, &module, &outcome, &wanted) => return Verdict::Races,
            outcome => return Verdict::Differs(format!("{way:?}: {}", outcome.told(&wanted))),
        }
    }
    if traps { Verdict::Traps } else { Verdict::Agrees }
}

/// Whether an order of threads, too, makes a difference: in the thread that ends the launch, if that is all that is different, else
/// in more.
fn races(mutant: &Mutant, module: &Module, outcome: &Outcome, wanted: &Outcome) -> bool {
    let golden = Way { workers: 1, ..Way::default() };
    let orders = (1..60).map(|seed| Way { order: Some(seed), ..golden });
    let watched = Way { sanitize: Sanitize { race: true, ..Sanitize::default() }, ..golden };
    let in_thread = outcome.is_like(wanted);
    orders.chain([watched]).any(|way| {
        let other = run(mutant, module, way);
        if in_thread { other != *wanted } else { !other.is_like(wanted) }
    })
}

fn run(mutant: &Mutant, module: &Module, way: Way) -> Outcome {
    let given = &mutant.given;
    let mut memory = Memory::new(64);
    let program = match Program::load(module, &mut memory) {
        Ok(program) => program,
        Err(error) => return Outcome::Refused(error.to_string()),
    };
    let mut buffers = Vec::new();
    let mut held = |bytes: &[u8]| {
        let all = [&[0; MARGIN], bytes, &[0; MARGIN]].concat();
        let address =
            memory.alloc(all.len() as u64, format!("buffer {}", buffers.len())).expect("there is room");
        memory.write(address, &all).expect("it is written whole");
        buffers.push((address, all.len() as u64));
        address + MARGIN as u64
    };
    let mut arguments = Vec::new();
    for (argument, parameter) in given.arguments.iter().zip(&mutant.subject.parameters) {
        arguments.push(match argument {
            given::Argument::Bytes(bytes) => Argument::Bytes(bytes.clone()),
            given::Argument::Buffer(bytes) => Argument::Address(held(bytes)),
            given::Argument::Words(words) => {
                let bytes = words.iter().flat_map(|word| match word {
                    Word::Number(number) => number.to_le_bytes(),
                    Word::Address => held(&[3; 4096]).to_le_bytes(),
                });
                let mut bytes: Vec<u8> = bytes.collect();
                bytes.truncate(parameter.size as usize);
                Argument::Bytes(bytes)
            }
        });
    }
    let Some(entry) = module.entry(&mutant.subject.entry) else {
        return Outcome::Refused("no kernel".into());
    };
    let parameters = match parameter_block(module.function(entry), 64, &arguments) {
        Ok(parameters) => parameters,
        Err(error) => return Outcome::Refused(error.to_string()),
    };
    let golden = way.simd.is_none();
    let (begin, cancel) = (Instant::now(), AtomicBool::new(false));
    let look = || cancel.store(begin.elapsed() > MOST_TIME, Relaxed);
    let launch = Launch {
        grid: given.grid.into(),
        block: given.block.into(),
        shared_bytes: given.shared_bytes,
        parameters,
        engine: if golden { Engine::Golden } else { Engine::Batch },
        simd: way.simd,
        workers: way.workers,
        schedule_seed: way.order,
        sanitize: way.sanitize,
        // The batch engine would leave kernels with a limit to the golden one.
        max_steps: golden.then_some(MOST_STEPS),
        cancel: Some(&cancel),
        look: Some(&look),
        ..Launch::new(entry)
    };
    let report = match launch.run(&program, &memory) {
        Ok(report) => report,
        Err(Error::Trap(trap)) if matches!(trap.kind, TrapKind::StepLimit(_) | TrapKind::Cancelled) => {
            return Outcome::Long;
        }
        Err(Error::Trap(trap)) => {
            let found = trap.findings.first().map(|finding| Outcome::Found(finding.message.clone()));
            return found.unwrap_or_else(|| Outcome::Trapped(trap.to_string()));
        }
        Err(error) => return Outcome::Refused(error.to_string()),
    };
    if let Some(finding) = report.findings.first() {
        return Outcome::Found(finding.message.clone());
    }
    let variables = module.variables().iter().filter(|variable| variable.space == Space::Global);
    buffers.extend(variables.filter_map(|variable| program.variable(&variable.name)));
    let mut bytes = Vec::new();
    for (at, size) in buffers {
        bytes.extend(memory.read(at, size).expect("it is there"));
    }
    Outcome::Done(bytes, report.printed, report.instructions)
}
