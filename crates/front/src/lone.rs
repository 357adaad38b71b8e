//! One instruction on its own, without declarations: each name stands for a register of the type that its place wants.

use crate::ast;
use crate::check::Checker;
use crate::diag::{Diagnostic, Severity};
use crate::module::{Instruction, Register};

/// An instruction and the registers that its names became.
#[derive(Clone, Debug)]
pub struct Lone {
    /// The instruction. Its operands are resolved only if it has a page and computes; else their list is empty.
    pub instruction: Instruction,
    /// The registers, one for each name.
    pub registers: Vec<Register>,
    /// Warnings, such as of a constant that was cut.
    pub warnings: Vec<Diagnostic>,
}

/// Checks an instruction as in a module of the newest version, for any target.
///
/// ```
/// let (ast, _) = margay_front::parse_statement("add.u32 d, a, 2*4");
/// let lone = margay_front::lone(&ast.unwrap()).unwrap();
/// assert_eq!(lone.registers[1].name, "a");
///
/// let (ast, _) = margay_front::parse_statement("add.u32 d, a, %tid.x");
/// assert_eq!(margay_front::lone(&ast.unwrap()).unwrap_err()[0].code.name(), "P405");
/// ```
///
/// # Errors
/// What is wrong with it.
pub fn lone(ast: &ast::Instruction) -> Result<Lone, Vec<Diagnostic>> {
    let mut checker = Checker::for_lines();
    let found = checker.lone(ast);
    let diagnostics = checker.take_diagnostics();
    let wrong = diagnostics.iter().any(|d| d.severity == Severity::Error);
    match found {
        Some((instruction, registers)) if !wrong => {
            Ok(Lone { instruction, registers, warnings: diagnostics })
        }
        _ => Err(diagnostics),
    }
}
