//! What a plan is made for: a kernel's code, and the shape of its blocks.

use crate::code::Code;
use crate::grid::Dim;
use crate::memory::Layout;
use margay_isa::Semantics;

/// What a plan is made for.
#[derive(Clone, Copy)]
pub(crate) struct CompileRequest<'a> {
    pub(crate) code: &'a Code,
    pub(crate) layout: &'a Layout,
    pub(crate) semantics: Semantics,
    pub(crate) block: Dim,
    /// Threads of a CTA.
    pub(crate) threads: u32,
    /// CTAs that are executed as one batch.
    pub(crate) batch_size: u32,
    /// Whether short arms of branches may be if-converted.
    pub(crate) may_if_convert: bool,
}
