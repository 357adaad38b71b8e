//! Products of 16 rows and 8 columns, with AVX-512: a vector holds an element of each of the rows; with AVX2: `avx2.rs`.
//!
//! What is computed stands in `margay_isa::tensor_core`, and once more here for the numbers that products mostly consist of. Of others,
//! such as infinities, nothing is said.

pub(super) mod avx2;
mod factors;
mod integers;
mod numbers;
mod quads;
mod sums;

use crate::batch::lanes::held::Held;
pub(super) use factors::Factors;
use margay_isa::Word;
use margay_isa::tensor_core::{Method, Narrow, Sum, Tile};
use numbers::{BF16, E4M3, E5M2, F16, TF32};
use sums::{HALF, OF_13, SINGLE};

/// The product of numbers of 8 bits.
macro_rules! of_bytes {
    ($tile:expr, $result:ident, $as_halves:literal) => {
        match ($tile.a, $tile.b) {
            (Word::E4m3, Word::E4m3) => sums::multiply::<E4M3, E4M3, $result, $as_halves>,
            (Word::E4m3, Word::E5m2) => sums::multiply::<E4M3, E5M2, $result, $as_halves>,
            (Word::E5m2, Word::E4m3) => sums::multiply::<E5M2, E4M3, $result, $as_halves>,
            (Word::E5m2, Word::E5m2) => sums::multiply::<E5M2, E5M2, $result, $as_halves>,
            _ => return false,
        }
    };
}

/// Gives a warp the product of what it holds; false if nothing is said of it, and nothing is given.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")]
#[inline]
pub(super) fn multiply(tile: &Tile, factors: &mut Factors, held: &mut Held) -> bool {
    let (sum, as_halves) = match &tile.method {
        Method::Sums(sum) => (sum, false),
        Method::Halves(sum) => (sum, true),
        Method::Integers => return integers::multiply(tile, &mut factors.bytes, held),
        _ => return false,
    };
    if !fits(tile, sum, 2) {
        return false;
    }
    let multiply = match (tile.a, tile.b, sum.result, as_halves) {
        (Word::F16, Word::F16, Narrow::Single, false) => sums::multiply::<F16, F16, SINGLE, false>,
        (Word::F16, Word::F16, Narrow::Half, false) => sums::multiply::<F16, F16, HALF, false>,
        (Word::Bf16, Word::Bf16, Narrow::Single, false) => sums::multiply::<BF16, BF16, SINGLE, false>,
        (Word::Tf32, Word::Tf32, Narrow::Single, false) => sums::multiply::<TF32, TF32, SINGLE, false>,
        (_, _, Narrow::Single, false) => of_bytes!(tile, SINGLE, false),
        (_, _, Narrow::SingleOf13, false) => of_bytes!(tile, OF_13, false),
        (_, _, Narrow::Half, false) => of_bytes!(tile, HALF, false),
        (_, _, Narrow::Single, true) => of_bytes!(tile, SINGLE, true),
        (_, _, Narrow::Half, true) => of_bytes!(tile, HALF, true),
        _ => return false,
    };
    multiply(tile.quads, sum, factors, held)
}

/// Whether something is said of a tile's sums that are added in so many parts.
fn fits(tile: &Tile, sum: &Sum, parts: u64) -> bool {
    // Sums of products below 4, in units of the last place.
    let fits = (sum.length as u64) << (sum.fraction + 2) <= parts << 31;
    !tile.clamped && fits && tile.halves == (sum.result == Narrow::Half)
}

#[cfg(test)]
mod tests;
