//! What is counted of a launch is the same on both engines, and what it should be.

use margay_exec::{Engine, Launch, Memory, Profile, Program};
use margay_front::module::InstructionId;

fn profile(text: &str, engine: Engine, threads: u32) -> Profile {
    let module = margay_front::compile(text).unwrap();
    let mut memory = Memory::new(64);
    let program = Program::load(&module, &mut memory).unwrap();
    let entry = module.entry("k").unwrap();
    let launch =
        Launch { engine, profile: true, block: threads.into(), grid: 3.into(), ..Launch::new(entry) };
    *launch.run(&program, &memory).unwrap().profile.unwrap()
}

/// Odd threads branch, those from 4 on end early, one instruction is guarded, a function is called by some.
const PARTING: &str = ".version 8.0 .target sm_80 .address_size 64
.func f() { ret; }
.entry k() {
    .reg .b32 %r<4>; .reg .pred %p<4>; .shared .b32 s[64];
    mov.u32 %r1, %tid.x;
    setp.ge.u32 %p1, %r1, 4;
    @%p1 exit;
    and.b32 %r2, %r1, 1;
    setp.eq.u32 %p2, %r2, 1;
    @%p2 bra odd;
    mov.u32 %r3, s;
    mad.lo.u32 %r3, %r1, 4, %r3;
    st.shared.u32 [%r3], %r1;
odd:
    setp.eq.u32 %p3, %r1, 2;
    @%p3 call f;
    st.shared.u32 [s], %r1;
}";

#[test]
fn counts_are_executions_by_threads() {
    for engine in [Engine::Golden, Engine::Batch] {
        let profile = profile(PARTING, engine, 6);
        let [f, k] = &profile.functions[..] else { panic!("{profile:?}") };
        assert_eq!(f.counts, [3]);
        assert_eq!(k.counts, [18, 18, 18, 12, 12, 12, 6, 6, 6, 12, 12, 12], "{engine:?}");
        let branches: Vec<_> = k.branches.iter().map(|b| (b.instruction.0, b.taken, b.passed)).collect();
        assert_eq!(branches, [(2, 6, 12), (5, 6, 6)]);
    }
}

/// Threads wait for others in the middle of a block that ends with a guarded branch by an index.
const WAITING: &str = ".version 8.0 .target sm_80 .address_size 64
.entry k() {
    .reg .b32 %r<4>; .reg .pred %p<4>;
    mov.u32 %r1, %tid.x;
    setp.ge.u32 %p1, %r1, 4;
    and.b32 %r2, %r1, 1;
    setp.eq.u32 %p2, %r2, 1;
    @%p1 bra late;
    bar.sync 0;
    add.u32 %r2, %r2, 0;
ways: .branchtargets even, odd;
    @%p2 brx.idx %r2, ways;
even:
    exit;
late:
    bar.sync 0;
odd:
    ret;
}";

#[test]
fn what_is_left_in_the_middle_of_a_block_counts_once() {
    for engine in [Engine::Golden, Engine::Batch] {
        let profile = profile(WAITING, engine, 6);
        assert_eq!(profile.functions[0].counts, [18, 18, 18, 18, 18, 12, 12, 12, 6, 6, 12], "{engine:?}");
    }
}

#[test]
fn the_batch_engine_tells_of_lanes_accesses_and_hand_overs() {
    let profile = profile(PARTING, Engine::Batch, 6);
    let [access, ..] = &profile.accesses[..] else { panic!("{profile:?}") };
    assert_eq!((access.instruction, access.strided, access.contiguous), (InstructionId(8), 0, 6));
    let first = &profile.stretches[1];
    assert_eq!((first.threads, first.runs, first.busy, first.lanes), (18, 3, 18, 18));
    let even = profile.stretches.iter().find(|stretch| stretch.first.0 == 6).unwrap();
    assert_eq!((even.threads, even.runs, even.busy, even.lanes), (6, 3, 6, 18));
    let [handed] = &profile.hand_overs[..] else { panic!("{:?}", profile.hand_overs) };
    assert_eq!((handed.instruction, handed.blocks), (InstructionId(10), 3));
    assert!(handed.reason.contains("calls"));
}

#[test]
fn nothing_is_counted_where_nobody_asks() {
    let module = margay_front::compile(PARTING).unwrap();
    let mut memory = Memory::new(64);
    let program = Program::load(&module, &mut memory).unwrap();
    let launch = Launch::new(module.entry("k").unwrap());
    assert!(launch.run(&program, &memory).unwrap().profile.is_none());
}
