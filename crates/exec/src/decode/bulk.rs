//! Bulk copies, and waiting for them.

use super::object::{OBJECT, named};
use super::{Decoder, shape};
use crate::code::{Action, AtomicFunction, Bulk, Combine, Copies, Transfer};
use margay_front::module::Operand;
use margay_isa::{Inst, Slot, Word};
use std::sync::Arc;

impl Decoder<'_> {
    /// `combine` is what becomes of elements in memory, if they are not simply copied.
    pub(super) fn bulk(
        &self,
        inst: &Inst,
        operands: &[Operand],
        combine: Option<AtomicFunction>,
    ) -> Result<Action, String> {
        match (inst[Slot::Action], operands) {
            (Word::CommitGroup, _) => return Ok(Action::CommitCopies(Copies::Bulk)),
            (Word::WaitGroup, [Operand::Immediate(groups)]) => {
                return Ok(Action::AwaitCopies(Copies::Bulk, Some(groups.bits() as u32)));
            }
            _ => {}
        }
        let place = |name, space, bytes| {
            let operand = named(inst, operands, name).ok_or_else(|| shape(inst))?;
            let place = self.place(inst, operand, self.space_of(inst, space)?, bytes, vec![()])?;
            Ok::<_, String>(Transfer { far: space == Word::SharedCluster, ..place })
        };
        let combine = combine.map(|function| {
            let bytes = inst.ty(Slot::Type).width() / 8;
            Combine { inst: *inst, function, bytes }
        });
        let counted = named(inst, operands, "mbar").is_some();
        Ok(Action::Bulk(Arc::new(Bulk {
            inst: *inst,
            to: place("d", inst[Slot::Space], Bulk::CHUNK)?,
            from: place("a", inst[Slot::From], Bulk::CHUNK)?,
            size: self.named_source(inst, operands, "size")?.ok_or_else(|| shape(inst))?,
            object: counted.then(|| place("mbar", inst[Slot::Space], OBJECT)).transpose()?,
            blocks: match self.named_source(inst, operands, "ctas")? {
                None => self.named_source(inst, operands, "wide_ctas")?,
                some => some,
            },
            mask: self.named_source(inst, operands, "bytes")?,
            combine,
        })))
    }
}
