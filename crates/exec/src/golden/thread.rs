//! A thread between two turns, and what it has brought to where it waits.

use super::stack::Stack;
use crate::code::Phase;
use crate::grid::Dim;
use crate::observe::{Held, Spot};
use crate::trap::TrapKind;
use margay_isa::Args;

/// A thread between two turns. One that waits stands at the instruction that made it wait.
pub(super) struct Thread {
    pub(super) id: Dim,
    pub(super) stack: Stack,
    pub(super) state: State,
    /// How it stood when it last learnt that a phase is not over.
    pub(super) stood: Option<Box<Stood>>,
    /// The phase of the cluster's barrier in which it has arrived, if it has not waited yet.
    pub(super) arrived: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Ready,
    /// At a barrier, for the whole block or only for the rest of its warp.
    Barrier {
        id: u8,
        passes: bool,
    },
    /// At an instruction that lanes of a warp carry out together.
    Together,
    /// At a barrier object whose phase is not over.
    Asleep(Asleep),
    /// At the cluster's barrier.
    Gate,
    Ended,
}

/// What came of a step on a barrier object.
pub(super) enum Done {
    /// The thread goes on.
    GoOn,
    /// It does, and the phase is over.
    PhaseOver,
    /// It has asked for a phase that is not over.
    Asks(Look),
}

/// A phase that a thread asks for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Look {
    /// Where the object lies.
    pub(super) at: u64,
    pub(super) phase: Phase<u64>,
    /// Whether the thread sleeps until the phase is over, or nothing else can happen.
    pub(super) sleeps: bool,
}

/// A thread that waits at a barrier object.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Asleep {
    pub(super) at: u64,
    pub(super) look: Look,
    /// Whether it would only ask again.
    pub(super) hopeless: bool,
    /// How often the others have had their turn.
    pub(super) turns: u32,
}

/// How a thread stands when it asks.
#[derive(PartialEq, Eq)]
pub(super) struct Stood {
    pub(super) look: Look,
    pub(super) function: u32,
    pub(super) pc: u32,
    pub(super) calls: usize,
    pub(super) deeds: u64,
    pub(super) registers: Vec<u64>,
}

/// What a waiting lane has brought.
#[derive(Clone, Copy, Default)]
pub(super) struct Visit {
    pub(super) members: Option<u32>,
    pub(super) sources: Args,
    /// How often the others have had their turn.
    pub(super) turns: u32,
}

/// An instruction that has begun: what is known before it is done.
pub(super) struct Begun {
    pub(super) at: Spot,
    pub(super) skipped: bool,
    pub(super) reads: Vec<Held>,
    /// The slots that it writes, in the frame that it began in.
    pub(super) writes: Vec<u32>,
    pub(super) address: Option<u64>,
    pub(super) registers: usize,
}

/// What went wrong, and in which thread: not always the one whose turn it is.
pub(super) struct Failure {
    pub(super) thread: usize,
    /// Boxed, for it is large and rare.
    pub(super) kind: Box<TrapKind>,
}

impl Failure {
    pub(super) fn new(thread: usize, kind: TrapKind) -> Failure {
        Failure { thread, kind: Box::new(kind) }
    }
}
