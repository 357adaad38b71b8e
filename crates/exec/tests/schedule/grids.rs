//! Blocks that wait for each other run together, and are not handed over.

use super::*;

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
