//! What several test files of the crate share.

pub mod random_kernel;
