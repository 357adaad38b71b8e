//! Loops in a plan of which many turns are taken at once: what each turn does, and how values grow.

use super::{AddressGroup, AffineId};
use crate::batch::lanes::{Place, VectorOp, What, Work};
use margay_isa::uop::{AffineRule, Cmp, Op, Type};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32};

/// How a block that branches to itself while affine values or such that are the same in all threads say so may take many turns, each a pass
/// over the threads.
pub(crate) struct CountedLoop {
    pub(crate) grows: Grows,
    /// Its operations on values that are the same in all threads; nothing else in it reads what they set.
    pub(crate) scalars: Vec<VectorOp>,
}

/// What the turns of a loop do with affine values.
pub(crate) struct Grows {
    /// The values that each turn begins with and changes.
    pub(crate) carried: Vec<Carried>,
    /// Those that it reads and nothing in it sets.
    pub(crate) fixed: Vec<AffineId>,
    /// All that it sets.
    pub(crate) sets: Vec<AffineId>,
}

/// How such a block that writes nothing, or only to shared memory what it copies, may take many turns where all of them have been found.
pub(crate) struct TurnLoop {
    pub(crate) taken: Taken,
    /// What a turn does with values that are affine or the same in all threads, in order.
    pub(crate) events: Vec<TurnEvent>,
    pub(crate) address_groups: Vec<AddressGroup>,
    pub(crate) grows: Grows,
    /// What turns do with values that are the same in all threads.
    pub(crate) scalars: Vec<GrowingScalar>,
    pub(crate) again: Again,
    /// The block that all threads go to together after the last turn, if what the loop leaves them is known without it.
    pub(crate) leaves_to: Option<usize>,
    /// The affine values that the loop sets and later blocks may read: they must be known for that.
    pub(crate) left: Vec<AffineId>,
    /// Whether they turned out not to be: then the last turn is carried out by itself.
    pub(crate) never_leaves: AtomicBool,
    /// Where results go that memory may have lent.
    pub(crate) lent: Vec<Place>,
    /// The block through which threads come back, if it is another one; it does nothing.
    pub(crate) latch: Option<usize>,
    /// How often in a row turns could not be taken so.
    pub(crate) failures: AtomicU32,
}

/// How turns are taken.
pub(crate) enum Taken {
    /// In one pass, in which each few groups of threads take one after the other.
    AtOnce(OnePass),
    /// By one block (CTA) after the other, each turn as copies and passes.
    ByBlocks(Vec<TilePass>),
}

/// What takes all turns at once.
pub(crate) struct OnePass {
    /// Its number among the plan's fused loops.
    pub(crate) number: u32,
    /// What machine code does in a turn.
    pub(crate) works: Vec<Work>,
    /// Affine values that are materialized before the first turn.
    pub(crate) materialized: Vec<AffineId>,
    /// Values that are the same in all threads and do not grow alike, and that turns carry or leave to later blocks: machine code leaves
    /// each at another place.
    pub(crate) results: Vec<ScalarResult>,
}

/// A pass of a turn, and the copies before it.
pub(crate) struct TilePass {
    /// The number of its fused loop.
    pub(crate) number: u32,
    /// How many of the turn's copies come before it, and before it alone.
    pub(crate) copies: usize,
    /// Which of the turn's address groups are its own.
    pub(crate) groups: Range<usize>,
}

/// Something that a turn does with values that are affine or the same in all threads.
pub(crate) enum TurnEvent {
    /// Operations on affine values, none of which is deferred.
    AffineOps(Range<u32>),
    Scalar(TurnScalar),
    /// Loads are found.
    Find(usize),
    /// A value that is the same in all threads is loaded to this place.
    Load(Place),
    /// The rows that a step loads are found, and where those go that a step stores.
    CopyFrom(usize),
    CopyTo(usize),
}

/// An operation on values that are the same in all threads, and what of it is asked in every turn.
#[derive(Clone, Copy)]
pub(crate) struct TurnScalar {
    pub(crate) op: VectorOp,
    /// Its operands.
    pub(crate) from: [Option<(Type, Place)>; 3],
    /// What it makes of values that grow from turn to turn, and of what type the result is.
    pub(crate) rule: AffineRule,
    pub(crate) ty: Type,
    /// How it compares, if it is a comparison, and what.
    pub(crate) compares: Option<(Cmp, Type)>,
}

impl TurnScalar {
    pub(crate) fn new(op: &VectorOp) -> TurnScalar {
        let (types, ty) = op.what.types();
        let mut from = [None; 3];
        for ((operand, place), ty) in from.iter_mut().zip(op.from).zip(types) {
            *operand = Some((*ty, place));
        }
        let (rule, compares) = match op.what {
            What::Move(_) => (AffineRule::Same, None),
            What::Op(Op::Cmp32(cmp)) => (AffineRule::Never, Some((cmp, Type::U32))),
            What::Op(Op::Cmp64(cmp)) => (AffineRule::Never, Some((cmp, Type::U64))),
            What::Op(op) => (op.affine(), None),
        };
        TurnScalar { op: *op, from, rule, ty, compares }
    }
}

/// A value to which each turn adds the same numbers, or from which it takes them away.
pub(crate) struct GrowingScalar {
    pub(crate) ty: Type,
    pub(crate) place: Place,
    /// Each with whether it is taken away.
    pub(crate) by: Vec<(Place, bool)>,
}

/// A value that is the same in all threads, as turns find it and where they leave it.
pub(crate) struct ScalarResult {
    pub(crate) ty: Type,
    pub(crate) place: Place,
    pub(crate) left: Place,
}

/// What decides whether threads take another turn.
pub(crate) enum Again {
    /// A predicate that is the same in all threads, whether it must hold, the operations that it takes, and whether it is a comparison.
    Uniform { by: Place, holds: bool, scalars: Vec<TurnScalar>, compares: bool },
    /// The block's comparison of affine values, and whether it must hold.
    Affine { holds: bool },
}

/// A value to which each turn of a loop adds the same, or from which it takes it away.
#[derive(Clone, Copy)]
pub(crate) struct Carried {
    pub(crate) value: AffineId,
    pub(crate) by: Growth,
    pub(crate) falls: bool,
}

/// What is the same in all turns and all threads.
#[derive(Clone, Copy)]
pub(crate) enum Growth {
    Affine(AffineId),
    Uniform(Type, Place),
}
