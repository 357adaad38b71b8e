//! Words that begin at a cache line, so that what threads write side by side is not divided among two.

use bytemuck::{Pod, Zeroable};
use std::ops::{Deref, DerefMut};

/// Words of a cache line.
const LINE: usize = 8;

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
struct Line([u64; LINE]);

/// Words of which stretches of the same length begin at a cache line each.
pub(crate) struct AlignedWords(Vec<Line>);

impl AlignedWords {
    /// So many stretches, each of at least so many words, all 0.
    pub(crate) fn zeroed(stretches: usize, words: usize) -> AlignedWords {
        AlignedWords(bytemuck::zeroed_vec(stretches * words.div_ceil(LINE)))
    }
}

impl Deref for AlignedWords {
    type Target = [u64];

    fn deref(&self) -> &[u64] {
        bytemuck::cast_slice(&self.0)
    }
}

impl DerefMut for AlignedWords {
    fn deref_mut(&mut self) -> &mut [u64] {
        bytemuck::cast_slice_mut(&mut self.0)
    }
}
