//! Where descriptors say that chunks of 16 bytes lie in shared memory, by formulas of single ones (manual, 9.7.16.3; CUTLASS's layouts).

use crate::random::Random;

/// Swizzling modes: as descriptors have them, bytes of a line of the pattern, and those that stay together.
pub const MODES: [(u64, usize, usize); 5] =
    [(0, 16, 16), (6, 32, 16), (4, 64, 16), (2, 128, 16), (1, 128, 32)];

/// How a matrix lies in shared memory.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    start: usize,
    leading: usize,
    stride: usize,
    /// Which line of 128 bytes of its pattern the pattern begins at.
    base: usize,
    mode: (u64, usize, usize),
    /// Whether the elements of a chunk lie across the depth.
    across: bool,
}

impl Layout {
    /// One within so many bytes from a place on. Chunks may overlap. There are so many lines of chunks along the depth, or else so many
    /// chunks across it for each step along it.
    pub fn draw(
        random: &mut Random,
        (first, bytes): (usize, usize),
        (chunks, depth): (usize, usize),
        (mode, across): (usize, bool),
    ) -> Layout {
        let mode @ (_, width, atom) = MODES[mode];
        let core = if atom == 32 && across { 4 } else { 8 };
        // How often either of the distances is added at most, and what is added besides.
        let (leads, strides, besides) = match (width, across) {
            (16, false) => (depth - 1, (chunks - 1) / 8, 128),
            (_, false) => (0, (chunks - 1) / 8, 8 * width),
            (16, true) => ((depth - 1) / 8, chunks - 1, 128),
            (_, true) => ((16 * chunks - 1) / width, (depth - 1) / core, 8 * width),
        };
        let mut distance = |times: usize| match times {
            0 => 16 * random.below(0x4000),
            times => 16 * random.below((bytes - 1024 - besides) / 32 / times + 1),
        };
        let (leading, stride) = (distance(leads), distance(strides));
        let start = first + if width == 16 { 16 * random.below(64) } else { 32 * random.below(32) };
        let base = if width > 16 && random.once_in(4) { random.below(8) } else { 0 };
        Layout { start, leading, stride, base, mode, across }
    }

    pub fn descriptor(&self) -> u64 {
        let at = |bytes: usize, bit: u32| (bytes as u64 / 16) << bit;
        let distances = at(self.leading, 16) | at(self.stride, 32);
        at(self.start, 0) | distances | 1 << 46 | (self.base as u64) << 49 | self.mode.0 << 61
    }

    /// The address of a chunk: line and chunk along the depth, or else chunk across the depth and element along it.
    pub fn chunk(&self, x: usize, k: usize) -> usize {
        let Layout { leading, stride, mode: (_, width, atom), .. } = *self;
        let on = match (width, atom, self.across) {
            (16, _, false) => x / 8 * stride + x % 8 * 16 + k * leading,
            (_, _, false) => x / 8 * stride + x % 8 * width + k * 16,
            (16, _, true) => x * stride + k / 8 * leading + k % 8 * 16,
            (_, 16, true) => x * 16 / width * leading + k / 8 * stride + k % 8 * width + x * 16 % width,
            (_, _, true) => x / 8 * leading + k / 4 * stride + k % 4 * 128 + x % 8 * 16,
        };
        let at = self.start + on;
        let line = (at >> 7).wrapping_sub(self.base);
        match (width, atom) {
            (128, 32) => at ^ (line & 3) << 5,
            (128, _) => at ^ (line & 7) << 4,
            (64, _) => at ^ (line & 3) << 4,
            (32, _) => at ^ (line & 1) << 4,
            _ => at,
        }
    }
}

/// Bits of a chunk.
pub fn bits_of(picture: &[u8], chunk: usize, bit: usize, width: usize) -> u64 {
    let bits = u128::from_le_bytes(picture[chunk..chunk + 16].try_into().unwrap());
    (bits >> bit) as u64 & (u64::MAX >> (64 - width))
}
