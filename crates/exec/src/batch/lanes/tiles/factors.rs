//! A and B taken apart, once for all products of their elements.

use super::integers;
use super::numbers::{elements, exponents, odd, per};
use super::quads::{load, transpose};
use crate::batch::lanes::held::{Held, SLOTS};
use std::arch::x86_64::*;

/// Elements of eight words at most.
const DEPTH: usize = 32;
const ROWS: usize = 16;

/// Room for what products are made of.
#[repr(C, align(64))]
pub(in crate::batch::lanes) struct Factors {
    pub(super) rows: [Rows; SLOTS],
    pub(super) columns: [Columns; SLOTS],
    pub(super) bytes: integers::Bytes,
}

/// A: the numbers of all rows at each k, as `quads` has rows, and four times each their exponents.
///
/// For every four words the first elements of all come before the second ones, and so on; where numbers of 8 bits are multiplied as `.f16`,
/// the first halves of all words before the second ones.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Rows {
    pub(super) numbers: [[f32; ROWS]; DEPTH],
    pub(super) exponents: [[[i8; 4]; ROWS]; DEPTH],
    /// Whether nothing is said of some.
    pub(super) are_odd: bool,
}

/// B: for every four elements of A the same four of each column, and their exponents, at each k of the first four and of the other columns.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Columns {
    pub(super) numbers: [[[f32; 4]; 8]; DEPTH / 4],
    pub(super) exponents: [[[[i8; 4]; 4]; 2]; DEPTH / 4],
    pub(super) are_odd: bool,
}

impl Factors {
    /// Room for them.
    pub const NONE: Factors = Factors {
        rows: [Rows { numbers: [[0.0; ROWS]; DEPTH], exponents: [[[0; 4]; ROWS]; DEPTH], are_odd: false };
            SLOTS],
        columns: [Columns {
            numbers: [[[0.0; 4]; 8]; DEPTH / 4],
            exponents: [[[[0; 4]; 4]; 2]; DEPTH / 4],
            are_odd: false,
        }; SLOTS],
        bytes: integers::Bytes::NONE,
    };
}

impl Rows {
    /// Those of A.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
    pub(super) fn take_apart<const KIND: u8, const AS_HALVES: bool>(&mut self, quads: usize, held: &Held) {
        self.are_odd = odd::<KIND>(held, 0..2 * quads);
        let per = const { per(KIND) };
        // The first byte of a word, four times.
        let first = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12));
        for q in 0..quads {
            let words = transpose([load(held.get(2 * q)), load(held.get(2 * q + 1))]);
            for (t, words) in words.into_iter().enumerate() {
                let (numbers, exponents) = (elements::<KIND>(words), exponents::<KIND, AS_HALVES>(words));
                for (j, numbers) in numbers.into_iter().enumerate().take(per) {
                    let at = set::<KIND, AS_HALVES>(quads, q, j) * 4 + t;
                    let bytes = _mm512_add_epi8(first, _mm512_set1_epi8((j * 4 / per) as i8));
                    // SAFETY: both arrays are 64 bytes.
                    unsafe {
                        _mm512_storeu_ps(self.numbers[at].as_mut_ptr(), numbers);
                        let to = self.exponents[at].as_mut_ptr().cast();
                        _mm512_storeu_si512(to, _mm512_shuffle_epi8(exponents, bytes));
                    }
                }
            }
        }
    }
}

impl Columns {
    /// Those of B.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
    pub(super) fn take_apart<const KIND: u8, const AS_HALVES: bool>(&mut self, quads: usize, held: &Held) {
        self.are_odd = odd::<KIND>(held, 2 * quads..3 * quads);
        let per = const { per(KIND) };
        // From four words of each column to those of four columns.
        let turned = _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
        for q in 0..quads {
            for (half, words) in load(held.get(2 * quads + q)).into_iter().enumerate() {
                let (numbers, exponents) = (elements::<KIND>(words), exponents::<KIND, AS_HALVES>(words));
                for (j, numbers) in numbers.into_iter().enumerate().take(per) {
                    let set = set::<KIND, AS_HALVES>(quads, q, j);
                    let bytes = _mm512_srl_epi32(exponents, _mm_cvtsi32_si128((j * 32 / per) as i32));
                    let bytes = _mm_shuffle_epi8(_mm512_cvtepi32_epi8(bytes), turned);
                    let to = self.numbers[set].as_chunks_mut::<4>().0[half].as_mut_ptr();
                    // SAFETY: four columns are 64 bytes, their exponents 16.
                    unsafe {
                        _mm512_storeu_ps(to.cast(), numbers);
                        _mm_storeu_si128(self.exponents[set][half].as_mut_ptr().cast(), bytes);
                    }
                }
            }
        }
    }
}

/// Which four elements of rows and columns those are that have place `j` in the words of a four of words.
fn set<const KIND: u8, const AS_HALVES: bool>(quads: usize, q: usize, j: usize) -> usize {
    if AS_HALVES { (j / 2 * quads + q) * 2 + j % 2 } else { q * per(KIND) + j }
}

#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn get(from: &[f32; ROWS]) -> __m512 {
    // SAFETY: the array is 64 bytes.
    unsafe { _mm512_loadu_ps(from.as_ptr()) }
}

#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn get_exponents(from: &[[i8; 4]; ROWS]) -> __m512i {
    // SAFETY: the array is 64 bytes.
    unsafe { _mm512_loadu_si512(from.as_ptr().cast()) }
}
