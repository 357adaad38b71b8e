//! Tiled loops: turn loops that copy rows of global memory to shared memory and compute with them between barriers, as products of
//! matrices in tiles do.
//!
//! A turn is copies and fused loops' passes. One block (CTA) after the other takes all its turns, so that what it has in shared memory and in
//! lines stays in the first cache, and nothing is looked for between turns.

use crate::batch::compile::Builder;
use crate::batch::compile::fused_loops::{is_late, operands};
use crate::batch::compile::turn_loop::{Draft, Turning, way_back};
use crate::batch::lanes::{Place, VectorOp};
use crate::batch::plan::{
    Address, Block, FusedLoop, Preheader, Step, Taken, TilePass, TurnEvent, TurnLoop, TurnScalar,
};
use foldhash::HashSet;
use margay_front::module::Space;
use std::sync::atomic::{AtomicBool, AtomicU32};

impl Builder<'_> {
    /// How a block takes turns in tiles, if it may.
    pub(super) fn tiled_loop(&self, b: usize, blocks: &[Block]) -> Option<TurnLoop> {
        let block = &blocks[b];
        let way = way_back(b, blocks)?;
        let mut draft = Draft::new(block, &self.constant_lines, HashSet::default());
        let (mut passes, mut at, mut copies) = (Vec::new(), 0, 0);
        for fused_loop in &block.fused_loops {
            for k in at..fused_loop.steps.start {
                copies += usize::from(self.between_passes(&mut draft, k)?);
            }
            let first = draft.address_groups.len();
            self.pass_of_turn(&mut draft, fused_loop)?;
            let groups = first..draft.address_groups.len();
            passes.push(TilePass { number: fused_loop.number, copies: std::mem::take(&mut copies), groups });
            at = fused_loop.steps.end;
        }
        let mut last = 0;
        for k in at..block.steps.len() {
            last += usize::from(self.between_passes(&mut draft, k)?);
        }
        // Without copies it is a loop of another kind; those after the last pass are few kernels' own.
        if last > 0 || passes.iter().all(|pass| pass.copies == 0) {
            return None;
        }
        let Turning { again, grows, scalars } = self.turning(&draft, &way)?;
        let lent = block.fused_loops.iter().flat_map(|fused_loop| fused_loop.lent.clone()).collect();
        let Draft { events, address_groups, carried, .. } = draft;
        // What a turn finds there and leaves otherwise would have to be computed turn by turn.
        let all_grow =
            carried.iter().all(|(_, at)| scalars.iter().any(|scalar| scalar.place.line == at.line));
        all_grow.then(|| TurnLoop {
            taken: Taken::ByBlocks(passes),
            events,
            address_groups,
            grows,
            scalars,
            again,
            leaves_to: None,
            left: Vec::new(),
            never_leaves: AtomicBool::new(false),
            lent,
            latch: way.latch,
            failures: AtomicU32::new(0),
        })
    }

    /// Adds a step between passes, and says whether it ends a copy; none if there may be none such.
    fn between_passes(&self, draft: &mut Draft, k: usize) -> Option<bool> {
        let block = draft.block;
        match &block.steps[k] {
            Step::Scalar(scalar) => scalar_of_turn(draft, scalar),
            Step::AffineOps(numbers) => self.affine_ops_of_turn(draft, numbers)?,
            Step::Barrier { guarded: false, .. } => {}
            Step::Load(load) if load.copied.is_some() && matches!(load.address, Address::Affine(_)) => {
                draft.events.push(TurnEvent::CopyFrom(k));
            }
            Step::Store(store)
                if store.copied.is_some()
                    && store.guard.is_none()
                    && store.space == Some(Space::Shared)
                    && matches!(store.address, Address::Affine(_)) =>
            {
                draft.events.push(TurnEvent::CopyTo(k));
                return Some(true);
            }
            _ => return None,
        }
        Some(false)
    }

    /// Adds what a fused loop does before its pass; none if the pass reads what turns change and is the same in all threads.
    fn pass_of_turn(&self, draft: &mut Draft, fused_loop: &FusedLoop) -> Option<()> {
        let block = draft.block;
        for step in &block.steps[fused_loop.steps.clone()] {
            let fits = match step {
                Step::Vector(range) => {
                    let vector_ops = &self.vector_ops[range.start as usize..range.end as usize];
                    let changes = |place: &Place| draft.sets.contains(&place.line);
                    !vector_ops.iter().flat_map(operands).any(changes)
                }
                Step::Load(load) => is_late(load),
                Step::Collective(together) => together.choices.is_some(),
                Step::Scalar(_) | Step::AffineOps(_) | Step::Barrier { guarded: false, .. } => true,
                _ => false,
            };
            if !fits {
                return None;
            }
        }
        for preheader in &fused_loop.preheader {
            match preheader {
                Preheader::AffineOps(numbers) => self.affine_ops_of_turn(draft, numbers)?,
                Preheader::FindStore(_) => return None,
                Preheader::Find(group) => _ = draft.find(fused_loop.address_groups[*group].clone()),
                Preheader::Step(k) => match &block.steps[*k] {
                    Step::Scalar(scalar) => scalar_of_turn(draft, scalar),
                    Step::Barrier { guarded: false, .. } => {}
                    _ => return None,
                },
            }
        }
        Some(())
    }
}

/// Adds an operation on values that are the same in all threads.
fn scalar_of_turn(draft: &mut Draft, scalar: &VectorOp) {
    let (types, _) = scalar.what.types();
    for (place, ty) in scalar.from.iter().zip(types) {
        draft.read(*ty, *place);
    }
    draft.events.push(TurnEvent::Scalar(TurnScalar::new(scalar)));
    draft.note(scalar);
}
