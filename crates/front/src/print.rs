//! The syntax tree as canonical, readable PTX, comments kept where they belong.
//!
//! A comment inside of a statement moves before it. At most one blank line separates statements. Comments at the ends of lines that
//! follow each other begin in the same column.

mod columns;
mod item;
mod operand;
mod statement;

use crate::ast::{File, Item, Trivia, TriviaKind};
use crate::source::Span;
pub(crate) use item::span as item_span;
use std::fmt::Display;
use std::fmt::Write;

/// Prints a tree. Parsing the result gives the same tree, places aside, and printing that the same text.
///
/// ```
/// let source = margay_front::Source::new("a.ptx", ".entry k ( ) {add .u32 a,b,c ;//sum\n}");
/// let printed = margay_front::print(&margay_front::parse(&source).file);
/// assert_eq!(printed, ".entry k()\n{\n    add.u32 a, b, c; //sum\n}\n");
/// ```
pub fn print(file: &File) -> String {
    let mut printer = Printer { trivia: &file.trivia, ..Printer::default() };
    printer.items(&file.items);
    printer.leading(u32::MAX);
    printer.drop_blank_end();
    columns::aligned(&printer.out, &printer.ends)
}

/// An item from anywhere, with the comments that go with it.
pub(crate) struct Piece {
    /// What stands before it, wherever that was.
    pub before: Vec<Trivia>,
    pub item: Item,
    /// What stands before it and in it, by its place.
    pub within: Vec<Trivia>,
}

/// Prints items of several texts one after the other.
pub(crate) fn print_pieces(pieces: &[Piece]) -> String {
    let mut printer = Printer::default();
    for (index, piece) in pieces.iter().enumerate() {
        printer.trivia = &piece.before;
        printer.leading(u32::MAX);
        printer.trivia = &piece.within;
        let previous = index.checked_sub(1).map(|before| &pieces[before].item);
        printer.next_item(previous, &piece.item, u32::MAX);
        printer.leading(u32::MAX);
    }
    printer.drop_blank_end();
    columns::aligned(&printer.out, &printer.ends)
}

#[derive(Default)]
struct Printer<'a> {
    out: String,
    /// Comments and blank lines that are still to be printed.
    trivia: &'a [Trivia],
    indent: usize,
    /// The last thing on the current line is a `//` comment.
    in_line_comment: bool,
    /// Where in what is printed a line's statement ends and a comment follows.
    ends: Vec<usize>,
}

const INDENT: &str = "    ";

impl Printer<'_> {
    fn put(&mut self, what: impl Display) {
        let _ = write!(self.out, "{what}");
    }

    fn begin_line(&mut self) {
        for _ in 0..self.indent {
            self.out.push_str(INDENT);
        }
    }

    fn end_line(&mut self) {
        self.out.push('\n');
        self.in_line_comment = false;
    }

    /// An empty line, unless there is one already or a block has just begun.
    fn blank_line(&mut self) {
        let begins = self.out.is_empty() || self.out.ends_with("\n\n") || self.out.ends_with("{\n");
        if !begins {
            self.out.push('\n');
        }
    }

    fn drop_blank_end(&mut self) {
        if self.out.ends_with("\n\n") {
            self.out.pop();
        }
    }

    /// Prints what stands before the byte `before` on lines of its own.
    fn leading(&mut self, before: u32) {
        self.leading_in(Span::new(before, before));
    }

    /// Prints what stands before the end of `node`; blank lines inside of it are left out.
    fn leading_in(&mut self, node: Span) {
        while let Some((first, rest)) = self.trivia.split_first().filter(|(t, _)| t.span.start < node.end) {
            self.trivia = rest;
            match &first.kind {
                TriviaKind::Blank if first.span.start < node.start => self.blank_line(),
                TriviaKind::Blank => {}
                TriviaKind::Comment(text) => {
                    self.begin_line();
                    self.out.push_str(text);
                    self.end_line();
                }
            }
        }
    }

    /// Prints the comments that follow on the same line, and ends the line. The next node begins at `next`.
    fn trailing(&mut self, next: u32) {
        let begun = self.out.len();
        while let Some((first, rest)) = self.trivia.split_first() {
            let TriviaKind::Comment(text) = &first.kind else { break };
            if first.own_line || first.span.start >= next {
                break;
            }
            self.trivia = rest;
            if self.in_line_comment {
                self.end_line();
                self.begin_line();
            } else {
                // The first of the comments on this line.
                if self.out.len() == begun {
                    self.ends.push(begun);
                }
                self.out.push(' ');
            }
            self.out.push_str(text);
            self.in_line_comment = text.starts_with("//");
        }
        self.end_line();
    }
}
