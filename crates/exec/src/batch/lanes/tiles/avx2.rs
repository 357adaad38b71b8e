//! Products of 16 rows and 8 columns with AVX2: a vector holds an element of each of eight rows, or words of one row.

mod integers;
mod numbers;
mod sums;

use super::numbers::{BF16, F16, TF32};
use super::{Register, fits};
use margay_isa::Word;
use margay_isa::tensor_core::{Method, Narrow, Tile};
use std::arch::x86_64::*;

/// Room for A and B taken apart.
pub(in crate::batch::lanes) struct Factors {
    numbers: numbers::Numbers,
    fours: integers::Fours,
}

impl Factors {
    /// With nothing in it yet.
    pub const NONE: Factors = Factors { numbers: numbers::Numbers::NONE, fours: integers::Fours::NONE };
}

/// The registers that a warp reads become those that it gets; false if nothing is said of the product.
#[target_feature(enable = "avx2,f16c")]
pub(in crate::batch::lanes) fn multiply(
    tile: &Tile,
    factors: &mut Factors,
    registers: &[&Register],
    results: &mut [Register],
) -> bool {
    let Method::Sums(sum) = &tile.method else {
        return tile.method == Method::Integers
            && integers::multiply(tile, &mut factors.fours, registers, results);
    };
    if !fits(tile, sum) {
        return false;
    }
    let numbers = &mut factors.numbers;
    match (tile.a, tile.b, sum.result) {
        (Word::F16, Word::F16, Narrow::Single) => {
            sums::multiply::<F16, false>(tile.quads, sum, numbers, registers, results)
        }
        (Word::F16, Word::F16, Narrow::Half) => {
            sums::multiply::<F16, true>(tile.quads, sum, numbers, registers, results)
        }
        (Word::Bf16, Word::Bf16, Narrow::Single) => {
            sums::multiply::<BF16, false>(tile.quads, sum, numbers, registers, results)
        }
        (Word::Tf32, Word::Tf32, Narrow::Single) => {
            sums::multiply::<TF32, false>(tile.quads, sum, numbers, registers, results)
        }
        _ => false,
    }
}

/// What a warp holds in a register: of each two rows the words t.
#[target_feature(enable = "avx2")]
#[inline]
fn load(register: &Register) -> [__m256i; 4] {
    let start = register.as_ptr();
    // SAFETY: each quarter is 32 bytes of the array.
    unsafe {
        [
            _mm256_loadu_si256(start.cast()),
            _mm256_loadu_si256(start.add(8).cast()),
            _mm256_loadu_si256(start.add(16).cast()),
            _mm256_loadu_si256(start.add(24).cast()),
        ]
    }
}

/// Gives a warp a register.
#[target_feature(enable = "avx2")]
#[inline]
fn store(register: &mut Register, parts: [__m256i; 4]) {
    for (to, part) in register.as_chunks_mut::<8>().0.iter_mut().zip(parts) {
        // SAFETY: the array is 32 bytes.
        unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), part) }
    }
}

/// From what a register holds to a vector for each t, and back. Rows come in the order 0, 2, 4, 6, 1, 3, 5, 7.
#[target_feature(enable = "avx2")]
#[inline]
fn transpose([first, second, third, fourth]: [__m256i; 4]) -> [__m256i; 4] {
    let [a, b] = [_mm256_unpacklo_epi32(first, second), _mm256_unpacklo_epi32(third, fourth)];
    let [c, d] = [_mm256_unpackhi_epi32(first, second), _mm256_unpackhi_epi32(third, fourth)];
    [
        _mm256_unpacklo_epi64(a, b),
        _mm256_unpackhi_epi64(a, b),
        _mm256_unpacklo_epi64(c, d),
        _mm256_unpackhi_epi64(c, d),
    ]
}
