//! Where bytes lie: in an allocation, or in memory that blocks and threads have of their own.

/// Where some bytes lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Home {
    /// In the allocation with this number.
    Global(usize),
    Shared,
    Local,
    Param,
}

/// A stretch of addresses in one home, and what to take from an address for the offset there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) home: Home,
    pub(super) base: u64,
}
