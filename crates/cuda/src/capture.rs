//! Captures: what streams are given becomes nodes of a graph, and nothing is done.

use crate::driver::Driver;
use crate::event::Event;
use crate::failed::{Answer, Failed};
use crate::graph::Graph;
use crate::results::Code;
use crate::stream::Stream;
use crate::work::Work;
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::{self, ThreadId};

/// What other threads may do meanwhile, by its number in `cuda.h`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Nobody may do what a capture cannot hold.
    Global = 0,
    /// The thread that captures may not.
    ThreadLocal = 1,
    /// All may.
    Relaxed = 2,
}

impl Mode {
    pub fn from(number: u32) -> Answer<Mode> {
        match number {
            0 => Ok(Mode::Global),
            1 => Ok(Mode::ThreadLocal),
            2 => Ok(Mode::Relaxed),
            _ => Err(Code::INVALID_VALUE.into()),
        }
    }
}

thread_local! {
    /// What the thread says of itself, `cuThreadExchangeStreamCaptureMode`.
    static MODE: Cell<Mode> = const { Cell::new(Mode::Global) };
}

/// Says another mode of the thread, and gives the one before.
pub fn exchange_mode(mode: Mode) -> Mode {
    MODE.replace(mode)
}

/// A capture that goes on.
pub struct Capture {
    /// What no other capture has.
    pub id: usize,
    pub graph: Arc<Graph>,
    /// Whether the graph is not the program's before the end.
    is_new: bool,
    mode: Mode,
    thread: ThreadId,
    /// The stream in which it began, and must end.
    origin: usize,
    /// Whether one of its streams waits for the default stream.
    is_blocking: AtomicBool,
    /// Whether something was done that it cannot hold.
    is_invalid: AtomicBool,
    streams: Mutex<Vec<Weak<Stream>>>,
}

/// A stream's part in a capture.
pub struct Member {
    pub capture: Arc<Capture>,
    /// Nodes that the next one of the stream comes after.
    pub last: Vec<usize>,
    /// What was last told of them: it stays where it is until the program asks again.
    pub told: Box<[usize]>,
}

/// An event that was last recorded in a capture, and the nodes before it.
#[derive(Clone)]
pub struct Recorded {
    pub capture: Arc<Capture>,
    pub last: Vec<usize>,
}

/// All captures that go on.
#[derive(Default)]
pub struct Captures {
    /// How many there are at most.
    count: AtomicUsize,
    all: Mutex<Vec<Arc<Capture>>>,
}

impl Captures {
    fn all(&self) -> MutexGuard<'_, Vec<Arc<Capture>>> {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|capture| capture.can_end());
        self.count.store(all.len(), Relaxed);
        all
    }

    fn begin(&self, capture: Arc<Capture>) {
        let mut all = self.all();
        all.push(capture);
        self.count.store(all.len(), Relaxed);
    }

    fn end(&self, id: usize) {
        let mut all = self.all();
        all.retain(|capture| capture.id != id);
        self.count.store(all.len(), Relaxed);
    }

    /// Whether there is none, found out as fast as each call asks.
    fn is_empty(&self) -> bool {
        self.count.load(Relaxed) == 0
    }
}

/// A status of streams, by its number in `cuda.h`.
pub const NONE: u32 = 0;
const ACTIVE: u32 = 1;
const INVALIDATED: u32 = 2;

impl Capture {
    pub fn status(&self) -> u32 {
        if self.is_invalid() { INVALIDATED } else { ACTIVE }
    }

    /// Whether the stream in which it began is still there; if not, those that joined it are left in an error.
    fn can_end(&self) -> bool {
        let is_there = self.streams().first().is_some_and(|stream| stream.strong_count() > 0);
        if !is_there {
            self.invalidate();
        }
        is_there
    }

    fn is_invalid(&self) -> bool {
        self.is_invalid.load(Relaxed)
    }

    /// Ends in an error, whatever comes.
    pub fn invalidate(&self) {
        self.is_invalid.store(true, Relaxed);
    }

    fn check(&self) -> Answer {
        if self.is_invalid() { Err(Code::STREAM_CAPTURE_INVALIDATED.into()) } else { Ok(()) }
    }

    /// Lets a stream take part.
    fn join(self: &Arc<Capture>, stream: &Arc<Stream>, last: Vec<usize>) {
        self.is_blocking.fetch_or(stream.is_blocking(), Relaxed);
        self.streams().push(Arc::downgrade(stream));
        *stream.member() = Some(Member { capture: self.clone(), last, told: Box::default() });
    }

    fn streams(&self) -> MutexGuard<'_, Vec<Weak<Stream>>> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Driver {
    /// Begins a capture in a stream: into a new graph, or after some nodes of one.
    pub fn begin_capture(
        &self,
        stream: &Arc<Stream>,
        mode: Mode,
        into: Option<(Arc<Graph>, Vec<usize>)>,
    ) -> Answer {
        // A stream that is always there is not kept, so that it can have no part in anything.
        if stream.handle <= *crate::stream::DEFAULT.last().unwrap_or(&0) {
            return Err(Code::STREAM_CAPTURE_UNSUPPORTED.into());
        }
        if stream.is_capturing() {
            return Err(Code::ILLEGAL_STATE.into());
        }
        let is_new = into.is_none();
        let (graph, after) = into.unwrap_or_else(|| (self.new_graph(), Vec::new()));
        let capture = Arc::new(Capture {
            id: self.handles.number(),
            graph,
            is_new,
            mode,
            thread: thread::current().id(),
            origin: stream.handle,
            is_blocking: AtomicBool::new(false),
            is_invalid: AtomicBool::new(false),
            streams: Mutex::default(),
        });
        capture.join(stream, after);
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
        for part in capture.streams().iter().filter_map(Weak::upgrade) {
            let member = part.member().take();
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
                if crate::stream::DEFAULT.contains(&stream.handle) {
                    capture.invalidate();
                    return Err(Code::STREAM_CAPTURE_IMPLICIT.into());
                }
                capture.join(stream, last);
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

    /// Refuses a call that a capture could never hold, if the thread's mode and the capture's say so.
    pub fn forbid_unsafe(&self) -> Answer {
        if self.captures.is_empty() || MODE.get() == Mode::Relaxed {
            return Ok(());
        }
        let (own, captures) = (thread::current().id(), self.captures.all());
        let is_forbidden = |capture: &&Arc<Capture>| match capture.mode {
            Mode::Relaxed => false,
            Mode::ThreadLocal => capture.thread == own,
            Mode::Global => capture.thread == own || MODE.get() == Mode::Global,
        };
        let mut those = captures.iter().filter(is_forbidden).peekable();
        if those.peek().is_none() {
            return Ok(());
        }
        those.for_each(|capture| capture.invalidate());
        Err(Code::STREAM_CAPTURE_UNSUPPORTED.into())
    }

    /// Refuses to wait for a stream that captures.
    pub fn forbid_waiting(&self, stream: &Stream) -> Answer {
        if let Some(member) = &*stream.member() {
            member.capture.invalidate();
            return Err(Code::STREAM_CAPTURE_UNSUPPORTED.into());
        }
        self.forbid_implicit(stream)
    }

    /// Gives or takes away nodes that the next one of a capturing stream comes after.
    pub fn set_last(&self, stream: &Stream, nodes: Vec<usize>, is_all: bool) -> Answer {
        let mut member = stream.member();
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
}
