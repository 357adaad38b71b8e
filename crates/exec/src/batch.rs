//! x
pub(crate) mod lanes;
