//! Source texts, byte ranges into them, and the lines and columns that a reader sees.

/// A byte range of a source text, `start` included and `end` excluded.
///
/// Lines and columns are computed from it only when something is shown ([`LineIndex`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The range from `start` to `end`, in bytes.
    pub const fn new(start: u32, end: u32) -> Span {
        Span { start, end }
    }

    /// The smallest range that holds both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The empty range just behind this one: the place where something is missing.
    pub fn after(self) -> Span {
        Span { start: self.end, end: self.end }
    }

    /// The empty range at the start of this one.
    pub fn before(self) -> Span {
        Span { start: self.start, end: self.start }
    }

    /// Length in bytes.
    pub fn len(self) -> u32 {
        self.end - self.start
    }

    /// Whether no byte lies in it.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The range as indices into a text.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A named text: one PTX file, a line of a table, standard input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// What diagnostics call it, usually a file name.
    pub name: String,
    /// The text itself.
    pub text: String,
    /// Where bytes that are not UTF-8 stood (at most [`Source::MAX_INVALID`] places): each is U+FFFD in `text`.
    pub invalid: Vec<Span>,
}

impl Source {
    /// How many places with invalid UTF-8 are remembered.
    pub const MAX_INVALID: usize = 16;

    /// A source from text.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Source {
        Source { name: name.into(), text: text.into(), invalid: Vec::new() }
    }

    /// A source from the bytes of a file; what is not UTF-8 becomes U+FFFD and is remembered in `invalid`,
    /// so that parsing reports it.
    ///
    /// ```
    /// let source = margay_front::source::Source::from_bytes("a.ptx", b"// caf\xe9\n".to_vec());
    /// assert_eq!(source.text, "// caf\u{fffd}\n");
    /// assert_eq!(source.invalid.len(), 1);
    /// ```
    pub fn from_bytes(name: impl Into<String>, bytes: Vec<u8>) -> Source {
        let bytes = match String::from_utf8(bytes) {
            Ok(text) => return Source::new(name, text),
            Err(error) => error.into_bytes(),
        };
        let mut source = Source::new(name, String::with_capacity(bytes.len()));
        for chunk in bytes.utf8_chunks() {
            source.text.push_str(chunk.valid());
            if !chunk.invalid().is_empty() {
                let start = source.text.len();
                source.text.push('\u{fffd}');
                let fits = u32::try_from(source.text.len()).is_ok();
                if fits && source.invalid.len() < Source::MAX_INVALID {
                    source.invalid.push(Span::new(start as u32, source.text.len() as u32));
                }
            }
        }
        source
    }
}

/// A line and a column, both counted from 1; the column in characters, as editors count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// Where the lines of one text begin: made once, then any number of positions are looked up.
///
/// A line ends at `\n`; the `\r` of a `\r\n` belongs to its end.
pub struct LineIndex<'a> {
    text: &'a str,
    starts: Vec<u32>,
}

impl<'a> LineIndex<'a> {
    /// Finds the lines of `text`.
    pub fn new(text: &'a str) -> LineIndex<'a> {
        let ends = text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i as u32 + 1);
        LineIndex { text, starts: std::iter::once(0).chain(ends).collect() }
    }

    /// The line (from 0) that holds a byte; offsets past the end are on the last line.
    pub fn line_of(&self, offset: u32) -> usize {
        self.starts.partition_point(|start| *start <= offset) - 1
    }

    /// The range of a line (from 0), its line end left out.
    pub fn line_span(&self, line: usize) -> Span {
        let start = self.starts[line];
        let end = self.starts.get(line + 1).map_or(self.text.len() as u32, |next| next - 1);
        let carriage = end > start && self.text.as_bytes()[end as usize - 1] == b'\r';
        Span::new(start, end - u32::from(carriage))
    }

    /// Line and column of a byte offset; offsets inside a character count as its start.
    pub fn position(&self, offset: u32) -> Position {
        let line = self.line_of(offset);
        let start = self.starts[line] as usize;
        let end = (offset as usize).min(self.text.len());
        let characters = self.text.as_bytes()[start..end].iter().filter(|b| **b & 0xc0 != 0x80).count();
        let inside = end < self.text.len() && !self.text.is_char_boundary(end);
        Position { line: line as u32 + 1, column: characters as u32 + 1 - u32::from(inside) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_not_bytes() {
        let index = LineIndex::new("ab\né€x\r\n");
        assert_eq!(index.position(3), Position { line: 2, column: 1 });
        assert_eq!(index.position(8), Position { line: 2, column: 3 });
        assert_eq!(index.position(6), Position { line: 2, column: 2 });
        assert_eq!(index.line_span(1), Span::new(3, 9));
        assert_eq!(index.position(1000), Position { line: 3, column: 1 });
    }

    #[test]
    fn an_empty_text_has_one_empty_line() {
        let index = LineIndex::new("");
        assert_eq!(index.position(0), Position { line: 1, column: 1 });
        assert_eq!(index.line_span(0), Span::new(0, 0));
    }

    #[test]
    fn bytes_that_are_not_utf8_are_remembered_up_to_a_limit() {
        let source = Source::from_bytes("x", vec![0xff; 100]);
        assert_eq!(source.text.chars().count(), 100);
        assert_eq!(source.invalid.len(), Source::MAX_INVALID);
        assert_eq!(source.invalid[1], Span::new(3, 6));
    }
}
