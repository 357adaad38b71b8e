//! K4 by hand: groups of eight 64-bit values that go on until the last of them has arrived; steps are counted under masks.

use super::vector::store;
use crate::case::Case;
use std::arch::x86_64::*;

const GROUPS: usize = 4;

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
pub fn collatz(case: &Case, out: &mut [u32]) {
    let input = &case.inputs[0][..out.len()];
    let (one, zero) = (_mm512_set1_epi64(1), _mm512_setzero_si512());
    for first in (0..out.len()).step_by(8 * GROUPS) {
        let mut v: [__m512i; GROUPS] = std::array::from_fn(|g| eight(input, first + 8 * g));
        let mut active: [__mmask8; GROUPS] = std::array::from_fn(|g| _mm512_cmpgt_epu64_mask(v[g], one));
        let mut steps = [zero; GROUPS];
        while active.iter().any(|a| *a != 0) {
            for g in 0..GROUPS {
                steps[g] = _mm512_mask_add_epi64(steps[g], active[g], steps[g], one);
                let odd = _mm512_test_epi64_mask(v[g], one);
                let thrice = _mm512_add_epi64(v[g], _mm512_add_epi64(v[g], _mm512_add_epi64(v[g], one)));
                v[g] = _mm512_mask_mov_epi64(_mm512_srli_epi64::<1>(v[g]), odd, thrice);
                // A value that has arrived goes on in a circle, but its bit never comes back.
                active[g] = _mm512_mask_cmpneq_epi64_mask(active[g], v[g], one);
            }
        }
        for g in 0..GROUPS / 2 {
            let low = _mm512_castsi256_si512(_mm512_cvtepi64_epi32(steps[2 * g]));
            let both = _mm512_inserti64x4::<1>(low, _mm512_cvtepi64_epi32(steps[2 * g + 1]));
            store(out, first + 16 * g, both);
        }
    }
}

/// Eight words, widened; those behind the end are zero.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
fn eight(words: &[u32], at: usize) -> __m512i {
    _mm512_cvtepu32_epi64(_mm512_castsi512_si256(super::vector::load(words, at)))
}
