//! An access to memory, as whoever watches a launch is told of it.

use crate::code::{Copies, Strength};
use crate::memory::{Access, Region};
use margay_front::module::Space;

/// Who makes an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Made {
    /// The thread itself.
    ByThread,
    /// A copy that goes on beside it; `second` where it is the second access of its instruction.
    Copy { line: Copies, second: bool },
}

impl Made {
    pub(super) fn is_second(self) -> bool {
        matches!(self, Made::Copy { second: true, .. })
    }

    /// How it is known that it is made, if it is made beside the thread.
    pub(super) fn line(self) -> Option<Copies> {
        match self {
            Made::ByThread => None,
            Made::Copy { line, .. } => Some(line),
        }
    }
}

/// An access to memory that was allowed.
pub(crate) struct Touched<'t> {
    pub(crate) function: u32,
    pub(crate) instruction: u32,
    pub(crate) made: Made,
    pub(crate) thread: u32,
    pub(crate) access: Access,
    pub(crate) strength: Strength,
    pub(crate) space: Space,
    /// In that space.
    pub(crate) address: u64,
    pub(crate) bytes: u64,
    /// Which allocation it is in, and whether kernels may write to that.
    pub(crate) allocation: usize,
    pub(crate) read_only: bool,
    /// Where the allocation begins.
    pub(crate) base: u64,
    /// What memory holds now: up to 4 bytes at an address.
    pub(crate) value: &'t dyn Fn(u64, u32) -> u32,
    /// What the thread's local memory holds.
    pub(crate) local: &'t dyn Fn() -> Vec<Region>,
}
