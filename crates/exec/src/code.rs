//! A kernel in the form that the golden engine runs: operands are register slots, constants and addresses.

mod bulk;
mod frames;
mod object;
mod operands;
mod tensor;
mod tensor_memory;
mod texture;

use foldhash::HashMap;
use margay_front::module::{RegisterId, Space};
use margay_front::provided::Provided;
use margay_isa::special::SpecialValue;
use margay_isa::{Args, AtomicSpace, Bits, Inst, Lanes, Semantics, Tiles, Trace, Warpgroup, Whole};
use std::ops::Range;
use std::sync::Arc;

pub(crate) use bulk::{Bulk, Combine};
pub(crate) use frames::{CallerFrames, FrameTest};
pub(crate) use object::{Arrive, Change, ObjectChange, ObjectStep, Phase, Wait};
pub(crate) use operands::Named;
pub(crate) use tensor::{CopyKind, Direction, TensorCopy, TensorOp, TensorStep};
pub(crate) use tensor_memory::TensorMemoryStep;
pub(crate) use texture::TextureStep;

/// Results that an instruction may have.
pub(crate) const MAX_RESULTS: usize = 8;

/// A decoded function. Its last operation, behind the last instruction, is a return.
#[derive(Clone)]
pub(crate) struct Code {
    /// One for every instruction, in order.
    pub(crate) ops: Vec<Op>,
    /// Slots of 64 bits that a thread's registers take.
    pub(crate) slots: usize,
    /// For every slot, the bits that its register uses of it.
    pub(crate) widths: Vec<u32>,
    /// Where the function finds its parameters; a kernel's are not among them.
    pub(crate) parameters: Vec<Spot>,
    /// Where it leaves its results.
    pub(crate) returns: Vec<Spot>,
    /// Stretches that some threads skip without parting from the others: all their instructions have the guard.
    pub(crate) sides: Vec<Side>,
    /// Slots that instructions may need beside those that they name, if the golden engine goes on there.
    pub(crate) also_read: HashMap<u32, Vec<u32>>,
    /// The registers whose old values the last slots keep.
    pub(crate) kept: Vec<RegisterId>,
}

impl Code {
    /// The slots that an instruction may need beside those that it names.
    pub(crate) fn also_read(&self, pc: u32) -> &[u32] {
        self.also_read.get(&pc).map_or(&[], Vec::as_slice)
    }

    /// Whether a thread's stack can grow here beyond what the functions have of it: memory is taken from it, or a parameter
    /// is as large as what is passed.
    pub(crate) fn grows_stack(&self) -> bool {
        self.ops.iter().any(|op| matches!(op.action, Action::Allocate(_)))
            || self.parameters.iter().any(|spot| matches!(spot, Spot::Memory { bytes: 0, .. }))
    }
}

/// A side of a branch.
#[derive(Clone, Debug)]
pub(crate) struct Side {
    pub(crate) stretch: Range<u32>,
    pub(crate) guard: Guard,
    /// Where both sides go on.
    pub(crate) meet: u32,
}

/// One instruction.
#[derive(Clone)]
pub(crate) struct Op {
    pub(crate) guard: Option<Guard>,
    pub(crate) action: Action,
}

/// The predicate's slot, and the value with which the instruction runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Guard {
    pub(crate) slot: u32,
    pub(crate) runs_if: u64,
}

/// What an instruction does.
#[derive(Clone)]
pub(crate) enum Action {
    /// Results from sources, by the page's function.
    Compute(Box<Compute>),
    /// Memory to registers.
    Load(Box<Transfer<Target>>),
    /// Registers to memory.
    Store(Box<Transfer<Source>>),
    /// Registers to memory, of which some elements keep what they have.
    StoreSome(Box<Transfer<Option<Source>>>),
    /// Memory to memory in one step, and what it held to a register.
    Atomic(Box<Atomic>),
    /// Results from what the lanes of a warp bring.
    Collective(Box<Together>),
    /// The source plus a constant: an address changes its space.
    Shift(Box<(Source, Target, u64)>),
    /// Whether the source is a constant.
    Equals(Box<(Source, Target, u64)>),
    /// Whether a generic address lies in a space, and whether shared memory is that of the whole cluster.
    TestSpace(Box<(Source, Target, Space, bool)>),
    /// Whether an access is to frames of activations.
    TestFrames(Box<FrameTest>),
    /// Memory to memory.
    Copy(Box<Copy>),
    /// A range of memory to memory.
    Bulk(Arc<Bulk>),
    /// A part of a tensor, or what describes it.
    Tensor(Arc<TensorOp>),
    /// A texture or a surface is read or written.
    Texture(Arc<TextureStep>),
    /// Make the copies since the last time a group.
    CommitCopies(Copies),
    /// Wait until at most so many groups of copies are under way; for all copies if no number is given.
    AwaitCopies(Copies, Option<u32>),
    /// Read the top of the thread's stack.
    SaveStack(Target),
    /// Set the top of the thread's stack back.
    RestoreStack(Source),
    /// Take so many bytes of the thread's stack, aligned.
    Allocate(Box<(Target, Source, u64)>),
    /// Continue there.
    Branch(u32),
    /// Continue at the label of that number.
    BranchIndexed(Box<(Source, Vec<u32>)>),
    /// Run a function.
    Call(Box<Call>),
    /// Leave the function.
    Return,
    /// End the thread.
    Exit,
    /// End the launch; the opcode is what asked for it.
    Trap(&'static str),
    /// Arrive at a barrier.
    Barrier(Box<Barrier>),
    /// Count at a barrier object in shared memory, or wait for the end of its phase.
    Object(Box<ObjectStep>),
    /// Order accesses to memory, among the workers too.
    Fence(Strength),
    /// Arrive at the cluster's barrier, or wait at it.
    Gate(GateStep),
    /// The address of the same place in the shared memory of the CTA with a number in the cluster; whether addresses are generic.
    MapToCta(Box<(Source, Source, Target, bool)>),
    /// The number in the cluster of the CTA that has an address; whether it is generic.
    TellCta(Box<(Source, Target, bool)>),
    /// Nothing.
    Nothing,
}

/// A step at the cluster's barrier.
#[derive(Clone, Copy)]
pub(crate) struct GateStep {
    /// Whether the thread waits, instead of arriving.
    pub(crate) waits: bool,
    pub(crate) strength: Strength,
}

/// A computation.
#[derive(Clone)]
pub(crate) struct Compute {
    pub(crate) inst: Inst,
    pub(crate) function: Function,
    /// The semantics under which the function is the meaning of the instruction's page, so that its micro-ops are the same; none
    /// of another function.
    pub(crate) semantics: Option<Semantics>,
    pub(crate) sources: Vec<Source>,
    pub(crate) targets: Vec<Target>,
    /// Bits of the operands that are read.
    pub(crate) source_bits: Vec<u32>,
    /// Bits of the operands that are written.
    pub(crate) target_bits: Vec<u32>,
}

/// The meaning of a page, ready to be called.
#[derive(Clone, Copy)]
pub(crate) enum Function {
    One(fn(&Inst, &Args) -> Bits),
    Stages(fn(&Inst, &Args, &mut Trace) -> Bits),
    Many(fn(&Inst, &Args, &mut [Bits])),
}

/// How an access or a fence orders memory (manual, section 8.4). The default is a weak access.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Strength {
    /// Whether it is strong: relaxed at least.
    pub(crate) strong: bool,
    pub(crate) acquires: bool,
    pub(crate) releases: bool,
    /// Whose threads its scope reaches.
    pub(crate) reach: Reach,
}

/// Threads that a scope reaches, the fewest first.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Reach {
    /// Those of the block.
    #[default]
    Block,
    /// Those of its cluster.
    Cluster,
    /// All.
    Device,
}

/// Values on their way between memory and registers.
#[derive(Clone)]
pub(crate) struct Transfer<T> {
    /// The space that the instruction names; none for generic addresses.
    pub(crate) space: Option<Space>,
    /// Whether shared memory is that of the whole cluster.
    pub(crate) far: bool,
    pub(crate) address: Source,
    /// Added to the address.
    pub(crate) offset: u64,
    /// What the sum is cut to.
    pub(crate) mask: u64,
    /// Bytes of one element: 1, 2, 4, 8 or 16.
    pub(crate) bytes: u32,
    pub(crate) strength: Strength,
    /// One for each element.
    pub(crate) elements: Vec<T>,
}

impl<T> Transfer<T> {
    /// How many bytes all elements have.
    pub(crate) fn size(&self) -> u64 {
        u64::from(self.bytes) * self.elements.len() as u64
    }

    /// The same place with other elements, of so many bytes each.
    pub(crate) fn of<U>(&self, bytes: u32, elements: Vec<U>) -> Transfer<U> {
        let Transfer { space, far, ref address, offset, mask, strength, .. } = *self;
        Transfer { space, far, address: address.clone(), offset, mask, bytes, strength, elements }
    }
}

/// A copy from one place in memory to another.
#[derive(Clone)]
pub(crate) struct Copy {
    /// Where to; the elements are not used.
    pub(crate) to: Transfer<Target>,
    /// Where from.
    pub(crate) from: Transfer<Source>,
    /// How many bytes are written.
    pub(crate) bytes: u32,
    /// How many of them are read, if not all; the others become zero.
    pub(crate) read: Option<Source>,
}

/// How it is known that a copy is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Copies {
    /// By groups of copies of a few bytes.
    Small,
    /// By groups of bulk copies.
    Bulk,
    /// By groups of products of warpgroups, which read what they multiply while threads go on.
    Products,
    /// By a barrier object, which counts the bytes.
    Counted,
    /// By a barrier object at which a thread arrives for all that it has begun in tensor memory.
    Committed,
}

/// A call of a function.
#[derive(Clone)]
pub(crate) struct Call {
    pub(crate) callee: Callee,
    pub(crate) arguments: Vec<Spot>,
    pub(crate) results: Vec<Spot>,
}

impl Call {
    /// The format and the list of values, if it prints, these are in registers, and what it gives goes to a register or nowhere.
    pub(crate) fn printing(&self) -> Option<[&Source; 2]> {
        let (Callee::Provided(Provided::Print), [format, values]) = (&self.callee, &self.arguments[..])
        else {
            return None;
        };
        let in_memory = |spot: &Spot| matches!(spot, Spot::Memory { .. });
        if self.results.len() > 1 || self.results.iter().any(in_memory) {
            return None;
        }
        Some([format.source()?, values.source()?])
    }
}

/// What is called.
#[derive(Clone)]
pub(crate) enum Callee {
    /// The function with this number.
    Named(u32),
    /// This function of the device's runtime.
    Provided(Provided),
    /// The function at this address, which must be one of those, if any are listed.
    At(Source, Option<Vec<u32>>),
    /// Another activation of a function in which the call stands, inlined: its root and the call's site there. Only between two
    /// passes of the batch engine's compiler are there such calls.
    Inside { root: u32, site: u32 },
}

/// Where a value that passes between functions lies, seen from one of them.
#[derive(Clone)]
pub(crate) enum Spot {
    /// Nowhere: it is not wanted.
    Nothing,
    /// In the frame in local memory; 0 bytes stand for as many as are given.
    Memory { at: u64, bytes: u64 },
    /// In a register, or a constant that is only read.
    Value { source: Source, target: Target, bytes: u64 },
}

impl Spot {
    /// What a register or constant is read as.
    pub(crate) fn source(&self) -> Option<&Source> {
        match self {
            Spot::Value { source, .. } => Some(source),
            Spot::Nothing | Spot::Memory { .. } => None,
        }
    }

    /// How many bytes the value has, if that is known.
    pub(crate) fn bytes(&self) -> Option<u64> {
        match self {
            Spot::Nothing => None,
            Spot::Memory { bytes, .. } => Some(*bytes).filter(|bytes| *bytes > 0),
            Spot::Value { source: Source::Constant(_), .. } => None,
            Spot::Value { bytes, .. } => Some(*bytes),
        }
    }
}

/// One step on memory.
#[derive(Clone)]
pub(crate) struct Atomic {
    pub(crate) inst: Inst,
    /// The new value, from the old one and the sources.
    pub(crate) function: AtomicFunction,
    /// Each element is a step of its own.
    pub(crate) place: Transfer<()>,
    /// Of several elements one each.
    pub(crate) sources: Vec<Source>,
    /// Where the old value of each element goes; none if they are not kept.
    pub(crate) targets: Vec<Target>,
}

/// What an atomic operation leaves in memory, from what was there and its sources.
pub(crate) type AtomicFunction = fn(&Inst, AtomicSpace, &Args) -> Bits;

/// How memory changes in one step.
#[derive(Clone)]
pub(crate) enum Update {
    /// By the page's function.
    Page(AtomicFunction),
    /// It is a barrier object.
    Object(Change),
    /// Copies, which are made when they are begun; a barrier object may count them.
    Copied(Copied),
    /// It is read, or changed, by way of a texture or a surface.
    Texture(Arc<TextureStep>),
}

/// What a thread copies by one instruction.
#[derive(Clone)]
pub(crate) enum Copied {
    Bulk(Arc<Bulk>),
    Tensor(Arc<TensorOp>),
}

/// What lanes of a warp carry out together.
#[derive(Clone)]
pub(crate) struct Together {
    pub(crate) inst: Inst,
    pub(crate) deed: Deed,
    pub(crate) sources: Vec<Source>,
    pub(crate) targets: Vec<Target>,
    pub(crate) members: Members,
    /// Where memory is read or written, as the instruction says it.
    pub(crate) place: Option<Transfer<()>>,
}

/// How it is carried out.
#[derive(Clone)]
pub(crate) enum Deed {
    /// Lane by lane, each from what all bring.
    ByLane(fn(&Inst, &Lanes, usize, &mut [Bits])),
    /// All lanes at once.
    Whole(Whole),
    /// Between memory and registers; the last source is the stride where one is given.
    Tiles(Arc<Tiles>),
    /// A warp's part of a product of matrices in shared memory; what is added stands before the other sources.
    Warpgroup(Arc<Warpgroup>),
    /// Of that product, what is read from shared memory: only the batch engine's compiler makes it.
    Factors(Arc<Warpgroup>),
    /// In tensor memory; the words that are stored stand last.
    TensorMemory(Arc<TensorMemoryStep>),
}

/// Which lanes take part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Members {
    /// Those that happen to come together.
    Any,
    /// Those that this source names.
    Named(usize),
    /// All of the warp.
    All,
    /// Each by itself.
    Each,
}

/// An arrival at a barrier.
#[derive(Clone)]
pub(crate) struct Barrier {
    pub(crate) id: Source,
    /// How many threads must arrive; all of the block if none is given.
    pub(crate) count: Option<Source>,
    pub(crate) purpose: Purpose,
    /// Whether it promises that all threads of the warp execute it together.
    pub(crate) aligned: bool,
}

/// What a thread comes to a barrier for.
#[derive(Clone)]
pub(crate) enum Purpose {
    /// To be counted; it goes on at once.
    Arrive,
    /// To wait for the others.
    Wait,
    /// To wait, and to learn in how many threads a predicate holds.
    Reduce(Reduce),
}

/// A predicate that is combined over the threads at a barrier.
#[derive(Clone)]
pub(crate) struct Reduce {
    pub(crate) operation: Reduction,
    pub(crate) predicate: Source,
    /// The value of the predicate that counts as true.
    pub(crate) holds_if: Bits,
    pub(crate) target: Target,
}

/// How predicates are combined.
#[derive(Clone, Copy)]
pub(crate) enum Reduction {
    /// How many are true.
    Count,
    /// Whether all are.
    All,
    /// Whether any is.
    Any,
}

/// Where a value comes from.
#[derive(Clone)]
pub(crate) enum Source {
    /// The low bits of a register of up to 64 bits.
    Register { slot: u32, mask: u64 },
    /// A register of 128 bits: two slots, the low half first.
    Wide { slot: u32 },
    /// A constant.
    Constant(Bits),
    /// A constant plus the start of the thread's frame in local memory.
    Frame(u64),
    /// A special register, cut to the operand's width.
    Special { value: SpecialValue, mask: u64 },
}

/// Where a value goes.
#[derive(Clone)]
pub(crate) enum Target {
    /// Nowhere.
    Sink,
    /// A register of up to 64 bits: the value's low bits, its sign spread from bit `63 - spread` up, then cut.
    Register { slot: u32, spread: u32, mask: u64 },
    /// A register of 128 bits.
    Wide { slot: u32, spread: u32, mask: Bits },
}
