//! Generic addresses of which each thread has one in another space, or in another variable: loads and stores of one instruction go to an
//! allocation, to shared memory and to arrays in local memory.

use super::{compile, outcome};
use margay_exec::{Dim, Engine, Simd};

/// Words of each array.
const WORDS: u32 = 8;
/// Words that each thread stores at last.
const RESULTS: u32 = 4;

/// What is done twelve times with `%g`, the start of a thread's array, and `%w`, a word of its own.
const BODIES: &[(&str, &str)] = &[
    (
        "words at any index",
        "and.b32 %a, %w, 7; mul.wide.u32 %x, %a, 4; add.u64 %x, %x, %g; ld.u32 %b, [%x]; mad.lo.u32 %w, %w, 5, %b; st.u32 [%x], %w;",
    ),
    (
        "bytes, of some threads",
        "and.b32 %a, %w, 31; cvt.u64.u32 %x, %a; add.u64 %x, %x, %g; and.b32 %a, %w, 64; setp.eq.u32 %p, %a, 0;
         @%p ld.u8 %b, [%x]; @%p st.u8 [%x], %w; mad.lo.u32 %w, %w, 13, %b;",
    ),
    (
        "pairs",
        "and.b32 %a, %w, 6; mul.wide.u32 %x, %a, 4; add.u64 %x, %x, %g; ld.v2.u32 {%a, %b}, [%x]; add.u32 %w, %w, %a;
         st.v2.u32 [%x], {%b, %w}; mad.lo.u32 %w, %w, 9, %b;",
    ),
    (
        "halves and long words at one place",
        "ld.u64 %y, [%g+8]; cvt.u32.u64 %a, %y; mad.lo.u32 %w, %w, 3, %a; cvt.u64.u32 %y, %w; st.u64 [%g+8], %y; st.u16 [%g+2], %w;
         ld.u16 %b, [%g+8]; xor.b32 %w, %w, %b;",
    ),
];

/// A kernel each of whose threads has an array in memory of the output, in shared memory, or one of two in local memory, by its word.
fn kernel(body: &str) -> String {
    format!(
        ".shared .align 8 .b8 common[{shared}];
.entry k(.param .u64 in, .param .u64 out)
{{
    .reg .pred %p, %q; .reg .b32 %t, %n, %c, %i, %a, %b, %w; .reg .b64 %in, %out, %g, %x, %y;
    .local .align 8 .b8 own[{bytes}]; .local .align 16 .b8 between[16]; .local .align 8 .b8 other[{bytes}];
    ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x; mov.u32 %n, %ntid.x; mov.u32 %c, %ctaid.x;
    mad.lo.u32 %i, %c, %n, %t; mul.wide.u32 %x, %i, 4; add.u64 %x, %x, %in; ld.global.u32 %w, [%x]; st.local.u32 [between+4], %w;
    mul.lo.u32 %a, %i, {stride}; cvt.u64.u32 %x, %a; add.u64 %out, %out, %x; add.u64 %g, %out, {results};
    shr.u32 %a, %w, 8; rem.u32 %a, %a, 5;
    setp.eq.u32 %p, %a, 1; mul.lo.u32 %b, %t, {bytes}; cvt.u64.u32 %y, %b; mov.u64 %x, common; add.u64 %x, %x, %y;
    cvta.shared.u64 %x, %x; selp.u64 %g, %x, %g, %p;
    setp.eq.u32 %p, %a, 2; mov.u64 %x, own; cvta.local.u64 %x, %x; selp.u64 %g, %x, %g, %p;
    setp.eq.u32 %p, %a, 3; mov.u64 %x, other; cvta.local.u64 %x, %x; selp.u64 %g, %x, %g, %p;
    mov.u32 %i, 0; mov.u32 %b, 0;
again:
    {body}
    add.u32 %i, %i, 1; setp.lt.u32 %q, %i, 12; @%q bra again;
    ld.u32 %a, [%g+4]; ld.local.u32 %b, [between+4]; st.global.v4.u32 [%out], {{%w, %a, %b, %i}}; ret;
}}",
        shared = 4 * WORDS * 128,
        bytes = 4 * WORDS,
        stride = 4 * (RESULTS + WORDS),
        results = 4 * RESULTS,
    )
}

#[test]
fn threads_reach_arrays_in_spaces_of_their_own() {
    for (name, body) in BODIES {
        let module = compile(&kernel(body));
        for (grid, block) in [(1u32, 1u32), (3, 32), (2, 100), (5, 128)] {
            let threads = grid * block;
            let words = || (0..threads).map(|k| (k + 1).wrapping_mul(0x9e37_79b9));
            let bytes = u64::from(threads * 4 * (RESULTS + WORDS));
            let run =
                |engine| outcome(&module, [Dim::from(grid), Dim::from(block)], (words(), bytes), engine);
            let wanted = run((Engine::Golden, None));
            for simd in Simd::available().iter().copied() {
                let found = run((Engine::Batch, Some(simd)));
                assert!(found == wanted, "{name}: {grid} by {block}, {simd}");
            }
        }
    }
}
