//! Storage for running blocks: how many fit a device's memory at once, and how deep the stacks of their threads may get.

use crate::error::LaunchError;
use crate::frame::LOCAL_LIMIT;
use crate::memory::Memory;
use crate::prepared::PreparedKernel;

/// Storage for all of them, in bytes: where a block needs much, fewer run at once.
const BLOCK_STORAGE: u64 = 1 << 30;

/// Bytes of a stack that grows, at least, in a grid whose blocks all run together.
const LEAST_STACK: u64 = 8 << 10;

/// How blocks of a launch are stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Storage {
    /// How many blocks run together.
    pub(crate) members: u32,
    /// How many times so many fit.
    pub(crate) fitting: u64,
    /// Bytes that a thread has for its variables and calls.
    pub(crate) stack_limit: u64,
}

impl Storage {
    /// How many of a launch's blocks each of its workers may hold: where all fit, the one that has begun a block may have to
    /// begin all others, for which it waits.
    pub(super) fn held_by_each(&self, workers: u64, blocks: u64) -> u64 {
        if self.fitting >= blocks.div_ceil(self.members.into()) { blocks } else { self.fitting / workers }
    }
}

/// What is to be stored.
pub(super) struct Stored<'a> {
    pub(super) ready: &'a PreparedKernel,
    pub(super) blocks: u64,
    /// Threads of a block.
    pub(super) threads: u32,
    /// Bytes of a thread beside its variables and calls.
    pub(super) thread_bytes: u64,
    /// How many blocks are to run together.
    pub(super) members: u32,
    /// How many blocks must run together.
    pub(super) of_cluster: u32,
    /// Whether all blocks run together.
    pub(super) cooperative: bool,
    /// Whether the batch engine begins, which leaves its storage only when the launch ends.
    pub(super) batch: bool,
}

impl Stored<'_> {
    /// How it is stored.
    ///
    /// # Errors
    /// If not even one block fits.
    pub(super) fn place(&self, memory: &Memory) -> Result<Storage, LaunchError> {
        let (ready, threads) = (self.ready, u64::from(self.threads));
        let twice = if self.batch { 2 } else { 1 };
        let bare = twice * ready.frame.shared_bytes + threads * self.thread_bytes;
        let fixed = bare + threads * twice * ready.stack_bytes;
        let most = if ready.stack_grows {
            bare + threads * ((twice - 1) * ready.stack_bytes + ready.stack_bytes.max(LOCAL_LIMIT))
        } else {
            fixed
        };
        let all = most.saturating_mul(self.members.into()).saturating_mul(self.blocks);
        let room = memory.left(all.min(BLOCK_STORAGE).max(most));
        if fixed > room {
            return Err(memory.no_room(fixed, &format!("what the {threads} threads of a block need")));
        }
        let needed = fixed.saturating_mul(self.of_cluster.into());
        if needed > room {
            let blocks = self.of_cluster;
            return Err(memory.no_room(needed, &format!("what the {blocks} blocks of a cluster need")));
        }
        if self.cooperative
            && ready.stack_grows
            && let Some(stack_limit) = self.shared_limit(fixed, room)
        {
            let fitting = self.blocks.div_ceil(self.members.into());
            return Ok(Storage { members: self.members, fitting, stack_limit });
        }
        // What is left of the room beside the fixed part is for stacks that grow.
        let stack_limit =
            if most > room { ready.stack_bytes + (room - fixed) / threads } else { LOCAL_LIMIT };
        let (one, several) = (most.min(room).max(1), most.saturating_mul(self.members.into()));
        let (members, each) = match several > room {
            true if self.of_cluster == 1 => (1, one),
            true => (self.of_cluster, room),
            false => (self.members, several.max(1)),
        };
        Ok(Storage { members, fitting: (room / each).max(1), stack_limit })
    }
    /// Bytes that each thread has if all blocks share the room, where that is enough.
    fn shared_limit(&self, fixed: u64, room: u64) -> Option<u64> {
        let left = room.checked_sub(fixed.checked_mul(self.blocks)?)?;
        let each = left / u64::from(self.threads).checked_mul(self.blocks)?;
        (each >= LEAST_STACK).then(|| (self.ready.stack_bytes + each).min(LOCAL_LIMIT))
    }
}
