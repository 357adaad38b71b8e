//! Calls: whether arguments and results are those that the function declares.

use super::Checker;
use crate::ast;
use crate::diag::{Diagnostic, codes};
use crate::module::{Operand, Parameter, Symbol};
use margay_isa::Inst;

/// The names that the manual's syntax lines give the parts of a call.
const FUNCTION: &str = "func";
const ARGUMENTS: &str = "param-list";
const RESULTS: &str = "ret-param";

impl Checker {
    /// Compares a call of a named function with the function's declaration; other instructions pass.
    pub(super) fn call(&mut self, inst: &Inst, ast: &ast::Instruction, operands: &[Operand]) -> Option<()> {
        let templates = &inst.line().operands;
        let place =
            |name: &str| templates.iter().position(|t| t.name == name).filter(|k| *k < operands.len());
        let Some(callee) = place(FUNCTION) else { return Some(()) };
        let Operand::Symbol(Symbol::Function(id), 0) = operands[callee] else { return Some(()) };
        let function = &self.functions[id.0 as usize];
        let sides = [
            ("argument", place(ARGUMENTS), &function.parameters),
            ("result", place(RESULTS), &function.returns),
        ];
        let mut found = Vec::new();
        for (what, place, wanted) in sides {
            let given: &[Operand] = match place.map(|k| &operands[k]) {
                Some(Operand::Vector(items)) => items,
                Some(other) => std::slice::from_ref(other),
                None => &[],
            };
            let span = place.map_or(ast.operands[callee].span, |k| ast.operands[k].span);
            let Err(label) = self.matches(what, given, wanted) else { continue };
            let message = format!("{what}s of the call do not agree with `{}`", function.name);
            let diagnostic = Diagnostic::error(codes::CALL, message).label(span, label);
            found.push(diagnostic.label(function.span, "declared here"));
        }
        let agrees = found.is_empty();
        found.into_iter().for_each(|diagnostic| self.report(diagnostic));
        agrees.then_some(())
    }

    /// Compares what a call gives with what the function wants; says what differs.
    fn matches(&self, what: &str, given: &[Operand], wanted: &[Parameter]) -> Result<(), String> {
        if given.len() != wanted.len() {
            let plural = if wanted.len() == 1 { "" } else { "s" };
            return Err(format!("{} {what}{plural} wanted, {} given", wanted.len(), given.len()));
        }
        for (k, (given, wanted)) in given.iter().zip(wanted).enumerate() {
            match self.bytes(given) {
                Some(bytes) if bytes != wanted.size && wanted.size > 0 => {
                    let (n, size) = (k + 1, wanted.size);
                    return Err(format!("{what} {n} has {bytes} bytes, and {size} are wanted"));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The bytes of an argument; none where they adapt, as those of a constant do.
    fn bytes(&self, operand: &Operand) -> Option<u64> {
        match operand {
            Operand::Symbol(Symbol::Variable(id), 0) => Some(self.variables[id.0 as usize].size),
            Operand::Register(id) => {
                Some(u64::from(self.body.registers[id.0 as usize].ty.width().div_ceil(8)))
            }
            _ => None,
        }
    }
}
