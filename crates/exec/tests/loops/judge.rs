//! Kernels on both engines: memory, the number of executed instructions or the trap must be the same.

use super::draw::{CHUNK, Kernel, ROWS, SUMS, words};
use margay_exec::{Argument, Engine, Launch, Memory, Program, Sanitize, Simd, Stage, parameter_block};
use margay_front::module::Module;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Steps of a launch on the golden engine, at most.
const MOST_STEPS: u64 = 3 << 19;
/// Or as many for each thread.
const MOST_OF_EACH: u64 = 600;

/// How long a launch may take before it is one that does not end.
const LONGEST: Duration = Duration::from_secs(10);

/// How it is said that a launch has panicked.
pub const PANIC: &str = "a panic";

#[derive(Debug)]
pub enum Verdict {
    Same,
    /// The same trap, rather.
    Failed,
    /// The golden engine does not come to an end.
    Endless,
    Wrong(String),
}

/// A way to run a kernel.
#[derive(Clone, Copy, Default)]
struct Way {
    simd: Option<Simd>,
    order: Option<u64>,
    race: bool,
}

/// Instructions or a trap, and all memory.
type Outcome = (Result<u64, String>, Vec<u8>);

/// What all levels make of a kernel.
pub fn judge(kernel: &Kernel) -> Verdict {
    let module = match margay_front::compile(&kernel.text()) {
        Ok(module) => module,
        Err(errors) => return Verdict::Wrong(format!("it is refused: {:?}", &errors[..errors.len().min(2)])),
    };
    let wanted = run(kernel, &module, Way::default());
    if let (Err(error), _) = &wanted
        && error.contains("steps")
    {
        return Verdict::Endless;
    }
    // Levels that interpret the same plan take their turns.
    let seldom = |simd: &Simd| {
        matches!(simd, Simd::Baseline | Simd::Avx512 | Simd::JitSkylake) && !kernel.seed.is_multiple_of(3)
    };
    for simd in Simd::available().iter().filter(|simd| !seldom(simd)) {
        let way = Way { simd: Some(*simd), ..Way::default() };
        let got = catch_unwind(AssertUnwindSafe(|| run(kernel, &module, way)));
        let got = got.unwrap_or_else(|panic| (Err(format!("{PANIC}: {}", said(&*panic))), Vec::new()));
        // Threads that have no end may have their turns before one that fails.
        if kernel.threads() > 1
            && wanted.0.is_err()
            && matches!(&got.0, Err(error) if error.starts_with("stopped"))
        {
            return Verdict::Endless;
        }
        if let Some(what) = difference(kernel, &wanted, &got) {
            return Verdict::Wrong(format!("{simd}: {what}"));
        }
    }
    if wanted.0.is_ok() { Verdict::Same } else { Verdict::Failed }
}

/// What each level makes of a kernel, as text.
pub fn all(kernel: &Kernel) -> Vec<String> {
    let Ok(module) = margay_front::compile(&kernel.text()) else { return Vec::new() };
    let wanted = run(kernel, &module, Way::default());
    let mut lines = vec![format!("golden: {:?}; depends on order: {}", wanted.0, depends_on_order(kernel))];
    for simd in Simd::available() {
        let way = Way { simd: Some(*simd), ..Way::default() };
        let got = catch_unwind(AssertUnwindSafe(|| run(kernel, &module, way)));
        let got = got.unwrap_or_else(|panic| (Err(format!("{PANIC}: {}", said(&*panic))), Vec::new()));
        lines.push(format!("{simd}: {}", difference(kernel, &wanted, &got).unwrap_or("same".into())));
    }
    lines
}

fn said(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| text.to_string())).unwrap_or_default()
}

/// How an outcome differs from the golden engine's.
fn difference(kernel: &Kernel, wanted: &Outcome, got: &Outcome) -> Option<String> {
    let written = bytes(kernel, &wanted.1, &got.1);
    match (&wanted.0, &got.0) {
        // Which of several threads that fail is the first is open, and how far others have come.
        (Err(_), Err(other)) if kernel.threads() > 1 && !other.starts_with(PANIC) => None,
        (wanted, got) if wanted != got => {
            Some(format!("{got:?} instead of {wanted:?} {}", written.unwrap_or_default()))
        }
        _ => written,
    }
}

/// The first byte that differs, and how many do.
fn bytes(kernel: &Kernel, wanted: &[u8], got: &[u8]) -> Option<String> {
    let at = wanted.iter().zip(got).position(|(a, b)| a != b)?;
    let word = |bytes: &[u8]| u32::from_le_bytes(bytes[at & !3..][..4].try_into().unwrap());
    let count = wanted.iter().zip(got).filter(|(a, b)| a != b).count();
    let (area, place) = kernel.place(at);
    Some(format!("{area}+{place}: {:#x} instead of {:#x}, {count} bytes differ", word(got), word(wanted)))
}

/// Whether the order of threads shows in the result. It excuses no panic, and no kernel that is refused.
pub fn depends_on_order(kernel: &Kernel) -> bool {
    let Ok(module) = margay_front::compile(&kernel.text()) else { return false };
    let wanted = run(kernel, &module, Way::default());
    let other = |order| run(kernel, &module, Way { order: Some(order), ..Way::default() });
    let same = (1..4).all(|order| {
        let other = other(order);
        wanted.0.is_err() && other.0.is_err() || other == wanted
    });
    !same || run(kernel, &module, Way { race: true, ..Way::default() }).0 != wanted.0
}

fn run(kernel: &Kernel, module: &Module, way: Way) -> Outcome {
    let mut memory = Memory::new(64);
    let program = Program::load(module, &mut memory).unwrap();
    let threads = u64::from(kernel.threads());
    let rows = threads * 4 * ROWS;
    let sizes = [kernel.input(), rows, threads * CHUNK, SUMS];
    let buffers: Vec<(u64, u64)> = sizes
        .into_iter()
        .zip(["in", "rows", "chunks", "sums"])
        .map(|(size, name)| {
            let address = memory.alloc(size, name).unwrap();
            memory.write(address, &words(kernel.seed ^ size, size as usize)).unwrap();
            (address, size)
        })
        .collect();
    let arguments: Vec<Argument> = buffers.iter().map(|(address, _)| Argument::Address(*address)).collect();
    let entry = module.entry("k").unwrap();
    let cancel = AtomicBool::new(false);
    let begun = Instant::now();
    let look = || cancel.store(begun.elapsed() > LONGEST, Relaxed);
    let golden = way.simd.is_none();
    let launch = |n: u32| Launch {
        grid: kernel.grid,
        block: kernel.block,
        parameters: parameter_block(
            module.function(entry),
            64,
            &[&arguments[..], &[Argument::from(n)]].concat(),
        )
        .unwrap(),
        engine: if golden { Engine::Golden } else { Engine::Batch },
        simd: way.simd,
        workers: 1,
        schedule_seed: way.order,
        sanitize: Sanitize { race: way.race, ..Sanitize::default() },
        // The batch engine would leave kernels with a limit to the golden one.
        max_steps: golden.then_some(MOST_STEPS.max(threads * MOST_OF_EACH)),
        cancel: Some(&cancel),
        look: Some(&look),
        ..Launch::new(entry)
    };
    let end = kernel.numbers.iter().try_fold(0, |sum, n| match launch(*n).run(&program, &memory) {
        Ok(report) if !report.findings.is_empty() => Err(format!("{:?}", report.findings)),
        Ok(report) => Ok(sum + report.instructions),
        Err(error) => Err(error.to_string()),
    });
    let mut bytes = Vec::new();
    for (address, size) in buffers {
        bytes.extend_from_slice(&memory.read(address, size).unwrap());
    }
    (end, bytes)
}

/// What the batch engine makes of a kernel, as text.
pub fn plan(kernel: &Kernel) -> String {
    let module = margay_front::compile(&kernel.text()).unwrap();
    let mut memory = Memory::new(64);
    let program = Program::load(&module, &mut memory).unwrap();
    let entry = module.entry("k").unwrap();
    let parameters = vec![0; 36];
    let launch = Launch { grid: kernel.grid, block: kernel.block, parameters, ..Launch::new(entry) };
    launch.stage(Stage::Plan, &program, &memory, &|_, _| 1).unwrap()
}
