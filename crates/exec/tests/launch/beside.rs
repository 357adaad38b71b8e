//! Launches side by side in one memory.

use super::compile;
use margay_exec::{Argument, Engine, Launch, Memory, Program, Progress, Sanitize, parameter_block};
use margay_front::module::Module;
use std::sync::Mutex;

fn parameters(module: &Module, arguments: &[Argument]) -> Vec<u8> {
    parameter_block(module.function(module.entry("k").unwrap()), 64, arguments).unwrap()
}

const READS: &str = "
.entry k(.param .u64 a)
{
    .reg .b64 %rd;
    .reg .b32 %r<2>;
    ld.param.u64 %rd, [a];
    ld.global.u32 %r0, [%rd];
    ld.global.u32 %r1, [%rd+4];
    st.global.u32 [%rd+8], %r0;
    st.global.u32 [%rd+8], %r1;
}";

/// A watched launch that begins while another one runs knows as well as that one what is written, and the other way round.
#[test]
fn what_is_written_is_known_to_all_that_watch_for_it() {
    let module = compile(READS);
    let mut memory = Memory::new(64);
    let program = Program::load(&module, &mut memory).unwrap();
    let a = memory.alloc(12, "a").unwrap();
    memory.write(a, &[1; 4]).unwrap();
    let other = memory.share().unwrap();
    let found = Mutex::new(Vec::new());
    let entry = module.entry("k").unwrap();
    let watched = |memory: &Memory, progress: Option<&(dyn Fn(Progress) + Sync)>| {
        let parameters = parameters(&module, &[Argument::Address(a)]);
        let sanitize = Sanitize { init: true, ..Sanitize::default() };
        let launch = Launch { grid: 2.into(), parameters, sanitize, progress, ..Launch::new(entry) };
        launch.run(&program, memory).unwrap().findings.len()
    };
    let within = |_: Progress| found.lock().unwrap().push(watched(&other, None));
    // The second word alone was never written.
    assert_eq!(watched(&memory, Some(&within)), 1);
    assert_eq!(*found.lock().unwrap(), [1, 1]);
    memory.write(a + 4, &[1; 4]).unwrap();
    assert_eq!([watched(&memory, None), watched(&other, None)], [0, 0]);
}

/// Counts in both halves of 128 bits at once, by comparing and swapping.
const WIDE: &str = "
.entry k(.param .u64 a, .param .u32 rounds)
{
    .reg .b64 %rd<5>;
    .reg .b32 %r<2>;
    .reg .b128 %old, %new, %seen;
    .reg .pred %p;
    ld.param.u64 %rd0, [a];
    ld.param.u32 %r0, [rounds];
again:
    ld.relaxed.sys.global.b128 %old, [%rd0];
    mov.b128 {%rd1, %rd2}, %old;
    add.u64 %rd1, %rd1, 1;
    add.u64 %rd2, %rd2, 1;
    mov.b128 %new, {%rd1, %rd2};
    atom.global.cas.b128 %seen, [%rd0], %old, %new;
    mov.b128 {%rd3, %rd4}, %seen;
    add.u64 %rd3, %rd3, 1;
    setp.ne.u64 %p, %rd1, %rd3;
    @%p bra again;
    add.u64 %rd4, %rd4, 1;
    setp.ne.u64 %p, %rd2, %rd4;
    @%p trap;
    sub.u32 %r0, %r0, 1;
    setp.ne.u32 %p, %r0, 0;
    @%p bra again;
}";

#[test]
fn steps_of_128_bits_are_one_among_launches() {
    let module = compile(WIDE);
    for engine in [Engine::Batch, Engine::Golden] {
        let mut memory = Memory::new(64);
        let program = Program::load(&module, &mut memory).unwrap();
        let a = memory.alloc(16, "a").unwrap();
        let rounds = 20_000u32;
        std::thread::scope(|scope| {
            for memory in [memory.share().unwrap(), memory.share().unwrap()] {
                let (module, program) = (&module, &program);
                scope.spawn(move || {
                    let parameters = parameters(module, &[Argument::Address(a), Argument::from(rounds)]);
                    let launch = Launch { parameters, engine, ..Launch::new(module.entry("k").unwrap()) };
                    launch.run(program, &memory).unwrap();
                });
            }
        });
        let halves = memory.read(a, 16).unwrap();
        let halves = halves.as_chunks::<8>().0.iter().map(|half| u64::from_le_bytes(*half));
        assert_eq!(halves.collect::<Vec<_>>(), [40_000, 40_000], "{engine:?}");
    }
}
