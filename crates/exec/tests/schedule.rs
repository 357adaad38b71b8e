//! Other orders than the default: found by a seed, the same again for the same seed, or given up altogether.

use margay_exec::{Argument, Engine, Error, Launch, Memory, Program, Report, TrapKind, parameter_block};
use margay_front::module::Module;
use std::collections::BTreeSet;

fn compile(body: &str) -> Module {
    let text = format!(".version 8.5\n.target sm_90\n.address_size 64\n{body}");
    margay_front::compile(&text).unwrap_or_else(|errors| panic!("{text}\n{errors:?}"))
}

/// Grid and block of a launch of kernel `k`, which takes a zeroed buffer of so many words.
#[derive(Clone, Copy)]
struct Shape {
    grid: u32,
    block: u32,
    words: u64,
}

#[derive(Clone, Copy, Default)]
struct Order {
    engine: Engine,
    seed: Option<u64>,
    unordered: bool,
    cooperative: bool,
    workers: usize,
}

/// What the kernel leaves in its buffer and prints.
fn run(module: &Module, shape: Shape, order: Order) -> Result<(Vec<u32>, String), Error> {
    counted(module, shape, order).map(|(words, printed, _)| (words, printed))
}

/// The same, and how many instructions were executed.
fn counted(module: &Module, shape: Shape, order: Order) -> Result<(Vec<u32>, String, u64), Error> {
    reported(module, shape, order).map(|(words, report)| (words, report.printed, report.instructions))
}

/// What the kernel leaves in its buffer, and all that is told of the launch.
fn reported(module: &Module, shape: Shape, order: Order) -> Result<(Vec<u32>, Report), Error> {
    let mut memory = Memory::new(64);
    let program = Program::load(module, &mut memory).unwrap();
    let data = memory.alloc(4 * shape.words, "data").unwrap();
    let entry = module.entry("k").unwrap();
    let launch = Launch {
        grid: shape.grid.into(),
        block: shape.block.into(),
        parameters: parameter_block(module.function(entry), 64, &[Argument::Address(data)]).unwrap(),
        engine: order.engine,
        schedule_seed: order.seed,
        unordered: order.unordered,
        cooperative: order.cooperative,
        workers: order.workers,
        ..Launch::new(entry)
    };
    let report = launch.run(&program, &memory)?;
    let bytes = memory.read(data, 4 * shape.words).unwrap();
    let words = bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word));
    Ok((words.collect(), report))
}

/// A kernel whose threads have the address of the buffer in `%rd1`, their number in the grid in `%r1`, in the block in
/// `%r2`, and the number of their block in `%r3`.
fn kernel(body: &str) -> Module {
    compile(&format!(
        ".entry k(.param .u64 data)
        {{
            .reg .b64 %rd<9>;
            .reg .b32 %r<12>;
            .reg .b128 %q<4>;
            .reg .pred %p, %q;
            .shared .align 4 .b32 cells[64];
            ld.param.u64 %rd1, [data];
            mov.u32 %r2, %tid.x;
            mov.u32 %r3, %ctaid.x;
            mov.u32 %r4, %ntid.x;
            mad.lo.u32 %r1, %r3, %r4, %r2;
            {body}
            ret;
        }}"
    ))
}

/// Every thread of every block draws a number, and stores it at its own place.
const DRAW: &str = "
    atom.global.add.u32 %r5, [%rd1], 1;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd2, %rd2, %rd1;
    st.global.u32 [%rd2+4], %r5;";

/// The last block to store wins, without any atomic operation.
const LAST: &str = "st.global.u32 [%rd1], %r3;";

/// Threads read what their neighbours write, and no barrier stands between.
const NO_BARRIER: &str = "
    mul.wide.u32 %rd2, %r2, 4;
    mov.u64 %rd3, cells;
    add.u64 %rd3, %rd3, %rd2;
    st.shared.u32 [%rd3], %r2;
    xor.b32 %r5, %r2, 1;
    mul.wide.u32 %rd4, %r5, 4;
    mov.u64 %rd5, cells;
    add.u64 %rd5, %rd5, %rd4;
    ld.shared.u32 %r6, [%rd5];
    add.u64 %rd2, %rd2, %rd1;
    st.global.u32 [%rd2], %r6;";

#[test]
fn seeds_find_what_depends_on_an_order_and_repeat_it_on_any_number_of_workers() {
    let shapes = [
        (DRAW, Shape { grid: 5, block: 40, words: 201 }),
        (LAST, Shape { grid: 6, block: 33, words: 1 }),
        (NO_BARRIER, Shape { grid: 1, block: 64, words: 64 }),
    ];
    for (body, shape) in shapes {
        let module = kernel(body);
        let mut results = BTreeSet::new();
        for seed in 0..12 {
            let with = |workers| {
                run(&module, shape, Order { seed: Some(seed), workers, ..Order::default() }).unwrap()
            };
            let result = with(1);
            assert_eq!(result, with(2), "seed {seed}:{body}");
            assert_eq!(result, with(5), "seed {seed}:{body}");
            results.insert(result);
        }
        assert!(results.len() > 2, "{} results of{body}", results.len());
    }
}

/// Neighbours exchange values behind a barrier; warps vote; every block adds to one word.
const ORDERLY: &str = "
    mul.wide.u32 %rd2, %r2, 4;
    mov.u64 %rd3, cells;
    add.u64 %rd3, %rd3, %rd2;
    st.shared.u32 [%rd3], %r1;
    bar.sync 0;
    xor.b32 %r5, %r2, 63;
    mul.wide.u32 %rd4, %r5, 4;
    mov.u64 %rd5, cells;
    add.u64 %rd5, %rd5, %rd4;
    ld.shared.u32 %r6, [%rd5];
    setp.gt.u32 %p, %r6, %r1;
    vote.sync.ballot.b32 %r7, %p, -1;
    activemask.b32 %r8;
    add.u32 %r7, %r7, %r8;
    add.u32 %r7, %r7, %r6;
    red.global.add.u32 [%rd1], %r7;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd2, %rd2, %rd1;
    st.global.u32 [%rd2+4], %r7;";

#[test]
fn an_orderly_kernel_gives_the_same_in_every_order() {
    let module = kernel(ORDERLY);
    let shape = Shape { grid: 7, block: 64, words: 1 + 7 * 64 };
    let default = run(&module, shape, Order::default()).unwrap();
    let golden = Order { engine: Engine::Golden, ..Order::default() };
    assert_eq!(run(&module, shape, golden).unwrap(), default);
    for seed in 0..40 {
        let order = Order { seed: Some(seed), unordered: seed % 2 == 1, workers: 3, ..Order::default() };
        assert_eq!(run(&module, shape, order).unwrap(), default, "seed {seed}");
    }
}

/// The number of the block that is to wait for the next one until that has ended, the last for none.
const CHAIN: &str = "
    mov.u32 %r5, %nctaid.x;
    mul.wide.u32 %rd2, %r3, 4;
    add.u64 %rd2, %rd2, %rd1;
    add.u32 %r6, %r3, 1;
    setp.eq.u32 %p, %r6, %r5;
    mov.u32 %r7, 0;
    @%p bra set;
wait:
    ld.acquire.gpu.global.u32 %r7, [%rd2+4];
    setp.eq.u32 %p, %r7, 0;
    @%p bra wait;
set:
    add.u32 %r7, %r7, 1;
    st.release.gpu.global.u32 [%rd2], %r7;";

/// A lock around a plain counter.
const LOCK: &str = "
again:
    atom.acquire.gpu.global.cas.b32 %r5, [%rd1], 0, 1;
    setp.ne.u32 %p, %r5, 0;
    @%p bra again;
    ld.global.u32 %r6, [%rd1+4];
    add.u32 %r6, %r6, 1;
    st.global.u32 [%rd1+4], %r6;
    fence.acq_rel.gpu;
    atom.release.gpu.global.exch.b32 %r5, [%rd1], 0;";

/// Two words, counted up and down in one step of 128 bits.
const WIDE: &str = "
    mov.b128 %q1, {%rd0, %rd0};
again:
    ld.global.v2.u64 {%rd3, %rd4}, [%rd1];
    mov.b128 %q1, {%rd3, %rd4};
    add.u64 %rd5, %rd3, 1;
    add.u64 %rd6, %rd4, -1;
    mov.b128 %q2, {%rd5, %rd6};
    atom.global.cas.b128 %q3, [%rd1], %q1, %q2;
    mov.b128 {%rd5, %rd6}, %q3;
    setp.ne.u64 %p, %rd5, %rd3;
    setp.ne.u64 %q, %rd6, %rd4;
    @%p bra again;
    @%q bra again;";

#[test]
fn blocks_that_wait_for_each_other_make_progress_in_every_order() {
    let orders = (0..4).map(|seed| Order { seed: Some(seed), ..Order::default() });
    let free = [1, 2, 5].map(|workers| Order { unordered: true, workers, ..Order::default() });
    let both = Order { seed: Some(1), unordered: true, workers: 3, ..Order::default() };
    let golden = Order { engine: Engine::Golden, ..Order::default() };
    let grids = [Order::default(), free[1], golden].map(|order| Order { cooperative: true, ..order });
    let down: Vec<u32> = (1..=24).rev().collect();
    for order in orders.chain(free).chain(grids).chain([both, golden, Order::default()]) {
        let shape = Shape { grid: 24, block: 1, words: 24 };
        assert_eq!(run(&kernel(CHAIN), shape, order).unwrap().0, down);
        let shape = Shape { grid: 5, block: 70, words: 2 };
        assert_eq!(run(&kernel(LOCK), shape, order).unwrap().0, [0, 350]);
        let shape = Shape { grid: 9, block: 40, words: 4 };
        let counted = [360, 0, 360u32.wrapping_neg(), u32::MAX];
        assert_eq!(run(&kernel(WIDE), shape, order).unwrap().0, counted);
    }
}

#[test]
fn numbers_drawn_without_an_order_are_all_different() {
    let module = kernel(DRAW);
    let shape = Shape { grid: 50, block: 64, words: 3201 };
    let (mut drawn, _) =
        run(&module, shape, Order { unordered: true, workers: 4, ..Order::default() }).unwrap();
    assert_eq!(drawn.remove(0), 3200);
    drawn.sort();
    assert_eq!(drawn, (0..3200).collect::<Vec<_>>());
}

#[test]
fn a_block_that_goes_wrong_ends_those_that_wait_for_it() {
    let module = kernel(
        "setp.eq.u32 %p, %r3, 3;
        @%p trap;
    wait:
        ld.volatile.global.u32 %r5, [%rd1];
        setp.eq.u32 %p, %r5, 0;
        @%p bra wait;",
    );
    let shape = Shape { grid: 6, block: 2, words: 1 };
    let free = Order { unordered: true, workers: 2, ..Order::default() };
    for order in [Order { seed: Some(9), ..Order::default() }, free] {
        let Err(Error::Trap(trap)) = run(&module, shape, order) else { panic!("no trap") };
        assert_eq!((trap.kind, trap.block.x), (TrapKind::Instruction("trap"), 3));
    }
}

#[test]
fn what_blocks_print_stands_in_their_order() {
    let module = compile(
        r#".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
        .global .align 1 .b8 text[4] = {37, 117, 10, 0};
        .entry k(.param .u64 data)
        {
            .local .align 4 .b32 box;
            .reg .b64 %rd<3>;
            .reg .b32 %r<2>;
            .param .b64 f;
            .param .b64 a;
            .param .b32 r;
            mov.u32 %r1, %ctaid.x;
            st.local.u32 [box], %r1;
            mov.u64 %rd1, text;
            cvta.global.u64 %rd1, %rd1;
            mov.u64 %rd2, box;
            cvta.local.u64 %rd2, %rd2;
            st.param.b64 [f], %rd1;
            st.param.b64 [a], %rd2;
            call (r), vprintf, (f, a);
            ret;
        }"#,
    );
    let shape = Shape { grid: 9, block: 1, words: 1 };
    for seed in 0..5 {
        let order = Order { seed: Some(seed), ..Order::default() };
        assert_eq!(run(&module, shape, order).unwrap().1, "0\n1\n2\n3\n4\n5\n6\n7\n8\n");
    }
}

/// Threads add what their right neighbour in the grid wrote before, and all blocks wait for each other before and after, three times; word
/// 0 counts arrivals. Between, each thread works for more than one turn.
const GRID: &str = "
    mov.u32 %r10, %nctaid.x;
    mul.lo.u32 %r9, %r10, %r4;
    add.u32 %r5, %r1, 1;
    rem.u32 %r5, %r5, %r9;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd2, %rd2, %rd1;
    mul.wide.u32 %rd3, %r5, 4;
    add.u64 %rd3, %rd3, %rd1;
    mov.u32 %r6, %r1;
    mov.u32 %r11, 0;
again:
    and.b32 %r7, %r11, 1;
    setp.ne.u32 %p, %r7, 0;
    @!%p st.global.u32 [%rd2+4], %r6;
    @%p ld.global.u32 %r8, [%rd3+4];
    @%p add.u32 %r6, %r6, %r8;
    mov.u32 %r5, 40;
work:
    mad.lo.u32 %r6, %r6, 5, %r5;
    sub.u32 %r5, %r5, 1;
    setp.ne.u32 %p, %r5, 0;
    @%p bra work;
    add.u32 %r11, %r11, 1;
    bar.sync 0;
    setp.ne.u32 %p, %r2, 0;
    @%p bra met;
    membar.gl;
    atom.global.add.u32 %r7, [%rd1], 1;
    mul.lo.u32 %r8, %r11, %r10;
wait:
    ld.volatile.global.u32 %r7, [%rd1];
    setp.lt.u32 %p, %r7, %r8;
    @%p bra wait;
    membar.gl;
met:
    bar.sync 0;
    setp.lt.u32 %p, %r11, 6;
    @%p bra again;
    st.global.u32 [%rd2+4], %r6;";

#[test]
fn a_grid_whose_blocks_wait_for_each_other_takes_fewer_turns_if_that_is_known() {
    let module = kernel(GRID);
    for (grid, block) in [(16, 32), (5, 1)] {
        let shape = Shape { grid, block, words: u64::from(1 + grid * block) };
        let mut results = BTreeSet::new();
        for engine in [Engine::Golden, Engine::Batch] {
            let [plain, known] = [false, true].map(|cooperative| {
                counted(&module, shape, Order { engine, cooperative, ..Order::default() }).unwrap()
            });
            // The batch engine sees by itself that one thread waits while all others of its block have come to a barrier.
            let sees = engine == Engine::Batch && block > 1;
            let most = if sees { 2 * plain.2 } else { plain.2 / 2 };
            assert!(known.2 < most, "{grid} blocks of {block}: {} and {}", known.2, plain.2);
            results.extend([plain.0, known.0]);
        }
        // As if all threads took each step together.
        let work = |x: u32| (1..=40).rev().fold(x, |x: u32, n| x.wrapping_mul(5).wrapping_add(n));
        let mut values: Vec<u32> = (0..grid * block).collect();
        for _ in 0..3 {
            let stored = values.clone();
            values = (0..values.len())
                .map(|k| work(work(values[k]).wrapping_add(stored[(k + 1) % stored.len()])))
                .collect();
        }
        let wanted = std::iter::once(6 * grid).chain(values).collect();
        assert_eq!(results, BTreeSet::from([wanted]));
    }
}

#[test]
fn blocks_of_a_grid_that_wait_for_each_other_are_not_handed_over() {
    let module = kernel(GRID);
    let shape = Shape { grid: 16, block: 64, words: 1025 };
    let golden = Order { engine: Engine::Golden, cooperative: true, ..Order::default() };
    let wanted = run(&module, shape, golden).unwrap().0;
    for (cooperative, unordered) in [(true, false), (true, true), (false, false), (false, true)] {
        let order = Order { cooperative, unordered, workers: 1, ..Order::default() };
        let (words, report) = reported(&module, shape, order).unwrap();
        assert_eq!(words, wanted);
        assert_eq!(report.handed_over, 0);
    }
}

/// A place of each thread in the buffer, one in `cells` for a writer and one for a reader, a round and a sum.
const PLACES: &str = "
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd2, %rd1, %rd2;
    and.b32 %r3, %r2, 63;
    shl.b32 %r3, %r3, 2;
    mov.u32 %r4, cells;
    add.u32 %r5, %r4, %r3;
    xor.b32 %r6, %r3, 36;
    add.u32 %r6, %r4, %r6;
    mov.u32 %r7, 0;
    mov.u32 %r8, 0;";

/// Half of the warps write, the others read and sum up: each round they meet at two barriers, of which those that need not wait
/// do not. In round `CLOCK` the writers read a clock, which is the golden engine's.
const ROUNDS: &str = "
    .reg .pred %reads;
    mov.u32 %r9, 3;
    setp.ge.u32 %reads, %r2, 64;
    @%reads bra read;
write:
    bar.sync 1, 128;
    mad.lo.u32 %r10, %r7, 7, %r2;
    st.shared.u32 [%r5], %r10;
    setp.eq.u32 %p, %r7, CLOCK;
    @%p mov.u32 %r11, %clock;
    bar.arrive %r9, 128;
    add.u32 %r7, %r7, 1;
    setp.lt.u32 %p, %r7, 20;
    @%p bra write;
    ret;
read:
    bar.arrive 1, 128;
    bar.sync 3, 128;
    ld.shared.u32 %r10, [%r6];
    mad.lo.u32 %r8, %r8, 31, %r10;
    bar.sync 2, 64;
    add.u32 %r7, %r7, 1;
    setp.lt.u32 %p, %r7, 20;
    @%p bra read;
    st.global.u32 [%rd2], %r8;";

#[test]
fn warps_that_meet_at_barriers_of_their_own_are_handed_over_where_they_stand_or_not_at_all() {
    let shape = Shape { grid: 70, block: 128, words: 70 * 128 };
    for (clock, handed_over) in [("20", false), ("0", true), ("7", true)] {
        let module = kernel(&format!("{PLACES}{ROUNDS}").replace("CLOCK", clock));
        let golden = Order { engine: Engine::Golden, ..Order::default() };
        let (wanted, told) = reported(&module, shape, golden).unwrap();
        // Rounds are numbered from 0; a reader's cell is that of the writer nine places away, bit by bit.
        let sum = |t: u32| (0..20).fold(0u32, |sum, n| sum.wrapping_mul(31).wrapping_add(7 * n + (t ^ 9)));
        assert!((0..64).all(|t| wanted[64 + t as usize] == sum(t)), "{wanted:?}");
        for workers in [1, 2] {
            let (words, report) = reported(&module, shape, Order { workers, ..Order::default() }).unwrap();
            assert_eq!((words, report.instructions), (wanted.clone(), told.instructions));
            assert_eq!(report.handed_over > 0, handed_over, "{} blocks", report.handed_over);
        }
    }
}

/// The same with barrier objects: writers wait by state for what has been read, readers by parity for what has been written, and a look that
/// comes early is `LOOK`.
const PHASES: &str = "
    .shared .align 8 .b64 phases[2];
    .reg .pred %reads;
    mov.u64 %rd3, phases;
    cvta.shared.u64 %rd3, %rd3;
    setp.ne.u32 %p, %r2, 0;
    @%p bra made;
    mbarrier.init.shared.b64 [phases], 64;
    mbarrier.init.shared.b64 [phases+8], 128;
made:
    bar.sync 0;
    setp.ge.u32 %reads, %r2, 64;
    @%reads bra read;
write:
    mad.lo.u32 %r10, %r7, 7, %r2;
    st.shared.u32 [%r5], %r10;
    setp.eq.u32 %p, %r7, CLOCK;
    @%p mov.u32 %r11, %clock;
    mbarrier.arrive.shared.b64 _, [phases];
    mbarrier.arrive.b64 %rd4, [%rd3+8];
not_read:
    LOOK.b64 %p, [%rd3+8], %rd4;
    @!%p bra not_read;
    add.u32 %r7, %r7, 1;
    setp.lt.u32 %p, %r7, 20;
    @%p bra write;
    ret;
read:
    and.b32 %r9, %r7, 1;
not_written:
    setp.ge.u32 %q, %r7, 0;
    @%q LOOK.parity.shared.b64 %p, [phases], %r9;
    @!%p bra not_written;
    ld.shared.u32 %r10, [%r6];
    mad.lo.u32 %r8, %r8, 31, %r10;
    mbarrier.arrive.shared.b64 _, [phases+8], 1;
    add.u32 %r7, %r7, 1;
    setp.lt.u32 %p, %r7, 20;
    @%p bra read;
    st.global.u32 [%rd2], %r8;";

#[test]
fn who_waits_for_barrier_objects_is_handed_over_where_it_stands_or_not_at_all() {
    let shape = Shape { grid: 70, block: 128, words: 70 * 128 };
    let looks = ["mbarrier.try_wait", "mbarrier.test_wait"];
    for (look, (clock, handed_over)) in
        looks.into_iter().flat_map(|look| [("20", false), ("0", true), ("7", true)].map(|how| (look, how)))
    {
        let module = kernel(&format!("{PLACES}{PHASES}").replace("CLOCK", clock).replace("LOOK", look));
        let golden = Order { engine: Engine::Golden, ..Order::default() };
        let (wanted, told) = reported(&module, shape, golden).unwrap();
        let sum = |t: u32| (0..20).fold(0u32, |sum, n| sum.wrapping_mul(31).wrapping_add(7 * n + (t ^ 9)));
        assert!((0..64).all(|t| wanted[64 + t as usize] == sum(t)), "{wanted:?}");
        for workers in [1, 2] {
            let (words, report) = reported(&module, shape, Order { workers, ..Order::default() }).unwrap();
            assert_eq!(words, wanted);
            // How often a thread only tests is a matter of order.
            assert!(look == looks[1] || report.instructions == told.instructions);
            assert_eq!(report.handed_over > 0, handed_over, "{} blocks", report.handed_over);
        }
    }
}

/// One warp tests a phase, and raises a flag as long as it is not over; another one ends the phase when it sees the flag.
const TEST: &str = "
    .shared .align 8 .b64 phase;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd2, %rd1, %rd2;
    setp.ne.u32 %p, %r2, 0;
    @%p bra made;
    mbarrier.init.shared.b64 [phase], 32;
    st.shared.u32 [cells], 0;
made:
    bar.sync 0;
    mov.u32 %r7, 0;
    setp.ge.u32 %p, %r2, 32;
    @%p bra test;
flag:
    ld.volatile.shared.u32 %r7, [cells];
    setp.eq.u32 %p, %r7, 0;
    @%p bra flag;
    mbarrier.arrive.shared.b64 _, [phase];
    bra done;
test:
    mbarrier.test_wait.parity.shared.b64 %p, [phase], 0;
    @%p bra done;
    st.volatile.shared.u32 [cells], 7;
    mov.u32 %r7, 5;
    bra test;
done:
    st.global.u32 [%rd2], %r7;";

#[test]
fn who_only_tests_is_told_that_a_phase_is_not_over() {
    let shape = Shape { grid: 3, block: 64, words: 3 * 64 };
    let (words, _) = run(&kernel(TEST), shape, Order::default()).unwrap();
    assert!((0..3 * 64).all(|t| words[t] == if t % 64 < 32 { 7 } else { 5 }), "{words:?}");
}

/// Threads below a bound meet at barriers in a loop; the others never do, and store what they begin with.
const SOME: &str = "
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd2, %rd1, %rd2;
    mov.u32 %r8, %r1;
    mov.u32 %r7, 0;
    setp.ge.u32 %p, %r1, BOUND;
    @%p bra tail;
    shl.b32 %r3, %r2, 2;
    mov.u32 %r4, cells;
    add.u32 %r5, %r4, %r3;
    xor.b32 %r6, %r3, 4;
    add.u32 %r6, %r4, %r6;
again:
    st.shared.u32 [%r5], %r8;
    bar.sync 0;
    ld.shared.u32 %r10, [%r6];
    mad.lo.u32 %r8, %r8, 31, %r10;
    bar.sync 0;
    add.u32 %r7, %r7, 1;
    setp.lt.u32 %p, %r7, 9;
    @%p bra again;
tail:
    st.global.u32 [%rd2], %r8;";

#[test]
fn threads_that_never_come_to_a_barrier_do_not_hand_over_the_others() {
    let shape = Shape { grid: 40, block: 64, words: 40 * 64 };
    // Where the bound parts a warp, too.
    for bound in [0, 38 * 64, 39 * 64 + 10, 40 * 64] {
        let module = kernel(&SOME.replace("BOUND", &bound.to_string()));
        let mut wanted: Vec<u32> = (0..40 * 64).collect();
        for _ in 0..9 {
            let before = wanted.clone();
            for t in 0..bound as usize {
                wanted[t] = before[t].wrapping_mul(31).wrapping_add(before[t ^ 1]);
            }
        }
        let golden = Order { engine: Engine::Golden, ..Order::default() };
        let instructions = counted(&module, shape, golden).unwrap().2;
        let (words, report) = reported(&module, shape, Order::default()).unwrap();
        assert_eq!((words, report.instructions, report.handed_over), (wanted, instructions, 0));
    }
}

/// Threads below a bound exchange values with all lanes of their warps; the others only end.
const EXCHANGE: &str = "
    setp.ge.u32 %p, %r1, BOUND;
    @%p bra tail;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd2, %rd1, %rd2;
    mov.u32 %r8, %r1;
    mov.u32 %r7, 0;
again:
    shfl.sync.down.b32 %r5|%q, %r8, 1, 31, -1;
    @%q mad.lo.u32 %r8, %r5, 3, %r8;
    vote.sync.ballot.b32 %r5, %q, -1;
    xor.b32 %r8, %r8, %r5;
    redux.sync.add.u32 %r5, %r8, -1;
    activemask.b32 %r6;
    match.any.sync.b32 %r9, %r7, %r6;
    add.u32 %r5, %r5, %r9;
    mad.lo.u32 %r8, %r8, 5, %r5;
    bar.warp.sync -1;
    add.u32 %r7, %r7, 1;
    setp.lt.u32 %p, %r7, 9;
    @%p bra again;
    st.global.u32 [%rd2], %r8;
tail:";

#[test]
fn lanes_that_only_end_are_not_waited_for() {
    let shape = Shape { grid: 40, block: 64, words: 40 * 64 };
    for bound in [0, 38 * 64, 39 * 64 + 10, 39 * 64 + 33, 40 * 64] {
        let module = kernel(&EXCHANGE.replace("BOUND", &bound.to_string()));
        let golden = Order { engine: Engine::Golden, ..Order::default() };
        let wanted = counted(&module, shape, golden).unwrap();
        let (words, report) = reported(&module, shape, Order::default()).unwrap();
        assert_eq!((words, report.printed, report.instructions), wanted);
        assert_eq!(report.handed_over, 0);
    }
}

/// One warp writes before a barrier what another waits for before the same barrier, or without one.
const FLAG: &str = "
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd2, %rd1, %rd2;
    setp.ge.u32 %p, %r2, 32;
    @%p bra wait;
    mov.u32 %r5, 7;
    WRITE;
    bar.sync 0;
    bra met;
wait:
    READ;
    setp.eq.u32 %q, %r5, 0;
    @%q bra wait;
    MEET;
met:
    st.global.u32 [%rd2], %r5;";

#[test]
fn who_waits_before_a_barrier_keeps_nobody_waiting_for_ever() {
    let shape = Shape { grid: 9, block: 64, words: 9 * 64 };
    let ways = [
        ("st.volatile.shared.u32 [cells], %r5", "ld.volatile.shared.u32 %r5, [cells]"),
        ("st.shared.u32 [cells], %r5", "ld.shared.u32 %r5, [cells]"),
        ("atom.shared.exch.b32 %r6, [cells], %r5", "atom.shared.or.b32 %r5, [cells], 0"),
    ];
    for (write, read) in ways {
        for meet in ["bar.sync 0", "bar.red.or.pred %p, 0, %q", "mov.u32 %r6, 0"] {
            let text = FLAG.replace("WRITE", write).replace("READ", read).replace("MEET", meet);
            // All combine a predicate at a barrier, or none does.
            let text = match meet.starts_with("bar.red") {
                true => text.replace("bar.sync 0", meet),
                false => text,
            };
            for engine in [Engine::Golden, Engine::Batch] {
                let order = Order { engine, ..Order::default() };
                assert_eq!(run(&kernel(&text), shape, order).unwrap().0, vec![7; 9 * 64], "{text}");
            }
        }
    }
}

/// All blocks wait for each other, and every thread may have a deep stack: they need not all have the deepest one.
#[test]
fn blocks_with_stacks_that_grow_run_together() {
    let module = compile(
        ".func r(.param .u32 a)
        {
            .reg .u32 %a;
            .reg .pred %p;
            ld.param.u32 %a, [a];
            setp.eq.u32 %p, %a, 0;
            @%p ret;
            sub.u32 %a, %a, 1;
            .param .u32 x;
            st.param.u32 [x], %a;
            call r, (x);
            ret;
        }
        .entry k(.param .u64 data)
        {
            .reg .u64 %data;
            .reg .u32 %x;
            .reg .pred %p;
            ld.param.u64 %data, [data];
            .param .u32 x;
            st.param.u32 [x], 3;
            call r, (x);
            mov.u32 %x, %tid.x;
            setp.ne.u32 %p, %x, 0;
            @%p bra end;
            red.global.add.u32 [%data], 1;
        again:
            ld.relaxed.gpu.global.u32 %x, [%data];
            setp.lt.u32 %p, %x, 40;
            @%p bra again;
        end:
            ret;
        }",
    );
    for engine in [Engine::Golden, Engine::Batch] {
        for workers in [1, 2] {
            let order = Order { engine, cooperative: true, workers, ..Order::default() };
            let (words, _) = run(&module, Shape { grid: 40, block: 128, words: 1 }, order).unwrap();
            assert_eq!(words, [40]);
        }
    }
}
