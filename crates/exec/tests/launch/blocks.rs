//! Every block runs once, however many workers there are, and whatever was seen of launches before.

use super::compile;
use margay_exec::{Argument, Launch, Memory, Program, parameter_block};

const COUNTS: &str = "
.entry k(.param .u64 out, .param .u32 rounds)
{
    .reg .b64 %rd<4>;
    .reg .b32 %r<4>;
    .reg .pred %p;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [rounds];
    mov.u32 %r2, %ctaid.x;
    mul.wide.u32 %rd2, %r2, 4;
    add.s64 %rd3, %rd1, %rd2;
again:
    red.global.add.u32 [%rd3], 1;
    add.s32 %r1, %r1, -1;
    setp.ne.s32 %p, %r1, 0;
    @%p bra again;
    ret;
}";

#[test]
fn every_block_runs_once() {
    let module = compile(COUNTS);
    let mut memory = Memory::new(64);
    let program = Program::load(&module, &mut memory).unwrap();
    let out = memory.alloc(4 * 200, "out").unwrap();
    let entry = module.entry("k").unwrap();
    // Short launches after long ones and the other way round: what a launch is expected to take is often wrong.
    for (turn, rounds) in [1u32, 25, 1, 1, 25, 25, 3].into_iter().cycle().take(70).enumerate() {
        let (blocks, workers) = (1 + (turn * 37 % 200) as u32, 1 + turn % 5);
        let arguments = [Argument::Address(out), Argument::from(rounds)];
        let parameters = parameter_block(module.function(entry), 64, &arguments).unwrap();
        memory.write(out, &[0; 800]).unwrap();
        let (grid, block) = (blocks.into(), 32.into());
        let launch = Launch { grid, block, parameters, workers, ..Launch::new(entry) };
        let report = launch.run(&program, &memory).unwrap();
        assert_eq!(report.threads, u64::from(blocks) * 32);
        let counts = memory.read(out, 800).unwrap();
        for (k, count) in counts.as_chunks::<4>().0.iter().enumerate() {
            let want = if (k as u32) < blocks { 32 * rounds } else { 0 };
            assert_eq!(u32::from_le_bytes(*count), want, "block {k} of {blocks}, {workers} workers");
        }
    }
}

/// Each thread stores what a long computation makes of its place in its block.
const MIXED: &str = "
.entry k(.param .u64 out)
{
    .reg .b64 %rd<3>;
    .reg .b32 %r<6>;
    .reg .pred %p;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %ctaid.y;
    mov.u32 %r2, %nctaid.x;
    mov.u32 %r3, %ctaid.x;
    mad.lo.u32 %r1, %r1, %r2, %r3;
    mov.u32 %r2, %tid.x;
    mad.lo.u32 %r4, %r1, 64, %r2;
    mul.lo.u32 %r2, %r2, %r2;
    mov.u32 %r3, 0;
    mov.u32 %r5, 100;
again:
    mad.lo.u32 %r3, %r3, %r2, %r2;
    sub.u32 %r5, %r5, 1;
    setp.ne.u32 %p, %r5, 0;
    @%p bra again;
    mul.wide.u32 %rd2, %r4, 4;
    add.s64 %rd1, %rd1, %rd2;
    st.global.u32 [%rd1], %r3;
    ret;
}";

#[test]
fn rows_that_end_with_a_smaller_batch_leave_no_thread_out() {
    let module = compile(MIXED);
    let mut memory = Memory::new(64);
    let entry = module.entry("k").unwrap();
    // Some worker begins with a row's rest.
    let (columns, rows) = (96u32, 100u32);
    let bytes = u64::from(4 * 64 * columns * rows);
    let out = memory.alloc(bytes, "out").unwrap();
    let parameters = parameter_block(module.function(entry), 64, &[Argument::Address(out)]).unwrap();
    let mixed =
        |thread: u32| (0..100).fold(0u32, |value, _| value.wrapping_add(1).wrapping_mul(thread * thread));
    let want: Vec<u32> = (0..64).map(mixed).collect();
    for turn in 0..40 {
        // Each with storage of its own.
        let program = Program::load(&module, &mut memory).unwrap();
        memory.write(out, &vec![0xff; bytes as usize]).unwrap();
        let (grid, block) = (margay_exec::Dim::new(columns, rows, 1), 64.into());
        let parameters = parameters.clone();
        let launch = Launch { grid, block, parameters, workers: 2 + turn % 3, ..Launch::new(entry) };
        launch.run(&program, &memory).unwrap();
        let found = memory.read(out, bytes).unwrap();
        for (k, word) in found.as_chunks::<4>().0.iter().enumerate() {
            assert_eq!(u32::from_le_bytes(*word), want[k % 64], "thread {} of block {}", k % 64, k / 64);
        }
    }
}
