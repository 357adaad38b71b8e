//! The shared memory of a cluster's blocks, the barrier objects that lie in it, and what else they share.

use crate::tensor_memory::TensorMemory;
use std::collections::BTreeSet;

/// What the blocks of a cluster share while they run. Whichever has its turn has it.
#[derive(Default)]
pub(super) struct Shared {
    /// The memory of all blocks, one after the other.
    pub(super) words: Vec<u64>,
    /// Where barrier objects lie in it.
    pub(super) objects: BTreeSet<u64>,
    /// The tensor memory of each block: products of a pair reach that of both.
    pub(super) tensor_memories: Vec<TensorMemory>,
    /// A bit for every block that has ended.
    pub(super) ended: u32,
    pub(super) gate: Gate,
}

impl Shared {
    pub(super) fn new(blocks: u64, bytes: u64) -> Shared {
        Shared {
            words: vec![0; bytes.div_ceil(8) as usize],
            tensor_memories: vec![TensorMemory::default(); blocks as usize],
            ..Shared::default()
        }
    }

    /// As the blocks, which have so many threads together, find it when they begin.
    pub(super) fn clear(&mut self, threads: u64) {
        self.words.fill(0);
        self.objects.clear();
        self.tensor_memories.iter_mut().for_each(TensorMemory::clear);
        self.ended = 0;
        self.gate = Gate::new(threads);
    }
}

/// Who has arrived at the cluster's barrier.
#[derive(Default)]
pub(super) struct Gate {
    pub(super) threads: u64,
    /// How often it has been complete.
    pub(super) phase: u64,
    pub(super) arrived: u64,
    /// Threads that have ended, and those of them that have not arrived since it was complete.
    pub(super) ended: u64,
    pub(super) absent: u64,
}

impl Gate {
    pub(super) fn new(threads: u64) -> Gate {
        Gate { threads, ..Gate::default() }
    }

    pub(super) fn arrive(&mut self) {
        self.arrived += 1;
        self.settle();
    }

    /// A thread has ended, which has arrived or has not.
    pub(super) fn end(&mut self, has_arrived: bool) {
        self.ended += 1;
        self.absent += u64::from(!has_arrived);
        self.settle();
    }

    fn settle(&mut self) {
        if self.arrived + self.absent == self.threads && self.arrived > 0 {
            self.phase += 1;
            (self.arrived, self.absent) = (0, self.ended);
        }
    }

    /// How many threads it still waits for.
    pub(super) fn missing(&self) -> u64 {
        self.threads - self.arrived - self.absent
    }
}
