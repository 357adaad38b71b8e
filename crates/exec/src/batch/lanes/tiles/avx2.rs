//! Products of 16 rows and 8 columns with AVX2: a vector holds an element of each of eight rows, or words of one row.

mod integers;
mod numbers;
mod sums;

use super::fits;
use super::numbers::{BF16, F16, TF32};
use crate::batch::lanes::held::{Held, Register};
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

/// Gives a warp the product of what it holds; false if nothing is said of it, and nothing is given.
#[target_feature(enable = "avx2,f16c")]
pub(in crate::batch::lanes) fn multiply(tile: &Tile, factors: &mut Factors, held: &mut Held) -> bool {
    let Method::Sums(sum) = &tile.method else {
        return tile.method == Method::Integers && integers::multiply(tile, &mut factors.fours, held);
    };
    if !fits(tile, sum, 1) {
        return false;
    }
    let numbers = &mut factors.numbers;
    match (tile.a, tile.b, sum.result) {
        (Word::F16, Word::F16, Narrow::Single) => {
            sums::multiply::<F16, false>(tile.quads, sum, numbers, held)
        }
        (Word::F16, Word::F16, Narrow::Half) => sums::multiply::<F16, true>(tile.quads, sum, numbers, held),
        (Word::Bf16, Word::Bf16, Narrow::Single) => {
            sums::multiply::<BF16, false>(tile.quads, sum, numbers, held)
        }
        (Word::Tf32, Word::Tf32, Narrow::Single) => {
            sums::multiply::<TF32, false>(tile.quads, sum, numbers, held)
        }
        _ => false,
    }
}

/// What a warp holds in a register: of each two rows the words t.
#[target_feature(enable = "avx2")]
#[inline]
fn load([low, high]: Register) -> [__m256i; 4] {
    let (low, high) = (low.as_ptr(), high.as_ptr());
    // SAFETY: each quarter is 32 bytes of an array of 64.
    unsafe {
        [
            _mm256_loadu_si256(low.cast()),
            _mm256_loadu_si256(low.add(8).cast()),
            _mm256_loadu_si256(high.cast()),
            _mm256_loadu_si256(high.add(8).cast()),
        ]
    }
}

/// Gives a warp a register.
#[target_feature(enable = "avx2")]
#[inline]
fn give(held: &mut Held, register: usize, parts: [__m256i; 4]) {
    if let Some(lines) = held.result(register) {
        *lines = bytemuck::cast(parts);
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
