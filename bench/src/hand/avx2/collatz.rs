//! K4 by hand: groups of four 64-bit values that go on until the last of them has arrived.

use super::vector::{load, store};
use crate::case::Case;
use std::arch::x86_64::*;

const GROUPS: usize = 4;

/// Steps from one question whether all have arrived to the next.
const STEPS: usize = 2;

#[target_feature(enable = "avx2")]
pub fn collatz(case: &Case, out: &mut [u32]) {
    let input = &case.inputs[0][..out.len()];
    let (one, zero) = (_mm256_set1_epi64x(1), _mm256_setzero_si256());
    for first in (0..out.len()).step_by(4 * GROUPS) {
        let mut v: [__m256i; GROUPS] = std::array::from_fn(|g| four(input, first + 4 * g));
        // All ones where a value is still on its way.
        let mut active: [__m256i; GROUPS] = std::array::from_fn(|g| _mm256_cmpgt_epi64(v[g], one));
        let mut steps = [zero; GROUPS];
        while any(active) {
            for _ in 0..STEPS {
                for g in 0..GROUPS {
                    steps[g] = _mm256_sub_epi64(steps[g], active[g]);
                    let thrice = _mm256_add_epi64(_mm256_add_epi64(v[g], v[g]), _mm256_add_epi64(v[g], one));
                    v[g] = choose(_mm256_slli_epi64::<63>(v[g]), thrice, _mm256_srli_epi64::<1>(v[g]));
                    // A value that has arrived goes on in a circle, but its bits never come back.
                    active[g] = _mm256_andnot_si256(_mm256_cmpeq_epi64(v[g], one), active[g]);
                }
            }
        }
        for g in 0..GROUPS / 2 {
            let (low, high) = (_mm256_castsi256_ps(steps[2 * g]), _mm256_castsi256_ps(steps[2 * g + 1]));
            let words = _mm256_castps_si256(_mm256_shuffle_ps::<0x88>(low, high));
            store(out, first + 8 * g, _mm256_permute4x64_epi64::<0xd8>(words));
        }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn any(active: [__m256i; GROUPS]) -> bool {
    let all = active.into_iter().fold(_mm256_setzero_si256(), |all, a| _mm256_or_si256(all, a));
    _mm256_testz_si256(all, all) == 0
}

/// One value where the highest bit is set, else the other.
#[inline]
#[target_feature(enable = "avx2")]
fn choose(highest: __m256i, set: __m256i, clear: __m256i) -> __m256i {
    let [highest, set, clear] = [highest, set, clear].map(|v| _mm256_castsi256_pd(v));
    _mm256_castpd_si256(_mm256_blendv_pd(clear, set, highest))
}

/// Four words, widened; those behind the end are zero.
#[inline]
#[target_feature(enable = "avx2")]
fn four(words: &[u32], at: usize) -> __m256i {
    _mm256_cvtepu32_epi64(_mm256_castsi256_si128(load(words, at)))
}
