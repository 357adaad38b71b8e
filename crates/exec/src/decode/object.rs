//! What is done with barrier objects.

use super::{Decoder, memory_order, shape};
use crate::code::{Action, Arrive, ObjectChange, ObjectStep, Phase, Source, Target, Transfer, Wait};
use margay_front::module::Operand;
use margay_isa::{Inst, Slot, Ty, Word};

/// Bytes of a barrier object.
pub(super) const OBJECT: u32 = 8;

impl Decoder<'_> {
    pub(super) fn object(&self, inst: &Inst, operands: &[Operand]) -> Result<Action, String> {
        let place = named(inst, operands, "a").ok_or_else(|| shape(inst))?;
        let place = self.place(inst, place, self.space(inst)?, OBJECT, vec![()])?;
        let place = Transfer { strength: memory_order::of_object(inst), ..place };
        let change = self.change(inst, operands)?;
        Ok(Action::Object(Box::new(ObjectStep { inst: *inst, place, blocks: None, change })))
    }

    fn change(&self, inst: &Inst, operands: &[Operand]) -> Result<ObjectChange, String> {
        let number = |name| self.named_source(inst, operands, name);
        let needed = |name| number(name)?.ok_or_else(|| shape(inst));
        Ok(match (inst[Slot::Action], inst[Slot::Action2]) {
            (Word::Init, _) => ObjectChange::Make(needed("count")?),
            (Word::Inval, _) => ObjectChange::End,
            (Word::Arrive, Word::Async) => ObjectChange::Copies { counted: !inst.has(Slot::Hint) },
            (Word::Arrive | Word::ArriveDrop, _) => ObjectChange::Arrive(Arrive {
                count: number("count")?,
                bytes: number("tx")?,
                leaves: inst[Slot::Action] == Word::ArriveDrop,
                ends: inst[Slot::Mode] != Word::NoComplete,
                commits: false,
                target: self.named_target(inst, operands, &["d", "_"])?,
            }),
            (Word::Complete, _) => ObjectChange::Complete(needed("tx")?),
            (Word::Absent, Word::ExpectTx) => ObjectChange::Expect(needed("tx")?),
            (Word::TestWait | Word::TryWait, _) => {
                let phase = match number("state")? {
                    Some(state) => Phase::State(state),
                    None => Phase::Parity(needed("parity")?),
                };
                let sleeps = inst[Slot::Action] == Word::TryWait;
                ObjectChange::Wait(Wait { phase, sleeps, target: self.named_target(inst, operands, &["p"])? })
            }
            _ => return Err(format!("`{inst}` is not run yet")),
        })
    }

    /// The operand that the syntax line calls so, if it has one.
    pub(super) fn named_source(
        &self,
        inst: &Inst,
        operands: &[Operand],
        name: &str,
    ) -> Result<Option<Source>, String> {
        let Some(operand) = named(inst, operands, name) else { return Ok(None) };
        self.source(operand, ty_of(inst, name)?).map(Some)
    }

    /// Where a result goes that the syntax line calls by one of some names.
    pub(super) fn named_target(
        &self,
        inst: &Inst,
        operands: &[Operand],
        names: &[&str],
    ) -> Result<Target, String> {
        let found = names.iter().find_map(|name| Some((*name, named(inst, operands, name)?)));
        let (name, operand) = found.ok_or_else(|| shape(inst))?;
        self.target(operand, ty_of(inst, name)?)
    }
}

/// The operand that the syntax line calls so, if it is there.
pub(super) fn named<'o>(inst: &Inst, operands: &'o [Operand], name: &str) -> Option<&'o Operand> {
    let found = inst.line().operands.iter().zip(operands).find(|(template, _)| template.name == name);
    found.map(|(_, operand)| operand)
}

fn ty_of(inst: &Inst, name: &str) -> Result<Ty, String> {
    let operand = inst.page().operand(name).ok_or_else(|| shape(inst))?;
    inst.operand_type(operand.ty).ok_or_else(|| shape(inst))
}
