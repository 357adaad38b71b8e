//! Where reading goes on after an error.

use super::Parser;
use crate::source::Span;
use crate::token::Kind;

/// Directives that begin an item of a module.
pub(super) const ITEMS: &[&str] = &[
    "version",
    "target",
    "address_size",
    "file",
    "section",
    "loc",
    "pragma",
    "alias",
    "entry",
    "func",
    "visible",
    "extern",
    "weak",
    "common",
    "global",
    "const",
    "shared",
    "tex",
    "param",
    "reg",
    "local",
    "align",
    "attribute",
];

impl Parser<'_> {
    /// Whether `.entry` or `.func` stands here, with or without linkage.
    pub(super) fn at_function(&self) -> bool {
        let function = |text: &str| matches!(text, "entry" | "func");
        if !self.at(Kind::Word) {
            return false;
        }
        let linkage = matches!(self.current(), "visible" | "extern" | "weak");
        let next = self.ahead[1].kind == Kind::Word && function(&self.text_of(self.ahead[1])[1..]);
        function(self.current()) || (linkage && next)
    }

    /// Whether an item of a module begins here.
    pub(super) fn at_item(&self) -> bool {
        self.at(Kind::Dwarf) || (self.at(Kind::Word) && ITEMS.contains(&self.current()))
    }

    /// Whether a statement may begin with the current token.
    pub(super) fn starts_statement(&self) -> bool {
        match self.kind() {
            Kind::At | Kind::Word => true,
            Kind::Name => {
                let opcode = !self.current().starts_with('%');
                let next = self.ahead[1].kind;
                opcode && matches!(next, Kind::Word | Kind::Colon | Kind::Semicolon | Kind::Name)
            }
            _ => false,
        }
    }

    /// Skips the rest of a statement that began at `start`: behind its semicolon, or before the end of the block, or
    /// before a line that begins with another statement.
    pub(super) fn recover_in_body(&mut self, start: Span) {
        let mut braces = self.open_braces;
        loop {
            let moved = self.span() != start;
            match self.kind() {
                Kind::End => return,
                Kind::Semicolon => {
                    self.bump();
                    return;
                }
                Kind::CloseBrace if braces == 0 => return,
                Kind::CloseBrace => braces -= 1,
                Kind::OpenBrace if moved && self.ahead[0].first_on_line => return,
                Kind::OpenBrace => braces += 1,
                _ if moved && self.ahead[0].first_on_line && self.starts_statement() => return,
                _ => {}
            }
            self.bump();
        }
    }

    /// Skips the rest of a module's item that began at `start`: behind its semicolon or its body, or before a line that
    /// begins with another item.
    pub(super) fn recover_in_module(&mut self, start: Span) {
        loop {
            let moved = self.span() != start;
            match self.kind() {
                Kind::End => return,
                Kind::Semicolon => {
                    self.bump();
                    return;
                }
                Kind::OpenBrace => {
                    self.skip_braces();
                    self.eat(Kind::Semicolon);
                    return;
                }
                Kind::Dwarf if moved => return,
                Kind::Word if moved && self.ahead[0].first_on_line && ITEMS.contains(&self.current()) => {
                    return;
                }
                _ => {}
            }
            self.bump();
        }
    }

    /// Skips from an opening brace to the closing one that belongs to it, however deep.
    pub(super) fn skip_braces(&mut self) {
        let mut depth = 0usize;
        loop {
            match self.kind() {
                Kind::OpenBrace => depth += 1,
                Kind::CloseBrace => depth -= 1,
                Kind::End => return,
                _ => {}
            }
            self.bump();
            if depth == 0 {
                return;
            }
        }
    }
}
