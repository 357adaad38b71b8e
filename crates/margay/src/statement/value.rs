//! The bits of values as people write them.

use margay_isa::Bits;
use margay_isa::float::Format;

use super::Place;
use crate::problem::Problem;

/// So many bits that are set.
pub(super) fn ones(width: u32) -> Bits {
    if width >= 128 { Bits::MAX } else { (1 << width) - 1 }
}

/// The bits of a written value: numbers of floating-point operands as their nearest patterns, integers in two's complement.
pub(super) fn bits(text: &str, place: &Place) -> Result<Bits, Problem> {
    let width = place.ty.width();
    if let Some(format) = place.format()
        && !["0x", "0X", "0b", "0B"]
            .iter()
            .any(|prefix| text.trim_start_matches(['-', '+']).starts_with(prefix))
    {
        return floating(text, place, format);
    }
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (radix, digits) = match digits.get(..2) {
        Some("0x" | "0X") => (16, &digits[2..]),
        Some("0b" | "0B") => (2, &digits[2..]),
        _ => (10, digits),
    };
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return Err(Problem::new(format!("the value `{text}` of `{}` is not a number", place.name))
            .help("write a decimal number, or `0x` and hex digits"));
    }
    // A predicate has no sign.
    let half: Bits = if width == 1 { 0 } else { 1 << (width - 1) };
    let fits = |magnitude: &Bits| if negative { *magnitude <= half } else { *magnitude <= ones(width) };
    match Bits::from_str_radix(digits, radix).ok().filter(fits) {
        Some(magnitude) if negative => Ok(magnitude.wrapping_neg() & ones(width)),
        Some(magnitude) => Ok(magnitude),
        None => {
            Err(Problem::new(format!("the value `{text}` does not fit `{}`", place.name)).help(range(width)))
        }
    }
}

/// The bits of a number, or of numbers in braces, the lowest element first.
fn floating(text: &str, place: &Place, format: &Format) -> Result<Bits, Problem> {
    let ty = place.ty;
    let inside = text.strip_prefix('{').and_then(|inside| inside.strip_suffix('}'));
    let parts: Vec<&str> = match inside {
        Some(inside) if ty.lanes > 1 => inside.split(',').map(str::trim).collect(),
        _ => vec![text],
    };
    let read: Option<Vec<Bits>> = parts.iter().map(|part| format.read(part)).collect();
    let read = read.filter(|read| read.len() == ty.lanes as usize);
    let bits = read.map(|read| read.iter().rev().fold(0, |bits, part| bits << ty.bits | part));
    bits.ok_or_else(|| {
        let problem = Problem::new(format!("the value `{text}` of `{}` is not a number", place.name));
        problem.help(match ty.lanes {
            1 => "write a number such as `1.5`, `-2e-3`, `inf` or `nan`, or `0x` and the hex digits of its bits".into(),
            n => format!("write {n} numbers such as `{{{}}}`, the lowest element first, or `0x` and hex digits",
                vec!["1.5"; n as usize].join(",")),
        })
    })
}

/// What values a placeholder of so many bits takes.
fn range(width: u32) -> String {
    match width {
        1 => "it is a predicate: 0 or 1".to_string(),
        _ => format!("it has {width} bits: -{} to {}", 1u128 << (width - 1), ones(width)),
    }
}
