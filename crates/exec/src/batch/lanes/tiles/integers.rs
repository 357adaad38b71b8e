//! Products of integers of 8 and of 4 bits: four at a time, of an unsigned and a signed byte.
//!
//! Signed elements of A are taken for unsigned ones that are greater by half their range, unsigned bytes of B for signed ones that are
//! smaller by that; what this adds to every element of a column or a row is taken away at the end. Here a vector holds what registers of C
//! hold: four rows, and of each row every other column.

use super::Register;
use super::quads::{load, store};
use margay_isa::Word;
use margay_isa::tensor_core::Tile;
use std::arch::x86_64::*;

/// The product; false if its types are others.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")]
pub(super) fn multiply(tile: &Tile, registers: &[&Register], results: &mut [Register]) -> bool {
    let (a, others) = registers.split_at(2 * tile.quads);
    let (b, c) = others.split_at(tile.quads);
    let signs = [tile.a, tile.b].map(|word| matches!(word, Word::S8 | Word::S4));
    let products = match (tile.a, tile.b) {
        (Word::S8 | Word::U8, Word::S8 | Word::U8) => products::<false>(signs, a, b),
        (Word::S4 | Word::U4, Word::S4 | Word::U4) => products::<true>(signs, a, b),
        _ => return false,
    };
    for r in 0..4 {
        let mut sums = load(c[r]);
        for i in 0..2 {
            let (c, products) = (sums[i], products[r][i]);
            let wrapped = _mm512_add_epi32(c, products);
            sums[i] = if tile.clamped { clamped(c, products, wrapped) } else { wrapped };
        }
        store(&mut results[r], sums);
    }
    true
}

/// The sum of two numbers, or where it was wrapped the greatest or least number.
#[target_feature(enable = "avx512f,avx512dq")]
#[inline]
fn clamped(a: __m512i, b: __m512i, wrapped: __m512i) -> __m512i {
    let over = _mm512_and_si512(_mm512_xor_si512(a, wrapped), _mm512_xor_si512(b, wrapped));
    let bound = _mm512_xor_si512(_mm512_srai_epi32::<31>(a), _mm512_set1_epi32(i32::MAX));
    _mm512_mask_mov_epi32(wrapped, _mm512_movepi32_mask(over), bound)
}

/// The sums of products, as registers hold them.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")]
#[inline]
fn products<const FOURS: bool>(signs: [bool; 2], a: &[&Register], b: &[&Register]) -> [[__m512i; 2]; 4] {
    let none = _mm512_setzero_si512();
    let half = _mm512_set1_epi8(if FOURS { 8 } else { -128 });
    let mut sums = [[none; 2]; 4];
    // What columns and rows have too much or too little.
    let both = if signs == [true, false] && !FOURS { (b.len() as i32 * 16) << 14 } else { 0 };
    let (mut of_columns, mut of_rows) = ([_mm512_set1_epi32(both); 2], [[none; 2]; 2]);
    for (a, b) in a.as_chunks::<2>().0.iter().zip(b) {
        let (upper, lower, b) = (load(a[0]), load(a[1]), by_words(b));
        for part in 0..if FOURS { 2 } else { 1 } {
            let a = [
                unsigned::<FOURS>(upper[0], part, signs[0]),
                unsigned::<FOURS>(upper[1], part, signs[0]),
                unsigned::<FOURS>(lower[0], part, signs[0]),
                unsigned::<FOURS>(lower[1], part, signs[0]),
            ];
            let even = lines(signed::<FOURS>(b[0], part, signs[1]));
            let odd = lines(signed::<FOURS>(b[1], part, signs[1]));
            for t in 0..4 {
                let (even, odd) = (broadcast(&even[t]), broadcast(&odd[t]));
                for (rows, words) in a.iter().enumerate() {
                    let (words, h, i) = (same_word(*words, t), rows / 2, rows % 2);
                    sums[2 * h][i] = _mm512_dpbusd_epi32(sums[2 * h][i], words, even);
                    sums[2 * h + 1][i] = _mm512_dpbusd_epi32(sums[2 * h + 1][i], words, odd);
                }
                if signs[0] {
                    of_columns[0] = _mm512_dpbusd_epi32(of_columns[0], half, even);
                    of_columns[1] = _mm512_dpbusd_epi32(of_columns[1], half, odd);
                }
            }
            if !FOURS && !signs[1] {
                for (sums, words) in of_rows.as_flattened_mut().iter_mut().zip(&a) {
                    *sums = _mm512_dpbusd_epi32(*sums, *words, _mm512_set1_epi8(1));
                }
            }
        }
    }
    for r in 0..4 {
        for i in 0..2 {
            let of_rows = _mm512_slli_epi32::<7>(all_words(of_rows[r / 2][i]));
            sums[r][i] = _mm512_add_epi32(_mm512_sub_epi32(sums[r][i], of_columns[r % 2]), of_rows);
        }
    }
    sums
}

/// Words t of even and of odd columns: four lanes for each t.
#[target_feature(enable = "avx512f")]
#[inline]
fn by_words(b: &Register) -> [__m512i; 2] {
    let [low, high] = load(b);
    let even = _mm512_setr_epi32(0, 8, 16, 24, 1, 9, 17, 25, 2, 10, 18, 26, 3, 11, 19, 27);
    let odd = _mm512_add_epi32(even, _mm512_set1_epi32(4));
    [_mm512_permutex2var_epi32(low, even, high), _mm512_permutex2var_epi32(low, odd, high)]
}

#[target_feature(enable = "avx512f")]
#[inline]
fn lines(words: __m512i) -> [[u32; 4]; 4] {
    // SAFETY: both are 64 bytes, of which every pattern is a value.
    unsafe { std::mem::transmute::<__m512i, [[u32; 4]; 4]>(words) }
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
