//! What is found out about a kernel before its values get places.

use super::build::Wanted;
use super::class::{Classes, classes};
use super::flow::{self, in_order, split};
use super::fuse::fuse;
use super::graph::{self, Context, From, Graph, Item, Node, Outcome};
use super::usage::{self, Bits, live};
use crate::code::{Action, Code};
use margay_isa::special::SpecialValue;

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
    let dominators = dominators(blocks);
    let mut constants: Vec<(usize, u32, u64)> = Vec::new();
    let mut graphs = Vec::with_capacity(blocks.len());
    for (b, block) in blocks.iter().enumerate() {
        let dominates = |a: usize| {
            let mut at = b;
            while at > a {
                at = dominators[at];
            }
            at == a
        };
        // Only what the block itself reads is looked up.
        let mut read = std::collections::BTreeSet::new();
        for op in &wanted.code.ops[block.first as usize..block.end as usize] {
            usage::reads(op, &mut |slot| {
                read.insert(slot);
            });
        }
        if let flow::Exit::Branch { guard, .. } = &block.exit {
            read.insert(guard.slot);
        }
        let seen = constants.iter().filter(|(_, slot, _)| read.contains(slot));
        let seen =
            seen.filter(|(from, ..)| *from != b && dominates(*from)).map(|(_, slot, bits)| (*slot, *bits));
        let context = Context {
            code: wanted.code,
            layout: wanted.layout,
            semantics: wanted.semantics,
            constants: seen.collect(),
            fixed,
        };
        let graph = Graph::of(&context, block);
        for (slot, node) in &graph.last {
            if writers[*slot as usize] == 1
                && let Some(bits) = graph.known_bits(*node)
            {
                constants.push((b, *slot, bits));
            }
        }
        graphs.push(graph);
    }
    graphs
}

/// For every block the last one that all ways to it lead through, itself left out (Cooper, Harvey and Kennedy).
fn dominators(blocks: &[flow::Block]) -> Vec<usize> {
    const UNKNOWN: usize = usize::MAX;
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); blocks.len()];
    for (b, block) in blocks.iter().enumerate() {
        block.exit.each(|next| before[next].push(b));
    }
    let mut found = vec![UNKNOWN; blocks.len()];
    found[0] = 0;
    loop {
        let mut changed = false;
        for b in 1..blocks.len() {
            let mut one = UNKNOWN;
            for previous in before[b].iter().copied().filter(|p| found[*p] != UNKNOWN) {
                let (mut x, mut y) = (previous, if one == UNKNOWN { previous } else { one });
                let mut steps = 0;
                while x != y && steps <= 2 * blocks.len() {
                    if x > y {
                        x = found[x]
                    } else {
                        y = found[y]
                    }
                    steps += 1;
                }
                one = x.min(y);
            }
            // A way back may come before its goal in an irregular graph; the first block is then said.
            let one = if one == UNKNOWN || one >= b { 0 } else { one };
            if found[b] != one {
                // Only upwards, so that an end is reached.
                let better = if found[b] == UNKNOWN { one } else { one.min(found[b]) };
                changed |= better != found[b];
                found[b] = better;
            }
        }
        if !changed {
            return found;
        }
    }
}

/// Whether some loop could wait for another thread: whether anything reads memory that others change meanwhile.
pub(super) fn may_wait(code: &Code) -> bool {
    code.ops.iter().any(|op| match &op.action {
        Action::Atomic(atomic) => atomic.target.is_some(),
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
    last.chain(graph.decides).for_each(|node| needed.put(node as usize));
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
    end.chain(graph.decides).for_each(|node| last[node as usize] = NEVER);
    last
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
