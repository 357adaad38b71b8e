//! Captures: begun and ended in streams, and what streams, events and waits are meanwhile.

use super::Driver;
use crate::capture::{Capture, Member, Mode, Recorded};
use crate::event::Event;
use crate::failed::Answer;
use crate::graph::Graph;
use crate::results::Code;
use crate::stream::{DEFAULT, Stream};
use crate::work::Work;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Weak};
use std::thread;

impl Driver {
    /// Begins a capture in a stream: into a new graph, or after some nodes of one.
    pub fn begin_capture(
        &self,
        stream: &Arc<Stream>,
        mode: Mode,
        into: Option<(Arc<Graph>, Vec<usize>)>,
    ) -> Answer {
        // A stream that is always there is not kept, so that it can have no part in anything.
        if stream.handle <= *DEFAULT.last().unwrap_or(&0) {
            return Err(Code::STREAM_CAPTURE_UNSUPPORTED.into());
        }
        if stream.is_capturing() {
            return Err(Code::ILLEGAL_STATE.into());
        }
        let is_new = into.is_none();
        let (graph, after) = into.unwrap_or_else(|| (self.new_graph(), Vec::new()));
        let capture = Arc::new(Capture::new(self.handles.number(), graph, is_new, mode, stream.handle));
        stream.join(&capture, after);
        self.captures.begin(capture);
        Ok(())
    }

    /// Ends the capture that began in a stream, and gives the graph.
    pub fn end_capture(&self, stream: &Stream) -> Answer<Arc<Graph>> {
        let member = stream.member();
        let Some(Member { capture, last, .. }) = &*member else {
            return Err(Code::ILLEGAL_STATE.into());
        };
        if capture.origin != stream.handle {
            capture.invalidate();
            return Err(Code::STREAM_CAPTURE_UNMATCHED.into());
        }
        if capture.mode != Mode::Relaxed && capture.thread != thread::current().id() {
            return Err(Code::STREAM_CAPTURE_WRONG_THREAD.into());
        }
        let (capture, last) = (capture.clone(), last.clone());
        drop(member);
        let mut is_joined = true;
        for part in capture.members().iter().filter_map(Weak::upgrade) {
            let member = part.get().take();
            is_joined &= member.is_none_or(|member| capture.graph.lead_to(&member.last, &last));
        }
        self.captures.end(capture.id);
        let joined = if is_joined { Ok(()) } else { Err(Code::STREAM_CAPTURE_UNJOINED.into()) };
        let ended = capture.check().and(joined);
        if ended.is_err() && capture.is_new {
            self.destroy_graph(capture.graph.handle)?;
        }
        ended.map(|()| capture.graph.clone())
    }

    /// Lets what a capturing stream is given be a node.
    pub fn capture(&self, stream: &Stream, work: impl FnOnce() -> Answer<Work>) -> Answer {
        let mut member = stream.member();
        let Some(Member { capture, last, .. }) = &mut *member else {
            return Err(Code::ILLEGAL_STATE.into());
        };
        capture.check()?;
        let added = work().and_then(|work| self.add_node(&capture.graph, last, work));
        match added {
            Ok(node) => *last = vec![node],
            Err(_) => capture.invalidate(),
        }
        added.map(|_| ())
    }

    /// Lets an event stand for what a stream has been given so far. In a capture it is a node of its own if each launch is to record it.
    pub fn record(&self, stream: &Stream, event: Arc<Event>, is_node: bool) -> Answer {
        let member = stream.member();
        let Some(Member { capture, last, .. }) = &*member else {
            drop(member);
            self.forbid_implicit(stream)?;
            event.record();
            return Ok(());
        };
        if is_node {
            drop(member);
            return self.capture(stream, || Ok(Work::Record(event)));
        }
        capture.check()?;
        event.record_in(Recorded { capture: capture.clone(), last: last.clone() });
        Ok(())
    }

    /// Lets a stream wait for an event: it takes part in the capture in which that was recorded.
    pub fn wait(&self, stream: &Arc<Stream>, event: &Event) -> Answer {
        let recorded = event.recorded();
        if let Some(recorded) = &recorded {
            recorded.capture.check()?;
            if !self.captures.all().iter().any(|capture| capture.id == recorded.capture.id) {
                // It has ended, and the event stands for nothing.
                return Err(Code::CAPTURED_EVENT.into());
            }
        }
        let mut member = stream.member();
        match (&mut *member, recorded) {
            (None, None) => {
                drop(member);
                self.forbid_implicit(stream)?;
                event.follow();
                self.settled().map(|_| ())
            }
            (None, Some(Recorded { capture, last })) => {
                drop(member);
                if DEFAULT.contains(&stream.handle) {
                    capture.invalidate();
                    return Err(Code::STREAM_CAPTURE_IMPLICIT.into());
                }
                stream.join(&capture, last);
                Ok(())
            }
            (Some(own), None) => {
                own.capture.invalidate();
                Err(Code::STREAM_CAPTURE_ISOLATION.into())
            }
            (Some(own), Some(Recorded { capture, last })) => {
                if own.capture.id != capture.id {
                    own.capture.invalidate();
                    capture.invalidate();
                    return Err(Code::STREAM_CAPTURE_MERGE.into());
                }
                let new: Vec<_> = last.into_iter().filter(|node| !own.last.contains(node)).collect();
                own.last.extend(new);
                Ok(())
            }
        }
    }

    /// Refuses what the default stream is given while it would wait for a stream that captures.
    pub fn forbid_implicit(&self, stream: &Stream) -> Answer {
        if self.captures.is_empty() || !stream.is_legacy() {
            return Ok(());
        }
        let captures = self.captures.all();
        let mut those = captures.iter().filter(|capture| capture.is_blocking.load(Relaxed)).peekable();
        if those.peek().is_none() {
            return Ok(());
        }
        those.for_each(|capture| capture.invalidate());
        Err(Code::STREAM_CAPTURE_IMPLICIT.into())
    }

    /// Refuses to wait for a stream that captures.
    pub fn forbid_waiting(&self, stream: &Stream) -> Answer {
        if let Some(member) = &*stream.member() {
            member.capture.invalidate();
            return Err(Code::STREAM_CAPTURE_UNSUPPORTED.into());
        }
        self.forbid_implicit(stream)
    }
}
