//! K2 by hand: eight threads at a time. The machine sums differences of eight bytes, which are two words of one thread: the even
//! threads' words are read from one place, the odd ones' from the next.

use super::vector::{load, store};
use crate::case::Case;
use std::arch::x86_64::*;

#[target_feature(enable = "avx2")]
pub fn matching(case: &Case, best: &mut [u32]) {
    let (current, reference) = (&case.inputs[0], &case.inputs[1]);
    let pitch = case.scalars[0] as usize;
    for first in (0..best.len()).step_by(8) {
        let mut sums = [[_mm256_setzero_si256(); 4]; 2];
        for row in 0..16 {
            let at = first + row * pitch;
            let (x, y) = (&current[at..][..11], &reference[at..][..14]);
            let y: [__m256i; 7] = std::array::from_fn(|w| load(y, w));
            for w in 0..4 {
                let x = load(x, w);
                for candidate in 0..4 {
                    let sum = &mut sums[w & 1][candidate];
                    *sum = _mm256_add_epi64(*sum, _mm256_sad_epu8(x, y[w + candidate]));
                }
            }
        }
        let [even, odd] = sums;
        let [a, b, c, d]: [__m256i; 4] =
            std::array::from_fn(|k| _mm256_or_si256(even[k], _mm256_slli_epi64::<32>(odd[k])));
        store(best, first, _mm256_min_epu32(_mm256_min_epu32(a, b), _mm256_min_epu32(c, d)));
    }
}
