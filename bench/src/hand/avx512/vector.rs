//! What the versions written by hand share: 16 words in and out, and sums of differences.

use std::arch::x86_64::*;

/// 16 words from a place on; those behind the end of the slice are zero.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub fn load(words: &[u32], at: usize) -> __m512i {
    // SAFETY: only words of the slice are read.
    unsafe {
        if at + 16 <= words.len() {
            _mm512_loadu_si512(words.as_ptr().add(at).cast())
        } else {
            let first = at.min(words.len());
            _mm512_maskz_loadu_epi32(mask(words.len() - first), words.as_ptr().add(first).cast())
        }
    }
}

/// Writes 16 words to a place, but none behind the end of the slice.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub fn store(words: &mut [u32], at: usize, value: __m512i) {
    // SAFETY: only words of the slice are written.
    unsafe {
        if at + 16 <= words.len() {
            _mm512_storeu_si512(words.as_mut_ptr().add(at).cast(), value)
        } else {
            let first = at.min(words.len());
            _mm512_mask_storeu_epi32(words.as_mut_ptr().add(first).cast(), mask(words.len() - first), value)
        }
    }
}

fn mask(lanes: usize) -> __mmask16 {
    ((1u32 << lanes) - 1) as __mmask16
}

/// Adds to each word the differences of four bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub fn sad4(a: __m512i, b: __m512i, c: __m512i) -> __m512i {
    let difference = _mm512_or_si512(_mm512_subs_epu8(a, b), _mm512_subs_epu8(b, a));
    _mm512_dpbusd_epi32(c, difference, _mm512_set1_epi8(1))
}

/// 16 consecutive numbers.
#[inline]
#[target_feature(enable = "avx512f")]
pub fn count(first: u32) -> __m512i {
    let lanes = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    _mm512_add_epi32(lanes, _mm512_set1_epi32(first as i32))
}

/// Turns 16 vectors of 16 words into the vectors of their first words, second words, and so on.
#[inline]
#[target_feature(enable = "avx512f")]
pub fn transpose(rows: [__m512i; 16]) -> [__m512i; 16] {
    let zero = _mm512_setzero_si512();
    let mut pairs = [zero; 16];
    for k in 0..8 {
        pairs[2 * k] = _mm512_unpacklo_epi32(rows[2 * k], rows[2 * k + 1]);
        pairs[2 * k + 1] = _mm512_unpackhi_epi32(rows[2 * k], rows[2 * k + 1]);
    }
    // Now quads[4 * k + j] holds words j, j + 4, j + 8 and j + 12 of rows 4 * k to 4 * k + 3, a quarter each.
    let mut quads = [zero; 16];
    for k in 0..4 {
        for half in 0..2 {
            let (low, high) = (pairs[4 * k + half], pairs[4 * k + 2 + half]);
            quads[4 * k + 2 * half] = _mm512_unpacklo_epi64(low, high);
            quads[4 * k + 2 * half + 1] = _mm512_unpackhi_epi64(low, high);
        }
    }
    let mut columns = [zero; 16];
    for j in 0..4 {
        let even_low = _mm512_shuffle_i32x4::<0x88>(quads[j], quads[4 + j]);
        let odd_low = _mm512_shuffle_i32x4::<0xdd>(quads[j], quads[4 + j]);
        let even_high = _mm512_shuffle_i32x4::<0x88>(quads[8 + j], quads[12 + j]);
        let odd_high = _mm512_shuffle_i32x4::<0xdd>(quads[8 + j], quads[12 + j]);
        columns[j] = _mm512_shuffle_i32x4::<0x88>(even_low, even_high);
        columns[4 + j] = _mm512_shuffle_i32x4::<0x88>(odd_low, odd_high);
        columns[8 + j] = _mm512_shuffle_i32x4::<0xdd>(even_low, even_high);
        columns[12 + j] = _mm512_shuffle_i32x4::<0xdd>(odd_low, odd_high);
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer::Buffer;

    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    fn turned(words: &[u32]) -> Vec<u32> {
        let columns = transpose(std::array::from_fn(|row| load(words, 16 * row)));
        let mut out = vec![0; 256];
        columns.into_iter().enumerate().for_each(|(k, column)| store(&mut out, 16 * k, column));
        out
    }

    #[test]
    fn transposing_exchanges_rows_and_columns() {
        if !is_x86_feature_detected!("avx512bw") || !is_x86_feature_detected!("avx512vl") {
            return;
        }
        let words = Buffer::random(256, u32::MAX, 1);
        // SAFETY: the machine has the instructions.
        let turned = unsafe { turned(&words) };
        (0..256).for_each(|at| assert_eq!(turned[at], words[at % 16 * 16 + at / 16]));
    }
}
