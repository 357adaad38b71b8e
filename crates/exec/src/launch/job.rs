//! What all blocks of a launch share, whichever engine runs them.

use crate::batch::Simd;
use crate::grid::{self, Dim};
use crate::launch::{Budget, Storage};
use crate::memory::Memory;
use crate::observe::Observe;
use crate::prepared::PreparedKernel;
use crate::profile::{Collected, CountedKernel};
use margay_front::module::{FunctionId, Module};
use margay_isa::special::ENVIRONMENT;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

/// Bytes that are kept of what a launch prints, at most.
const MOST_OUTPUT: u64 = 1 << 28;

/// What all blocks of a launch share.
pub(crate) struct Job<'a> {
    pub(crate) module: &'a Module,
    /// The kernel.
    pub(crate) ready: Arc<PreparedKernel>,
    /// Whether one worker runs all blocks, in an order that repeats.
    pub(crate) ordered: bool,
    /// What another order than the default is drawn from.
    pub(crate) seed: Option<u64>,
    /// Whether blocks will wait for each other.
    pub(crate) cooperative: bool,
    /// Whether the batch engine runs the launch.
    pub(crate) batch: bool,
    pub(crate) storage: Storage,
    /// Bytes that are kept of what has been printed.
    pub(crate) printed: AtomicU64,
    pub(crate) simd: Simd,
    pub(crate) memory: &'a Memory,
    pub(crate) parameters: Vec<u64>,
    pub(crate) parameter_bytes: u64,
    pub(crate) kernel: &'a str,
    pub(crate) entry: FunctionId,
    pub(crate) grid: Dim,
    /// Blocks of a cluster, and whether anybody asked for clusters.
    pub(crate) cluster: Dim,
    pub(crate) explicit: bool,
    pub(crate) block: Dim,
    pub(crate) blocks: u64,
    /// Threads of a block.
    pub(crate) threads: u32,
    pub(crate) dynamic_bytes: u64,
    /// What `%envreg0` to `%envreg31` hold.
    pub(crate) environment: [u32; ENVIRONMENT],
    /// Whether it is noted which registers are written.
    pub(crate) tracks_registers: bool,
    pub(crate) budget: Option<Budget>,
    pub(crate) cancel: Option<&'a AtomicBool>,
    /// What is counted, if anything is.
    pub(crate) profile: Option<Collected>,
    /// What is told while it runs, if anything is.
    pub(crate) observe: Option<&'a Observe<'a>>,
}

impl Job<'_> {
    /// What a profile counts.
    pub(crate) fn counted(&self) -> CountedKernel<'_> {
        CountedKernel { ready: &self.ready, entry: self.entry, batch: self.batch }
    }

    /// Blocks of a cluster.
    pub(crate) fn cluster_blocks(&self) -> u64 {
        self.cluster.count().unwrap_or(1)
    }

    /// The place in the grid of the block that runs as number `index`.
    pub(crate) fn place(&self, index: u64) -> Dim {
        grid::place(self.grid, self.cluster, index)
    }

    /// So many bytes may be kept of what all blocks print, until the launch ends; less where the device's memory is small.
    pub(crate) fn most_output(&self) -> u64 {
        // Text is held up to four times: as it comes, joined, as a text, and in a report.
        self.memory.left(4 * MOST_OUTPUT) / 4
    }

    /// The address in shared memory of the cluster that a generic address stands for, if it is one of a block named by its rank.
    pub(crate) fn far_offset(&self, generic: u64) -> Option<u64> {
        let layout = self.memory.layout();
        let offset = generic.wrapping_sub(layout.shared.base);
        let (rank, _) = layout.cta_of(offset)?;
        (u64::from(rank) < self.cluster_blocks()).then_some(offset)
    }

    /// Whether a generic address is one of global memory: of no window, of no block named by its rank, and not constant.
    pub(crate) fn lies_in_global(&self, address: u64) -> bool {
        let layout = self.memory.layout();
        let windows = [layout.shared, layout.local, layout.param];
        let elsewhere = windows.iter().any(|window| window.offset(address).is_some());
        !elsewhere && self.far_offset(address).is_none() && !self.memory.is_constant(address)
    }

    /// Bytes from the shared memory of one block of a cluster to that of the next.
    pub(crate) fn shared_step(&self) -> u64 {
        self.ready.frame.shared_bytes.next_multiple_of(SHARED_STEP)
    }
}

/// What shared memory of the blocks of a cluster is aligned to.
const SHARED_STEP: u64 = 1024;
