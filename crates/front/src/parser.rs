//! From tokens to the syntax tree: recursive descent that never fails and finds all errors in one run.

mod bodies;
mod directive;
mod expr;
mod function;
mod instruction;
mod operand;
mod recover;
#[cfg(test)]
mod testing;
mod variable;

pub(crate) use bodies::{Bodies, parse_heads};

use crate::ast::{File, Instruction, Integer, Name, Text, Word};
use crate::diag::{Code, Diagnostic, codes};
use crate::lexer::{Lexer, quote};
use crate::number;
use crate::source::{Source, Span};
use crate::token::{Kind, Token};

/// Blocks, lists, parentheses may be nested so deep.
const MAX_DEPTH: u32 = 128;
/// One instruction may have so many operands, elements of vectors counted.
const MAX_OPERANDS: u32 = 4096;
/// A text may have so many statements, operands, declared names and values: memory is bounded, and no compiler comes near.
const MAX_NODES: u32 = 1 << 25;
/// One constant expression may have so many operators and parentheses.
const MAX_OPERATORS: u32 = 1000;

/// What parsing gives: always a tree, and what is wrong with the text.
#[derive(Clone, Debug, Default)]
pub struct Parsed {
    /// The tree; what could not be read is left out.
    pub file: File,
    /// What was found wrong, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// Parses a whole text. It never fails: the tree holds what could be read.
///
/// ```
/// let source = margay_front::Source::new("a.ptx", ".version 8.0\n.target sm_80\n.global .u32 x = 08;\n");
/// let parsed = margay_front::parse(&source);
/// assert_eq!(parsed.file.items.len(), 3);
/// assert_eq!(parsed.diagnostics[0].code.name(), "P005");
/// ```
pub fn parse(source: &Source) -> Parsed {
    parse_with(source, false)
}

/// As [`parse`]; where margay has written `;` behind a user's text, statements may be empty.
pub(crate) fn parse_with(source: &Source, empty_statements: bool) -> Parsed {
    if u32::try_from(source.text.len()).is_err() {
        let message = format!("file of {} bytes is too large", source.text.len());
        let diagnostics = vec![Diagnostic::error(codes::TOO_LARGE, message)];
        return Parsed { file: File::default(), diagnostics };
    }
    parse_behind(&source.text, 0, &source.invalid, empty_statements)
}

/// Parses what stands in `text` from `start` on; all places count from the start of `text`, which is shorter than 4 GiB.
pub(crate) fn parse_behind(text: &str, start: usize, invalid: &[Span], empty_statements: bool) -> Parsed {
    let mut parser = Parser { empty_statements, ..Parser::of(Lexer::behind(text, start)) };
    for span in invalid {
        let diagnostic = Diagnostic::warning(codes::INVALID_UTF8, "not UTF-8");
        parser.lexer.sink.push(diagnostic.label(*span, "this byte is not valid UTF-8"));
    }
    let items = parser.items();
    let file = File { items, trivia: std::mem::take(&mut parser.lexer.trivia) };
    Parsed { file, diagnostics: parser.lexer.sink.finish() }
}

/// Parses one instruction, with or without guard and with or without its semicolon.
///
/// ```
/// let (instruction, diagnostics) = margay_front::parse_statement("@!%p1 vadd4.s32.s32.u32.sat d, a.b0123, b, c");
/// assert!(diagnostics.is_empty());
/// assert_eq!(instruction.unwrap().operands.len(), 4);
/// ```
pub fn parse_statement(text: &str) -> (Option<Instruction>, Vec<Diagnostic>) {
    if u32::try_from(text.len()).is_err() {
        return (None, vec![Diagnostic::error(codes::TOO_LARGE, "file is too large")]);
    }
    let mut parser = Parser::new(text);
    let instruction = parser.lone_instruction();
    (instruction, parser.lexer.sink.finish())
}

/// A production's result: none where an error was reported and reading must go on elsewhere.
type Parse<T> = Option<T>;

struct Parser<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
    /// The current token and the two behind it.
    ahead: [Token; 3],
    /// The token before the current one.
    last: Span,
    depth: u32,
    /// Operands of the current instruction so far.
    operands: u32,
    /// Operators of the current expression so far.
    operators: u32,
    /// Braces that the current statement has opened and not closed.
    open_braces: u32,
    /// The rest of the text is not read.
    stopped: bool,
    /// Statements, operands, names and values so far.
    nodes: u32,
    /// Where the last error was reported.
    last_error: Option<u32>,
    /// Whether `;` may stand where nothing is to be ended.
    empty_statements: bool,
    /// Whether bodies of functions are passed over, and lines of sections not kept.
    skips_bodies: bool,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Parser<'a> {
        Parser::of(Lexer::new(text))
    }

    /// A parser of what a lexer has before it.
    fn of(mut lexer: Lexer<'a>) -> Parser<'a> {
        let text = lexer.text();
        let ahead = [lexer.next_token(), lexer.next_token(), lexer.next_token()];
        Parser {
            text,
            lexer,
            ahead,
            last: Span::default(),
            depth: 0,
            operands: 0,
            operators: 0,
            open_braces: 0,
            nodes: 0,
            stopped: false,
            last_error: None,
            empty_statements: false,
            skips_bodies: false,
        }
    }

    fn kind(&self) -> Kind {
        self.ahead[0].kind
    }

    fn span(&self) -> Span {
        self.ahead[0].span
    }

    fn at(&self, kind: Kind) -> bool {
        self.kind() == kind
    }

    fn text_of(&self, token: Token) -> &'a str {
        &self.text[token.span.range()]
    }

    /// The current token's text; a word's without its dot.
    fn current(&self) -> &'a str {
        let text = self.text_of(self.ahead[0]);
        if self.at(Kind::Word) { &text[1..] } else { text }
    }

    fn bump(&mut self) -> Token {
        let token = self.ahead[0];
        self.ahead = [self.ahead[1], self.ahead[2], self.lexer.next_token()];
        self.last = token.span;
        if self.lexer.sink.is_full() {
            self.stop();
        }
        token
    }

    /// Goes on at a place further on, as after a token that ends there.
    fn continue_at(&mut self, place: u32) {
        self.lexer.start_at(place);
        self.ahead = [self.lexer.next_token(), self.lexer.next_token(), self.lexer.next_token()];
        self.last = Span::new(place - 1, place);
    }

    /// Leaves the rest of the text unread.
    fn stop(&mut self) {
        self.stopped = true;
        self.lexer.stop();
        let end = self.lexer.next_token();
        self.ahead = [end; 3];
    }

    /// Counts one more node; a text of too many is read no further.
    fn count_node(&mut self) {
        self.nodes += 1;
        if self.nodes == MAX_NODES {
            let message = format!("file has more than {MAX_NODES} statements, operands and values");
            self.error(codes::TOO_LARGE, self.span(), message, "reading stops here");
            self.stop();
        }
    }

    fn eat(&mut self, kind: Kind) -> bool {
        let found = self.at(kind);
        if found {
            self.bump();
        }
        found
    }

    /// Takes a token of this kind, or reports that `what` is expected.
    fn expect(&mut self, kind: Kind, what: &str) -> Parse<Token> {
        if self.at(kind) {
            return Some(self.bump());
        }
        self.expected(what);
        None
    }

    /// From `start` to the last token taken.
    fn since(&self, start: Span) -> Span {
        start.to(self.last)
    }

    /// Reports an error, unless one was reported for the same place.
    fn report(&mut self, diagnostic: Diagnostic) {
        let place = diagnostic.span().map(|span| span.start);
        let news = place != self.last_error || place.is_none();
        if news && !self.stopped {
            self.last_error = place;
            self.lexer.sink.push(diagnostic);
        }
    }

    fn error(&mut self, code: Code, span: Span, message: impl Into<String>, label: &str) {
        self.report(Diagnostic::error(code, message).label(span, label));
    }

    fn found(&self) -> String {
        match self.kind() {
            Kind::End => "the end of the file".to_string(),
            _ => quote(self.text_of(self.ahead[0])),
        }
    }

    /// Reports that `what` should stand here.
    fn expected(&mut self, what: &str) {
        let diagnostic =
            Diagnostic::error(codes::EXPECTED, format!("expected {what}, found {}", self.found()));
        self.report(diagnostic.label(self.span(), format!("expected {what}")));
    }

    /// Takes the `;` that ends a statement, or reports behind the last token that it is missing.
    fn semicolon(&mut self, expected: &str) -> Parse<()> {
        if self.eat(Kind::Semicolon) {
            return Some(());
        }
        if !self.ahead[0].first_on_line && !matches!(self.kind(), Kind::End | Kind::CloseBrace) {
            self.expected(expected);
            return None;
        }
        let message = format!("expected `;`, found {}", self.found());
        let found = self.span();
        let diagnostic =
            Diagnostic::error(codes::EXPECTED, message).label(self.last.after(), "`;` is missing here");
        let diagnostic = match self.kind() {
            Kind::End => diagnostic,
            _ => diagnostic.label(found, "before this"),
        };
        self.report(diagnostic.help("end the statement with `;`"));
        None
    }

    /// Takes each `;` that stands here although no statement is to be ended.
    fn stray_semicolons(&mut self) {
        if !self.empty_statements {
            let diagnostic = Diagnostic::error(codes::EXPECTED, "unexpected `;`");
            let diagnostic = diagnostic.label(self.span(), "there is no statement before it");
            self.report(diagnostic.help("remove it"));
        }
        while self.eat(Kind::Semicolon) {}
    }

    /// Runs a production one level deeper; too deep is an error.
    fn deeper<T>(&mut self, production: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth >= MAX_DEPTH {
            self.error(codes::TOO_DEEP, self.span(), "nested too deeply", "one level too many");
            return None;
        }
        self.depth += 1;
        let result = production(self);
        self.depth -= 1;
        result
    }

    /// Items with commas between them, up to `close`, which is taken.
    fn list<T>(
        &mut self,
        close: Kind,
        what: &str,
        mut item: impl FnMut(&mut Self) -> Parse<T>,
    ) -> Parse<Vec<T>> {
        let open = self.last;
        let mut items = vec![item(self)?];
        while self.eat(Kind::Comma) {
            items.push(item(self)?);
        }
        self.close(open, close, what)?;
        Some(items)
    }

    /// Takes the closing bracket that belongs to `open`.
    fn close(&mut self, open: Span, close: Kind, what: &str) -> Parse<()> {
        if self.eat(close) {
            return Some(());
        }
        let message = format!("expected {what}, found {}", self.found());
        let code = if self.at(Kind::End) { codes::UNCLOSED } else { codes::EXPECTED };
        let diagnostic = Diagnostic::error(code, message).label(self.span(), format!("expected {what}"));
        self.report(diagnostic.label(open, "opened here"));
        None
    }

    fn name(&mut self, what: &str) -> Parse<Name> {
        let token = self.expect(Kind::Name, what)?;
        Some(Name { text: self.text_of(token).into(), span: token.span })
    }

    /// The current token, which is a word.
    fn word(&mut self) -> Word {
        let text = self.current().into();
        Word { text, span: self.bump().span }
    }

    /// A string, which the current token is.
    fn text(&mut self, what: &str) -> Parse<Text> {
        let token = self.expect(Kind::Text, what)?;
        let inside = self.text_of(token)[1..].strip_suffix('"').unwrap_or(&self.text_of(token)[1..]);
        Some(Text { text: inside.to_string(), span: token.span })
    }

    fn integer(&mut self, what: &str) -> Parse<Integer> {
        let token = self.expect(Kind::Integer, what)?;
        let text = self.text_of(token);
        let unknown = number::Value { value: 0, unsigned: false, wrapped: false, overflow: false };
        let value = number::integer(text).unwrap_or(unknown);
        if value.wrapped {
            self.wrapped(token.span, text, value);
        }
        let number::Value { value, unsigned, wrapped, .. } = value;
        Some(Integer { value, unsigned, wrapped, text: text.into(), span: token.span })
    }

    fn wrapped(&mut self, span: Span, text: &str, value: number::Value) {
        let quoted = quote(text);
        self.lexer.sink.push(if value.overflow {
            Diagnostic::error(codes::CONSTANT_OVERFLOW, format!("constant {quoted} is too large"))
                .label(span, "has more than 64 bits")
        } else {
            Diagnostic::warning(
                codes::CONSTANT_OVERFLOW,
                format!("only the low 64 bits of constant {quoted} are used"),
            )
            .label(span, format!("becomes {}", value.value))
        });
    }
}
