//! Other orders than the default: found by a seed, the same again for the same seed, or given up altogether.

use super::*;

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
