//! What a stream is given to do, and a node of a graph does.

use crate::context::Context;
use crate::door::layout::Copy3d;
use crate::door::pass::{HostFunction, Parameters};
use crate::event::Event;
use crate::failed::{Answer, Failed};
use crate::graph::Graph;
use crate::kernel::Kernel;
use crate::reserved::Reserved;
use crate::results::Code;
use std::sync::Arc;

/// One thing to do.
#[derive(Clone)]
pub enum Work {
    Kernel(KernelWork),
    Copy(Copy3d),
    Fill(Fill),
    Host(HostFunction, usize),
    /// All nodes of a graph.
    Graph(Arc<Graph>),
    /// Nothing: nodes that others wait for.
    Empty,
    Wait(Arc<Event>),
    Record(Arc<Event>),
    Allocate(Arc<Reserved>),
    Free(u64),
}

/// A launch.
#[derive(Clone)]
pub struct KernelWork {
    pub kernel: Arc<Kernel>,
    pub context: Arc<Context>,
    pub wanted: Wanted,
    pub parameters: Arc<Parameters>,
}

/// What a launch is told beside its parameters.
#[derive(Clone)]
pub struct Wanted {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared_bytes: u32,
    /// Whether all blocks must be there at once.
    pub cooperative: bool,
    /// Blocks of a cluster along x, y, z, if the launch says it.
    pub cluster: Option<[u32; 3]>,
}

/// Rows of equal elements.
#[derive(Clone, Copy)]
pub struct Fill {
    pub address: u64,
    /// Bytes from a row to the next; of no meaning for a single one.
    pub pitch: usize,
    pub value: u32,
    /// Bytes of an element: 1, 2 or 4.
    pub element: u32,
    /// Elements of a row.
    pub width: usize,
    pub height: usize,
}

impl Fill {
    /// Whether there is such a thing.
    pub fn check(&self) -> Answer {
        let is_good = matches!(self.element, 1 | 2 | 4)
            && self.address.is_multiple_of(self.element.into())
            && (self.height <= 1 || self.width.saturating_mul(self.element as usize) <= self.pitch);
        if is_good { Ok(()) } else { Err(Code::INVALID_VALUE.into()) }
    }
}

impl Work {
    /// The kind of a node that does it, by its number in `cuda.h`.
    pub fn kind(&self) -> u32 {
        match self {
            Work::Kernel(_) => 0,
            Work::Copy(_) => 1,
            Work::Fill(_) => 2,
            Work::Host(..) => 3,
            Work::Graph(_) => 4,
            Work::Empty => 5,
            Work::Wait(_) => 6,
            Work::Record(_) => 7,
            Work::Allocate(_) => 10,
            Work::Free(_) => 11,
        }
    }

    /// Whether it is told all that it takes to be done.
    pub fn is_complete(&self) -> Answer {
        match self {
            Work::Kernel(work) if work.wanted.grid.contains(&0) => {
                let name = work.kernel.name.to_string_lossy();
                let text = format!(
                    "a node of the graph launches kernel `{name}` with no blocks: set its parameters first"
                );
                Err(Failed::because(Code::INVALID_VALUE, text))
            }
            _ => Ok(()),
        }
    }

    /// What a picture of the graph says of it.
    pub fn label(&self) -> String {
        match self {
            Work::Kernel(work) => {
                let ([x, y, z], [a, b, c]) = (work.wanted.grid, work.wanted.block);
                format!("{} <<<({x}, {y}, {z}), ({a}, {b}, {c})>>>", work.kernel.name.to_string_lossy())
            }
            Work::Copy(copy) => format!("copy {} bytes", copy.bytes()),
            Work::Fill(fill) => format!("fill {} x {} x {} bytes", fill.height, fill.width, fill.element),
            Work::Host(..) => "function of the host".to_string(),
            Work::Graph(graph) => format!("graph {:#x}", graph.handle),
            Work::Empty => "empty".to_string(),
            Work::Wait(event) => format!("wait for event {:#x}", event.handle),
            Work::Record(event) => format!("record event {:#x}", event.handle),
            Work::Allocate(memory) => format!("allocate {} bytes", memory.bytes),
            Work::Free(address) => format!("free {address:#x}"),
        }
    }
}
