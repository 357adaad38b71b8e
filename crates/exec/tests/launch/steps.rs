//! A launch that takes just as many steps as it may ends well, whatever its workers hold meanwhile.

use super::compile;
use margay_exec::{Error, Launch, Memory, Program, TrapKind};

/// Threads skip a side of a branch for which they do not part, 100 times.
const SKIPS: &str = "
.entry k()
{
    .reg .b64 %rd<3>;
    .reg .b32 %r<4>;
    .reg .pred %p<3>;
    mov.u32 %r1, %tid.x;
    popc.b32 %r2, %r1;
    mov.u32 %r3, 0;
    mov.u64 %rd1, 77777777777777;
    mov.u64 %rd2, 1234567;
again:
    add.u32 %r3, %r3, 1;
    setp.eq.u32 %p1, %r2, 7;
    @!%p1 bra past;
    rem.u64 %rd1, %rd1, %rd2;
    rem.u64 %rd2, %rd2, %rd1;
    rem.u64 %rd1, %rd1, %rd2;
    rem.u64 %rd2, %rd2, %rd1;
    rem.u64 %rd1, %rd1, %rd2;
    rem.u64 %rd2, %rd2, %rd1;
past:
    setp.lt.u32 %p2, %r3, 100;
    @%p2 bra again;
    ret;
}";

#[test]
fn what_some_threads_skip_is_nothing_that_others_lack() {
    let module = compile(SKIPS);
    let mut memory = Memory::new(64);
    let program = Program::load(&module, &mut memory).unwrap();
    let mut launch =
        Launch { grid: 2.into(), block: 1024.into(), workers: 2, ..Launch::new(module.entry("k").unwrap()) };
    let steps = launch.run(&program, &memory).unwrap().instructions;
    launch.max_steps = Some(steps);
    for _ in 0..300 {
        assert_eq!(launch.run(&program, &memory).map(|report| report.instructions).unwrap(), steps);
    }
    launch.max_steps = Some(steps - 1);
    let Err(Error::Trap(trap)) = launch.run(&program, &memory) else { panic!("a step too much is taken") };
    assert!(matches!(trap.kind, TrapKind::StepLimit(_)), "{trap:?}");
}
