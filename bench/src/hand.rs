//! The benchmark kernels written by hand for AVX-512: what margay is measured against.
//!
//! Each does the arithmetic that the kernel prescribes for each thread, 16 or 8 threads a vector; the order of work, unrolling and
//! instructions are chosen freely. On machines without AVX-512, plain Rust compiled for the machine stands in.

use crate::case::Case;
use crate::plain;
use margay_exec::Simd;

#[cfg(target_arch = "x86_64")]
mod collatz;
#[cfg(target_arch = "x86_64")]
mod histogram;
#[cfg(target_arch = "x86_64")]
mod matching;
#[cfg(target_arch = "x86_64")]
mod mix;
#[cfg(target_arch = "x86_64")]
mod product;
#[cfg(target_arch = "x86_64")]
mod sad;
#[cfg(target_arch = "x86_64")]
mod sha;
#[cfg(target_arch = "x86_64")]
mod sum;
#[cfg(target_arch = "x86_64")]
mod vector;

#[cfg(target_arch = "x86_64")]
pub use {
    collatz::collatz, histogram::histogram, matching::matching, mix::mix, product::product, sad::sad,
    sha::sha256, sum::sum,
};

#[cfg(not(target_arch = "x86_64"))]
pub use plain::{collatz, histogram, matching, mix, product, sad, sha256, sum};

/// Runs the version written by hand where the machine has AVX-512, and the plain one elsewhere.
pub fn by_hand<F: Fn(&Case, &mut [u32])>(
    hand: unsafe fn(&Case, &mut [u32]),
    plain: F,
    case: &Case,
    out: &mut [u32],
) {
    if Simd::best() >= Simd::Avx512 {
        // SAFETY: the machine has all instructions of this level, and those are the ones that versions by hand are compiled for.
        unsafe { hand(case, out) }
    } else {
        plain::natively(plain, case, out)
    }
}
