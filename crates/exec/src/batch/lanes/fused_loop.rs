//! Fused loops: loads, operations and exchanges within warps that may be carried out in one pass over the threads.

use crate::batch::affine::AXES;
use crate::batch::lanes::{Place, VectorOp};
use crate::memory::{Bulk, RowCopies};
use margay_isa::WARP;
use margay_isa::uop::Type;

/// What is done in a fused loop: an operation, a load of strided elements, or an exchange of values.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Work {
    VectorOp(VectorOp),
    Load {
        /// The number of the load in its fused loop.
        load: usize,
        /// Bytes from the load's first element to this one, and of an element.
        at: i32,
        bytes: u32,
        to: Place,
    },
    /// All lanes of each warp get a value of 32 bits of another.
    Exchange {
        /// The lane that each reads.
        choices: [u8; WARP],
        from: Place,
        to: Place,
    },
}

/// The same, and whether something reads its result after the fused loop; what nothing reads need not be in its place then.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    pub(crate) work: Work,
    pub(crate) lasts: bool,
}

impl Work {
    /// Where the result goes.
    pub(crate) fn to(&self) -> Place {
        match self {
            Work::VectorOp(vector_op) => vector_op.to,
            Work::Load { to, .. } | Work::Exchange { to, .. } => *to,
        }
    }
}

impl Item {
    pub(crate) fn to(&self) -> Place {
        self.work.to()
    }

    pub(super) fn result(&self) -> Type {
        match &self.work {
            Work::VectorOp(VectorOp { what, .. }) => what.types().1,
            Work::Load { bytes: 8, .. } => Type::U64,
            Work::Load { .. } | Work::Exchange { .. } => Type::U32,
        }
    }

    /// The places that it reads.
    pub(crate) fn operands(&self) -> Vec<(Place, Type)> {
        match &self.work {
            Work::VectorOp(vector_op) => {
                let (types, _) = vector_op.what.types();
                vector_op.from.iter().copied().zip(types.iter().copied()).collect()
            }
            Work::Load { .. } => Vec::new(),
            Work::Exchange { from, .. } => vec![(*from, Type::U32)],
        }
    }
}

/// How threads lie in blocks that run together.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Geometry {
    /// Threads along each axis of a block, and blocks.
    pub(crate) extent: [u32; AXES],
}

impl Geometry {
    /// Threads of a block.
    pub(super) fn own(&self) -> usize {
        self.extent[..AXES - 1].iter().map(|extent| *extent as usize).product()
    }

    /// How far a thread's element lies from the first thread's.
    pub(super) fn distance(&self, steps: &[i64; AXES], thread: usize) -> i64 {
        let (mut rest, mut distance) = (thread, 0i64);
        for (extent, step) in self.extent.iter().zip(steps) {
            let extent = (*extent).max(1) as usize;
            distance = distance.wrapping_add(step.wrapping_mul((rest % extent) as i64));
            rest /= extent;
        }
        distance
    }
}

/// Where a load of a fused loop finds its elements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source {
    /// The first thread's first element.
    pub(super) start: *const u8,
    /// Bytes from thread to thread along each axis, and from block to block.
    pub(super) steps: [i64; AXES],
}

impl Source {
    /// Elements of so many bytes: the first thread's `at` bytes from the memory's start, the others' from `below` to `above`
    /// bytes from there. None if they do not all lie inside.
    pub(crate) fn new(
        memory: Bulk,
        at: u64,
        steps: [i64; AXES],
        (below, above): (i64, i64),
        bytes: u64,
    ) -> Option<Source> {
        let least = at.checked_add_signed(below)?;
        let length = u64::try_from(above.checked_sub(below)?).ok()?.checked_add(bytes)?;
        let start = memory.stretch(least, length)?;
        Some(Source { start: start.wrapping_add((at - least) as usize), steps })
    }

    /// The same for those threads that are first along an axis, and how far the next ones' elements lie.
    pub(crate) fn without(self, axis: usize) -> (Source, i64) {
        let mut source = self;
        let step = std::mem::take(&mut source.steps[axis]);
        (source, step)
    }

    /// So many bytes further on; that must be where elements of threads lie that it was made for.
    pub(crate) fn moved(self, bytes: i64) -> Source {
        Source { start: self.start.wrapping_offset(bytes as isize), ..self }
    }
}

/// How many turns a pass takes, and how far elements move on from turn to turn, by load.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TurnsOf<'m> {
    pub(crate) count: u32,
    pub(crate) moves: &'m [i64],
}

/// What a fused loop's pass is told of where it is carried out.
#[derive(Clone, Copy)]
pub(crate) struct PassInput<'p> {
    /// Where each load finds its elements.
    pub(crate) sources: &'p [Source],
    /// Rows that must be copied before the threads of their block come.
    pub(crate) copies: &'p [RowCopies],
    /// The turns that it takes, if it takes turns.
    pub(crate) turns: Option<TurnsOf<'p>>,
}

/// A pass of a tiled loop's turn, and the copies before it.
#[derive(Clone, Copy)]
pub(crate) struct TileInput<'p> {
    /// The number of its fused loop.
    pub(crate) fused_loop: u32,
    /// Rows that are copied before it.
    pub(crate) copies: &'p [RowCopies],
    /// Where each of its loads finds its elements in the first turn, and how far these move on from turn to turn.
    pub(crate) sources: &'p [Source],
    pub(crate) moves: &'p [i64],
}
