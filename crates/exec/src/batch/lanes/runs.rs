//! Which operations are carried out together: one after the other, or in one pass over the threads.

use crate::batch::lanes::Place;
use crate::batch::lanes::fused_loop::{Geometry, Item};
use foldhash::HashMap;
use margay_isa::uop::Type;
use std::ops::Range;

/// What a run of operations is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RunKind {
    /// One by itself.
    Alone,
    /// Part of a fused loop.
    Part,
    /// One that is carried out again for each group of threads, until none of them goes round: its last operation says who does.
    SelfLoop,
}

/// What is done in one pass over the threads.
pub(crate) struct Fused {
    pub(crate) items: Vec<Item>,
    /// What is stored meanwhile.
    pub(crate) stores: Vec<FusedStore>,
    /// Whether each thread does it many times, with elements that lie farther on each time; then a result may be the same in all threads.
    pub(crate) turns: bool,
}

/// How operations are carried out together, and what is known of their places.
#[derive(Default)]
pub(crate) struct Runs {
    /// Operations that are carried out one after the other.
    pub(crate) ranges: Vec<(Range<u32>, RunKind)>,
    /// Whether something reads each operation's result after its run; what nothing reads need not be in its place then.
    pub(crate) lasts: Vec<bool>,
    /// The constants at places that are the same in all threads, by their lines.
    pub(crate) constants: HashMap<u32, u64>,
    /// Loads and operations that may be one pass.
    pub(crate) fused_loops: Vec<Fused>,
    /// The first line of the mask of the threads that run.
    pub(crate) active: Option<u32>,
    pub(crate) geometry: Geometry,
}

/// A store in a pass.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FusedStore {
    /// How many items come before it.
    pub(crate) after: usize,
    /// Its number among what the pass finds in memory.
    pub(crate) source: usize,
    /// Bytes of an element.
    pub(crate) bytes: u32,
    pub(crate) from: Place,
}

impl FusedStore {
    pub(crate) fn ty(&self) -> Type {
        if self.bytes == 8 { Type::U64 } else { Type::U32 }
    }
}

impl Fused {
    /// What is done, and whether many times.
    pub(super) fn each(&self) -> impl Iterator<Item = (&Item, bool)> {
        self.items.iter().map(|item| (item, self.turns))
    }
}

/// How far towards bytes the text of machine code goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MachineStage {
    Isel,
    Regs,
    Asm,
}
