//! From text to tokens: never fails; what is no token is reported and left out.

use crate::ast::{Trivia, TriviaKind};
use crate::diag::{Diagnostic, Sink, codes};
use crate::number;
use crate::source::Span;
use crate::token::{Kind, Token};

/// Reads tokens one by one; comments and blank lines are put aside in `trivia`.
pub struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    position: usize,
    /// Nothing but blanks since the last line break.
    line_start: bool,
    /// Comments and blank lines so far.
    pub trivia: Vec<Trivia>,
    /// What was found wrong so far.
    pub sink: Sink,
}

impl<'a> Lexer<'a> {
    /// A lexer at the start of `text`, which must be shorter than 4 GiB.
    pub fn new(text: &'a str) -> Lexer<'a> {
        let position = if text.starts_with('\u{feff}') { 3 } else { 0 };
        let (trivia, sink) = (Vec::new(), Sink::default());
        Lexer { text, bytes: text.as_bytes(), position, line_start: true, trivia, sink }
    }

    /// A lexer of a text that stands behind others in `text`, from `start` on: places count from the start of all.
    pub(crate) fn behind(text: &'a str, start: usize) -> Lexer<'a> {
        let mark = if text[start..].starts_with('\u{feff}') { 3 } else { 0 };
        Lexer { position: start + mark, ..Lexer::new(text) }
    }

    /// The text that is read.
    pub(crate) fn text(&self) -> &'a str {
        self.text
    }

    /// Goes on at a place of the text, which must be the start of a token or just after one.
    pub(crate) fn start_at(&mut self, place: u32) {
        self.position = place as usize;
        self.line_start = false;
    }

    /// Leaves the rest of the text unread.
    pub fn stop(&mut self) {
        self.position = self.bytes.len();
    }

    /// The next token; [`Kind::End`] for ever at the end.
    pub fn next_token(&mut self) -> Token {
        loop {
            self.skip_blanks();
            let start = self.position;
            let first_on_line = std::mem::replace(&mut self.line_start, false);
            let Some(&byte) = self.bytes.get(start) else {
                return Token { kind: Kind::End, first_on_line, span: self.span(start) };
            };
            if let Some(kind) = self.scan(byte) {
                return Token { kind, first_on_line, span: self.span(start) };
            }
            self.line_start |= first_on_line;
            if self.sink.is_full() {
                self.stop();
            }
        }
    }

    fn span(&self, start: usize) -> Span {
        Span::new(start as u32, self.position as u32)
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.position + ahead).copied().unwrap_or(0)
    }

    /// Moves past blanks and notes blank lines.
    fn skip_blanks(&mut self) {
        let mut breaks = 0;
        let mut first_break = self.position;
        while let Some(byte) = self.bytes.get(self.position) {
            match byte {
                b'\n' => {
                    if breaks == 0 {
                        first_break = self.position;
                    }
                    breaks += 1;
                    self.line_start = true;
                }
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => {}
                _ => break,
            }
            self.position += 1;
        }
        if breaks > 1 {
            let span = self.span(first_break);
            self.trivia.push(Trivia { kind: TriviaKind::Blank, own_line: true, span });
        }
    }

    /// Reads what begins with `byte`; none where it is no token.
    fn scan(&mut self, byte: u8) -> Option<Kind> {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'$' | b'_' => Some(self.name()),
            b'%' if is_name_byte(self.peek(1)) => Some(self.name()),
            b'0'..=b'9' => Some(self.number()),
            b'.' if self.is_fraction() => Some(self.number()),
            b'.' => self.word(),
            b'"' => Some(self.text_constant()),
            b'/' if self.peek(1) == b'/' => self.line_comment(),
            b'/' if self.peek(1) == b'*' => self.block_comment(),
            b'@' if self.peek(1) == b'@' => {
                self.skip_line();
                Some(Kind::Dwarf)
            }
            0x80.. if self.character().is_alphabetic() => Some(self.name()),
            _ => match sign(byte, self.peek(1)) {
                Some((kind, length)) => {
                    self.position += length;
                    Some(kind)
                }
                None => self.unknown(),
            },
        }
    }

    fn character(&self) -> char {
        self.text[self.position..].chars().next().unwrap_or('\0')
    }

    fn skip_name_bytes(&mut self) {
        while is_name_byte(self.peek(0)) {
            self.position += 1;
        }
    }

    /// A name; letters that are not ASCII are reported and kept in it.
    fn name(&mut self) -> Kind {
        let start = self.position;
        self.position += usize::from(self.bytes[start].is_ascii());
        let mut foreign = None;
        loop {
            self.skip_name_bytes();
            let letter = self.character();
            if letter.is_ascii() || !letter.is_alphanumeric() {
                break;
            }
            foreign = foreign.or(Some((self.position, letter)));
            self.position += letter.len_utf8();
        }
        if let Some((at, letter)) = foreign {
            let name = quote(&self.text[start..self.position]);
            let diagnostic = Diagnostic::error(codes::UNKNOWN_CHARACTER, format!("name {name} is not ASCII"));
            let span = Span::new(at as u32, (at + letter.len_utf8()) as u32);
            let help = "names consist of ASCII letters, digits, `_` and `$`";
            self.sink.push(diagnostic.label(span, format!("`{letter}` is not allowed in names")).help(help));
        }
        if &self.text[start..self.position] == "_" { Kind::Underscore } else { Kind::Name }
    }

    /// `.word`, with `::word` behind it any number of times; behind a number there a second one, as in `.sp::2:4`.
    fn word(&mut self) -> Option<Kind> {
        let dot = self.position;
        self.position += 1;
        if !is_name_byte(self.peek(0)) {
            let diagnostic = Diagnostic::error(codes::EXPECTED, "expected a word directly after `.`");
            self.sink.push(diagnostic.label(self.span(dot), "nothing follows"));
            return None;
        }
        self.skip_name_bytes();
        let mut number = false;
        while self.peek(0) == b':' && self.peek(1) == b':' && is_name_byte(self.peek(2)) {
            self.position += 2;
            let start = self.position;
            self.skip_name_bytes();
            number = self.bytes[start..self.position].iter().all(u8::is_ascii_digit);
        }
        if number && self.peek(0) == b':' && self.peek(1).is_ascii_digit() {
            self.position += 1;
            self.skip_name_bytes();
        }
        Some(Kind::Word)
    }

    /// Whether a point begins a number such as `.5`, and no word such as `.2d`.
    fn is_fraction(&self) -> bool {
        let rest = &self.bytes[self.position + 1..];
        let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        let behind = rest.get(digits).copied().unwrap_or(0);
        let after_name = self.position > 0 && is_name_byte(self.bytes[self.position - 1]);
        let exponent =
            matches!(behind, b'e' | b'E') && matches!(rest.get(digits + 1), Some(b'0'..=b'9' | b'+' | b'-'));
        digits > 0 && !after_name && (exponent || !is_name_byte(behind))
    }

    fn number(&mut self) -> Kind {
        let start = self.position;
        let hex = self.peek(0) == b'0' && matches!(self.peek(1), b'x' | b'X' | b'f' | b'F' | b'd' | b'D');
        let mut kind = if hex && !matches!(self.peek(1), b'x' | b'X') { Kind::Float } else { Kind::Integer };
        while self.peek(0).is_ascii_digit() {
            self.position += 1;
        }
        if !hex && self.peek(0) == b'.' && self.point_is_fraction() {
            kind = Kind::Float;
            self.position += 1;
            while self.peek(0).is_ascii_digit() {
                self.position += 1;
            }
        }
        if !hex && matches!(self.peek(0), b'e' | b'E') {
            let sign = usize::from(matches!(self.peek(1), b'+' | b'-'));
            if self.peek(1 + sign).is_ascii_digit() {
                kind = Kind::Float;
                self.position += 1 + sign;
            }
        }
        self.skip_name_bytes();
        let text = &self.text[start..self.position];
        let good = match kind {
            Kind::Float => number::float(text).is_some(),
            _ => number::integer(text).is_some(),
        };
        if !good {
            let diagnostic =
                Diagnostic::error(codes::MALFORMED_NUMBER, format!("malformed number {}", quote(text)));
            self.sink.push(diagnostic.label(self.span(start), malformed(text)));
        }
        kind
    }

    /// Whether the point behind digits belongs to the number: in `1.b0` it begins a word.
    fn point_is_fraction(&self) -> bool {
        let exponent =
            matches!(self.peek(1), b'e' | b'E') && matches!(self.peek(2), b'0'..=b'9' | b'+' | b'-');
        self.peek(1).is_ascii_digit() || exponent || !is_name_byte(self.peek(1))
    }

    fn text_constant(&mut self) -> Kind {
        let start = self.position;
        self.position += 1;
        loop {
            match self.peek(0) {
                b'"' => {
                    self.position += 1;
                    return Kind::Text;
                }
                b'\\' if !matches!(self.peek(1), b'\r' | b'\n' | 0) => {
                    self.position += 1;
                    self.position += self.character().len_utf8();
                }
                b'\r' | b'\n' => break,
                0 if self.position >= self.bytes.len() => break,
                _ => self.position += 1,
            }
        }
        let diagnostic = Diagnostic::error(codes::UNCLOSED_STRING, "string is not closed on the same line");
        self.sink.push(
            diagnostic
                .label(Span::new(start as u32, start as u32 + 1), "starts here")
                .help("end it with `\"`"),
        );
        Kind::Text
    }

    fn skip_line(&mut self) {
        let rest = &self.bytes[self.position..];
        let length = rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
        let end = self.position + length;
        self.position = end - usize::from(length > 0 && self.bytes[end - 1] == b'\r');
    }

    fn line_comment(&mut self) -> Option<Kind> {
        let start = self.position;
        self.skip_line();
        self.comment(start);
        None
    }

    fn block_comment(&mut self) -> Option<Kind> {
        let start = self.position;
        match self.text[start + 2..].find("*/") {
            Some(length) => self.position = start + 2 + length + 2,
            None => {
                self.position = self.bytes.len();
                let diagnostic = Diagnostic::error(codes::UNCLOSED_COMMENT, "comment is not closed");
                let open = Span::new(start as u32, start as u32 + 2);
                self.sink.push(diagnostic.label(open, "starts here").help("end it with `*/`"));
            }
        }
        self.comment(start);
        None
    }

    fn comment(&mut self, start: usize) {
        let before = &self.bytes[..start];
        let own_line = before.iter().rev().find(|b| !matches!(b, b' ' | b'\t')).is_none_or(|b| *b == b'\n');
        let kind = TriviaKind::Comment(self.text[start..self.position].trim_end().into());
        self.trivia.push(Trivia { kind, own_line, span: self.span(start) });
    }

    /// A run of characters that are no token.
    fn unknown(&mut self) -> Option<Kind> {
        let start = self.position;
        while let Some(&byte) = self.bytes.get(self.position) {
            let known = byte.is_ascii_alphanumeric() || b" \t\r\n\x0b\x0c$_%.\"".contains(&byte);
            if known || sign(byte, 0).is_some() || (byte >= 0x80 && self.character().is_alphabetic()) {
                break;
            }
            self.position += self.character().len_utf8();
        }
        let text = &self.text[start..self.position];
        let diagnostic =
            Diagnostic::error(codes::UNKNOWN_CHARACTER, format!("unknown character {}", quote(text)));
        let diagnostic = diagnostic.label(self.span(start), "not allowed in PTX");
        self.sink.push(match text.chars().next() {
            Some('\'') => diagnostic.help("PTX does not have character constants: write the number"),
            Some('“' | '”' | '„') => diagnostic.help("write `\"`"),
            Some('–' | '—' | '−') => diagnostic.help("write `-`"),
            Some('#') => diagnostic.help("comments start with `//`"),
            _ => diagnostic,
        });
        None
    }
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$'
}

/// The sign that `byte`, followed by `next`, begins, and its length.
fn sign(byte: u8, next: u8) -> Option<(Kind, usize)> {
    let two = match (byte, next) {
        (b'=', b'=') => Some(Kind::EqualsEquals),
        (b'!', b'=') => Some(Kind::BangEquals),
        (b'<', b'=') => Some(Kind::LessEquals),
        (b'>', b'=') => Some(Kind::GreaterEquals),
        (b'<', b'<') => Some(Kind::LessLess),
        (b'>', b'>') => Some(Kind::GreaterGreater),
        (b'&', b'&') => Some(Kind::AndAnd),
        (b'|', b'|') => Some(Kind::OrOr),
        _ => None,
    };
    if let Some(kind) = two {
        return Some((kind, 2));
    }
    let one = match byte {
        b'{' => Kind::OpenBrace,
        b'}' => Kind::CloseBrace,
        b'[' => Kind::OpenBracket,
        b']' => Kind::CloseBracket,
        b'(' => Kind::OpenParen,
        b')' => Kind::CloseParen,
        b',' => Kind::Comma,
        b';' => Kind::Semicolon,
        b':' => Kind::Colon,
        b'@' => Kind::At,
        b'!' => Kind::Bang,
        b'|' => Kind::Pipe,
        b'&' => Kind::Ampersand,
        b'^' => Kind::Caret,
        b'~' => Kind::Tilde,
        b'+' => Kind::Plus,
        b'-' => Kind::Minus,
        b'*' => Kind::Star,
        b'/' => Kind::Slash,
        b'%' => Kind::Percent,
        b'?' => Kind::Question,
        b'=' => Kind::Equals,
        b'<' => Kind::Less,
        b'>' => Kind::Greater,
        _ => return None,
    };
    Some((one, 1))
}

/// A piece of the user's text in backticks, cut where it is long.
pub(crate) fn quote(text: &str) -> String {
    const MOST: usize = 40;
    let clean: String =
        text.chars().take(MOST + 1).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    match clean.char_indices().nth(MOST) {
        Some((at, _)) => format!("`{}…`", &clean[..at]),
        None => format!("`{clean}`"),
    }
}

fn malformed(text: &str) -> &'static str {
    match text.as_bytes() {
        [b'0', b'f' | b'F', ..] => "`0f` takes exactly 8 hexadecimal digits",
        [b'0', b'd' | b'D', ..] => "`0d` takes exactly 16 hexadecimal digits",
        [b'0', b'x' | b'X', ..] => "`0x` takes hexadecimal digits",
        [b'0', b'b' | b'B', ..] => "`0b` takes the digits 0 and 1",
        [b'0', ..] if text.bytes().all(|b| b.is_ascii_digit()) => "a leading 0 means octal: digits 0 to 7",
        _ => "not a number",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lex(text: &str) -> (Vec<(Kind, &str)>, Vec<Diagnostic>) {
        let mut lexer = Lexer::new(text);
        let mut tokens = Vec::new();
        loop {
            let token = lexer.next_token();
            if token.kind == Kind::End {
                return (tokens, lexer.sink.finish());
            }
            tokens.push((token.kind, &text[token.span.range()]));
        }
    }

    fn texts(text: &str) -> Vec<&str> {
        lex(text).0.into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn words_join_their_colons_and_names_their_percent_sign() {
        assert_eq!(
            texts("ld.shared::cta.u32 %r1,%tid.x;"),
            "ld .shared::cta .u32 %r1 , %tid .x ;".split(' ').collect::<Vec<_>>()
        );
        assert_eq!(texts("a.L2::128B $L: 5 % 3"), ["a", ".L2::128B", "$L", ":", "5", "%", "3"]);
        assert_eq!(texts("a.sp::2:4.b8 l: 5"), ["a", ".sp::2:4", ".b8", "l", ":", "5"]);
        assert_eq!(lex("_ _a").0, [(Kind::Underscore, "_"), (Kind::Name, "_a")]);
    }

    #[test]
    fn a_point_behind_digits_begins_a_word_if_letters_follow() {
        assert_eq!(lex("1.b0").0, [(Kind::Integer, "1"), (Kind::Word, ".b0")]);
        assert_eq!(lex("1.5e-3 1. 1.e5 2E5").0.iter().filter(|t| t.0 == Kind::Float).count(), 4);
        assert_eq!(lex("0f3f800000.x").0, [(Kind::Float, "0f3f800000"), (Kind::Word, ".x")]);
    }

    #[test]
    fn malformed_numbers_are_one_token_and_one_error() {
        for text in ["08", "0x", "0f123", "12abc", "0d0", "5u", "0b12"] {
            let (tokens, diagnostics) = lex(text);
            assert_eq!((tokens.len(), diagnostics.len()), (1, 1), "{text}");
            assert_eq!(diagnostics[0].code, codes::MALFORMED_NUMBER);
        }
    }

    #[test]
    fn comments_and_blank_lines_are_kept_aside() {
        let mut lexer = Lexer::new("// a\r\n\n\nret; /* b\n */ x // c");
        while lexer.next_token().kind != Kind::End {}
        let kept: Vec<_> = lexer.trivia.iter().map(|t| (t.kind.clone(), t.own_line)).collect();
        let comment = |text: &str| TriviaKind::Comment(text.into());
        let expected = [
            (comment("// a"), true),
            (TriviaKind::Blank, true),
            (comment("/* b\n */"), false),
            (comment("// c"), false),
        ];
        assert_eq!(kept, expected);
    }

    #[test]
    fn characters_that_ptx_does_not_use_are_reported_in_runs() {
        let (tokens, diagnostics) = lex("a \0\0\u{1}` größe “x”");
        let names: Vec<_> = tokens.iter().map(|t| t.1).collect();
        assert_eq!(names, ["a", "größe", "x"]);
        assert_eq!(diagnostics.len(), 4);
        assert!(diagnostics.iter().all(|d| d.code == codes::UNKNOWN_CHARACTER));
    }

    #[test]
    fn what_is_not_closed_is_reported_where_it_begins() {
        let (_, diagnostics) = lex("\"abc\n\"\\");
        assert_eq!(diagnostics.iter().map(|d| d.code).collect::<Vec<_>>(), [codes::UNCLOSED_STRING; 2]);
        let (_, diagnostics) = lex("x /* y");
        assert_eq!(diagnostics[0].span(), Some(Span::new(2, 4)));
    }

    #[test]
    fn the_first_token_of_a_line_is_known() {
        let mut lexer = Lexer::new("a b\n/* c */ d");
        let first: Vec<bool> = (0..3).map(|_| lexer.next_token().first_on_line).collect();
        assert_eq!(first, [true, false, true]);
    }
}
