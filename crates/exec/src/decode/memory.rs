//! What changes or tests addresses, copies memory, and moves the end of a thread's stack.

use super::{Decoder, shape};
use crate::code::{Action, Copies, Copy, Source};
use margay_front::module::{Operand, Space};
use margay_isa::{Effect, Inst, Kind, Slot, Ty, Word};

/// The least alignment of memory taken from the stack, in bytes (manual, section 9.7.17.3).
const STACK_ALIGN: u64 = 8;

impl Decoder<'_> {
    pub(super) fn convert_address(&self, inst: &Inst, operands: &[Operand]) -> Result<Action, String> {
        let [to, from, ..] = operands else { return Err(shape(inst)) };
        let ty = inst.ty(Slot::Type);
        let base = match self.space(inst)? {
            Some(Space::Shared) => self.layout.shared.base,
            Some(Space::Local) => self.layout.local.base,
            Some(Space::Param) => self.layout.param.base,
            Some(Space::Global | Space::Const) | None => 0,
        };
        let from_generic = inst[Slot::Action] == Word::To;
        let difference = if from_generic { base.wrapping_neg() } else { base };
        Ok(Action::Shift(Box::new((self.source(from, ty)?, self.target(to, ty)?, difference))))
    }

    pub(super) fn test_space(&self, inst: &Inst, operands: &[Operand]) -> Result<Action, String> {
        let ([to, from], Some(space)) = (operands, self.space(inst)?) else {
            return Err(shape(inst));
        };
        let truth = Ty { kind: Kind::Predicate, bits: 1, lanes: 1 };
        let address = Ty { kind: Kind::Unsigned, bits: 64, lanes: 1 };
        let far = inst[Slot::Space] == Word::SharedCluster;
        Ok(Action::TestSpace(Box::new((self.source(from, address)?, self.target(to, truth)?, space, far))))
    }

    pub(super) fn cta_address(
        &self,
        inst: &Inst,
        operands: &[Operand],
        effect: Effect,
    ) -> Result<Action, String> {
        let generic = inst[Slot::Space] == Word::Absent;
        let from = self.named_source(inst, operands, "a")?.ok_or_else(|| shape(inst))?;
        let to = self.named_target(inst, operands, &["d"])?;
        Ok(match (effect, self.named_source(inst, operands, "b")?) {
            (Effect::MapToCta, Some(rank)) => Action::MapToCta(Box::new((from, rank, to, generic))),
            _ => Action::TellCta(Box::new((from, to, generic))),
        })
    }

    /// A property of the host is a policy as it is; all others are 0.
    pub(super) fn policy(&self, inst: &Inst, operands: &[Operand]) -> Result<Action, String> {
        let property = self.named_source(inst, operands, "access_property")?;
        let target = self.named_target(inst, operands, &["cache_policy"])?;
        Ok(Action::Shift(Box::new((property.unwrap_or(Source::Constant(0)), target, 0))))
    }

    /// A copy is done at once; whether it was waited for is only judged.
    pub(super) fn copy(&self, inst: &Inst, operands: &[Operand]) -> Result<Action, String> {
        match (inst[Slot::Action], operands) {
            (Word::CommitGroup, _) => return Ok(Action::CommitCopies(Copies::Small)),
            (Word::WaitAll, _) => return Ok(Action::AwaitCopies(Copies::Small, None)),
            (Word::WaitGroup, [Operand::Immediate(groups)]) => {
                return Ok(Action::AwaitCopies(Copies::Small, Some(groups.bits() as u32)));
            }
            _ => {}
        }
        let [to @ Operand::Address(_), from, size, ..] = operands else { return Err(shape(inst)) };
        let Operand::Immediate(bytes) = size else { return Err(shape(inst)) };
        let bytes = bytes.bits() as u32;
        if !matches!(bytes, 4 | 8 | 16) {
            return Err(format!("`{inst}` copies 4, 8 or 16 bytes, not {bytes}"));
        }
        let read = inst.line().operands.iter().zip(operands).find(|(t, _)| t.name == "src_size");
        let word = Ty { kind: Kind::Unsigned, bits: 32, lanes: 1 };
        Ok(Action::Copy(Box::new(Copy {
            to: self.place(inst, to, Some(Space::Shared), bytes, Vec::new())?,
            from: self.place(inst, from, Some(Space::Global), bytes, Vec::new())?,
            bytes,
            read: read.map(|(_, operand)| self.source(operand, word)).transpose()?,
        })))
    }

    pub(super) fn stack(&self, inst: &Inst, operands: &[Operand], effect: Effect) -> Result<Action, String> {
        let ty = inst.ty(Slot::Type);
        Ok(match (effect, operands) {
            (Effect::SaveStack, [to]) => Action::SaveStack(self.target(to, ty)?),
            (Effect::RestoreStack, [from]) => Action::RestoreStack(self.source(from, ty)?),
            (Effect::Allocate, [to, size, rest @ ..]) => {
                let align = match rest {
                    [Operand::Immediate(align), ..] => (align.bits() as u64).max(STACK_ALIGN),
                    _ => STACK_ALIGN,
                };
                if !align.is_power_of_two() {
                    return Err(format!("alignment {align} is not a power of two"));
                }
                Action::Allocate(Box::new((self.target(to, ty)?, self.source(size, ty)?, align)))
            }
            _ => return Err(shape(inst)),
        })
    }
}
