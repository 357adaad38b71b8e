//! The shared memory of a block, and the barrier objects that lie in it.

use std::collections::BTreeSet;

/// Shared memory while a block runs.
#[derive(Default)]
pub(super) struct Shared {
    pub(super) words: Vec<u64>,
    /// Where barrier objects lie.
    pub(super) objects: BTreeSet<u64>,
}

impl Shared {
    pub(super) fn new(bytes: u64) -> Shared {
        Shared { words: vec![0; bytes.div_ceil(8) as usize], objects: BTreeSet::new() }
    }

    /// As a block finds it when it begins.
    pub(super) fn clear(&mut self) {
        self.words.fill(0);
        self.objects.clear();
    }
}
