//! Which values nothing needs but addresses: of loads, of stores, and of rows that warps load.

use crate::batch::compile::analysis::{operands, step_operands};
use crate::batch::compile::ir::{BlockIr, Item, Operand, Step, ValueDef, ValueId};
use crate::code::Deed;
use margay_front::module::Space;
use margay_isa::uop::AffineRule;

/// By block and value, whether addresses alone need it, perhaps through operations that periodic values may go through.
pub(super) fn only_addresses(irs: &[BlockIr], slots: usize) -> Vec<Vec<bool>> {
    let mut of_slots = vec![true; slots];
    let mut found: Vec<Vec<bool>> = irs.iter().map(|ir| vec![true; ir.values.len()]).collect();
    loop {
        let mut changed = false;
        // Mostly registers are read in later blocks than they are set.
        for (ir, only) in irs.iter().zip(&mut found).rev() {
            others(ir, only, &of_slots);
            for (value, only) in ir.values.iter().zip(only.iter()) {
                if let (ValueDef::Slot(slot), false) = (value.from, only) {
                    changed |= std::mem::take(&mut of_slots[slot as usize]);
                }
            }
        }
        if !changed {
            return found;
        }
    }
}

/// Finds a block's values that something else needs.
fn others(ir: &BlockIr, only: &mut [bool], of_slots: &[bool]) {
    ir.decides
        .iter()
        .chain(ir.sides.iter().map(|(node, _)| node))
        .for_each(|node| only[*node as usize] = false);
    for (slot, node) in &ir.last {
        only[*node as usize] &= of_slots[*slot as usize];
    }
    for item in ir.items.iter().rev() {
        match item {
            Item::Value(node) => {
                let goes_on = match ir.values[*node as usize].from {
                    ValueDef::Op(op, _) => only[*node as usize] && op.affine() != AffineRule::Never,
                    _ => false,
                };
                if !goes_on {
                    operands(ir, *node, &mut |operand| only[operand as usize] = false);
                }
            }
            Item::Step(step) => {
                let address = address(&ir.steps[*step as usize].step);
                let mut seen = false;
                step_operands(ir, *step, &mut |operand| {
                    // An address may be stored, too.
                    let is_address = Some(operand) == address && !std::mem::replace(&mut seen, true);
                    only[operand as usize] &= is_address;
                });
            }
        }
    }
}

/// The address of a step that finds places by periodic ones.
fn address(step: &Step) -> Option<ValueId> {
    match step {
        Step::Load(access, _) | Step::Store(access, _) => {
            matches!(access.space, None | Some(Space::Global | Space::Shared)).then_some(access.address)
        }
        Step::Collective(together) if matches!(together.deed, Deed::Tiles(_)) => {
            match together.sources.last() {
                Some(Operand::One(node)) => Some(*node),
                _ => None,
            }
        }
        _ => None,
    }
}
