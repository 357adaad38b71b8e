//! A launch that takes just as many steps as it may ends well, whatever its workers hold meanwhile.

use super::compile;
use margay_exec::{Error, Launch, Memory, Program, TrapKind};

/// One block ends with many slow instructions and a side of a branch that all its threads skip, as the plan has it counted
/// before it looks. Meanwhile the only thread that is left of the other takes about as many steps as that side has.
const SKIPS: &str = "
.entry k()
{
    .shared .b64 out;
    .reg .b64 %rd<3>;
    .reg .b32 %r<4>;
    .reg .pred %p<4>;
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, 0;
    cvt.u64.u32 %rd1, %r1;
    add.u64 %rd1, %rd1, 77777777777777;
    mov.u64 %rd2, 1234567;
    setp.ne.u32 %p1, %r2, 0;
    @%p1 bra other;
busy:
    add.u32 %r3, %r3, 1;
    mul.lo.u64 %rd1, %rd1, %rd1;
    setp.lt.u32 %p2, %r3, 1000;
    @%p2 bra busy;
    SLOW
    setp.eq.u64 %p3, %rd1, 7777777;
    @!%p3 bra past;
    SIDE
past:
    st.shared.u64 [out], %rd1;
    ret;
other:
    setp.ne.u32 %p2, %r1, 0;
    @%p2 ret;
again:
    add.u32 %r3, %r3, 1;
    setp.lt.u32 %p2, %r3, 3400;
    @%p2 bra again;
    ret;
}";

#[test]
fn what_some_threads_skip_is_nothing_that_others_lack() {
    let slow = "rem.u64 %rd1, %rd1, %rd2;\nadd.u64 %rd1, %rd1, 77777777777777;\n".repeat(100);
    let side = "add.u64 %rd1, %rd1, %rd2;\n".repeat(10);
    let module = compile(&SKIPS.replace("SLOW", &slow).replace("SIDE", &side));
    let mut memory = Memory::new(64);
    let program = Program::load(&module, &mut memory).unwrap();
    let mut launch =
        Launch { grid: 2.into(), block: 1024.into(), workers: 2, ..Launch::new(module.entry("k").unwrap()) };
    let steps = launch.run(&program, &memory).unwrap().instructions;
    launch.max_steps = Some(steps);
    for _ in 0..100 {
        assert_eq!(launch.run(&program, &memory).map(|report| report.instructions).unwrap(), steps);
    }
    launch.max_steps = Some(steps - 1);
    let Err(Error::Trap(trap)) = launch.run(&program, &memory) else { panic!("a step too much is taken") };
    assert!(matches!(trap.kind, TrapKind::StepLimit(_)), "{trap:?}");
}
