//! Lanes that name no members, where their warp has parted: those that cannot come any more are not waited for, and both engines give the same.

use margay_exec::{Argument, Engine, Launch, Memory, Program, Report, Simd, parameter_block};
use margay_front::module::Module;

const GRID: u32 = 5;
const BLOCK: u32 = 100;

/// A kernel whose threads have drawn bits in `%h` and give what is in `%m`; before it stands a function, which gives who is active with it.
fn kernel(body: &str) -> Module {
    let text = format!(
        ".version 8.5\n.target sm_90\n.address_size 64
        .func (.reg .b32 %who) active(.reg .b32 %x)
        {{
            activemask.b32 %who;
            xor.b32 %who, %who, %x;
            ret;
        }}
        .visible .entry k(.param .u64 data)
        {{
            .reg .b64 %at, %data;
            .reg .b32 %t, %h, %m, %n, %x;
            .reg .pred %p, %q;
            .shared .b32 cell;
            ld.param.u64 %data, [data];
            mov.u32 %x, %ctaid.x;
            mov.u32 %t, %tid.x;
            mad.lo.u32 %t, %x, {BLOCK}, %t;
            mul.lo.u32 %h, %t, 0x9e3779b1;
            shr.u32 %h, %h, 7;
            mov.u32 %m, 0;
            and.b32 %x, %h, 1;
            setp.eq.u32 %p, %x, 1;
            and.b32 %x, %h, 6;
            setp.eq.u32 %q, %x, 2;
            {body}
            mul.wide.u32 %at, %t, 4;
            add.u64 %at, %at, %data;
            st.global.u32 [%at], %m;
            ret;
        }}"
    );
    margay_front::compile(&text).unwrap_or_else(|errors| panic!("{text}\n{errors:?}"))
}

fn run(module: &Module, engine: Engine, simd: Option<Simd>) -> (Vec<u8>, Report) {
    let mut memory = Memory::new(64);
    let program = Program::load(module, &mut memory).unwrap();
    let bytes = u64::from(4 * GRID * BLOCK);
    let data = memory.alloc(bytes, "data").unwrap();
    let entry = module.entry("k").unwrap();
    let launch = Launch {
        grid: GRID.into(),
        block: BLOCK.into(),
        parameters: parameter_block(module.function(entry), 64, &[Argument::Address(data)]).unwrap(),
        engine,
        simd,
        workers: 1,
        ..Launch::new(entry)
    };
    let report = launch.run(&program, &memory).unwrap();
    (memory.read(data, bytes).unwrap(), report)
}

/// Both engines give the same; how many of the blocks were handed over at most.
fn judge(body: &str) -> u64 {
    let module = kernel(body);
    let (wanted, golden) = run(&module, Engine::Golden, None);
    let batch = Simd::available().iter().map(|simd| {
        let (given, report) = run(&module, Engine::Batch, Some(*simd));
        assert_eq!((given == wanted, report.instructions), (true, golden.instructions), "{simd}: {body}");
        report.handed_over
    });
    batch.max().expect("a level")
}

#[test]
fn lanes_that_no_way_leads_to_an_instruction_are_not_waited_for() {
    for body in [
        "@!%p bra join; activemask.b32 %m; join:",
        "@!%p bra join; activemask.b32 %m; join: bar.warp.sync -1; xor.b32 %m, %m, 5;",
        "@!%p bra join; activemask.b32 %m; join: bar.sync 0; xor.b32 %m, %m, 5;",
        // Both sides, and both sides of one side.
        "@!%p bra else; activemask.b32 %m; bra join; else: activemask.b32 %m; not.b32 %m, %m; join:",
        "@!%p bra join; @!%q bra other; activemask.b32 %m; bra join; other: activemask.b32 %n; shl.b32 %m, %n, 1; join:",
        // Some lanes of those that have come.
        "@!%p bra join; @%q activemask.b32 %m; join:",
        "@%q activemask.b32 %m;",
        // Lanes that come later than others.
        "@!%p bra join; and.b32 %n, %h, 24; loop: add.u32 %n, %n, 8; setp.lt.u32 %q, %n, 40; @%q bra loop; activemask.b32 %m; join:",
        // One after the other.
        "@!%p bra else; activemask.b32 %n; bra join; else: activemask.b32 %n; not.b32 %n, %n; join: activemask.b32 %x; shl.b32 %x, %x, 1; add.u32 %m, %n, %x;",
        "mov.u32 %n, 0; @%p activemask.b32 %n; activemask.b32 %x; xor.b32 %m, %x, %n;",
        // The members of what follows, which one of them leads.
        "@!%p bra join; activemask.b32 %n; brev.b32 %x, %n; clz.b32 %x, %x; shfl.sync.idx.b32 %m, %h, %x, 31, %n; join:",
        "@!%p bra join; activemask.b32 %n; vote.sync.ballot.b32 %m, %q, %n; join: xor.b32 %m, %m, %h;",
        // A function that is called once.
        "@!%p bra join; call.uni (%m), active, (%h); join:",
    ] {
        assert_eq!(judge(body), 0, "{body}");
    }
}

#[test]
fn lanes_that_may_come_again_are_left_to_the_golden_engine() {
    for body in [
        // Those that have skipped it in one turn come to it in a later one.
        "mov.u32 %n, 0; loop: shr.u32 %x, %h, %n; and.b32 %x, %x, 1; setp.eq.u32 %p, %x, 0; @%p bra skip; activemask.b32 %x; add.u32 %m, %m, %x; \
         skip: add.u32 %n, %n, 1; setp.lt.u32 %q, %n, 5; @%q bra loop;",
        "mov.u32 %n, 0; loop: shr.u32 %x, %h, %n; and.b32 %x, %x, 1; setp.eq.u32 %p, %x, 0; @%p activemask.b32 %m; \
         add.u32 %n, %n, 1; setp.lt.u32 %q, %n, 5; @%q bra loop;",
        // In a function that is called in two places.
        "@!%p bra else; call.uni (%m), active, (%h); bra join; else: call.uni (%m), active, (%t); join:",
        // One that lies after what it leads to, and one deeper in calls: the golden engine takes it first.
        "@!%p bra else; activemask.b32 %n; join: activemask.b32 %x; shl.b32 %x, %x, 1; add.u32 %m, %n, %x; bra end; \
         else: activemask.b32 %n; not.b32 %n, %n; bra join; end:",
        "@!%p bra else; activemask.b32 %n; bra join; else: activemask.b32 %n; not.b32 %n, %n; join: call.uni (%m), active, (%n);",
        "mov.u32 %n, 0; @%p activemask.b32 %n; call.uni (%m), active, (%n);",
    ] {
        assert_eq!(judge(body), u64::from(GRID), "{body}");
    }
}
