//! Who launches may look up meanwhile, and end what does not end.

use super::compile;
use margay_exec::{Engine, Error, Launch, Memory, Program, Sanitize, TrapKind};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

const ENDLESS: &str = ".entry k() { again: bra again; }";

/// All blocks end but the last one, which another worker may have.
const LAST: &str = ".entry k()
{
    .reg .b32 %r<3>;
    .reg .pred %p;
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %nctaid.x;
    sub.u32 %r2, %r2, 1;
    setp.eq.u32 %p, %r1, %r2;
again:
    @%p bra again;
}";

/// The calling thread looks up whatever it does: it alone works, or with others, in any order, on either engine.
#[test]
fn who_looks_up_can_end_an_endless_kernel() {
    let engines = [Engine::Batch, Engine::Golden];
    let ways = [(1, None, false), (3, None, false), (1, Some(7), false), (1, None, true)];
    for (kernel, engine) in [ENDLESS, LAST].into_iter().flat_map(|kernel| engines.map(|e| (kernel, e))) {
        for (workers, schedule_seed, sync) in ways {
            let module = compile(kernel);
            let mut memory = Memory::new(64);
            let program = Program::load(&module, &mut memory).unwrap();
            let (cancel, caller) = (AtomicBool::new(false), std::thread::current().id());
            let look = || {
                assert_eq!(std::thread::current().id(), caller);
                cancel.store(true, Relaxed);
            };
            let launch = Launch {
                grid: 40.into(),
                block: 64.into(),
                engine,
                workers,
                schedule_seed,
                sanitize: Sanitize { sync, ..Sanitize::default() },
                cancel: Some(&cancel),
                look: Some(&look),
                ..Launch::new(module.entry("k").unwrap())
            };
            let Err(Error::Trap(trap)) = launch.run(&program, &memory) else { panic!("it ended") };
            assert_eq!(trap.kind, TrapKind::Cancelled, "{engine:?} {workers} {schedule_seed:?} {sync}");
        }
    }
}
