//! Streams: what is given to one has been done when the call returns, so that each is in order, and all are.

use crate::capture::Member;
use crate::driver::Driver;
use crate::failed::Answer;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Handles of streams that are always there: the default one, by its three names.
pub const DEFAULT: [usize; 3] = [0, 1, 2];
/// Of these, the one that no other stream waits for.
const PER_THREAD: usize = 2;
/// The flag of streams that do not wait for the default one.
const NON_BLOCKING: u32 = 1;

/// A stream.
pub struct Stream {
    pub handle: usize,
    pub context: usize,
    pub flags: u32,
    pub priority: i32,
    /// Its part in the capture that it is in.
    member: Mutex<Option<Member>>,
}

/// Priorities go from the first, the least, to the second.
pub const PRIORITIES: (i32, i32) = (0, -5);

impl Stream {
    pub fn new(handle: usize, context: usize, flags: u32, priority: i32) -> Stream {
        Stream { handle, context, flags, priority, member: Mutex::default() }
    }

    /// Whether what the default stream is given waits for it.
    pub fn is_blocking(&self) -> bool {
        self.flags & NON_BLOCKING == 0 && self.handle != PER_THREAD
    }

    /// Whether it is the default stream, for which others wait.
    pub fn is_legacy(&self) -> bool {
        DEFAULT.contains(&self.handle) && self.handle != PER_THREAD
    }

    pub fn member(&self) -> MutexGuard<'_, Option<Member>> {
        self.member.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether what it is given becomes nodes of a graph.
    pub fn is_capturing(&self) -> bool {
        self.member().is_some()
    }
}

impl Driver {
    /// A stream, those that are always there included.
    pub fn stream(&self, handle: usize) -> Answer<Arc<Stream>> {
        if DEFAULT.contains(&handle) {
            let context = self.current()?.handle;
            return Ok(Arc::new(Stream::new(handle, context, 0, 0)));
        }
        self.handles.find::<Stream>(handle)
    }
}
