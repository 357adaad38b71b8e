//! The shared memory of a cluster's blocks, the barrier objects that lie in it, and what else they share.

use super::gate::Gate;
use std::collections::BTreeSet;

/// What the blocks of a cluster share while they run. Whichever has its turn has it.
#[derive(Default)]
pub(super) struct Shared {
    /// The memory of all blocks, one after the other.
    pub(super) words: Vec<u64>,
    /// Where barrier objects lie in it.
    pub(super) objects: BTreeSet<u64>,
    /// A bit for every block that has ended.
    pub(super) ended: u32,
    pub(super) gate: Gate,
}

impl Shared {
    pub(super) fn new(bytes: u64) -> Shared {
        Shared { words: vec![0; bytes.div_ceil(8) as usize], ..Shared::default() }
    }

    /// As the blocks, which have so many threads together, find it when they begin.
    pub(super) fn clear(&mut self, threads: u64) {
        self.words.fill(0);
        self.objects.clear();
        self.ended = 0;
        self.gate = Gate::new(threads);
    }
}
