//! What few threads do between barriers gives the same on both engines, however threads lie: sums of warps in shared memory, trees, values
//! that are the same in a CTA, rows that CTAs write.

use super::compile;
use margay_exec::{Argument, Dim, Engine, Launch, Memory, Program, Simd, parameter_block};
use margay_front::module::Module;

/// Words of each buffer.
const WORDS: u32 = 1 << 16;

/// What threads do with `%v`, a word of their own: `%t` is a thread's number in its CTA, `%n` how many there are, `%i` its number of all,
/// `%row` where its CTA's words begin in the output, of which it has four a thread.
const KERNELS: &[(&str, &str)] = &[
    (
        "words that move on by one, in place",
        "st.global.u32 [%row], %v; bar.sync 0; ld.global.u32 %a, [%row]; bar.sync 0; mad.lo.u32 %a, %a, 3, 7; st.global.u32 [%row+4], %a;",
    ),
    (
        "words that move on by one, in place, after a look at shared memory",
        "st.shared.u32 [%own], %v; st.global.u32 [%row], %v; bar.sync 0; ld.global.u32 %a, [%row]; ld.shared.u32 %b, [words]; bar.sync 0;
        ld.shared.u32 %c, [words+4]; mad.lo.u32 %a, %a, %b, %c; st.global.u32 [%row+4], %a;",
    ),
    (
        "words that move on by one, in place, and others between that are read from anywhere",
        "xor.b32 %b, %t, 8; mul.wide.u32 %x1, %b, 4; add.u64 %x1, %in, %x1; st.global.u32 [%row], %v; bar.sync 0; st.shared.u32 [%own], %v;
        ld.global.u32 %a, [%row]; ld.global.u32 %b, [%x1]; ld.shared.u32 %c, [%own]; mad.lo.u32 %a, %a, %a, %t; bar.sync 0;
        mad.lo.u32 %a, %c, %a, %a; st.global.u32 [%row+4], %a;",
    ),
    (
        "words that move on by one within warps, in place",
        "st.global.u32 [%row], %v; bar.warp.sync -1; ld.global.u32 %a, [%row]; bar.warp.sync -1; mad.lo.u32 %a, %a, 3, 7;
        setp.lt.u32 %p, %lane, 31; @!%p bra past; st.global.u32 [%row+4], %a; past:",
    ),
    (
        "sums of warps, and of these by every thread",
        "shfl.sync.bfly.b32 %a, %v, 16, 31, -1; add.u32 %v, %v, %a; shfl.sync.bfly.b32 %a, %v, 1, 31, -1; add.u32 %v, %v, %a;
        setp.ne.u32 %p, %lane, 0; @%p bra past;
        st.shared.u32 [%mine], %v;
        past: bar.sync 0;
        ld.shared.u32 %a, [words]; ld.shared.u32 %b, [words+4]; mad.lo.u32 %a, %a, 3, %b;
        bar.sync 0;
        cvt.rn.f32.u32 %f1, %a; rsqrt.approx.f32 %f1, %f1; cvt.rn.f32.u32 %f2, %v; mul.f32 %f2, %f2, %f1; mov.b32 %v, %f2;
        st.global.u32 [%row], %v; ld.global.u32 %a, [%in]; xor.b32 %v, %v, %a; st.global.u32 [%row+1024], %v;",
    ),
    (
        "a tree in shared memory",
        "st.shared.u32 [%own], %v; shr.u32 %b, %n, 1;
        again: bar.sync 0;
        setp.ge.u32 %p, %t, %b; @%p bra past;
        shl.b32 %a, %b, 2; add.u32 %a, %own, %a; ld.shared.u32 %a, [%a]; ld.shared.u32 %c, [%own]; add.u32 %c, %c, %a; st.shared.u32 [%own], %c;
        past: shr.u32 %b, %b, 1; setp.ne.u32 %p, %b, 0; @%p bra again;
        bar.sync 0; ld.shared.u32 %v, [words];
        setp.eq.u32 %p, %t, 0; @%p st.global.u32 [%row], %v;",
    ),
    (
        "two stages and an atomic sum",
        "shfl.sync.down.b32 %a, %v, 8, 31, -1; add.u32 %v, %v, %a;
        setp.ne.u32 %p, %lane, 0; @%p bra past;
        st.shared.u32 [%mine], %v;
        past: bar.sync 0;
        setp.gt.u32 %p, %t, 31; @%p bra end;
        mov.u32 %v, 5; shr.u32 %a, %n, 5; setp.ge.u32 %p, %t, %a; @%p bra all;
        ld.shared.u32 %v, [%own];
        all: shfl.sync.down.b32 %a, %v, 4, 31, -1; add.u32 %v, %v, %a; shfl.sync.down.b32 %a, %v, 1, 31, -1; add.u32 %v, %v, %a;
        st.global.u32 [%row], %v; setp.ne.u32 %p, %t, 0; @%p bra end;
        atom.global.add.u32 %a, [%in], %v;
        end:",
    ),
    (
        "elements of all sizes, by one thread of each warp and by some of a CTA",
        "setp.ne.u32 %p, %lane, 30; @%p bra past;
        mov.b64 %x1, {%v, %i}; st.global.u64 [%row], %x1; st.global.u8 [%row+1031], %v; st.global.u16 [%row+2050], %v;
        st.global.v2.u32 [%row+3072], {%i, %v}; st.shared.u8 [%own+1], %v;
        past: bar.sync 0; setp.eq.u32 %p, %t, 2; @!%p bra other;
        ld.shared.u32 %a, [%own]; ld.global.v2.u32 {%b, %c}, [%row+3072]; ld.global.u8 %v, [%row+1031]; ld.global.u16 %i, [%row+2050];
        add.u32 %a, %a, %b; add.u32 %a, %a, %c; add.u32 %a, %a, %v; add.u32 %a, %a, %i; st.global.u32 [%row+12], %a;
        other: setp.lt.u32 %p, %t, 5; @%p st.global.u32 [%row+512], %t;",
    ),
    (
        "branches by places in warps, CTAs and the grid",
        "mov.u32 %c, 0;
        setp.eq.u32 %p, %lane, 7; @%p bra l1; add.u32 %c, %c, 1; l1:
        and.b32 %a, %t, 3; setp.ne.u32 %p, %a, 1; @%p bra l2; add.u32 %c, %c, 2; l2:
        setp.ge.s32 %p, %t, 37; @%p bra l3; ld.global.u32 %a, [%in+8]; add.u32 %c, %c, %a; l3:
        setp.gt.u32 %p, %i, 1000; @%p bra l4; st.global.u32 [%row+1024], %c; l4:
        shr.u32 %a, %t, 5; setp.eq.u32 %p, %a, %lane; @%p bra l5; add.u32 %c, %c, 8; st.global.u32 [%row+2048], %c; l5:
        setp.ne.u32 %p, %i, 77; @%p bra l6; st.global.u32 [%row+3072], %c; l6:
        sub.u32 %a, %t, 40; setp.lt.s32 %p, %a, 0; @%p bra l7; add.u32 %c, %c, 16; l7:
        setp.lt.u32 %p, %a, 9; @%p bra l8; add.u32 %c, %c, 32; l8:
        st.global.u32 [%row], %c;",
    ),
    (
        "rows that follow each other after all CTAs' own, and in front of them",
        "cvt.rn.f32.u32 %f1, %v; mul.f32 %f2, %f1, 0f3f000000; st.global.f32 [%row], %f2; fma.rn.f32 %f2, %f1, %f1, %f2; st.global.f32 [%row+1024], %f2;
        mul.wide.u32 %x1, %v, %v; st.global.u64 [%twice], %x1; add.u64 %x1, %x1, 77; st.global.u64 [%twice+2048], %x1;
        mul.wide.u32 %x1, %t, 4; sub.u64 %x1, %back, %x1; add.f32 %f1, %f1, %f2; st.global.f32 [%x1], %f1;
        mul.wide.u32 %x1, %t, 4; add.u64 %x1, %back, %x1; add.f32 %f1, %f1, %f2; st.global.f32 [%x1+1024], %f1;",
    ),
    (
        "what a barrier counts, and values of a CTA in a loop",
        "and.b32 %a, %v, 3; setp.eq.u32 %p, %a, 0; bar.red.popc.u32 %b, 0, %p; bar.red.or.pred %q, 0, %p;
        selp.u32 %c, 1, 2, %q; mad.lo.u32 %v, %b, %c, %v; st.shared.u32 [%own], %v; mov.u32 %c, 0; mov.u32 %b, words;
        again: bar.sync 0; ld.shared.u32 %a, [%b]; bar.sync 0; mad.lo.u32 %v, %v, 5, %a; add.u32 %b, %b, 8; add.u32 %c, %c, 1;
        setp.lt.u32 %p, %c, 6; @%p bra again;
        setp.ne.u32 %p, %lane, 1; @%p bra past; st.shared.u32 [%mine], %v; past:
        bar.sync 0; ld.shared.u32 %a, [words+4]; add.u32 %v, %v, %a; st.global.u32 [%row], %v;",
    ),
];

fn kernel(body: &str) -> Module {
    compile(&format!(
        ".entry k(.param .u64 in, .param .u64 out)
        {{
            .reg .b64 %x<4>, %in, %out, %row, %twice, %back; .reg .b32 %a, %b, %c, %d, %i, %n, %t, %v, %lane, %own, %mine;
            .reg .f32 %f<4>; .reg .pred %p, %q; .shared .align 8 .b32 words[1024];
            ld.param.u64 %in, [in]; ld.param.u64 %out, [out];
            mov.u32 %t, %tid.z; mov.u32 %a, %ntid.y; mov.u32 %b, %tid.y; mad.lo.u32 %t, %t, %a, %b;
            mov.u32 %n, %ntid.x; mov.u32 %b, %tid.x; mad.lo.u32 %t, %t, %n, %b;
            mul.lo.u32 %n, %n, %a; mov.u32 %a, %ntid.z; mul.lo.u32 %n, %n, %a;
            mov.u32 %a, %ctaid.x; mad.lo.u32 %i, %a, %n, %t; and.b32 %lane, %t, 31;
            shl.b32 %own, %t, 2; mov.u32 %b, words; add.u32 %own, %b, %own; shr.u32 %mine, %t, 5; shl.b32 %mine, %mine, 2; add.u32 %mine, %b, %mine;
            mul.wide.u32 %x1, %i, 4; add.u64 %x1, %in, %x1; ld.global.u32 %v, [%x1];
            mul.wide.u32 %x1, %a, 4096; mul.wide.u32 %x2, %t, 4; add.u64 %row, %out, %x1; add.u64 %back, %row, 66560; add.u64 %row, %row, %x2;
            shl.b64 %x1, %x1, 1; add.u64 %twice, %out, %x1; add.u64 %twice, %twice, 131072; shl.b64 %x2, %x2, 1; add.u64 %twice, %twice, %x2;
            {body}
            ret;
        }}"
    ))
}

#[test]
fn few_threads_between_barriers_do_the_same_on_both_engines() {
    for (name, body) in KERNELS {
        let module = kernel(body);
        for (blocks, threads) in [
            (16, Dim { x: 256, y: 1, z: 1 }),
            (5, Dim { x: 128, y: 1, z: 1 }),
            (9, Dim { x: 32, y: 8, z: 1 }),
            (4, Dim { x: 16, y: 16, z: 1 }),
            (7, Dim { x: 8, y: 4, z: 2 }),
            (6, Dim { x: 96, y: 1, z: 1 }),
            (3, Dim { x: 40, y: 1, z: 1 }),
            (2, Dim { x: 5, y: 9, z: 3 }),
            (3, Dim { x: 64, y: 2, z: 1 }),
            (11, Dim { x: 64, y: 1, z: 1 }),
            (12, Dim { x: 32, y: 1, z: 1 }),
            (1, Dim { x: 7, y: 1, z: 1 }),
            (1, Dim { x: 256, y: 1, z: 1 }),
        ] {
            // Shuffles name all lanes of a warp.
            let lanes = threads.x * threads.y * threads.z % 32;
            if lanes != 0 && body.contains("shfl") {
                continue;
            }
            let outcome = |engine, simd| {
                let mut memory = Memory::new(64);
                let program = Program::load(&module, &mut memory).unwrap();
                let buffers = ["in", "out"].map(|name| memory.alloc(u64::from(4 * WORDS), name).unwrap());
                let words = (0..WORDS).flat_map(|k| (k.wrapping_mul(k) ^ k << 7 ^ k >> 3).to_le_bytes());
                memory.write(buffers[0], &words.collect::<Vec<u8>>()).unwrap();
                let entry = module.entry("k").unwrap();
                let arguments = buffers.map(Argument::Address);
                let parameters = parameter_block(module.function(entry), 64, &arguments).unwrap();
                let grid = u32::into(blocks);
                let launch = Launch {
                    grid,
                    block: threads,
                    parameters,
                    workers: 1,
                    engine,
                    simd,
                    ..Launch::new(entry)
                };
                let report = launch.run(&program, &memory).unwrap_or_else(|error| panic!("{name}: {error}"));
                let bytes = buffers.map(|buffer| memory.read(buffer, u64::from(4 * WORDS)).unwrap().to_vec());
                (report.instructions, bytes, report.handed_over)
            };
            let (instructions, bytes, _) = outcome(Engine::Golden, None);
            for simd in Simd::available() {
                let got = outcome(Engine::Batch, Some(*simd));
                assert!(
                    (got.0, got.2) == (instructions, 0) && got.1 == bytes,
                    "{name}, {simd}: {blocks} blocks of {threads:?}: {} instructions of {instructions}, {} handed over",
                    got.0,
                    got.2,
                );
            }
        }
    }
}
