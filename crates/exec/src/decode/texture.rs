//! Textures and surfaces: handles, numbers and results.

use super::{Decoder, shape};
use crate::code::{Action, Source, Target, TextureStep, Transfer};
use margay_front::module::{Address, Base, Operand, Space};
use margay_isa::texture::{TextureDescriptor, TextureOp};
use margay_isa::{Inst, Kind, Role, Ty};
use std::sync::Arc;

/// What most numbers are read as.
const NUMBER: Ty = Ty { kind: Kind::Unsigned, bits: 32, lanes: 1 };
/// Bytes of a description that are read at once.
const CHUNK: u32 = 16;

impl Decoder<'_> {
    pub(super) fn texture(&self, inst: &Inst, operands: &[Operand], op: TextureOp) -> Result<Action, String> {
        let (mut handles, mut given, mut targets) = (Vec::new(), Vec::new(), Vec::new());
        for (template, operand) in inst.line().operands.iter().zip(operands) {
            let entry = inst.page().operand(template.name).ok_or_else(|| shape(inst))?;
            if entry.role == Role::Destination {
                let (operand, present) = match operand {
                    Operand::Pair(elements, present) => (&**elements, Some(&**present)),
                    one => (one, None),
                };
                let ty = inst.operand_type(entry.ty).ok_or_else(|| shape(inst))?;
                let elements = elements(operand).iter().map(|element| self.target(element, ty));
                targets.extend(elements.collect::<Result<Vec<Target>, String>>()?);
                if let Some(present) = present {
                    targets.push(self.target(present, Ty { kind: Kind::Predicate, bits: 1, lanes: 1 })?);
                }
            } else if template.address {
                // What follows in the brackets of a handle stands behind it.
                for within in elements(operand) {
                    match within {
                        Operand::Address(_) => handles.push(self.handle(inst, within)?),
                        coordinates => self.numbers(coordinates, NUMBER, coordinates_of(&op), &mut given)?,
                    }
                }
            } else if let TextureOp::IsKind(_) = op {
                handles.push(self.handle(inst, &handle_in(operand).ok_or_else(|| shape(inst))?)?);
            } else {
                let ty = inst.operand_type(entry.ty).ok_or_else(|| shape(inst))?;
                let count = inst.elements(template).max(1).min(most_of(&op));
                self.numbers(operand, ty, count, &mut given)?;
            }
        }
        // ptxas takes one register for several coordinates, too.
        if given.len() != numbers_of(&op) {
            return Err(shape(inst));
        }
        let mut handles = handles.into_iter();
        let handle = handles.next().ok_or_else(|| shape(inst))?;
        let sampler = handles.next();
        Ok(Action::Texture(Arc::new(TextureStep { inst: *inst, op, handle, sampler, given, targets })))
    }

    fn handle(&self, inst: &Inst, operand: &Operand) -> Result<Transfer<()>, String> {
        let chunks = vec![(); TextureDescriptor::BYTES / CHUNK as usize];
        self.place(inst, operand, Some(Space::Global), CHUNK, chunks)
    }

    /// The first numbers of an operand.
    fn numbers(
        &self,
        operand: &Operand,
        ty: Ty,
        count: usize,
        given: &mut Vec<Source>,
    ) -> Result<(), String> {
        for one in elements(operand).iter().take(count) {
            given.push(self.source(one, ty)?);
        }
        Ok(())
    }
}

/// How many of the coordinates count.
fn coordinates_of(op: &TextureOp) -> usize {
    match op {
        TextureOp::Sample(sample) => sample.geometry.coordinates(),
        TextureOp::Gather(gather) => gather.geometry.coordinates(),
        TextureOp::Load(access) | TextureOp::Store(access) | TextureOp::Change(access, ..) => {
            access.geometry.coordinates()
        }
        TextureOp::Query(_) | TextureOp::IsKind(_) => 0,
    }
}

/// How many elements of another operand count: vectors of three are padded.
fn most_of(op: &TextureOp) -> usize {
    match op {
        TextureOp::Sample(sample) => sample.geometry.rank,
        TextureOp::Gather(gather) => gather.geometry.rank,
        _ => usize::MAX,
    }
}

/// How many numbers there are altogether.
fn numbers_of(op: &TextureOp) -> usize {
    match op {
        TextureOp::Sample(sample) => sample.sources(),
        TextureOp::Gather(gather) => gather.sources(),
        TextureOp::Query(attribute) => usize::from(attribute.has_level),
        TextureOp::IsKind(_) => 0,
        TextureOp::Load(access) => access.geometry.coordinates(),
        TextureOp::Store(access) => access.geometry.coordinates() + access.elements as usize,
        TextureOp::Change(access, ..) => access.geometry.coordinates() + 1,
    }
}

/// A register that holds a handle, as the address that it is.
fn handle_in(operand: &Operand) -> Option<Operand> {
    match operand {
        Operand::Register(id) => Some(Operand::Address(Address { base: Base::Register(*id), offset: 0 })),
        _ => None,
    }
}

/// The elements of a vector; one that is none stands for itself.
fn elements(operand: &Operand) -> &[Operand] {
    match operand {
        Operand::Vector(elements) => elements,
        one => std::slice::from_ref(one),
    }
}
