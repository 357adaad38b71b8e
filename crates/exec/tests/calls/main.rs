//! Calls on the batch engine: what is inlined gives what the golden engine gives, and whoever has to go on in the middle of a
//! call finds everything as it should be.

#[macro_use]
mod kernels;
mod recursion;

use kernels::{HANDED_OVER, INLINED, LOCAL, Text, WRONG};
use margay_exec::{Argument, Engine, Error, Launch, Memory, Program, Simd, parameter_block};
use margay_front::module::Module;
use recursion::{FAILS, RECURSIVE, TAKEN_OVER};

/// Threads of a block.
const BLOCKS: [u32; 4] = [1, 33, 64, 96];
/// Bytes that each thread may write.
const BYTES: u64 = 64;

/// What came of a launch: memory, how many instructions, and how it failed if it did.
#[derive(PartialEq, Eq, Debug)]
struct Outcome {
    memory: Vec<u8>,
    instructions: Option<u64>,
    trap: Option<String>,
}

fn compile(text: &Text) -> Module {
    let ptx = format!(".version 8.5\n.target sm_90\n.address_size 64\n{}", text.ptx);
    margay_front::compile(&ptx).unwrap_or_else(|errors| panic!("{}: {ptx}\n{errors:?}", text.name))
}

/// Runs a kernel on so many blocks of so many threads; gives how many were handed over, too.
fn run(
    module: &Module,
    (engine, simd): (Engine, Option<Simd>),
    [blocks, threads]: [u32; 2],
    max_steps: Option<u64>,
) -> (Outcome, u64) {
    let mut memory = Memory::new(64);
    let program = Program::load(module, &mut memory).unwrap();
    let bytes = BYTES * u64::from(blocks * threads);
    let out = memory.alloc(bytes, "out").unwrap();
    let fill: Vec<u8> = (0..bytes).map(|k| (k * 37 + k / 64 * 11) as u8).collect();
    memory.write(out, &fill).unwrap();
    let entry = module.entry("k").unwrap();
    let given = [Argument::Address(out), Argument::Bytes(7u32.to_le_bytes().to_vec())];
    let launch = Launch {
        grid: blocks.into(),
        block: threads.into(),
        parameters: parameter_block(module.function(entry), 64, &given).unwrap(),
        engine,
        simd,
        max_steps,
        workers: 1,
        ..Launch::new(entry)
    };
    let (instructions, trap, handed_over) = match launch.run(&program, &memory) {
        Ok(report) => (Some(report.instructions), None, report.handed_over),
        Err(Error::Trap(trap)) => (None, Some(format!("{trap} {trap:?}")), 0),
        Err(Error::Launch(error)) => panic!("{error:?}"),
    };
    (Outcome { memory: memory.read(out, bytes).unwrap(), instructions, trap }, handed_over)
}

/// Holds every level against the golden engine, and gives whether any block was handed over.
fn compare(text: &Text) -> bool {
    let (module, mut handed) = (compile(text), false);
    for threads in BLOCKS {
        let (wanted, _) = run(&module, (Engine::Golden, None), [2, threads], None);
        assert_eq!(wanted.trap.is_some(), text.fails, "{}: {:?}", text.name, wanted.trap);
        for simd in Simd::available().iter().copied() {
            let (found, handed_over) = run(&module, (Engine::Batch, Some(simd)), [2, threads], None);
            // Where a launch fails, other blocks may have gone further.
            assert_eq!(found.trap, wanted.trap, "{} {threads} {simd}", text.name);
            if !text.fails {
                assert!(found == wanted, "{} {threads} {simd}: {found:?}, not {wanted:?}", text.name);
            }
            handed |= handed_over > 0;
        }
    }
    handed
}

#[test]
fn calls_are_inlined() {
    for text in INLINED.iter().chain(RECURSIVE) {
        assert!(!compare(text), "{}: blocks are handed over", text.name);
    }
}

#[test]
fn local_memory_holds_what_was_put_there() {
    for text in LOCAL {
        compare(text);
    }
}

#[test]
fn what_is_not_inlined_is_handed_over() {
    for text in HANDED_OVER.iter().chain(TAKEN_OVER) {
        assert!(compare(text), "{}: no block is handed over", text.name);
    }
}

#[test]
fn what_fails_in_a_function_is_told_as_the_golden_engine_tells_it() {
    for text in WRONG.iter().chain(FAILS) {
        compare(text);
    }
}

/// The batch engine hands over where a limit would be met in the middle of a basic block: so it does at every one, inside calls too. Where
/// several threads run together, it may be another thread's instruction.
#[test]
fn a_limit_is_met_at_the_same_instruction() {
    let all = [INLINED, LOCAL, HANDED_OVER, RECURSIVE, TAKEN_OVER];
    for text in all.into_iter().flatten().filter(|text| !text.waits) {
        let module = compile(text);
        let (whole, _) = run(&module, (Engine::Golden, None), [1, 1], None);
        let steps = whole.instructions.unwrap();
        for limit in (1..=steps).filter(|limit| *limit < 300 || limit % 7 == 0 || steps - limit < 50) {
            let (wanted, _) = run(&module, (Engine::Golden, None), [1, 1], Some(limit));
            let (found, _) = run(&module, (Engine::Batch, None), [1, 1], Some(limit));
            assert!(found == wanted, "{} at {limit} of {steps}: {found:?}, not {wanted:?}", text.name);
        }
        for threads in BLOCKS {
            let (whole, _) = run(&module, (Engine::Golden, None), [2, threads], None);
            let steps = whole.instructions.unwrap();
            let (found, _) = run(&module, (Engine::Batch, None), [2, threads], Some(steps));
            assert!(found == whole, "{} of {threads}: {found:?}", text.name);
            let (found, _) = run(&module, (Engine::Batch, None), [2, threads], Some(steps - 1));
            assert!(found.trap.is_some_and(|trap| trap.contains("StepLimit")), "{} of {threads}", text.name);
        }
    }
}
