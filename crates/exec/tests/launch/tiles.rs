//! Products of bytes through tiles in shared memory, whose groups of threads find the same elements in many ways, are the golden engine's.

use super::{compile, outcome};
use margay_exec::{Dim, Engine, Simd};

/// Words of a row of a tile that threads multiply.
const DEPTH: u32 = 12;

/// Blocks, and words of a block's two tiles.
const BLOCKS: u32 = 6;
const WORDS: u32 = 2 * 4096;

/// Each thread multiplies the row of A that its first number names and the row of B that its second does, so many bytes apart.
fn kernel(a: &str, b: &str, [of_a, of_b]: [u32; 2]) -> String {
    let mut steps = String::new();
    for word in 0..DEPTH {
        let at = 4 * word;
        steps += &format!(
            "ld.shared.u32 %u, [%a+{at}]; ld.shared.u32 %v, [%b+{at}]; dp4a.s32.s32 %sum, %u, %v, %sum;\n"
        );
    }
    format!(
        ".entry k(.param .u64 in, .param .u64 out)
        {{
            .reg .b64 %in, %out, %x; .reg .b32 %t, %n, %i, %j, %a, %b, %u, %v, %sum; .reg .pred %p;
            .shared .align 16 .b32 words[{WORDS}];
            ld.param.u64 %in, [in]; ld.param.u64 %out, [out];
            mov.u32 %n, %ntid.x; mov.u32 %t, %tid.y; mov.u32 %u, %tid.x; mad.lo.u32 %t, %t, %n, %u;
            mov.u32 %v, %ntid.y; mul.lo.u32 %n, %n, %v;
            mov.u32 %i, %t;
            fill:
            mul.wide.u32 %x, %i, 4; add.u64 %x, %in, %x; ld.global.u32 %u, [%x]; mov.u32 %v, %ctaid.x; xor.b32 %u, %u, %v;
            shl.b32 %j, %i, 2; mov.u32 %v, words; add.u32 %v, %v, %j; st.shared.u32 [%v], %u;
            add.u32 %i, %i, %n; setp.lt.u32 %p, %i, {WORDS}; @%p bra fill;
            bar.sync 0;
            mov.u32 %u, {a}; mov.u32 %v, words; mad.lo.u32 %a, %u, {of_a}, %v;
            mov.u32 %u, {b}; add.u32 %v, %v, 16384; mad.lo.u32 %b, %u, {of_b}, %v;
            mov.u32 %sum, %t;
            {steps}
            mov.u32 %u, %ctaid.x; mad.lo.u32 %i, %u, %n, %t; mul.wide.u32 %x, %i, 4; add.u64 %x, %out, %x; st.global.u32 [%x], %sum;
            ret;
        }}"
    )
}

#[test]
fn products_through_tiles_do_the_same_on_both_engines() {
    let shapes = [(16, 16), (8, 8), (8, 32), (32, 8), (64, 2), (4, 16), (16, 4), (24, 8), (128, 1), (10, 7)];
    for (a, b) in [("%tid.y", "%tid.x"), ("%tid.x", "%tid.y"), ("%tid.x", "%tid.x"), ("%tid.y", "%tid.y")] {
        for apart in [[68, 68], [64, 48], [48, 4], [4, 100]] {
            let module = compile(&kernel(a, b, apart));
            for (x, y) in shapes {
                let outcome = |how| {
                    let words = (0..WORDS).map(|k| k.wrapping_mul(0x9e37_79b9) ^ k >> 2);
                    let shape = [BLOCKS.into(), Dim { x, y, z: 1 }];
                    outcome(&module, shape, (words, u64::from(4 * BLOCKS * x * y)), how)
                };
                let golden = outcome((Engine::Golden, None));
                for simd in Simd::available() {
                    let got = outcome((Engine::Batch, Some(*simd)));
                    assert!(
                        got == golden,
                        "{simd}: rows {a} and {b}, {apart:?} bytes apart, blocks of {x} by {y}"
                    );
                }
            }
        }
    }
}
