//! The values that an input takes: a range with steps.

use std::fmt;

use margay_isa::Bits;

use crate::problem::Problem;

/// Evenly spaced values, as bits of the input's width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Values {
    /// The first, negative ones in two's complement.
    pub first: Bits,
    /// From each to the next.
    pub step: Bits,
    /// How many follow the first.
    pub more: Bits,
}

const FORMS: &str = "write `LOW..HIGH` without the last, `LOW..=HIGH` with it, `LOW..HIGH:STEP`, one value, or `..` for all; numbers are decimal, `0x…` or `2^N`";

impl Values {
    /// All values of so many bits.
    pub fn all(width: u32) -> Values {
        Values { first: 0, step: 1, more: ones(width) }
    }

    /// Values as they are written: `LOW..HIGH` (without the last), `LOW..=HIGH`, `..` for all, each with `:STEP` or without;
    /// or one value. Numbers are decimal, possibly negative, `0x` and hex digits, or `2^N`.
    ///
    /// ```
    /// use margay::sweep::Values;
    /// let values = Values::parse("-2..=6:4").unwrap();
    /// assert_eq!((values.more, values.to_string()), (2, "-2..=6:4".into()));
    /// assert_eq!(Values::parse("0..2^32").unwrap().more, 0xffff_ffff);
    /// assert!(Values::parse("5..5").is_err());
    /// ```
    ///
    /// # Errors
    /// Text that is no such thing, a range without values.
    pub fn parse(text: &str) -> Result<Values, Problem> {
        let problem = |what: String| Problem::new(what).help(FORMS);
        let (range, step) = match text.split_once(':') {
            Some((range, step)) => (range, Some(step)),
            None => (text, None),
        };
        let number = |text: &str| number(text).ok_or_else(|| problem(format!("`{text}` is not a number")));
        let step = match step.map(number).transpose()? {
            None => 1,
            Some(Number { negative: false, bits }) if bits > 0 => bits,
            Some(_) => return Err(problem(format!("the step of `{text}` is not above 0"))),
        };
        let (low, high, last) = match (range.split_once("..="), range.split_once("..")) {
            (Some((low, high)), _) => (number(low)?, number(high)?, true),
            (None, Some(("", ""))) => return Ok(Values { first: 0, step, more: Bits::MAX / step }),
            (None, Some((low, high))) => (number(low)?, number(high)?, false),
            (None, None) => return Ok(Values { first: number(range)?.wrapped(), step, more: 0 }),
        };
        let empty = || Problem::new(format!("the range `{text}` has no values"));
        // How far the end lies above the beginning, where 128 bits can say so.
        let apart = match (low.negative, high.negative) {
            (false, false) => high.bits.checked_sub(low.bits),
            (true, true) => low.bits.checked_sub(high.bits),
            (true, false) => low.bits.checked_add(high.bits),
            (false, true) => None,
        };
        let apart = apart.and_then(|apart| if last { Some(apart) } else { apart.checked_sub(1) });
        Ok(Values { first: low.wrapped(), step, more: apart.ok_or_else(empty)? / step })
    }

    /// The same for an input of so many bits.
    pub(super) fn within(self, width: u32) -> Result<Values, Problem> {
        let everything = Values { first: 0, step: self.step, more: Bits::MAX / self.step };
        if self == everything {
            return Ok(Values { more: ones(width) / self.step, ..self });
        }
        if width >= 128 {
            return Ok(self);
        }
        let refused = || {
            let help = match width {
                1 => "it is a predicate: 0 or 1".to_string(),
                _ => format!("it has {width} bits: -2^{} to 2^{width}-1", width - 1),
            };
            Problem::new(format!("the values `{self}` do not fit")).help(help)
        };
        // Below 0, values are those of signed numbers, above of unsigned ones; a range may have both.
        let below = if (self.first as i128) < 0 { self.first.wrapping_neg() } else { 0 };
        let least = if width == 1 { 0 } else { 1 << (width - 1) };
        let room = match below {
            0 => ones(width).checked_sub(self.first),
            _ => ones(width).checked_add(below).filter(|_| below <= least),
        };
        let span = self.more.checked_mul(self.step).filter(|span| room.is_some_and(|room| *span <= room));
        match span {
            Some(span) if span <= ones(width) => Ok(Values { first: self.first & ones(width), ..self }),
            _ => Err(refused()),
        }
    }

    /// The value of a number below or equal to `more`, cut to a width.
    #[inline]
    pub(super) fn at(&self, number: Bits, mask: Bits) -> Bits {
        self.first.wrapping_add(self.step.wrapping_mul(number)) & mask
    }
}

impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let last = self.first.wrapping_add(self.step.wrapping_mul(self.more));
        let number = |bits: Bits| match bits as i128 {
            negative @ ..0 => negative.to_string(),
            _ if bits < 1 << 16 => bits.to_string(),
            _ => format!("{bits:#x}"),
        };
        match self.more {
            0 => f.write_str(&number(self.first)),
            _ => {
                write!(f, "{}..={}", number(self.first), number(last))?;
                if self.step > 1 { write!(f, ":{}", self.step) } else { Ok(()) }
            }
        }
    }
}

/// Ones in so many bits.
pub(super) fn ones(width: u32) -> Bits {
    if width >= 128 { Bits::MAX } else { (1 << width) - 1 }
}

/// A number as it is written.
struct Number {
    negative: bool,
    bits: Bits,
}

impl Number {
    fn wrapped(&self) -> Bits {
        if self.negative { self.bits.wrapping_neg() } else { self.bits }
    }
}

fn number(text: &str) -> Option<Number> {
    let text = text.trim();
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let plain = |digits: &str, radix: u32| {
        let all = !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
        Bits::from_str_radix(digits, radix).ok().filter(|_| all)
    };
    let bits = match (digits.strip_prefix("2^"), digits.strip_prefix("0x")) {
        (Some(power), _) => plain(power, 10).filter(|power| *power < 128).map(|power| 1 << power)?,
        (None, Some(hex)) => plain(hex, 16)?,
        (None, None) => plain(digits, 10)?,
    };
    let fits = !negative || bits <= 1 << 127;
    fits.then_some(Number { negative: negative && bits > 0, bits })
}
