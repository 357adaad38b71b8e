//! Types of buffers in run files: reading and showing their elements.

/// How an element is written.
#[derive(Clone, Copy, PartialEq)]
enum Style {
    Unsigned,
    Signed,
    Hexadecimal,
}

/// The type of an element.
#[derive(Clone, Copy)]
pub struct Type {
    style: Style,
    bits: u32,
}

impl Type {
    pub fn read(text: &str) -> Type {
        let style = match &text[..1] {
            "u" => Style::Unsigned,
            "s" => Style::Signed,
            "x" => Style::Hexadecimal,
            _ => panic!("unknown type `{text}`"),
        };
        Type { style, bits: text[1..].parse().unwrap() }
    }

    /// Bytes of an element.
    pub fn size(self) -> usize {
        self.bits as usize / 8
    }

    /// The bytes of a number; hexadecimal ones are told by their `0x`, or by the type.
    pub fn bytes(self, text: &str) -> Vec<u8> {
        let hexadecimal = text.strip_prefix("0x").or((self.style == Style::Hexadecimal).then_some(text));
        let value = match hexadecimal {
            Some(digits) => u128::from_str_radix(digits, 16).unwrap() as i128,
            None => text.parse().unwrap(),
        };
        value.to_le_bytes()[..self.size()].to_vec()
    }

    /// All elements as a run file has them.
    pub fn show(self, bytes: &[u8]) -> String {
        let letter = match self.style {
            Style::Unsigned => "u",
            Style::Signed => "s",
            Style::Hexadecimal => "x",
        };
        let elements: Vec<_> = bytes.chunks(self.size()).map(|e| self.element(e)).collect();
        format!("{letter}{}[{}]", self.bits, elements.join(" "))
    }

    fn element(self, bytes: &[u8]) -> String {
        let value = bytes.iter().rev().fold(0u128, |v, b| v << 8 | u128::from(*b));
        match self.style {
            Style::Unsigned => value.to_string(),
            Style::Signed => ((value << (128 - self.bits)) as i128 >> (128 - self.bits)).to_string(),
            Style::Hexadecimal => format!("{value:0width$x}", width = self.bits as usize / 4),
        }
    }
}
