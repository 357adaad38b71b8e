//! Which threads may yet come to an instruction whose lanes name no members: those that cannot are not waited for.
//!
//! The golden engine lets such lanes go on once no other lane of their warp moves, with those that stand at the same place by then. Threads
//! that run are at the first block at which any are; so nobody comes to their instruction any more but by a way that leads there.

use crate::batch::compile::cfg::Block;
use crate::batch::compile::liveness::Bits;
use crate::batch::origins::Origins;
use crate::code::{Action, Code, Deed, Members};

/// Blocks of a plan in which this is looked for, at most, since each such instruction takes a look at all of them.
const MOST: usize = 1 << 10;

/// For every block with such an instruction, the blocks from which threads may come to it; nothing where any may.
pub(super) fn comers(code: &Code, origins: Option<&Origins>, blocks: &[Block]) -> Vec<Option<Bits>> {
    let mut found: Vec<Option<Bits>> = vec![None; blocks.len()];
    if blocks.len() > MOST || !code.ops.iter().any(|op| gathers(&op.action)) {
        return found;
    }
    let mut before = vec![Vec::new(); blocks.len()];
    for (b, block) in blocks.iter().enumerate() {
        block.exit.each(|to| before[to].push(b));
    }
    for (b, block) in blocks.iter().enumerate() {
        let mut own =
            (block.first..block.end).filter(|pc| gathers(&code.ops[*pc as usize].action)).peekable();
        if own.peek().is_some() && own.all(|pc| is_alone(code, origins, pc)) {
            found[b] = Some(leading(&before, b));
        }
    }
    found
}

fn gathers(action: &Action) -> bool {
    matches!(action, Action::Collective(together)
        if together.members == Members::Any && matches!(together.deed, Deed::ByLane(_)))
}

/// Whether no other instruction of the code is the same one of the same function, at which the golden engine would take threads for
/// having come together, however they were called.
fn is_alone(code: &Code, origins: Option<&Origins>, pc: u32) -> bool {
    let Some(origins) = origins else { return true };
    let place = |pc: u32| {
        let origin = origins.of(pc);
        (origins.node(origin.node).function, origin.pc)
    };
    let is_same =
        |other: u32| other != pc && gathers(&code.ops[other as usize].action) && place(other) == place(pc);
    // Activations of a function that calls itself are at the same place, however deep.
    origins.root_of(origins.of(pc).node).is_none() && !(0..code.ops.len() as u32).any(is_same)
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
