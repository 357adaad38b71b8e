//! Looking at a launch while it runs: what chosen threads do, instruction by instruction, and who touches chosen memory.

use crate::frame::Frame;
use crate::grid::Dim;
use crate::memory::Access;
use crate::sanitize::touched::Touched;
use margay_front::module::{FunctionId, InstructionId, Space, VariableId};
use margay_isa::Bits;
use std::ops::{Range, RangeInclusive};

/// What of a launch is told, and to whom. The golden engine runs it, in an order that repeats.
pub struct Observe<'a> {
    /// The threads whose instructions are told.
    pub threads: Vec<Threads>,
    /// The memory whose accesses are told.
    pub watched: Vec<Watched>,
    /// Is told, by one thread, in the order in which things happen.
    pub tell: &'a (dyn Fn(&Seen) + Sync),
}

/// Threads of blocks, by ranges along each dimension.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Threads {
    /// Their places in their block.
    pub threads: [RangeInclusive<u32>; 3],
    /// The blocks' places in the grid.
    pub blocks: [RangeInclusive<u32>; 3],
}

/// Memory that is watched.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Watched {
    /// Bytes of a variable in global, constant or shared memory.
    Variable(VariableId, Range<u64>),
    /// Bytes at device addresses.
    Address(Range<u64>),
}

/// Where something happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spot {
    /// The function.
    pub function: FunctionId,
    /// The instruction.
    pub instruction: InstructionId,
    /// The block's place in the grid.
    pub block: Dim,
    /// The thread's place in the block.
    pub thread: Dim,
}

/// A register with what it holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Held {
    /// Its name; `CC.CF` is the carry flag.
    pub name: String,
    /// Its bits.
    pub value: Bits,
    /// How many there are: 1 to 128.
    pub bits: u32,
}

/// Something that happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Seen {
    /// A thread executed an instruction.
    Step {
        /// Which.
        at: Spot,
        /// Whether its guard was false.
        skipped: bool,
        /// The registers that it read, with what they held before.
        reads: Vec<Held>,
        /// The registers that it wrote, with what they hold now.
        writes: Vec<Held>,
        /// The address that it loaded from or stored to.
        address: Option<u64>,
    },
    /// A thread touched watched memory.
    Touch {
        /// By which instruction.
        at: Spot,
        /// How.
        access: Access,
        /// In which space the address lies.
        space: Space,
        /// The first byte of the access.
        address: u64,
        /// What is there now, in memory order.
        bytes: Vec<u8>,
    },
}

/// The block that touches memory.
pub(crate) struct By<'a> {
    /// Its place in the grid, and its threads along each axis.
    pub(crate) block: Dim,
    pub(crate) threads: Dim,
    /// Bytes from its shared memory to that of the next block of its cluster.
    pub(crate) shared_step: u64,
    pub(crate) frame: &'a Frame,
}

impl Threads {
    fn has(&self, block: Dim, thread: Dim) -> bool {
        let within = |ranges: &[RangeInclusive<u32>; 3], at: Dim| {
            ranges[0].contains(&at.x) && ranges[1].contains(&at.y) && ranges[2].contains(&at.z)
        };
        within(&self.blocks, block) && within(&self.threads, thread)
    }
}

impl Observe<'_> {
    /// Whether a thread's instructions are told.
    pub(crate) fn follows(&self, block: Dim, thread: Dim) -> bool {
        self.threads.iter().any(|threads| threads.has(block, thread))
    }

    /// Tells of an access, if it touches what is watched.
    pub(crate) fn touch(&self, by: &By, touched: &Touched) {
        let address = match touched.space {
            Space::Shared => touched.address % by.shared_step.max(1),
            _ => touched.address,
        };
        let access = address..address + touched.bytes;
        let overlaps = |range: Range<u64>| range.start < access.end && access.start < range.end;
        let hit = self.watched.iter().any(|watched| match watched {
            Watched::Address(range) => touched.space == Space::Global && overlaps(range.clone()),
            Watched::Variable(id, range) => by.frame.home(*id).is_some_and(|home| {
                let in_space = home.space == touched.space
                    || home.space == Space::Const && touched.space == Space::Global;
                in_space && overlaps(home.address + range.start..home.address + range.end)
            }),
        });
        if !hit {
            return;
        }
        let shift = touched.address - address;
        let bytes = access.map(|at| (touched.value)(at + shift, 1) as u8).collect();
        let at = Spot {
            function: FunctionId(touched.function),
            instruction: InstructionId(touched.instruction),
            block: by.block,
            thread: by.threads.at(touched.thread.into()),
        };
        (self.tell)(&Seen::Touch { at, access: touched.access, space: touched.space, address, bytes });
    }
}
