//! Placeholders: names that nothing declares, as registers of the types that their places want.

use super::Checker;
use super::scope::{Declared, Entity, RegisterType};
use crate::ast::{self, AddressBase, Name, OperandKind};
use crate::module::{Instruction, Register};
use margay_isa::special::Special;
use margay_isa::{Inst, Kind, Meaning, Semantics, Ty, TypeRule, Word};

impl Checker {
    /// Checks an instruction alone; its names become registers. None if it is wrong.
    pub(crate) fn lone(&mut self, ast: &ast::Instruction) -> Option<(Instruction, Vec<Register>)> {
        let inst = match self.form(ast) {
            Ok(inst) => inst,
            Err(mismatch) => {
                if let Some(mismatch) = mismatch {
                    self.mismatch(ast, &mismatch);
                }
                return None;
            }
        };
        let operands = if computes(&inst) {
            self.placeholders(&inst, ast);
            self.operands(&inst, ast)?
        } else {
            Vec::new()
        };
        Some((
            Instruction { guard: None, inst, operands: operands.into() },
            std::mem::take(&mut self.body.registers),
        ))
    }

    /// Declares every name of the operands by its first place.
    fn placeholders(&mut self, inst: &Inst, ast: &ast::Instruction) {
        for (template, operand) in inst.line().operands.iter().zip(&ast.operands) {
            let names = [Some(template.name), template.second.map(|(name, _)| name)];
            let [first, second] = names.map(|name| inst.page().operand(name?));
            let placed: Vec<_> = match &operand.kind {
                OperandKind::Pair(a, b) => vec![(&**a, first), (&**b, second)],
                OperandKind::Vector(items) => items.iter().map(|item| (item, first)).collect(),
                _ => vec![(operand, first)],
            };
            for (operand, page) in placed {
                let Some(page) = page else { continue };
                match &operand.kind {
                    OperandKind::Name(reference) | OperandKind::Negated(_, reference) => {
                        if let Some(want) = inst.operand_type(page.ty) {
                            self.placeholder(&reference.name, page.ty, want);
                        }
                    }
                    OperandKind::Address(address) => {
                        if let (AddressBase::Name(reference), Some(want)) = (&address.base, Word::U64.ty()) {
                            self.placeholder(&reference.name, page.ty, want);
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    fn placeholder(&mut self, name: &Name, rule: TypeRule, want: Ty) {
        if Special::is_name(&name.text) || self.lookup(&name.text).is_some() {
            return;
        }
        let untyped = Ty { kind: Kind::Untyped, bits: want.width(), lanes: 1 };
        let element = if rule.takes_register(want, want) { want } else { untyped };
        let entity = Entity::Register(RegisterType { element, vector: 1 });
        if let Some(scope) = self.scopes.last_mut() {
            scope.declare(&name.text, Declared { entity, span: name.span });
        }
    }
}

fn computes(inst: &Inst) -> bool {
    let meaning = inst.meaning(Semantics::Manual);
    matches!(
        meaning,
        Meaning::Spec(_) | Meaning::Stages(_) | Meaning::Many(_) | Meaning::Atomic(_) | Meaning::Fragments(_)
    )
}
