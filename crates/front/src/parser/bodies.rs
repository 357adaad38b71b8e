//! Reading a text function by function: heads first, each body when it is wanted, so that one tree at a time is kept.
//!
//! Only texts that have nothing to be said about are read so. Whatever is unusual (a brace that does not pair, a diagnostic) gives
//! nothing, and the whole text is parsed at once, which finds all errors and recovers from them.

use super::Parser;
use crate::ast::{Block, File, Function};
use crate::lexer::Lexer;
use crate::source::{Source, Span};
use crate::token::Kind;
use std::borrow::Cow;

/// Everything of a text but what stands in its functions' bodies and its sections of debug data, which are empty in the tree.
pub(crate) fn parse_heads(source: &Source, empty_statements: bool) -> Option<File> {
    if u32::try_from(source.text.len()).is_err() || !source.invalid.is_empty() {
        return None;
    }
    let mut parser = Parser { empty_statements, skips_bodies: true, ..Parser::new(&source.text) };
    let items = parser.items();
    let silent = !parser.stopped && parser.lexer.sink.finish().is_empty();
    silent.then_some(File { items, trivia: Vec::new() })
}

/// Where the bodies of a tree's functions are.
pub(crate) enum Bodies<'a> {
    /// In the tree.
    Read,
    /// In the text, as [`parse_heads`] leaves them; so many nodes were read.
    Unread { text: &'a str, empty_statements: bool, nodes: u32 },
}

impl Bodies<'_> {
    /// A function with its body. None if the text has to be parsed at once.
    pub(crate) fn read<'f>(&mut self, function: &'f Function) -> Option<Cow<'f, Function>> {
        let (Bodies::Unread { text, empty_statements, nodes }, Some(Block { span, .. })) =
            (self, &function.body)
        else {
            return Some(Cow::Borrowed(function));
        };
        let mut lexer = Lexer::new(text.get(..span.end as usize)?);
        lexer.start_at(span.start);
        let mut parser = Parser { empty_statements: *empty_statements, nodes: *nodes, ..Parser::of(lexer) };
        let block = parser.block();
        *nodes = parser.nodes;
        let whole = parser.at(Kind::End) && !parser.stopped && parser.lexer.sink.finish().is_empty();
        whole.then(|| Cow::Owned(Function { body: Some(block), ..function.clone() }))
    }
}

impl Parser<'_> {
    /// Passes over a block without a look at what it holds.
    pub(super) fn skipped_block(&mut self) -> Block {
        let start = self.span().start;
        let Some(end) = closing_brace(self.text.as_bytes(), start as usize) else {
            self.stop();
            return Block::default();
        };
        self.continue_at(end as u32 + 1);
        Block { statements: Vec::new(), span: Span::new(start, end as u32 + 1) }
    }
}

/// The place of the brace that closes the one at `open`; braces in comments and strings do not count.
fn closing_brace(text: &[u8], open: usize) -> Option<usize> {
    let mut depth = 0;
    let mut at = open;
    let find = |from: usize, what: &[u8]| {
        text[from..].windows(what.len()).position(|window| window == what).map(|k| from + k + what.len())
    };
    loop {
        at = match (text.get(at)?, text.get(at + 1)) {
            (b'{', _) => {
                depth += 1;
                at + 1
            }
            (b'}', _) if depth == 1 => return Some(at),
            (b'}', _) => {
                depth -= 1;
                at + 1
            }
            (b'/', Some(b'/')) => find(at + 2, b"\n")?,
            (b'/', Some(b'*')) => find(at + 2, b"*/")?,
            (b'"', _) => find(at + 1, b"\"")?,
            _ => at + 1,
        };
    }
}
