//! The tokens of PTX text.

use crate::source::Span;

/// What a token is. Its text lies in the source, under its span.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names of signs say it")]
pub enum Kind {
    /// `add`, `%r1`, `$L__BB0_1`
    Name,
    /// `.u32`, `.shared::cta`: a dot and what follows it
    Word,
    /// `12`, `0x1f`, `017`, `0b101`, each with or without `U`
    Integer,
    /// `1.5`, `0f3f800000`
    Float,
    /// `"nounroll"`
    Text,
    /// `@@DWARF ...`, up to the end of the line
    Dwarf,
    /// `_` alone
    Underscore,
    OpenBrace,
    CloseBrace,
    OpenBracket,
    CloseBracket,
    OpenParen,
    CloseParen,
    Comma,
    Semicolon,
    Colon,
    At,
    Bang,
    Pipe,
    Ampersand,
    Caret,
    Tilde,
    Plus,
    Minus,
    Star,
    Slash,
    Percent,
    Question,
    Equals,
    EqualsEquals,
    BangEquals,
    Less,
    Greater,
    LessEquals,
    GreaterEquals,
    LessLess,
    GreaterGreater,
    AndAnd,
    OrOr,
    /// End of the text.
    End,
}

/// One token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Whether it is the first token of its line.
    pub first_on_line: bool,
    /// Where it stands.
    pub span: Span,
}
