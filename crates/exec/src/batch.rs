//! x
pub(crate) mod flow;
pub(crate) mod lanes;
pub(crate) mod usage;
