//! Elements as numbers of single precision, and their exponents as powers of two.

use super::Register;
use super::quads::load;
use std::arch::x86_64::*;

/// Types of elements.
pub(super) const F16: u8 = 0;
pub(super) const BF16: u8 = 1;
pub(super) const TF32: u8 = 2;

/// Elements of a word.
pub(super) const fn per(kind: u8) -> usize {
    if kind == TF32 { 1 } else { 2 }
}

/// Exponents of numbers other than `.f16` are at most so far from 0: then products, units and sums are normal numbers.
pub(super) const FAR: i32 = 50;

/// The least exponent of products, to which terms are aligned at least. Those of `.f16` are greater.
pub(super) const LEAST: i32 = -2 * FAR;

/// The stored exponent of single precision.
pub(super) const fn field(exponent: i32) -> i32 {
    (exponent + 127) << 23
}

/// The numbers of the first and of the second elements of words.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn numbers<const KIND: u8>(words: __m512i) -> [__m512; 2] {
    match KIND {
        F16 => {
            let upper = _mm512_srli_epi32::<16>(words);
            [_mm512_cvtph_ps(_mm512_cvtepi32_epi16(words)), _mm512_cvtph_ps(_mm512_cvtepi32_epi16(upper))]
        }
        BF16 => {
            let upper = _mm512_and_si512(words, _mm512_set1_epi32(!0xffff));
            [_mm512_castsi512_ps(_mm512_slli_epi32::<16>(words)), _mm512_castsi512_ps(upper)]
        }
        _ => {
            let number = _mm512_castsi512_ps(_mm512_and_si512(words, _mm512_set1_epi32(!0x1fff)));
            [number, number]
        }
    }
}

/// The powers of two by which numbers are aligned, 0 of 0.
#[target_feature(enable = "avx512f,avx512dq")]
#[inline]
pub(super) fn powers<const KIND: u8>(numbers: __m512) -> __m512i {
    let bits = _mm512_castps_si512(numbers);
    let powers = _mm512_and_si512(bits, _mm512_set1_epi32(0x7f80_0000));
    if KIND != F16 {
        return powers;
    }
    // Those of subnormal numbers are that of the least normal one.
    let some = _mm512_test_epi32_mask(bits, _mm512_set1_epi32(i32::MAX));
    _mm512_maskz_max_epi32(some, powers, _mm512_set1_epi32(field(-14)))
}

/// Whether registers hold elements that are not finite or have an exponent far from 0.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
pub(super) fn odd<const KIND: u8>(registers: &[&Register]) -> bool {
    // Twice a pattern has no sign; one less than that is greatest for 0.
    let (mut least, mut greatest) = (_mm512_set1_epi32(-1), _mm512_setzero_si512());
    for k in 0..2 * registers.len() {
        let words = load(registers[k / 2])[k % 2];
        if KIND == TF32 {
            let sizes = _mm512_slli_epi32::<1>(_mm512_and_si512(words, _mm512_set1_epi32(!0x1fff)));
            least = _mm512_min_epu32(least, _mm512_sub_epi32(sizes, _mm512_set1_epi32(1)));
            greatest = _mm512_max_epu32(greatest, sizes);
        } else {
            let sizes = _mm512_slli_epi16::<1>(words);
            if KIND == BF16 {
                least = _mm512_min_epu16(least, _mm512_sub_epi16(sizes, _mm512_set1_epi16(1)));
            }
            greatest = _mm512_max_epu16(greatest, sizes);
        }
    }
    let (from, beyond) = ((field(-FAR) << 1) - 1, field(FAR + 1) << 1);
    match KIND {
        F16 => _mm512_cmpge_epu16_mask(greatest, _mm512_set1_epi16(0xf800_u16 as i16)) != 0,
        BF16 => {
            let great = _mm512_cmpge_epu16_mask(greatest, _mm512_set1_epi16((beyond >> 16) as i16));
            great | _mm512_cmplt_epu16_mask(least, _mm512_set1_epi16((from >> 16) as i16)) != 0
        }
        _ => {
            let great = _mm512_cmpge_epu32_mask(greatest, _mm512_set1_epi32(beyond));
            great | _mm512_cmplt_epu32_mask(least, _mm512_set1_epi32(from)) != 0
        }
    }
}

/// Whether registers hold numbers of single precision whose exponent is greater than those of products, or which are not finite.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn great(registers: &[&Register]) -> bool {
    let mut greatest = _mm512_setzero_si512();
    for register in registers {
        let [low, high] = load(register);
        greatest = _mm512_max_epu32(greatest, _mm512_slli_epi32::<1>(low));
        greatest = _mm512_max_epu32(greatest, _mm512_slli_epi32::<1>(high));
    }
    _mm512_cmpge_epu32_mask(greatest, _mm512_set1_epi32(field(2 * FAR + 1) << 1)) != 0
}
