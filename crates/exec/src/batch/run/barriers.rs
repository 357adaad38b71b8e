//! Who has come to barriers, and where barrier objects lie.

use crate::golden;
use std::collections::BTreeSet;

/// Where objects lie in the shared memory of all blocks (CTAs) that run together, one after the other.
pub(super) type Objects = BTreeSet<u64>;

/// Who has come to the barriers of the blocks (CTAs) that run together.
#[derive(Default)]
pub(super) struct Barriers {
    /// By block (CTA); none if no threads wait while others run.
    pub(super) blocks: Vec<golden::Barriers>,
    /// By thread, the barrier at which it waits, and whether only for the rest of its warp.
    pub(super) at: Vec<(u8, bool)>,
    /// For every warp, the lanes that have not ended, while some of them come to a barrier or end.
    pub(super) alive: Vec<u32>,
    /// Where barrier objects lie.
    pub(super) objects: Objects,
}

impl Barriers {
    /// Nobody has come. Whether anybody can, to how many blocks' (CTAs') barriers, and how many threads these have.
    pub(super) fn begin(&mut self, parks: bool, count: u64, threads: u32) {
        let count = if parks { count as usize } else { 0 };
        self.blocks.iter_mut().for_each(golden::Barriers::reset);
        self.blocks.resize_with(count, || golden::Barriers::new(threads));
        self.at.resize(count * threads as usize, (0, false));
        self.objects.clear();
    }

    /// Whether somebody has come to a barrier that is not complete.
    pub(super) fn are_open(&self) -> bool {
        self.blocks.iter().any(|barriers| barriers.open().next().is_some())
    }

    /// Where a thread waits, and whether only for the rest of its warp.
    pub(super) fn at(&self, thread: usize) -> (u8, bool) {
        self.at[thread]
    }

    /// Those of a block (CTA), for the engine that goes on with it.
    pub(super) fn take(&mut self, member: usize) -> Option<golden::Barriers> {
        let barriers = self.blocks.get_mut(member)?;
        let new = golden::Barriers::new(barriers.threads());
        Some(std::mem::replace(barriers, new))
    }
}
