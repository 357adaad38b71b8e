//! What a kernel is made ready for: the shape of its blocks, and what its instructions mean.

use crate::grid::Dim;
use margay_front::module::FunctionId;
use margay_isa::{Semantics, Target};

/// What a kernel is made ready for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) entry: FunctionId,
    pub(crate) block: Dim,
    /// Threads of a block.
    pub(crate) threads: u32,
    /// Bytes of dynamic shared memory.
    pub(crate) shared_bytes: u64,
    pub(crate) semantics: Semantics,
    /// Whose matrix products are computed.
    pub(crate) device: Target,
    /// Whether products are added unrounded where nothing forbids it.
    pub(crate) contract: bool,
    /// Whether variables are kept apart.
    pub(crate) apart: bool,
}
