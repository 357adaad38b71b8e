//! Streams: what is given to one has been done when the call returns, so that each is in order, and all are.

use crate::capture::{Capture, Member, Membership};
use crate::failed::{Answer, Failed};
use crate::results::Code;
use std::sync::{Arc, MutexGuard};

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
    membership: Arc<Membership>,
}

/// Priorities go from the first, the least, to the second.
pub const PRIORITIES: (i32, i32) = (0, -5);

impl Stream {
    pub fn new(handle: usize, context: usize, flags: u32, priority: i32) -> Stream {
        Stream { handle, context, flags, priority, membership: Arc::default() }
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
        self.membership.get()
    }

    /// Gives or takes away nodes that the next one comes after, if it captures.
    pub fn set_last(&self, nodes: Vec<usize>, is_all: bool) -> Answer {
        let mut member = self.member();
        let Some(member) = &mut *member else { return Err(Code::ILLEGAL_STATE.into()) };
        member.capture.check()?;
        let graph = &member.capture.graph;
        let known: Vec<usize> = graph.nodes().iter().map(|node| node.handle).collect();
        if nodes.iter().any(|node| !known.contains(node)) {
            return Err(Failed::from(Code::INVALID_VALUE));
        }
        if is_all {
            member.last.clear();
        }
        let new: Vec<_> = nodes.into_iter().filter(|node| !member.last.contains(node)).collect();
        member.last.extend(new);
        Ok(())
    }

    /// Lets it take part in a capture, after some nodes.
    pub fn join(&self, capture: &Arc<Capture>, last: Vec<usize>) {
        capture.join(&self.membership, self.is_blocking(), last);
    }

    /// Whether what it is given becomes nodes of a graph.
    pub fn is_capturing(&self) -> bool {
        self.member().is_some()
    }
}
