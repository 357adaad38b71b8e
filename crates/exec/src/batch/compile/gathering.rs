//! Which threads may yet come to an instruction whose lanes name no members: those that cannot are not waited for.
//!
//! The golden engine lets such lanes go on once no other lane of their warp moves, those that are furthest behind, with all that stand at
//! the same place by then. Threads that run are at the first block at which any are; so nobody comes to their instruction any more but by a
//! way that leads there. Where all ways lead forward by the golden engine's measure, it takes the instructions in the same order.

use crate::batch::compile::cfg::Block;
use crate::batch::compile::liveness::Bits;
use crate::batch::origins::Origins;
use crate::code::{Action, Code, Deed, Members};
use std::cmp::Reverse;

/// Blocks of a plan, and such instructions, for which this is looked for, at most: each takes a look at all of them.
const MOST: usize = 1 << 10;
const MOST_GATHERING: usize = 1 << 6;

/// Where lanes gather.
struct Gathering {
    pc: u32,
    block: usize,
    /// How deep in calls, in which function, and where: the golden engine takes the least first.
    place: (Reverse<usize>, u32, u32),
    /// Whether it is part of an activation, of which threads may be in several.
    is_deep: bool,
    /// The blocks from which a way leads to it.
    comers: Bits,
}

/// For every block with such an instruction, the blocks from which threads may come to it; nothing where any may.
pub(super) fn comers(code: &Code, origins: Option<&Origins>, blocks: &[Block]) -> Vec<Option<Bits>> {
    let mut found: Vec<Option<Bits>> = vec![None; blocks.len()];
    let count = code.ops.iter().filter(|op| gathers(&op.action)).count();
    if blocks.len() > MOST || !(1..=MOST_GATHERING).contains(&count) {
        return found;
    }
    let all = all(code, origins, blocks);
    let is_apart = |one: &Gathering| {
        // At the same place the golden engine takes threads for having come together, however that was called.
        !one.is_deep && all.iter().all(|other| other.pc == one.pc || other.place != one.place)
    };
    let leads = |from: &Gathering, to: &Gathering| {
        from.block == to.block && from.pc < to.pc || from.pc != to.pc && to.comers.has(from.block)
    };
    let is_forward = |one: &Gathering| all.iter().all(|to| !leads(one, to) || one.place < to.place);
    if all.iter().all(|one| is_apart(one) && is_forward(one)) {
        all.into_iter().for_each(|Gathering { block, comers, .. }| found[block] = Some(comers));
    }
    found
}

fn all(code: &Code, origins: Option<&Origins>, blocks: &[Block]) -> Vec<Gathering> {
    let mut before = vec![Vec::new(); blocks.len()];
    for (b, block) in blocks.iter().enumerate() {
        block.exit.each(|to| before[to].push(b));
    }
    let gathering = |block: usize, pc: u32| {
        let (place, is_deep) = match origins {
            None => ((Reverse(0), 0, pc), false),
            Some(origins) => {
                let origin = origins.of(pc);
                let depth = origins.up(origin.node).count();
                let place = (Reverse(depth), origins.node(origin.node).function, origin.pc);
                (place, origins.root_of(origin.node).is_some())
            }
        };
        Gathering { pc, block, place, is_deep, comers: leading(&before, block) }
    };
    let in_block = |(b, block): (usize, &Block)| {
        let own = (block.first..block.end).filter(|pc| gathers(&code.ops[*pc as usize].action));
        own.map(|pc| gathering(b, pc)).collect::<Vec<_>>()
    };
    blocks.iter().enumerate().flat_map(in_block).collect()
}

fn gathers(action: &Action) -> bool {
    matches!(action, Action::Collective(together)
        if together.members == Members::Any && matches!(together.deed, Deed::ByLane(_)))
}

/// The blocks from which a way leads to a block, by those that lead to each at once.
fn leading(before: &[Vec<usize>], to: usize) -> Bits {
    let (mut found, mut open) = (Bits::new(before.len()), vec![to]);
    while let Some(b) = open.pop() {
        for from in &before[b] {
            if !found.has(*from) {
                found.put(*from);
                open.push(*from);
            }
        }
    }
    found
}
