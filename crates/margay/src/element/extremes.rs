//! The smallest and the largest value of a buffer, by loops that a compiler turns into vector instructions.

use super::{Element, Kind, Value};

impl Element {
    /// The smallest and the largest value of a buffer, not-a-number aside; of zeros of both signs, the first. None if there
    /// is no value. Bytes after the last whole element are left out.
    ///
    /// ```
    /// use margay::element::Element;
    /// let bytes: Vec<u8> = [3.5f32, f32::NAN, -2.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    /// let (min, max) = Element::named("f32").unwrap().extremes(&bytes).unwrap();
    /// assert_eq!((min.to_string(), max.to_string()), ("-2".into(), "3.5".into()));
    /// ```
    pub fn extremes(self, buffer: &[u8]) -> Option<(Value, Value)> {
        match (self.kind, self.bytes) {
            (Kind::Other(_), 2) => self.upper_bits::<2>(buffer),
            (Kind::Other(_), 4) => self.upper_bits::<4>(buffer),
            (Kind::Other(_), _) => self.bytes_that_are_there(buffer),
            (Kind::Unsigned, 1) => integers(buffer, u8::from_le_bytes),
            (Kind::Unsigned, 2) => integers(buffer, u16::from_le_bytes),
            (Kind::Unsigned, 4) => integers(buffer, u32::from_le_bytes),
            (Kind::Unsigned, _) => integers(buffer, u64::from_le_bytes),
            (Kind::Signed, 1) => integers(buffer, i8::from_le_bytes),
            (Kind::Signed, 2) => integers(buffer, i16::from_le_bytes),
            (Kind::Signed, 4) => integers(buffer, i32::from_le_bytes),
            (Kind::Signed, _) => integers(buffer, i64::from_le_bytes),
            (Kind::Float, 2) => self.halves(buffer),
            (Kind::Float, 4) => {
                let (min, max) =
                    floats::<4, 16, f32>(buffer, f32::from_le_bytes, f32::INFINITY, -f32::INFINITY)?;
                Some((self.first(buffer, Value::Single(min)), self.first(buffer, Value::Single(max))))
            }
            (Kind::Float, _) => {
                let (min, max) =
                    floats::<8, 8, f64>(buffer, f64::from_le_bytes, f64::INFINITY, -f64::INFINITY)?;
                Some((self.first(buffer, Value::Double(min)), self.first(buffer, Value::Double(max))))
            }
        }
    }

    /// Of patterns that are upper bits of an `f32`'s.
    fn upper_bits<const N: usize>(self, buffer: &[u8]) -> Option<(Value, Value)> {
        let below = self.below_single()?;
        let single = |bytes: [u8; N]| {
            let bits = bytes.iter().rev().fold(0, |bits: u32, byte| bits << 8 | u32::from(*byte));
            f32::from_bits(bits << below)
        };
        let (min, max) = floats::<N, 16, f32>(buffer, single, f32::INFINITY, -f32::INFINITY)?;
        let value = |x: f32| self.first(buffer, self.value(u64::from(x.to_bits() >> below)));
        Some((value(min), value(max)))
    }

    /// Of elements of one byte, of which there are few different ones.
    fn bytes_that_are_there(self, buffer: &[u8]) -> Option<(Value, Value)> {
        let mut seen = [false; 256];
        buffer.iter().for_each(|byte| seen[usize::from(*byte)] = true);
        let patterns = (0u64..).zip(seen).filter(|(_, seen)| *seen).map(|(bits, _)| self.value(bits));
        let numbers = || patterns.clone().filter(|value| !value.is_nan());
        let min = numbers().reduce(|min, value| if value.is_less(min) { value } else { min })?;
        let max = numbers().reduce(|max, value| if max.is_less(value) { value } else { max })?;
        Some((self.first(buffer, min), self.first(buffer, max)))
    }

    /// By integers that are in the numbers' order: below zero all bits but the sign are turned round.
    fn halves(self, buffer: &[u8]) -> Option<(Value, Value)> {
        const INFINITY: i16 = 0x7c00;
        let turn = |bits: i16| bits ^ (bits >> 15 & i16::MAX);
        let (mut min, mut max) = (i16::MAX, i16::MIN);
        for bytes in buffer.as_chunks::<2>().0 {
            let key = turn(i16::from_le_bytes(*bytes));
            // Not-a-number lies beyond the infinities.
            min = min.min(if key < !INFINITY { i16::MAX } else { key });
            max = max.max(if key > INFINITY { i16::MIN } else { key });
        }
        if min > INFINITY {
            return None;
        }
        let value = |key: i16| self.first(buffer, self.value(turn(key) as u16 as u64));
        Some((value(min), value(max)))
    }

    /// The value, or the first zero of the buffer if it is zero: zeros are equal, whatever their sign.
    fn first(self, buffer: &[u8], value: Value) -> Value {
        match value.is_zero() {
            true => self.values(buffer).find(|value| value.is_zero()).unwrap_or(value),
            false => value,
        }
    }
}

/// In `L` lanes, so that each can be one of a vector; a comparison with what is not a number keeps the other.
fn floats<const N: usize, const L: usize, T: PartialOrd + Copy>(
    buffer: &[u8],
    read: impl Fn([u8; N]) -> T,
    most: T,
    least: T,
) -> Option<(T, T)> {
    let less = |a: T, b: T| if a < b { a } else { b };
    let more = |a: T, b: T| if a > b { a } else { b };
    let (groups, rest) = buffer.as_chunks::<N>().0.as_chunks::<L>();
    let (mut mins, mut maxs) = ([most; L], [least; L]);
    for group in groups {
        let values = group.map(&read);
        for (min, value) in mins.iter_mut().zip(values) {
            *min = less(value, *min);
        }
        for (max, value) in maxs.iter_mut().zip(values) {
            *max = more(value, *max);
        }
    }
    let rest = || rest.iter().map(|bytes| read(*bytes));
    let min = rest().chain(mins).fold(most, |min, value| less(value, min));
    let max = rest().chain(maxs).fold(least, |max, value| more(value, max));
    // Any number is at most the greatest and at least the least.
    (min <= max).then_some((min, max))
}

fn integers<const N: usize, T: Ord + Copy + Into<i128>>(
    buffer: &[u8],
    read: impl Fn([u8; N]) -> T,
) -> Option<(Value, Value)> {
    let elements = buffer.as_chunks::<N>().0;
    let first = read(*elements.first()?);
    let (mut min, mut max) = (first, first);
    for bytes in elements {
        let value = read(*bytes);
        min = min.min(value);
        max = max.max(value);
    }
    Some((Value::Int(min.into()), Value::Int(max.into())))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the definition says, one value after the other.
    fn plainly(element: Element, buffer: &[u8]) -> Option<(Value, Value)> {
        let numbers = || element.values(buffer).filter(|value| !value.is_nan());
        let least = |min: Value, value: Value| if value.is_less(min) { value } else { min };
        let greatest = |max: Value, value: Value| if max.is_less(value) { value } else { max };
        Some((numbers().reduce(least)?, numbers().reduce(greatest)?))
    }

    fn same(element: Element, buffer: &[u8]) {
        let text = |pair: Option<(Value, Value)>| format!("{pair:?}");
        assert_eq!(text(element.extremes(buffer)), text(plainly(element, buffer)), "{element} {buffer:x?}");
    }

    #[test]
    fn they_are_those_of_the_definition() {
        let names = [
            "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "f16", "f32", "f64", "bf16", "tf32",
            "e4m3", "e5m2", "e3m2", "e2m3", "ue8m0", "ue5m3",
        ];
        let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
        let mut next = || {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            seed
        };
        for element in names.map(|name| Element::named(name).unwrap()) {
            for length in 0..200 {
                let buffer: Vec<u8> = (0..length).map(|_| next() as u8).collect();
                same(element, &buffer);
                // Mostly zeros, infinities, ones with the sign: what is rare among random bytes.
                let corner = |word: u64| match word % 6 {
                    0 => vec![0; element.bytes()],
                    1 => [vec![0; element.bytes() - 1], vec![0x80]].concat(),
                    2 => vec![0xff; element.bytes()],
                    3 => [vec![0xff; element.bytes() - 1], vec![0x7f]].concat(),
                    4 => [vec![0; element.bytes() - 2.min(element.bytes())], vec![0x80, 0x7f]].concat(),
                    _ => [vec![0; element.bytes() - 2.min(element.bytes())], vec![0xf0, 0xff]].concat(),
                };
                let few: Vec<u8> = (0..next() % 5).flat_map(|_| corner(next() >> 32)).collect();
                same(element, &few);
            }
        }
    }

    #[test]
    fn the_first_zero_counts() {
        let f32 = Element::named("f32").unwrap();
        for zeros in [[0.0f32, -0.0], [-0.0, 0.0]] {
            let bytes: Vec<u8> = zeros.iter().flat_map(|x| x.to_le_bytes()).collect();
            let shown = f32.extremes(&bytes).map(|(min, max)| (min.to_string(), max.to_string()));
            assert_eq!(shown, Some((zeros[0].to_string(), zeros[0].to_string())));
        }
    }
}
