//! Where instructions of a plan's code come from: the kernel, or functions whose calls were inlined.

use std::collections::BTreeSet;
use std::ops::Range;

/// The calls that were inlined, as a tree, and for every instruction of the code one of its functions.
#[derive(Clone)]
pub(crate) struct Origins {
    /// The kernel, then functions; callers before those that they call.
    nodes: Vec<Node>,
    /// By instruction; empty if all are the kernel's own.
    at: Vec<Origin>,
    /// How many of the instructions before each count as executed.
    before: Vec<u32>,
    /// By node, the parts of local memory that lie in memory while its function runs.
    in_memory: Vec<Vec<Range<u64>>>,
    /// Those that lie in registers.
    cells: Vec<Cell>,
    /// Functions that call themselves.
    roots: Vec<Root>,
    /// Bytes of registers, local memory and calls that a thread has while it is deepest in calls, but for activations.
    stack_bytes: u64,
}

/// A part of a node's local memory that lies in a register.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    pub(crate) node: u32,
    /// Its address in local memory, and how many bytes it has.
    pub(crate) at: u64,
    pub(crate) bytes: u32,
    pub(crate) slot: u32,
}

/// A function where it is called.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    /// The function that calls it, and where; none for the kernel.
    pub(crate) caller: Option<Caller>,
    pub(crate) function: u32,
    /// Where its slots begin among those of the code, and how many it has.
    pub(crate) first_slot: u32,
    pub(crate) slots: u32,
    /// Where its part of local memory begins and ends.
    pub(crate) local: u64,
    pub(crate) top: u64,
}

/// A call in a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Caller {
    pub(crate) node: u32,
    pub(crate) pc: u32,
}

/// What an instruction of the code is, or is a part of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    pub(crate) node: u32,
    /// The instruction of the node's function: a thread that stands here has not executed it.
    pub(crate) pc: u32,
    /// Whether executing it here counts.
    pub(crate) counts: bool,
    /// Whether it has been counted already, though it has not been executed.
    pub(crate) paid: bool,
    /// The node whose part of local memory is the last that it may touch.
    pub(crate) reach: u32,
    pub(crate) role: Role,
}

/// What an instruction is for beside what it does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// Nothing.
    None,
    /// It begins an activation, which arguments have been passed to.
    Begins,
    /// It stands where an activation goes back to its caller.
    GoesBack,
    /// It takes what an activation gives back.
    Takes,
    /// It sets this slot to 1, which those that stand here have been told already: a phase that they have waited for is over.
    Tells(u32),
}

/// A function that calls itself, where it is called from outside. Its node and all that are called there without calling it are
/// one *activation*, of which a thread has as many as there are such calls that have not returned.
#[derive(Clone, Debug, Default)]
pub(crate) struct Root {
    pub(crate) node: u32,
    /// Slots that pass arguments to an activation, and results from it.
    pub(crate) arguments: Vec<u32>,
    pub(crate) results: Vec<u32>,
    /// The calls inside.
    pub(crate) sites: Vec<Site>,
    pub(crate) stack: ActivationStack,
}

/// Where activations of a root are kept while others run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ActivationStack {
    /// Slots: how much farther on in local memory the frames of this activation are than those of the first; the end of what is
    /// saved; the site of the call, by its number plus one, and 0 for the call from outside.
    pub(crate) distance: u32,
    pub(crate) end: u32,
    pub(crate) site: u32,
    /// Where saved registers begin and end in local memory, and how many bytes an activation has there: its site, and the
    /// slots that the call needs later.
    pub(crate) saved: u64,
    pub(crate) limit: u64,
    pub(crate) step: u64,
    /// Bytes of registers, local memory and calls that a thread may come to have.
    pub(crate) bytes: u64,
}

/// A call inside an activation that begins another one.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    pub(crate) caller: Caller,
    /// Bytes of local memory from the caller's activation to the next one.
    pub(crate) distance: u64,
    /// Slots that are saved, in order.
    pub(crate) saved: Vec<u32>,
}

impl Origins {
    /// All instructions are a kernel's own, which has so many slots and bytes of local memory.
    pub(crate) fn of_kernel(function: u32, slots: usize, local_bytes: u64) -> Origins {
        let slots = slots as u32;
        let kernel = Node { caller: None, function, first_slot: 0, slots, local: 0, top: local_bytes };
        Origins::new(vec![kernel], Vec::new())
    }

    /// The origins of some instructions; all local memory lies in memory.
    pub(crate) fn new(nodes: Vec<Node>, at: Vec<Origin>) -> Origins {
        let in_memory = nodes.iter().map(|node| std::iter::once(0..node.top).collect()).collect();
        Origins {
            nodes,
            before: before(&at),
            at,
            in_memory,
            cells: Vec::new(),
            roots: Vec::new(),
            stack_bytes: 0,
        }
    }

    /// The same for other instructions, with local memory in registers where no granule of so many bytes is kept.
    pub(crate) fn with(
        &self,
        at: Vec<Origin>,
        cells: Vec<Cell>,
        granule: u64,
        kept: &BTreeSet<(u32, u64)>,
    ) -> Origins {
        let in_memory = (0..self.nodes.len() as u32).map(|node| {
            let mut ranges: Vec<Range<u64>> = Vec::new();
            let mut path: Vec<u32> = self.up(node).collect();
            path.reverse();
            for (node, granule_at) in path.iter().flat_map(|node| kept.range((*node, 0)..(node + 1, 0))) {
                let start = granule_at * granule;
                // Below the first address there is a last granule, too.
                let end = start.saturating_add(granule).min(self.node(*node).top);
                match ranges.last_mut() {
                    Some(last) if last.end == start => last.end = end,
                    _ => ranges.push(start..end),
                }
            }
            ranges
        });
        let in_memory = in_memory.collect();
        let (nodes, roots) = (self.nodes.clone(), self.roots.clone());
        Origins { nodes, before: before(&at), at, in_memory, cells, roots, stack_bytes: self.stack_bytes }
    }

    /// The same with functions that call themselves, and how many bytes of registers, local memory and calls a thread needs.
    pub(crate) fn with_roots(self, roots: Vec<Root>, stack_bytes: u64) -> Origins {
        Origins { roots, stack_bytes, ..self }
    }

    /// The same for other instructions, with the stacks of activations, of each of which there is a node: its part of local memory is
    /// that of all activations and of what they save.
    pub(crate) fn with_stacks(&self, at: Vec<Origin>, roots: Vec<Root>, first_slot: u32) -> Origins {
        let (mut nodes, mut in_memory) = (self.nodes.clone(), self.in_memory.clone());
        for root in &roots {
            let node = Node { first_slot, slots: 0, top: root.stack.limit, ..*self.node(root.node) };
            in_memory.push(std::iter::once(node.local..node.top).collect());
            nodes.push(node);
        }
        Origins {
            nodes,
            before: before(&at),
            at,
            in_memory,
            cells: self.cells.clone(),
            roots,
            stack_bytes: self.stack_bytes,
        }
    }

    /// Functions that call themselves.
    pub(crate) fn roots(&self) -> &[Root] {
        &self.roots
    }

    /// Whether threads have stacks of activations.
    pub(crate) fn has_stacks(&self) -> bool {
        self.roots.iter().any(|root| root.stack.step > 0)
    }

    /// The root of the activation that a node is part of, if it is.
    pub(crate) fn root_of(&self, node: u32) -> Option<&Root> {
        let mut up = self.up(node);
        up.find_map(|node| self.roots.iter().find(|root| root.node == node))
    }

    /// Bytes of registers, local memory and calls that a thread may come to have.
    pub(crate) fn stack_bytes(&self) -> u64 {
        self.roots.iter().map(|root| root.stack.bytes).fold(self.stack_bytes, u64::max)
    }

    /// The function that an instruction belongs to, and the instruction there.
    pub(crate) fn of(&self, pc: u32) -> Origin {
        let kernel = || Origin { node: 0, pc, counts: true, paid: false, reach: 0, role: Role::None };
        self.at.get(pc as usize).copied().unwrap_or_else(kernel)
    }

    pub(crate) fn node(&self, node: u32) -> &Node {
        &self.nodes[node as usize]
    }

    pub(crate) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The number of the node whose slot that is, if it is one's.
    pub(crate) fn owner(&self, slot: u32) -> Option<u32> {
        let behind = self.nodes.partition_point(|node| node.first_slot <= slot);
        let is_own = |node: &Node| slot < node.first_slot + node.slots;
        self.nodes[..behind].iter().rposition(is_own).map(|node| node as u32)
    }

    /// How many of some instructions count as executed.
    pub(crate) fn counted(&self, range: Range<u32>) -> u32 {
        match self.before.is_empty() {
            true => range.end - range.start,
            false => self.before[range.end as usize] - self.before[range.start as usize],
        }
    }

    /// A node, the one that calls it, and so on to the kernel.
    pub(crate) fn up(&self, node: u32) -> impl Iterator<Item = u32> {
        std::iter::successors(Some(node), |node| self.node(*node).caller.map(|caller| caller.node))
    }

    /// The nodes from the kernel to one.
    pub(crate) fn path(&self, node: u32) -> Vec<u32> {
        let mut path: Vec<u32> = self.up(node).collect();
        path.reverse();
        path
    }

    /// The node of those from one to the kernel in whose part of local memory an address lies.
    pub(crate) fn holder(&self, node: u32, at: u64) -> Option<u32> {
        self.up(node).find(|node| self.node(*node).local <= at)
    }

    /// The parts of local memory that lie in memory while a node's function runs, in the order of addresses.
    pub(crate) fn in_memory(&self, node: u32) -> &[Range<u64>] {
        &self.in_memory[node as usize]
    }

    /// The parts of local memory that lie in registers.
    pub(crate) fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// Bytes of local memory that begin as 0; frames of activations are set to 0 as these begin.
    pub(crate) fn bytes_at_first(&self) -> u64 {
        // The last nodes stand for stacks of activations.
        let own = &self.nodes[..self.nodes.len() - self.roots.len()];
        own.iter().map(|node| node.top).max().unwrap_or(0)
    }

    /// Bytes of local memory that a thread has while it is deepest in calls.
    pub(crate) fn local_bytes(&self) -> u64 {
        self.nodes.iter().map(|node| node.top).max().unwrap_or(0)
    }
}

/// How many of the instructions before each count.
fn before(at: &[Origin]) -> Vec<u32> {
    if at.is_empty() {
        return Vec::new();
    }
    let mut before = vec![0];
    for origin in at {
        before.push(before[before.len() - 1] + u32::from(origin.counts));
    }
    before
}
