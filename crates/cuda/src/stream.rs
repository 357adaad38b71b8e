//! Streams: what is given to one has been done when the call returns, so that each is in order, and all are.

use crate::driver::Driver;
use crate::failed::Answer;

/// Handles of streams that are always there: the default one, by its three names.
pub const DEFAULT: [usize; 3] = [0, 1, 2];

/// A stream that a program has made.
pub struct Stream {
    pub handle: usize,
    pub context: usize,
    pub flags: u32,
    pub priority: i32,
}

/// Priorities go from the first, the least, to the second.
pub const PRIORITIES: (i32, i32) = (0, -5);

impl Driver {
    /// A stream, those that are always there included.
    pub fn stream(&self, handle: usize) -> Answer<Stream> {
        if DEFAULT.contains(&handle) {
            let context = self.current()?.handle;
            return Ok(Stream { handle, context, flags: 0, priority: 0 });
        }
        let found = self.handles.find::<Stream>(handle)?;
        let Stream { handle, context, flags, priority } = *found;
        Ok(Stream { handle, context, flags, priority })
    }

    /// What has to be so for something to be given to a stream.
    pub fn enqueue(&self, stream: usize) -> Answer<Stream> {
        let stream = self.stream(stream)?;
        self.settled()?;
        Ok(stream)
    }
}
