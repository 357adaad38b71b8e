//! What threads compute between their accesses.

use super::any;
use super::draw::Draw;
use super::floats;
use super::random::Random;
use super::text::WIDES;

/// Operations, each with registers in the place of letters: `D` is written, `A` was written last, `B` is any, `W` and `X` have 64 bits. Of
/// `[a|b]` one is drawn, and `C` is a constant of 32 bits.
const OPERATIONS: &[&str] = &[
    "mad.lo.u32 D, A, 3, 7;",
    "mad.lo.u32 D, A, 3, 7;",
    "mad.lo.u32 D, A, B, D;",
    "mad.lo.u32 D, A, 5, B;",
    "add.u32 D, A, B;",
    "add.u32 D, A, B;",
    "sub.u32 D, B, A;",
    "xor.b32 D, A, B;",
    "xor.b32 D, D, A;",
    "min.s32 D, A, B;",
    "max.u32 D, A, B;",
    "shl.b32 D, A, 3;",
    "shr.u32 D, A, 9;",
    "prmt.b32 D, A, B, 0x4123;",
    "popc.b32 D, A;",
    "dp4a.u32.u32 D, A, B, D;",
    "dp4a.s32.s32 D, A, B, D;",
    "fma.rn.f32 D, A, B, D;",
    "add.f32 D, A, B;",
    "mul.f32 D, A, 0f3f400000;",
    "cvt.rn.f32.u32 D, A;",
    "setp.lt.u32 %q, A, B;\nselp.b32 D, A, B, %q;",
    "setp.ge.s32 %q, A, B;\n@%q add.u32 D, A, 1;",
    "mov.b32 D, A;",
    "mad.wide.u32 W, A, B, W;",
    "add.u64 W, W, X;",
    "xor.b64 W, W, X;",
    "mul.lo.u64 W, X, 5;",
    "mov.b64 W, {A, B};",
    "cvt.u32.u64 D, X;",
    "fma.rn.f64 W, W, X, X;",
    "add.cc.u32 D, A, B;\naddc.u32 D, A, B;",
    "sub.cc.u32 D, A, B;\nsubc.cc.u32 D, B, A;\nsubc.u32 D, D, A;",
    "mad.lo.cc.u32 D, A, B, D;\nmadc.hi.u32 D, A, B, 0;",
];

/// Those that only whole warps carry out.
const EXCHANGES: &[&str] = &[
    "shfl.sync.bfly.b32 D, A, 1, 31, -1;",
    "shfl.sync.down.b32 D, A, 4, 31, -1;",
    "shfl.sync.up.b32 D, A, 1, 0, -1;",
    "shfl.sync.idx.b32 D, A, 5, 31, -1;",
];

/// One or two operations.
pub fn operation(draw: &mut Draw, whole: bool) -> String {
    let count = 1 + usize::from(draw.random.once_in(3));
    (0..count).map(|_| single(draw, whole)).collect::<Vec<String>>().join("\n")
}

fn single(draw: &mut Draw, whole: bool) -> String {
    let exchanges = whole && draw.program.has_warps() && draw.random.once_in(10);
    if draw.program.style.forms && !draw.random.once_in(4) {
        return any::one(draw, exchanges);
    }
    let table = match draw.program.style.floating && !draw.random.once_in(4) {
        _ if exchanges => EXCHANGES,
        true => floats::OPERATIONS,
        false => OPERATIONS,
    };
    let one = *draw.random.pick(table);
    let one = drawn(&mut draw.random, one);
    fill(draw, &one)
}

/// An operation with one of each `[a|b]`, and with constants.
pub fn drawn(random: &mut Random, mut one: &str) -> String {
    let mut text = String::new();
    while let Some((before, rest)) = one.split_once('[') {
        let (all, after) = rest.split_once(']').expect("brackets are closed");
        let all: Vec<&str> = all.split('|').collect();
        text.extend([before, *random.pick(&all)]);
        one = after;
    }
    text += one;
    text.replace(" C;", &format!(" 0f{:08x};", floats::word(random)))
}

/// An operation on registers.
pub fn fill(draw: &mut Draw, one: &str) -> String {
    let (d, b, x) = (draw.any_word(), draw.any_word(), draw.random.below(WIDES.into()) as u8);
    let a = if draw.random.once_in(3) { draw.any_word() } else { draw.word };
    let (w, last) = (draw.random.below(WIDES.into()) as u8, draw.wide);
    let x = if draw.random.once_in(2) { x } else { last };
    let written = |letter: char| one.contains(&format!(" {letter},"));
    draw.word = if written('D') { d } else { draw.word };
    draw.wide = if written('W') { w } else { draw.wide };
    let mut text = String::new();
    let mut letters = one.chars().peekable();
    let mut before = ' ';
    while let Some(letter) = letters.next() {
        let alone = matches!(before, ' ' | '{') && letters.peek().is_none_or(|next| !next.is_alphanumeric());
        match letter {
            'D' if alone => text += &format!("%v{d}"),
            'A' if alone => text += &format!("%v{a}"),
            'B' if alone => text += &format!("%v{b}"),
            'W' if alone => text += &format!("%w{w}"),
            'X' if alone => text += &format!("%w{x}"),
            _ => text.push(letter),
        }
        before = letter;
    }
    text
}

/// Operations on what is mostly the same in all threads, and one that takes it to something else.
pub fn uniform(draw: &mut Draw) -> String {
    let [d, last] = [draw.any_word(), draw.word];
    format!("mad.lo.u32 %v2, %v5, 5, %v2;\nadd.u32 %v5, %v5, %v2;\nmad.lo.u32 %v{d}, %v{last}, %v2, %v5;")
}

/// Operations that make something of a register, and those that take another one to what there is; of words, and of 64 bits.
const FIRST: [&[&str]; 2] = [
    &[
        "mad.lo.u32 D, A, 3, 7;",
        "add.u32 D, A, 5;",
        "xor.b32 D, A, %v5;",
        "mad.lo.u32 D, A, A, %t;",
        "fma.rn.f32 D, A, A, A;",
    ],
    &["mad.lo.u64 D, A, 3, 7;", "add.u64 D, A, 5;", "mul.lo.u64 D, A, A;"],
];
const MORE: [&[&str]; 2] = [
    &[
        "mad.lo.u32 D, D, 3, A;",
        "add.u32 D, D, A;",
        "xor.b32 D, A, D;",
        "sub.u32 D, D, A;",
        "dp4a.u32.u32 D, A, D, D;",
    ],
    &["mad.lo.u64 D, D, 3, A;", "add.u64 D, D, A;", "sub.u64 D, A, D;"],
];

/// An operation that makes something of a register, or takes it to what is there already.
pub fn combined(draw: &mut Draw, first: bool, wide: bool, [to, from]: [u8; 2]) -> String {
    let all = match draw.program.style.floating && !draw.random.once_in(4) {
        true if first => floats::FIRST,
        true => floats::MORE,
        false if first => FIRST,
        false => MORE,
    };
    let bank = if wide { 'w' } else { 'v' };
    let one = *draw.random.pick(all[usize::from(wide)]);
    let one = drawn(&mut draw.random, one);
    one.replace('D', &format!("%{bank}{to}")).replace('A', &format!("%{bank}{from}"))
}
