//! Ends of basic blocks at which each thread waits by itself.

use crate::code::Phase;
use margay_front::module::Space;

/// A barrier at which each thread waits, or arrives.
pub(crate) struct BarrierExit {
    pub(crate) id: Number,
    /// How many threads it is for; all of the block if none is given.
    pub(crate) count: Option<Number>,
    /// Whether threads go on as soon as their warp has arrived.
    pub(crate) passes: bool,
    /// Where they go on.
    pub(crate) next: usize,
}

/// A barrier object, the end of whose phase each thread waits for.
pub(crate) struct WaitExit {
    pub(crate) space: Option<Space>,
    /// The address, what is added to it, and what the sum is cut to.
    pub(crate) address: Number,
    pub(crate) offset: u64,
    pub(crate) mask: u64,
    pub(crate) phase: Phase<Number>,
    /// Where they go on.
    pub(crate) next: usize,
}

/// What such an end names: a constant, or what a thread has in a register.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Number {
    Constant(u64),
    Slot { slot: u32, mask: u64 },
}
