//! A and B taken apart, once for all products of their elements.

use super::Register;
use super::numbers::{numbers, per, powers};
use super::quads::{load, transpose};
use std::arch::x86_64::*;

/// Elements of eight words at most.
const DEPTH: usize = 16;
const ROWS: usize = 16;

/// Four elements of each column.
type Set = [[f32; 4]; 8];

/// The numbers of A and of B, and the powers by which they are aligned.
///
/// Those of A come row by row at each k, as `quads` has rows; those of B four at a time, for each four column after column. A set of four
/// are the first elements of four words that follow each other, the next set are their second ones.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(in crate::batch::lanes) struct Factors {
    pub(super) rows: [[f32; ROWS]; DEPTH],
    pub(super) row_powers: [[f32; ROWS]; DEPTH],
    pub(super) columns: [Set; DEPTH / 4],
    pub(super) column_powers: [Set; DEPTH / 4],
}

impl Factors {
    /// Room for them.
    pub const NONE: Factors = Factors {
        rows: [[0.0; ROWS]; DEPTH],
        row_powers: [[0.0; ROWS]; DEPTH],
        columns: [[[0.0; 4]; 8]; DEPTH / 4],
        column_powers: [[[0.0; 4]; 8]; DEPTH / 4],
    };

    /// Those of A and B.
    #[target_feature(enable = "avx512f,avx512dq")]
    #[inline]
    pub(super) fn take_apart<const KIND: u8>(&mut self, a: &[&Register], b: &[&Register]) {
        let per = const { per(KIND) };
        for (q, (a, b)) in a.as_chunks::<2>().0.iter().zip(b).enumerate() {
            let words = transpose([load(a[0]), load(a[1])]);
            for (t, words) in words.iter().enumerate() {
                for (j, numbers) in numbers::<KIND>(*words)[..per].iter().enumerate() {
                    let at = (q * per + j) * 4 + t;
                    put(&mut self.rows[at], *numbers);
                    put(&mut self.row_powers[at], _mm512_castsi512_ps(powers::<KIND>(*numbers)));
                }
            }
            for (half, words) in load(b).iter().enumerate() {
                for (j, numbers) in numbers::<KIND>(*words)[..per].iter().enumerate() {
                    let set = q * per + j;
                    put_half(&mut self.columns[set], half, *numbers);
                    let powers = _mm512_castsi512_ps(powers::<KIND>(*numbers));
                    put_half(&mut self.column_powers[set], half, powers);
                }
            }
        }
    }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn put(to: &mut [f32; ROWS], numbers: __m512) {
    // SAFETY: the array is 64 bytes.
    unsafe { _mm512_storeu_ps(to.as_mut_ptr(), numbers) }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn put_half(to: &mut Set, half: usize, numbers: __m512) {
    put(&mut to.as_flattened_mut().as_chunks_mut().0[half], numbers);
}

#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn get(from: &[f32; ROWS]) -> __m512 {
    // SAFETY: the array is 64 bytes.
    unsafe { _mm512_loadu_ps(from.as_ptr()) }
}
