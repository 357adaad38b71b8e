//! What goes from global to shared memory as it is arrives there, whatever lies between, and whatever fails.

use super::compile;
use margay_exec::{Argument, Dim, Engine, Launch, Memory, Program, Simd, Stage, parameter_block};
use margay_front::module::Module;

/// Words of the input, and of the output.
const WORDS: u32 = 4096;

/// Ways from the input (`%in`, `%x` at the thread's element of 4 bytes) to shared memory (`%s` the thread's word, `%base` the first).
const WAYS: &[(&str, bool, &str)] = &[
    ("a word", true, "ld.global.u32 %a, [%x]; st.shared.u32 [%s], %a;"),
    (
        "tiles of two buffers",
        true,
        "ld.global.u32 %a, [%x]; ld.global.u32 %b, [%x+64]; st.shared.u32 [%s], %a; st.shared.u32 [%s+2048], %b;",
    ),
    (
        "one after the other, in the same register",
        true,
        "ld.global.u32 %a, [%x]; st.shared.u32 [%s], %a; ld.global.u32 %a, [%x+64]; st.shared.u32 [%s+2048], %a;",
    ),
    (
        "four words of a thread",
        true,
        "and.b32 %a, %t, 127; mul.wide.u32 %x, %a, 16; add.u64 %x, %in, %x; ld.global.v4.u32 {%v0, %v1, %v2, %v3}, [%x];
         shl.b32 %a, %t, 4; add.u32 %a, %a, %base; st.shared.v4.u32 [%a], {%v0, %v1, %v2, %v3};",
    ),
    (
        "four words of each of mixed threads",
        true,
        "xor.b32 %a, %t, 5; and.b32 %a, %a, 127; mul.wide.u32 %x, %a, 16; add.u64 %x, %in, %x; ld.global.v4.u32 {%v0, %v1, %v2, %v3}, [%x];
         shl.b32 %a, %t, 1; xor.b32 %a, %a, %t; and.b32 %a, %a, 127; shl.b32 %a, %a, 4; add.u32 %a, %a, %base;
         st.shared.v4.u32 [%a], {%v0, %v1, %v2, %v3};",
    ),
    (
        "pairs of mixed threads, two at a time, from and to overlapping places",
        true,
        "xor.b32 %a, %t, 6; and.b32 %a, %a, 63; mul.wide.u32 %y, %a, 16; add.u64 %y, %in, %y; ld.global.v2.u64 {%z, %w}, [%y];
         mul.wide.u32 %y, %a, 8; add.u64 %y, %in, %y; ld.global.v2.u32 {%v0, %v1}, [%y+24];
         and.b32 %a, %a, 7; shl.b32 %a, %a, 4; add.u32 %a, %a, %base; st.shared.v2.u64 [%a+64], {%z, %w}; st.shared.v2.u32 [%a+72], {%v0, %v1};",
    ),
    (
        "vectors to an address that no store may have",
        true,
        "xor.b32 %a, %t, 1; and.b32 %a, %a, 127; mul.wide.u32 %y, %a, 16; add.u64 %y, %in, %y; ld.global.v4.u32 {%v0, %v1, %v2, %v3}, [%y];
         ld.global.u32 %b, [%in+8]; and.b32 %b, %b, 0; mad.lo.u32 %b, %n, 2, %b; mad.lo.u32 %a, %a, 16, %b; add.u32 %a, %a, %base;
         st.shared.v4.u32 [%a], {%v0, %v1, %v2, %v3};",
    ),
    (
        "vectors that no load may have",
        true,
        "xor.b32 %a, %t, 1; mad.lo.u32 %b, %n, 4, %a; mul.wide.u32 %y, %b, 8; add.u64 %y, %in, %y; ld.global.v2.u32 {%v0, %v1}, [%y];
         and.b32 %a, %a, 127; mad.lo.u32 %a, %a, 8, %base; st.shared.v2.u32 [%a], {%v0, %v1};",
    ),
    (
        "vectors with a load between that another engine makes",
        true,
        "st.local.u32 [hidden], %t; ld.global.u32 %b, [%in]; and.b32 %b, %b, 0; cvt.u64.u32 %y, %b;
         xor.b32 %a, %t, 3; and.b32 %a, %a, 127; mul.wide.u32 %z, %a, 16; add.u64 %z, %in, %z; ld.global.v4.u32 {%v0, %v1, %v2, %v3}, [%z];
         mul.wide.u32 %z, %a, 16; add.u64 %z, %in, %z; ld.global.v2.u64 {%z, %w}, [%z+2048]; ld.local.u32 %b, [%y];
         mad.lo.u32 %a, %a, 16, %base; st.shared.v4.u32 [%a], {%v0, %v1, %v2, %v3}; st.shared.v2.u64 [%a+2048], {%z, %w}; add.u32 %sum, %sum, %b;",
    ),
    (
        "bytes",
        true,
        "cvt.u64.u32 %y, %t; add.u64 %y, %in, %y; ld.global.u8 %a, [%y]; add.u32 %b, %t, %base; st.shared.u8 [%b], %a;",
    ),
    (
        "halves and doubles",
        true,
        "mul.wide.u32 %y, %t, 8; add.u64 %y, %in, %y; ld.global.u64 %z, [%y]; shl.b32 %b, %t, 3; add.u32 %b, %b, %base; st.shared.u64 [%b], %z;
         mul.wide.u32 %y, %t, 2; add.u64 %y, %in, %y; ld.global.b16 %h, [%y]; st.shared.b16 [%s+4096], %h;",
    ),
    (
        "to rows that lie apart",
        true,
        "shr.u32 %a, %t, 4; mul.lo.u32 %a, %a, 80; and.b32 %b, %t, 15; mad.lo.u32 %a, %b, 4, %a; add.u32 %a, %a, %base;
         ld.global.u32 %b, [%x]; st.shared.u32 [%a], %b;",
    ),
    (
        "to columns",
        true,
        "and.b32 %a, %t, 15; mul.lo.u32 %a, %a, 64; shr.u32 %b, %t, 4; mad.lo.u32 %a, %b, 4, %a; add.u32 %a, %a, %base;
         ld.global.u32 %b, [%x]; st.shared.u32 [%a], %b;",
    ),
    (
        "to where words say",
        true,
        "ld.global.u32 %b, [%x+128]; and.b32 %b, %b, 1020; add.u32 %b, %b, %base; shr.u32 %a, %t, 20; add.u32 %b, %b, %a;
         ld.global.u32 %a, [%in]; ld.global.u32 %a, [%x]; st.shared.u32 [%s], %a; st.shared.u32 [%b+4096], 5;",
    ),
    (
        "to an address that no store may have",
        true,
        "ld.global.u32 %a, [%x]; ld.global.u32 %b, [%in+8]; and.b32 %b, %b, 0; add.u32 %b, %b, %n; mad.lo.u32 %s, %b, 2, %s; st.shared.u32 [%s], %a;",
    ),
    (
        "with a load that fails between",
        true,
        "ld.global.u32 %a, [%x]; ld.global.u32 %b, [%x+65536]; st.shared.u32 [%s], %a; add.u32 %sum, %sum, %b;",
    ),
    (
        "with a load between that another engine makes",
        true,
        "st.local.u32 [hidden], %t; ld.global.u32 %b, [%in]; and.b32 %b, %b, 0; cvt.u64.u32 %y, %b;
         ld.global.u32 %a, [%x]; ld.local.u32 %b, [%y]; st.shared.u32 [%s], %a; add.u32 %sum, %sum, %b;",
    ),
    ("used twice", false, "ld.global.u32 %a, [%x]; st.shared.u32 [%s], %a; add.u32 %sum, %sum, %a;"),
    ("used between", false, "ld.global.u32 %a, [%x]; add.u32 %sum, %sum, %a; st.shared.u32 [%s], %a;"),
    ("stored twice", false, "ld.global.u32 %a, [%x]; st.shared.u32 [%s], %a; st.shared.u32 [%s+2048], %a;"),
    (
        "changed between",
        false,
        "ld.global.u32 %a, [%x]; st.global.u32 [%x], %t; st.shared.u32 [%s], %a;",
    ),
    ("behind a barrier", false, "ld.global.u32 %a, [%x]; bar.sync 0; st.shared.u32 [%s], %a;"),
    (
        "in another order",
        false,
        "shl.b32 %a, %t, 3; mul.wide.u32 %x, %t, 8; add.u64 %x, %in, %x; add.u32 %a, %a, %base;
         ld.global.v2.u32 {%v0, %v1}, [%x]; st.shared.v2.u32 [%a], {%v1, %v0};",
    ),
    (
        "by some threads",
        true,
        "setp.lt.u32 %p, %t, 40; @!%p bra past; ld.global.u32 %a, [%x]; st.shared.u32 [%s], %a; past:",
    ),
    ("if a predicate holds", false, "ld.global.u32 %a, [%x]; setp.lt.u32 %p, %t, 40; @%p st.shared.u32 [%s], %a;"),
    (
        "a word, and over it one from the other end",
        true,
        "ld.global.u32 %a, [%x]; st.shared.u32 [%s], %a; sub.u32 %a, 2000, %t; mul.wide.u32 %y, %a, 4; add.u64 %y, %in, %y;
         ld.global.u32 %a, [%y]; st.shared.u32 [%s], %a;",
    ),
    ("volatile", false, "ld.volatile.global.u32 %a, [%x]; st.shared.u32 [%s], %a;"),
];

/// What comes after a way: the words of shared memory one by one; or in turns, each with a way of its own, rows and columns of it, which one
/// pass reads with the barriers around it.
const LOOKS: [fn(&str) -> String; 3] = [one_by_one, by_tiles, by_two_tiles];

fn one_by_one(way: &str) -> String {
    format!(
        "{way}
            bar.sync 0;
            mov.u32 %k, %t; mov.u32 %b, %ntid.x;
        again:
            mad.lo.u32 %s, %k, 4, %base; ld.shared.u32 %a, [%s]; mad.lo.u32 %sum, %sum, 31, %a; add.u32 %k, %k, %b;
            setp.lt.u32 %p, %k, 2048; @%p bra again;"
    )
}

fn by_tiles(way: &str) -> String {
    let looks: String = (0..4)
        .map(|k| {
            format!(
                "ld.shared.u32 %a, [%row+{}]; ld.shared.u32 %b, [%column+{}]; mad.lo.u32 %sum, %sum, %a, %b;
                ld.shared.u32 %a, [%row+{}]; xor.b32 %sum, %sum, %a;",
                4 * k,
                64 * k,
                2048 + 256 * k
            )
        })
        .collect();
    format!(
        "mov.u32 %k, 0; mov.u64 %own, %x;
            and.b32 %a, %t, 15; mad.lo.u32 %column, %a, 4, %base; shr.u32 %b, %t, 4; mad.lo.u32 %row, %b, 64, %base;
        again:
            mov.u64 %x, %own; mad.lo.u32 %s, %t, 4, %base;
            {way}
            bar.sync 0;
            {looks}
            bar.sync 0;
            add.u64 %in, %in, 64; add.u64 %own, %own, 64; add.u32 %k, %k, 1; setp.lt.u32 %p, %k, 9; @%p bra again;"
    )
}

/// Two ways a turn, the second as the first but further on in both memories, at places that a counter tells; the last turn comes by its own
/// comparison. What is loaded in a turn is used in the next one, too.
fn by_two_tiles(way: &str) -> String {
    let looks = |of: u32| -> String {
        (0..3)
            .map(|k| {
                format!(
                    "ld.shared.u32 %a, [%row+{}]; ld.shared.u32 %b, [%column+{}]; mad.lo.u32 %sum, %b, {of}, %sum; xor.b32 %sum, %sum, %a;",
                    8 * k,
                    128 * k
                )
            })
            .collect()
    };
    let way = way.replace("again", "other");
    let other = way.replace("past", "gone");
    format!(
        "mov.u32 %k, 5; mov.u64 %own, %x; ld.global.u32 %c, [%own]; bar.sync 0;
            and.b32 %a, %t, 15; mad.lo.u32 %column, %a, 4, %base; shr.u32 %b, %t, 4; mad.lo.u32 %row, %b, 64, %base;
        again:
            mul.wide.u32 %x, %k, 8; add.u64 %x, %own, %x; mad.lo.u32 %s, %t, 4, %base;
            {way}
            bar.sync 0;
            mul.wide.u32 %y, %k, 4; add.u64 %y, %own, %y; ld.global.u32 %a, [%y+32]; mad.lo.u32 %sum, %sum, 7, %a;
            mad.lo.u32 %sum, %sum, 9, %c; ld.global.u32 %c, [%y+64];
            {}
            bar.sync 0;
            mul.wide.u32 %x, %k, 4; add.u64 %x, %own, %x; mad.lo.u32 %s, %t, 4, %base;
            {other}
            bar.sync 0;
            {}
            bar.sync 0;
            add.u32 %k, %k, 3; setp.gt.u32 %p, %k, 40; @%p bra done; bra again;
        done:",
        looks(3),
        looks(5)
    )
}

#[test]
fn loops_that_copy_tiles_are_known() {
    for (name, look, passes) in [
        ("tiles of two buffers", by_tiles as fn(&str) -> String, "tiled loop of 1 pass:"),
        ("a word", by_two_tiles, "tiled loop of 2 passes:"),
        ("to rows that lie apart", by_two_tiles, "tiled loop of 2 passes:"),
    ] {
        let (_, _, way) = WAYS.iter().find(|way| way.0 == name).unwrap();
        let plan = plan_of(&kernel(way, look), Dim::from(64));
        assert!(plan.contains(passes), "{name}: {plan}");
    }
}

fn plan_of(module: &Module, block: Dim) -> String {
    let mut memory = Memory::new(64);
    let program = Program::load(module, &mut memory).unwrap();
    let launch = Launch { block, parameters: vec![0; 20], ..Launch::new(module.entry("k").unwrap()) };
    launch.stage(Stage::Plan, &program, &memory, &|_, _| 1).unwrap()
}

fn kernel(way: &str, look: fn(&str) -> String) -> Module {
    let body = look(way);
    compile(&format!(
        ".entry k(.param .u64 in, .param .u64 out, .param .u32 n)
        {{
            .reg .b64 %in, %out, %x, %y, %z, %w, %own; .reg .b32 %a, %b, %c, %base, %i, %n, %s, %t, %k, %sum, %row, %column, %v<4>; .reg .b16 %h;
            .reg .pred %p; .shared .align 16 .b32 words[2048]; .local .b32 hidden;
            ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; ld.param.u32 %n, [n];
            mov.u32 %t, %tid.x; mov.u32 %a, %ctaid.x; mov.u32 %b, %ntid.x; mad.lo.u32 %i, %a, %b, %t;
            mul.wide.u32 %x, %i, 4; add.u64 %out, %out, %x; mul.lo.u32 %a, %a, %n; add.u32 %a, %a, %t; mul.wide.u32 %x, %a, 4; add.u64 %x, %in, %x;
            mov.u32 %s, words; mov.u32 %base, %s; mad.lo.u32 %s, %t, 4, %s; mov.u32 %sum, 7;
            {body}
            add.u32 %sum, %sum, %t; st.global.u32 [%out], %sum; ret;
        }}"
    ))
}

#[test]
fn stores_that_may_copy_are_known() {
    for (name, copies, way) in WAYS {
        let plan = plan_of(&kernel(way, one_by_one), Dim::from(64));
        let found = ["left to a store", "or copied"].map(|words| plan.contains(words));
        assert_eq!(found, [*copies; 2], "{name}: {plan}");
    }
}

#[test]
fn elements_arrive_in_shared_memory() {
    for ((name, _, way), look) in WAYS.iter().flat_map(|way| LOOKS.map(|look| (way, look))) {
        let module = kernel(way, look);
        // Blocks of some distance: of whole and parts of warps, that read the same, overlap, and lie apart by no whole words.
        for (blocks, block, n) in [
            (1, Dim::from(64), 64),
            (9, Dim::from(64), 64),
            (5, Dim::from(128), 0),
            (3, Dim::new(16, 16, 1), 16),
            (4, Dim::new(16, 4, 2), 100),
            (7, Dim::from(70), 33),
            (2, Dim::from(3), 1000),
            (40, Dim::from(32), 2_000_000_000),
        ] {
            // Blocks would read what others write.
            if *name == "changed between" && blocks > 1 {
                continue;
            }
            let outcome = |engine, simd| {
                let mut memory = Memory::new(64);
                let program = Program::load(&module, &mut memory).unwrap();
                let [input, out] =
                    ["in", "out"].map(|name| memory.alloc(u64::from(4 * WORDS), name).unwrap());
                let words = (0..WORDS).flat_map(|k| (k.wrapping_mul(k) ^ k << 7).to_le_bytes());
                memory.write(input, &words.collect::<Vec<u8>>()).unwrap();
                let entry = module.entry("k").unwrap();
                let arguments = [Argument::Address(input), Argument::Address(out), Argument::from(n)];
                let parameters = parameter_block(module.function(entry), 64, &arguments).unwrap();
                let launch = Launch {
                    grid: blocks.into(),
                    block,
                    parameters,
                    workers: 1,
                    engine,
                    simd,
                    ..Launch::new(entry)
                };
                let ended = launch.run(&program, &memory);
                let ended = ended.map(|report| report.instructions);
                // Which of several threads that fail is the first is open.
                let ended = ended.map_err(|error| error.to_string().split(';').next().map(String::from));
                let bytes = memory.read(out, u64::from(4 * WORDS)).unwrap().to_vec();
                let bytes = ended.is_ok().then_some(bytes);
                (ended, bytes)
            };
            let want = outcome(Engine::Golden, None);
            for simd in Simd::available() {
                let got = outcome(Engine::Batch, Some(*simd));
                let what = format!("{name}, {simd}: {blocks} blocks of {block:?}, {n}");
                assert!(got == want, "{what}: {:?}, not {:?}", got.0, want.0);
            }
        }
    }
}
