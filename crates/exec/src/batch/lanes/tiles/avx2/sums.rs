//! Sums of products of floating-point numbers: terms cut to whole units, added as integers, rounded once, as with AVX-512.

use super::super::numbers::{F16, LEAST, per};
use super::numbers::{Numbers, any, get, get_exponents, great, numbers, odd};
use super::{give, load, transpose};
use crate::batch::lanes::products::Held;
use margay_isa::tensor_core::Sum;
use std::arch::x86_64::*;
use std::ops::Range;

/// A column in two vectors: rows 0 to 7, and 8 to 15.
type Column = [__m256; 2];

/// Gives the product; false where numbers are among the elements of which nothing is said.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn multiply<const KIND: u8, const HALF: bool>(
    quads: usize,
    sum: &Sum,
    factors: &mut Numbers,
    held: &mut Held,
) -> bool {
    let first = 3 * quads;
    let c = first..first + if HALF { 2 } else { 4 };
    if odd::<KIND>(held, 0..first) || if HALF { odd::<F16>(held, c) } else { great(held, c) } {
        return false;
    }
    factors.take_apart::<KIND>(quads, held);
    let mut sums = begin::<HALF>(held, first);
    let depth = 4 * quads * const { per(KIND) };
    for at in (0..depth).step_by(sum.length) {
        let range = at..depth.min(at + sum.length);
        // A sum that is infinite already is none of those that something is said of.
        let goes_on = at == 0 || !HALF || !infinite(&sums);
        if !goes_on || !add::<HALF>(sum, factors, range, &mut sums) {
            return false;
        }
    }
    end::<HALF>(&sums, held);
    true
}

/// C in single precision, column by column.
#[target_feature(enable = "avx2,f16c")]
#[inline]
fn begin<const HALF: bool>(held: &Held, first: usize) -> [Column; 8] {
    let mut sums = [[_mm256_setzero_ps(); 2]; 8];
    for (h, register) in (first..).step_by(if HALF { 1 } else { 2 }).take(2).enumerate() {
        if HALF {
            let words = transpose(load(held.get(register)));
            for t in 0..4 {
                [sums[2 * t][h], sums[2 * t + 1][h]] = numbers::<F16>(words[t]);
            }
            continue;
        }
        for j in 0..2 {
            let words = transpose(load(held.get(register + j)));
            for t in 0..4 {
                sums[2 * t + j][h] = _mm256_castsi256_ps(words[t]);
            }
        }
    }
    sums
}

/// Whether an infinity is among numbers.
#[target_feature(enable = "avx2")]
#[inline]
fn infinite(sums: &[Column; 8]) -> bool {
    let mut all = _mm256_setzero_si256();
    for sums in sums.as_flattened() {
        let sizes = _mm256_slli_epi32::<1>(_mm256_castps_si256(*sums));
        all = _mm256_or_si256(all, _mm256_cmpeq_epi32(sizes, _mm256_set1_epi32(0xff << 24)));
    }
    any(all)
}

/// The exponents that products with a column have at most, in all rows; far below all where every product is 0.
#[target_feature(enable = "avx2")]
#[inline]
fn tops(factors: &Numbers, range: Range<usize>, place: usize) -> [__m256i; 2] {
    let mut tops = _mm256_set1_epi16(i16::MIN);
    for (rows, columns) in factors.row_exponents[range.clone()].iter().zip(&factors.column_exponents[range]) {
        let column = _mm256_set1_epi32(bytemuck::cast(columns[place]));
        tops = _mm256_max_epi16(tops, _mm256_add_epi16(get_exponents(rows), column));
    }
    let second = _mm256_extracti128_si256::<1>(tops);
    [_mm256_cvtepi16_epi32(_mm256_castsi256_si128(tops)), _mm256_cvtepi16_epi32(second)]
}

/// A term with the products of some elements, all columns; false where the sum has no room.
#[target_feature(enable = "avx2,f16c")]
#[inline]
fn add<const HALF: bool>(sum: &Sum, factors: &Numbers, range: Range<usize>, sums: &mut [Column; 8]) -> bool {
    // Where all products are 0 the sum is C, however small that is.
    let least = _mm256_set1_epi32(if HALF { sum.least_exponent() } else { LEAST } + 127);
    let mut room = _mm256_setzero_si256();
    // Two columns at a time.
    for t in 0..4 {
        let places = [t, 4 + t];
        let mut units = [[_mm256_setzero_si256(); 2]; 2];
        let mut scales = [[_mm256_setzero_ps(); 2]; 2];
        let mut none = [[_mm256_setzero_si256(); 2]; 2];
        for j in 0..2 {
            let tops = tops(factors, range.clone(), places[j]);
            for h in 0..2 {
                let top = _mm256_add_epi32(tops[h], _mm256_set1_epi32(127));
                let bits = _mm256_castps_si256(sums[2 * t + j][h]);
                // Numbers of half precision are normal ones here; those that were subnormal have the exponent of the least normal one.
                let c = _mm256_srli_epi32::<24>(_mm256_slli_epi32::<1>(bits));
                let c = if HALF { normal(c) } else { c };
                none[j][h] = _mm256_cmpgt_epi32(_mm256_setzero_si256(), top);
                let unit = _mm256_max_epi32(_mm256_max_epi32(c, top), least);
                let scale = _mm256_sub_epi32(_mm256_set1_epi32(sum.fraction + 2 * 127), unit);
                scales[j][h] = _mm256_castsi256_ps(_mm256_slli_epi32::<23>(scale));
                let unit = _mm256_sub_epi32(unit, _mm256_set1_epi32(sum.fraction));
                units[j][h] = _mm256_slli_epi32::<23>(unit);
            }
        }
        let mut totals = [[_mm256_setzero_si256(); 2]; 2];
        for (rows, columns) in factors.rows[range.clone()].iter().zip(&factors.columns[range.clone()]) {
            let rows = rows.as_chunks::<8>().0;
            let rows = [get(&rows[0]), get(&rows[1])];
            for j in 0..2 {
                let column = _mm256_set1_ps(columns[places[j]]);
                for h in 0..2 {
                    let scaled = _mm256_mul_ps(_mm256_mul_ps(rows[h], column), scales[j][h]);
                    totals[j][h] = _mm256_add_epi32(totals[j][h], _mm256_cvttps_epi32(scaled));
                }
            }
        }
        for j in 0..2 {
            for h in 0..2 {
                let before = sums[2 * t + j][h];
                let c = _mm256_cvttps_epi32(_mm256_mul_ps(before, scales[j][h]));
                let total = _mm256_add_epi32(totals[j][h], c);
                // The sum of two numbers with the same sign has another one where it is too great.
                let apart = _mm256_xor_si256(totals[j][h], total);
                room = _mm256_or_si256(room, _mm256_and_si256(apart, _mm256_xor_si256(c, total)));
                sums[2 * t + j][h] = narrow::<HALF>(total, units[j][h], none[j][h], before);
            }
        }
    }
    _mm256_movemask_ps(_mm256_castsi256_ps(room)) == 0
}

/// Stored exponents of numbers that are half precision's, none below that of the least normal one but that of 0.
#[target_feature(enable = "avx2")]
#[inline]
fn normal(exponents: __m256i) -> __m256i {
    let zero = _mm256_cmpeq_epi32(exponents, _mm256_setzero_si256());
    _mm256_andnot_si256(zero, _mm256_max_epi32(exponents, _mm256_set1_epi32(127 - 14)))
}

/// So many units, rounded; C where all products are 0.
#[target_feature(enable = "avx2,f16c")]
#[inline]
fn narrow<const HALF: bool>(total: __m256i, unit: __m256i, none: __m256i, c: __m256) -> __m256 {
    // To the nearest, and back where that is greater than the number: a pattern less.
    let near = _mm256_cvtepi32_ps(total);
    let rest = _mm256_sub_epi32(total, _mm256_cvttps_epi32(near));
    let beyond = _mm256_srai_epi32::<31>(_mm256_sign_epi32(rest, total));
    let cut = _mm256_add_epi32(_mm256_castps_si256(near), beyond);
    let unit = _mm256_castsi256_ps(unit);
    if HALF {
        let exact = _mm256_cmpeq_epi32(rest, _mm256_setzero_si256());
        let sticky = _mm256_or_si256(cut, _mm256_andnot_si256(exact, _mm256_set1_epi32(1)));
        let exact = _mm256_mul_ps(_mm256_castsi256_ps(sticky), unit);
        return _mm256_cvtph_ps(_mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(exact));
    }
    let sum = _mm256_mul_ps(_mm256_castsi256_ps(cut), unit);
    // Never -0.
    let c = _mm256_add_ps(c, _mm256_setzero_ps());
    _mm256_blendv_ps(sum, c, _mm256_castsi256_ps(none))
}

/// The registers of the sums.
#[target_feature(enable = "avx2,f16c")]
#[inline]
fn end<const HALF: bool>(sums: &[Column; 8], held: &mut Held) {
    for (h, register) in (0..).step_by(if HALF { 1 } else { 2 }).take(2).enumerate() {
        if HALF {
            let mut words = [_mm256_setzero_si256(); 4];
            for t in 0..4 {
                let (even, odd) = (half(sums[2 * t][h]), half(sums[2 * t + 1][h]));
                let both = _mm256_or_si256(even, _mm256_slli_epi32::<16>(odd));
                // Never -0.
                let minus = _mm256_cmpeq_epi16(both, _mm256_set1_epi16(i16::MIN));
                words[t] = _mm256_andnot_si256(minus, both);
            }
            give(held, register, transpose(words));
            continue;
        }
        for j in 0..2 {
            let mut words = [_mm256_setzero_si256(); 4];
            for t in 0..4 {
                words[t] = _mm256_castps_si256(sums[2 * t + j][h]);
            }
            give(held, register + j, transpose(words));
        }
    }
}

/// Numbers to the nearest of half precision, in words.
#[target_feature(enable = "avx2,f16c")]
#[inline]
fn half(numbers: __m256) -> __m256i {
    _mm256_cvtepu16_epi32(_mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(numbers))
}
