//! Words whose first lies at the start of a cache line, and words that look random.

use std::ops::{Deref, DerefMut};

/// A cache line; only its words are used, as words.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line {
    _words: [u32; 16],
}

/// Words, the first one at a multiple of 64 bytes.
pub struct Buffer {
    lines: Vec<Line>,
    words: usize,
}

impl Buffer {
    pub fn zeroed(words: usize) -> Buffer {
        Buffer { lines: vec![Line { _words: [0; 16] }; words.div_ceil(16)], words }
    }

    /// The same words for the same seed, each below a limit.
    pub fn random(words: usize, limit: u32, seed: u64) -> Buffer {
        let mut buffer = Buffer::zeroed(words);
        let mut state = seed;
        for word in buffer.iter_mut() {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            *word = (((state >> 32) * u64::from(limit)) >> 32) as u32;
        }
        buffer
    }

    /// Words, one after the other.
    pub fn from_words(words: impl ExactSizeIterator<Item = u32>) -> Buffer {
        let mut buffer = Buffer::zeroed(words.len());
        buffer.iter_mut().zip(words).for_each(|(place, word)| *place = word);
        buffer
    }

    /// Numbers of `f32` in a range.
    pub fn floats(count: usize, low: f32, high: f32, seed: u64) -> Buffer {
        let mut buffer = Buffer::random(count, 1 << 24, seed);
        buffer
            .iter_mut()
            .for_each(|word| *word = (low + (high - low) * (*word as f32 / 16_777_216.0)).to_bits());
        buffer
    }

    /// Pairs of numbers of `f16` in a range.
    pub fn halves(pairs: usize, low: f32, high: f32, seed: u64) -> Buffer {
        let numbers = Buffer::floats(2 * pairs, low, high, seed);
        let half = |word: u32| u32::from(half::f16::from_f32(f32::from_bits(word)).to_bits());
        Buffer::from_words(numbers.chunks_exact(2).map(|pair| half(pair[0]) | half(pair[1]) << 16))
    }

    /// As memory holds them.
    pub fn bytes(&self) -> Vec<u8> {
        self.iter().flat_map(|word| word.to_le_bytes()).collect()
    }
}

impl Deref for Buffer {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        // SAFETY: a line is 64 bytes large and aligned, and made of 16 words; there are at least so many words.
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), self.words) }
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u32] {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.words) }
    }
}
