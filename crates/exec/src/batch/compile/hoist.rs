//! What gives the same in all blocks of a launch is done before them: loads of parameters, and what follows from them alone.

use crate::batch::compile::ir::{self, ValueId};
use crate::batch::compile::places::Use;
use crate::batch::compile::uniformity::Uniformity;
use crate::batch::compile::{Builder, Draft};
use crate::batch::lanes::{Place, VectorOp, What};
use crate::batch::plan::{Address, Home, Move, Step};
use margay_front::module::Space;
use margay_isa::uop::{Op, Type};

impl<'a> Builder<'a> {
    /// Puts a load into the prologue, if it reads a parameter at a place that is known.
    pub(super) fn hoist_load(
        &mut self,
        draft: &mut Draft,
        step: &ir::Guarded,
        access: &ir::Access,
        nodes: &[ValueId],
    ) -> bool {
        let uniform = |node: &ValueId| draft.uniformities[*node as usize] == Uniformity::Uniform;
        // Where a function is called, that space also holds what it is given and what it gives.
        let fits = access.space == Some(Space::Param) && !self.calls && step.guard.is_none();
        let Home::Const(address) = self.home(draft, access.address) else { return false };
        if !fits || !nodes.iter().all(uniform) {
            return false;
        }
        let address = Address::Uniform(self.constant(Type::U64, address));
        let elements = nodes.iter().map(|node| Some(self.fixed_place(draft, *node))).collect();
        let (bytes, size, space) = (access.bytes, access.size, access.space);
        draft.hoisted.push(self.prologue.len() as u32);
        let (pc, site) = (step.pc, self.site());
        let weak = access.is_weak;
        let load = Move {
            pc,
            site,
            guard: None,
            space,
            reach: 0,
            address,
            weak,
            bytes,
            size,
            lends: false,
            copied: None,
            elements,
        };
        self.prologue.push(Step::Load(Box::new(load)));
        true
    }

    /// Puts an operation into the prologue, if its operands are the same throughout a launch.
    pub(super) fn hoist(&mut self, draft: &mut Draft, node: ValueId, op: Op, operands: &[ValueId]) -> bool {
        let mut from = [self.active; 3];
        for (place, operand) in from.iter_mut().zip(operands) {
            *place = match self.home(draft, *operand) {
                Home::Const(bits) => self.constant(draft.ir.values[*operand as usize].ty, bits),
                Home::At(_, place) if self.fixed.contains(&place.line) => place,
                _ => return false,
            };
        }
        let to = self.fixed_place(draft, node);
        self.prologue.push(Step::Scalar(VectorOp { what: What::Op(op), to, from }));
        true
    }

    /// A place of its own for a value that is the same throughout a launch.
    fn fixed_place(&mut self, draft: &mut Draft, node: ValueId) -> Place {
        let ty = draft.ir.values[node as usize].ty;
        let place = self.fresh(ty, Use::Uniform);
        self.home_lines.insert(place.line);
        self.fixed.insert(place.line);
        draft.at[node as usize] = Home::At(ty, place);
        let slots = draft.ir.last.iter().filter(|(_, last)| **last == node);
        slots.for_each(|(slot, _)| self.hold_at(*slot, draft.at[node as usize]));
        place
    }

    /// Makes a place of the prologue a register's home, if a block sets that to it, nothing else does, and no block that has been made reads
    /// it elsewhere.
    pub(super) fn hold_at(&mut self, slot: u32, home: Home) {
        let slot = slot as usize;
        if self.writers[slot] == 1 && !self.read.has(slot) && self.homes[slot] != Home::Nowhere {
            self.homes[slot] = home;
        }
    }
}
