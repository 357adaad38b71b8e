//! What instructions do with tensor memory, and who is told when it is done.

use super::object::{OBJECT, named};
use super::{Decoder, Values, memory_order, shape};
use crate::code::{
    Action, Arrive, Deed, Members, ObjectChange, ObjectStep, Source, Target, TensorMemoryStep, Together,
    Transfer,
};
use margay_front::module::{Base, Operand};
use margay_isa::tensor_memory::TensorMemoryOp;
use margay_isa::{Inst, Kind, Role, Ty};
use std::sync::Arc;

/// What addresses of tensor memory are read as.
const ADDRESS: Ty = Ty { kind: Kind::Unsigned, bits: 32, lanes: 1 };

impl Decoder<'_> {
    pub(super) fn tensor_memory(
        &self,
        inst: &Inst,
        operands: &[Operand],
        op: TensorMemoryOp,
    ) -> Result<Action, String> {
        let (mut sources, mut offsets, mut place) = (Vec::new(), Vec::new(), None);
        let mut add = |source: Source, offset: u32| {
            sources.push(source);
            offsets.push(offset);
        };
        for (template, operand) in inst.line().operands.iter().zip(operands) {
            let entry = inst.page().operand(template.name).ok_or_else(|| shape(inst))?;
            match operand {
                _ if entry.role == Role::Destination => {}
                Operand::Address(_) if matches!(op, TensorMemoryOp::Allocate) => {
                    place = Some(self.place(inst, operand, self.space(inst)?, 4, Vec::new())?);
                }
                Operand::Address(address) => {
                    let from = match address.base {
                        Base::Register(id) => self.source(&Operand::Register(id), ADDRESS)?,
                        Base::Absolute => Source::Constant(0),
                        Base::Variable(_) => return Err(shape(inst)),
                    };
                    add(from, address.offset as u32);
                }
                operand => {
                    let ty = inst.operand_type(entry.ty).ok_or_else(|| shape(inst))?;
                    let elements = match operand {
                        Operand::Vector(elements) => &elements[..],
                        one => std::slice::from_ref(one),
                    };
                    for one in elements {
                        add(self.source(one, ty)?, 0);
                    }
                }
            }
        }
        let Values { targets, .. } = self.all(inst, operands)?;
        let members = if op.is_of_warp() { Members::All } else { Members::Each };
        let deed = Deed::TensorMemory(Arc::new(TensorMemoryStep { op, offsets }));
        Ok(Action::Collective(Box::new(Together { inst: *inst, deed, sources, targets, members, place })))
    }

    /// An arrival at a barrier object, or at one in each of several blocks: what it tells of has been done when it was begun.
    pub(super) fn commit_to_object(&self, inst: &Inst, operands: &[Operand]) -> Result<Action, String> {
        let place = named(inst, operands, "mbar").ok_or_else(|| shape(inst))?;
        let place = self.place(inst, place, self.space(inst)?, OBJECT, vec![()])?;
        let place = Transfer { strength: memory_order::of_object(inst), ..place };
        let arrival = Arrive {
            count: None,
            bytes: None,
            leaves: false,
            ends: true,
            commits: true,
            target: Target::Sink,
        };
        let change = ObjectChange::Arrive(arrival);
        let blocks = self.named_source(inst, operands, "cta_mask")?;
        Ok(Action::Object(Box::new(ObjectStep { inst: *inst, place, blocks, change })))
    }
}
