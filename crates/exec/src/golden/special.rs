//! What the special registers hold (manual, chapter 10). Everything here repeats from run to run: clocks count steps.

use super::lane::Lane;
use crate::frame::RESERVED;
use crate::grid::Dim;
use crate::launch::Job;
use margay_isa::special::SpecialValue;

/// Threads of a warp.
const WARP: u32 = 32;
/// Warps that a multiprocessor can hold.
const WARPS: u32 = 64;
/// Multiprocessors of the device, over which blocks are said to be spread in turn.
const MULTIPROCESSORS: u64 = 16;

impl Lane<'_> {
    /// The value of a special register; `clock` are the steps that the block has taken.
    pub(super) fn special(&self, value: SpecialValue, clock: u64) -> u64 {
        special(self.job, value, self.block, self.thread, self.index, clock)
    }
}

/// The value of a special register in a thread: its block, its place in the block, its number there, and the steps that
/// the block has taken.
pub(crate) fn special(
    job: &Job,
    value: SpecialValue,
    block: Dim,
    thread: Dim,
    index: u32,
    clock: u64,
) -> u64 {
    let lane = index % WARP;
    let bits = |mask: u32| u64::from(mask);
    match value {
        SpecialValue::Tid(axis) => bits(thread.axis(axis)),
        SpecialValue::Ntid(axis) => bits(job.block.axis(axis)),
        SpecialValue::Ctaid(axis) => bits(block.axis(axis)),
        SpecialValue::Nctaid(axis) => bits(job.grid.axis(axis)),
        SpecialValue::Laneid => bits(lane),
        SpecialValue::Warpid => bits(index / WARP),
        SpecialValue::Nwarpid => bits(WARPS),
        SpecialValue::Smid => block_index(job, block) % MULTIPROCESSORS,
        SpecialValue::Nsmid => MULTIPROCESSORS,
        SpecialValue::Gridid => 1,
        SpecialValue::Environment(number) => bits(job.environment[usize::from(number)]),
        SpecialValue::LanemaskEq => bits(1 << lane),
        SpecialValue::LanemaskLe => bits(u32::MAX >> (31 - lane)),
        SpecialValue::LanemaskLt => bits((1 << lane) - 1),
        SpecialValue::LanemaskGe => bits(u32::MAX << lane),
        SpecialValue::LanemaskGt => bits(!(u32::MAX >> (31 - lane))),
        SpecialValue::Clock | SpecialValue::GlobaltimerLo => clock & bits(u32::MAX),
        SpecialValue::ClockHi | SpecialValue::GlobaltimerHi => clock >> 32,
        SpecialValue::Clock64 | SpecialValue::Globaltimer => clock,
        SpecialValue::DynamicSmemSize => job.dynamic_bytes,
        SpecialValue::TotalSmemSize | SpecialValue::AggrSmemSize => job.ready.frame.shared_plain,
        SpecialValue::ReservedSmemBegin => job.ready.frame.reserved.0,
        SpecialValue::ReservedSmemEnd => job.ready.frame.reserved.1,
        SpecialValue::ReservedSmemCap => RESERVED,
        SpecialValue::ReservedSmem(part) => job.ready.frame.reserved.0 + RESERVED / 2 * u64::from(part),
        SpecialValue::Clusterid(axis) => bits(block.axis(axis) / job.cluster.axis(axis)),
        SpecialValue::Nclusterid(axis) => bits(job.grid.axis(axis) / job.cluster.axis(axis)),
        SpecialValue::ClusterCtaid(axis) => bits(block.axis(axis) % job.cluster.axis(axis)),
        SpecialValue::ClusterNctaid(axis) => bits(job.cluster.axis(axis)),
        SpecialValue::ClusterCtarank => rank(job.cluster, block),
        SpecialValue::ClusterNctarank => job.cluster_blocks(),
        SpecialValue::IsExplicitCluster => u64::from(job.explicit),
        SpecialValue::Zero => 0,
        // A launch that could read one is refused.
        SpecialValue::Other(_) => 0,
    }
}

fn block_index(job: &Job, at: Dim) -> u64 {
    let grid = job.grid;
    (u64::from(at.z) * u64::from(grid.y) + u64::from(at.y)) * u64::from(grid.x) + u64::from(at.x)
}

/// The number of a block in its cluster.
fn rank(cluster: Dim, block: Dim) -> u64 {
    let [x, y, z] = [0, 1, 2].map(|axis| u64::from(block.axis(axis) % cluster.axis(axis)));
    (z * u64::from(cluster.y) + y) * u64::from(cluster.x) + x
}
