//! A function's blocks, in the order in which pending threads are let on.
//!
//! Threads that part wait at blocks, and those at the first block in this order go on. So a loop's blocks stand together,
//! a place where paths meet stands behind the paths, and the way back to a loop's head leads over a block behind the
//! loop's others, its latch: there threads wait for the rest of their round. Any order is right; this one keeps threads
//! together.

use crate::code::{
    Action, Barrier, Callee, Code, Direction, Guard, Purpose, Side, Source, TensorCopy, TensorStep,
};
use margay_isa::special::SpecialValue;
use std::ops::Range;

/// A stretch of instructions without a way in or out in the middle.
pub(crate) struct Block {
    /// Its first instruction.
    pub(crate) first: u32,
    /// One behind its last; a branch at its end is the last.
    pub(crate) end: u32,
    /// One behind the last that counts as executed: the block's, or the one behind it that is handed over, which others skip.
    pub(crate) counted_end: u32,
    /// Stretches at its end that only some threads execute.
    pub(crate) sides: Vec<Side>,
    pub(crate) exit: Exit,
}

/// Where threads go at the end of a block.
#[derive(Clone)]
pub(crate) enum Exit {
    /// All to one block.
    Go(usize),
    /// Those in which the guard holds to one, the others to another.
    Branch { guard: Guard, yes: usize, no: usize },
    /// To one of these by the value of the source; beyond the list to the other, which hands over.
    Indexed { index: Source, blocks: Vec<usize>, beyond: usize },
    /// They end.
    End,
    /// Each waits at a barrier, the block's first instruction, or arrives at it, or waits for the end of a barrier object's phase; then
    /// it goes to this block.
    Barrier(usize),
    /// They go on in another engine, with the block's first instruction. Behind it come these blocks of those that `split`
    /// gives.
    Bailout(Vec<usize>),
}

impl Exit {
    /// Calls `f` with every block that may be next.
    pub(crate) fn each(&self, mut f: impl FnMut(usize)) {
        match self {
            Exit::Go(next) | Exit::Barrier(next) => f(*next),
            Exit::Branch { yes, no, .. } => {
                f(*yes);
                f(*no);
            }
            Exit::Indexed { blocks, beyond, .. } => {
                blocks.iter().for_each(|b| f(*b));
                f(*beyond);
            }
            Exit::End | Exit::Bailout(_) => {}
        }
    }

    fn map(&mut self, f: impl Fn(usize) -> usize) {
        match self {
            Exit::Go(next) | Exit::Barrier(next) => *next = f(*next),
            Exit::Branch { yes, no, .. } => (*yes, *no) = (f(*yes), f(*no)),
            Exit::Indexed { blocks, beyond, .. } => {
                blocks.iter_mut().for_each(|b| *b = f(*b));
                *beyond = f(*beyond);
            }
            Exit::End | Exit::Bailout(_) => {}
        }
    }
}

/// Whether an instruction is left to the golden engine, with all threads of the CTA from then on.
pub(super) fn hands_over(action: &Action) -> bool {
    match action {
        Action::Call(call) => call.printing().is_none() && !matches!(call.callee, Callee::Inside { .. }),
        Action::Trap(_)
        | Action::SaveStack(_)
        | Action::RestoreStack(_)
        | Action::Allocate(_)
        | Action::Copy(_)
        | Action::Gate(_)
        | Action::MapToCta(_)
        | Action::TellCta(_)
        | Action::StoreSome(_) => true,
        // Elements that are combined, and other blocks, are the golden engine's.
        Action::Bulk(bulk) => bulk.combine.is_some() || bulk.blocks.is_some() || bulk.mask.is_some(),
        Action::Tensor(op) => match &op.step {
            TensorStep::Copy(TensorCopy { direction: Direction::Combine(_), .. }) => true,
            TensorStep::Copy(TensorCopy { direction: Direction::Load { blocks, .. }, .. }) => {
                blocks.is_some()
            }
            _ => false,
        },
        Action::Object(step) => step.asks(),
        // One step, which only the golden engine makes of two.
        Action::Load(load) => load.bytes == 16 && load.strength.strong,
        Action::Store(store) => store.bytes == 16 && store.strength.strong,
        // It is about other blocks of the cluster.
        Action::TestSpace(test) => test.3,
        Action::Compute(compute) => compute.sources.iter().any(is_clock),
        Action::Barrier(barrier) => {
            let plain = barrier.count.is_none() && matches!(barrier.id, Source::Constant(0..16));
            !plain || matches!(barrier.purpose, Purpose::Arrive)
        }
        _ => false,
    }
}

/// Whether threads can wait at a barrier, or arrive at it, while others run.
fn can_park(barrier: &Barrier) -> bool {
    let is_known = |source: &Source| matches!(source, Source::Constant(_) | Source::Register { .. });
    let combines = matches!(barrier.purpose, Purpose::Reduce(_));
    !combines && is_known(&barrier.id) && barrier.count.as_ref().is_none_or(is_known)
}

/// Whether threads wait at a kernel's barriers while others run: where some barrier is not simply for all of them, or some threads may wait
/// for the end of a barrier object's phase. Then all count who has come, so that none is taken for complete that somebody has arrived at early.
fn parks(code: &Code) -> bool {
    code.ops.iter().any(|op| match &op.action {
        Action::Barrier(barrier) => hands_over(&op.action) && can_park(barrier),
        action => looks(action),
    })
}

/// Whether threads wait for the end of a barrier object's phase.
fn looks(action: &Action) -> bool {
    matches!(action, Action::Object(step) if step.change.change().is_none() && !hands_over(action))
}

/// Whether a source tells how far the CTA is.
fn is_clock(source: &Source) -> bool {
    use SpecialValue::{Clock, Clock64, ClockHi, Globaltimer, GlobaltimerHi, GlobaltimerLo};
    match source {
        Source::Special { value, .. } => {
            matches!(value, Clock | ClockHi | Clock64 | Globaltimer | GlobaltimerLo | GlobaltimerHi)
        }
        _ => false,
    }
}

/// Whether threads may go elsewhere behind an instruction.
fn branches(action: &Action) -> bool {
    matches!(action, Action::Branch(_) | Action::BranchIndexed(_) | Action::Return | Action::Exit)
}

/// The blocks in the order of their instructions; those at the end have none of their own.
pub(crate) fn split(code: &Code) -> Vec<Block> {
    let count = code.ops.len();
    let mut starts = vec![false; count + 1];
    starts[0] = true;
    let parks = parks(code);
    let waits = |action: &Action| match action {
        Action::Barrier(barrier) => parks && can_park(barrier),
        action => looks(action),
    };
    for (k, op) in code.ops.iter().enumerate() {
        match &op.action {
            Action::Branch(target) => starts[*target as usize] = true,
            Action::BranchIndexed(branch) => branch.1.iter().for_each(|t| starts[*t as usize] = true),
            action if hands_over(action) || waits(action) => starts[k] = true,
            _ => {}
        }
        if branches(&op.action) || hands_over(&op.action) || waits(&op.action) {
            starts[k + 1] = true;
        }
    }
    code.sides.iter().for_each(|side| starts[side.meet as usize] = true);
    let mut number = vec![usize::MAX; count + 1];
    let firsts: Vec<usize> = (0..count).filter(|k| starts[*k]).collect();
    for (b, first) in firsts.iter().enumerate() {
        number[*first] = b;
    }
    let mut blocks: Vec<Block> = Vec::with_capacity(firsts.len() + 1);
    let end_of_all = firsts.len();
    // Behind the last instruction stands a return, with which another engine would end a thread that waits here.
    let last = count as u32 - 1;
    let mut extra =
        vec![Block { first: last, end: last, counted_end: last, sides: Vec::new(), exit: Exit::End }];
    for (b, first) in firsts.iter().enumerate() {
        let end = firsts.get(b + 1).copied().unwrap_or(count);
        let (next, counted_end) = (b + 1, end as u32);
        let op = &code.ops[end - 1];
        let mut alone = |first: usize, exit: Exit| {
            let first = first as u32;
            extra.push(Block { first, end: first, counted_end: first, sides: Vec::new(), exit });
            end_of_all + extra.len() - 1
        };
        let (end, exit) = match (&op.action, op.guard) {
            (Action::Branch(target), None) => (end, Exit::Go(number[*target as usize])),
            (Action::Branch(target), Some(guard)) => {
                (end, Exit::Branch { guard, yes: number[*target as usize], no: next })
            }
            (Action::Return | Action::Exit, None) => (end, Exit::End),
            (Action::Return | Action::Exit, Some(guard)) => {
                (end, Exit::Branch { guard, yes: end_of_all, no: next })
            }
            (Action::BranchIndexed(branch), None) => {
                let blocks = branch.1.iter().map(|t| number[*t as usize]).collect();
                let beyond = alone(end - 1, Exit::Bailout(Vec::new()));
                (end, Exit::Indexed { index: branch.0.clone(), blocks, beyond })
            }
            // A guarded one is rare: those in which the guard holds are handed over.
            (Action::BranchIndexed(branch), Some(guard)) => {
                let then = branch.1.iter().map(|t| number[*t as usize]).collect();
                let yes = alone(end - 1, Exit::Bailout(then));
                (end - 1, Exit::Branch { guard, yes, no: next })
            }
            (action, guard) if hands_over(action) || waits(action) => {
                let yes = match waits(action) {
                    true => Exit::Barrier(next),
                    false => Exit::Bailout((next < firsts.len()).then_some(next).into_iter().collect()),
                };
                let yes = alone(end - 1, yes);
                match guard {
                    None => (end - 1, Exit::Go(yes)),
                    Some(guard) => (end - 1, Exit::Branch { guard, yes, no: next }),
                }
            }
            _ => (end, Exit::Go(next)),
        };
        let (first, end) = (*first as u32, end as u32);
        let inside = |side: &&Side| (first..end).contains(&side.stretch.start);
        let sides = code.sides.iter().filter(inside).cloned().collect();
        blocks.push(Block { first, end, counted_end, sides, exit });
    }
    blocks.append(&mut extra);
    blocks
}

/// The stretches of instructions without a way in or out in the middle, in order; one that is handed over stands alone.
pub(crate) fn stretches(code: &Code) -> Vec<Range<u32>> {
    let mut firsts: Vec<u32> = split(code).iter().map(|block| block.first).collect();
    firsts.sort_unstable();
    firsts.dedup();
    // The return behind the last instruction is none.
    let end = code.ops.len() as u32 - 1;
    let ends = firsts.iter().skip(1).copied().chain([end]);
    firsts
        .iter()
        .copied()
        .zip(ends)
        .map(|(first, next)| first..next.min(end))
        .filter(|range| !range.is_empty())
        .collect()
}

/// A block, or the latch of the loop that a block heads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stop {
    Block(usize),
    Latch(usize),
}

/// Drops blocks that cannot be reached, puts the others in order, the first one first, and adds latches. Each comes with
/// the number that it had, a latch with that of its loop's head.
pub(crate) fn in_order(blocks: &[Block]) -> Vec<(Block, usize)> {
    const NOWHERE: usize = usize::MAX;
    let stops = stops(blocks);
    let (mut at, mut latch) = (vec![NOWHERE; blocks.len()], vec![NOWHERE; blocks.len()]);
    for (k, stop) in stops.iter().enumerate() {
        match stop {
            Stop::Block(b) => at[*b] = k,
            Stop::Latch(b) => latch[*b] = k,
        }
    }
    // A way back that comes from the loop's last block alone needs no latch.
    let back = |from: usize, to: usize| latch[to] != NOWHERE && at[to] <= at[from] && at[from] < latch[to];
    let mut ways = vec![(0, 0); blocks.len()];
    for stop in &stops {
        if let Stop::Block(from) = stop {
            blocks[*from].exit.each(|to| {
                if back(*from, to) {
                    ways[to] = (ways[to].0 + 1, at[*from]);
                }
            });
        }
    }
    let needless = |head: usize| ways[head].0 == 1 && ways[head].1 + 1 == latch[head];
    let kept: Vec<Stop> =
        stops.iter().copied().filter(|stop| !matches!(stop, Stop::Latch(b) if needless(*b))).collect();
    let (mut place, mut latch_place) = (vec![NOWHERE; blocks.len()], vec![NOWHERE; blocks.len()]);
    for (k, stop) in kept.iter().enumerate() {
        match stop {
            Stop::Block(b) => place[*b] = k,
            Stop::Latch(b) => latch_place[*b] = k,
        }
    }
    let goal = |from: usize, to: usize| match latch_place[to] {
        there if there != NOWHERE && back(from, to) => there,
        _ => place[to],
    };
    kept.iter()
        .map(|stop| match stop {
            Stop::Block(b) => {
                let block = &blocks[*b];
                let mut exit = block.exit.clone();
                exit.map(|to| goal(*b, to));
                let Block { first, end, counted_end, .. } = *block;
                (Block { first, end, counted_end, sides: block.sides.clone(), exit }, *b)
            }
            Stop::Latch(b) => {
                let first = blocks[*b].first;
                let exit = Exit::Go(place[*b]);
                (Block { first, end: first, counted_end: first, sides: Vec::new(), exit }, *b)
            }
        })
        .collect()
}

/// The order: parts that can reach each other together, headed by one of them, the rest put in order in the same way.
fn stops(blocks: &[Block]) -> Vec<Stop> {
    enum Task {
        Order(Vec<usize>),
        Put(Stop),
    }
    /// Loops inside loops beyond this depth are taken as they come.
    const DEEP: usize = 64;
    let mut edges: Vec<Vec<usize>> = vec![Vec::new(); blocks.len()];
    let mut ways_in: Vec<Vec<usize>> = vec![Vec::new(); blocks.len()];
    let mut reached = vec![false; blocks.len()];
    let mut open = vec![0];
    while let Some(b) = open.pop() {
        if !std::mem::replace(&mut reached[b], true) {
            blocks[b].exit.each(|next| {
                edges[b].push(next);
                ways_in[next].push(b);
                open.push(next);
            });
        }
    }
    let mut part = vec![0usize; blocks.len()];
    let mut parts = 1;
    let mut out = Vec::new();
    let all = (0..blocks.len()).filter(|b| reached[*b]).collect();
    let mut tasks = vec![(Task::Order(all), 0)];
    while let Some((task, depth)) = tasks.pop() {
        let nodes = match task {
            Task::Put(stop) => {
                out.push(stop);
                continue;
            }
            Task::Order(nodes) => nodes,
        };
        let inside = parts;
        parts += 1;
        nodes.iter().for_each(|b| part[*b] = inside);
        // Components come with those that are reached first at the end, which suits a stack.
        for component in components(&nodes, &edges, &part) {
            if let [b] = component[..] {
                if edges[b].contains(&b) {
                    tasks.push((Task::Put(Stop::Latch(b)), depth));
                }
                tasks.push((Task::Put(Stop::Block(b)), depth));
                continue;
            }
            if depth == DEEP {
                component.iter().rev().for_each(|b| tasks.push((Task::Put(Stop::Block(*b)), depth)));
                continue;
            }
            let members: foldhash::HashSet<usize> = component.iter().copied().collect();
            let entered = |b: &&usize| **b == 0 || ways_in[**b].iter().any(|from| !members.contains(from));
            let head = component.iter().find(entered).copied().unwrap_or(component[0]);
            tasks.push((Task::Put(Stop::Latch(head)), depth));
            tasks.push((Task::Order(component.into_iter().filter(|b| *b != head).collect()), depth + 1));
            tasks.push((Task::Put(Stop::Block(head)), depth));
        }
    }
    out
}

/// The strongly connected components of a part of the graph (Tarjan's algorithm without recursion), each in the order of
/// its blocks. A component stands before those from which it can be reached.
fn components(nodes: &[usize], edges: &[Vec<usize>], part: &[usize]) -> Vec<Vec<usize>> {
    const NEW: usize = usize::MAX;
    let Some(inside) = nodes.first().map(|b| part[*b]) else { return Vec::new() };
    let local: foldhash::HashMap<usize, usize> = nodes.iter().enumerate().map(|(k, b)| (*b, k)).collect();
    let (mut index, mut low) = (vec![NEW; nodes.len()], vec![0; nodes.len()]);
    let mut on_stack = vec![false; nodes.len()];
    let (mut stack, mut next, mut found) = (Vec::new(), 0, Vec::new());
    for root in 0..nodes.len() {
        if index[root] != NEW {
            continue;
        }
        let mut work = vec![(root, 0)];
        while let Some((v, edge)) = work.pop() {
            if edge == 0 {
                (index[v], low[v]) = (next, next);
                next += 1;
                stack.push(v);
                on_stack[v] = true;
            }
            let successor = edges[nodes[v]][edge..].iter().position(|b| part[*b] == inside);
            if let Some(skip) = successor {
                let w = local[&edges[nodes[v]][edge + skip]];
                work.push((v, edge + skip + 1));
                if index[w] == NEW {
                    work.push((w, 0));
                } else if on_stack[w] {
                    low[v] = low[v].min(index[w]);
                }
                continue;
            }
            if low[v] == index[v] {
                let from = stack.iter().rposition(|w| *w == v);
                debug_assert!(from.is_some(), "a component's first block is on the stack");
                let from = from.unwrap_or(0);
                let mut component: Vec<usize> = stack.drain(from..).collect();
                component.iter().for_each(|w| on_stack[*w] = false);
                component.iter_mut().for_each(|w| *w = nodes[*w]);
                component.sort_unstable();
                found.push(component);
            }
            if let Some((parent, _)) = work.last() {
                low[*parent] = low[*parent].min(low[v]);
            }
        }
    }
    found
}
