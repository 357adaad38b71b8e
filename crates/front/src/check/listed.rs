//! Instructions known by name only: that they exist, and what holds for operands of whichever instruction.

use super::Checker;
use super::instruction::MEMBERS;
use super::scope::{Entity, RegisterType};
use crate::ast::{self, AddressBase, Name, OffsetValue, OperandKind};
use crate::diag::codes;
use crate::module::What;
use margay_isa::opcodes::{self, Opcode};
use margay_isa::special::Special;

impl Checker {
    /// The instruction, if no page describes it but the manual has it.
    pub(super) fn listed(&mut self, ast: &ast::Instruction) -> Option<What> {
        let mut form = ast.opcode.text.to_string();
        for word in &ast.words {
            form.push('.');
            form.push_str(&word.text);
        }
        let opcode = opcodes::without_page(&form)?;
        self.not_run(codes::NO_PAGE, form, opcode.section, ast.opcode.span);
        Some(What::Listed(opcode))
    }

    /// Whether names are declared and addresses are no constants; more is not known.
    pub(super) fn listed_operands(
        &mut self,
        opcode: &'static Opcode,
        operands: &[ast::Operand],
    ) -> Option<()> {
        operands.iter().map(|operand| self.listed_operand(opcode, operand)).fold(Some(()), Option::and)
    }

    fn listed_operand(&mut self, opcode: &'static Opcode, operand: &ast::Operand) -> Option<()> {
        match &operand.kind {
            OperandKind::Name(reference) | OperandKind::Negated(_, reference) => {
                self.declared(&reference.name)
            }
            OperandKind::Sum(sum) => self.declared(&sum.base),
            OperandKind::Index(name, index) => self.declared(name).and(self.listed_operand(opcode, index)),
            OperandKind::Pair(first, second) => {
                let first = self.listed_operand(opcode, first);
                first.and(self.listed_operand(opcode, second))
            }
            OperandKind::Vector(items) | OperandKind::List(items) => self.listed_operands(opcode, items),
            OperandKind::Address(address) => {
                let base = match &address.base {
                    AddressBase::Name(reference) => self.declared(&reference.name),
                    AddressBase::Constant(_) => self.constant_address(opcode.name, operand.span),
                };
                let terms = address.offsets.iter().filter_map(|offset| match &offset.value {
                    OffsetValue::Name(name) => Some(name),
                    OffsetValue::Constant(_) => None,
                });
                let terms = terms.map(|name| self.declared(name)).fold(Some(()), Option::and);
                base.and(terms).and(self.listed_operands(opcode, &address.rest))
            }
            OperandKind::Constant(_) | OperandKind::Sink => Some(()),
        }
    }

    fn declared(&mut self, name: &Name) -> Option<()> {
        if let Some((scope, declared)) = self.lookup(&name.text) {
            if let Entity::Register(ty) = declared.entity {
                self.named_only(scope, name, ty);
            }
            return Some(());
        }
        if Special::is_name(&name.text) {
            return Some(());
        }
        self.undefined("name", name);
        None
    }

    /// Takes note of a register, or of all elements of a vector.
    fn named_only(&mut self, scope: usize, name: &Name, ty: RegisterType) {
        let Some(function) = self.body.function else { return };
        let names: Vec<String> = match ty.vector {
            1 => vec![name.text.to_string()],
            n => MEMBERS.iter().take(n as usize).map(|member| format!("{}.{member}", name.text)).collect(),
        };
        for name in names {
            let id = self.register(scope, &name, ty);
            self.named_only.entry(function).or_default().insert(id);
        }
    }
}
