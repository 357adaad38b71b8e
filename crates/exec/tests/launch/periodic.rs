//! Addresses that are made of lanes' places in a warp, as those of fragments of matrices: drawn at random, on both engines.

use super::drawn::{Drawn, Random, rounds};
use super::{compile, outcome};
use margay_exec::{Dim, Engine, Simd};
use margay_front::module::Module;

/// Words of the input, of a block's output, and of its shared memory.
const INPUT: u32 = 8192;
const OUTPUT: u32 = 1024;
const SHARED: u32 = 2048;

const BLOCKS: u32 = 5;

/// Numbers of words, 32 bits each, from threads' places.
fn numbers(random: &mut Random, count: usize) -> String {
    let mut text = String::from(
        "mov.u32 %n0, %laneid; mov.u32 %n1, %tid.x; shr.u32 %n2, %t, 5; mov.u32 %n3, %ctaid.x; mov.u32 %n4, %n;\n",
    );
    for k in 5..count {
        let mut of = || random.below(if k < 12 { k } else { 12 }).max(k.saturating_sub(9) * (k % 2));
        let (a, b) = (of(), of());
        text += &match random.below(16) {
            0..2 => format!("shr.u32 %n{k}, %n{a}, {};", 1 + random.below(5)),
            2..5 => {
                format!("and.b32 %n{k}, %n{a}, {};", random.of(&["1", "3", "7", "15", "31", "6", "-4", "24"]))
            }
            5 => format!("shl.b32 %n{k}, %n{a}, {};", 1 + random.below(3)),
            6..8 => format!("xor.b32 %n{k}, %n{a}, %n{b};"),
            8 => format!("or.b32 %n{k}, %n{a}, %n{b};"),
            9 => format!("bfe.u32 %n{k}, %n{a}, {}, {};", random.below(5), 1 + random.below(3)),
            12 => format!(
                "bfe.s32 %n{k}, %n{a}, {}, {}; and.b32 %n{k}, %n{k}, 144;",
                random.below(5),
                1 + random.below(2)
            ),
            13..15 => format!(
                "setp.{}.u32 %q, %n{a}, {}; {} selp.b32 %n{k}, %n{b}, {}, %q;",
                random.of(&["eq", "lt", "ge"]),
                random.of(&["0", "8", "%n", "16"]),
                random.of(&["", "not.pred %q, %q;", "and.pred %q, %q, %p;"]),
                random.of(&["144", "0", "%n2", "%n9"])
            ),
            10 => format!(
                "mad.lo.u32 %n{k}, %n{a}, {}, %n{b};",
                random.of(&["5", "20", "-1", "%n", "0x40000001"])
            ),
            11 => format!("sub.u32 %n{k}, %n{a}, %n{b};"),
            _ => format!("add.u32 %n{k}, %n{a}, %n{b};"),
        };
        text += "\n";
    }
    text
}

/// Something with memory at the place of a number: what is stored may go where other threads store, at the same time only.
fn access(random: &mut Random, k: usize, number: usize) -> String {
    let guard = random.of(&["", "", "", "@%p ", "@!%p "]);
    // Mostly inside; with the number as it is, some leave their memory.
    let place = |random: &mut Random, elements: u32, bytes: u32| {
        let inside = match random.below(12) {
            0 => String::new(),
            _ => format!("and.b32 %i, %i, {};", elements - 1),
        };
        format!(
            "mov.u32 %i, %n{number}; {inside} mul.wide.u32 %x, %i, {bytes}; mad.lo.u32 %s, %i, {bytes}, %base;"
        )
    };
    let (of_words, of_fours) = (place(random, 1024, 4), place(random, 128, 16));
    // Now and then an address is none that such elements may have.
    let off = random.of(&["", "", "", "", "", "", "", "", "", "+2", "+4", "+8"]);
    let ty = random.of(&["u32", "u32", "u8", "u16", "s16"]);
    let moved = match random.below(10) {
        0 => format!(
            "{of_words} add.u64 %x, %in, %x; {guard}ld.global.{ty} %v0, [%x{off}]; add.u32 %sum, %sum, %v0;"
        ),
        1 => format!(
            "{of_words} add.u64 %x, %out, %x; mad.lo.u32 %v0, %sum, {k}, %t; {guard}st.global.{ty} [%x{off}], %v0; bar.sync 0;"
        ),
        2 => format!("{of_words} {guard}ld.shared.{ty} %v0, [%s{off}]; mad.lo.u32 %sum, %sum, 5, %v0;"),
        3 => format!("{of_words} bar.sync 0; {guard}st.shared.{ty} [%s+32], %sum; bar.sync 0;"),
        4 => format!(
            "bar.sync 0; {of_fours} add.u64 %x, %in, %x; ld.global.v4.u32 {{%v0, %v1, %v2, %v3}}, [%x+{}];
             {} st.shared.v4.u32 [%s{off}], {{%v0, %v1, %v2, %v3}}; bar.sync 0;",
            16 * random.below(9),
            place(random, 128, 16)
        ),
        5 => format!(
            "{of_fours} ld.shared.v4.u32 {{%v0, %v1, %v2, %v3}}, [%s]; mad.lo.u32 %sum, %v0, %v3, %sum; xor.b32 %sum, %sum, %v1;"
        ),
        6 => format!(
            "{of_fours} ldmatrix.sync.aligned.m8n8.x4.shared.b16 {{%v0, %v1, %v2, %v3}}, [%s{off}];
             mad.lo.u32 %sum, %v0, %v3, %sum; mad.lo.u32 %sum, %v1, %v2, %sum;"
        ),
        7 => format!(
            "{of_fours} add.u64 %x, %out, %x; {guard}st.global.v2.u32 [%x{off}], {{%sum, %t}}; bar.sync 0;"
        ),
        8 => format!(
            "{of_fours} add.u64 %x, %in, %x; {guard}ld.global.u64 %y, [%x{off}]; cvt.u32.u64 %v0, %y; add.u32 %sum, %sum, %v0;
             bar.sync 0; st.shared.u64 [%s], %y; bar.sync 0;"
        ),
        _ => format!("{of_words} cvt.u32.u64 %i, %x; mad.lo.u32 %sum, %sum, 3, %i;"),
    };
    moved + "\n"
}

fn kernel(random: &mut Random) -> Module {
    let (numbers, mut body) = (numbers(random, 20), String::new());
    for k in 0..8 {
        let number = 5 + random.below(15);
        body += &access(random, k, number);
    }
    let others = match random.below(3) {
        0 => "",
        // A loop in which numbers grow.
        1 => "add.u32 %n7, %n7, 16; add.u32 %n11, %n11, %n; xor.b32 %n13, %n13, 4;",
        // Only some threads go on.
        _ => {
            "setp.lt.u32 %q, %t, 40; @%q bra past; add.u32 %sum, %sum, %n9; add.u32 %n9, %n9, 1; past: bar.sync 0;"
        }
    };
    compile(&format!(
        ".entry k(.param .u64 in, .param .u64 out, .param .u32 n)
        {{
            .reg .b64 %in, %out, %x, %y, %own; .reg .b32 %n<20>, %v<4>, %i, %s, %t, %n, %k, %sum, %base; .reg .pred %p, %q;
            .shared .align 16 .b32 words[{SHARED}];
            ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; ld.param.u32 %n, [n];
            mov.u32 %t, %tid.x; mov.u32 %i, %ntid.x; mov.u32 %s, %tid.y; mad.lo.u32 %t, %s, %i, %t; mov.u32 %base, words;
            mov.u32 %i, %ctaid.x; mul.wide.u32 %x, %i, {}; add.u64 %out, %out, %x; add.u64 %own, %out, {};
            mad.lo.u32 %sum, %i, 77, %t; and.b32 %i, %t, 6; setp.ne.u32 %p, %i, 2; mov.u32 %k, 0; mov.u64 %y, 5;
            mad.lo.u32 %s, %t, 4, %base; st.shared.u32 [%s], %sum; bar.sync 0;
            mov.u32 %n9, %n; mov.u32 %n2, 0;
            {numbers}
        again:
            {body}
            {others}
            add.u32 %k, %k, 1; setp.lt.u32 %q, %k, 2; @%q bra again;
            mul.wide.u32 %x, %t, 4; add.u64 %x, %own, %x; st.global.u32 [%x], %sum;
            mad.lo.u32 %s, %t, 4, %base; ld.shared.u32 %v0, [%s]; st.global.u32 [%x+1024], %v0; ret;
        }}",
        4 * OUTPUT * 2,
        4 * OUTPUT
    ))
}

#[test]
fn addresses_of_lanes_are_the_same_on_both_engines() {
    let mut random = Random(7);
    let rounds = rounds("MARGAY_PERIODIC_KERNELS", 300);
    let words = (0..INPUT).flat_map(|k| (k.wrapping_mul(0x9e37_79b9) ^ k << 7).to_le_bytes());
    let input: Vec<u8> = words.collect();
    let (mut periodic, mut ended) = (0, 0);
    for round in 0..rounds {
        let module = kernel(&mut random);
        let blocks =
            [Dim::from(128), Dim::from(32), Dim::from(64), Dim::new(16, 8, 1), Dim::from(96), Dim::from(40)];
        let (block, n) = (blocks[round % blocks.len()], [3u32, 16, 64, 0, 1 << 30][round % 5]);
        let output = u64::from(4 * 2 * OUTPUT * BLOCKS);
        let drawn = Drawn { module: &module, blocks: BLOCKS, block, input: &input, output, n };
        let (ends, having) = drawn.judge(round, "periodic");
        periodic += having;
        ended += usize::from(ends);
    }
    let all = rounds * Simd::available().len();
    assert!(
        periodic > all / 4 && ended > rounds / 3,
        "{periodic} periodic ones of {all}, {ended} ended well"
    );
}

/// Each turn multiplies lanes' places by another number, so that there are more patterns than are kept: what is left is computed thread by
/// thread.
#[test]
fn more_patterns_than_are_kept_change_nothing() {
    let module = compile(
        ".entry k(.param .u64 in, .param .u64 out)
        {
            .reg .b32 %t, %l, %r, %q, %k, %a, %v, %s, %c; .reg .b64 %in, %out, %x; .reg .pred %p;
            ld.param.u64 %in, [in]; ld.param.u64 %out, [out];
            mov.u32 %t, %tid.x; and.b32 %l, %t, 31; shr.u32 %r, %l, 2; and.b32 %q, %l, 3; mov.u32 %k, 0; mov.u32 %s, 0;
        again:
            mad.lo.u32 %a, %r, %k, %q; and.b32 %a, %a, 4095; mul.wide.u32 %x, %a, 4; add.u64 %x, %in, %x; ld.global.u32 %v, [%x];
            mad.lo.u32 %s, %s, 31, %v; add.u32 %k, %k, 1; setp.lt.u32 %p, %k, 1500; @%p bra again;
            mov.u32 %c, %ctaid.x; mad.lo.u32 %a, %c, 64, %t; mul.wide.u32 %x, %a, 4; add.u64 %x, %out, %x; st.global.u32 [%x], %s;
            ret;
        }",
    );
    let outcome = |how| {
        let words = (0..4096u32).map(|k| k.wrapping_mul(0x9e37_79b9) ^ k << 7);
        outcome(&module, [2.into(), 64.into()], (words, 4 * 128), how)
    };
    let want = outcome((Engine::Golden, None));
    for simd in Simd::available() {
        assert!(outcome((Engine::Batch, Some(*simd))) == want, "{simd}");
    }
}
