//! Sums of products of floating-point numbers: terms cut to whole units, added as integers, rounded once, as with AVX-512.

use super::super::numbers::{F16, LEAST, field, per};
use super::numbers::{Columns, Numbers, Rows, any, get, get_exponents, great, numbers, odd};
use super::{give, load, transpose};
use crate::batch::lanes::held::Held;
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
    let [a, b] = held.kept;
    let (rows, columns) = (&mut factors.rows[a.slot], &mut factors.columns[b.slot]);
    if a.is_new {
        rows.take_apart::<KIND>(quads, held);
    }
    if b.is_new {
        columns.take_apart::<KIND>(quads, held);
    }
    let is_odd = rows.are_odd || columns.are_odd;
    if is_odd || if HALF { odd::<F16>(held, c) } else { great(held, c) } {
        return false;
    }
    // The greatest sum of products below 4 and of C below 2, in units.
    let has_room = ((4 * sum.length + 2) << sum.fraction) < 1 << 31;
    let mut sums = begin::<HALF>(held, first);
    let depth = 4 * quads * const { per(KIND) };
    for at in (0..depth).step_by(sum.length) {
        let range = at..depth.min(at + sum.length);
        // A sum that is infinite already is none of those that something is said of.
        if at != 0 && HALF && infinite(&sums) {
            return false;
        }
        // Two columns at a time, which fit into registers.
        for (t, sums) in sums.as_chunks_mut::<2>().0.iter_mut().enumerate() {
            let tops = tops(rows, columns, range.clone(), t);
            let range = range.clone();
            let is_added = match (has_room, !HALF && any_is_none(&tops)) {
                (true, false) => add::<HALF, true, false>(sum, rows, columns, range, t, &tops, sums),
                (true, true) => add::<HALF, true, true>(sum, rows, columns, range, t, &tops, sums),
                (false, false) => add::<HALF, false, false>(sum, rows, columns, range, t, &tops, sums),
                (false, true) => add::<HALF, false, true>(sum, rows, columns, range, t, &tops, sums),
            };
            if !is_added {
                return false;
            }
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

/// The exponents that products with columns 2t and 2t + 1 have at most, in all rows; far below all where every product is 0.
#[target_feature(enable = "avx2")]
#[inline]
fn tops(rows: &Rows, columns: &Columns, range: Range<usize>, t: usize) -> [[__m256i; 2]; 2] {
    let mut tops = [_mm256_set1_epi16(i16::MIN); 2];
    for (rows, columns) in rows.exponents[range.clone()].iter().zip(&columns.exponents[range]) {
        let rows = get_exponents(rows);
        for (tops, place) in tops.iter_mut().zip(places(t)) {
            let column = _mm256_set1_epi32(bytemuck::cast(columns[place]));
            *tops = _mm256_max_epi16(*tops, _mm256_add_epi16(rows, column));
        }
    }
    let mut words = [[_mm256_setzero_si256(); 2]; 2];
    for (words, tops) in words.iter_mut().zip(tops) {
        let second = _mm256_extracti128_si256::<1>(tops);
        *words = [_mm256_cvtepi16_epi32(_mm256_castsi256_si128(tops)), _mm256_cvtepi16_epi32(second)];
    }
    words
}

/// Where columns 2t and 2t + 1 lie among all.
fn places(t: usize) -> [usize; 2] {
    [t, 4 + t]
}

/// Whether all products of some element are 0.
#[target_feature(enable = "avx2")]
#[inline]
fn any_is_none(tops: &[[__m256i; 2]; 2]) -> bool {
    let [[a, b], [c, d]] = *tops;
    let least = _mm256_min_epi32(_mm256_min_epi32(a, b), _mm256_min_epi32(c, d));
    any(is_none(least))
}

/// Where all products are 0.
#[target_feature(enable = "avx2")]
#[inline]
fn is_none(top: __m256i) -> __m256i {
    _mm256_cmpgt_epi32(_mm256_set1_epi32(LEAST), top)
}

/// A term with the products of some elements, two columns; false where the sum has no room, which it may always have. Where all products
/// may be 0 the sum is C, however small that is.
#[target_feature(enable = "avx2,f16c")]
#[inline]
fn add<const HALF: bool, const HAS_ROOM: bool, const MAY_BE_NONE: bool>(
    sum: &Sum,
    rows: &Rows,
    columns: &Columns,
    range: Range<usize>,
    t: usize,
    tops: &[[__m256i; 2]; 2],
    sums: &mut [Column; 2],
) -> bool {
    let least = _mm256_set1_epi32(if HALF { sum.least_exponent() } else { LEAST } + 127);
    let mut scales = [[_mm256_setzero_ps(); 2]; 2];
    let mut totals = [[_mm256_setzero_si256(); 2]; 2];
    for j in 0..2 {
        for h in 0..2 {
            let top = _mm256_add_epi32(tops[j][h], _mm256_set1_epi32(127));
            let bits = _mm256_castps_si256(sums[j][h]);
            // Numbers of half precision are normal ones here; those that were subnormal have the exponent of the least normal one.
            let c = _mm256_srli_epi32::<24>(_mm256_slli_epi32::<1>(bits));
            let c = if HALF { normal(c) } else { c };
            let unit = _mm256_max_epi32(_mm256_max_epi32(c, top), least);
            let scale = _mm256_sub_epi32(_mm256_set1_epi32(sum.fraction + 2 * 127), unit);
            scales[j][h] = _mm256_castsi256_ps(_mm256_slli_epi32::<23>(scale));
            if HAS_ROOM {
                totals[j][h] = cut(sums[j][h], scales[j][h]);
            }
        }
    }
    for (rows, columns) in rows.numbers[range.clone()].iter().zip(&columns.numbers[range]) {
        let rows = rows.as_chunks::<8>().0;
        let rows = [get(&rows[0]), get(&rows[1])];
        for (j, place) in places(t).into_iter().enumerate() {
            let column = _mm256_set1_ps(columns[place]);
            for h in 0..2 {
                let term = cut(_mm256_mul_ps(rows[h], column), scales[j][h]);
                totals[j][h] = _mm256_add_epi32(totals[j][h], term);
            }
        }
    }
    let mut room = _mm256_setzero_si256();
    for j in 0..2 {
        for h in 0..2 {
            let before = sums[j][h];
            let mut total = totals[j][h];
            if !HAS_ROOM {
                let c = cut(before, scales[j][h]);
                total = _mm256_add_epi32(total, c);
                // The sum of two numbers with the same sign has another one where it is too great.
                let apart = _mm256_xor_si256(totals[j][h], total);
                room = _mm256_or_si256(room, _mm256_and_si256(apart, _mm256_xor_si256(c, total)));
            }
            // The scale's inverse.
            let unit = _mm256_sub_epi32(_mm256_set1_epi32(field(127)), _mm256_castps_si256(scales[j][h]));
            let d = narrow::<HALF>(total, unit);
            sums[j][h] = if MAY_BE_NONE {
                // Never -0.
                let c = _mm256_add_ps(before, _mm256_setzero_ps());
                _mm256_blendv_ps(d, c, _mm256_castsi256_ps(is_none(tops[j][h])))
            } else {
                d
            };
        }
    }
    HAS_ROOM || _mm256_movemask_ps(_mm256_castsi256_ps(room)) == 0
}

/// Numbers in units, cut to whole ones.
#[target_feature(enable = "avx2")]
#[inline]
fn cut(numbers: __m256, scale: __m256) -> __m256i {
    _mm256_cvttps_epi32(_mm256_mul_ps(numbers, scale))
}

/// Stored exponents of numbers that are half precision's, none below that of the least normal one but that of 0.
#[target_feature(enable = "avx2")]
#[inline]
fn normal(exponents: __m256i) -> __m256i {
    let zero = _mm256_cmpeq_epi32(exponents, _mm256_setzero_si256());
    _mm256_andnot_si256(zero, _mm256_max_epi32(exponents, _mm256_set1_epi32(127 - 14)))
}

/// So many units, rounded.
#[target_feature(enable = "avx2,f16c")]
#[inline]
fn narrow<const HALF: bool>(total: __m256i, unit: __m256i) -> __m256 {
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
    _mm256_mul_ps(_mm256_castsi256_ps(cut), unit)
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
