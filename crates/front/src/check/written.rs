//! Registers that are read before they are written: data flow over the code of each function, reported as warnings.

pub(crate) mod blocks;
pub(crate) mod exposed;
mod matter;
mod paths;
mod predicates;
pub(crate) mod uses;
mod ways;

use super::Checker;
use crate::diag::{Diagnostic, codes};
use crate::module::{Function, FunctionId, Operand, RegisterId, Symbol};
use blocks::Blocks;
use paths::{Found, Paths};
use predicates::Predicates;
use std::collections::BTreeSet;

/// How many blocks may be looked at for each instruction of a function, and for the least one, while paths are followed.
const EFFORT: (u64, u64) = (8, 1_000_000);

impl Checker {
    /// Warns of every register that an instruction of the module reads before it is written, once for each.
    pub(super) fn unwritten_registers(&mut self) {
        let of_module = std::mem::take(&mut self.of_module);
        let nothing = BTreeSet::new();
        for k in 0..self.functions.len() {
            let aside = of_module.get(&FunctionId(k as u32)).unwrap_or(&nothing);
            for diagnostic in unwritten(&self.functions, &self.functions[k], aside) {
                self.report(diagnostic);
            }
        }
    }
}

/// What is to be said of one function. Of the registers `aside` nothing is known.
fn unwritten(functions: &[Function], function: &Function, aside: &BTreeSet<RegisterId>) -> Vec<Diagnostic> {
    let ends = |callee: &Operand| matches!(callee, Operand::Symbol(Symbol::Function(id), _) if functions[id.0 as usize].performance.noreturn);
    let blocks = Blocks::of(function, ends);
    let mut skipped = vec![false; function.registers.len()];
    let given = function.parameters.iter().filter_map(|parameter| parameter.register);
    given.chain(aside.iter().copied()).for_each(|id| skipped[id.0 as usize] = true);
    let candidates = exposed::at_entry(function, &blocks, skipped);
    if candidates.is_empty() {
        return Vec::new();
    }
    let predicates = Predicates::of(function);
    let paths = Paths::new(function, &blocks, &predicates, &candidates);
    let mut effort = EFFORT.1.max(EFFORT.0 * function.code.len() as u64);
    let mut diagnostics = Vec::new();
    let mut left_out = 0;
    for id in candidates {
        match paths.first(id, &mut effort) {
            Ok(None) => {}
            Ok(Some(found)) => diagnostics.push(diagnostic(function, id, &found)),
            Err(paths::TooMuch) => left_out += 1,
        }
    }
    if left_out > 0 {
        let message =
            format!("{left_out} more registers of `{}` may be read before they are written", function.name);
        let warning = Diagnostic::warning(codes::MAYBE_UNWRITTEN, message);
        diagnostics
            .push(warning.label(function.span, "there are too many paths through it to follow each one"));
    }
    diagnostics
}

fn diagnostic(function: &Function, id: RegisterId, found: &Found) -> Diagnostic {
    let name = &function.registers[id.0 as usize].name;
    let span = |at: u32| function.spans[at as usize];
    let truth = |value: bool| if value { "true" } else { "false" };
    match found {
        Found::Never { read } => {
            let message = format!("`{name}` is read but never written");
            let diagnostic = Diagnostic::warning(codes::NEVER_WRITTEN, message);
            diagnostic
                .label(span(*read), "its value is undefined here")
                .help("give it a value before this line")
        }
        Found::Before { read, write } => {
            let message = format!("`{name}` is read before it is written");
            let diagnostic = Diagnostic::warning(codes::MAYBE_UNWRITTEN, message);
            let mut diagnostic =
                diagnostic.label(span(*read), "its value is undefined when this is first reached");
            if write != read {
                diagnostic = diagnostic.label(span(*write), "written here");
            }
            diagnostic.help("give it a value before this line")
        }
        Found::May { read, write, fork } => {
            let message = format!("`{name}` may be read before it is written");
            let mut diagnostic = Diagnostic::warning(codes::MAYBE_UNWRITTEN, message);
            diagnostic = diagnostic.label(span(*read), "its value may be undefined here");
            let written = match function.code[*write as usize].guard {
                None => "written here".to_string(),
                Some(guard) => {
                    let predicate = &function.registers[guard.register.0 as usize].name;
                    format!("written here, but only where `{predicate}` is {}", truth(!guard.negated))
                }
            };
            diagnostic = diagnostic.label(span(*write), written);
            if let Some(fork) = fork {
                let way = match fork.taken {
                    Some(true) => "not written if this branch is taken",
                    Some(false) => "not written if this branch is not taken",
                    None => "not written on one of the ways from here",
                };
                diagnostic = diagnostic.label(span(fork.at), way);
            }
            diagnostic.help("give it a value on every path to this line")
        }
    }
}
