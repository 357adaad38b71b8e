//! Products of integers of 8 and of 4 bits: four at a time, of an unsigned and a signed byte.
//!
//! Signed elements of A are taken for unsigned ones that are greater by half their range, unsigned bytes of B for signed ones that are
//! smaller by that; what this adds to every element of a column or a row is taken away at the end. Here a vector holds what registers of C
//! hold: four rows, and of each row every other column.

use super::quads::{give, load};
use crate::batch::lanes::held::{Held, Register, SLOTS};
use margay_isa::Word;
use margay_isa::tensor_core::Tile;
use std::arch::x86_64::*;

/// A register's half in memory.
type Lanes = [u32; 16];

/// A and B taken apart, in room for several of both.
#[repr(C, align(64))]
pub(super) struct Bytes {
    rows: [Rows; SLOTS],
    columns: [Columns; SLOTS],
}

impl Bytes {
    /// Room for them.
    pub(super) const NONE: Bytes = Bytes { rows: [Rows::NONE; SLOTS], columns: [Columns::NONE; SLOTS] };
}

/// A, four rows in a vector, and the same with the two halves of rows exchanged: for every four words of a row, and where elements have
/// four bits first those of the lower halves of bytes. Loads make two of a word, which leaves sums of products the units of shuffles.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Rows {
    words: [[[Lanes; 2]; 4]; 4],
    /// What all elements of rows lack.
    lacks: [Lanes; 4],
}

/// B's words of even and of odd columns, as lanes of rows meet them: those at even places, those at odd ones, and both again with the halves
/// of rows exchanged.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Columns {
    words: [[[[u32; 4]; 4]; 2]; 4],
    /// What all elements of even and of odd columns lack.
    lacks: [Lanes; 2],
}

impl Rows {
    const NONE: Rows = Rows { words: [[[[0; 16]; 2]; 4]; 4], lacks: [[0; 16]; 4] };

    /// Those of A.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")]
    #[inline(never)]
    fn take_apart<const FOURS: bool, const A: bool, const B: bool, const QUADS: usize>(
        &mut self,
        held: &Held,
    ) {
        let parts = const { parts(FOURS) };
        let mut sums = [_mm512_setzero_si512(); 4];
        for q in 0..QUADS {
            let (upper, lower) = (load(held.get(2 * q)), load(held.get(2 * q + 1)));
            for part in 0..parts {
                for (k, words) in [upper, lower].into_iter().flatten().enumerate() {
                    let words = unsigned::<FOURS>(words, part, A);
                    let [plain, turned] = &mut self.words[q * parts + part][k];
                    put(plain, words);
                    put(turned, _mm512_shuffle_epi32::<0b0100_1110>(words));
                    if !FOURS && !B {
                        sums[k] = _mm512_dpbusd_epi32(sums[k], words, _mm512_set1_epi8(1));
                    }
                }
            }
        }
        if !FOURS && !B {
            for (lacks, sum) in self.lacks.iter_mut().zip(sums) {
                put(lacks, _mm512_slli_epi32::<7>(all_words(sum)));
            }
        }
    }
}

impl Columns {
    const NONE: Columns = Columns { words: [[[[0; 4]; 4]; 2]; 4], lacks: [[0; 16]; 2] };

    /// Those of B.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")]
    #[inline(never)]
    fn take_apart<const FOURS: bool, const A: bool, const B: bool, const QUADS: usize>(
        &mut self,
        held: &Held,
    ) {
        let parts = const { parts(FOURS) };
        let half = _mm512_set1_epi8(if FOURS { 8 } else { -128 });
        let mut sums = [_mm512_setzero_si512(); 2];
        for q in 0..QUADS {
            let words = by_words(held.get(2 * QUADS + q));
            for part in 0..parts {
                for (j, words) in words.into_iter().enumerate() {
                    let words = signed::<FOURS>(words, part, B);
                    put(self.words[q * parts + part][j].as_flattened_mut(), words);
                    // Of each word by itself at first.
                    if A {
                        sums[j] = _mm512_dpbusd_epi32(sums[j], half, words);
                    }
                }
            }
        }
        // Where both are moved, so is every product, by the product of the two ways.
        let both = if A && !B && !FOURS { (QUADS as i32 * 16) << 14 } else { 0 };
        for (lacks, sum) in self.lacks.iter_mut().zip(sums) {
            put(lacks, _mm512_sub_epi32(_mm512_set1_epi32(-both), all_rows(sum)));
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
pub(super) fn multiply(tile: &Tile, bytes: &mut Bytes, held: &mut Held) -> bool {
    match (tile.a, tile.b) {
        (Word::S8, Word::S8) => of::<false, true, true>(tile, bytes, held),
        (Word::S8, Word::U8) => of::<false, true, false>(tile, bytes, held),
        (Word::U8, Word::S8) => of::<false, false, true>(tile, bytes, held),
        (Word::U8, Word::U8) => of::<false, false, false>(tile, bytes, held),
        (Word::S4, Word::S4) => of::<true, true, true>(tile, bytes, held),
        (Word::S4, Word::U4) => of::<true, true, false>(tile, bytes, held),
        (Word::U4, Word::S4) => of::<true, false, true>(tile, bytes, held),
        (Word::U4, Word::U4) => of::<true, false, false>(tile, bytes, held),
        _ => return false,
    }
    true
}

/// The same of bytes or of halves of bytes, of which those of A, and those of B, have signs or none.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")]
#[inline]
fn of<const FOURS: bool, const A: bool, const B: bool>(tile: &Tile, bytes: &mut Bytes, held: &mut Held) {
    if tile.quads == 1 {
        product::<FOURS, A, B, 1>(tile.clamped, bytes, held)
    } else {
        product::<FOURS, A, B, 2>(tile.clamped, bytes, held)
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")]
fn product<const FOURS: bool, const A: bool, const B: bool, const QUADS: usize>(
    is_clamped: bool,
    bytes: &mut Bytes,
    held: &mut Held,
) {
    let [a, b] = held.kept;
    let (rows, columns) = (&mut bytes.rows[a.slot], &mut bytes.columns[b.slot]);
    if a.is_new {
        rows.take_apart::<FOURS, A, B, QUADS>(held);
    }
    if b.is_new {
        columns.take_apart::<FOURS, A, B, QUADS>(held);
    }
    // As registers hold them.
    let mut sums = [[_mm512_setzero_si512(); 2]; 4];
    for (r, sums) in sums.iter_mut().enumerate() {
        let (h, j) = (r / 2, r % 2);
        if !is_clamped {
            *sums = load(held.get(3 * QUADS + r));
        }
        for (i, sum) in sums.iter_mut().enumerate() {
            if A {
                *sum = _mm512_add_epi32(*sum, get(&columns.lacks[j]));
            }
            if !FOURS && !B {
                *sum = _mm512_add_epi32(*sum, get(&rows.lacks[2 * h + i]));
            }
        }
    }
    // Words at odd places by a way that the compiler does not know for the same: else it would load once, and shuffle twice.
    let [rows, others] = [&rows.words, std::hint::black_box(&rows.words)];
    for set in 0..QUADS * const { parts(FOURS) } {
        let [even, odd] = &columns.words[set];
        for t in 0..4 {
            let (even, odd) = (broadcast(&even[t]), broadcast(&odd[t]));
            for k in 0..4 {
                let (words, h, i) = match t % 2 {
                    0 => (even_twice(&rows[set][k][t / 2]), k / 2, k % 2),
                    _ => (odd_twice(&others[set][k][t / 2]), k / 2, k % 2),
                };
                sums[2 * h][i] = _mm512_dpbusd_epi32(sums[2 * h][i], words, even);
                sums[2 * h + 1][i] = _mm512_dpbusd_epi32(sums[2 * h + 1][i], words, odd);
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

/// Words of even and of odd columns, four lanes for each way in which words of rows are loaded.
#[target_feature(enable = "avx512f")]
#[inline]
fn by_words(b: Register) -> [__m512i; 2] {
    let [low, high] = load(b);
    // Columns 0, 2, 4, 6 begin at lanes 0, 8, 16, 24.
    let even = _mm512_setr_epi32(0, 8, 18, 26, 1, 9, 19, 27, 2, 10, 16, 24, 3, 11, 17, 25);
    let odd = _mm512_add_epi32(even, _mm512_set1_epi32(4));
    [_mm512_permutex2var_epi32(low, even, high), _mm512_permutex2var_epi32(low, odd, high)]
}

/// The words at even places, each in the next one, too.
#[target_feature(enable = "avx512f")]
#[inline]
fn even_twice(words: &Lanes) -> __m512i {
    _mm512_castps_si512(_mm512_moveldup_ps(_mm512_castsi512_ps(get(words))))
}

/// The words at odd places, each in the one before, too.
#[target_feature(enable = "avx512f")]
#[inline]
fn odd_twice(words: &Lanes) -> __m512i {
    _mm512_castps_si512(_mm512_movehdup_ps(_mm512_castsi512_ps(get(words))))
}

#[target_feature(enable = "avx512f")]
#[inline]
fn get(from: &Lanes) -> __m512i {
    // SAFETY: the array is 64 bytes.
    unsafe { _mm512_loadu_si512(from.as_ptr().cast()) }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn put(to: &mut [u32], vector: __m512i) {
    let to: &mut Lanes = to.try_into().expect("a vector's lanes");
    // SAFETY: the array is 64 bytes.
    unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), vector) }
}

/// The same four words in all rows.
#[target_feature(enable = "avx512f")]
#[inline]
fn broadcast(line: &[u32; 4]) -> __m512i {
    // SAFETY: the line is 16 bytes.
    _mm512_broadcast_i32x4(unsafe { _mm_loadu_si128(line.as_ptr().cast()) })
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
