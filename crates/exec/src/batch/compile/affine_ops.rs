//! Operations on affine and periodic values among a block's steps, and their lines where an operation on lines reads them.

use crate::batch::affine::AffineDef;
use crate::batch::compile::ir::ValueId;
use crate::batch::compile::uniformity::Uniformity;
use crate::batch::compile::{Builder, Draft};
use crate::batch::lanes::{Place, VectorOp, What};
use crate::batch::plan::{AffineId, AffineOp, Home, Step};
use foldhash::HashMap;
use margay_isa::uop::Op;

impl<'a> Builder<'a> {
    /// Carries out an operation on affine values before those that wait for their step: they do not need it, and
    /// so stay together.
    pub(super) fn push_affine(&mut self, draft: &mut Draft, vector_op: AffineOp) {
        self.make_way(draft, vector_op.to);
        draft.materialized.remove(&vector_op.to);
        let at = self.affine_ops.len() as u32;
        self.affine_ops.push(vector_op);
        let repeats = self.periodic_values.contains(&self.affine_ops[at as usize].to);
        match draft.steps.last_mut() {
            Some(Step::AffineOps(range)) if range.end == at && !repeats => range.end += 1,
            Some(Step::PeriodicOps(range)) if range.end == at && repeats => range.end += 1,
            _ if repeats => draft.steps.push(Step::PeriodicOps(at..at + 1)),
            _ => draft.steps.push(Step::AffineOps(at..at + 1)),
        }
    }

    /// The lines of an affine value, for an operation that waits for its step.
    pub(super) fn materialize(&mut self, draft: &mut Draft, id: AffineId) -> Place {
        if draft.materialized.insert(id) {
            self.make_way(draft, id);
            draft.steps.push(Step::Materialize(id));
        }
        let place = self.affine_values[id as usize].place;
        draft.reads.insert(place.line);
        place
    }

    /// Lets those operations go first that read what lies in the lines of a value now.
    pub(super) fn make_way(&mut self, draft: &mut Draft, id: AffineId) {
        if draft.reads.contains(&self.affine_values[id as usize].place.line) {
            self.flush(draft);
        }
    }

    pub(super) fn affine_op(
        &mut self,
        draft: &mut Draft,
        node: ValueId,
        op: Op,
        operands: &[ValueId],
        position: u32,
        home_of: &HashMap<ValueId, u32>,
    ) {
        let ty = draft.ir.values[node as usize].ty;
        let mut ids = Vec::with_capacity(3);
        for operand in operands {
            let operand_ty = draft.ir.values[*operand as usize].ty;
            let home = self.home(draft, *operand);
            ids.push(self.affine_operand(draft, operand_ty, home));
        }
        let from = [0, 1, 2].map(|k| *ids.get(k).unwrap_or(&ids[0]));
        let lines = from.map(|id| self.affine_values[id as usize].place);
        let home = home_of.get(&node).and_then(|slot| match self.homes[*slot as usize] {
            Home::Affine(id)
                if self.affine_values[id as usize].ty == ty && draft.is_over(*slot, position) =>
            {
                Some(id)
            }
            _ => None,
        });
        let to = home.unwrap_or_else(|| match draft.uniformities[node as usize] {
            Uniformity::Periodic => self.periodic(ty),
            _ => self.affine(ty),
        });
        draft.at[node as usize] = Home::Affine(to);
        let materialized =
            VectorOp { what: What::Op(op), to: self.affine_values[to as usize].place, from: lines };
        self.push_affine(
            draft,
            AffineOp { def: AffineDef::Op(op.affine()), ty: op.result(), to, from, materialized },
        );
    }
}
