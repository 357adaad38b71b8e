//! K5 by hand: eight sums of vectors, so that loads and not additions set the pace; memory is asked for early.

use super::vector::{load, store};
use crate::case::Case;
use std::arch::x86_64::*;

/// How many bytes ahead.
const AHEAD: usize = 8192;

#[target_feature(enable = "avx2")]
pub fn sum(case: &Case, out: &mut [u32]) {
    let mut sums = [_mm256_setzero_si256(); 8];
    for chunk in case.inputs[0].chunks(64) {
        for (k, sum) in sums.iter_mut().enumerate() {
            if k % 2 == 0 {
                _mm_prefetch::<_MM_HINT_T0>(chunk.as_ptr().cast::<i8>().wrapping_add(32 * k + AHEAD));
            }
            *sum = _mm256_add_epi32(*sum, load(chunk, 8 * k));
        }
    }
    let all = sums.into_iter().fold(_mm256_setzero_si256(), |all, sum| _mm256_add_epi32(all, sum));
    let mut words = [0; 8];
    store(&mut words, 0, all);
    out[0] = words.into_iter().fold(out[0], u32::wrapping_add);
}
