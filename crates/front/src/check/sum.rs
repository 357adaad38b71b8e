//! Sums as operands: an address or a register, and constants that are added to it.

use super::Checker;
use super::operand::Site;
use super::scope::Entity;
use crate::ast;
use crate::diag::{Diagnostic, codes};
use crate::module::{Instruction, Operand, Register, RegisterId};
use crate::source::Span;
use margay_isa::syntax::Template;
use margay_isa::{Bits, Role, sum_of};

impl Site<'_> {
    /// Whether a sum may stand here: for a number that is read by itself, never in part.
    pub(super) fn takes_sum(&self) -> bool {
        let number = self.want.is_some_and(|ty| ty.is_integer() && ty.lanes == 1 && ty.bits <= 64);
        let has_selector = |t: &&Template| t.name == self.name && t.selector.is_some();
        let plain = !self.inst.line().operands.iter().any(|t| has_selector(&t));
        self.is_sum && number && plain && self.operand.role == Role::Source && !self.vector && !self.in_list
    }
}

impl Checker {
    /// `table + 16` or `%r1 + 1`.
    pub(super) fn sum(&mut self, site: &Site, sum: &ast::Sum, span: Span) -> Option<Operand> {
        let offset = self.offsets(&sum.offsets)?;
        let site = Site { is_sum: true, ..*site };
        match self.lookup(&sum.base.text) {
            Some((scope, declared)) => match declared.entity {
                Entity::Register(ty) if site.takes_sum() && ty.vector == 1 => {
                    self.register_fits(&site, &sum.base, sum.base.span, ty.element)?;
                    let base = self.register(scope, &sum.base.text, ty);
                    self.register_sum(base, offset, span)
                }
                Entity::Register(_) => {
                    let message = format!("nothing can be added to `{}` inside this operand", sum.base.text);
                    let diagnostic = Diagnostic::error(codes::WRONG_OPERAND, message);
                    let diagnostic = diagnostic.label(span, "expected a register");
                    self.report(diagnostic.help("add it into a register of its own first"));
                    None
                }
                _ => self.symbol(&site, &sum.base, offset),
            },
            None => self.symbol(&site, &sum.base, offset),
        }
    }

    /// Nothing is added to the address of a function; the manual does not say so, ptxas does.
    pub(super) fn no_sum_of_functions(&mut self, name: &ast::Name, offset: i64) -> Option<()> {
        if offset == 0 || !self.environment.judged {
            return Some(());
        }
        let message = format!("`{}` is a function, to whose address nothing is added", name.text);
        self.error(codes::WRONG_OPERAND, name.span, message, "expected a variable");
        None
    }

    /// A register plus a constant: an instruction of its own before the one that reads the sum. The manual has it in examples
    /// only; ptxas adds in the register's width.
    fn register_sum(&mut self, base: RegisterId, offset: i64, span: Span) -> Option<Operand> {
        let Register { name, ty, .. } = self.body.registers[base.0 as usize].clone();
        let inst = sum_of(ty.width()).filter(|_| ty.is_integer());
        let Some(inst) = inst else {
            let message = format!("nothing can be added to `{name}` inside an operand");
            self.error(
                codes::WRONG_OPERAND,
                span,
                message,
                "expected an integer register of 16, 32 or 64 bits",
            );
            return None;
        };
        let to = RegisterId(self.body.registers.len() as u32);
        self.body.registers.push(Register { name: format!("{name}+{offset}"), ty, shared: false });
        let operands = Box::new([
            Operand::Register(to),
            Operand::Register(base),
            Operand::Immediate((offset as Bits & ty.with_bits(ty.width()).mask()).into()),
        ]);
        let inst = self.shared(inst);
        self.body.code.push(Instruction { guard: None, inst, operands });
        self.body.spans.push(span);
        Some(Operand::Register(to))
    }

    /// The sum of constant offsets.
    pub(super) fn offsets(&mut self, offsets: &[ast::Offset]) -> Option<i64> {
        let mut sum = 0i64;
        for offset in offsets {
            let value = match &offset.value {
                ast::OffsetValue::Constant(expr) => self.value(expr)?,
                ast::OffsetValue::Name(name) => {
                    let message = format!("`{}` cannot be added inside an address", name.text);
                    let diagnostic =
                        Diagnostic::error(codes::ADDRESS_BASE, message).label(offset.span, "no constant");
                    self.report(diagnostic.help("add it to the base register first"));
                    return None;
                }
            };
            let Some(bits) = value.bits() else {
                let message = "an offset is an integer";
                self.error(codes::CONSTANT_KIND, offset.span, message, "this is a floating-point number");
                return None;
            };
            let term = bits as i64;
            if offset.minus && self.environment.judged {
                let diagnostic = Diagnostic::error(
                    codes::ADDRESS_BASE,
                    "nothing can be subtracted from the base of an address",
                );
                let diagnostic = diagnostic.label(offset.span, "a minus after the base");
                self.report(diagnostic.help(format!("write `+-{term}`")));
                return None;
            }
            sum = if offset.minus { sum.wrapping_sub(term) } else { sum.wrapping_add(term) };
        }
        Some(sum)
    }
}
