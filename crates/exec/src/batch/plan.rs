//! A kernel made ready for a shape of blocks: what is done in which order, and where every value lies.

mod apart;
mod loops;
mod parking;
mod traffic;

use crate::batch::affine::{AffineDef, Patterns};
use crate::batch::compile::axes::Axes;
use crate::batch::compile::ir::Memory;
use crate::batch::compile::liveness::Bits;
use crate::batch::lanes::{Place, ProductOp, Storage, VectorOp, VectorOps};
use crate::batch::origins::Origins;
use crate::batch::run::pool::Pool;
use crate::batch::tile_moves::TileMoves;
use crate::code::{Deed, Function, Members, Reduction, Update};
use margay_front::module::Space;
use margay_isa::special::SpecialValue;
use margay_isa::uop::{Cmp, Op, Type};
use margay_isa::warp::Gather;
use margay_isa::{Inst, WARP};
use std::ops::Range;

pub(crate) use loops::{
    Again, Carried, CountedLoop, GrowingScalar, Grows, Growth, OnePass, ScalarResult, Taken, TilePass,
    TurnEvent, TurnLoop, TurnScalar,
};
pub(crate) use parking::{BarrierExit, Number, WaitExit};

/// Threads that run together at most.
pub(crate) const MOST_THREADS: u32 = 16384;

/// The same of plans that move much, go round in loops, or have steps of whole warps.
pub(crate) const MANY_THREADS: u32 = 8192;

/// A kernel made ready.
pub(crate) struct Plan {
    pub(crate) blocks: Vec<Block>,
    pub(crate) vector_ops: VectorOps,
    pub(crate) affine_ops: Vec<AffineOp>,
    /// What gives the same in all blocks of a launch: done once by every worker, before its first.
    pub(crate) prologue: Vec<Step>,
    /// CTAs that are executed as one batch, at most.
    pub(crate) batch_size: u32,
    /// How the threads of a block lie along the axes of affine values.
    pub(crate) axes: Axes,
    /// Where constants lie.
    pub(crate) constants: Vec<(Type, Place, u64)>,
    /// Special registers that are the same for all threads, or for each thread in all CTAs.
    pub(crate) specials: Vec<(Type, Place, SpecialValue)>,
    /// Affine values.
    pub(crate) affine_values: Vec<AffinePlace>,
    /// Those that are constants.
    pub(crate) affine_constants: Vec<(AffineId, u64)>,
    /// Those that special registers hold: a thread's place along an axis, or a CTA's.
    pub(crate) places: Vec<(AffineId, SpecialValue)>,
    /// Where registers lie from block to block; none if no block needs them.
    pub(crate) homes: Vec<Home>,
    /// Where its instructions come from.
    pub(crate) origins: Origins,
    /// Loads, stores and atomic operations.
    pub(crate) sites: u32,
    /// What begins as 0 in every CTA, because something may read it before it is set.
    pub(crate) zero: Vec<(Type, Place)>,
    pub(crate) zero_affines: Vec<AffineId>,
    /// The mask of the threads that run.
    pub(crate) active: Place,
    /// Bytes of the registers of a thread that are used much.
    pub(crate) thread_bytes: u32,
    /// Bytes of a thread that the block of the plan works on that has the most: values that are read in another run of
    /// operations than they are made in, or by another step; masks; what steps keep aside.
    pub(crate) bytes_between: u32,
    /// Whether a loop may wait for what another thread does.
    pub(crate) may_wait: bool,
    /// Whether a step prints.
    pub(crate) prints: bool,
    /// Whether threads wait at barriers while others run.
    pub(crate) parks: bool,
    /// Lines that earlier launches have used: constants and what each thread has in all blocks are in them.
    pub(crate) pool: Pool<Storage>,
    /// What earlier launches have found out about lanes' patterns.
    pub(crate) patterns: Pool<Box<Patterns>>,
}

/// The number of an affine value.
pub(crate) type AffineId = u32;

/// Where such a value lies once it has been materialized; one that is the same in all threads always is.
#[derive(Clone, Copy)]
pub(crate) struct AffinePlace {
    pub(crate) ty: Type,
    pub(crate) place: Place,
}

/// Where a value lies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Home {
    Nowhere,
    Const(u64),
    At(Type, Place),
    Affine(AffineId),
}

/// A block made ready.
pub(crate) struct Block {
    pub(crate) steps: Vec<Step>,
    pub(crate) exit: Exit,
    /// The blocks at which threads may wait while it runs, for a judge of where they do.
    #[cfg(debug_assertions)]
    pub(crate) pending: Bits,
    /// Whether it has a barrier that all threads of a block (CTA) meet at.
    pub(crate) meets: bool,
    /// Whether nobody can wait for what threads do there before they come to that barrier.
    pub(crate) only_meets: bool,
    /// Whether threads that come to it do nothing any more but end.
    pub(crate) only_ends: bool,
    /// The blocks from which threads may come to its instructions whose lanes name no members; nothing if any may.
    pub(crate) comers: Option<Bits>,
    /// Its first instruction, and how many it has.
    pub(crate) first: u32,
    pub(crate) instructions: u32,
    /// How many count as executed: one more if another engine carries out one behind it, which some threads may skip.
    pub(crate) counted: u32,
    /// One behind the last of these.
    pub(crate) counted_end: u32,
    /// Whether a predicate decides where threads go on.
    pub(crate) branches: bool,
    /// Whether its operations read the mask of the threads that run.
    pub(crate) reads_mask: bool,
    /// What registers are set to on the way.
    pub(crate) sets: Vec<Set>,
    /// Those of its steps that may be one pass, in their order.
    pub(crate) fused_loops: Vec<FusedLoop>,
    /// Operations on affine values whose results only fused loops' loads need that are found without them; in order.
    pub(crate) deferred: Vec<u32>,
    /// Its loads among the steps of the prologue.
    pub(crate) hoisted: Vec<u32>,
    pub(crate) self_loop: Option<SelfLoop>,
    pub(crate) counted_loop: Option<CountedLoop>,
    pub(crate) turn_loop: Option<TurnLoop>,
}

impl Block {
    /// Whether threads wait at a barrier, or arrive at it: nothing else is in such a block.
    pub(crate) fn waits(&self) -> bool {
        matches!(self.exit, Exit::Barrier(_))
    }

    /// Whether threads wait there until they are let go: at a barrier, or for the end of a barrier object's phase.
    pub(crate) fn parks(&self) -> bool {
        matches!(self.exit, Exit::Barrier(_) | Exit::Wait(_))
    }
}

/// How a block that branches to itself goes round without the engine.
pub(crate) struct SelfLoop {
    /// Its operations in a turn of those threads that go round.
    pub(crate) run: Range<u32>,
    /// The threads that go round: all that run at first, none at the end.
    pub(crate) running: Place,
    /// How often each thread has gone round.
    pub(crate) turns: Place,
}

/// What a register is set to in the middle of a block.
#[derive(Clone, Copy)]
pub(crate) struct Set {
    /// The instruction before which that holds first, and the last one that may need it.
    pub(crate) from: u32,
    pub(crate) until: u32,
    pub(crate) slot: u32,
    pub(crate) home: Home,
}

/// Loads of elements that may be strided, operations, and exchanges within warps, with what there is to do for them first.
pub(crate) struct FusedLoop {
    pub(crate) steps: Range<usize>,
    /// From here on, the steps before it only copy rows to shared memory, beside what is uniform or affine: the pass may do that for each
    /// block (CTA) just before its threads.
    pub(crate) copies_from: usize,
    /// Its number among the plan's.
    pub(crate) number: u32,
    /// What is done before the pass.
    pub(crate) preheader: Vec<Preheader>,
    pub(crate) address_groups: Vec<AddressGroup>,
    /// Where its own are among the operations that the block skips.
    pub(crate) deferred: Range<usize>,
    /// The places of its loads that memory may lend otherwise.
    pub(crate) lent: Vec<Place>,
    /// Whether the lanes of warps exchange values: then all threads must run.
    pub(crate) exchanges: bool,
    /// Whether it stores: then all threads must run, too.
    pub(crate) stores: bool,
}

impl FusedLoop {
    /// The address group of the load that is a step of the block, and how far it lies above the lowest.
    pub(crate) fn address_group(&self, step: usize) -> Option<(usize, u32)> {
        let of = |address_group: &AddressGroup| {
            address_group.loads.iter().find(|load| load.step == step).map(|load| load.above)
        };
        self.address_groups.iter().enumerate().find_map(|(f, address_group)| Some((f, of(address_group)?)))
    }
}

/// Something that is done before a fused loop's pass.
pub(crate) enum Preheader {
    /// A step of the block as it is.
    Step(usize),
    /// Some of a step's operations on affine values.
    AffineOps(Range<u32>),
    /// Loads are found.
    Find(usize),
    /// It is found where a step stores.
    FindStore(usize),
}

/// Loads of a fused loop whose addresses differ by constants.
#[derive(Clone)]
pub(crate) struct AddressGroup {
    /// Computed before the loads are found, whatever else is deferred.
    pub(crate) root: BaseAddress,
    /// What is added to the root for the lowest address, and from there on to the highest.
    pub(crate) least: u64,
    pub(crate) span: u64,
    /// In the order of steps; one at least.
    pub(crate) loads: Vec<Member>,
}

/// A load of an address group.
#[derive(Clone)]
pub(crate) struct Member {
    pub(crate) step: usize,
    /// Bytes from the lowest address to this one.
    pub(crate) above: u32,
}

/// What addresses are a constant more than.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum BaseAddress {
    /// 0.
    Zero,
    Uniform(Place),
    Affine(AffineId),
    /// A sum of 32 bits, with zeros above.
    Narrow(AffineId),
}

impl BaseAddress {
    /// The affine value that it is.
    pub(crate) fn id(self) -> Option<AffineId> {
        match self {
            BaseAddress::Affine(id) | BaseAddress::Narrow(id) => Some(id),
            BaseAddress::Zero | BaseAddress::Uniform(_) => None,
        }
    }
}

/// Where threads go on.
pub(crate) enum Exit {
    Go(usize),
    /// By a predicate that is the same in all threads, or differs.
    Branch {
        by: Place,
        uniform: bool,
        test: Option<Box<BranchTest>>,
        yes: usize,
        no: usize,
    },
    Indexed {
        index: Place,
        blocks: Vec<usize>,
        beyond: usize,
    },
    End,
    Barrier(BarrierExit),
    Wait(WaitExit),
    Bailout,
}

/// A comparison that decides a branch, and is made for all threads at once if their values allow it.
pub(crate) struct BranchTest {
    pub(crate) cmp: Cmp,
    pub(crate) ty: Type,
    pub(crate) operands: [Operand; 2],
    /// Whether threads branch where it does not hold.
    pub(crate) negated: bool,
    /// What gives each thread's predicate otherwise.
    pub(crate) steps: Vec<Step>,
}

/// One thing that is done.
pub(crate) enum Step {
    /// Operations on lines.
    Vector(Range<u32>),
    /// An operation on values that are the same in all threads.
    Scalar(VectorOp),
    /// An affine value is materialized: written out for every thread.
    Materialize(AffineId),
    /// Operations on affine values; on lines where they turn out not to.
    AffineOps(Range<u32>),
    /// The same of values that may be periodic.
    PeriodicOps(Range<u32>),
    Load(Box<Move<Option<Place>>>),
    /// Where the store behind the next operations writes, the last of these may put its result there by itself.
    Aim(Box<Move<Place>>),
    Store(Box<Move<Place>>),
    Atomic(Box<Atomic>),
    PerThread(Box<PerThread>),
    Collective(Box<Collective>),
    Products(Box<Products>),
    Barrier {
        pc: u32,
        guarded: bool,
    },
    Print(Box<Print>),
    TestSpace(Box<SpaceTest>),
    /// So many instructions count as not executed by threads that run in which a predicate does not hold.
    Deferred {
        predicate: Place,
        instructions: u32,
    },
    Reduce {
        pc: u32,
        guarded: bool,
        operation: Reduction,
        predicate: Place,
        to: Option<Place>,
    },
}

/// An operand of a comparison.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Operand {
    Const(u64),
    Uniform(Type, Place),
    Affine(AffineId),
}

/// An operation on affine values.
pub(crate) struct AffineOp {
    pub(crate) def: AffineDef,
    pub(crate) ty: Type,
    pub(crate) to: AffineId,
    /// The first one again where the operation has no more operands.
    pub(crate) from: [AffineId; 3],
    /// The same on lines, of values that have been materialized.
    pub(crate) materialized: VectorOp,
}

/// An address.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Address {
    Uniform(Place),
    Affine(AffineId),
    /// One that may be periodic.
    Periodic(AffineId),
    Varying(Place),
}

/// Values between memory and lines.
#[derive(Clone)]
pub(crate) struct Move<T> {
    pub(crate) pc: u32,
    /// Its number among all of the plan.
    pub(crate) site: u32,
    pub(crate) guard: Option<Place>,
    pub(crate) space: Option<Space>,
    /// The node whose part of local memory is the last that it may touch.
    pub(crate) reach: u32,
    pub(crate) address: Address,
    /// Whether it is neither ordered with other accesses nor seen to happen.
    pub(crate) weak: bool,
    /// Bytes of an element, and of the whole.
    pub(crate) bytes: u32,
    pub(crate) size: u32,
    /// Whether memory may lend its only element instead of it being copied.
    pub(crate) lends: bool,
    /// The site of a load whose elements a store alone takes, in its own order: of both of them.
    pub(crate) copied: Option<u32>,
    pub(crate) elements: Vec<T>,
}

impl<T> Move<T> {
    /// Where it may find its place: the space, and which part of local memory is the last.
    pub(crate) fn area(&self) -> (Option<Space>, u32) {
        (self.space, self.reach)
    }
}

/// A source of a page's function: bits from one place, or from two.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source {
    pub(crate) low: (Type, Place),
    pub(crate) high: Option<(Type, Place)>,
}

/// A result of a page's function; none if nothing needs it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Target {
    pub(crate) low: Option<(Type, Place)>,
    pub(crate) high: Option<(Type, Place)>,
}

/// What becomes of the old value of 4 or 8 bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Simple {
    /// What an operation makes of it and the first source.
    Op(Op),
    /// The first source.
    Exchange,
    /// The second source, if it is the first one.
    CompareAndSwap,
    /// Its sum with the first source, both of `.f32` or `.f64`; whether numbers of `.f32` that are not normal are flushed in global
    /// memory.
    Sum { flushes: bool },
}

pub(crate) struct Atomic {
    pub(crate) inst: Inst,
    pub(crate) update: Update,
    /// What is done, where it is simple.
    pub(crate) simple: Option<Simple>,
    pub(crate) place: Move<()>,
    /// Of several elements one each.
    pub(crate) sources: Vec<Source>,
    /// The old value of each element, if they are kept.
    pub(crate) olds: Vec<Target>,
}

impl Atomic {
    /// How many elements there are, each a step of its own.
    pub(crate) fn count(&self) -> usize {
        (self.place.size / self.place.bytes) as usize
    }
}

pub(crate) struct PerThread {
    pub(crate) inst: Inst,
    pub(crate) function: Function,
    pub(crate) sources: Vec<Source>,
    pub(crate) results: Vec<Target>,
    /// Whether one thread's result is that of all.
    pub(crate) uniform: bool,
}

/// A test whether addresses lie in global or in constant memory, which what is allocated tells.
pub(crate) struct SpaceTest {
    pub(crate) is_global: bool,
    pub(crate) address: Source,
    pub(crate) to: Option<Place>,
}

/// A call that prints.
pub(crate) struct Print {
    pub(crate) pc: u32,
    pub(crate) guard: Option<Place>,
    /// The address of the format, and where its arguments lie.
    pub(crate) format: Source,
    pub(crate) arguments: Source,
    /// Where goes how many arguments the format takes.
    pub(crate) to: Option<(Type, Place)>,
}

/// Products of matrices, all of which whole warps have come to if they have to the first; one at least.
pub(crate) struct Products {
    pub(crate) each: Vec<Collective>,
    /// The same as operations on lines.
    pub(crate) ops: Vec<ProductOp>,
}

pub(crate) struct Collective {
    pub(crate) pc: u32,
    pub(crate) guard: Option<Place>,
    pub(crate) inst: Inst,
    pub(crate) deed: Deed,
    /// How a tile becomes registers, where all of them are of 32 bits and two of their halves are all there is to move.
    pub(crate) tile_moves: Option<TileMoves>,
    /// The same for a whole warp, where no source or result is wider than 64 bits.
    pub(crate) gather: Option<Gather>,
    /// The lane that each lane of a warp reads where all have come, if a value of 32 bits is all that is exchanged and this is
    /// known before a kernel runs.
    pub(crate) choices: Option<[u8; WARP]>,
    /// Behind them stands the address where memory is read or written.
    pub(crate) sources: Vec<Source>,
    /// What that is the place of, where rows are loaded at affine or periodic addresses: it is materialized only if it must be.
    pub(crate) rows_at: Option<AffineId>,
    pub(crate) results: Vec<Target>,
    pub(crate) members: Members,
    pub(crate) memory: Option<Memory>,
}
