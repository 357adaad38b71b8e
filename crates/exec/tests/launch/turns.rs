//! Loops that take many turns at once give what they give turn by turn, wherever they begin, however far they go, and whatever they meet.

use super::compile;
use margay_exec::{Argument, Engine, Launch, Memory, Program, Simd, parameter_block};

/// Words of the input, and of the output.
const WORDS: u32 = 3000;

/// Kernels of a loop each: from `first` on, at a distance of `step`, up to `end`.
const LOOPS: &[(&str, &str)] = &[
    (
        "a sum of words",
        "again:
            mul.wide.u32 %x1, %i, 4; add.u64 %x1, %in, %x1;
            ld.global.u32 %a, [%x1]; add.u32 %sum, %sum, %a;
            add.u32 %i, %i, %step; setp.lt.u32 %p, %i, %end; @%p bra again;",
    ),
    (
        "a pointer that moves on, and what it has passed",
        "mul.wide.u32 %x1, %i, 4; add.u64 %x1, %in, %x1; mul.wide.u32 %x2, %step, 4; mul.wide.u32 %x3, %end, 4; add.u64 %x3, %in, %x3;
        again:
            ld.global.u32 %a, [%x1]; xor.b32 %sum, %sum, %a; add.u64 %x1, %x1, %x2;
            setp.lt.u64 %p, %x1, %x3; @%p bra again;",
    ),
    (
        "words that are changed",
        "again:
            mul.wide.u32 %x1, %i, 4; add.u64 %x2, %out, %x1; add.u64 %x1, %in, %x1;
            ld.global.u32 %a, [%x1]; ld.global.u32 %b, [%x2]; mad.lo.u32 %a, %a, 3, %b; st.global.u32 [%x2], %a;
            add.u32 %i, %i, %step; setp.lt.s32 %p, %i, %end; @%p bra again;",
    ),
    (
        "what an earlier turn has written",
        "again:
            mul.wide.u32 %x1, %i, 4; add.u64 %x1, %out, %x1;
            ld.global.u32 %a, [%x1]; add.u32 %a, %a, %i; add.u32 %j, %i, %step; mul.wide.u32 %x2, %j, 4; add.u64 %x2, %out, %x2;
            st.global.u32 [%x2], %a;
            add.u32 %i, %i, %step; setp.lt.u32 %p, %i, %end; @%p bra again;",
    ),
    (
        "backwards",
        "sub.u32 %i, %end, %i;
        again:
            mul.wide.s32 %x1, %i, 4; add.s64 %x1, %in, %x1;
            ld.global.u32 %a, [%x1+-4]; max.u32 %sum, %sum, %a;
            sub.s32 %i, %i, %step; setp.gt.s32 %p, %i, 0; @%p bra again;",
    ),
    (
        "turns that are counted alike, one at least",
        "mul.wide.u32 %x1, %i, 4; add.u64 %x2, %out, %x1; add.u64 %x1, %in, %x1; mul.wide.u32 %x3, %step, 4; div.u32 %j, %end, 100;
        again:
            ld.global.u32 %a, [%x1]; mad.lo.u32 %sum, %sum, 5, %a; add.u64 %x1, %x1, 4;
            sub.u32 %j, %j, 1; setp.gt.s32 %p, %j, 0; @%p bra again;
            add.u32 %sum, %sum, %j;",
    ),
    (
        "addresses that the turn before has made",
        "mul.wide.u32 %x1, %i, 4; add.u64 %x1, %in, %x1; mov.u32 %j, 9;
        again:
            ld.global.u32 %a, [%x1]; mad.lo.u32 %sum, %sum, 5, %a;
            add.u32 %i, %i, %step; mul.wide.u32 %x1, %i, 4; add.u64 %x1, %in, %x1;
            sub.u32 %j, %j, 1; setp.ne.u32 %p, %j, 0; @%p bra again;",
    ),
    (
        "an address that is another one's old value",
        "mul.wide.u32 %x1, %i, 4; add.u64 %x2, %in, %x1; add.u64 %x1, %in, 64; mov.u32 %j, 9;
        again:
            ld.global.u32 %a, [%x1]; ld.global.u32 %b, [%x2]; mad.lo.u32 %sum, %sum, %b, %a;
            mov.u64 %x1, %x2; add.u64 %x2, %x2, 32;
            sub.u32 %j, %j, 1; setp.ne.u32 %p, %j, 0; @%p bra again;",
    ),
    (
        "two values that grow differently, and low bits of one",
        "mov.u32 %j, %i;
        again:
            and.b32 %a, %i, 1023; mul.wide.u32 %x1, %a, 4; add.u64 %x1, %in, %x1; ld.global.u32 %a, [%x1];
            mul.wide.u32 %x2, %j, 4; add.u64 %x2, %in, %x2; ld.global.u32 %b, [%x2]; sub.u32 %sum, %a, %sum; add.u32 %sum, %sum, %b;
            add.u32 %j, %j, 1; add.u32 %i, %i, %step; setp.lt.u32 %p, %i, %end; @%p bra again;",
    ),
];

#[test]
fn many_turns_are_as_many_single_ones() {
    for (name, body) in LOOPS {
        let module = compile(&format!(
            ".entry k(.param .u64 in, .param .u64 out, .param .u64 sums, .param .u32 step, .param .u32 end)
            {{
                .reg .b64 %x<4>, %in, %out, %sums; .reg .b32 %i, %j, %a, %b, %t, %sum, %step, %end; .reg .pred %p;
                ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; ld.param.u64 %sums, [sums];
                ld.param.u32 %step, [step]; ld.param.u32 %end, [end];
                mov.u32 %i, %ctaid.x; mov.u32 %a, %ntid.x; mov.u32 %t, %tid.x; mad.lo.u32 %i, %i, %a, %t;
                mul.wide.u32 %x1, %i, 4; add.u64 %sums, %sums, %x1; mov.u32 %sum, 7;
                {body}
                st.global.u32 [%sums], %sum; ret;
            }}"
        ));
        // The last ones leave the buffers, at once or after many turns.
        for (blocks, threads, step, end) in [
            (1, 64, 64, 512),
            (3, 128, 384, 2900),
            (2, 192, 200, 1000),
            (4, 32, 1, 40),
            (1, 256, 16, 2500),
            (1, 70, 70, 700),
            (2, 64, 128, 3200),
            (1, 64, 8, 100_000),
            (1, 64, 1 << 30, 4_000_000_000),
        ] {
            // Threads would write what others do.
            if body.contains("[%x2], %a") && step < blocks * threads {
                continue;
            }
            let outcome = |engine, simd| {
                let mut memory = Memory::new(64);
                let program = Program::load(&module, &mut memory).unwrap();
                let [input, out, sums] =
                    ["in", "out", "sums"].map(|name| memory.alloc(u64::from(4 * WORDS), name).unwrap());
                let words = |seed: u32| {
                    (0..WORDS)
                        .flat_map(move |k| (k.wrapping_mul(k) ^ k << 7).wrapping_add(seed).to_le_bytes())
                };
                memory.write(input, &words(1).collect::<Vec<u8>>()).unwrap();
                memory.write(out, &words(2).collect::<Vec<u8>>()).unwrap();
                let entry = module.entry("k").unwrap();
                let arguments = [input, out, sums].map(Argument::Address);
                let arguments: Vec<Argument> =
                    arguments.into_iter().chain([step, end].map(|n: u32| Argument::from(n))).collect();
                let parameters = parameter_block(module.function(entry), 64, &arguments).unwrap();
                let (grid, block) = (u32::into(blocks), u32::into(threads));
                let launch =
                    Launch { grid, block, parameters, workers: 1, engine, simd, ..Launch::new(entry) };
                let ended = launch.run(&program, &memory);
                // Which of several threads that fail is the first is open, too.
                let fault = |error: margay_exec::Error| error.to_string().split(';').next().map(String::from);
                let ended = ended.map(|report| report.instructions).map_err(fault);
                let bytes =
                    [out, sums].map(|buffer| memory.read(buffer, u64::from(4 * WORDS)).unwrap().to_vec());
                // How far others have come is open where a thread fails.
                let bytes = ended.is_ok().then_some(bytes);
                (ended, bytes)
            };
            let want = outcome(Engine::Golden, None);
            for simd in Simd::available() {
                let got = outcome(Engine::Batch, Some(*simd));
                assert!(
                    got == want,
                    "{name}, {simd}: {blocks} blocks of {threads}, by {step} to {end}: {:?}, not {:?}",
                    got.0,
                    want.0
                );
            }
        }
    }
}
