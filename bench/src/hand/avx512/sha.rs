//! K8 by hand: 16 blocks at a time, one word of each in a vector.

use super::vector::{load, transpose};
use crate::case::Case;
use crate::plain::{ROUND, START};
use std::arch::x86_64::*;

#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub fn sha256(case: &Case, digests: &mut [u32]) {
    let groups = case.inputs[0].chunks(256).zip(digests.chunks_mut(128));
    for (blocks, digests) in groups {
        let digest = sixteen(transpose(std::array::from_fn(|lane| load(blocks, 16 * lane))));
        let zero = _mm512_setzero_si512();
        let lanes = transpose(std::array::from_fn(|k| digest.get(k).copied().unwrap_or(zero)));
        for (digest, lane) in digests.chunks_exact_mut(8).zip(lanes) {
            // SAFETY: a digest has eight words.
            unsafe { _mm256_storeu_si256(digest.as_mut_ptr().cast(), _mm512_castsi512_si256(lane)) }
        }
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn add(a: __m512i, b: __m512i) -> __m512i {
    _mm512_add_epi32(a, b)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn xor(a: __m512i, b: __m512i, c: __m512i) -> __m512i {
    _mm512_ternarylogic_epi32::<0x96>(a, b, c)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn sixteen(mut w: [__m512i; 16]) -> [__m512i; 8] {
    let start: [__m512i; 8] = std::array::from_fn(|k| _mm512_set1_epi32(START[k] as i32));
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = start;
    for part in 0..4 {
        for t in 0..16 {
            if part > 0 {
                let (x, y) = (w[(t + 1) & 15], w[(t + 14) & 15]);
                let low = xor(_mm512_ror_epi32::<7>(x), _mm512_ror_epi32::<18>(x), _mm512_srli_epi32::<3>(x));
                let high =
                    xor(_mm512_ror_epi32::<17>(y), _mm512_ror_epi32::<19>(y), _mm512_srli_epi32::<10>(y));
                w[t] = add(add(w[t], low), add(w[(t + 9) & 15], high));
            }
            let big = xor(_mm512_ror_epi32::<6>(e), _mm512_ror_epi32::<11>(e), _mm512_ror_epi32::<25>(e));
            let choice = _mm512_ternarylogic_epi32::<0xca>(e, f, g);
            let constant = _mm512_set1_epi32(ROUND[16 * part + t] as i32);
            let first = add(add(add(h, add(w[t], constant)), choice), big);
            let big = xor(_mm512_ror_epi32::<2>(a), _mm512_ror_epi32::<13>(a), _mm512_ror_epi32::<22>(a));
            let majority = _mm512_ternarylogic_epi32::<0xe8>(a, b, c);
            (h, g, f, e) = (g, f, e, add(d, first));
            (d, c, b, a) = (c, b, a, add(first, add(big, majority)));
        }
    }
    let end = [a, b, c, d, e, f, g, h];
    std::array::from_fn(|k| add(start[k], end[k]))
}
