//! Kernels that never end do end when their launch is cancelled: many blocks, whoever runs them and in whatever turns.

use super::compile;
use margay_exec::{Dim, Engine, Error, Launch, Memory, Program, Progress, Simd, Trap, TrapKind};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// After so long a launch counts as one that does not end; each of these ends within a blink.
const FOREVER: Duration = Duration::from_secs(100);

const THREADS: u32 = 256;
const BLOCKS: u32 = 64;

/// Blocks may run together.
const ENDLESS: &str = ".entry k() { again: bra again; }";

/// The golden engine executes the first block's instruction, since the function is called with its frame on a stack.
const CALLS_FIRST: &str = "
.func again() { again: bra again; }
.entry k() { call again, (); }";

/// Nothing has been counted where it stands first.
const EMPTY: &str = ".entry k() { }";

/// What one block does may show to another, so that they take turns. All but the last wait for what never comes.
const WAITS: &str = "
.global .u32 come;
.entry k()
{
    .reg .b32 %r;
    .reg .pred %p;
    mov.u32 %r, %ctaid.x;
    setp.eq.u32 %p, %r, 63;
    @%p ret;
again:
    ld.volatile.global.u32 %r, [come];
    setp.eq.u32 %p, %r, 0;
    @%p bra again;
}";

/// When the flag is set.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Set {
    /// Before the first block begins.
    Before,
    /// As soon as a block has ended.
    AtTheFirstEnd,
}

/// A way to run a kernel.
#[derive(Clone, Copy, Debug)]
struct Way {
    engine: Engine,
    simd: Option<Simd>,
    workers: usize,
    seed: Option<u64>,
}

/// All engines with all their vector instructions, with one worker and two, and in an order that a seed draws.
fn ways() -> Vec<Way> {
    let golden = Way { engine: Engine::Golden, simd: None, workers: 1, seed: None };
    let batch =
        Simd::available().iter().map(|simd| Way { engine: Engine::Batch, simd: Some(*simd), ..golden });
    let one_worker = batch.chain([golden, Way { seed: Some(1), ..golden }]);
    one_worker.flat_map(|way| [1, 2].map(|workers| Way { workers, ..way })).collect()
}

/// The trap that ends a launch of many blocks. One that does not end fails the test, and is left to itself.
fn trap_of(kernel: &'static str, way: Way, set: Set) -> Trap {
    let (done, end) = channel();
    let launch = move || {
        let module = compile(kernel);
        let mut memory = Memory::new(64);
        let program = Program::load(&module, &mut memory).unwrap();
        let cancel = AtomicBool::new(set == Set::Before);
        let ended = |_: Progress| cancel.store(true, Relaxed);
        let launch = Launch {
            grid: BLOCKS.into(),
            block: THREADS.into(),
            engine: way.engine,
            simd: way.simd,
            workers: way.workers,
            schedule_seed: way.seed,
            cancel: Some(&cancel),
            progress: (set == Set::AtTheFirstEnd).then_some(&ended),
            ..Launch::new(module.entry("k").unwrap())
        };
        // Whoever waits may have given up.
        let _ = done.send(launch.run(&program, &memory));
    };
    let running = std::thread::spawn(launch);
    match end.recv_timeout(FOREVER) {
        Ok(Err(Error::Trap(trap))) => *trap,
        Ok(other) => panic!("{kernel}\n{way:?}, {set:?}: {other:?}"),
        Err(RecvTimeoutError::Timeout) => panic!("{kernel}\n{way:?}, {set:?}: does not end"),
        Err(RecvTimeoutError::Disconnected) => std::panic::resume_unwind(running.join().unwrap_err()),
    }
}

#[test]
fn a_launch_that_is_cancelled_before_its_first_block_ends() {
    for kernel in [ENDLESS, CALLS_FIRST, WAITS, EMPTY] {
        for way in ways() {
            let trap = trap_of(kernel, way, Set::Before);
            assert_eq!(trap.kind, TrapKind::Cancelled, "{kernel}\n{way:?}");
            assert_eq!(trap.instruction.0, 0, "{kernel}\n{way:?}");
            if way.seed.is_none() {
                assert_eq!(trap.block, Dim::new(0, 0, 0), "{kernel}\n{way:?}");
            }
        }
    }
}

#[test]
fn blocks_that_take_turns_end_when_their_launch_is_cancelled() {
    for way in ways() {
        let trap = trap_of(WAITS, way, Set::AtTheFirstEnd);
        assert_eq!(trap.kind, TrapKind::Cancelled, "{way:?}");
        assert_ne!(trap.block, Dim::new(BLOCKS - 1, 0, 0), "{way:?}");
    }
}
