//! Products of warpgroups, and waiting for groups of them.

use super::{Decoder, Values, shape};
use crate::code::{Action, Copies, Deed, Members, Source, Target, Together};
use margay_front::module::Operand;
use margay_isa::{Inst, Slot, Warpgroup, Word};
use std::sync::Arc;

impl Decoder<'_> {
    /// A product, which reads the registers of D as well.
    pub(super) fn warpgroup(
        &self,
        inst: &Inst,
        operands: &[Operand],
        product: Warpgroup,
    ) -> Result<Action, String> {
        let Values { sources, targets, .. } = self.all(inst, operands)?;
        let read = |target: &Target| match *target {
            Target::Register { slot, mask, .. } => Ok(Source::Register { slot, mask }),
            Target::Wide { .. } | Target::Sink => Err(shape(inst)),
        };
        let sums = targets.iter().map(read).collect::<Result<Vec<Source>, String>>()?;
        Ok(Action::Collective(Box::new(Together {
            inst: *inst,
            deed: Deed::Warpgroup(Arc::new(product)),
            sources: sums.into_iter().chain(sources).collect(),
            targets,
            members: Members::All,
            place: None,
        })))
    }

    pub(super) fn group_products(&self, inst: &Inst, operands: &[Operand]) -> Result<Action, String> {
        match (inst[Slot::Mode], operands) {
            (Word::CommitGroup, _) => Ok(Action::CommitCopies(Copies::Products)),
            (_, [Operand::Immediate(groups)]) => {
                let groups = groups.bits().min(u32::MAX.into()) as u32;
                Ok(Action::AwaitCopies(Copies::Products, Some(groups)))
            }
            _ => Err(shape(inst)),
        }
    }
}
