//! Products of 16 rows and 8 columns as warps hold them on all devices: what engines need to know that have code of their own for these.

use super::architecture::{Method, arithmetic};
use super::form::Form;
use super::registers::{Place, Spread};
use crate::floor::Target;
use crate::words::Word;

/// A product of 16 rows and 8 columns. Lane 4g + t holds, counting words of 32 bits in rows of A and columns of B:
///
/// - of A, in register 2q + h, word 4q + t of row g + 8h;
/// - of B, in register q, word 4q + t of column g;
/// - of C and D, in register 2h + j, or in half j of register h if there are two in a word, column 2t + j of row g + 8h.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tile {
    /// The type of A's elements.
    pub a: Word,
    /// The type of B's elements.
    pub b: Word,
    /// Fours of words in a row of A and a column of B.
    pub quads: usize,
    /// How it is computed.
    pub method: Method,
    /// Whether results are clamped.
    pub clamped: bool,
    /// Whether C and D are of 16 bits, two in a word.
    pub halves: bool,
}

impl Tile {
    /// That of a form whose matrices D, A, B and C lie so.
    pub(super) fn of(form: &Form, device: Target, [d, a, b, c]: [&Spread; 4]) -> Option<Tile> {
        let quads = b.registers;
        let is_a = |p: &Place| (p.row, p.column / a.per) == held(p, 4 * (p.register / 2), p.register % 2);
        let is_b = |p: &Place| (p.column, p.row / b.per) == held(p, 4 * p.register, 0);
        let halves = c.per == 2;
        let is_c = |p: &Place| {
            let (h, j) =
                if halves { (p.register, p.shift as usize / 16) } else { (p.register / 2, p.register % 2) };
            (p.row, p.column) == (p.lane / 4 + 8 * h, 2 * (p.lane % 4) + j)
        };
        let whole = |matrix: &Spread| matrix.width * matrix.per as u32 == 32;
        let sizes = (a.registers, d.per, form.c) == (2 * quads, c.per, form.d) && matches!(quads, 1 | 2);
        let lies = a.places.iter().all(is_a)
            && b.places.iter().all(is_b)
            && c.places.iter().chain(&d.places).all(is_c)
            && c.registers == if halves { 2 } else { 4 };
        let method = arithmetic(form, device).method;
        let tile = Tile { a: form.a, b: form.b, quads, method, clamped: form.clamped, halves };
        (sizes && lies && [d, a, b, c].into_iter().all(whole)).then_some(tile)
    }
}

/// The row or column, and the word in it.
fn held(place: &Place, first: usize, h: usize) -> (usize, usize) {
    (place.lane / 4 + 8 * h, place.lane % 4 + first)
}
