//! Products of integers of 8 and of 4 bits: four at a time, of an unsigned and a signed byte.
//!
//! Signed elements of A are taken for unsigned ones that are greater by half their range, unsigned bytes of B for signed ones that are
//! smaller by that; what this adds to every element of a column or a row is taken away at the end. Here a vector holds what registers of C
//! hold: four rows, and of each row every other column.

use super::Register;
use super::quads::{give, load};
use crate::batch::lanes::products::Held;
use margay_isa::Word;
use margay_isa::tensor_core::Tile;
use std::arch::x86_64::*;

/// B's words t of even and of odd columns, four columns for each t: for every four words of a column, and where elements have four bits
/// first those of the lower halves of bytes.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Columns([[[[u32; 4]; 4]; 2]; 4]);

impl Columns {
    /// Room for them.
    pub(super) const NONE: Columns = Columns([[[[0; 4]; 4]; 2]; 4]);

    /// Those of B. By itself, so that words are read again from memory: that leaves the unit that moves lanes to A.
    #[target_feature(enable = "avx512f,avx512bw")]
    #[inline(never)]
    fn take_apart<const FOURS: bool, const SIGNED: bool, const QUADS: usize>(&mut self, held: &Held) {
        let parts = const { parts(FOURS) };
        for q in 0..QUADS {
            let words = by_words(held.get(2 * QUADS + q));
            for part in 0..parts {
                for (j, words) in words.into_iter().enumerate() {
                    let to = self.0[q * parts + part][j].as_mut_ptr();
                    // SAFETY: four times four words are 64 bytes.
                    unsafe { _mm512_storeu_si512(to.cast(), signed::<FOURS>(words, part, SIGNED)) }
                }
            }
        }
    }
}

/// How many vectors of bytes become of one.
const fn parts(fours: bool) -> usize {
    if fours { 2 } else { 1 }
}

/// Gives the product; false if its types are others.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")]
#[inline]
pub(super) fn multiply(tile: &Tile, columns: &mut Columns, held: &mut Held) -> bool {
    match (tile.a, tile.b) {
        (Word::S8, Word::S8) => of::<false, true, true>(tile, columns, held),
        (Word::S8, Word::U8) => of::<false, true, false>(tile, columns, held),
        (Word::U8, Word::S8) => of::<false, false, true>(tile, columns, held),
        (Word::U8, Word::U8) => of::<false, false, false>(tile, columns, held),
        (Word::S4, Word::S4) => of::<true, true, true>(tile, columns, held),
        (Word::S4, Word::U4) => of::<true, true, false>(tile, columns, held),
        (Word::U4, Word::S4) => of::<true, false, true>(tile, columns, held),
        (Word::U4, Word::U4) => of::<true, false, false>(tile, columns, held),
        _ => return false,
    }
    true
}

/// The same of bytes or of halves of bytes, of which those of A, and those of B, have signs or none.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")]
#[inline]
fn of<const FOURS: bool, const A: bool, const B: bool>(tile: &Tile, columns: &mut Columns, held: &mut Held) {
    if tile.quads == 1 {
        product::<FOURS, A, B, 1>(tile.clamped, columns, held)
    } else {
        product::<FOURS, A, B, 2>(tile.clamped, columns, held)
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")]
fn product<const FOURS: bool, const A: bool, const B: bool, const QUADS: usize>(
    is_clamped: bool,
    columns: &mut Columns,
    held: &mut Held,
) {
    columns.take_apart::<FOURS, B, QUADS>(held);
    let none = _mm512_setzero_si512();
    let half = _mm512_set1_epi8(if FOURS { 8 } else { -128 });
    // As registers hold them.
    let mut sums = [[none; 2]; 4];
    if !is_clamped {
        for (r, sums) in sums.iter_mut().enumerate() {
            *sums = load(held.get(3 * QUADS + r));
        }
    }
    // What columns and rows have too much or too little: of columns for each word by itself at first.
    let (mut of_columns, mut of_rows) = ([none; 2], [[none; 2]; 2]);
    for q in 0..QUADS {
        let (upper, lower) = (load(held.get(2 * q)), load(held.get(2 * q + 1)));
        for part in 0..const { parts(FOURS) } {
            let a = [
                unsigned::<FOURS>(upper[0], part, A),
                unsigned::<FOURS>(upper[1], part, A),
                unsigned::<FOURS>(lower[0], part, A),
                unsigned::<FOURS>(lower[1], part, A),
            ];
            let [even, odd] = &columns.0[q * const { parts(FOURS) } + part];
            for t in 0..4 {
                let (even, odd) = (broadcast(&even[t]), broadcast(&odd[t]));
                for (rows, words) in a.iter().enumerate() {
                    let (words, h, i) = (same_word(*words, t), rows / 2, rows % 2);
                    sums[2 * h][i] = _mm512_dpbusd_epi32(sums[2 * h][i], words, even);
                    sums[2 * h + 1][i] = _mm512_dpbusd_epi32(sums[2 * h + 1][i], words, odd);
                }
            }
            if A {
                of_columns[0] = _mm512_dpbusd_epi32(of_columns[0], half, all(even));
                of_columns[1] = _mm512_dpbusd_epi32(of_columns[1], half, all(odd));
            }
            if !FOURS && !B {
                for (sums, words) in of_rows.as_flattened_mut().iter_mut().zip(&a) {
                    *sums = _mm512_dpbusd_epi32(*sums, *words, _mm512_set1_epi8(1));
                }
            }
        }
    }
    // Where both are moved, so is every product, by the product of the two ways.
    let both = if A && !B && !FOURS { (QUADS as i32 * 16) << 14 } else { 0 };
    for j in 0..2 {
        let columns = _mm512_add_epi32(all_rows(of_columns[j]), _mm512_set1_epi32(both));
        for h in 0..2 {
            for i in 0..2 {
                let mut sum = _mm512_sub_epi32(sums[2 * h + j][i], columns);
                if !FOURS && !B {
                    sum = _mm512_add_epi32(sum, _mm512_slli_epi32::<7>(all_words(of_rows[h][i])));
                }
                sums[2 * h + j][i] = sum;
            }
        }
    }
    if is_clamped {
        for (r, sums) in sums.iter_mut().enumerate() {
            for (sum, c) in sums.iter_mut().zip(load(held.get(3 * QUADS + r))) {
                *sum = clamped(c, *sum, _mm512_add_epi32(c, *sum));
            }
        }
    }
    for (r, sums) in sums.into_iter().enumerate() {
        give(held, r, sums);
    }
}

/// The sum of two numbers, or where it was wrapped the greatest or least number.
#[target_feature(enable = "avx512f,avx512dq")]
#[inline]
fn clamped(a: __m512i, b: __m512i, wrapped: __m512i) -> __m512i {
    let over = _mm512_and_si512(_mm512_xor_si512(a, wrapped), _mm512_xor_si512(b, wrapped));
    let bound = _mm512_xor_si512(_mm512_srai_epi32::<31>(a), _mm512_set1_epi32(i32::MAX));
    _mm512_mask_mov_epi32(wrapped, _mm512_movepi32_mask(over), bound)
}

/// Words t of even and of odd columns: four lanes for each t.
#[target_feature(enable = "avx512f")]
#[inline]
fn by_words(b: Register) -> [__m512i; 2] {
    let [low, high] = load(b);
    let even = _mm512_setr_epi32(0, 8, 16, 24, 1, 9, 17, 25, 2, 10, 18, 26, 3, 11, 19, 27);
    let odd = _mm512_add_epi32(even, _mm512_set1_epi32(4));
    [_mm512_permutex2var_epi32(low, even, high), _mm512_permutex2var_epi32(low, odd, high)]
}

/// Four words of each t.
#[target_feature(enable = "avx512f")]
#[inline]
fn all(lines: &[[u32; 4]; 4]) -> __m512i {
    // SAFETY: four times four words are 64 bytes.
    unsafe { _mm512_loadu_si512(lines.as_ptr().cast()) }
}

/// The same four words in all rows.
#[target_feature(enable = "avx512f")]
#[inline]
fn broadcast(line: &[u32; 4]) -> __m512i {
    // SAFETY: the line is 16 bytes.
    _mm512_broadcast_i32x4(unsafe { _mm_loadu_si128(line.as_ptr().cast()) })
}

/// Word t of each four in the places of all.
#[target_feature(enable = "avx512f")]
#[inline]
fn same_word(words: __m512i, t: usize) -> __m512i {
    match t {
        0 => _mm512_shuffle_epi32::<0b0000_0000>(words),
        1 => _mm512_shuffle_epi32::<0b0101_0101>(words),
        2 => _mm512_shuffle_epi32::<0b1010_1010>(words),
        _ => _mm512_shuffle_epi32::<0b1111_1111>(words),
    }
}

/// The sum of each four words in the places of all.
#[target_feature(enable = "avx512f")]
#[inline]
fn all_words(words: __m512i) -> __m512i {
    let words = _mm512_add_epi32(words, _mm512_shuffle_epi32::<0b1011_0001>(words));
    _mm512_add_epi32(words, _mm512_shuffle_epi32::<0b0100_1110>(words))
}

/// The sum of all rows of four words in the places of each.
#[target_feature(enable = "avx512f")]
#[inline]
fn all_rows(words: __m512i) -> __m512i {
    let words = _mm512_add_epi32(words, _mm512_shuffle_i32x4::<0b1011_0001>(words, words));
    _mm512_add_epi32(words, _mm512_shuffle_i32x4::<0b0100_1110>(words, words))
}

/// The lower or the upper halves of bytes.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn nibbles(words: __m512i, part: usize) -> __m512i {
    let words = if part == 0 { words } else { _mm512_srli_epi16::<4>(words) };
    _mm512_and_si512(words, _mm512_set1_epi8(15))
}

/// Elements of A as unsigned bytes, greater by half their range where they are signed.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn unsigned<const FOURS: bool>(words: __m512i, part: usize, signed: bool) -> __m512i {
    let words = if FOURS { nibbles(words, part) } else { words };
    let sign = if FOURS { 8 } else { -128 };
    if signed { _mm512_xor_si512(words, _mm512_set1_epi8(sign)) } else { words }
}

/// Elements of B as signed bytes, smaller by half their range where they are unsigned and have 8 bits.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn signed<const FOURS: bool>(words: __m512i, part: usize, signed: bool) -> __m512i {
    let eight = _mm512_set1_epi8(8);
    match (FOURS, signed) {
        (false, true) => words,
        (false, false) => _mm512_xor_si512(words, _mm512_set1_epi8(-128)),
        (true, true) => _mm512_sub_epi8(_mm512_xor_si512(nibbles(words, part), eight), eight),
        (true, false) => nibbles(words, part),
    }
}
