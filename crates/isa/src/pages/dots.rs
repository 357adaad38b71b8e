//! The instructions that functions of the device's runtime stand for.

use crate::inst::Inst;
use crate::select::{Shape, select};

/// The instruction that adds four products of bytes to a third operand, each signed or not by its operand.
pub fn dot_of_bytes(signs: [bool; 2]) -> Option<Inst> {
    let [a, b] = signs.map(of_sign);
    select("dp4a", &[a, b], &[Shape::default(); 4])?.ok()
}

/// The same of two products of half-words and bytes, the higher two or the lower two.
pub fn dot_of_halves(high: bool, signs: [bool; 2]) -> Option<Inst> {
    let [a, b] = signs.map(of_sign);
    select("dp2a", &[if high { "hi" } else { "lo" }, a, b], &[Shape::default(); 4])?.ok()
}

fn of_sign(signed: bool) -> &'static str {
    if signed { "s32" } else { "u32" }
}
