//! Sums of products of floating-point numbers: terms cut to whole units, added as integers, rounded once.
//!
//! Products are exact in single precision. A unit is a power of two, so that terms in units are exact, too, and what conversions to
//! integers cut off is what the device cuts off.

use super::Register;
use super::factors::{Factors, get};
use super::numbers::{F16, LEAST, field, great, numbers, odd, per, powers};
use super::quads::{columns, load, spread, store, transpose};
use margay_isa::tensor_core::Sum;
use std::arch::x86_64::*;
use std::ops::Range;

/// The product; false where numbers are among the elements of which nothing is said.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
pub(super) fn multiply<const KIND: u8, const HALF: bool>(
    quads: usize,
    sum: &Sum,
    factors: &mut Factors,
    registers: &[&Register],
    results: &mut [Register],
) -> bool {
    let (a, others) = registers.split_at(2 * quads);
    let (b, c) = others.split_at(quads);
    let c = &c[..if HALF { 2 } else { 4 }];
    // Sets are added together that have the same words.
    let whole = sum.length.is_multiple_of(4 * per(KIND));
    if !whole || odd::<KIND>(&registers[..3 * quads]) || if HALF { odd::<F16>(c) } else { great(c) } {
        return false;
    }
    factors.take_apart::<KIND>(a, b);
    let mut sums = begin::<HALF>(c);
    let (sets, group) = (quads * per(KIND), sum.length / 4);
    for first in (0..sets).step_by(group) {
        let range = first..sets.min(first + group);
        // A sum that is infinite already is none of those that something is said of.
        let goes_on = first == 0 || !HALF || !infinite(&sums);
        if !goes_on || !add::<HALF>(sum, factors, range, &mut sums) {
            return false;
        }
    }
    end::<HALF>(&sums, results);
    true
}

/// C in single precision, column by column.
#[target_feature(enable = "avx512f")]
#[inline]
fn begin<const HALF: bool>(c: &[&Register]) -> [__m512; 8] {
    let mut sums = [_mm512_setzero_ps(); 8];
    if !HALF {
        for (sums, column) in sums.iter_mut().zip(columns(c)) {
            *sums = _mm512_castsi512_ps(column);
        }
        return sums;
    }
    let words = transpose([load(c[0]), load(c[1])]);
    for t in 0..4 {
        [sums[2 * t], sums[2 * t + 1]] = numbers::<F16>(words[t]);
    }
    sums
}

/// Whether an infinity is among numbers.
#[target_feature(enable = "avx512f")]
#[inline]
fn infinite(sums: &[__m512; 8]) -> bool {
    let mut any = 0;
    for sums in sums {
        let sizes = _mm512_slli_epi32::<1>(_mm512_castps_si512(*sums));
        any |= _mm512_cmpeq_epi32_mask(sizes, _mm512_set1_epi32(0xff << 24));
    }
    any != 0
}

/// A term with the products of some sets, all columns; false where the sum has no room.
#[target_feature(enable = "avx512f,avx512vl,avx512dq")]
#[inline]
fn add<const HALF: bool>(sum: &Sum, factors: &Factors, sets: Range<usize>, sums: &mut [__m512; 8]) -> bool {
    let mut tops = [_mm512_setzero_si512(); 8];
    let rows = factors.row_powers.as_chunks::<4>().0[sets.clone()].iter();
    for (rows, columns) in rows.zip(&factors.column_powers[sets.clone()]) {
        for t in 0..4 {
            let row = get(&rows[t]);
            for n in 0..8 {
                let power = _mm512_mul_ps(row, _mm512_set1_ps(columns[n][t]));
                tops[n] = _mm512_max_epi32(tops[n], _mm512_castps_si512(power));
            }
        }
    }
    // Where all products are 0 the sum is C, however small that is.
    let least = _mm512_set1_epi32(if HALF { field(sum.least_exponent()) } else { field(LEAST) });
    let mut units = [_mm512_setzero_si512(); 8];
    let mut scales = [_mm512_setzero_ps(); 8];
    let mut totals = [_mm512_setzero_si512(); 8];
    for n in 0..8 {
        let c = if HALF {
            powers::<F16>(sums[n])
        } else {
            _mm512_and_si512(_mm512_castps_si512(sums[n]), _mm512_set1_epi32(0x7f80_0000))
        };
        units[n] = _mm512_max_epi32(_mm512_max_epi32(c, tops[n]), least);
        let scale = _mm512_sub_epi32(_mm512_set1_epi32(field(sum.fraction + 127)), units[n]);
        scales[n] = _mm512_castsi512_ps(scale);
    }
    let rows = factors.rows.as_chunks::<4>().0[sets.clone()].iter();
    for (rows, columns) in rows.zip(&factors.columns[sets]) {
        for t in 0..4 {
            let row = get(&rows[t]);
            for n in 0..8 {
                let product = _mm512_mul_ps(row, _mm512_set1_ps(columns[n][t]));
                let scaled = _mm512_mul_ps(product, scales[n]);
                totals[n] = _mm512_add_epi32(totals[n], _mm512_cvttps_epi32(scaled));
            }
        }
    }
    let mut room = _mm512_setzero_si512();
    for n in 0..8 {
        let c = _mm512_cvttps_epi32(_mm512_mul_ps(sums[n], scales[n]));
        let total = _mm512_add_epi32(totals[n], c);
        // The sum of two numbers with the same sign has another one where it is too great.
        let over = _mm512_and_si512(_mm512_xor_si512(totals[n], total), _mm512_xor_si512(c, total));
        room = _mm512_or_si512(room, over);
        let unit = _mm512_castsi512_ps(_mm512_sub_epi32(units[n], _mm512_set1_epi32(sum.fraction << 23)));
        const CUT: i32 = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;
        let cut = _mm512_cvt_roundepi32_ps::<CUT>(total);
        sums[n] = if HALF {
            let less = _mm512_cmpneq_epi32_mask(_mm512_cvttps_epi32(cut), total);
            let cut = _mm512_castps_si512(cut);
            let sticky = _mm512_mask_or_epi32(cut, less, cut, _mm512_set1_epi32(1));
            let exact = _mm512_mul_ps(_mm512_castsi512_ps(sticky), unit);
            _mm512_cvtph_ps(_mm512_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(exact))
        } else {
            let none = _mm512_testn_epi32_mask(tops[n], tops[n]);
            _mm512_mask_add_ps(_mm512_mul_ps(cut, unit), none, sums[n], _mm512_setzero_ps())
        };
    }
    _mm512_movepi32_mask(room) == 0
}

/// The registers of the sums.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn end<const HALF: bool>(sums: &[__m512; 8], d: &mut [Register]) {
    if !HALF {
        let mut columns = [_mm512_setzero_si512(); 8];
        for (columns, sums) in columns.iter_mut().zip(sums) {
            *columns = _mm512_castps_si512(*sums);
        }
        return spread(&columns, d);
    }
    let mut words = [_mm512_setzero_si512(); 4];
    for t in 0..4 {
        let [even, odd] = [half(sums[2 * t]), half(sums[2 * t + 1])];
        let both = _mm512_or_si512(even, _mm512_slli_epi32::<16>(odd));
        // Never -0.
        let minus = _mm512_set1_epi16(i16::MIN);
        words[t] = _mm512_maskz_mov_epi16(_mm512_cmpneq_epi16_mask(both, minus), both);
    }
    let rows = transpose([[words[0], words[1]], [words[2], words[3]]]);
    store(&mut d[0], [rows[0], rows[1]]);
    store(&mut d[1], [rows[2], rows[3]]);
}

/// Numbers to the nearest of half precision, in words.
#[target_feature(enable = "avx512f")]
#[inline]
fn half(numbers: __m512) -> __m512i {
    _mm512_cvtepu16_epi32(_mm512_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(numbers))
}
