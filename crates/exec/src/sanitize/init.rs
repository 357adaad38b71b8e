//! Reads of memory that nobody has written, to the byte, and of registers that their thread has not written.
//!
//! Written are bytes to which the host gave data, variables in global and constant memory (which are zero without an initial
//! value), kernel parameters, and what any thread has stored. Fresh are other allocations, what `malloc` gives, and shared
//! and local memory when a block, or a function, begins.

use crate::decode;
use crate::launch::Job;
use crate::memory::Written;
use crate::reach::reach;
use crate::sanitize::touched::Touched;
use margay_front::module::{FunctionId, Space};

/// The name of the register in a slot of a function.
pub(super) fn register(job: &Job, function: u32, slot: u32) -> String {
    let id = FunctionId(function);
    let reached = reach(job.module, job.entry);
    let code = job.ready.code[function as usize].as_ref();
    let names = reached
        .functions
        .get(&id)
        .zip(code)
        .map(|(reached, code)| decode::names(job.module.function(id), reached, code));
    let name = names.and_then(|names| names.into_iter().nth(slot as usize)).unwrap_or_default();
    name.trim_end_matches(".low").trim_end_matches(".high").to_string()
}

/// What is known of the memory of one block.
pub(super) struct BlockInit {
    /// By thread.
    local: Vec<Written>,
}

impl BlockInit {
    /// A block with so many threads.
    pub(super) fn new(threads: usize) -> BlockInit {
        BlockInit { local: vec![Written::default(); threads] }
    }

    /// Fresh local memory of a thread.
    pub(super) fn fresh_local(&mut self, thread: u32, at: u64, bytes: u64) {
        self.local[thread as usize].clear(at, bytes);
    }

    /// Local memory of a thread that is written by a call.
    pub(super) fn pass(&mut self, thread: u32, at: u64, bytes: u64) {
        self.local[thread as usize].set(at, bytes);
    }

    /// Local memory of a thread that a call copies: what was never written stays so.
    pub(super) fn copy(&mut self, thread: u32, from: u64, to: u64, bytes: u64) {
        let local = &mut self.local[thread as usize];
        for k in 0..bytes {
            match local.has(from + k, 1) {
                true => local.set(to + k, 1),
                false => local.clear(to + k, 1),
            }
        }
    }
}

/// Looks up, and notes, what is written of the memory that an access is to.
pub(super) fn with_written<T>(
    job: &Job,
    block: &mut BlockInit,
    shared: &mut Written,
    touched: &Touched,
    work: impl FnOnce(&mut Written) -> T,
) -> T {
    match touched.space {
        Space::Shared => work(shared),
        Space::Local => work(&mut block.local[touched.thread as usize]),
        // Other launches may write to it meanwhile.
        Space::Global | Space::Const | Space::Param => {
            work(&mut job.memory.allocation(touched.allocation).written())
        }
    }
}
