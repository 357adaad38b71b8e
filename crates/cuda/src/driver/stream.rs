//! Streams: found by their handles, and given something to do.

use super::Driver;
use crate::failed::Answer;
use crate::stream::{DEFAULT, Stream};
use crate::work::Work;
use std::sync::Arc;

impl Driver {
    /// A stream, those that are always there included.
    pub fn stream(&self, handle: usize) -> Answer<Arc<Stream>> {
        if DEFAULT.contains(&handle) {
            let context = self.current()?.handle;
            return Ok(Arc::new(Stream::new(handle, context, 0, 0)));
        }
        self.handles.find::<Stream>(handle)
    }

    /// Gives a stream something to do: that is done at once, or becomes a node of the graph that captures the stream.
    pub fn give(&self, stream: usize, work: impl FnOnce() -> Answer<Work>) -> Answer {
        let stream = self.stream(stream)?;
        if stream.is_capturing() {
            return self.capture(&stream, work);
        }
        self.forbid_implicit(&stream)?;
        self.settled()?;
        self.carry_out(&work()?)
    }
}
