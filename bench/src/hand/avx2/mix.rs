//! K3 by hand: several groups of eight threads at a time, so that one's instructions fill the gaps that another's latencies leave.

use super::vector::{count, store};
use crate::case::Case;
use std::arch::x86_64::*;

const GROUPS: usize = 3;

#[target_feature(enable = "avx2")]
pub fn mix(case: &Case, out: &mut [u32]) {
    groups::<GROUPS>(case.scalars[0], out)
}

#[target_feature(enable = "avx2")]
fn groups<const G: usize>(rounds: u32, out: &mut [u32]) {
    for first in (0..out.len()).step_by(8 * G) {
        let i: [__m256i; G] = std::array::from_fn(|g| count((first + 8 * g) as u32));
        let one = _mm256_set1_epi32(1);
        let mut x: [__m256i; G] = std::array::from_fn(|g| {
            _mm256_add_epi32(_mm256_mullo_epi32(i[g], _mm256_set1_epi32(2_654_435_761u32 as i32)), one)
        });
        let mut y: [__m256i; G] = std::array::from_fn(|g| _mm256_xor_si256(i[g], _mm256_set1_epi32(-1)));
        let mut acc = [_mm256_setzero_si256(); G];
        for _ in 0..rounds {
            for g in 0..G {
                (x[g], y[g], acc[g]) = round(x[g], y[g], acc[g]);
            }
        }
        for g in 0..G {
            store(out, first + 8 * g, _mm256_xor_si256(acc[g], _mm256_xor_si256(x[g], y[g])));
        }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn round(x: __m256i, y: __m256i, acc: __m256i) -> (__m256i, __m256i, __m256i) {
    let m = _mm256_mullo_epi32(x, _mm256_set1_epi32(1_664_525));
    let m = _mm256_add_epi32(m, _mm256_set1_epi32(1_013_904_223));
    let s = _mm256_or_si256(_mm256_slli_epi32::<7>(y), _mm256_srli_epi32::<25>(y));
    let differ = _mm256_and_si256(_mm256_xor_si256(m, s), _mm256_xor_si256(acc, s));
    let l = _mm256_xor_si256(differ, s);
    // The field lies in the upper half of each word, and nothing in the lower one.
    let f = _mm256_srai_epi16::<5>(_mm256_slli_epi32::<16>(l));
    let v = _mm256_adds_epi8(m, s);
    let ones = _mm256_sub_epi8(bits(v), _mm256_cmpgt_epi8(l, v));
    let counted = _mm256_add_epi16(f, _mm256_maddubs_epi16(ones, _mm256_set1_epi8(1)));
    let counted = _mm256_madd_epi16(counted, _mm256_set1_epi16(1));
    let acc = _mm256_add_epi32(acc, _mm256_add_epi32(dot(v, m), counted));
    (_mm256_xor_si256(m, acc), _mm256_add_epi32(s, l), acc)
}

/// The sums of four products of signed bytes. A byte is its lower seven bits less its highest one; the machine multiplies unsigned
/// by signed bytes. The sums of two products are made with the other sign, for 2 · 128 · 128 does not fit into 16 bits.
#[inline]
#[target_feature(enable = "avx2")]
fn dot(a: __m256i, b: __m256i) -> __m256i {
    let high = _mm256_set1_epi8(-128);
    let low = _mm256_maddubs_epi16(_mm256_andnot_si256(high, a), b);
    let negative = _mm256_sub_epi16(_mm256_maddubs_epi16(_mm256_and_si256(high, a), b), low);
    _mm256_madd_epi16(negative, _mm256_set1_epi16(-1))
}

/// How many bits are set in each byte.
#[inline]
#[target_feature(enable = "avx2")]
fn bits(bytes: __m256i) -> __m256i {
    let table = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    let nibble = _mm256_set1_epi8(15);
    let low = _mm256_shuffle_epi8(table, _mm256_and_si256(bytes, nibble));
    let high = _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), nibble));
    _mm256_add_epi8(low, high)
}
