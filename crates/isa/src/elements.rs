//! Selectors and masks of the video instructions: `.b0`, `.h10`, `.b3210` and kin.

use std::fmt;

/// Bytes or half-words named by their digits, the leftmost digit first.
///
/// A selector reads it by position (the leftmost digit gives the highest element), a mask reads it as a set.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Elements {
    half: bool,
    count: u8,
    digits: [u8; 4],
}

impl Elements {
    /// Byte elements from their digits, the leftmost first. At most four.
    pub const fn bytes(digits: &[u8]) -> Elements {
        Elements::new(false, digits)
    }

    /// Half-word elements from their digits, the leftmost first. At most two.
    pub const fn halves(digits: &[u8]) -> Elements {
        Elements::new(true, digits)
    }

    const fn new(half: bool, digits: &[u8]) -> Elements {
        assert!(digits.len() <= 4);
        let mut e = Elements { half, count: digits.len() as u8, digits: [0; 4] };
        let mut k = 0;
        while k < digits.len() {
            e.digits[k] = digits[k];
            k += 1;
        }
        e
    }

    /// Reads `b3210`, `h1`, …: one to four octal digits after `b`, one or two after `h`.
    pub fn parse(text: &str) -> Option<Elements> {
        let (half, rest) = match text.as_bytes() {
            [b'b', rest @ ..] if matches!(rest.len(), 1..=4) => (false, rest),
            [b'h', rest @ ..] if matches!(rest.len(), 1..=2) => (true, rest),
            _ => return None,
        };
        let mut digits = [0; 4];
        for (digit, byte) in digits.iter_mut().zip(rest) {
            *digit = byte.checked_sub(b'0').filter(|d| *d < 8)?;
        }
        Some(Elements { half, count: rest.len() as u8, digits })
    }

    /// Whether the elements are half-words (else bytes).
    pub fn is_half(self) -> bool {
        self.half
    }

    /// Bits of one element: 8 or 16.
    pub fn bits(self) -> u32 {
        if self.half { 16 } else { 8 }
    }

    /// The digits as written, leftmost first.
    pub fn digits(&self) -> &[u8] {
        &self.digits[..self.count as usize]
    }

    /// The element that feeds lane `lane` when read as a selector: lane 0 takes the rightmost digit.
    pub fn source(&self, lane: usize) -> usize {
        self.digits[self.count as usize - 1 - lane] as usize
    }

    /// Whether element `lane` is written when read as a mask.
    pub fn selects(&self, lane: usize) -> bool {
        self.digits().contains(&(lane as u8))
    }
}

impl fmt::Display for Elements {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.half { "h" } else { "b" })?;
        self.digits().iter().try_for_each(|d| write!(f, "{d}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rightmost_digit_feeds_lane_zero() {
        let e = Elements::parse("b7201").unwrap();
        assert_eq!([0, 1, 2, 3].map(|k| e.source(k)), [1, 0, 2, 7]);
    }

    #[test]
    fn type_words_are_not_selectors() {
        assert_eq!(Elements::parse("b8"), None);
        assert_eq!(Elements::parse("h"), None);
        assert_eq!(Elements::parse("b01234"), None);
    }
}
