//! What the versions for AVX2 share: eight words in and out, sums of differences, rotation.

use std::arch::x86_64::*;

/// Eight words from a place on; those behind the end of the slice are zero.
#[inline]
#[target_feature(enable = "avx2")]
pub fn load(words: &[u32], at: usize) -> __m256i {
    // SAFETY: only words of the slice are read.
    unsafe {
        if at + 8 <= words.len() {
            _mm256_loadu_si256(words.as_ptr().add(at).cast())
        } else {
            let first = at.min(words.len());
            _mm256_maskload_epi32(words.as_ptr().add(first).cast(), mask(words.len() - first))
        }
    }
}

/// Writes eight words to a place, but none behind the end of the slice.
#[inline]
#[target_feature(enable = "avx2")]
pub fn store(words: &mut [u32], at: usize, value: __m256i) {
    // SAFETY: only words of the slice are written.
    unsafe {
        if at + 8 <= words.len() {
            _mm256_storeu_si256(words.as_mut_ptr().add(at).cast(), value)
        } else {
            let first = at.min(words.len());
            _mm256_maskstore_epi32(words.as_mut_ptr().add(first).cast(), mask(words.len() - first), value)
        }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn mask(lanes: usize) -> __m256i {
    _mm256_cmpgt_epi32(_mm256_set1_epi32(lanes as i32), count(0))
}

/// Adds to each word the differences of four bytes.
#[inline]
#[target_feature(enable = "avx2")]
pub fn sad4(a: __m256i, b: __m256i, c: __m256i) -> __m256i {
    let difference = _mm256_or_si256(_mm256_subs_epu8(a, b), _mm256_subs_epu8(b, a));
    _mm256_add_epi32(c, bytes(difference))
}

/// The sums of each word's four unsigned bytes.
#[inline]
#[target_feature(enable = "avx2")]
fn bytes(words: __m256i) -> __m256i {
    let pairs = _mm256_maddubs_epi16(words, _mm256_set1_epi8(1));
    _mm256_madd_epi16(pairs, _mm256_set1_epi16(1))
}

/// Eight consecutive numbers.
#[inline]
#[target_feature(enable = "avx2")]
pub fn count(first: u32) -> __m256i {
    let lanes = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
    _mm256_add_epi32(lanes, _mm256_set1_epi32(first as i32))
}

/// Turns eight vectors of eight words into the vectors of their first words, second words, and so on.
#[inline]
#[target_feature(enable = "avx2")]
pub fn transpose(rows: [__m256i; 8]) -> [__m256i; 8] {
    let zero = _mm256_setzero_si256();
    let mut pairs = [zero; 8];
    for k in 0..4 {
        pairs[2 * k] = _mm256_unpacklo_epi32(rows[2 * k], rows[2 * k + 1]);
        pairs[2 * k + 1] = _mm256_unpackhi_epi32(rows[2 * k], rows[2 * k + 1]);
    }
    // Now quads[4 * k + j] holds words j and j + 4 of rows 4 * k to 4 * k + 3, a half each.
    let mut quads = [zero; 8];
    for k in 0..2 {
        for half in 0..2 {
            let (low, high) = (pairs[4 * k + half], pairs[4 * k + 2 + half]);
            quads[4 * k + 2 * half] = _mm256_unpacklo_epi64(low, high);
            quads[4 * k + 2 * half + 1] = _mm256_unpackhi_epi64(low, high);
        }
    }
    let mut columns = [zero; 8];
    for j in 0..4 {
        columns[j] = _mm256_permute2x128_si256::<0x20>(quads[j], quads[4 + j]);
        columns[4 + j] = _mm256_permute2x128_si256::<0x31>(quads[j], quads[4 + j]);
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer::Buffer;

    #[target_feature(enable = "avx2")]
    fn turned(words: &[u32]) -> Vec<u32> {
        let columns = transpose(std::array::from_fn(|row| load(words, 8 * row)));
        let mut out = vec![0; 64];
        columns.into_iter().enumerate().for_each(|(k, column)| store(&mut out, 8 * k, column));
        out
    }

    #[test]
    fn transposing_exchanges_rows_and_columns() {
        if !is_x86_feature_detected!("avx2") {
            return;
        }
        let words = Buffer::random(64, u32::MAX, 1);
        // SAFETY: the machine has the instructions.
        let turned = unsafe { turned(&words) };
        (0..64).for_each(|at| assert_eq!(turned[at], words[at % 8 * 8 + at / 8]));
    }
}
