//! Products of integers of 8 and of 4 bits: widened to 16 bits, four elements of a word at a time.

use crate::batch::lanes::held::{Held, Register, SLOTS};
use margay_isa::Word;
use margay_isa::tensor_core::Tile;
use std::arch::x86_64::*;

/// Four elements of 16 bits.
type Four = [i16; 4];

/// Words of a row at most: of eight elements, which are taken apart into two fours.
const WORDS: usize = 16;

/// A in fours, for each four words row by row.
type Rows = [[[Four; 4]; 16]; WORDS / 4];

/// B in fours, for each word column by column in the order 0, 2, 1, 3, 4, 6, 5, 7.
type Columns = [[Four; 8]; WORDS];

/// A and B in room for several of both.
#[repr(C, align(64))]
pub(super) struct Fours {
    rows: [Rows; SLOTS],
    columns: [Columns; SLOTS],
}

impl Fours {
    /// Room for them.
    pub(super) const NONE: Fours =
        Fours { rows: [[[[[0; 4]; 4]; 16]; WORDS / 4]; SLOTS], columns: [[[[0; 4]; 8]; WORDS]; SLOTS] };
}

/// Gives the product; false if its types are others.
#[target_feature(enable = "avx2")]
pub(super) fn multiply(tile: &Tile, fours: &mut Fours, held: &mut Held) -> bool {
    let parts = match (tile.a, tile.b) {
        (Word::S8 | Word::U8, Word::S8 | Word::U8) => 1,
        (Word::S4 | Word::U4, Word::S4 | Word::U4) => 2,
        _ => return false,
    };
    let [a, b] = held.kept;
    let (rows, columns) = (&mut fours.rows[a.slot], &mut fours.columns[b.slot]);
    for q in 0..tile.quads {
        for part in 0..parts {
            let to = q * parts + part;
            if b.is_new {
                turn(tile.b, part, held.get(2 * tile.quads + q), &mut columns[4 * to..][..4]);
            }
            if !a.is_new {
                continue;
            }
            for (row, to) in rows[to].iter_mut().enumerate() {
                // SAFETY: four fours are 32 bytes.
                unsafe {
                    let words = widened(tile.a, part, held.get(2 * q + row / 8), row % 8);
                    _mm256_storeu_si256(to.as_mut_ptr().cast(), words);
                }
            }
        }
    }
    match tile.quads * parts {
        1 => add::<1>(rows, columns, tile, held),
        2 => add::<2>(rows, columns, tile, held),
        _ => add::<4>(rows, columns, tile, held),
    }
    true
}

/// The fours of a line's words.
#[target_feature(enable = "avx2")]
#[inline]
fn widened(word: Word, part: usize, register: Register, line: usize) -> __m256i {
    let words = four_lanes(register, line);
    let (nibbles, eight) = (_mm_set1_epi8(15), _mm_set1_epi8(8));
    match word {
        Word::S8 => _mm256_cvtepi8_epi16(words),
        Word::U8 => _mm256_cvtepu8_epi16(words),
        _ => {
            let words = if part == 0 { words } else { _mm_srli_epi16::<4>(words) };
            let bytes = _mm_and_si128(words, nibbles);
            let signed = _mm_sub_epi8(_mm_xor_si128(bytes, eight), eight);
            _mm256_cvtepi8_epi16(if word == Word::S4 { signed } else { bytes })
        }
    }
}

/// The fours of each word t of all columns.
#[target_feature(enable = "avx2")]
#[inline]
fn turn(word: Word, part: usize, register: Register, words: &mut [[Four; 8]]) {
    for half in 0..2 {
        let column = 4 * half;
        let (first, third) =
            (widened(word, part, register, column), widened(word, part, register, column + 1));
        let (second, fourth) =
            (widened(word, part, register, column + 2), widened(word, part, register, column + 3));
        let (a, b) = (_mm256_unpacklo_epi64(first, second), _mm256_unpacklo_epi64(third, fourth));
        let (c, d) = (_mm256_unpackhi_epi64(first, second), _mm256_unpackhi_epi64(third, fourth));
        let turned = [
            _mm256_permute2x128_si256::<0x20>(a, b),
            _mm256_permute2x128_si256::<0x20>(c, d),
            _mm256_permute2x128_si256::<0x31>(a, b),
            _mm256_permute2x128_si256::<0x31>(c, d),
        ];
        for t in 0..4 {
            let to = &mut words[t].as_chunks_mut::<4>().0[half];
            // SAFETY: four fours are 32 bytes.
            unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), turned[t]) }
        }
    }
}

/// The sums of so many fours of words' products and C.
#[target_feature(enable = "avx2")]
#[inline]
fn add<const QUADS: usize>(all_rows: &Rows, all_columns: &Columns, tile: &Tile, held: &mut Held) {
    let c: [Register; 4] = std::array::from_fn(|r| held.get(3 * tile.quads + r));
    /// Rows whose sums are in registers at a time.
    const ROWS: usize = 4;
    let mut d = [[[0; 4]; 8]; 4];
    for first in (0..16).step_by(ROWS) {
        // Of each row two halves of sums for each column.
        let mut sums = [[_mm256_setzero_si256(); 2]; ROWS];
        for (rows, columns) in all_rows[..QUADS].iter().zip(all_columns.as_chunks::<4>().0) {
            for (t, columns) in columns.iter().enumerate() {
                let (left, right) = (four_columns(&columns[..4]), four_columns(&columns[4..]));
                for (sums, row) in sums.iter_mut().zip(&rows[first..]) {
                    let row = _mm256_set1_epi64x(bytemuck::cast(row[t]));
                    sums[0] = _mm256_add_epi32(sums[0], _mm256_madd_epi16(row, left));
                    sums[1] = _mm256_add_epi32(sums[1], _mm256_madd_epi16(row, right));
                }
            }
        }
        for (row, sums) in (first..).zip(sums) {
            // Columns 0, 2, 4, 6 and 1, 3, 5, 7.
            let products = _mm256_hadd_epi32(sums[0], sums[1]);
            let (line, of) = (row % 8, 2 * (row / 8));
            let c = _mm256_set_m128i(four_lanes(c[of + 1], line), four_lanes(c[of], line));
            let wrapped = _mm256_add_epi32(c, products);
            let total = if tile.clamped { clamp(c, products, wrapped) } else { wrapped };
            put(&mut d[of], line, _mm256_castsi256_si128(total));
            put(&mut d[of + 1], line, _mm256_extracti128_si256::<1>(total));
        }
    }
    for (r, register) in d.into_iter().enumerate() {
        if let Some(lines) = held.result(r) {
            *lines = bytemuck::cast(register);
        }
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn four_columns(columns: &[Four]) -> __m256i {
    let columns: &[Four; 4] = columns.try_into().expect("four columns");
    // SAFETY: four fours are 32 bytes.
    unsafe { _mm256_loadu_si256(columns.as_ptr().cast()) }
}

#[target_feature(enable = "avx2")]
#[inline]
fn four_lanes(register: Register, line: usize) -> __m128i {
    // SAFETY: four words are 16 bytes.
    unsafe { _mm_loadu_si128(register[line / 4].as_chunks::<4>().0[line % 4].as_ptr().cast()) }
}

#[target_feature(enable = "avx2")]
#[inline]
fn put(register: &mut [[u32; 4]; 8], line: usize, words: __m128i) {
    // SAFETY: four words are 16 bytes.
    unsafe { _mm_storeu_si128(register[line].as_mut_ptr().cast(), words) }
}

/// The sum of two numbers, or where it was wrapped the greatest or least number.
#[target_feature(enable = "avx2")]
#[inline]
fn clamp(a: __m256i, b: __m256i, wrapped: __m256i) -> __m256i {
    let over = _mm256_and_si256(_mm256_xor_si256(a, wrapped), _mm256_xor_si256(b, wrapped));
    let bound = _mm256_xor_si256(_mm256_srai_epi32::<31>(a), _mm256_set1_epi32(i32::MAX));
    _mm256_blendv_epi8(wrapped, bound, _mm256_srai_epi32::<31>(over))
}
