//! The Python literals that a `.npy` header is made of.

/// A literal: only what headers hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Literal {
    Str(String),
    Int(u64),
    Bool(bool),
    /// A tuple or a list.
    Seq(Vec<Literal>),
    Dict(Vec<(String, Literal)>),
}

/// Deeper nesting than any data type has, and shallow enough for any stack.
const MAX_DEPTH: u32 = 32;

/// Reads one literal that fills the text.
pub(super) fn parse(text: &str) -> Option<Literal> {
    let mut reader = Reader { rest: text };
    let literal = reader.literal(MAX_DEPTH)?;
    reader.skip_blank();
    reader.rest.is_empty().then_some(literal)
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn skip_blank(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn take(&mut self, word: &str) -> bool {
        self.skip_blank();
        let rest = self.rest.strip_prefix(word);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn literal(&mut self, depth: u32) -> Option<Literal> {
        let depth = depth.checked_sub(1)?;
        self.skip_blank();
        match self.rest.chars().next()? {
            '(' => self.seq(")", depth),
            '[' => self.seq("]", depth),
            '{' => self.dict(depth),
            '\'' | '"' => self.string().map(Literal::Str),
            '0'..='9' => self.int(),
            _ if self.take("True") => Some(Literal::Bool(true)),
            _ if self.take("False") => Some(Literal::Bool(false)),
            _ => None,
        }
    }

    fn seq(&mut self, close: &str, depth: u32) -> Option<Literal> {
        self.rest = &self.rest[1..];
        let mut items = Vec::new();
        while !self.take(close) {
            items.push(self.literal(depth)?);
            if !self.take(",") {
                return self.take(close).then_some(Literal::Seq(items));
            }
        }
        Some(Literal::Seq(items))
    }

    fn dict(&mut self, depth: u32) -> Option<Literal> {
        self.rest = &self.rest[1..];
        let mut items = Vec::new();
        while !self.take("}") {
            self.skip_blank();
            let key = self.string()?;
            if !self.take(":") {
                return None;
            }
            items.push((key, self.literal(depth)?));
            if !self.take(",") {
                return self.take("}").then_some(Literal::Dict(items));
            }
        }
        Some(Literal::Dict(items))
    }

    fn string(&mut self) -> Option<String> {
        let quote = self.rest.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
        let mut text = String::new();
        let mut chars = self.rest.char_indices().skip(1);
        while let Some((at, c)) = chars.next() {
            match c {
                '\\' => text.push(chars.next()?.1),
                c if c == quote => {
                    self.rest = &self.rest[at + 1..];
                    return Some(text);
                }
                c => text.push(c),
            }
        }
        None
    }

    fn int(&mut self) -> Option<Literal> {
        let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(end);
        // Python 2 marks long integers with `L`.
        self.rest = rest.strip_prefix('L').unwrap_or(rest);
        digits.parse().ok().map(Literal::Int)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_reads() {
        let header = parse(
            "{'descr': [('x', '<i4', (2, 3L)), (\"y\", '|u1')], 'fortran_order': False, 'shape': (), } ",
        );
        let str = |s: &str| Literal::Str(s.into());
        let fields = vec![
            Literal::Seq(vec![str("x"), str("<i4"), Literal::Seq(vec![Literal::Int(2), Literal::Int(3)])]),
            Literal::Seq(vec![str("y"), str("|u1")]),
        ];
        let expected = vec![
            ("descr".to_string(), Literal::Seq(fields)),
            ("fortran_order".to_string(), Literal::Bool(false)),
            ("shape".to_string(), Literal::Seq(vec![])),
        ];
        assert_eq!(header, Some(Literal::Dict(expected)));
    }

    #[test]
    fn what_is_no_literal_is_refused() {
        for text in [
            "",
            "{",
            "(1",
            "(1 2)",
            "{'a' 1}",
            "{1: 2}",
            "'a",
            "'\\",
            "-1",
            "None",
            "1 1",
            "99999999999999999999",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
        assert_eq!(parse(&"(".repeat(100_000)), None);
    }
}
