//! Programs on both engines: memory and the number of executed instructions must be the same.

use super::floats;
use super::program::Program;
use super::random::Random;
use super::text::text;
use margay_exec::{
    Argument, Dim, Engine, Launch, Memory, Program as Loaded, Sanitize, Simd, parameter_block,
};
use margay_front::module::Module;

/// Steps of a launch on the golden engine, at most.
const MOST_STEPS: u64 = 1 << 26;

/// A way to run a program; the golden engine's if there are no vector instructions.
#[derive(Clone, Copy, Debug, Default)]
struct Way {
    simd: Option<Simd>,
    workers: usize,
    /// The golden engine's order of threads.
    order: Option<u64>,
    sanitize: Sanitize,
}

/// All memory after one launch or two, and how many instructions were executed.
type Outcome = (Vec<u8>, u64);

/// What is wrong with a program, if anything is.
pub fn wrong(program: &Program) -> Option<String> {
    let text = text(program);
    let module = match margay_front::compile(&text) {
        Ok(module) => module,
        Err(errors) => return Some(format!("is refused: {:?}", &errors[..errors.len().min(2)])),
    };
    let golden = Way { workers: 1, ..Way::default() };
    let wanted = match run(program, &module, golden) {
        Ok(outcome) => outcome,
        Err(error) => return Some(format!("ends early: {error}")),
    };
    // All levels with machine code, the first of them in its turn with two workers, where fewer CTAs run together; one of the others.
    let (compiled, plain): (Vec<Simd>, Vec<Simd>) =
        Simd::available().iter().partition(|simd| simd.compiles());
    let turn = program.seed as usize;
    let plain = plain.get(turn % plain.len()).into_iter();
    let ways = plain.chain(compiled.iter().cycle().skip(turn % compiled.len().max(1)).take(compiled.len()));
    let mut ways: Vec<Way> = ways.map(|simd| Way { simd: Some(*simd), ..golden }).collect();
    ways.iter_mut().skip(1).take(1).for_each(|way| way.workers = 2);
    // Where another order makes a difference, it is the program that is wrong.
    if turn.is_multiple_of(16) {
        ways.push(Way { order: Some(program.seed), ..golden });
    }
    ways.into_iter().find_map(|way| match run(program, &module, way) {
        Ok(outcome) if outcome == wanted => None,
        Ok((memory, steps)) => {
            let first = memory.iter().zip(&wanted.0).position(|(a, b)| a != b);
            Some(format!("{way:?}: byte {first:?} is wrong, {steps} steps instead of {}", wanted.1))
        }
        Err(error) => Some(format!("{way:?}: ends early: {error}")),
    })
}

/// The same, where a judge of the compiler's stages may end everything.
pub fn wrong_or_refused(program: &Program) -> Option<String> {
    let judged = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| wrong(program)));
    judged.unwrap_or_else(|panic| Some(panic.downcast_ref::<String>().cloned().unwrap_or_default()))
}

/// The races that a program has, as text.
pub fn races(program: &Program) -> Option<String> {
    let module = margay_front::compile(&text(program)).ok()?;
    let sanitize = Sanitize { race: true, ..Sanitize::default() };
    run(program, &module, Way { workers: 1, sanitize, ..Way::default() }).err()
}

fn run(program: &Program, module: &Module, way: Way) -> Result<Outcome, String> {
    let mut memory = Memory::new(64);
    let loaded = Loaded::load(module, &mut memory).map_err(|error| error.to_string())?;
    let (ctas, window) = (u64::from(program.ctas()), u64::from(program.window));
    let mut random = Random::new(program.seed, 1);
    let sizes = [window * 4 + ctas * 64, ctas * window, ctas * u64::from(program.threads()) * 4];
    let mut buffers = Vec::new();
    for (size, name) in sizes.into_iter().zip(["in", "all", "out"]) {
        let address = memory.alloc(size, name).map_err(|error| error.to_string())?;
        let bytes = match program.style.floating {
            true => floats::bytes(&mut random, size as usize),
            false => random.bytes(size as usize),
        };
        memory.write(address, &bytes).map_err(|fault| fault.to_string())?;
        buffers.push((address, size));
    }
    let [input, all, out] = [0, 1, 2].map(|k| buffers[k].0);
    let second = all + u64::from(program.alias);
    let arguments = [input, all, second, out].map(Argument::Address);
    let arguments = [&arguments[..], &[Argument::Bytes(vec![0; 4])]].concat();
    let entry = module.entry("k").ok_or("there is no kernel `k`")?;
    let golden = way.simd.is_none();
    let launch = Launch {
        grid: Dim::new(program.grid[0], program.grid[1], 1),
        block: Dim::new(program.block[0], program.block[1], 1),
        parameters: parameter_block(module.function(entry), 64, &arguments)
            .map_err(|error| error.to_string())?,
        engine: if golden { Engine::Golden } else { Engine::Batch },
        simd: way.simd,
        workers: way.workers,
        schedule_seed: way.order,
        sanitize: way.sanitize,
        // The batch engine would leave kernels with a limit to the golden one.
        max_steps: golden.then_some(MOST_STEPS),
        ..Launch::new(entry)
    };
    // What a launch has found out, later ones know.
    let launches = if program.seed.is_multiple_of(3) { 2 } else { 1 };
    let mut instructions = 0;
    for _ in 0..launches {
        let report = launch.run(&loaded, &memory).map_err(|error| error.to_string())?;
        if !report.findings.is_empty() {
            return Err(format!("{:#?}", report.findings));
        }
        instructions += report.instructions;
    }
    let mut bytes = Vec::new();
    for (at, size) in buffers {
        bytes.extend(memory.read(at, size).map_err(|fault| fault.to_string())?);
    }
    Ok((bytes, instructions))
}
