//! Which values are the same in all threads, which grow evenly from thread to thread, and which are anything.
//!
//! A register counts by all its values together. Threads part at a branch whose predicate is not the same in all of them;
//! from then on some wait while others run. A register that is set while threads wait that need what it held before
//! cannot be the same in all threads, whatever it is set to.

use super::flow::{Block, Exit};
use super::graph::{From, Graph, Node, Step};
use super::usage::Bits;
use margay_front::module::Space;
use margay_isa::special::SpecialValue;
use margay_isa::uop::{Int, Op};

/// How a value differs from thread to thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Class {
    /// The same in all threads that run.
    Uniform,
    /// A base, plus the thread's place along each axis times a step.
    Affine,
    /// Anything.
    Varying,
}

/// The classes of a kernel's registers and values.
pub(crate) struct Classes {
    /// Whether CTAs run together, which then differ.
    pub(crate) together: bool,
    /// By slot.
    pub(crate) slots: Vec<Class>,
    /// By block and value.
    pub(crate) values: Vec<Vec<Class>>,
    /// For every block, those at which threads may wait while it runs.
    pub(crate) waiting: Vec<Bits>,
    /// For every block, the registers that it must leave as they are in threads that wait.
    pub(crate) kept: Vec<Vec<u32>>,
}

/// Finds the classes. `live` are the slots that each block needs from before it.
/// `together` says whether CTAs run together.
pub(crate) fn classes(
    blocks: &[Block],
    graphs: &[Graph],
    live: &[Bits],
    slots: usize,
    together: bool,
) -> Classes {
    let mut found = Classes {
        together,
        slots: vec![Class::Uniform; slots],
        values: graphs.iter().map(|graph| vec![Class::Uniform; graph.values.len()]).collect(),
        waiting: Vec::new(),
        kept: Vec::new(),
    };
    loop {
        settle(graphs, &mut found);
        found.waiting = waiting(blocks, graphs, &found.values);
        found.kept = kept(graphs, live, &found.waiting);
        let mut changed = false;
        for slot in found.kept.iter().flatten() {
            let class = &mut found.slots[*slot as usize];
            changed |= *class != Class::Varying;
            *class = Class::Varying;
        }
        if !changed {
            return found;
        }
    }
}

/// Values from registers, registers from values, until nothing changes.
fn settle(graphs: &[Graph], found: &mut Classes) {
    loop {
        let mut changed = false;
        for (graph, values) in graphs.iter().zip(&mut found.values) {
            for node in 0..graph.values.len() {
                values[node] = class(graph, node as Node, values, &found.slots, found.together);
            }
            for (slot, node) in &graph.last {
                let (class, new) = (&mut found.slots[*slot as usize], values[*node as usize]);
                if new > *class {
                    *class = new;
                    changed = true;
                }
            }
        }
        if !changed {
            return;
        }
    }
}

fn class(graph: &Graph, node: Node, values: &[Class], slots: &[Class], together: bool) -> Class {
    let of = |node: Node| values[node as usize];
    match graph.values[node as usize].from {
        From::Const(_) => Class::Uniform,
        From::Slot(slot) => slots[slot as usize],
        From::Special(special) => special_class(special, together),
        From::Op(op, operands) => {
            let operands = operands.map(of);
            operation(op, &operands[..op.operands().len()])
        }
        From::Step(step) => match &graph.steps[step as usize].step {
            Step::Load(access, _) => match access.space {
                Some(Space::Local) | None => Class::Varying,
                // Each block has its own.
                Some(Space::Shared) if together => Class::Varying,
                Some(_) if of(access.address) == Class::Uniform => Class::Uniform,
                Some(_) => Class::Varying,
            },
            Step::Each(each) => {
                let mut most = Class::Uniform;
                each.sources.iter().for_each(|source| source.each(|node| most = most.max(of(node))));
                if most == Class::Uniform { Class::Uniform } else { Class::Varying }
            }
            Step::Reduce { .. } if together => Class::Varying,
            Step::Reduce { .. } => Class::Uniform,
            Step::Store(..) | Step::Atomic(_) | Step::Together(_) | Step::Barrier => Class::Varying,
        },
    }
}

fn special_class(special: SpecialValue, together: bool) -> Class {
    match special {
        SpecialValue::Tid(_) => Class::Affine,
        SpecialValue::Ctaid(_) if together => Class::Affine,
        SpecialValue::Smid | SpecialValue::Clusterid(_) if together => Class::Varying,
        SpecialValue::Laneid
        | SpecialValue::Warpid
        | SpecialValue::LanemaskEq
        | SpecialValue::LanemaskLe
        | SpecialValue::LanemaskLt
        | SpecialValue::LanemaskGe
        | SpecialValue::LanemaskGt => Class::Varying,
        _ => Class::Uniform,
    }
}

fn operation(op: Op, operands: &[Class]) -> Class {
    use Class::{Affine, Uniform, Varying};
    let most = operands.iter().copied().max().unwrap_or(Uniform);
    if most != Affine {
        return most;
    }
    let fits = match op {
        Op::Int32(int) | Op::Int64(int) => match int {
            Int::Add | Int::Sub | Int::AddAdd => true,
            Int::Mul => operands.contains(&Uniform),
            Int::MulAdd => operands[0] == Uniform || operands[1] == Uniform,
            Int::Shl => operands[1] == Uniform,
            _ => false,
        },
        Op::MulWideU | Op::MulWideS => operands.contains(&Uniform),
        Op::Zext | Op::Sext | Op::Low => true,
        Op::Select(_) => operands[0] == Uniform,
        _ => false,
    };
    if fits { Affine } else { Varying }
}

/// Whether threads may part behind a block.
fn parts(block: &Block, graph: &Graph, values: &[Class]) -> bool {
    !matches!(block.exit, Exit::Go(_))
        && graph.decides.is_some_and(|node| values[node as usize] != Class::Uniform)
}

/// The blocks at which threads may wait while a block runs. Those that run are always at the first block at which any
/// are, so that others wait at later ones only.
fn waiting(blocks: &[Block], graphs: &[Graph], values: &[Vec<Class>]) -> Vec<Bits> {
    let mut found = vec![Bits::new(blocks.len()); blocks.len()];
    let mut open = std::collections::BTreeSet::from([0]);
    let mut seen = Bits::new(blocks.len());
    while let Some(b) = open.pop_first() {
        seen.put(b);
        let mut next = Vec::new();
        blocks[b].exit.each(|to| next.push(to));
        next.sort_unstable();
        next.dedup();
        // Each goal alone with those that wait already, or all at once.
        let goals = match parts(&blocks[b], &graphs[b], &values[b]) {
            true => vec![next],
            false if next.is_empty() => vec![Vec::new()],
            false => next.into_iter().map(|to| vec![to]).collect(),
        };
        for goal in goals {
            let mut all = found[b].clone();
            goal.iter().for_each(|to| all.put(*to));
            let all: Vec<usize> = all.iter().collect();
            for (k, runs) in all.iter().enumerate() {
                let mut behind = Bits::new(blocks.len());
                all[k + 1..].iter().for_each(|other| behind.put(*other));
                if found[*runs].join(&behind) || !seen.has(*runs) {
                    open.insert(*runs);
                }
            }
        }
    }
    found
}

/// The registers that blocks set while threads wait that need what they held.
fn kept(graphs: &[Graph], live: &[Bits], waiting: &[Bits]) -> Vec<Vec<u32>> {
    let kept = |(graph, waiting): (&Graph, &Bits)| {
        let needed = |slot: &u32| waiting.iter().any(|other| live[other].has(*slot as usize));
        let mut slots: Vec<u32> = graph.last.keys().copied().filter(needed).collect();
        slots.sort_unstable();
        slots
    };
    graphs.iter().zip(waiting).map(kept).collect()
}
