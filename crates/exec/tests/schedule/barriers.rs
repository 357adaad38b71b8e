//! Threads that wait at barriers, for barrier objects and for lanes of their warp, and those that never come.

use super::*;

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
