//! Sums over packed elements.

use super::scalar::*;
use super::{Facts, Type};

/// Sums over packed elements, added to `c` modulo 2^32.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Dot {
    /// Of the products of bytes; whether those of `a` and of `b` have signs.
    Bytes(bool, bool),
    /// Of the products of half-words; whether those of `a` and of `b` have signs.
    Halves(bool, bool),
    /// Of the absolute differences of bytes without sign.
    AbsDiffBytesU,
    /// Of the absolute differences of bytes with sign.
    AbsDiffBytesS,
}

impl Dot {
    pub(super) const ALL: [Dot; 10] = [
        Dot::Bytes(false, false),
        Dot::Bytes(false, true),
        Dot::Bytes(true, false),
        Dot::Bytes(true, true),
        Dot::Halves(false, false),
        Dot::Halves(false, true),
        Dot::Halves(true, false),
        Dot::Halves(true, true),
        Dot::AbsDiffBytesU,
        Dot::AbsDiffBytesS,
    ];

    pub(super) const fn facts(self) -> Facts {
        Facts::alike(3, Type::U32)
    }

    pub(super) fn eval(self, a: u32, b: u32, c: u32) -> u32 {
        match self {
            Dot::Bytes(sa, sb) => dot_bytes((sa, sb), a, b, c),
            Dot::Halves(sa, sb) => dot_halves((sa, sb), a, b, c),
            Dot::AbsDiffBytesU => abs_diff_bytes(false, a, b, c),
            Dot::AbsDiffBytesS => abs_diff_bytes(true, a, b, c),
        }
    }
}
