//! Branches that are decided for all threads at once where their values allow it.

use super::{Builder, Draft};
use crate::batch::analysis::{operands, step_operands};
use crate::batch::class::Class;
use crate::batch::graph::{From, Graph, Item, Node};
use crate::batch::lanes::Place;
use crate::batch::plan::{Guess, Home, Operand};
use crate::batch::usage::Bits;
use margay_isa::uop::{Cmp, Logic, Op};
use std::collections::HashMap;

/// A comparison that decides a block's branch.
pub(super) struct Deciding {
    pub(super) cmp: Cmp,
    pub(super) operands: [Node; 2],
    pub(super) negated: bool,
    /// It, and what turns it round.
    pub(super) nodes: Vec<Node>,
}

impl<'a> Builder<'a> {
    /// A comparison that decides the block's branch and nothing else, of values that grow evenly or are the same in all
    /// threads, with no step behind it.
    pub(super) fn guess(
        &self,
        b: usize,
        graph: &Graph,
        needed: &Bits,
        needed_after: &Bits,
    ) -> Option<Deciding> {
        let decides = graph.decides?;
        let classes = &self.classes.values[b];
        if classes[decides as usize] != Class::Varying {
            return None;
        }
        let (node, negated) = match graph.values[decides as usize].from {
            From::Op(Op::Pred(Logic::Xor), [a, b, _]) if graph.known_bits(b) == Some(1) => (a, true),
            From::Op(Op::Pred(Logic::Xor), [a, b, _]) if graph.known_bits(a) == Some(1) => (b, true),
            _ => (decides, false),
        };
        let From::Op(Op::Cmp32(cmp) | Op::Cmp64(cmp), [x, y, _]) = graph.values[node as usize].from else {
            return None;
        };
        let fits = |operand: &Node| {
            let moved = match graph.values[*operand as usize].from {
                From::Slot(slot) => graph.last.contains_key(&slot),
                _ => false,
            };
            classes[*operand as usize] != Class::Varying && !moved
        };
        let nodes = if negated { vec![node, decides] } else { vec![node] };
        let mut uses = 0;
        for other in (0..graph.values.len()).filter(|other| needed.has(*other)) {
            operands(graph, other as Node, &mut |operand| uses += usize::from(nodes.contains(&operand)));
        }
        for step in 0..graph.steps.len() as u32 {
            step_operands(graph, step, &mut |operand| uses += 2 * usize::from(nodes.contains(&operand)));
        }
        let kept = |(slot, last): (&u32, &Node)| nodes.contains(last) && needed_after.has(*slot as usize);
        let place = graph.items.iter().position(|item| *item == Item::Value(node))?;
        let alone = uses == usize::from(negated) && !graph.last.iter().any(kept);
        let at_end = !graph.items[place..].iter().any(|item| matches!(item, Item::Step(_)));
        ([x, y].iter().all(fits) && alone && at_end).then_some(Deciding {
            cmp,
            operands: [x, y],
            negated,
            nodes,
        })
    }

    /// The guess, and where each thread's predicate lies if it fails. The block's own steps are not touched.
    pub(super) fn made_guess(&mut self, draft: &mut Draft, deciding: &Deciding) -> (Place, Guess) {
        let steps = std::mem::take(&mut draft.steps);
        let ty = draft.graph.values[deciding.operands[0] as usize].ty;
        let operands = deciding.operands.map(|node| match self.home(draft, node) {
            Home::Even(id) => Operand::Even(id),
            Home::Const(bits) => Operand::Const(bits),
            Home::At(_, place) => Operand::Uniform(ty, place),
            Home::Nowhere => Operand::Uniform(ty, self.running),
        });
        let end = draft.graph.items.len() as u32;
        for node in &deciding.nodes {
            self.value(draft, *node, end, &HashMap::new());
        }
        let place = deciding.nodes.last().map_or(self.running, |node| self.spread_place(draft, *node));
        self.flush(draft);
        let late = std::mem::replace(&mut draft.steps, steps);
        let Deciding { cmp, negated, .. } = *deciding;
        (place, Guess { cmp, ty, operands, negated, steps: late })
    }
}
