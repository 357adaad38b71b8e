//! Steps on barrier objects, decoded.

use super::{Source, Target, Transfer};

/// A step on a barrier object.
#[derive(Clone)]
pub(crate) struct ObjectStep {
    /// Where the object lies.
    pub(crate) place: Transfer<()>,
    pub(crate) change: ObjectChange,
}

/// What is done with a barrier object.
#[derive(Clone)]
pub(crate) enum ObjectChange {
    /// Make it, for so many arrivals in each phase.
    Make(Source),
    /// End it.
    End,
    /// Count arrivals.
    Arrive(Arrive),
    /// Wait for so many bytes more.
    Expect(Source),
    /// So many bytes have come.
    Complete(Source),
    /// Count an arrival when the thread's copies are done, which the phase waits for already unless it is `counted` too.
    Copies { counted: bool },
    /// Learn whether a phase is over.
    Wait(Wait),
}

/// Arrivals at a barrier object.
#[derive(Clone)]
pub(crate) struct Arrive {
    /// How many; one if it is not said.
    pub(crate) count: Option<Source>,
    /// Bytes that the phase waits for from here on.
    pub(crate) bytes: Option<Source>,
    /// Whether later phases wait for so many less.
    pub(crate) leaves: bool,
    /// Whether the phase may end by it.
    pub(crate) ends: bool,
    /// Where the object as it was goes.
    pub(crate) target: Target,
}

/// A look at a barrier object.
#[derive(Clone)]
pub(crate) struct Wait {
    pub(crate) phase: Phase<Source>,
    /// Whether the thread sleeps until the phase is over, or nothing else can happen.
    pub(crate) sleeps: bool,
    pub(crate) target: Target,
}

/// Which phase of a barrier object is asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase<T> {
    /// The one in which an arrival found it so.
    State(T),
    /// The one with this parity.
    Parity(T),
}

impl ObjectStep {
    /// What it reads, its address included.
    pub(crate) fn sources(&self) -> Vec<&Source> {
        let mut sources = vec![&self.place.address];
        match &self.change {
            ObjectChange::Make(from) | ObjectChange::Expect(from) | ObjectChange::Complete(from) => {
                sources.push(from);
            }
            ObjectChange::Arrive(arrive) => sources.extend(arrive.count.iter().chain(&arrive.bytes)),
            ObjectChange::Wait(Wait { phase: Phase::State(from) | Phase::Parity(from), .. }) => {
                sources.push(from);
            }
            ObjectChange::End | ObjectChange::Copies { .. } => {}
        }
        sources
    }

    /// Where its result goes, if it has one.
    pub(crate) fn target(&self) -> Option<&Target> {
        match &self.change {
            ObjectChange::Arrive(Arrive { target, .. }) | ObjectChange::Wait(Wait { target, .. }) => {
                Some(target)
            }
            _ => None,
        }
    }
}
