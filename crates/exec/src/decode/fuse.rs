//! Contraction: sums that take a product unrounded.
//!
//! The product itself is computed all the same, so that every register holds what it would hold; nothing reads it.

use super::{Decoder, mask};
use crate::code::{Action, Code, Compute, Function, Source, Target};
use foldhash::HashMap;
use margay_front::contractions;
use margay_front::module::Operand;
use margay_isa::{Args, Bits, Inst, Part, Semantics, fused};

impl Decoder<'_> {
    /// Replaces sums by instructions that round once. Where a source of the product is written in between, the product keeps
    /// its value in a slot behind the others.
    pub(super) fn fuse(&self, code: &mut Code) {
        let mut kept: HashMap<u32, [Source; 2]> = HashMap::default();
        for found in contractions(self.function) {
            let [product, sum] = [found.product, found.sum].map(|id| id.0 as usize);
            let inst = *self.function.code[sum].inst;
            let negated = match (inst.part(), found.side) {
                (Some(Part::Difference), 0) => (found.negated, true),
                (Some(Part::Difference), _) => (!found.negated, false),
                _ => (found.negated, false),
            };
            // What cannot be reached is nothing by now.
            let (Action::Compute(product_op), Action::Compute(old)) =
                (&code.ops[product].action, &code.ops[sum].action)
            else {
                continue;
            };
            let (Some(fused), Some([a, b]), Some(c)) =
                (fused(&inst, negated), product_op.sources.first_chunk(), old.sources.get(1 - found.side))
            else {
                continue;
            };
            let (plain, c, width) = ([a.clone(), b.clone()], c.clone(), old.source_bits[0]);
            let (targets, target_bits) = (old.targets.clone(), old.target_bits.clone());
            let sources = if found.changed.contains(&true) {
                let held = kept.get(&found.product.0).cloned().or_else(|| self.keep(code, product));
                let Some(held) = held else { continue };
                kept.insert(found.product.0, held.clone());
                held
            } else {
                plain
            };
            code.ops[sum].action = Action::Compute(Box::new(Compute {
                inst: fused.inst,
                function: Function::Stages(fused.meaning),
                semantics: None,
                sources: sources.into_iter().chain([c]).collect(),
                targets,
                source_bits: vec![width; 3],
                target_bits,
            }));
        }
    }

    /// Lets a product keep its sources, each in a slot of its own, and gives them as sources from there.
    fn keep(&self, code: &mut Code, product: usize) -> Option<[Source; 2]> {
        let Action::Compute(compute) = &mut code.ops[product].action else { return None };
        let mut held: [Source; 2] = compute.sources.first_chunk()?.clone();
        compute.function = Function::Many(with_sources);
        compute.semantics = None;
        for (held, operand) in held.iter_mut().zip(&self.function.code[product].operands[1..]) {
            let width = compute.source_bits[0];
            compute.target_bits.push(width);
            let Operand::Register(id) = operand else {
                compute.targets.push(Target::Sink);
                continue;
            };
            let (slot, mask) = (code.slots as u32, mask(width));
            code.slots += 1;
            code.widths.push(width);
            code.kept.push(*id);
            compute.targets.push(Target::Register { slot, spread: 0, mask });
            *held = Source::Register { slot, mask };
        }
        Some(held)
    }
}

/// The result of an instruction, then its first two sources.
fn with_sources(inst: &Inst, args: &Args, results: &mut [Bits]) {
    let ([result], kept) = results.split_at_mut(1) else { return };
    inst.compute(Semantics::Manual, args, std::slice::from_mut(result));
    kept.copy_from_slice(&args[..kept.len()]);
}
