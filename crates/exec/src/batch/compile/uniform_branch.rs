//! Branches that are decided for all threads at once where their values allow it.

use crate::batch::compile::analysis::{operands, step_operands};
use crate::batch::compile::ir::{BlockIr, Item, ValueDef, ValueId};
use crate::batch::compile::liveness::Bits;
use crate::batch::compile::uniformity::Uniformity;
use crate::batch::compile::{Builder, Draft};
use crate::batch::lanes::Place;
use crate::batch::plan::{BranchTest, Home, Operand};
use foldhash::HashMap;
use margay_isa::uop::{Cmp, Logic, Op};

/// A comparison that decides a block's branch.
pub(super) struct Deciding {
    pub(super) cmp: Cmp,
    pub(super) operands: [ValueId; 2],
    pub(super) negated: bool,
    /// It, and what turns it round.
    pub(super) nodes: Vec<ValueId>,
}

impl<'a> Builder<'a> {
    /// A comparison that decides the block's branch and nothing else, of values that are affine or the same in all
    /// threads, with no step after it.
    pub(super) fn test(
        &self,
        b: usize,
        ir: &BlockIr,
        needed: &Bits,
        needed_after: &Bits,
    ) -> Option<Deciding> {
        let decides = ir.decides?;
        let uniformities = &self.uniformities.values[b];
        if uniformities[decides as usize] != Uniformity::Varying {
            return None;
        }
        let (node, negated) = match ir.values[decides as usize].from {
            ValueDef::Op(Op::Pred(Logic::Xor), [a, b, _]) if ir.known_bits(b) == Some(1) => (a, true),
            ValueDef::Op(Op::Pred(Logic::Xor), [a, b, _]) if ir.known_bits(a) == Some(1) => (b, true),
            _ => (decides, false),
        };
        let ValueDef::Op(Op::Cmp32(cmp) | Op::Cmp64(cmp), [x, y, _]) = ir.values[node as usize].from else {
            return None;
        };
        let fits = |operand: &ValueId| {
            let moved = match ir.values[*operand as usize].from {
                ValueDef::Slot(slot) => ir.last.contains_key(&slot),
                _ => false,
            };
            uniformities[*operand as usize] <= Uniformity::Affine && !moved
        };
        let nodes = if negated { vec![node, decides] } else { vec![node] };
        let mut uses = 0;
        for other in (0..ir.values.len()).filter(|other| needed.has(*other)) {
            operands(ir, other as ValueId, &mut |operand| uses += usize::from(nodes.contains(&operand)));
        }
        for step in 0..ir.steps.len() as u32 {
            step_operands(ir, step, &mut |operand| uses += 2 * usize::from(nodes.contains(&operand)));
        }
        let kept = |(slot, last): (&u32, &ValueId)| nodes.contains(last) && needed_after.has(*slot as usize);
        let place = ir.items.iter().position(|item| *item == Item::Value(node))?;
        let alone = uses == usize::from(negated) && !ir.last.iter().any(kept);
        let at_end = !ir.items[place..].iter().any(|item| matches!(item, Item::Step(_)));
        ([x, y].iter().all(fits) && alone && at_end).then_some(Deciding {
            cmp,
            operands: [x, y],
            negated,
            nodes,
        })
    }

    /// The test, and where each thread's predicate lies if it fails. The block's own steps are not touched.
    pub(super) fn made_guess(&mut self, draft: &mut Draft, deciding: &Deciding) -> (Place, BranchTest) {
        let steps = std::mem::take(&mut draft.steps);
        let ty = draft.ir.values[deciding.operands[0] as usize].ty;
        let operands = deciding.operands.map(|node| match self.home(draft, node) {
            Home::Affine(id) => Operand::Affine(id),
            Home::Const(bits) => Operand::Const(bits),
            Home::At(_, place) => Operand::Uniform(ty, place),
            Home::Nowhere => Operand::Uniform(ty, self.active),
        });
        let end = draft.ir.items.len() as u32;
        for node in &deciding.nodes {
            self.value(draft, *node, end, &HashMap::default());
        }
        let place = deciding.nodes.last().map_or(self.active, |node| self.spread_place(draft, *node));
        self.flush(draft);
        let late = std::mem::replace(&mut draft.steps, steps);
        let Deciding { cmp, negated, .. } = *deciding;
        (place, BranchTest { cmp, ty, operands, negated, steps: late })
    }
}
