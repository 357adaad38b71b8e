//! Accesses at a constant offset from a variable that reach outside it: legal, and never meant.

use super::Checker;
use crate::ast;
use crate::diag::{Diagnostic, codes};
use crate::module::{Address, Base, Operand, Space, Variable};
use margay_isa::{Effect, Inst, Meaning, Semantics, Slot};

impl Checker {
    /// Warns of accesses of an instruction that touch bytes outside the variable that they name.
    pub(super) fn within_variables(&mut self, inst: &Inst, ast: &ast::Instruction, operands: &[Operand]) {
        for (operand, written) in operands.iter().zip(&ast.operands) {
            let Operand::Address(Address { base: Base::Variable(id), offset }) = operand else { continue };
            let variable = &self.variables[id.0 as usize];
            if !has_known_end(variable) {
                continue;
            }
            let bytes = i128::from(accessed(inst, operands));
            let (start, size) = (i128::from(*offset), i128::from(variable.size));
            if start >= 0 && start + bytes <= size {
                continue;
            }
            let name = &variable.name;
            let message = format!("`{inst}` accesses bytes outside `{name}`");
            let label = match start {
                _ if start < 0 => format!("it begins {} before its start", counted(start.unsigned_abs())),
                _ if start == size => "it begins just past its end".to_string(),
                _ if start > size => {
                    format!("it begins {} past its end", counted((start - size).unsigned_abs()))
                }
                _ => format!("it reaches {} past its end", counted((start + bytes - size).unsigned_abs())),
            };
            let declared = format!("`{name}` has {}", counted(u128::from(variable.size)));
            let diagnostic = Diagnostic::warning(codes::OUTSIDE_VARIABLE, message).label(written.span, label);
            let diagnostic = diagnostic.label(variable.span, declared);
            self.report(diagnostic.help(
                "what follows or precedes a variable in memory is unspecified: name the variable you mean",
            ));
        }
    }
}

/// Whether its size is the one that it has at run time: shared memory that is declared elsewhere has the launch's.
fn has_known_end(variable: &Variable) -> bool {
    variable.size > 0 && !(variable.is_extern && variable.space == Space::Shared)
}

/// How many bytes an instruction touches at its address, at least.
fn accessed(inst: &Inst, operands: &[Operand]) -> u64 {
    let plain = matches!(
        inst.meaning(Semantics::Manual),
        Meaning::Atomic(_) | Meaning::Effect(Effect::Load | Effect::Store)
    );
    let Some(ty) = inst[Slot::Type].ty().filter(|_| plain) else { return 1 };
    let elements = operands.iter().map(|operand| match operand {
        Operand::Vector(items) => items.len() as u64,
        _ => 1,
    });
    u64::from(ty.width() / 8) * elements.max().unwrap_or(1)
}

fn counted(bytes: u128) -> String {
    if bytes == 1 { "1 byte".to_string() } else { format!("{bytes} bytes") }
}
