//! What a plan is made for: a kernel's code, and the shape of its blocks.

use crate::batch::origins::{Origin, Origins};
use crate::code::Code;
use crate::frame::Frame;
use crate::grid::Dim;
use crate::memory::Layout;
use margay_front::module::FunctionId;
use margay_isa::Semantics;
use std::ops::Range;

/// What a plan is made for.
#[derive(Clone, Copy)]
pub(crate) struct CompileRequest<'a> {
    pub(crate) code: &'a Code,
    /// Where the code's instructions come from, if they are not all the kernel's own.
    pub(crate) origins: Option<&'a Origins>,
    pub(crate) callees: Callees<'a>,
    pub(crate) layout: &'a Layout,
    pub(crate) semantics: Semantics,
    pub(crate) block: Dim,
    /// Threads of a CTA.
    pub(crate) threads: u32,
    /// CTAs that are executed as one batch.
    pub(crate) batch_size: u32,
    /// Whether instructions may be others than the text has: calls inlined, short arms of branches if-converted.
    pub(crate) may_transform: bool,
}

/// The functions that a kernel can reach, itself included.
#[derive(Clone, Copy)]
pub(crate) struct Callees<'a> {
    /// The kernel.
    pub(crate) entry: u32,
    /// By function.
    pub(crate) code: &'a [Option<Code>],
    pub(crate) frame: &'a Frame,
}

impl CompileRequest<'_> {
    /// How many of some instructions count as executed.
    pub(super) fn counted(&self, range: Range<u32>) -> u32 {
        self.origins.map_or(range.end - range.start, |origins| origins.counted(range))
    }

    /// What an instruction is in the text.
    pub(crate) fn origin(&self, pc: u32) -> Origin {
        self.origins.map_or_else(|| self.of_kernel().of(pc), |origins| origins.of(pc))
    }

    /// The origins of code that is the kernel's own.
    pub(super) fn of_kernel(&self) -> Origins {
        let Callees { entry, frame, .. } = self.callees;
        let bytes = frame.stack(FunctionId(entry)).map_or(0, |stack| stack.bytes);
        Origins::of_kernel(entry, self.code.slots, bytes)
    }
}
