//! The benchmark kernels written by hand with intrinsics, for each level of vector instructions: what margay is measured against.
//!
//! Each does the arithmetic that the kernel prescribes for each thread, as many threads a vector as fit; the order of work, unrolling
//! and instructions are chosen freely. Where a level has no version, plain Rust compiled for it stands in.

use crate::case::Case;
#[cfg(target_arch = "x86_64")]
use crate::level::is_avx512;
use margay_exec::Simd;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod floats;
#[cfg(target_arch = "x86_64")]
mod histogram;

/// Whoever calls one has seen that the machine has its level.
pub type Version = unsafe fn(&Case, &mut [u32]);

/// Short name of a kernel, its version for AVX2, its version for AVX-512.
#[cfg(target_arch = "x86_64")]
const VERSIONS: &[(&str, Version, Version)] = &[
    ("K1", avx2::sad::sad, avx512::sad::sad),
    ("K2", avx2::matching::matching, avx512::matching::matching),
    ("K3", avx2::mix::mix, avx512::mix::mix),
    ("K4", avx2::collatz::collatz, avx512::collatz::collatz),
    ("K5", avx2::sum::sum, avx512::sum::sum),
    ("K6", avx2::product::product, avx512::product::product),
    ("K7", histogram::histogram, histogram::histogram),
    ("K8", avx2::sha::sha256, avx512::sha::sha256),
    ("F1", floats::avx2::<1>, floats::avx512::<1>),
    ("F2", floats::avx2::<2>, floats::avx512::<2>),
    ("F3", floats::avx2::<3>, floats::avx512::<3>),
    ("F4", floats::avx2::<4>, floats::avx512::<4>),
    ("F5", floats::avx2::<5>, floats::avx512::<5>),
    ("F6", floats::avx2::<6>, floats::avx512::<6>),
    ("F7", floats::avx2::<7>, floats::avx512::<7>),
    ("F8", floats::avx2::<8>, floats::avx512::<8>),
    ("F9", avx2::product::bytes, avx512::product::bytes),
    ("F10", floats::avx2::<10>, floats::avx512::<10>),
    ("A1", floats::avx2::<{ floats::POWER }>, floats::avx512::<{ floats::POWER }>),
    ("A2", floats::avx2::<{ floats::LOGARITHM }>, floats::avx512::<{ floats::LOGARITHM }>),
    ("A3", floats::avx2::<{ floats::ROOT }>, floats::avx512::<{ floats::ROOT }>),
];

/// The version of a kernel for a level that the machine has.
#[cfg(target_arch = "x86_64")]
pub fn version(short: &str, level: Simd) -> Option<Version> {
    let (_, avx2, avx512) = VERSIONS.iter().find(|(name, ..)| *name == short)?;
    if is_avx512(level) {
        Some(*avx512)
    } else if level >= Simd::Avx2 {
        Some(*avx2)
    } else {
        None
    }
}

/// The version of a kernel for a level that the machine has.
#[cfg(not(target_arch = "x86_64"))]
pub fn version(_short: &str, _level: Simd) -> Option<Version> {
    None
}
