//! Element types of buffers and scalar arguments, and the bits of a written value.

mod extremes;
mod other;

use std::fmt;

use half::f16;

use crate::problem::Problem;
use margay_isa::float::F16;
pub use other::Number;

/// How the bits of an element are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `u8` to `u64`; `b8` to `b64` are read alike.
    Unsigned,
    /// `s8` to `s64`, two's complement.
    Signed,
    /// `f16`, `f32`, `f64`, IEEE 754.
    Float,
    /// `bf16`, `tf32`, `e4m3` and other formats of which NumPy has none: this one of [`FORMATS`](margay_isa::float::FORMATS).
    Other(u8),
}

/// The type of a scalar argument or of one element of a buffer.
///
/// # Examples
/// ```
/// use margay::element::Element;
///
/// let s16 = Element::named("s16").unwrap();
/// assert_eq!(s16.bytes(), 2);
/// assert_eq!(s16.bits_of("-2").unwrap(), 0xfffe);
/// assert_eq!(s16.value(0xfffe).to_string(), "-2");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Element {
    kind: Kind,
    bytes: u8,
}

impl Element {
    /// `u8`, the type of bytes about which nothing else is known.
    pub const U8: Element = Element { kind: Kind::Unsigned, bytes: 1 };

    /// The element of this kind and size in bytes, if there is one.
    pub fn new(kind: Kind, bytes: usize) -> Option<Self> {
        let legal = match kind {
            Kind::Unsigned | Kind::Signed => matches!(bytes, 1 | 2 | 4 | 8),
            Kind::Float => matches!(bytes, 2 | 4 | 8),
            Kind::Other(format) => other::bytes(format) == Some(bytes),
        };
        legal.then_some(Element { kind, bytes: bytes as u8 })
    }

    /// The element with PTX's name: `u8` to `u64`, `s8` to `s64`, `b8` to `b64` (as `u`), `f16`, `f32`, `f64`; `bf16`, `tf32`,
    /// and what takes a byte: `e4m3`, `e5m2`, `e3m2`, `e2m3`, `ue8m0`, `ue5m3`.
    pub fn named(name: &str) -> Option<Self> {
        let name = name.strip_prefix('.').unwrap_or(name);
        if let Some(element) = other::named(name) {
            return Some(element);
        }
        let (kind, bits) = match name.as_bytes().first()? {
            b'u' | b'b' => (Kind::Unsigned, &name[1..]),
            b's' => (Kind::Signed, &name[1..]),
            b'f' => (Kind::Float, &name[1..]),
            _ => return None,
        };
        let bytes = match bits {
            "8" => 1,
            "16" => 2,
            "32" => 4,
            "64" => 8,
            _ => return None,
        };
        Element::new(kind, bytes)
    }

    /// The kind.
    pub fn kind(self) -> Kind {
        self.kind
    }

    /// The size in bytes: 1, 2, 4 or 8.
    pub fn bytes(self) -> usize {
        self.bytes as usize
    }

    /// The size in bits: 8, 16, 32 or 64.
    pub fn bits(self) -> u32 {
        u32::from(self.bytes) * 8
    }

    /// The low bits of a written value: decimal, or `0x` and the bits themselves; floats also with a point and an
    /// exponent, `inf` and `nan`.
    ///
    /// # Errors
    /// Text that is not a number, or a number that the type does not hold.
    pub fn bits_of(self, text: &str) -> Result<u64, Problem> {
        match (self.kind, hex_digits(text)) {
            (_, Some(digits)) => self.bits_of_hex(text, digits),
            (Kind::Float, None) => self.bits_of_float(text),
            (Kind::Other(format), None) => self.bits_of_other(format, text),
            _ => self.bits_of_decimal(text),
        }
    }

    fn bits_of_hex(self, text: &str, digits: &str) -> Result<u64, Problem> {
        if digits.is_empty() || !digits.bytes().all(|c| c.is_ascii_hexdigit()) {
            return Err(Problem::new(format!("`{text}` is not a number")).help("write hex digits after `0x`"));
        }
        match u64::from_str_radix(digits.trim_start_matches('0'), 16) {
            Ok(bits) if bits <= self.mask() => Ok(bits),
            Err(_) if digits.bytes().all(|c| c == b'0') => Ok(0),
            _ => Err(self.too_wide(text).help(format!(
                "`{self}` has {} bits, so at most {} hex digits",
                self.bits(),
                2 * self.bytes
            ))),
        }
    }

    fn bits_of_decimal(self, text: &str) -> Result<u64, Problem> {
        let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
        if digits.is_empty() || !digits.bytes().all(|c| c.is_ascii_digit()) {
            return Err(Problem::new(format!("`{text}` is not an integer"))
                .help("write a decimal number, or `0x` and hex digits"));
        }
        let (low, high) = self.range();
        match text.parse::<i128>() {
            Ok(value) if (low..=high).contains(&value) => Ok(value as u64 & self.mask()),
            _ => Err(self.too_wide(text).help(format!("`{self}` holds {low} to {high}"))),
        }
    }

    fn bits_of_float(self, text: &str) -> Result<u64, Problem> {
        let Ok(value) = text.parse::<f64>() else {
            return Err(Problem::new(format!("`{text}` is not a number"))
                .help("write a decimal number such as `1.5e-3`, `inf`, `nan`, or `0x` and the bits"));
        };
        // The narrower types are rounded from the text, not from the f64, where the standard library can: once, not twice.
        let (bits, finite) = match self.bytes {
            2 => (f16::from_f64(value).to_bits().into(), f16::from_f64(value).is_finite()),
            4 => {
                let single = text.parse::<f32>().unwrap_or(value as f32);
                (single.to_bits().into(), single.is_finite())
            }
            _ => (value.to_bits(), value.is_finite()),
        };
        let says_infinite = text.trim_start_matches(['-', '+']).starts_with(['i', 'I', 'n', 'N']);
        if !finite && !says_infinite {
            return Err(self.too_wide(text).help(format!("write `inf` for `{self}`'s infinity")));
        }
        Ok(bits)
    }

    fn too_wide(self, text: &str) -> Problem {
        Problem::new(format!("`{text}` does not fit `{self}`"))
    }

    fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }

    fn range(self) -> (i128, i128) {
        match self.kind {
            Kind::Signed => (-(1 << (self.bits() - 1)), (1 << (self.bits() - 1)) - 1),
            _ => (0, (1 << self.bits()) - 1),
        }
    }

    /// The value that the low bits stand for.
    pub fn value(self, bits: u64) -> Value {
        let bits = bits & self.mask();
        match (self.kind, self.bytes) {
            (Kind::Unsigned, _) => Value::Int(bits.into()),
            (Kind::Signed, _) => {
                let unused = 64 - self.bits();
                Value::Int(((bits << unused) as i64 >> unused).into())
            }
            (Kind::Float, 2) => Value::Half(f16::from_bits(bits as u16)),
            (Kind::Float, 4) => Value::Single(f32::from_bits(bits as u32)),
            (Kind::Float, _) => Value::Double(f64::from_bits(bits)),
            (Kind::Other(format), _) => Value::Other(Number::new(format, bits)),
        }
    }

    /// The values of a buffer, in order; bytes after the last whole element are left out.
    pub fn values(self, buffer: &[u8]) -> impl Iterator<Item = Value> + '_ {
        buffer.chunks_exact(self.bytes()).map(move |chunk| {
            let mut bits = [0; 8];
            bits[..chunk.len()].copy_from_slice(chunk);
            self.value(u64::from_le_bytes(bits))
        })
    }
}

/// The digits after `0x`.
fn hex_digits(text: &str) -> Option<&str> {
    text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = match self.kind {
            Kind::Unsigned => 'u',
            Kind::Signed => 's',
            Kind::Float => 'f',
            Kind::Other(format) => return f.write_str(other::name(format)),
        };
        write!(f, "{letter}{}", self.bits())
    }
}

/// One value of a buffer, for printing and comparing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// An integer of up to 64 bits, signed or not.
    Int(i128),
    /// A half precision number.
    Half(f16),
    /// A single precision number.
    Single(f32),
    /// A double precision number.
    Double(f64),
    /// A number of another format.
    Other(other::Number),
}

impl Value {
    /// Whether this is not-a-number.
    pub fn is_nan(self) -> bool {
        match self {
            Value::Int(_) => false,
            Value::Half(x) => x.is_nan(),
            Value::Single(x) => x.is_nan(),
            Value::Double(x) => x.is_nan(),
            Value::Other(x) => x.value().is_nan(),
        }
    }

    /// Whether this is zero, of either sign.
    pub fn is_zero(self) -> bool {
        match self {
            Value::Int(x) => x == 0,
            Value::Half(x) => x == f16::ZERO,
            Value::Single(x) => x == 0.0,
            Value::Double(x) => x == 0.0,
            Value::Other(x) => x.value() == 0.0,
        }
    }

    /// Whether this is smaller than `other`; only values of one element type compare.
    pub fn is_less(self, other: Value) -> bool {
        match (self, other) {
            (Value::Int(x), Value::Int(y)) => x < y,
            (Value::Half(x), Value::Half(y)) => x < y,
            (Value::Single(x), Value::Single(y)) => x < y,
            (Value::Double(x), Value::Double(y)) => x < y,
            (Value::Other(x), Value::Other(y)) => x.value() < y.value(),
            _ => false,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Int(x) => x.fmt(f),
            Value::Half(x) => {
                let shortest = other::shortest(&F16, x.to_bits().into());
                write_float(f, shortest, &shortest)
            }
            Value::Single(x) => write_float(f, f64::from(*x), x),
            Value::Double(x) => write_float(f, *x, x),
            Value::Other(x) => {
                let shortest = x.shortest();
                write_float(f, shortest, &shortest)
            }
        }
    }
}

/// The shortest decimal that reads back as the same number, in scientific notation where plain digits would be long.
fn write_float(
    f: &mut fmt::Formatter<'_>,
    size: f64,
    x: &(impl fmt::Display + fmt::LowerExp),
) -> fmt::Result {
    match size.abs() {
        0.0 => write!(f, "{x}"),
        y if y.is_finite() && !(1e-4..1e9).contains(&y) => write!(f, "{x:e}"),
        y if y.is_nan() => f.write_str("nan"),
        _ => write!(f, "{x}"),
    }
}

impl serde::Serialize for Value {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let float = match self {
            Value::Int(x) => return serializer.serialize_i128(*x),
            Value::Half(x) => f64::from(*x),
            Value::Single(x) => f64::from(*x),
            Value::Double(x) => *x,
            Value::Other(x) => x.value(),
        };
        // JSON has no infinity and no not-a-number: they are written as strings.
        if float.is_finite() { serializer.serialize_f64(float) } else { serializer.collect_str(self) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(ty: &str, text: &str) -> Result<u64, String> {
        Element::named(ty).unwrap().bits_of(text).map_err(|p| p.message)
    }

    #[test]
    fn every_name_reads_back() {
        let others = ["bf16", "tf32", "e4m3", "e5m2", "e3m2", "e2m3", "ue8m0", "ue5m3"];
        for name in
            ["u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "f16", "f32", "f64"].iter().chain(&others)
        {
            assert_eq!(Element::named(name).unwrap().to_string(), *name);
        }
        assert_eq!(Element::named("b32"), Element::named("u32"));
        for name in ["", "u", "u7", "u128", "f8", "x32", "u032", "é8", "U32", "pred", "e2m1", "bf16x2"] {
            assert_eq!(Element::named(name), None, "{name}");
        }
    }

    #[test]
    fn integers_are_held_to_their_range() {
        assert_eq!(bits("u8", "255"), Ok(255));
        assert_eq!(bits("u8", "256"), Err("`256` does not fit `u8`".into()));
        assert_eq!(bits("u8", "-1"), Err("`-1` does not fit `u8`".into()));
        assert_eq!(bits("s8", "-128"), Ok(0x80));
        assert_eq!(bits("s8", "-129"), Err("`-129` does not fit `s8`".into()));
        assert_eq!(bits("s8", "128"), Err("`128` does not fit `s8`".into()));
        assert_eq!(bits("u64", "18446744073709551615"), Ok(u64::MAX));
        assert_eq!(bits("s64", "-9223372036854775808"), Ok(1 << 63));
        assert!(bits("u64", &"9".repeat(1000)).is_err());
        assert_eq!(bits("u32", "+7"), Ok(7));
    }

    #[test]
    fn hex_is_bits_whatever_the_sign() {
        assert_eq!(bits("s8", "0xff"), Ok(0xff));
        assert_eq!(bits("u16", "0X0000ffff"), Ok(0xffff));
        assert_eq!(bits("u8", "0x00"), Ok(0));
        assert_eq!(bits("u8", "0x100"), Err("`0x100` does not fit `u8`".into()));
        assert_eq!(bits("f32", "0x3fc00000"), Ok(u64::from(1.5f32.to_bits())));
        for bad in ["0x", "0x-1", "0xg", "0x+1", "-0x1"] {
            assert!(bits("u32", bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn text_that_is_no_number_is_refused() {
        for bad in ["", "-", "one", "1.5", "1 2", "١", "1e3", "--1"] {
            assert!(bits("s32", bad).is_err(), "{bad}");
        }
        for bad in ["", "one", "1.5.2", "0x1.8p1", "1,5"] {
            assert!(bits("f32", bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn floats_round_once_and_do_not_become_infinite_by_accident() {
        assert_eq!(bits("f32", "0.1"), Ok(u64::from(0.1f32.to_bits())));
        assert_eq!(bits("f64", "-0.0"), Ok(1 << 63));
        assert_eq!(bits("f16", "65504"), Ok(0x7bff));
        assert_eq!(bits("f16", "70000"), Err("`70000` does not fit `f16`".into()));
        assert_eq!(bits("f32", "1e39"), Err("`1e39` does not fit `f32`".into()));
        assert_eq!(bits("f64", "1e999"), Err("`1e999` does not fit `f64`".into()));
        assert_eq!(bits("f32", "-inf"), Ok(0xff80_0000));
        assert_eq!(bits("f16", "inf"), Ok(0x7c00));
        assert!(bits("f64", "NaN").is_ok());
    }

    #[test]
    fn formats_without_a_type_in_numpy_are_read_and_shown() {
        assert_eq!(bits("bf16", "0.1"), Ok(0x3dcd));
        assert_eq!(bits("bf16", "-inf"), Ok(0xff80));
        assert_eq!(bits("bf16", "1e39"), Err("`1e39` does not fit `bf16`".into()));
        assert_eq!(bits("e4m3", "-448"), Ok(0xfe));
        assert_eq!(bits("e4m3", "1e-9"), Ok(0));
        assert_eq!(bits("e4m3", "449"), Ok(0x7e));
        for wide in ["470", "inf", "-1e9"] {
            assert_eq!(bits("e4m3", wide), Err(format!("`{wide}` does not fit `e4m3`")));
        }
        assert_eq!(bits("e4m3", "0x100"), Err("`0x100` does not fit `e4m3`".into()));
        assert_eq!(bits("e3m2", "nan"), Err("`nan` does not fit `e3m2`".into()));
        assert_eq!(bits("ue8m0", "2"), Ok(0x80));
        for wide in ["0", "-2"] {
            assert_eq!(bits("ue8m0", wide), Err(format!("`{wide}` does not fit `ue8m0`")));
        }
        assert!(bits("bf16", "one").unwrap_err().contains("is not a number"));
        let show = |ty: &str, bits| Element::named(ty).unwrap().value(bits).to_string();
        assert_eq!(
            [0x3dcd, 0x8000, 0xff80, 0x7fc0, 1].map(|bits| show("bf16", bits)),
            ["0.1", "-0", "-inf", "nan", "9e-41"]
        );
        assert_eq!([0x1d, 0x7e, 0x7f, 0x80].map(|bits| show("e4m3", bits)), ["0.1", "450", "nan", "-0"]);
        assert_eq!(show("tf32", 0x3dcc_cccd), "0.1");
        for name in ["bf16", "e4m3", "e5m2", "e3m2", "e2m3", "ue8m0", "ue5m3"] {
            let element = Element::named(name).unwrap();
            let patterns =
                0..1u64 << margay_isa::float::FORMATS.iter().find(|f| f.name == name).unwrap().bits;
            for bits in patterns.filter(|bits| !element.value(*bits).is_nan()) {
                assert_eq!(
                    element.bits_of(&element.value(bits).to_string()).map_err(|p| p.message),
                    Ok(bits),
                    "{name}"
                );
            }
        }
    }

    #[test]
    fn values_print_as_numbers() {
        let show = |ty: &str, bits| Element::named(ty).unwrap().value(bits).to_string();
        assert_eq!(show("s8", 0xff), "-1");
        assert_eq!(show("u64", u64::MAX), "18446744073709551615");
        assert_eq!(show("f32", 0x3dcc_cccd), "0.1");
        assert_eq!(show("f16", 0x7c00), "inf");
        assert_eq!(show("f32", 0x7fc0_0000), "nan");
        assert_eq!(show("f64", 1e300f64.to_bits()), "1e300");
        assert_eq!([0x2e66, 1, 0x8000, 0x7bff].map(|bits| show("f16", bits)), ["0.1", "6e-8", "-0", "65500"]);
    }

    #[test]
    fn a_buffer_gives_its_whole_elements() {
        let u16 = Element::named("u16").unwrap();
        let values: Vec<_> = u16.values(&[1, 0, 0, 1, 9]).collect();
        assert_eq!(values, [Value::Int(1), Value::Int(256)]);
    }
}
