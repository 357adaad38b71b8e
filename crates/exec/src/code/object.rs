//! Steps on barrier objects, decoded.

use super::{Source, Target, Transfer};
use margay_isa::{BarrierObject, Inst};

/// A step on a barrier object.
#[derive(Clone)]
pub(crate) struct ObjectStep {
    pub(crate) inst: Inst,
    /// Where the object lies.
    pub(crate) place: Transfer<()>,
    /// A bit for every block of the cluster in whose memory one lies, at the same place, if there are several: only arrivals have them.
    pub(crate) blocks: Option<Source>,
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

/// How an object changes, by numbers that the step brings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Change {
    /// It is made.
    Make,
    /// There is none any more.
    End,
    /// Arrivals are counted: one, or as many as the first number says.
    Arrive {
        counted: bool,
        expects: bool,
        leaves: bool,
        ends: bool,
    },
    Expect,
    Complete,
    Copies {
        counted: bool,
    },
}

impl Change {
    /// Changes an object.
    ///
    /// # Errors
    /// If it may not change so.
    pub(crate) fn apply(self, object: &mut BarrierObject, numbers: &[u32]) -> Result<(), String> {
        let mut numbers = numbers.iter().copied();
        let mut next = || numbers.next().unwrap_or(0);
        match self {
            Change::Make => {
                *object = BarrierObject::new(next())?;
                Ok(())
            }
            Change::End => Ok(()),
            Change::Arrive { counted, expects, leaves, ends } => {
                let phase = object.phase;
                let count = if counted { next() } else { 1 };
                if expects {
                    object.expect(next())?;
                }
                object.arrive(count, leaves)?;
                match ends || object.phase == phase {
                    true => Ok(()),
                    false => Err("an arrival that must not end the phase of its barrier object does".into()),
                }
            }
            Change::Expect => object.expect(next()),
            Change::Complete => object.complete(next()),
            // Copies are done when they are begun: what the phase would wait for more has come.
            Change::Copies { counted: true } => object.add_arrival(),
            Change::Copies { counted: false } => object.arrive(1, false),
        }
    }
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
    /// Whether it tells that what the thread has begun in tensor memory is done.
    pub(crate) commits: bool,
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

impl Phase<u64> {
    /// Whether an object's phase is over.
    ///
    /// # Errors
    /// If the object never was in that state.
    pub(crate) fn is_over(self, object: BarrierObject) -> Result<bool, String> {
        match self {
            Phase::State(state) => object.is_over(state),
            Phase::Parity(parity) => Ok(object.has_passed(parity as u32)),
        }
    }
}

impl ObjectChange {
    /// What it does, but for looks.
    pub(crate) fn change(&self) -> Option<Change> {
        Some(match self {
            ObjectChange::Make(_) => Change::Make,
            ObjectChange::End => Change::End,
            ObjectChange::Arrive(Arrive { count, bytes, leaves, ends, .. }) => Change::Arrive {
                counted: count.is_some(),
                expects: bytes.is_some(),
                leaves: *leaves,
                ends: *ends,
            },
            ObjectChange::Expect(_) => Change::Expect,
            ObjectChange::Complete(_) => Change::Complete,
            ObjectChange::Copies { counted } => Change::Copies { counted: *counted },
            ObjectChange::Wait(_) => return None,
        })
    }

    /// The numbers that it brings.
    pub(crate) fn numbers(&self) -> Vec<&Source> {
        match self {
            ObjectChange::Make(from) | ObjectChange::Expect(from) | ObjectChange::Complete(from) => {
                vec![from]
            }
            ObjectChange::Arrive(arrive) => arrive.count.iter().chain(&arrive.bytes).collect(),
            ObjectChange::Wait(Wait { phase: Phase::State(from) | Phase::Parity(from), .. }) => vec![from],
            ObjectChange::End | ObjectChange::Copies { .. } => Vec::new(),
        }
    }
}

impl ObjectStep {
    /// What it reads, its address included.
    pub(crate) fn sources(&self) -> Vec<&Source> {
        let mut sources = vec![&self.place.address];
        sources.extend(self.change.numbers());
        sources.extend(&self.blocks);
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

    /// Whether it is a look whose answer goes somewhere.
    pub(crate) fn asks(&self) -> bool {
        matches!(&self.change, ObjectChange::Wait(wait) if !matches!(wait.target, Target::Sink))
    }
}
