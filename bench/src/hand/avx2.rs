//! Versions for AVX2 and the bit operations that come with it: eight or four threads a vector, no masks, no dot products of bytes.

pub mod collatz;
pub mod matching;
pub mod mix;
pub mod product;
pub mod sad;
pub mod sha;
pub mod sum;
pub mod vector;
