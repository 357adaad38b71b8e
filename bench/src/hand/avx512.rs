//! Versions for AVX-512: 16 or 8 threads a vector.

pub mod collatz;
pub mod matching;
pub mod mix;
pub mod product;
pub mod sad;
pub mod sha;
pub mod sum;
pub mod vector;
