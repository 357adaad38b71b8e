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
