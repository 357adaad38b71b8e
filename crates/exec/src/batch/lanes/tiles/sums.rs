//! Sums of products of floating-point numbers: terms cut to whole units, added as integers, rounded once.
//!
//! Products are exact in single precision. A unit is a power of two, so that terms in units are exact, too, and what conversions to
//! integers cut off is what the device cuts off.

use super::factors::{Columns, Factors, Rows, get, get_exponents};
use super::numbers::{F16, LEAST, field, great, numbers, odd, per};
use super::quads::{columns, give, load, spread, transpose};
use crate::batch::lanes::held::Held;
use margay_isa::tensor_core::Sum;
use std::arch::x86_64::*;
use std::ops::Range;

/// What sums become: of single precision, of half precision, of single precision with 13 fraction bits.
pub(super) const SINGLE: u8 = 0;
pub(super) const HALF: u8 = 1;
pub(super) const OF_13: u8 = 2;

/// Gives the product; false where numbers are among the elements of which nothing is said. Numbers of 8 bits may be multiplied as `.f16`:
/// then the first halves of words are added, to that the second ones, and C to that, which rounds once more.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
pub(super) fn multiply<const A: u8, const B: u8, const RESULT: u8, const AS_HALVES: bool>(
    quads: usize,
    sum: &Sum,
    factors: &mut Factors,
    held: &mut Held,
) -> bool {
    let [a, b] = held.kept;
    let (rows, columns) = (&mut factors.rows[a.slot], &mut factors.columns[b.slot]);
    if a.is_new {
        rows.take_apart::<A, AS_HALVES>(quads, held);
    }
    if b.is_new {
        columns.take_apart::<B, AS_HALVES>(quads, held);
    }
    let first = 3 * quads;
    let c = first..first + if RESULT == HALF { 2 } else { 4 };
    // Sets are added together that have the same words, or the same halves of words.
    let (sets, whole) = if AS_HALVES {
        (4 * quads, 8 * quads <= sum.length)
    } else {
        (quads * per(A), sum.length.is_multiple_of(4 * per(A)))
    };
    let is_odd = rows.are_odd || columns.are_odd;
    if !whole || is_odd || if RESULT == HALF { odd::<F16>(held, c) } else { great(held, c) } {
        return false;
    }
    // The greatest sum of products below 4 and of C below 2, in units.
    let has_room = ((4 * sum.length + 2) << sum.fraction) < 1 << 31;
    let c = begin::<RESULT>(held, first);
    let mut sums = if AS_HALVES { [_mm512_setzero_ps(); 8] } else { c };
    let group = if AS_HALVES { sets / 2 } else { sum.length / 4 };
    for at in (0..sets).step_by(group) {
        let range = at..sets.min(at + group);
        // A sum that is infinite already is none of those that something is said of.
        let goes_on = at == 0 || RESULT != HALF || !infinite(&sums);
        let tops = tops::<RESULT>(sum, rows, columns, range.clone());
        let is_added = goes_on
            && match (has_room, RESULT != HALF && any_is_least(tops)) {
                (true, false) => add::<A, B, RESULT, true, false>(sum, rows, columns, range, tops, &mut sums),
                (true, true) => add::<A, B, RESULT, true, true>(sum, rows, columns, range, tops, &mut sums),
                (false, false) => {
                    add::<A, B, RESULT, false, false>(sum, rows, columns, range, tops, &mut sums)
                }
                (false, true) => add::<A, B, RESULT, false, true>(sum, rows, columns, range, tops, &mut sums),
            };
        if !is_added {
            return false;
        }
    }
    if AS_HALVES {
        for (sum, c) in sums.iter_mut().zip(c) {
            *sum = _mm512_add_ps(*sum, c);
        }
    }
    end::<RESULT>(&sums, held);
    true
}

/// C in single precision, column by column.
#[target_feature(enable = "avx512f")]
#[inline]
fn begin<const RESULT: u8>(held: &Held, first: usize) -> [__m512; 8] {
    let mut sums = [_mm512_setzero_ps(); 8];
    if RESULT != HALF {
        for (sums, column) in sums.iter_mut().zip(columns(held, first)) {
            *sums = _mm512_castsi512_ps(column);
        }
        return sums;
    }
    let words = transpose([load(held.get(first)), load(held.get(first + 1))]);
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

/// The greatest exponents of products of some sets, for four columns each a vector of them.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn tops<const RESULT: u8>(sum: &Sum, rows: &Rows, columns: &Columns, sets: Range<usize>) -> [__m512i; 2] {
    let least = if RESULT == HALF { sum.least_exponent() } else { LEAST - 1 };
    let mut tops = [_mm512_set1_epi8(least as i8); 2];
    let exponents = rows.exponents.as_chunks::<4>().0[sets.clone()].iter();
    for (rows, columns) in exponents.zip(&columns.exponents[sets]) {
        for t in 0..4 {
            let row = get_exponents(&rows[t]);
            for half in 0..2 {
                let columns = _mm512_set1_epi32(i32::from_ne_bytes(columns[half][t].map(|e| e as u8)));
                tops[half] = _mm512_max_epi8(tops[half], _mm512_adds_epi8(row, columns));
            }
        }
    }
    tops
}

/// Whether all products of some element are 0.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn any_is_least(tops: [__m512i; 2]) -> bool {
    let least = _mm512_set1_epi8((LEAST - 1) as i8);
    (_mm512_cmpeq_epi8_mask(tops[0], least) | _mm512_cmpeq_epi8_mask(tops[1], least)) != 0
}

/// A term with the products of some sets, all columns; false where the sum has no room, which it may always have. Where all products may
/// be 0 the sum is C, however small that is. There is one for each pair of types, which nothing else calls: so it becomes a part of its
/// caller, and sums stay in registers.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
#[inline]
fn add<const A: u8, const B: u8, const RESULT: u8, const HAS_ROOM: bool, const MAY_BE_NONE: bool>(
    sum: &Sum,
    rows: &Rows,
    columns: &Columns,
    sets: Range<usize>,
    tops: [__m512i; 2],
    sums: &mut [__m512; 8],
) -> bool {
    let mut units = [_mm512_setzero_si512(); 8];
    let mut scales = [_mm512_setzero_ps(); 8];
    let bias = _mm512_set1_epi32(field(0));
    for n in 0..8 {
        let c = if RESULT == HALF {
            powers(sums[n])
        } else {
            _mm512_and_si512(_mm512_castps_si512(sums[n]), _mm512_set1_epi32(0x7f80_0000))
        };
        let top = _mm512_add_epi32(_mm512_slli_epi32::<23>(byte(tops[n / 4], n % 4)), bias);
        units[n] = _mm512_max_epi32(c, top);
        let scale = _mm512_sub_epi32(_mm512_set1_epi32(field(sum.fraction + 127)), units[n]);
        scales[n] = _mm512_castsi512_ps(scale);
    }
    // Of sixteen products of numbers of 8 bits the sum has room, of more it may not have.
    let by_halves = const { per(A) == 4 && RESULT != OF_13 && !HAS_ROOM };
    let middle = if by_halves { sets.end.min(sets.start + SIXTEEN) } else { sets.end };
    let mut totals = total(rows, columns, sets.start..middle, &scales);
    let mut room = _mm512_setzero_si512();
    if by_halves && middle < sets.end {
        let others = total(rows, columns, middle..sets.end, &scales);
        for n in 0..8 {
            let total = _mm512_add_epi32(totals[n], others[n]);
            room = _mm512_or_si512(room, over(totals[n], others[n], total));
            totals[n] = total;
        }
    }
    for n in 0..8 {
        let c = _mm512_cvttps_epi32(_mm512_mul_ps(sums[n], scales[n]));
        let total = _mm512_add_epi32(totals[n], c);
        if !HAS_ROOM {
            room = _mm512_or_si512(room, over(totals[n], c, total));
        }
        let unit = _mm512_castsi512_ps(_mm512_sub_epi32(units[n], _mm512_set1_epi32(sum.fraction << 23)));
        const CUT: i32 = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;
        let cut = _mm512_cvt_roundepi32_ps::<CUT>(total);
        sums[n] = if RESULT == HALF {
            let less = _mm512_cmpneq_epi32_mask(_mm512_cvttps_epi32(cut), total);
            let cut = _mm512_castps_si512(cut);
            let sticky = _mm512_mask_or_epi32(cut, less, cut, _mm512_set1_epi32(1));
            let exact = _mm512_mul_ps(_mm512_castsi512_ps(sticky), unit);
            _mm512_cvtph_ps(_mm512_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(exact))
        } else {
            let mut d = _mm512_mul_ps(cut, unit);
            if MAY_BE_NONE {
                let top = byte(tops[n / 4], n % 4);
                let none = _mm512_cmpeq_epi32_mask(top, _mm512_set1_epi32(LEAST - 1));
                d = _mm512_mask_mov_ps(d, none, sums[n]);
            }
            if RESULT == OF_13 {
                let bits = _mm512_and_si512(_mm512_castps_si512(d), _mm512_set1_epi32(!0x3ff));
                d = _mm512_castsi512_ps(bits);
            }
            // Never -0, which integers do not become and numbers with 13 fraction bits do.
            if MAY_BE_NONE || RESULT == OF_13 { _mm512_add_ps(d, _mm512_setzero_ps()) } else { d }
        };
    }
    HAS_ROOM || _mm512_movepi32_mask(room) == 0
}

/// Sets with sixteen products.
const SIXTEEN: usize = 4;

/// The sum of the products of some sets, in units.
#[target_feature(enable = "avx512f")]
#[inline]
fn total(rows: &Rows, columns: &Columns, sets: Range<usize>, scales: &[__m512; 8]) -> [__m512i; 8] {
    let mut totals = [_mm512_setzero_si512(); 8];
    let numbers = rows.numbers.as_chunks::<4>().0[sets.clone()].iter();
    for (rows, columns) in numbers.zip(&columns.numbers[sets]) {
        for t in 0..4 {
            let row = get(&rows[t]);
            for n in 0..8 {
                let product = _mm512_mul_ps(row, _mm512_set1_ps(columns[n][t]));
                let scaled = _mm512_mul_ps(product, scales[n]);
                totals[n] = _mm512_add_epi32(totals[n], _mm512_cvttps_epi32(scaled));
            }
        }
    }
    totals
}

/// Where a sum has no room, its sign: two numbers with the same sign have a sum with another one.
#[target_feature(enable = "avx512f")]
#[inline]
fn over(a: __m512i, b: __m512i, sum: __m512i) -> __m512i {
    _mm512_and_si512(_mm512_xor_si512(a, sum), _mm512_xor_si512(b, sum))
}

/// A byte of words, with its sign.
#[target_feature(enable = "avx512f")]
#[inline]
fn byte(words: __m512i, at: usize) -> __m512i {
    let upper = match at {
        0 => _mm512_slli_epi32::<24>(words),
        1 => _mm512_slli_epi32::<16>(words),
        2 => _mm512_slli_epi32::<8>(words),
        _ => words,
    };
    _mm512_srai_epi32::<24>(upper)
}

/// The powers of two by which numbers of half precision are aligned, 0 of 0.
#[target_feature(enable = "avx512f,avx512dq")]
#[inline]
fn powers(numbers: __m512) -> __m512i {
    let bits = _mm512_castps_si512(numbers);
    let powers = _mm512_and_si512(bits, _mm512_set1_epi32(0x7f80_0000));
    // Those of subnormal numbers are that of the least normal one.
    let some = _mm512_test_epi32_mask(bits, _mm512_set1_epi32(i32::MAX));
    _mm512_maskz_max_epi32(some, powers, _mm512_set1_epi32(field(-14)))
}

/// The registers of the sums.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn end<const RESULT: u8>(sums: &[__m512; 8], held: &mut Held) {
    if RESULT != HALF {
        let mut columns = [_mm512_setzero_si512(); 8];
        for (columns, sums) in columns.iter_mut().zip(sums) {
            *columns = _mm512_castps_si512(*sums);
        }
        return spread(&columns, held);
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
    give(held, 0, [rows[0], rows[1]]);
    give(held, 1, [rows[2], rows[3]]);
}

/// Numbers to the nearest of half precision, in words.
#[target_feature(enable = "avx512f")]
#[inline]
fn half(numbers: __m512) -> __m512i {
    _mm512_cvtepu16_epi32(_mm512_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(numbers))
}
