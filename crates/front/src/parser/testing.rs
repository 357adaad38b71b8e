//! Short ways to parse something in tests.

use crate::ast::{Block, Item, Operand};
use crate::{Code, Source, parse};

/// Statements in the body of a kernel.
pub(super) fn module(statements: &str) -> String {
    format!(".version 8.0\n.target sm_80\n.entry k()\n{{\n{statements}\n}}\n")
}

pub(super) fn codes_of(text: &str) -> Vec<Code> {
    parse(&Source::new("a.ptx", text)).diagnostics.iter().map(|d| d.code).collect()
}

/// Where the primary labels begin.
pub(super) fn labels_of(text: &str) -> Vec<u32> {
    parse(&Source::new("a.ptx", text)).diagnostics.iter().filter_map(|d| d.span()).map(|s| s.start).collect()
}

/// The items of a text without errors.
pub(super) fn items(text: &str) -> Vec<Item> {
    let parsed = parse(&Source::new("a.ptx", text));
    assert_eq!(parsed.diagnostics, [], "{text}");
    parsed.file.items
}

/// The body of a kernel with these statements, errors or not.
pub(super) fn body(statements: &str) -> Block {
    match parse(&Source::new("a.ptx", module(statements))).file.items.pop() {
        Some(Item::Function(function)) => function.body.unwrap_or_default(),
        other => panic!("{statements}: {other:?}"),
    }
}

/// The operand that a text is.
pub(super) fn first_operand(text: &str) -> Operand {
    let (instruction, diagnostics) = crate::parse_statement(&format!("op {text}"));
    assert_eq!(diagnostics, [], "{text}");
    instruction.and_then(|mut i| i.operands.pop()).unwrap_or_else(|| panic!("{text}: no operand"))
}
