//! Copies of parts of tensors, and changes of the maps that describe tensors.

use super::object::{OBJECT, named};
use super::{Decoder, shape};
use crate::code::{
    Action, AtomicFunction, CopyKind, Direction, Source, TensorCopy, TensorOp, TensorStep, Transfer,
};
use margay_front::module::Operand;
use margay_isa::{Inst, Kind, Slot, Ty, Word, replaced_field};
use std::sync::Arc;

/// What coordinates and offsets are read as.
const COORDINATE: Ty = Ty { kind: Kind::Signed, bits: 32, lanes: 1 };
const OFFSET: Ty = Ty { kind: Kind::Unsigned, bits: 16, lanes: 1 };

/// What an instruction may call the new value of a field.
const VALUES: &[&str] = &["new", "element", "interleave", "swizzle", "atomicity", "fill"];

impl Decoder<'_> {
    /// `combine` is what becomes of elements of the tensor, if they are not simply copied.
    pub(super) fn copy_tensor(
        &self,
        inst: &Inst,
        operands: &[Operand],
        combine: Option<AtomicFunction>,
    ) -> Result<Action, String> {
        let stores = inst[Slot::Space] == Word::Global;
        let (map, shared) = if stores { ("t", "s") } else { ("a", "d") };
        // What follows in the brackets of an address stands behind it.
        let Some(Operand::Vector(within)) = named(inst, operands, map) else { return Err(shape(inst)) };
        let [map, Operand::Vector(coordinates)] = &within[..] else { return Err(shape(inst)) };
        let list = |items: &[Operand], ty| {
            items.iter().map(|item| self.source(item, ty)).collect::<Result<Vec<Source>, String>>()
        };
        let far = |place: Transfer<()>, word| Transfer { far: word == Word::SharedCluster, ..place };
        let place = |name, word| {
            let operand = named(inst, operands, name).ok_or_else(|| shape(inst))?;
            Ok::<_, String>(far(self.place(inst, operand, self.space_of(inst, word)?, 1, vec![()])?, word))
        };
        let direction = match (stores, combine) {
            (true, None) => Direction::Store,
            (true, Some(function)) => Direction::Combine(function),
            (false, _) => {
                let object = place("mbar", inst[Slot::Space])?.of(OBJECT, vec![()]);
                Direction::Load { object, blocks: self.named_source(inst, operands, "ctas")? }
            }
        };
        Ok(tensor(
            inst,
            TensorStep::Copy(TensorCopy {
                map: self.place(inst, map, None, 1, vec![()])?,
                coordinates: list(coordinates, COORDINATE)?,
                kind: match inst[Slot::LoadMode] {
                    Word::TileGather4 | Word::TileScatter4 => CopyKind::Rows,
                    Word::Im2col | Word::Im2colNoOffs => CopyKind::Pixels,
                    _ => CopyKind::Box,
                },
                offsets: match named(inst, operands, "o") {
                    Some(Operand::Vector(offsets)) => list(offsets, OFFSET)?,
                    _ => Vec::new(),
                },
                shared: place(shared, if stores { inst[Slot::From] } else { inst[Slot::Space] })?,
                direction,
            }),
        ))
    }

    pub(super) fn replace_in_map(&self, inst: &Inst, operands: &[Operand]) -> Result<Action, String> {
        let place = named(inst, operands, "a").ok_or_else(|| shape(inst))?;
        let map = self.place(inst, place, self.space(inst)?, 1, vec![()])?;
        let dimension = self.named_source(inst, operands, "axis")?;
        let found = VALUES.iter().find_map(|name| self.named_source(inst, operands, name).transpose());
        let value = found.ok_or_else(|| shape(inst))??;
        Ok(tensor(inst, TensorStep::Replace { map, field: replaced_field(inst), dimension, value }))
    }

    pub(super) fn copy_map(&self, inst: &Inst, operands: &[Operand]) -> Result<Action, String> {
        let place = |name, word| {
            let operand = named(inst, operands, name).ok_or_else(|| shape(inst))?;
            self.place(inst, operand, self.space_of(inst, word)?, 1, vec![()])
        };
        let (to, from) = (place("d", Word::Global)?, place("a", inst[Slot::From])?);
        Ok(tensor(inst, TensorStep::CopyMap { to, from }))
    }
}

fn tensor(inst: &Inst, step: TensorStep) -> Action {
    Action::Tensor(Arc::new(TensorOp { inst: *inst, step }))
}
