//! K6 and F9 by hand: tiles of 6 rows by 8 columns in 12 registers; bytes are widened to 16 bits, whose products the machine adds in pairs.
//!
//! A word becomes two lanes, bytes 0 and 1 in one, 2 and 3 in the other; a register holds the sums of four columns, two lanes each.

use super::vector::{load, store};
use crate::buffer::Buffer;
use crate::case::Case;
use std::arch::x86_64::*;

const ROWS: usize = 6;
/// Columns of a tile.
const COLUMNS: usize = 8;
/// Columns that are packed at once.
const PACKED: usize = 64;
/// Words of depth that are packed at once: what is packed stays in the second-level cache.
const DEPTH: usize = 256;

#[target_feature(enable = "avx2")]
pub fn product(case: &Case, out: &mut [u32]) {
    multiply(case, case.scalars[0] as usize, case.scalars[1] as usize, out);
}

/// F9, whose depth is in bytes.
#[target_feature(enable = "avx2")]
pub fn bytes(case: &Case, out: &mut [u32]) {
    multiply(case, case.scalars[0] as usize, case.scalars[1] as usize / 4, out);
}

#[target_feature(enable = "avx2")]
fn multiply(case: &Case, side: usize, depth: usize, out: &mut [u32]) {
    let (a, b) = (&case.inputs[0][..side * depth], &case.inputs[1][..side * depth]);
    let mut packed = Buffer::zeroed(2 * PACKED * DEPTH);
    let mut wide = Buffer::zeroed(2 * ROWS * DEPTH);
    for from in (0..depth).step_by(DEPTH) {
        let words = DEPTH.min(depth - from);
        for column in (0..side).step_by(PACKED) {
            pack(b, depth, from..from + words, column, &mut packed);
            let columns = PACKED.min(side - column);
            let mut row = 0;
            while row < side {
                let rows = if row + ROWS <= side { ROWS } else { 1 };
                for r in 0..rows {
                    widen(&a[(row + r) * depth + from..][..words], &mut wide[2 * r * DEPTH..]);
                }
                for at in (0..columns).step_by(COLUMNS) {
                    let packed = &packed[2 * at * DEPTH..][..2 * COLUMNS * words];
                    let out = &mut out[row * side + column + at..];
                    match rows {
                        ROWS => tile::<ROWS>(&wide, packed, out, side, from > 0),
                        _ => tile::<1>(&wide, packed, out, side, from > 0),
                    }
                }
                row += rows;
            }
        }
    }
}

/// Widens the bytes of a row.
#[inline]
#[target_feature(enable = "avx2")]
fn widen(words: &[u32], wide: &mut [u32]) {
    for at in (0..words.len()).step_by(4) {
        store(wide, 2 * at, _mm256_cvtepi8_epi16(_mm256_castsi256_si128(load(words, at))));
    }
}

/// Puts the words of eight rows of the second matrix beside each other, widened, and such groups one after the other.
#[inline]
#[target_feature(enable = "avx2")]
fn pack(b: &[u32], depth: usize, words: std::ops::Range<usize>, column: usize, packed: &mut [u32]) {
    let rows = b.len() / depth;
    for (group, packed) in packed.chunks_exact_mut(2 * COLUMNS * DEPTH).enumerate() {
        for at in words.clone().step_by(8) {
            let lines = super::vector::transpose(std::array::from_fn(|lane| {
                let row = (column + COLUMNS * group + lane).min(rows - 1);
                load(&b[row * depth..][..words.end], at)
            }));
            for (k, line) in lines.into_iter().enumerate().take(words.end - at) {
                let to = 2 * COLUMNS * (at + k - words.start);
                store(packed, to, _mm256_cvtepi8_epi16(_mm256_castsi256_si128(line)));
                store(packed, to + 8, _mm256_cvtepi8_epi16(_mm256_extracti128_si256::<1>(line)));
            }
        }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn tile<const R: usize>(wide: &[u32], packed: &[u32], out: &mut [u32], side: usize, add: bool) {
    let rows: [&[u32]; R] = std::array::from_fn(|r| &wide[2 * r * DEPTH..][..2 * DEPTH]);
    let mut sums = [[_mm256_setzero_si256(); 2]; R];
    for (t, b) in packed.chunks_exact(2 * COLUMNS).enumerate() {
        let b = [load(b, 0), load(b, 8)];
        for r in 0..R {
            // SAFETY: there are as many chunks as a row has words, two lanes each.
            let word = unsafe { rows[r].as_ptr().add(2 * t).cast::<i64>().read_unaligned() };
            let a = _mm256_set1_epi64x(word);
            for v in 0..2 {
                sums[r][v] = _mm256_add_epi32(sums[r][v], _mm256_madd_epi16(b[v], a));
            }
        }
    }
    for (r, [low, high]) in sums.into_iter().enumerate() {
        let line = &mut out[r * side..][..COLUMNS];
        let sum = _mm256_permute4x64_epi64::<0xd8>(_mm256_hadd_epi32(low, high));
        store(line, 0, if add { _mm256_add_epi32(sum, load(line, 0)) } else { sum });
    }
}
