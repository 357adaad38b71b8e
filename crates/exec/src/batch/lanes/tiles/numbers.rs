//! Elements as numbers of single precision, and their exponents as powers of two.

use super::quads::load;
use crate::batch::lanes::held::Held;
use std::arch::x86_64::*;
use std::ops::Range;

/// Types of elements.
pub(super) const F16: u8 = 0;
pub(super) const BF16: u8 = 1;
pub(super) const TF32: u8 = 2;
pub(super) const E4M3: u8 = 3;
pub(super) const E5M2: u8 = 4;

/// Elements of a word.
pub(super) const fn per(kind: u8) -> usize {
    match kind {
        TF32 => 1,
        E4M3 | E5M2 => 4,
        _ => 2,
    }
}

/// Exponents of numbers other than `.f16` are at most so far from 0: then products, units and sums are normal numbers.
pub(super) const FAR: i32 = 50;

/// With AVX-512 they are not greater than this: then the exponent of 0 and this one together are below that of every product.
pub(super) const GREATEST: i32 = 26;
const _: () = assert!(i8::MIN as i32 + GREATEST < LEAST);

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

/// The numbers of the elements of words, one after the other; none is left over where there are fewer than four.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
pub(super) fn elements<const KIND: u8>(words: __m512i) -> [__m512; 4] {
    if !matches!(KIND, E4M3 | E5M2) {
        let [first, second] = numbers::<KIND>(words);
        return [first, second, first, second];
    }
    // Bytes at even places and at odd ones, in the upper halves of numbers of half precision.
    let upper = _mm512_set1_epi16(!0xff);
    let (even, odd) = (_mm512_slli_epi16::<8>(words), _mm512_and_si512(words, upper));
    let [[first, third], [second, fourth]] = [even, odd].map(|bytes| numbers::<F16>(halves::<KIND>(bytes)));
    let numbers = [first, second, third, fourth];
    // As such their exponents are smaller by 8.
    let greater = _mm512_set1_ps(if KIND == E4M3 { 256.0 } else { 1.0 });
    numbers.map(|number| _mm512_mul_ps(number, greater))
}

/// The numbers of half precision with the fields of numbers of eight bits, which lie in their upper bytes.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn halves<const KIND: u8>(bytes: __m512i) -> __m512i {
    if KIND == E5M2 {
        return bytes;
    }
    // The exponent has a bit less.
    let sign = _mm512_and_si512(bytes, _mm512_set1_epi16(i16::MIN));
    let size = _mm512_and_si512(_mm512_srli_epi16::<1>(bytes), _mm512_set1_epi16(0x3f80));
    _mm512_or_si512(sign, size)
}

/// The exponents by which elements are aligned, or `.f16` of the same numbers: each in the lowest byte of the bits that are its element's. Sums of that of 0 and of any other are below all others, if bytes end at their least number.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
pub(super) fn exponents<const KIND: u8, const AS_HALVES: bool>(words: __m512i) -> __m512i {
    if matches!(KIND, E4M3 | E5M2) {
        let (fraction, bias) = if KIND == E4M3 { (3, 7) } else { (2, 15) };
        let sizes = _mm512_and_si512(words, _mm512_set1_epi8(0x7f));
        let fields = _mm512_and_si512(sizes, _mm512_set1_epi8(-1 << fraction));
        let fields = _mm512_srl_epi16(fields, _mm_cvtsi32_si128(fraction));
        let exponents = _mm512_sub_epi8(_mm512_max_epu8(fields, _mm512_set1_epi8(1)), _mm512_set1_epi8(bias));
        if KIND == E4M3 && AS_HALVES {
            // Numbers that are subnormal as they are have fraction bits to spare there.
            let table = _mm_setr_epi8(i8::MIN, -9, -8, -8, -7, -7, -7, -7, 0, 0, 0, 0, 0, 0, 0, 0);
            let small = _mm512_cmplt_epu8_mask(sizes, _mm512_set1_epi8(8));
            return _mm512_mask_shuffle_epi8(exponents, small, _mm512_broadcast_i32x4(table), sizes);
        }
        let zero = _mm512_testn_epi8_mask(sizes, sizes);
        return _mm512_mask_mov_epi8(exponents, zero, _mm512_set1_epi8(i8::MIN));
    }
    let sizes = _mm512_slli_epi16::<1>(words);
    let exponents = if KIND == F16 {
        // Those of subnormal numbers are that of the least normal one.
        let fields = _mm512_max_epi16(_mm512_srli_epi16::<11>(sizes), _mm512_set1_epi16(1));
        _mm512_sub_epi16(fields, _mm512_set1_epi16(15))
    } else {
        // The upper half of tf32 says whether it is 0, as subnormal ones are none of those that something is said of.
        _mm512_sub_epi16(_mm512_srli_epi16::<8>(sizes), _mm512_set1_epi16(127))
    };
    let zero = _mm512_testn_epi16_mask(sizes, sizes);
    let exponents = _mm512_mask_mov_epi16(exponents, zero, _mm512_set1_epi16(i8::MIN.into()));
    if KIND == TF32 { _mm512_srli_epi32::<16>(exponents) } else { exponents }
}

/// Whether registers hold elements that are not finite or have an exponent far from 0.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
pub(super) fn odd<const KIND: u8>(held: &Held, registers: Range<usize>) -> bool {
    if matches!(KIND, E4M3 | E5M2) {
        let special = _mm512_set1_epi8(if KIND == E4M3 { 0x7f } else { 0x7c });
        let mut any = 0;
        for k in 2 * registers.start..2 * registers.end {
            let sizes = _mm512_and_si512(load(held.get(k / 2))[k % 2], _mm512_set1_epi8(0x7f));
            any |= _mm512_cmpge_epu8_mask(sizes, special);
        }
        return any != 0;
    }
    // Twice a pattern has no sign; one less than that is greatest for 0.
    let (mut least, mut greatest) = (_mm512_set1_epi32(-1), _mm512_setzero_si512());
    for k in 2 * registers.start..2 * registers.end {
        let words = load(held.get(k / 2))[k % 2];
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
    let (from, beyond) = ((field(-FAR) << 1) - 1, field(GREATEST + 1) << 1);
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
pub(super) fn great(held: &Held, registers: Range<usize>) -> bool {
    let mut greatest = _mm512_setzero_si512();
    for register in registers {
        let [low, high] = load(held.get(register));
        greatest = _mm512_max_epu32(greatest, _mm512_slli_epi32::<1>(low));
        greatest = _mm512_max_epu32(greatest, _mm512_slli_epi32::<1>(high));
    }
    _mm512_cmpge_epu32_mask(greatest, _mm512_set1_epi32(field(2 * FAR + 1) << 1)) != 0
}
