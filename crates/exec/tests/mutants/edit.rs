//! Edits of a kernel's text: a line becomes none, another one, or several.

use super::random::Random;
use super::subjects::Subject;

/// What a line becomes.
#[derive(Clone)]
pub struct Edit {
    pub line: usize,
    pub with: Vec<String>,
}

/// The text with edits.
pub fn applied(lines: &[String], edits: &[Edit]) -> String {
    let mut text = String::new();
    for (k, line) in lines.iter().enumerate() {
        match edits.iter().find(|edit| edit.line == k) {
            Some(edit) => edit.with.iter().for_each(|line| text.extend([line, "\n"])),
            None => text.extend([line.as_str(), "\n"]),
        }
    }
    text
}

/// Edits as text.
pub fn told(lines: &[String], edits: &[Edit]) -> String {
    let mut text = String::new();
    for Edit { line, with } in edits {
        text += &format!("line {}: {}\n", line + 1, lines[*line].trim());
        with.iter().for_each(|line| text += &format!("  becomes {}\n", line.trim()));
    }
    text
}

/// Parts of opcodes that may stand for each other.
const PARTS: &[&[&str]] = &[
    &["add", "sub", "min", "max", "mul"],
    &["and", "or", "xor"],
    &["shl", "shr"],
    &["lt", "le", "gt", "ge", "eq", "ne"],
    &["ltu", "leu", "gtu", "geu", "equ", "neu", "lt", "num", "nan"],
    &["s32", "u32", "b32"],
    &["s64", "u64", "b64"],
    &["s16", "u16", "b16"],
    &["u8", "s8"],
    &["rn", "rz", "rm", "rp"],
    &["rni", "rzi", "rmi", "rpi"],
    &["lo", "hi"],
    &["up", "down", "bfly", "idx"],
    &["any", "all"],
    &["and", "or", "xor", "add", "min", "max", "exch"],
    &["neg", "abs", "not"],
    &["popc", "clz", "bfind", "brev"],
    &["f32", "b32"],
    &["l", "r"],
    &["clamp", "wrap"],
    &["x1", "x2", "x4"],
];

/// Parts of opcodes that may be missing.
const OPTIONS: &[&str] = &["ftz", "sat", "volatile", "relaxed", "trans", "uni", "nc", "wrap", "approx", "rn"];

const NUMBERS: &[i64] = &[
    0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 24, 31, 32, 33, 63, 64, 100, 127, 128, 255, 256, 1024, 4096, 0xffff,
    -1, -2, -4, -16, -128,
];

/// An edit of a subject, if one was found.
pub fn drawn(random: &mut Random, subject: &Subject) -> Option<Edit> {
    let lines = &subject.lines[..];
    let statements: Vec<usize> = subject.body.clone().filter(|k| is_statement(lines, *k)).collect();
    if statements.is_empty() {
        return None;
    }
    let line = *random.pick(&statements);
    let text = lines[line].trim();
    let other = |random: &mut Random| lines[*random.pick(&statements)].trim().to_string();
    let with = match random.below(16) {
        0..4 => vec![with_register(random, lines, &statements, text)?],
        4..7 => vec![with_number(random, text)?],
        7..10 => vec![with_part(random, text)?],
        10 => vec![with_guard(random, lines, &statements, text)?],
        11 => Vec::new(),
        12 => vec![text.into(), other(random)],
        13 => {
            // A neighbour goes before it.
            let next = statements.iter().find(|next| **next > line)?;
            vec![lines[*next].trim().into(), text.into()]
        }
        14 => {
            let guard = registers(lines, &statements, "%p");
            let guard = if guard.is_empty() || random.once_in(8) {
                String::new()
            } else {
                format!("@{} ", random.pick(&guard))
            };
            let labels: Vec<&str> = subject.body.clone().filter_map(|k| label(&lines[k])).collect();
            let jump = match random.below(3) {
                0 => "exit".to_string(),
                1 => {
                    format!("bra {}", random.pick(&labels.into_iter().chain(["NOWHERE"]).collect::<Vec<_>>()))
                }
                _ => "bar.sync 0".to_string(),
            };
            let guard = if jump.starts_with("bar") && !random.once_in(6) { String::new() } else { guard };
            vec![text.into(), format!("{guard}{jump};")]
        }
        _ => {
            let other = other(random);
            vec![text.into(), with_register(random, lines, &statements, &other)?]
        }
    };
    (with != [text]).then_some(Edit { line, with })
}

/// Whether a line is one whole statement.
fn is_statement(lines: &[String], k: usize) -> bool {
    let begins = |line: &str| line.starts_with(|c: char| c.is_ascii_lowercase() || c == '@');
    let text = lines[k].trim();
    let ends_before = |text: &str| {
        text.is_empty()
            || text.starts_with("//")
            || text.ends_with([';', ':', '{', '}'])
            || text.starts_with(".loc")
    };
    begins(text) && text.ends_with(';') && k > 0 && ends_before(lines[k - 1].trim())
}

fn label(line: &str) -> Option<&str> {
    line.trim().strip_suffix(':').filter(|name| !name.contains(char::is_whitespace))
}

/// Pieces of a text: names, numbers, and what is between.
fn pieces(text: &str) -> Vec<&str> {
    let is_word = |c: char| c.is_alphanumeric() || "%_$.".contains(c);
    let mut all = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let of_word = is_word(c);
        let end = rest.find(|c| is_word(c) != of_word).unwrap_or(rest.len());
        all.push(&rest[..end]);
        rest = &rest[end..];
    }
    all
}

/// A register's name without its number.
fn class(name: &str) -> Option<&str> {
    let is_register =
        name.starts_with('%') && name.ends_with(|c: char| c.is_ascii_digit()) && !name.contains('.');
    is_register.then(|| name.trim_end_matches(|c: char| c.is_ascii_digit()))
}

fn registers(lines: &[String], statements: &[usize], wanted: &str) -> Vec<String> {
    let names = statements.iter().flat_map(|k| pieces(&lines[*k]));
    let mut all: Vec<String> = names.filter(|name| class(name) == Some(wanted)).map(String::from).collect();
    all.sort();
    all.dedup();
    all
}

/// One of the registers becomes another of its kind, mostly one from near by.
fn with_register(random: &mut Random, lines: &[String], statements: &[usize], text: &str) -> Option<String> {
    let pieces = pieces(text);
    let places: Vec<usize> = (0..pieces.len()).filter(|k| class(pieces[*k]).is_some()).collect();
    if places.is_empty() {
        return None;
    }
    let place = *random.pick(&places);
    let wanted = class(pieces[place])?;
    let others = match random.once_in(2) {
        true => registers(lines, statements, wanted),
        false => {
            let at = statements.iter().position(|k| lines[*k].trim() == text).unwrap_or(0);
            let near = at.saturating_sub(8)..(at + 8).min(statements.len());
            registers(lines, &statements[near], wanted)
        }
    };
    let other = random.pick(if others.is_empty() { return None } else { &others });
    Some(replaced(&pieces, place, other))
}

fn replaced(pieces: &[&str], place: usize, with: &str) -> String {
    let each = pieces.iter().enumerate();
    each.map(|(k, piece)| if k == place { with } else { piece }).collect()
}

fn with_number(random: &mut Random, text: &str) -> Option<String> {
    let pieces = pieces(text);
    let number = |piece: &str| piece.trim_end_matches('U').parse::<i64>().ok();
    let places: Vec<usize> = (1..pieces.len()).filter(|k| number(pieces[*k]).is_some()).collect();
    if places.is_empty() {
        return None;
    }
    let place = *random.pick(&places);
    let old = number(pieces[place])?;
    let new = match random.below(8) {
        0 => old.wrapping_add(1),
        1 => old.wrapping_sub(1),
        2 => old.wrapping_mul(2),
        3 => old / 2,
        4 => old.wrapping_add(4),
        5 => old.wrapping_neg(),
        _ => *random.pick(NUMBERS),
    };
    // A sign before the number stays where it is.
    let signed = pieces[place - 1].ends_with('-');
    let new = if signed { new.wrapping_abs() } else { new };
    Some(replaced(&pieces, place, &new.to_string()))
}

fn with_part(random: &mut Random, text: &str) -> Option<String> {
    let start = if text.starts_with('@') { text.find(char::is_whitespace)? } else { 0 };
    let (guard, rest) = text.split_at(start);
    let rest = rest.trim_start();
    let (opcode, operands) = rest.split_at(rest.find(char::is_whitespace)?);
    let mut parts: Vec<&str> = opcode.split('.').collect();
    if random.once_in(5) {
        match parts.iter().position(|part| OPTIONS.contains(part)) {
            Some(k) => drop(parts.remove(k)),
            None => parts.insert(parts.len() - 1, *random.pick(OPTIONS)),
        }
        return Some(format!("{guard} {}{operands}", parts.join(".")).trim().to_string());
    }
    let mut groups = Vec::new();
    for (k, part) in parts.iter().enumerate() {
        groups.extend(PARTS.iter().filter(|group| group.contains(part)).map(|group| (k, group)));
    }
    if groups.is_empty() {
        return None;
    }
    let (k, group) = *random.pick(&groups);
    parts[k] = *random.pick(group);
    Some(format!("{guard} {}{operands}", parts.join(".")).trim().to_string())
}

/// A guard is turned, goes, or comes.
fn with_guard(random: &mut Random, lines: &[String], statements: &[usize], text: &str) -> Option<String> {
    match text.strip_prefix('@') {
        Some(rest) if random.once_in(3) => Some(rest.split_once(char::is_whitespace)?.1.to_string()),
        Some(rest) => match rest.strip_prefix('!') {
            Some(rest) => Some(format!("@{rest}")),
            None => Some(format!("@!{rest}")),
        },
        None => {
            let guards = registers(lines, statements, "%p");
            let not = if random.once_in(2) { "!" } else { "" };
            (!guards.is_empty()).then(|| format!("@{not}{} {text}", random.pick(&guards)))
        }
    }
}
