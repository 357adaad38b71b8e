//! Captures: what streams are given becomes nodes of a graph, and nothing is done.

use crate::failed::Answer;
use crate::graph::Graph;
use crate::results::Code;
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
    pub is_new: bool,
    pub mode: Mode,
    pub thread: ThreadId,
    /// The stream in which it began, and must end.
    pub origin: usize,
    /// Whether one of its streams waits for the default stream.
    pub is_blocking: AtomicBool,
    /// Whether something was done that it cannot hold.
    is_invalid: AtomicBool,
    /// The parts that its streams have in it.
    members: Mutex<Vec<Weak<Membership>>>,
}

/// A stream's part in a capture.
pub struct Member {
    pub capture: Arc<Capture>,
    /// Nodes that the next one of the stream comes after.
    pub last: Vec<usize>,
    /// What was last told of them: it stays where it is until the program asks again.
    pub told: Box<[usize]>,
}

/// The part that a stream has in a capture while it is in one, there as long as the stream.
#[derive(Default)]
pub struct Membership(Mutex<Option<Member>>);

impl Membership {
    pub fn get(&self) -> MutexGuard<'_, Option<Member>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
    pub fn all(&self) -> MutexGuard<'_, Vec<Arc<Capture>>> {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|capture| capture.can_end());
        self.count.store(all.len(), Relaxed);
        all
    }

    pub fn begin(&self, capture: Arc<Capture>) {
        let mut all = self.all();
        all.push(capture);
        self.count.store(all.len(), Relaxed);
    }

    pub fn end(&self, id: usize) {
        let mut all = self.all();
        all.retain(|capture| capture.id != id);
        self.count.store(all.len(), Relaxed);
    }

    /// Whether there is none, found out as fast as each call asks.
    pub fn is_empty(&self) -> bool {
        self.count.load(Relaxed) == 0
    }

    /// Refuses a call that a capture could never hold, if the thread's mode and the capture's say so.
    pub fn forbid_unsafe(&self) -> Answer {
        if self.is_empty() || MODE.get() == Mode::Relaxed {
            return Ok(());
        }
        let (own, captures) = (thread::current().id(), self.all());
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
}

/// A status of streams, by its number in `cuda.h`.
pub const NONE: u32 = 0;
const ACTIVE: u32 = 1;
const INVALIDATED: u32 = 2;

impl Capture {
    /// A capture that a stream begins, of which none has a part yet.
    pub fn new(id: usize, graph: Arc<Graph>, is_new: bool, mode: Mode, origin: usize) -> Capture {
        Capture {
            id,
            graph,
            is_new,
            mode,
            thread: thread::current().id(),
            origin,
            is_blocking: AtomicBool::new(false),
            is_invalid: AtomicBool::new(false),
            members: Mutex::default(),
        }
    }

    pub fn status(&self) -> u32 {
        if self.is_invalid() { INVALIDATED } else { ACTIVE }
    }

    /// Whether the stream in which it began is still there; if not, those that joined it are left in an error.
    fn can_end(&self) -> bool {
        let is_there = self.members().first().is_some_and(|member| member.strong_count() > 0);
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

    pub fn check(&self) -> Answer {
        if self.is_invalid() { Err(Code::STREAM_CAPTURE_INVALIDATED.into()) } else { Ok(()) }
    }

    /// Lets a stream take part, which what the default stream is given waits for or not.
    pub fn join(self: &Arc<Capture>, membership: &Arc<Membership>, is_blocking: bool, last: Vec<usize>) {
        self.is_blocking.fetch_or(is_blocking, Relaxed);
        self.members().push(Arc::downgrade(membership));
        *membership.get() = Some(Member { capture: self.clone(), last, told: Box::default() });
    }

    /// The parts of its streams, the first of which began it.
    pub fn members(&self) -> MutexGuard<'_, Vec<Weak<Membership>>> {
        self.members.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
