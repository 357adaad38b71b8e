//! What is found out about a kernel before its values get places.

use super::build::Wanted;
use super::class::{Classes, classes};
use super::flow::{self, in_order, split};
use super::fuse::fuse;
use super::graph::{self, Context, From, Graph, Item, Node, Outcome};
use super::usage::{self, Bits, live};
use crate::code::{Action, Code};
use margay_isa::special::SpecialValue;
use std::collections::HashMap;

/// Where a value is used last that is needed at a block's end.
pub(super) const NEVER: u32 = u32::MAX;

/// What is found out about a kernel before places are given.
pub(super) struct Analysis {
    pub(super) blocks: Vec<flow::Block>,
    pub(super) graphs: Vec<Graph>,
    /// For every block, the slots that it needs from before it.
    pub(super) live: Vec<Bits>,
    pub(super) classes: Classes,
}

/// Finds out about a kernel what its plan rests on.
pub(super) fn analyse(wanted: &Wanted) -> Analysis {
    let raw = split(wanted.code);
    let needs = live(wanted.code, &raw);
    let (blocks, live): (Vec<_>, Vec<_>) =
        in_order(&raw).into_iter().map(|(block, origin)| (block, needs[origin].clone())).unzip();
    let fixed = |value: SpecialValue| match value {
        SpecialValue::Ntid(axis) => Some(u64::from(wanted.block.axis(axis))),
        SpecialValue::Tid(axis) if wanted.block.axis(axis) == 1 => Some(0),
        SpecialValue::Zero => Some(0),
        _ => None,
    };
    let mut graphs = graphs(wanted, &blocks, &fixed);
    for (block, graph) in blocks.iter().zip(&mut graphs) {
        let after = needed_after(block, &live, wanted.code.slots);
        let needed = needed(graph, &after);
        let mut kept = Bits::new(graph.values.len());
        let last = graph.last.iter().filter(|(slot, _)| after.has(**slot as usize));
        last.for_each(|(_, node)| kept.put(*node as usize));
        fuse(graph, &needed, &kept);
    }
    let classes = classes(&blocks, &graphs, &live, wanted.code.slots, wanted.members > 1);
    Analysis { blocks, graphs, live, classes }
}

/// The values of all blocks. Registers that one instruction sets to a constant are that constant wherever it comes first.
fn graphs(
    wanted: &Wanted,
    blocks: &[flow::Block],
    fixed: &dyn Fn(SpecialValue) -> Option<u64>,
) -> Vec<Graph> {
    let mut writers = vec![0u32; wanted.code.slots];
    for op in &wanted.code.ops {
        usage::writes(op, &mut |slot| writers[slot as usize] += 1);
    }
    let assigned = assigned(wanted.code, blocks);
    let mut constants: HashMap<u32, u64> = HashMap::new();
    let mut graphs = Vec::with_capacity(blocks.len());
    for (b, block) in blocks.iter().enumerate() {
        // Only what the block itself reads is looked up.
        let mut seen = HashMap::new();
        let mut see = |slot: u32| {
            if let Some(bits) = constants.get(&slot).filter(|_| assigned[b].has(slot as usize)) {
                seen.insert(slot, *bits);
            }
        };
        for op in &wanted.code.ops[block.first as usize..block.end as usize] {
            usage::reads(op, &mut see);
        }
        if let flow::Exit::Branch { guard, .. } = &block.exit {
            see(guard.slot);
        }
        let context = Context {
            code: wanted.code,
            layout: wanted.layout,
            semantics: wanted.semantics,
            constants: seen,
            fixed,
        };
        let graph = Graph::of(&context, block);
        for (slot, node) in &graph.last {
            if writers[*slot as usize] == 1
                && let Some(bits) = graph.known_bits(*node)
            {
                constants.insert(*slot, bits);
            }
        }
        graphs.push(graph);
    }
    graphs
}

/// For every block, the slots that are surely set on every way to it.
fn assigned(code: &Code, blocks: &[flow::Block]) -> Vec<Bits> {
    let everything = {
        let mut all = Bits::new(code.slots);
        (0..code.slots).for_each(|slot| all.put(slot));
        all
    };
    let mut found = vec![everything; blocks.len()];
    found[0] = Bits::new(code.slots);
    let mut open = vec![0];
    let mut seen = vec![false; blocks.len()];
    while let Some(b) = open.pop() {
        seen[b] = true;
        let mut out = found[b].clone();
        usage::sets(code, blocks[b].first..blocks[b].end, &mut |slot| out.put(slot as usize));
        blocks[b].exit.each(|next| {
            if found[next].keep(&out) || !seen[next] {
                open.push(next);
            }
        });
    }
    found
}

/// Whether some loop could wait for another thread: whether anything reads memory that others change meanwhile.
pub(super) fn may_wait(code: &Code) -> bool {
    code.ops.iter().any(|op| match &op.action {
        Action::Atomic(atomic) => !atomic.targets.is_empty(),
        Action::Load(load) => load.strength.strong,
        _ => false,
    })
}

/// The slots that are needed behind a block.
pub(super) fn needed_after(block: &flow::Block, live: &[Bits], slots: usize) -> Bits {
    let mut needed = Bits::new(slots);
    block.exit.each(|next| {
        needed.join(&live[next]);
    });
    needed
}

/// The values that stores, branches and later blocks need, and what they are computed from.
pub(super) fn needed(graph: &Graph, needed_after: &Bits) -> Bits {
    let mut needed = Bits::new(graph.values.len());
    let last = graph.last.iter().filter(|(slot, _)| needed_after.has(**slot as usize)).map(|(_, node)| *node);
    last.chain(graph.decides).chain(sides(graph)).for_each(|node| needed.put(node as usize));
    for item in graph.items.iter().rev() {
        match item {
            Item::Value(node) if needed.has(*node as usize) => {
                operands(graph, *node, &mut |operand| needed.put(operand as usize));
            }
            Item::Value(_) => {}
            Item::Step(step) => {
                let wanted = match &graph.steps[*step as usize].step {
                    graph::Step::Each(each) => each.results.iter().any(|r| outcome_needed(*r, &needed)),
                    _ => true,
                };
                if wanted {
                    step_operands(graph, *step, &mut |operand| needed.put(operand as usize));
                }
            }
        }
    }
    needed
}

/// Where each value is used last; `NEVER` before the block's end if it is needed there.
pub(super) fn last_use(graph: &Graph, needed: &Bits, needed_after: &Bits) -> Vec<u32> {
    let mut last = vec![0; graph.values.len()];
    for (position, item) in graph.items.iter().enumerate() {
        let mut used = |node: Node| last[node as usize] = position as u32;
        match item {
            Item::Value(node) if needed.has(*node as usize) => operands(graph, *node, &mut used),
            Item::Value(_) => {}
            Item::Step(step) => step_operands(graph, *step, &mut used),
        }
    }
    // Another engine may have to go on at any step: then every instruction behind it finds what it reads.
    if !graph.steps.is_empty() {
        for (last, read) in last.iter_mut().zip(&graph.read) {
            *last = if *read as usize >= graph.items.len() { NEVER } else { (*last).max(*read) };
        }
    }
    let end = graph.last.iter().filter(|(slot, _)| needed_after.has(**slot as usize)).map(|(_, node)| *node);
    end.chain(graph.decides).chain(sides(graph)).for_each(|node| last[node as usize] = NEVER);
    last
}

/// The predicates that say who executes stretches at a block's end.
fn sides(graph: &Graph) -> impl Iterator<Item = Node> {
    graph.sides.iter().map(|(node, _)| *node)
}

pub(super) fn operands(graph: &Graph, node: Node, f: &mut impl FnMut(Node)) {
    if let From::Op(op, operands) = graph.values[node as usize].from {
        operands[..op.operands().len()].iter().for_each(|operand| f(*operand));
    }
}

pub(super) fn step_operands(graph: &Graph, step: u32, f: &mut impl FnMut(Node)) {
    let step = &graph.steps[step as usize];
    step.guard.iter().for_each(|node| f(*node));
    match &step.step {
        graph::Step::Load(access, _) => f(access.address),
        graph::Step::Store(access, nodes) => {
            f(access.address);
            nodes.iter().for_each(|node| f(*node));
        }
        graph::Step::Atomic(atomic) => {
            f(atomic.access.address);
            atomic.sources.iter().for_each(|source| source.each(&mut *f));
        }
        graph::Step::Each(each) => each.sources.iter().for_each(|source| source.each(&mut *f)),
        graph::Step::Together(together) => {
            together.sources.iter().for_each(|source| source.each(&mut *f));
        }
        graph::Step::Barrier => {}
        graph::Step::Reduce { predicate, .. } => f(*predicate),
    }
}

pub(super) fn outcome_needed(outcome: Outcome, needed: &Bits) -> bool {
    match outcome {
        Outcome::Nothing => false,
        Outcome::One(node) => needed.has(node as usize),
        Outcome::Two(low, high) => needed.has(low as usize) || needed.has(high as usize),
    }
}
