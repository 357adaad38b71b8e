//! K6 and F9 by hand: tiles of 6 rows by 64 columns in 24 registers, the second matrix packed 64 columns wide.

use super::vector::{load, store, transpose};
use crate::buffer::Buffer;
use crate::case::Case;
use std::arch::x86_64::*;

const ROWS: usize = 6;
/// Vectors of 16 columns.
const VECTORS: usize = 4;
const COLUMNS: usize = 16 * VECTORS;

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub fn product(case: &Case, out: &mut [u32]) {
    multiply(case, case.scalars[0] as usize, case.scalars[1] as usize, out);
}

/// F9, whose depth is in bytes.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub fn bytes(case: &Case, out: &mut [u32]) {
    multiply(case, case.scalars[0] as usize, case.scalars[1] as usize / 4, out);
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn multiply(case: &Case, side: usize, depth: usize, out: &mut [u32]) {
    let (a, b) = (&case.inputs[0][..side * depth], &case.inputs[1][..side * depth]);
    let mut packed = Buffer::zeroed(COLUMNS * depth);
    for column in (0..side).step_by(COLUMNS) {
        pack(b, depth, column, &mut packed);
        let mut row = 0;
        while row + ROWS <= side {
            tile::<ROWS>(a, depth, row, &packed, &mut out[row * side..], side, column);
            row += ROWS;
        }
        for row in row..side {
            tile::<1>(a, depth, row, &packed, &mut out[row * side..], side, column);
        }
    }
}

/// Puts the words of 64 rows of the second matrix beside each other, each byte 128 larger: as the unsigned factor.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn pack(b: &[u32], depth: usize, column: usize, packed: &mut [u32]) {
    let rows = b.len() / depth;
    for vector in 0..VECTORS {
        for at in (0..depth).step_by(16) {
            let words = transpose(std::array::from_fn(|lane| {
                let row = (column + 16 * vector + lane).min(rows - 1);
                load(&b[row * depth..][..depth], at)
            }));
            for (k, words) in words.into_iter().enumerate().take(depth - at) {
                let unsigned = _mm512_xor_si512(words, _mm512_set1_epi8(-128));
                store(packed, (at + k) * COLUMNS + 16 * vector, unsigned);
            }
        }
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn tile<const R: usize>(
    a: &[u32],
    depth: usize,
    row: usize,
    packed: &[u32],
    out: &mut [u32],
    side: usize,
    column: usize,
) {
    let rows: [&[u32]; R] = std::array::from_fn(|r| &a[(row + r) * depth..][..depth]);
    // What adding 128 to one factor adds to the sums is taken off first.
    let mut sums: [[__m512i; VECTORS]; R] =
        std::array::from_fn(|r| [_mm512_set1_epi32(-128 * sum_of_bytes(rows[r])); VECTORS]);
    for (t, b) in packed.chunks_exact(COLUMNS).enumerate() {
        let b: [__m512i; VECTORS] = std::array::from_fn(|v| load(b, 16 * v));
        for r in 0..R {
            // SAFETY: there are as many chunks as a row has words.
            let a = _mm512_set1_epi32(unsafe { *rows[r].get_unchecked(t) } as i32);
            for v in 0..VECTORS {
                sums[r][v] = _mm512_dpbusd_epi32(sums[r][v], b[v], a);
            }
        }
    }
    for (r, sums) in sums.into_iter().enumerate() {
        let line = &mut out[r * side..][..side];
        for (v, sum) in sums.into_iter().enumerate() {
            store(line, column + 16 * v, sum);
        }
    }
}

/// The sum of all signed bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn sum_of_bytes(words: &[u32]) -> i32 {
    let sum = |sum, at| _mm512_dpbusd_epi32(sum, _mm512_set1_epi8(1), load(words, at));
    _mm512_reduce_add_epi32((0..words.len()).step_by(16).fold(_mm512_setzero_si512(), sum))
}
