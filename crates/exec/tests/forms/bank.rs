//! Registers that hold operands, and operands drawn from them.

use crate::random::Random;
use margay_isa::{Immediate, Operand, Ty, TypeRule, Word};
use std::fmt::Write;

/// How values of a register differ from thread to thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// In any way.
    Varying,
    /// Not at all.
    Uniform,
    /// By the same amount along an axis of the block.
    Even,
    /// As results of other statements do.
    Result,
}

/// Registers of one type and kind: a letter and how many.
struct Row {
    kind: Kind,
    letter: &'static str,
    ty: Word,
    count: usize,
}

const fn row(kind: Kind, letter: &'static str, ty: Word, count: usize) -> Row {
    Row { kind, letter, ty, count }
}

const ROWS: &[Row] = &[
    row(Kind::Varying, "vp", Word::Pred, 4),
    row(Kind::Varying, "vb", Word::B8, 4),
    row(Kind::Varying, "vh", Word::B16, 5),
    row(Kind::Varying, "vr", Word::B32, 8),
    row(Kind::Varying, "vd", Word::B64, 8),
    row(Kind::Varying, "vq", Word::B128, 2),
    row(Kind::Uniform, "up", Word::Pred, 2),
    row(Kind::Uniform, "ub", Word::B8, 4),
    row(Kind::Uniform, "uh", Word::B16, 4),
    row(Kind::Uniform, "ur", Word::B32, 8),
    row(Kind::Uniform, "ud", Word::B64, 8),
    row(Kind::Uniform, "uq", Word::B128, 2),
    row(Kind::Even, "er", Word::B32, 4),
    row(Kind::Even, "ed", Word::B64, 4),
    row(Kind::Result, "xp", Word::Pred, 2),
    row(Kind::Result, "xb", Word::B8, 4),
    row(Kind::Result, "xh", Word::B16, 8),
    row(Kind::Result, "xr", Word::B32, 8),
    row(Kind::Result, "xd", Word::B64, 8),
    row(Kind::Result, "xq", Word::B128, 2),
];

/// Threads that a launch has at most: a plane of the buffers has room for so many.
pub const MOST: usize = 257;
/// Bytes of the buffer that the bank is filled from, and of the parameter with uniform values.
pub const BANK: usize = planes(Kind::Varying) * MOST * 8;
pub const UNIFORM: usize = planes(Kind::Uniform) * 8;

const fn planes(kind: Kind) -> usize {
    let (mut sum, mut k) = (0, 0);
    while k < ROWS.len() {
        let wide = if matches!(ROWS[k].ty, Word::B128) { 2 } else { 1 };
        if ROWS[k].kind as u8 == kind as u8 {
            sum += ROWS[k].count * wide;
        }
        k += 1;
    }
    sum
}

pub fn declare(text: &mut String) {
    for row in ROWS {
        let _ = writeln!(text, ".reg .{} %{}<{}>;", row.ty, row.letter, row.count);
    }
}

/// Fills all registers but those for results: from the buffer at `%bank` plus the thread's place, from the parameter
/// `uniform`, from the thread's place in the block.
pub fn fill(text: &mut String) {
    for (kind, space, base, stride) in
        [(Kind::Varying, "global", "%bank", MOST * 8), (Kind::Uniform, "param", "uniform", 8)]
    {
        let mut plane = 0;
        for row in ROWS.iter().filter(|row| row.kind == kind) {
            for k in 0..row.count {
                let (name, at) = (format!("%{}{k}", row.letter), format!("{base}+{}", plane * stride));
                plane += 1;
                let _ = match row.ty {
                    Word::Pred => {
                        writeln!(text, "ld.{space}.u8 %y0, [{at}];\nsetp.lt.u32 {name}, %y0, 128;")
                    }
                    Word::B128 => {
                        plane += 1;
                        let next = format!("{base}+{}", (plane - 1) * stride);
                        writeln!(
                            text,
                            "ld.{space}.b64 %z0, [{at}];\nld.{space}.b64 %z1, [{next}];\nmov.b128 {name}, {{%z0, %z1}};"
                        )
                    }
                    ty => writeln!(text, "ld.{space}.{ty} {name}, [{at}];"),
                };
            }
        }
    }
    text.push_str(
        "mov.u32 %er0, %tid.x;\nmad.lo.u32 %er1, %t, 4, 0x80000000;\nsub.u32 %er2, 3, %er0;\nmov.u32 %er3, %tid.y;\n\
         mul.wide.u32 %ed0, %er0, 8;\nadd.u64 %ed1, %ud0, %ed0;\nmul.wide.s32 %ed2, %er2, 65537;\ncvt.s64.s32 %ed3, %er1;\n",
    );
}

/// Which operands are wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    Varying,
    Uniform,
    Constants,
    Mixed,
}

fn fitting(random: &mut Random, kind: Kind, rule: TypeRule, want: Ty, taken: &[String]) -> Option<String> {
    let fits = |row: &&Row| row.kind == kind && row.ty.ty().is_some_and(|ty| rule.takes_register(want, ty));
    let rows: Vec<&Row> = ROWS.iter().filter(fits).collect();
    // Narrow ones as often as all wider ones together.
    let first = if random.once_in(2) { 0 } else { random.below(rows.len().max(1)) };
    let row = rows.get(first)?;
    let start = random.below(row.count);
    let names = (0..row.count).map(|k| format!("%{}{}", row.letter, (start + k) % row.count));
    { names }.find(|name| !taken.contains(name))
}

/// A register for a result, none of those taken.
pub fn destination(random: &mut Random, rule: TypeRule, want: Ty, taken: &[String]) -> Option<String> {
    fitting(random, Kind::Result, rule, want, taken)
}

/// A register or constant that is read.
pub fn source(
    random: &mut Random,
    operand: &Operand,
    want: Ty,
    mode: Mode,
    constants: bool,
) -> Option<String> {
    if let Immediate::Only(least, most) = operand.immediate {
        return Some(within(random, least, most));
    }
    if let Immediate::OneOf(values) = operand.immediate {
        return Some(random.pick(values).to_string());
    }
    if constants && (mode == Mode::Constants || mode == Mode::Mixed && random.once_in(5)) {
        if operand.immediate.takes_integer(want) {
            return Some(constant(random, operand.immediate, want));
        }
        if let Some(text) = random.real(operand.immediate, want) {
            return Some(text);
        }
    }
    let kind = match mode {
        Mode::Varying => Kind::Varying,
        Mode::Uniform => Kind::Uniform,
        Mode::Constants => *random.pick(&[Kind::Varying, Kind::Uniform]),
        Mode::Mixed => *random.pick(&[Kind::Varying, Kind::Varying, Kind::Uniform, Kind::Even, Kind::Result]),
    };
    fitting(random, kind, operand.ty, want, &[])
        .or_else(|| fitting(random, Kind::Varying, operand.ty, want, &[]))
}

/// Registers for the elements of a vector: of one type, and different where they are written.
pub fn vector(
    random: &mut Random,
    operand: &Operand,
    want: Ty,
    kind: Kind,
    count: usize,
) -> Option<Vec<String>> {
    let first = fitting(random, kind, operand.ty, want, &[])?;
    let letter = first.trim_start_matches('%').trim_end_matches(|c: char| c.is_ascii_digit());
    let row = ROWS.iter().find(|row| row.letter == letter)?;
    let written = kind == Kind::Result;
    if written && row.count < count {
        return None;
    }
    let start = random.below(row.count);
    let each = |k: usize| match written {
        true => (start + k) % row.count,
        false => random.below(row.count),
    };
    Some((0..count).map(each).map(|k| format!("%{letter}{k}")).collect())
}

/// The width of a register by its name.
pub fn width(name: &str) -> u32 {
    let letter = name.trim_start_matches('%').trim_end_matches(|c: char| c.is_ascii_digit());
    ROWS.iter().find(|row| row.letter == letter).and_then(|row| row.ty.ty()).map_or(0, Ty::width)
}

fn within(random: &mut Random, least: i128, most: i128) -> String {
    (least + random.below((most - least + 1) as usize) as i128).to_string()
}

fn constant(random: &mut Random, immediate: Immediate, want: Ty) -> String {
    if let Immediate::Range(least, most) = immediate {
        return within(random, least, most);
    }
    if want.width() == 1 {
        return random.below(2).to_string();
    }
    let mask = want.mask().min(u64::MAX.into()) as u64;
    let value = corner(random) & mask;
    if value > i64::MAX as u64 { format!("0x{value:x}") } else { value.to_string() }
}

/// Bits that favour edges: of bytes, of the whole, of floating-point formats, small numbers, amounts near a width.
pub fn corner(random: &mut Random) -> u64 {
    const BYTES: [u8; 8] = [0, 1, 2, 0x7f, 0x80, 0x81, 0xfe, 0xff];
    const WHOLE: [u64; 9] =
        [0, 1, u64::MAX, 1 << 63, 1 << 31, 0x7fff_ffff, u64::MAX >> 1, 0x8000, 0xffff_ffff];
    match random.below(11) {
        0 => u64::from_le_bytes(std::array::from_fn(|_| *random.pick(&BYTES))),
        1 => *random.pick(&WHOLE),
        2 => random.below(70) as u64,
        3 => (random.below(70) as u64).wrapping_neg(),
        4..7 => random.floats(),
        _ => random.next(),
    }
}
