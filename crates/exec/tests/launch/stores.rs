//! Several stores one after the other, which may be one pass over the threads: drawn at random, on both engines.

use super::compile;
use super::drawn::{Drawn, Random, rounds};
use margay_exec::{Dim, Simd};
use margay_front::module::Module;

/// Bytes of the output, and of a block's shared memory.
const OUTPUT: u64 = 1 << 17;
const SHARED: u32 = 1 << 14;

const BLOCKS: u32 = 5;

/// An operation on a register of words, of floating-point numbers or of 64 bits.
fn operation(random: &mut Random) -> String {
    let [a, b, c] = std::array::from_fn(|_| random.below(6));
    match random.below(10) {
        0..3 => format!("mad.lo.u32 %v{a}, %v{b}, 5, %v{c};"),
        3 => format!("xor.b32 %v{a}, %v{b}, %v{c};"),
        4 => format!("setp.lt.u32 %q, %v{b}, %v{c}; selp.b32 %v{a}, %v{b}, %t, %q;"),
        // Numbers from bits, so that some are none.
        5 => format!("mov.b32 %f0, %v{b}; mov.b32 %f1, %v{c}; mul.f32 %f0, %f0, %f1; mov.b32 %v{a}, %f0;"),
        6 => format!("mov.b32 %f0, %v{b}; add.f32 %f{}, %f0, %f1;", 2 + a % 2),
        7 => format!("mad.wide.u32 %w{}, %v{b}, 77, %w{};", a % 2, b % 2),
        8 => format!("mov.u32 %v{a}, {};", random.of(&["%n", "7", "%t"])),
        _ => format!("vabsdiff4.u32.u32.u32.add %v{a}, %v{b}, %t, %v{c};"),
    }
}

/// A store of what a register holds, at a place that no other thread's store has but by the same address.
fn store(random: &mut Random, k: usize) -> String {
    let a = random.below(6);
    let (ty, value, bytes) = match random.below(6) {
        0 => ("u64", format!("%w{}", a % 2), 8),
        1 => ("f32", format!("%f{}", 2 + a % 2), 4),
        2 => ("u32", "%n".to_string(), 4),
        3 if random.below(3) == 0 => ("u16", "%h".to_string(), 2),
        _ => ("u32", format!("%v{a}"), 4),
    };
    // Rows of all threads, of warps, every so many bytes, backwards, each where no others are; and an address that moves on.
    let wide = bytes == 8;
    let place = match random.below(7) {
        0..3 if wide => format!("mad.lo.u32 %i, %t, 8, {};", 2048 + 1024 * (k % 2)),
        0..3 => format!("mad.lo.u32 %i, %t, 4, {};", 512 * (k % 4)),
        3 | 4 => {
            let at = if wide { 6144 + 256 * (k % 2) } else { 4096 + 128 * (k % 4) };
            let step = if wide { 8 } else { 4 };
            format!(
                "shr.u32 %i, %t, 5; shl.b32 %i, %i, 9; and.b32 %j, %t, 31; mad.lo.u32 %i, %j, {step}, %i; add.u32 %i, %i, {at};"
            )
        }
        5 => format!("mad.lo.u32 %i, %t, 32, {};", 8192 + 8 * (k % 4)),
        _ if wide => "mul.lo.u32 %j, %t, 8; sub.u32 %i, 14328, %j;".to_string(),
        _ => "mul.lo.u32 %j, %t, 4; sub.u32 %i, 12796, %j;".to_string(),
    };
    let off = random.of(&["", "", "", "", "", "", "", "", "", "", "", "", "+2", "+1048576"]);
    let guard = random.of(&["", "", "", "", "", "@%p "]);
    match random.below(5) {
        0 => format!("{place} add.u32 %i, %i, %base; {guard}st.shared.{ty} [%i{off}], {value};"),
        1 => format!("{guard}st.global.u32 [%m], %v{a}; add.u64 %m, %m, 512;"),
        _ => format!(
            "{place} cvt.u64.u32 %x, %i; add.u64 %x, %own, %x; {guard}st.global.{ty} [%x{off}], {value};"
        ),
    }
}

fn kernel(random: &mut Random) -> Module {
    let mut body = String::new();
    let parts = random.below(4) == 0;
    if parts {
        body += "setp.lt.u32 %q, %t, 40; @%q bra past;\n";
    }
    for k in 0..4 + random.below(8) {
        for _ in 0..random.below(3) {
            body += &operation(random);
        }
        body += &store(random, k);
        body += "\n";
    }
    body += if parts { "past:\n" } else { "" };
    compile(&format!(
        ".entry k(.param .u64 out, .param .u32 n)
        {{
            .reg .b64 %out, %own, %x, %m, %w<2>; .reg .b32 %v<6>, %i, %j, %t, %n, %base; .reg .f32 %f<4>; .reg .b16 %h; .reg .pred %p, %q;
            .shared .align 16 .b8 bytes[{SHARED}];
            ld.param.u64 %out, [out]; ld.param.u32 %n, [n]; mov.u32 %base, bytes;
            mov.u32 %t, %tid.x; mov.u32 %i, %ntid.x; mov.u32 %j, %tid.y; mad.lo.u32 %t, %j, %i, %t;
            mov.u32 %i, %ctaid.x; mul.wide.u32 %x, %i, 22528; add.u64 %own, %out, %x;
            mul.wide.u32 %x, %t, 4; add.u64 %m, %own, %x; add.u64 %m, %m, 14336; and.b32 %i, %t, 6; setp.ne.u32 %p, %i, 2;
            mad.lo.u32 %v0, %t, 0x9e3779b9, %n; mov.u32 %v1, 0x7f800001; shl.b32 %v2, %t, 20; not.b32 %v3, %v0; mov.u32 %v4, %t; mov.u32 %v5, %n;
            mov.f32 %f0, 0f3f800000; mov.f32 %f1, 0fff800000; mov.f32 %f2, 0f40000000; mov.f32 %f3, 0f00000001;
            mov.u64 %w0, 5; cvt.u64.u32 %w1, %v0; cvt.u16.u32 %h, %v0;
            shl.b32 %i, %t, 5; add.u32 %i, %i, %base; st.shared.u32 [%i], %t; bar.sync 0;
            {body}
            bar.sync 0;
            shl.b32 %i, %t, 4; and.b32 %i, %i, {}; add.u32 %i, %i, %base; ld.shared.u32 %j, [%i];
            xor.b32 %v0, %v0, %v1; mad.lo.u32 %v2, %v2, %v3, %v0; add.u32 %v4, %v4, %v5; mov.b32 %v1, %f2; add.u32 %v2, %v2, %v1;
            cvt.u32.u64 %v1, %w0; xor.b32 %v2, %v2, %v1; xor.b32 %v2, %v2, %j;
            mad.lo.u32 %i, %t, 4, 20480; cvt.u64.u32 %x, %i; add.u64 %x, %own, %x; st.global.u32 [%x], %v2; st.global.u32 [%x+512], %v4; ret;
        }}",
        SHARED - 4
    ))
}

#[test]
fn several_stores_write_what_one_after_the_other_does() {
    let mut random = Random(11);
    let rounds = rounds("MARGAY_STORING_KERNELS", 300);
    let (mut together, mut ended) = (0, 0);
    for round in 0..rounds {
        let module = kernel(&mut random);
        let blocks = [128, 64, 128, 32, 96, 40].map(Dim::from);
        let block = if round % 7 == 0 { Dim::new(16, 8, 1) } else { blocks[round % blocks.len()] };
        let n = [3, 1 << 30][round % 2];
        let drawn = Drawn { module: &module, blocks: BLOCKS, block, input: &[], output: OUTPUT, n };
        let (ends, having) = drawn.judge(round, "find where step");
        together += having;
        ended += usize::from(ends);
    }
    let all = rounds * Simd::available().len();
    assert!(
        together > all / 4 && ended > rounds / 3,
        "{together} of {all} store together, {ended} ended well"
    );
}
