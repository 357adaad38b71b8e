//! K8 by hand: eight blocks at a time, one word of each in a vector.

use super::vector::{load, store, transpose};
use crate::case::Case;
use crate::plain::{ROUND, START};
use std::arch::x86_64::*;

#[target_feature(enable = "avx2")]
pub fn sha256(case: &Case, digests: &mut [u32]) {
    let groups = case.inputs[0].chunks(128).zip(digests.chunks_mut(64));
    for (blocks, digests) in groups {
        let [low, high] =
            [0, 8].map(|half| transpose(std::array::from_fn(|lane| load(blocks, 16 * lane + half))));
        let digest = eight(std::array::from_fn(|k| if k < 8 { low[k] } else { high[k - 8] }));
        for (lane, words) in transpose(digest).into_iter().enumerate() {
            store(digests, 8 * lane, words);
        }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn add(a: __m256i, b: __m256i) -> __m256i {
    _mm256_add_epi32(a, b)
}

#[inline]
#[target_feature(enable = "avx2")]
fn xor(a: __m256i, b: __m256i, c: __m256i) -> __m256i {
    _mm256_xor_si256(a, _mm256_xor_si256(b, c))
}

/// Rotated to the right; the second number is what is left of 32.
#[inline]
#[target_feature(enable = "avx2")]
fn rotate<const RIGHT: i32, const LEFT: i32>(x: __m256i) -> __m256i {
    _mm256_or_si256(_mm256_srli_epi32::<RIGHT>(x), _mm256_slli_epi32::<LEFT>(x))
}

#[inline]
#[target_feature(enable = "avx2")]
fn eight(mut w: [__m256i; 16]) -> [__m256i; 8] {
    let start: [__m256i; 8] = std::array::from_fn(|k| _mm256_set1_epi32(START[k] as i32));
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = start;
    for part in 0..4 {
        for t in 0..16 {
            if part > 0 {
                let (x, y) = (w[(t + 1) & 15], w[(t + 14) & 15]);
                let low = xor(rotate::<7, 25>(x), rotate::<18, 14>(x), _mm256_srli_epi32::<3>(x));
                let high = xor(rotate::<17, 15>(y), rotate::<19, 13>(y), _mm256_srli_epi32::<10>(y));
                w[t] = add(add(w[t], low), add(w[(t + 9) & 15], high));
            }
            let big = xor(rotate::<6, 26>(e), rotate::<11, 21>(e), rotate::<25, 7>(e));
            let choice = _mm256_xor_si256(g, _mm256_and_si256(e, _mm256_xor_si256(f, g)));
            let constant = _mm256_set1_epi32(ROUND[16 * part + t] as i32);
            let first = add(add(add(h, add(w[t], constant)), choice), big);
            let big = xor(rotate::<2, 30>(a), rotate::<13, 19>(a), rotate::<22, 10>(a));
            // What a and b differ in is what b and c differ in one round later.
            let differ = _mm256_and_si256(_mm256_xor_si256(a, b), _mm256_xor_si256(b, c));
            let majority = _mm256_xor_si256(differ, b);
            (h, g, f, e) = (g, f, e, add(d, first));
            (d, c, b, a) = (c, b, a, add(first, add(big, majority)));
        }
    }
    let end = [a, b, c, d, e, f, g, h];
    std::array::from_fn(|k| add(start[k], end[k]))
}
