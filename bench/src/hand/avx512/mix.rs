//! K3 by hand: several groups of 16 threads at a time, so that one's instructions fill the gaps that another's latencies leave.

use super::vector::{count, store};
use crate::case::Case;
use std::arch::x86_64::*;

/// Measured: 8 takes 0.97 times as long as 6, 0.8 times as long as 4, half as long as 2.
const GROUPS: usize = 8;

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vpopcntdq")]
pub fn mix(case: &Case, out: &mut [u32]) {
    groups::<GROUPS>(case.scalars[0], out)
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vpopcntdq")]
fn groups<const G: usize>(rounds: u32, out: &mut [u32]) {
    for first in (0..out.len()).step_by(16 * G) {
        let i: [__m512i; G] = std::array::from_fn(|g| count((first + 16 * g) as u32));
        let one = _mm512_set1_epi32(1);
        let mut x: [__m512i; G] = std::array::from_fn(|g| {
            _mm512_add_epi32(_mm512_mullo_epi32(i[g], _mm512_set1_epi32(2_654_435_761u32 as i32)), one)
        });
        let mut y: [__m512i; G] = std::array::from_fn(|g| _mm512_xor_si512(i[g], _mm512_set1_epi32(-1)));
        let mut acc = [_mm512_setzero_si512(); G];
        for _ in 0..rounds {
            for g in 0..G {
                (x[g], y[g], acc[g]) = round(x[g], y[g], acc[g]);
            }
        }
        for g in 0..G {
            store(out, first + 16 * g, _mm512_ternarylogic_epi32::<0x96>(acc[g], x[g], y[g]));
        }
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512vpopcntdq")]
fn round(x: __m512i, y: __m512i, acc: __m512i) -> (__m512i, __m512i, __m512i) {
    let m = _mm512_mullo_epi32(x, _mm512_set1_epi32(1_664_525));
    let m = _mm512_add_epi32(m, _mm512_set1_epi32(1_013_904_223));
    let s = _mm512_rol_epi32::<7>(y);
    let l = _mm512_ternarylogic_epi32::<0xe8>(m, s, acc);
    let f = _mm512_srai_epi32::<21>(_mm512_slli_epi32::<16>(l));
    let v = _mm512_adds_epi8(m, s);
    let less = _mm512_maskz_set1_epi8(_mm512_cmplt_epi8_mask(v, l), 1);
    let e = _mm512_dpbusd_epi32(acc, less, _mm512_set1_epi8(1));
    // The machine multiplies unsigned by signed bytes: 128 is added to the first ones, and what that adds to the sum taken off.
    let high = _mm512_set1_epi8(-128);
    let d = _mm512_dpbusd_epi32(e, _mm512_xor_si512(v, high), m);
    let excess = _mm512_dpbusd_epi32(_mm512_setzero_si512(), high, m);
    let rest = _mm512_sub_epi32(_mm512_add_epi32(_mm512_popcnt_epi32(v), f), excess);
    let acc = _mm512_add_epi32(d, rest);
    (_mm512_xor_si512(m, acc), _mm512_add_epi32(s, l), acc)
}
