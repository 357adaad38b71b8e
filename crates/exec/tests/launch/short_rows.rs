//! Loads from shared memory of what is uniform in each block, or lies in short rows of threads, are the golden engine's where several small
//! blocks run together.

use super::compile;
use margay_exec::{Dim, Engine, Launch, Memory, Program, Simd, Stage};
use margay_front::module::Module;

const BLOCKS: u32 = 20;

/// Words of shared memory, which threads fill, and the rows that each of them goes through.
const WORDS: u32 = 256;
const ROWS: u32 = 8;

/// How a row's address becomes the next loads' one, and what is loaded there.
const ROW: &str = "
    ld.shared.u32 %u, [%row]; mad.lo.u32 %sum, %sum, 31, %u;
    ld.shared.u32 %u, [%row+4]; mad.lo.u32 %sum, %sum, %t, %u;
    add.u64 %y, %row, 24; ld.shared.u32 %u, [%y]; xor.b32 %sum, %sum, %u;
    sub.u64 %y, %y, 12; ld.shared.u32 %u, [%y+-4]; mad.lo.u32 %sum, %sum, 5, %u;
    mov.u64 %z, %y; ld.shared.u64 %w, [%z+4]; cvt.u32.u64 %v, %w; add.u32 %sum, %sum, %v;
    shr.u64 %w, %w, 32; cvt.u32.u64 %v, %w; xor.b32 %sum, %sum, %v;
    add.u64 %row, %row, 8; ld.shared.u32 %u, [%row+12]; mad.lo.u32 %sum, %sum, 7, %u;
    ld.shared.u32 %u, [%y]; add.u32 %sum, %sum, %u;
";

/// Its rows one after the other, and in a loop.
fn module(in_loop: bool) -> Module {
    with_words(&match in_loop {
        true => format!(
            "mov.u32 %k, 0; again: {ROW} add.u32 %k, %k, 1; setp.lt.u32 %p, %k, {ROWS}; @%p bra again;"
        ),
        false => ROW.repeat(ROWS as usize),
    })
}

/// A kernel whose blocks fill their words and then do something with them.
fn with_words(body: &str) -> Module {
    compile(&format!(
        ".entry k(.param .u64 in, .param .u64 out)
        {{
            .reg .b64 %in, %out, %row, %x, %y, %z, %w; .reg .b32 %t, %n, %i, %j, %k, %u, %v, %sum; .reg .pred %p;
            .shared .align 8 .b32 words[{WORDS}];
            ld.param.u64 %in, [in]; ld.param.u64 %out, [out];
            mov.u32 %n, %ntid.x; mov.u32 %t, %tid.y; mov.u32 %u, %tid.x; mad.lo.u32 %t, %t, %n, %u;
            mov.u32 %v, %ntid.y; mul.lo.u32 %n, %n, %v; mov.u32 %i, %t;
            fill:
            mul.wide.u32 %x, %i, 4; add.u64 %x, %in, %x; ld.global.u32 %u, [%x]; mov.u32 %v, %ctaid.x; xor.b32 %u, %u, %v;
            shl.b32 %j, %i, 2; mov.u32 %v, words; add.u32 %v, %v, %j; st.shared.u32 [%v], %u;
            add.u32 %i, %i, %n; setp.lt.u32 %p, %i, {WORDS}; @%p bra fill;
            bar.sync 0;
            mov.u64 %row, words; mov.u32 %sum, %t;
            {body}
            mov.u32 %u, %ctaid.x; mad.lo.u32 %i, %u, %n, %t; mul.wide.u32 %x, %i, 4; add.u64 %x, %out, %x; st.global.u32 [%x], %sum;
            ret;
        }}"
    ))
}

/// What so many blocks of so many threads count and leave.
fn outcome(module: &Module, [blocks, x, y]: [u32; 3], how: (Engine, Option<Simd>)) -> (u64, Vec<u8>) {
    let words = (0..WORDS).map(|k| k.wrapping_mul(0x9e37_79b9) ^ k >> 2);
    super::outcome(module, [blocks.into(), Dim { x, y, z: 1 }], (words, u64::from(4 * blocks * x * y)), how)
}

#[test]
fn broadcasts_do_the_same_on_both_engines() {
    for (in_loop, blocks) in [(true, BLOCKS), (false, BLOCKS), (true, 3)] {
        let module = module(in_loop);
        for (x, y) in [(32, 1), (64, 1), (96, 1), (160, 1), (8, 4), (16, 6), (24, 4), (33, 1), (1, 32)] {
            let golden = outcome(&module, [blocks, x, y], (Engine::Golden, None));
            for simd in Simd::available() {
                let got = outcome(&module, [blocks, x, y], (Engine::Batch, Some(*simd)));
                assert!(got == golden, "{simd:?}, {blocks} blocks of {x} by {y}, in a loop: {in_loop}");
            }
        }
    }
}

/// Loads at distances that are known from one address are found at once.
#[test]
fn loads_from_one_uniform_address_are_one_group() {
    let module = module(true);
    let mut memory = Memory::new(64);
    let program = Program::load(&module, &mut memory).unwrap();
    let launch = Launch {
        grid: BLOCKS.into(),
        block: 32.into(),
        parameters: vec![0; 16],
        ..Launch::new(module.entry("k").unwrap())
    };
    let plan = launch.stage(Stage::Plan, &program, &memory, &|_, _| 1).unwrap();
    let found = plan.lines().filter(|line| line.contains("find step") && line.contains(" from u"));
    let loads: Vec<usize> = found.map(|line| line.matches("step ").count()).collect();
    // Those before the address moves on, the one of 64 bits, and the two after that, of which one's address is of before.
    assert!(loads == [4, 1, 1, 1] && plan.contains("turn loop"), "{plan}");
}

/// Loads whose addresses grow by so many bytes along x, and by others along y.
fn loads_of_rows(along_x: u32, along_y: u32, bytes: u32) -> String {
    let load = match bytes {
        1 | 2 => format!("ld.shared.u{} %u, [%x+AT]", 8 * bytes),
        4 => "ld.shared.u32 %u, [%x+AT]".to_string(),
        _ => "ld.shared.u64 %w, [%x+AT]; cvt.u32.u64 %u, %w; shr.u64 %w, %w, 32; cvt.u32.u64 %v, %w; xor.b32 %u, %u, %v".to_string(),
    };
    let loads: String = [0, 3, 1]
        .map(|k| load.replace("AT", &(k * bytes).to_string()) + "; mad.lo.u32 %sum, %sum, 31, %u;\n")
        .concat();
    format!(
        "mov.u32 %u, %tid.x; mul.lo.u32 %u, %u, {along_x}; mov.u32 %v, %tid.y; mad.lo.u32 %u, %v, {along_y}, %u;
        mov.u32 %v, words; add.u32 %u, %u, %v; cvt.u64.u32 %x, %u; mov.u32 %sum, %t; {loads}"
    )
}

#[test]
fn short_rows_do_the_same_on_both_engines() {
    for bytes in [1, 2, 4, 8] {
        for (along_x, along_y) in
            [(bytes, 36 * bytes), (0, 3 * bytes), (2 * bytes, 7 * bytes), (9 * bytes, bytes), (bytes, 0)]
        {
            let module = with_words(&loads_of_rows(along_x, along_y, bytes));
            for (x, y) in [(8, 2), (8, 4), (8, 3), (4, 2), (16, 2), (12, 2), (24, 2)] {
                let reach = (x - 1) * along_x + (y - 1) * along_y + 4 * bytes;
                if reach > 4 * WORDS {
                    continue;
                }
                let golden = outcome(&module, [BLOCKS, x, y], (Engine::Golden, None));
                for simd in Simd::available() {
                    let got = outcome(&module, [BLOCKS, x, y], (Engine::Batch, Some(*simd)));
                    assert!(
                        got == golden,
                        "{simd:?}, {x} by {y}, {bytes} bytes, {along_x} along x, {along_y} along y"
                    );
                }
            }
        }
    }
}
