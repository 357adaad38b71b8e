//! A and B taken apart: elements as numbers of single precision, and the exponents by which their products are aligned.

use super::super::numbers::{BF16, F16, FAR, TF32, field, per};
use super::{load, transpose};
use crate::batch::lanes::held::{Held, SLOTS};
use std::arch::x86_64::*;
use std::ops::Range;

/// Elements of eight words at most.
const DEPTH: usize = 16;

/// The exponent of 0: far below all others, also in a sum of two.
const NONE: i16 = -0x2000;

/// A and B in room for several of both.
#[repr(C, align(64))]
pub(super) struct Numbers {
    pub(super) rows: [Rows; SLOTS],
    pub(super) columns: [Columns; SLOTS],
}

/// A: numbers and exponents of all rows at each k. Of eight rows come the even ones, then the odd ones.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Rows {
    pub(super) numbers: [[f32; 16]; DEPTH],
    pub(super) exponents: [[i16; 16]; DEPTH],
    /// Whether nothing is said of some.
    pub(super) are_odd: bool,
}

/// B: numbers and exponents of all columns at each k, in the order of rows.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Columns {
    pub(super) numbers: [[f32; 8]; DEPTH],
    /// Twice each, so that one word stands for two rows.
    pub(super) exponents: [[[i16; 2]; 8]; DEPTH],
    pub(super) are_odd: bool,
}

impl Numbers {
    /// Room for them.
    pub const NONE: Numbers = Numbers {
        rows: [Rows { numbers: [[0.0; 16]; DEPTH], exponents: [[0; 16]; DEPTH], are_odd: false }; SLOTS],
        columns: [Columns { numbers: [[0.0; 8]; DEPTH], exponents: [[[0; 2]; 8]; DEPTH], are_odd: false };
            SLOTS],
    };
}

impl Rows {
    /// Those of A.
    #[target_feature(enable = "avx2,f16c")]
    pub(super) fn take_apart<const KIND: u8>(&mut self, quads: usize, held: &Held) {
        self.are_odd = odd::<KIND>(held, 0..2 * quads);
        let per = const { per(KIND) };
        for q in 0..quads {
            for h in 0..2 {
                for (t, words) in transpose(load(held.get(2 * q + h))).iter().enumerate() {
                    let (numbers, exponents) = elements::<KIND>(*words);
                    for j in 0..per {
                        let k = (q * 4 + t) * per + j;
                        put(&mut self.numbers[k].as_chunks_mut().0[h], numbers[j]);
                        let to = &mut self.exponents[k].as_chunks_mut::<8>().0[h];
                        // SAFETY: the array is 16 bytes.
                        unsafe { _mm_storeu_si128(to.as_mut_ptr().cast(), exponents[j]) }
                    }
                }
            }
        }
    }
}

impl Columns {
    /// Those of B.
    #[target_feature(enable = "avx2,f16c")]
    pub(super) fn take_apart<const KIND: u8>(&mut self, quads: usize, held: &Held) {
        self.are_odd = odd::<KIND>(held, 2 * quads..3 * quads);
        let per = const { per(KIND) };
        for q in 0..quads {
            for (t, words) in transpose(load(held.get(2 * quads + q))).iter().enumerate() {
                let (numbers, exponents) = elements::<KIND>(*words);
                for j in 0..per {
                    let k = (q * 4 + t) * per + j;
                    put(&mut self.numbers[k], numbers[j]);
                    let wide = _mm256_cvtepu16_epi32(exponents[j]);
                    let twice = _mm256_or_si256(wide, _mm256_slli_epi32::<16>(wide));
                    // SAFETY: the array is 32 bytes.
                    unsafe { _mm256_storeu_si256(self.exponents[k].as_mut_ptr().cast(), twice) }
                }
            }
        }
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn put(to: &mut [f32; 8], numbers: __m256) {
    // SAFETY: the array is 32 bytes.
    unsafe { _mm256_storeu_ps(to.as_mut_ptr(), numbers) }
}

#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn get(from: &[f32; 8]) -> __m256 {
    // SAFETY: the array is 32 bytes.
    unsafe { _mm256_loadu_ps(from.as_ptr()) }
}

#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn get_exponents(from: &[i16; 16]) -> __m256i {
    // SAFETY: the array is 32 bytes.
    unsafe { _mm256_loadu_si256(from.as_ptr().cast()) }
}

/// The numbers of the first and of the second elements of words.
#[target_feature(enable = "avx2,f16c")]
#[inline]
pub(super) fn numbers<const KIND: u8>(words: __m256i) -> [__m256; 2] {
    match KIND {
        F16 => {
            let halves = split(words);
            let second = _mm256_extracti128_si256::<1>(halves);
            [_mm256_cvtph_ps(_mm256_castsi256_si128(halves)), _mm256_cvtph_ps(second)]
        }
        BF16 => {
            let upper = _mm256_and_si256(words, _mm256_set1_epi32(!0xffff));
            [_mm256_castsi256_ps(_mm256_slli_epi32::<16>(words)), _mm256_castsi256_ps(upper)]
        }
        _ => {
            let number = _mm256_castsi256_ps(_mm256_and_si256(words, _mm256_set1_epi32(!0x1fff)));
            [number, number]
        }
    }
}

/// The lower halves of words, then their upper halves.
#[target_feature(enable = "avx2")]
#[inline]
fn split(words: __m256i) -> __m256i {
    let lower = _mm256_and_si256(words, _mm256_set1_epi32(0xffff));
    let packed = _mm256_packus_epi32(lower, _mm256_srli_epi32::<16>(words));
    _mm256_permute4x64_epi64::<0b11_01_10_00>(packed)
}

/// The numbers of elements, and their exponents.
#[target_feature(enable = "avx2,f16c")]
#[inline]
fn elements<const KIND: u8>(words: __m256i) -> ([__m256; 2], [__m128i; 2]) {
    // The upper half of tf32 says whether it is 0, as subnormal ones are none of those that something is said of.
    let halves = split(words);
    let sizes = _mm256_slli_epi16::<1>(halves);
    let exponents = if KIND == F16 {
        // Those of subnormal numbers are that of the least normal one.
        let fields = _mm256_max_epi16(_mm256_srli_epi16::<11>(sizes), _mm256_set1_epi16(1));
        _mm256_sub_epi16(fields, _mm256_set1_epi16(15))
    } else {
        _mm256_sub_epi16(_mm256_srli_epi16::<8>(sizes), _mm256_set1_epi16(127))
    };
    let zero = _mm256_cmpeq_epi16(sizes, _mm256_setzero_si256());
    let exponents = _mm256_blendv_epi8(exponents, _mm256_set1_epi16(NONE), zero);
    let [first, second] = [_mm256_castsi256_si128(exponents), _mm256_extracti128_si256::<1>(exponents)];
    (numbers::<KIND>(words), if KIND == TF32 { [second, second] } else { [first, second] })
}

/// Whether registers hold elements that are not finite or have an exponent far from 0.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn odd<const KIND: u8>(held: &Held, registers: Range<usize>) -> bool {
    // Twice a pattern has no sign; one less than that is greatest for 0.
    let (mut least, mut greatest) = (_mm256_set1_epi32(-1), _mm256_setzero_si256());
    for k in 4 * registers.start..4 * registers.end {
        let words = load(held.get(k / 4))[k % 4];
        if KIND == TF32 {
            let sizes = _mm256_slli_epi32::<1>(_mm256_and_si256(words, _mm256_set1_epi32(!0x1fff)));
            least = _mm256_min_epu32(least, _mm256_sub_epi32(sizes, _mm256_set1_epi32(1)));
            greatest = _mm256_max_epu32(greatest, sizes);
        } else {
            let sizes = _mm256_slli_epi16::<1>(words);
            if KIND == BF16 {
                least = _mm256_min_epu16(least, _mm256_sub_epi16(sizes, _mm256_set1_epi16(1)));
            }
            greatest = _mm256_max_epu16(greatest, sizes);
        }
    }
    let (from, beyond) = ((field(-FAR) << 1) - 1, field(FAR + 1) << 1);
    // Whether the greatest is at least, and the least below, a bound.
    match KIND {
        F16 => {
            let bound = _mm256_set1_epi16(0xf800_u16 as i16);
            any(_mm256_cmpeq_epi16(_mm256_max_epu16(greatest, bound), greatest))
        }
        BF16 => {
            let beyond = _mm256_set1_epi16((beyond >> 16) as i16);
            let from = _mm256_set1_epi16((from >> 16) as i16);
            let few = _mm256_cmpeq_epi16(_mm256_min_epu16(least, from), from);
            any(_mm256_cmpeq_epi16(_mm256_max_epu16(greatest, beyond), greatest)) || !all(few)
        }
        _ => {
            let (beyond, from) = (_mm256_set1_epi32(beyond), _mm256_set1_epi32(from));
            let few = _mm256_cmpeq_epi32(_mm256_min_epu32(least, from), from);
            any(_mm256_cmpeq_epi32(_mm256_max_epu32(greatest, beyond), greatest)) || !all(few)
        }
    }
}

/// Whether registers hold numbers of single precision whose exponent is greater than those of products, or which are not finite.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn great(held: &Held, registers: Range<usize>) -> bool {
    let mut greatest = _mm256_setzero_si256();
    for k in 4 * registers.start..4 * registers.end {
        let words = load(held.get(k / 4))[k % 4];
        greatest = _mm256_max_epu32(greatest, _mm256_slli_epi32::<1>(words));
    }
    let bound = _mm256_set1_epi32(field(2 * FAR + 1) << 1);
    any(_mm256_cmpeq_epi32(_mm256_max_epu32(greatest, bound), greatest))
}

#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn any(mask: __m256i) -> bool {
    _mm256_movemask_epi8(mask) != 0
}

#[target_feature(enable = "avx2")]
#[inline]
fn all(mask: __m256i) -> bool {
    _mm256_movemask_epi8(mask) == -1
}
