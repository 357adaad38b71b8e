//! How a running kernel ends early: what happened, where, and in which thread.

use crate::grid::Dim;
use crate::memory::Fault;
use crate::sanitize::Finding;
use margay_front::module::{FunctionId, InstructionId};
use std::fmt;

/// The end of a launch by a kernel's mistake, by its own wish, or by a limit.
#[derive(Clone, PartialEq, Debug)]
pub struct Trap {
    /// What happened.
    pub kind: TrapKind,
    /// The kernel that was launched.
    pub kernel: String,
    /// The function it happened in.
    pub function: FunctionId,
    /// The name of that function.
    pub function_name: String,
    /// The instruction; `Function::spans` has its place in the text, `Module::origin` in the source.
    pub instruction: InstructionId,
    /// The calls that led into the function, the innermost first; the last one stands in the kernel.
    pub calls: Vec<Caller>,
    /// The thread in its block.
    pub thread: Dim,
    /// The block in its grid.
    pub block: Dim,
    /// What the kernel had printed: this block, and those before it. How far other threads of this block had come since its last barrier
    /// depends on the order in which an engine runs them.
    pub printed: String,
    /// What sanitizers had found until then.
    pub findings: Vec<Finding>,
}

/// A call that has not returned.
#[derive(Clone, PartialEq, Debug)]
pub struct Caller {
    /// The function that the call stands in.
    pub function: FunctionId,
    /// The name of that function.
    pub name: String,
    /// The call.
    pub instruction: InstructionId,
}

/// So many callers a message names at most.
const NAMED_CALLERS: usize = 4;

/// What ends a kernel early.
#[derive(Clone, PartialEq, Debug)]
pub enum TrapKind {
    /// A refused access to memory.
    Memory(Fault),
    /// The kernel asked for it.
    Instruction(&'static str),
    /// No thread of the block can go on: all that have not ended wait for others that never come.
    Deadlock(Vec<Waiting>),
    /// A call or branch that leads nowhere.
    Target(String),
    /// The thread's stack, with the registers of callers, would have more bytes than this.
    Stack(u64),
    /// The device's runtime refused something.
    Runtime(String),
    /// An assertion of the kernel failed.
    Assertion(String),
    /// A barrier was used in a way that has no meaning.
    Barrier(String),
    /// A copy was asked for that has no meaning.
    Copy(String),
    /// An instruction of several lanes of a warp was used in a way that has no meaning.
    Warp(String),
    /// Tensor memory was used in a way that has no meaning.
    TensorMemory(String),
    /// A texture or a surface was read or written that is not there.
    Texture(String),
    /// The launch used up its steps.
    StepLimit(u64),
    /// The caller stopped the launch.
    Cancelled,
}

/// Threads of one block that wait at one instruction.
#[derive(Clone, PartialEq, Debug)]
pub struct Waiting {
    /// What they wait for.
    pub at: Meeting,
    /// The function in which they wait.
    pub function: FunctionId,
    /// The instruction at which they wait.
    pub instruction: InstructionId,
    /// How many wait there.
    pub threads: u32,
    /// The first of them.
    pub first: Dim,
}

/// What threads wait for.
#[derive(Clone, PartialEq, Debug)]
pub enum Meeting {
    /// A barrier of the block.
    Barrier {
        /// Its number.
        id: u8,
        /// How many threads must arrive, ended ones included.
        expected: u32,
    },
    /// A barrier object in shared memory.
    Object {
        /// Its address.
        address: u64,
        /// What its phase still waits for: arrivals and bytes.
        missing: String,
    },
    /// The barrier of the cluster.
    Cluster {
        /// How many threads have not arrived.
        missing: u32,
    },
    /// Lanes of their warp.
    Warp {
        /// The instruction that they are to carry out together.
        instruction: String,
        /// A bit for every lane that has not come; none where other warps of a warpgroup have not.
        missing: u32,
    },
}

impl fmt::Display for Meeting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Meeting::Barrier { id, expected } => write!(f, "at barrier {id} for {}", threads(*expected)),
            Meeting::Object { address, missing } => {
                write!(f, "at the barrier object at shared address {address:#x} for {missing}")
            }
            Meeting::Cluster { missing } => write!(f, "at the cluster's barrier for {}", threads(*missing)),
            Meeting::Warp { instruction, missing: 0 } => {
                write!(f, "at `{instruction}` for other warps of the warpgroup")
            }
            Meeting::Warp { instruction, missing } => {
                let word = if missing.count_ones() == 1 { "lane" } else { "lanes" };
                write!(f, "at `{instruction}` for {word} {} of the warp", lanes(*missing))
            }
        }
    }
}

/// The lanes of a mask, neighbours as a range.
pub(crate) fn lanes(mask: u32) -> String {
    let has = |lane: u32| lane < 32 && mask >> lane & 1 == 1;
    let starts = (0..32).filter(|lane| has(*lane) && (*lane == 0 || !has(lane - 1)));
    let range = |start: u32| match (start..32).take_while(|lane| has(*lane)).last() {
        Some(end) if end > start => format!("{start} to {end}"),
        _ => start.to_string(),
    };
    starts.map(range).collect::<Vec<_>>().join(", ")
}

impl TrapKind {
    /// What may be behind it, where that can be guessed.
    pub fn help(&self) -> Option<&'static str> {
        match self {
            TrapKind::Memory(fault) => fault.help(),
            TrapKind::Deadlock(_) => Some("every thread that a barrier or a mask counts must reach it"),
            _ => None,
        }
    }
}

fn threads(n: u32) -> String {
    if n == 1 { "1 thread".into() } else { format!("{n} threads") }
}

impl fmt::Display for TrapKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TrapKind::Memory(fault) => fault.fmt(f),
            TrapKind::Instruction(opcode) => write!(f, "`{opcode}` was executed"),
            TrapKind::Barrier(text)
            | TrapKind::Copy(text)
            | TrapKind::Warp(text)
            | TrapKind::TensorMemory(text)
            | TrapKind::Texture(text)
            | TrapKind::Target(text)
            | TrapKind::Runtime(text)
            | TrapKind::Assertion(text) => f.write_str(text),
            TrapKind::Stack(limit) => {
                write!(f, "stack overflow: a thread has {limit} bytes for its variables and calls")
            }
            TrapKind::StepLimit(limit) => write!(f, "hit the step limit of {limit} (`--max-steps`)"),
            TrapKind::Cancelled => f.write_str("stopped"),
            TrapKind::Deadlock(waiting) => {
                let barriers = waiting.iter().all(|w| !matches!(w.at, Meeting::Warp { .. }));
                f.write_str(match barriers {
                    true => "a barrier can never complete: ",
                    false => "deadlock: ",
                })?;
                for (k, w) in waiting.iter().enumerate() {
                    let comma = if k == 0 { "" } else { ", " };
                    let (x, y, z) = w.first.tuple();
                    write!(f, "{comma}{} from ({x}, {y}, {z}) on ", threads(w.threads))?;
                    let verb = if w.threads == 1 { "waits" } else { "wait" };
                    write!(f, "{verb} {}", w.at)?;
                }
                Ok(())
            }
        }
    }
}

impl fmt::Display for Trap {
    /// One phrase; the line in the text is the caller's to add.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (thread, block) = (self.thread.tuple(), self.block.tuple());
        write!(f, "{}; thread {thread:?} of block {block:?} in kernel `{}`", self.kind, self.kernel)?;
        if self.function_name != self.kernel {
            write!(f, ", function `{}`", self.function_name)?;
        }
        let between = self.calls.len().saturating_sub(1);
        for caller in self.calls.iter().take(between.min(NAMED_CALLERS)) {
            write!(f, " called by `{}`", caller.name)?;
        }
        if between > NAMED_CALLERS {
            write!(f, " and {} more calls", between - NAMED_CALLERS)?;
        }
        Ok(())
    }
}

impl std::error::Error for Trap {}
