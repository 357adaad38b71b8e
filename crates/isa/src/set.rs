//! Sets: the words a slot allows, listed or as a pattern of selectors.

use crate::elements::Elements;
use crate::words::Word;

/// The words that a slot allows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Set {
    /// These words.
    Of(&'static [Word]),
    /// A part of a 32-bit register: `.b0` to `.b3`, `.h0`, `.h1`.
    Parts,
    /// A mask of half-words: `.h0 .h1 .h10`.
    HalfMasks,
    /// A mask of bytes: digits 3 to 0, each at most once, descending.
    ByteMasks,
    /// Two half-words out of `a` and `b`: `.hxy`, digits 0 to 3.
    HalfPairs,
    /// Four bytes out of `a` and `b`: `.bxyzw`, digits 0 to 7.
    ByteQuads,
}

impl Set {
    /// Whether the set has the word.
    pub fn contains(self, word: Word) -> bool {
        let Set::Of(words) = self else {
            return word.elements().is_some_and(|e| self.has_elements(e));
        };
        words.contains(&word)
    }

    fn has_elements(self, e: Elements) -> bool {
        let digits = e.digits();
        let below = |n: u8| digits.iter().all(|d| *d < n);
        let descending = digits.windows(2).all(|w| w[0] > w[1]);
        match self {
            Set::Of(_) => false,
            Set::Parts => digits.len() == 1 && below(if e.is_half() { 2 } else { 4 }),
            Set::HalfMasks => e.is_half() && below(2) && descending,
            Set::ByteMasks => !e.is_half() && below(4) && descending,
            Set::HalfPairs => e.is_half() && digits.len() == 2 && below(4),
            Set::ByteQuads => !e.is_half() && digits.len() == 4 && below(8),
        }
    }

    /// How many words the set has.
    pub fn len(self) -> usize {
        match self {
            Set::Of(words) => words.len(),
            Set::Parts => 6,
            Set::HalfMasks => 3,
            Set::ByteMasks => 15,
            Set::HalfPairs => 16,
            Set::ByteQuads => 4096,
        }
    }

    /// Whether the set has no word.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The word numbered `k`, from 0 to `len - 1`.
    pub fn get(self, k: usize) -> Word {
        let octal = |at: u32| (k >> (3 * at) & 7) as u8;
        let quaternary = |at: u32| (k >> (2 * at) & 3) as u8;
        let descending = |bits: usize| -> Vec<u8> { (0..4).rev().filter(|d| bits >> d & 1 == 1).collect() };
        Word::Elements(match self {
            Set::Of(words) => return words[k],
            Set::Parts if k < 4 => Elements::bytes(&[k as u8]),
            Set::Parts => Elements::halves(&[k as u8 - 4]),
            Set::HalfMasks => Elements::halves(&descending(k + 1)),
            Set::ByteMasks => Elements::bytes(&descending(k + 1)),
            Set::HalfPairs => Elements::halves(&[quaternary(1), quaternary(0)]),
            Set::ByteQuads => Elements::bytes(&[octal(3), octal(2), octal(1), octal(0)]),
        })
    }

    /// Whether the words are selectors or masks, which enumeration samples.
    pub fn is_selector(self) -> bool {
        !matches!(self, Set::Of(_))
    }

    /// The set in the manual's notation, for messages.
    pub fn describe(self) -> String {
        match self {
            Set::Of(words) => words.iter().map(|w| format!(".{w}")).collect::<Vec<_>>().join(" "),
            Set::Parts => ".b0 .b1 .b2 .b3 .h0 .h1".into(),
            Set::HalfMasks => ".h0 .h1 .h10".into(),
            Set::ByteMasks => ".b3210 or a part of it, digits descending".into(),
            Set::HalfPairs => ".hxy with x, y from 0 to 3".into(),
            Set::ByteQuads => ".bxyzw with x, y, z, w from 0 to 7".into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_lists_exactly_the_words_it_contains() {
        for set in [Set::Parts, Set::HalfMasks, Set::ByteMasks, Set::HalfPairs, Set::ByteQuads] {
            let all: std::collections::HashSet<Word> = (0..set.len()).map(|k| set.get(k)).collect();
            assert_eq!(all.len(), set.len());
            assert!(all.iter().all(|w| set.contains(*w)));
        }
        assert!(!Set::ByteMasks.contains(Word::parse("b00").unwrap()));
        assert!(!Set::HalfMasks.contains(Word::parse("h01").unwrap()));
    }
}
