//! What an element of a matrix is: how people write it, what shows of it, what files hold.

use margay_isa::float::{E4M3, F64, Format, Mode, Shown, encode};
use margay_isa::{Bits, Word};

use crate::element::Element;
use crate::problem::Problem;

/// The type of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// An integer of so many bits.
    Integer {
        /// Whether it is in two's complement.
        signed: bool,
        /// How many bits.
        bits: u32,
    },
    /// A number of a format, with PTX's word for it.
    Float(&'static Format, &'static str),
    /// Bits as they are.
    Bits(u32),
}

impl Entry {
    /// The type that a word names; bits where it names none.
    pub fn of(word: Word) -> Entry {
        match word {
            Word::S8 => Entry::Integer { signed: true, bits: 8 },
            Word::S4 => Entry::Integer { signed: true, bits: 4 },
            Word::S32 => Entry::Integer { signed: true, bits: 32 },
            Word::U8 => Entry::Integer { signed: false, bits: 8 },
            Word::U4 => Entry::Integer { signed: false, bits: 4 },
            Word::B1 => Entry::Bits(1),
            Word::Ue4m3 => Entry::Float(&E4M3, "ue4m3"),
            word => Format::named(word).map_or(Entry::Bits(32), |format| Entry::Float(format, format.name)),
        }
    }

    /// PTX's name of it, without its dot.
    pub fn name(self) -> String {
        match self {
            Entry::Integer { signed, bits } => format!("{}{bits}", if signed { 's' } else { 'u' }),
            Entry::Float(_, name) => name.to_string(),
            Entry::Bits(bits) => format!("b{bits}"),
        }
    }

    /// How many bits it has.
    pub fn bits(self) -> u32 {
        match self {
            Entry::Integer { bits, .. } | Entry::Bits(bits) => bits,
            Entry::Float(format, _) => format.bits,
        }
    }

    /// What an element of a file is: what takes less than a byte has one to itself.
    pub fn stored(self) -> Element {
        let bytes = self.bits().next_power_of_two().max(8);
        let name = match self {
            Entry::Integer { signed: true, .. } => format!("s{bytes}"),
            Entry::Float(..) if Element::named(&self.name()).is_some() => self.name(),
            _ => format!("u{bytes}"),
        };
        Element::named(&name).unwrap_or(Element::U8)
    }

    /// Whether a file may hold a pattern: integers of less than a byte are whole bytes there. Gives the element's own bits.
    pub fn taken(self, stored: u64) -> Option<u64> {
        let mask = u64::MAX >> (64 - self.bits());
        let own = stored & mask;
        let back = match self {
            Entry::Integer { signed: true, bits } => {
                let unused = 64 - bits;
                ((own << unused) as i64 >> unused) as u64 & (u64::MAX >> (64 - self.stored().bits()))
            }
            _ => own,
        };
        (back == stored).then_some(own)
    }

    /// The pattern of a written value: a number, or `0x` and the bits.
    ///
    /// # Errors
    /// Text that is no number, or a number that the type does not hold.
    pub fn read(self, text: &str) -> Result<u64, Problem> {
        let is_hex = text.starts_with("0x") || text.starts_with("0X");
        match self {
            Entry::Float(format, name) if !is_hex => {
                // PTX's own patterns, such as `0f3fc00000`.
                let pattern = format.read(text).filter(|_| text.starts_with("0f") || text.starts_with("0d"));
                match (pattern, Element::named(name)) {
                    (Some(bits), _) => Ok(bits as u64),
                    (None, Some(element)) => element.bits_of(text),
                    (None, None) => within(format, name, text),
                }
            }
            _ => {
                let bits = match self {
                    Entry::Integer { signed: true, bits } if !is_hex => {
                        let bits = Element::named(&format!("s{}", bits.max(8)))
                            .map_or(Ok(0), |e| e.bits_of(text))?;
                        self.taken(bits)
                    }
                    _ => {
                        let element = Element::named(&format!("u{}", self.bits().next_power_of_two().max(8)));
                        let bits = element.map_or(Ok(0), |element| element.bits_of(text))?;
                        Some(bits).filter(|bits| bits >> (self.bits() - 1) <= 1)
                    }
                };
                bits.ok_or_else(|| {
                    Problem::new(format!("`{text}` does not fit `{}`", self.name())).help(self.range())
                })
            }
        }
    }

    fn range(self) -> String {
        let bits = self.bits();
        match self {
            Entry::Integer { signed: true, .. } => {
                format!("it holds -{} to {}", 1u64 << (bits - 1), (1u64 << (bits - 1)) - 1)
            }
            _ => format!("it holds 0 to {}", u64::MAX >> (64 - bits)),
        }
    }

    /// As text.
    pub fn show(self, bits: u64) -> String {
        match self {
            Entry::Integer { signed: true, bits: width } => {
                let unused = 64 - width;
                ((bits << unused) as i64 >> unused).to_string()
            }
            Entry::Integer { .. } | Entry::Bits(1) => bits.to_string(),
            Entry::Float(format, _) => Shown { format, bits: Bits::from(bits) }.to_string(),
            Entry::Bits(width) => format!("0x{bits:0digits$x}", digits = width.div_ceil(4) as usize),
        }
    }
}

/// The nearest pattern of a format that has no elements of its own in files; not of numbers beyond its greatest.
fn within(format: &'static Format, name: &str, text: &str) -> Result<u64, Problem> {
    let read = format.read(text).ok_or_else(|| {
        Problem::new(format!("`{text}` is not a number of `{name}`"))
            .help("write a decimal number such as `1.5`, or `0x` and the bits")
    })?;
    let double = |bits| f64::from_bits(encode(&F64, Mode::Nearest, false, format.decode(bits), &[]) as u64);
    let (value, greatest) = (text.parse::<f64>().unwrap_or(0.0), double(format.greatest()));
    // What rounds to the greatest number is no more than half a unit of its last place above it.
    if value.is_finite() && value.abs() > greatest + greatest / f64::from(2u32 << format.precision) {
        let problem = Problem::new(format!("`{text}` does not fit `{name}`"));
        return Err(problem.help(format!("it holds -{greatest} to {greatest}")));
    }
    Ok(read as u64)
}
