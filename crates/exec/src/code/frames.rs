//! Whether an access at an unknown address is to frames of a thread's activations: of functions that call themselves.

use super::{Source, Target};
use std::ops::Range;

/// The test, which is part of code that the batch engine's compiler makes.
#[derive(Clone)]
pub(crate) struct FrameTest {
    /// The address that the access names, and what becomes of it: a constant is added, the sum is cut.
    pub(crate) address: Source,
    pub(crate) offset: u64,
    pub(crate) mask: u64,
    /// Where the window of local memory begins, if the address is a generic one.
    pub(crate) window: u64,
    /// Bytes of the access, a power of two; what is not a multiple of it does not lie anywhere.
    pub(crate) size: u64,
    /// How much farther on the frames of the thread's activation are than those of its first one.
    pub(crate) distance: Source,
    /// Parts of the frames of an activation that is not called from, where the first one has them.
    pub(crate) current: Vec<Range<u64>>,
    /// The same of those that have called.
    pub(crate) callers: Option<CallerFrames>,
    pub(crate) target: Target,
}

/// Frames of activations that have called another one, all of which are as far apart.
#[derive(Clone)]
pub(crate) struct CallerFrames {
    /// Where those of the first one begin.
    pub(crate) from: u64,
    /// Bytes from one activation to the next.
    pub(crate) step: u64,
    pub(crate) parts: Vec<Range<u64>>,
}

impl FrameTest {
    /// Whether the access is to frames, by its address and how far the thread's activation is from its first one.
    pub(crate) fn holds(&self, address: u64, distance: u64) -> bool {
        let at = (address.wrapping_add(self.offset) & self.mask).wrapping_sub(self.window);
        let lies = |at: u64, parts: &[Range<u64>]| {
            let is_part =
                |part: &Range<u64>| at.wrapping_sub(part.start) <= part.end - part.start - self.size;
            parts.iter().any(is_part)
        };
        let in_callers = |callers: &CallerFrames| {
            let beyond = at.wrapping_sub(callers.from);
            beyond < distance && lies(beyond % callers.step + callers.from, &callers.parts)
        };
        at & (self.size - 1) == 0
            && (lies(at.wrapping_sub(distance), &self.current)
                || self.callers.as_ref().is_some_and(in_callers))
    }
}
