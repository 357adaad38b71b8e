//! Blocks of any number of threads run together and are the golden engine's, whose warps are not whole: shared memory, barriers, sums of
//! votes, memory of each thread's own, and special registers are those of each block.

use super::{compile, outcome};
use margay_exec::{Dim, Engine, Simd};

/// Words that each thread stores.
const RESULTS: u32 = 8;

/// Bodies after `%t` (a thread's place in its block), `%n` (threads of a block) and `%v` (a word of its own).
const BODIES: &[(&str, &str)] = &[
    (
        "neighbours by way of shared memory",
        "shl.b32 %a, %t, 2; add.u32 %a, %a, %s; st.shared.u32 [%a], %v; bar.sync 0;
         add.u32 %b, %t, 1; rem.u32 %b, %b, %n; shl.b32 %b, %b, 2; add.u32 %b, %b, %s; ld.shared.u32 %r0, [%b];
         sub.u32 %b, %n, %t; sub.u32 %b, %b, 1; shl.b32 %b, %b, 2; add.u32 %b, %b, %s; ld.shared.u32 %r1, [%b];
         ld.shared.u32 %r2, [words];",
    ),
    (
        "stores of some threads at addresses of any kind",
        "shl.b32 %a, %t, 2; add.u32 %a, %a, %s; st.shared.u32 [%a], 0; bar.sync 0;
         mul.lo.u32 %b, %t, 5; add.u32 %b, %b, 3; rem.u32 %b, %b, %n; shl.b32 %b, %b, 2; add.u32 %b, %b, %s;
         and.b32 %c, %v, 1; setp.eq.u32 %p, %c, 0; mul.lo.u32 %c, %t, 77;
         @%p red.shared.max.u32 [%b], %c; bar.sync 0;
         @%p ld.shared.u32 %r0, [%b]; bar.sync 0; setp.gt.u32 %q, %t, 2; @%q st.shared.u16 [%a+2], %v; bar.sync 0; ld.shared.u32 %r1, [%a];",
    ),
    (
        "votes of all threads of a block",
        "and.b32 %c, %v, 3; setp.eq.u32 %p, %c, 0; bar.red.popc.u32 %r0, 0, %p;
         bar.red.or.pred %q, 0, %p; selp.u32 %r1, 1, 2, %q; bar.red.and.pred %q, 0, %p; selp.u32 %r2, 1, 2, %q;",
    ),
    (
        "a sum in halves",
        "shl.b32 %a, %t, 2; add.u32 %a, %a, %s; st.shared.u32 [%a], %v; mov.u32 %i, 64; bar.sync 0;
         again: add.u32 %b, %t, %i; setp.lt.u32 %p, %t, %i; setp.lt.and.u32 %q, %b, %n, %p;
         shl.b32 %b, %b, 2; add.u32 %b, %b, %s; @%q ld.shared.u32 %c, [%b]; @%q ld.shared.u32 %r1, [%a]; @%q add.u32 %c, %c, %r1;
         bar.sync 0; @%q st.shared.u32 [%a], %c; bar.sync 0; shr.u32 %i, %i, 1; setp.ne.u32 %p, %i, 0; @%p bra again;
         ld.shared.u32 %r0, [words];",
    ),
    (
        "an array of each thread's own, and threads that end early",
        "mov.u32 %i, 0; mov.u32 %b, own;
         more: shl.b32 %a, %i, 2; add.u32 %a, %a, %b; mad.lo.u32 %c, %i, %v, %t; st.local.u32 [%a], %c;
         add.u32 %i, %i, 1; setp.lt.u32 %p, %i, 8; @%p bra more;
         and.b32 %a, %v, 7; shl.b32 %a, %a, 2; add.u32 %a, %a, %b; ld.local.u32 %r0, [%a];
         and.b32 %c, %v, 12; setp.eq.u32 %p, %c, 4; @%p ret; bar.sync 0; add.u32 %r1, %r0, %t;",
    ),
    (
        "special registers",
        "mov.u32 %r0, %laneid; mov.u32 %r1, %warpid; mov.u32 %r2, %lanemask_lt; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %tid.y;
         mov.u32 %r5, %nwarpid; mov.u32 %r6, %tid.z; and.b32 %c, %t, 31; setp.eq.u32 %p, %c, %r0; selp.u32 %r7, 1, 0, %p;",
    ),
    (
        "loops of any number of turns",
        "and.b32 %i, %v, 31; mov.u32 %r0, %t; next: setp.eq.u32 %p, %i, 0; @%p bra done;
         mad.lo.u32 %r0, %r0, 31, %i; sub.u32 %i, %i, 1; bra next; done: add.u32 %r1, %r0, %v;",
    ),
];

#[test]
fn blocks_of_any_number_of_threads_do_the_same_on_both_engines() {
    for (name, body) in BODIES {
        let registers: String = (0..RESULTS).map(|k| format!("mov.u32 %r{k}, {k};")).collect();
        let stores: String = (0..RESULTS).map(|k| format!("st.global.u32 [%y+{}], %r{k};", 4 * k)).collect();
        let module = compile(&format!(
            ".entry k(.param .u64 in, .param .u64 out)
            {{
                .reg .b64 %in, %out, %x, %y; .reg .b32 %t, %n, %s, %v, %a, %b, %c, %i, %g, %r<{RESULTS}>; .reg .pred %p, %q;
                .shared .align 4 .b32 words[512]; .local .align 4 .b32 own[8];
                ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %s, words;
                mov.u32 %n, %ntid.x; mov.u32 %t, %tid.z; mov.u32 %a, %ntid.y; mov.u32 %b, %tid.y; mad.lo.u32 %t, %t, %a, %b;
                mov.u32 %b, %tid.x; mad.lo.u32 %t, %t, %n, %b; mul.lo.u32 %n, %n, %a; mov.u32 %a, %ntid.z; mul.lo.u32 %n, %n, %a;
                mov.u32 %g, %ctaid.y; mov.u32 %a, %nctaid.x; mov.u32 %b, %ctaid.x; mad.lo.u32 %g, %g, %a, %b; mad.lo.u32 %g, %g, %n, %t;
                mul.wide.u32 %x, %g, 4; add.u64 %x, %in, %x; ld.global.u32 %v, [%x];
                mul.wide.u32 %y, %g, {bytes}; add.u64 %y, %out, %y; {registers}
                {body}
                {stores}
                ret;
            }}",
            bytes = 4 * RESULTS,
        ));
        for block in
            [[1, 1, 1], [3, 1, 1], [5, 7, 1], [10, 10, 1], [33, 1, 1], [2, 2, 2], [127, 1, 1], [24, 1, 2]]
        {
            for grid in [[1, 1], [3, 1], [90, 1], [7, 9]] {
                let outcome = |how| {
                    let threads = grid.iter().chain(&block).product::<u32>();
                    let words = (0..threads).map(|k| k.wrapping_mul(0x9e37_79b9) >> 7);
                    let grid = Dim { x: grid[0], y: grid[1], z: 1 };
                    let block = Dim { x: block[0], y: block[1], z: block[2] };
                    outcome(&module, [grid, block], (words, u64::from(4 * RESULTS * threads)), how)
                };
                let golden = outcome((Engine::Golden, None));
                for simd in Simd::available() {
                    let got = outcome((Engine::Batch, Some(*simd)));
                    assert!(got == golden, "{name}: {simd:?}, {grid:?} blocks of {block:?}");
                }
            }
        }
    }
}
