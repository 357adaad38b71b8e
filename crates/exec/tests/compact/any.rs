//! Any instruction that computes, in any form, on the registers of compact programs.

use super::draw::Draw;
use super::forms::{Family, Given, draw as form, statement};

/// Registers of other types than those of all programs, and first values of them.
pub const DECLARATIONS: &str = "\
.reg .pred %e<4>;
.reg .u16 %mu;
.reg .s16 %ms;
.reg .u32 %vu;
.reg .s32 %vs;
.reg .u64 %wu;
.reg .s64 %ws;
.reg .b128 %k;
";
pub const FIRST: &str = "\
mov.b32 {%m0, %m1}, %v0;
mov.b32 {%mu, %ms}, %v3;
mov.u32 %vu, %v4;
mov.s32 %vs, %v0;
mov.u64 %wu, %w0;
mov.s64 %ws, %w2;
mov.b128 %k, {%w0, %w1};
setp.lt.s32 %e0|%e1, %v0, %v3;
setp.gt.u32 %e2|%e3, %v1, %v4;
";

/// Registers of the same type that forms are drawn with, and those that stand for them.
const OTHERS: &[(&str, &str)] = &[
    ("%p", "%e"),
    ("%hu", "%mu"),
    ("%hs", "%ms"),
    ("%h", "%m"),
    ("%ru", "%vu"),
    ("%rs", "%vs"),
    ("%r", "%v"),
    ("%du", "%wu"),
    ("%ds", "%ws"),
    ("%d", "%w"),
    ("%q0", "%k"),
];

/// One that each thread carries out by itself, or one that lanes of a warp carry out together.
pub fn one(draw: &mut Draw, together: bool) -> String {
    let (family, given) = match together {
        true => (Family::Together, Given { mask: "-1", ..Given::default() }),
        false => (Family::Compute, Given::default()),
    };
    let text =
        form(&mut draw.random, family, |_| true).and_then(|inst| statement(&mut draw.random, &inst, given));
    let Some(text) = text else { return String::new() };
    // What was written last is read mostly.
    let turn = draw.random.below(draw.program.words().into());
    let text = renamed(draw, &text, turn);
    if let Some(word) = text.split("%v").nth(1).and_then(|rest| rest.split(|c: char| !c.is_numeric()).next())
        && let Ok(word) = word.parse()
    {
        draw.word = word;
    }
    format!("{};", text.trim_end_matches(';'))
}

/// A statement with the registers of compact programs, words moved on by a few places.
fn renamed(draw: &Draw, text: &str, turn: usize) -> String {
    let mut pieces = text.split('%');
    let mut renamed = pieces.next().unwrap_or_default().to_string();
    for piece in pieces {
        let end = piece.find(|c: char| !c.is_alphanumeric()).unwrap_or(piece.len());
        let name = format!("%{}", &piece[..end]);
        let with = OTHERS.iter().find_map(|(from, to)| {
            let rest = name.strip_prefix(from)?;
            rest.chars().all(char::is_numeric).then(|| match rest.parse::<usize>() {
                Ok(number) if *to == "%v" => {
                    format!("%v{}", (number + turn) % usize::from(draw.program.words()))
                }
                _ => format!("{to}{rest}"),
            })
        });
        renamed += &with.unwrap_or(name);
        renamed += &piece[end..];
    }
    renamed
}
