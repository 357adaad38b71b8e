//! Numbers as people write them, as the nearest patterns of a format.

use super::exact::Exact;
use super::format::{F64, Format};
use super::real::Real;
use super::round::{Mode, encode};
use crate::types::Bits;

/// Five to this power has 105 bits: 128 divided by it leave the few that small formats have.
const POWERS: u32 = 45;

impl Format {
    /// The pattern of a number: decimal (`1.5`, `-2e-3`, ties to even), `inf`, `nan`, or PTX's hexadecimal patterns of
    /// `.f32` (`0f3fc00000`) and `.f64` (`0d…`). None if the text is no number, or one that the format does not have.
    ///
    /// ```
    /// use margay_isa::float::{BF16, E4M3, F16, F32};
    /// assert_eq!(F32.read("0.1"), Some(0x3dcc_cccd));
    /// assert_eq!(F32.read("0f3fc00000"), Some(0x3fc0_0000));
    /// assert_eq!(F16.read("-1.5"), Some(0xbe00));
    /// assert_eq!(BF16.read("1e-40"), Some(0x0001));
    /// assert_eq!(E4M3.read("inf"), None);
    /// assert_eq!(F16.read("1.5f"), None);
    /// ```
    pub fn read(&self, text: &str) -> Option<Bits> {
        let (negative, digits) = match text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let signed = |bits: Bits| if negative { bits | self.sign_bit() } else { bits };
        match digits.to_ascii_lowercase().as_str() {
            "nan" => return Some(self.nan(&[])).filter(|bits| self.is_nan(*bits)).map(signed),
            "inf" => return self.infinity().map(signed),
            _ => {}
        }
        if let Some(bits) = self.pattern(text) {
            return Some(bits);
        }
        let (digits, power) = decimal(digits)?;
        // Rust rounds these correctly; margay's own way has room for fewer powers of ten.
        match self.precision {
            53 => return Some(text.parse::<f64>().ok()?.to_bits().into()),
            24 => return Some(text.parse::<f32>().ok()?.to_bits().into()),
            _ => {}
        }
        let whole = |m: u128, e: i32| Real::Finite(Exact { negative: false, m, e, more: false });
        let five = 5u128.pow(power.unsigned_abs().min(POWERS));
        let exact = match power {
            _ if digits == 0 || power.unsigned_abs() > POWERS => None,
            0.. => digits.checked_mul(five).map(|digits| whole(digits, power)),
            _ => Some(whole(digits, 0).over(whole(five, -power))),
        };
        let real = match (digits, exact) {
            (0, _) => Real::Zero { negative: false },
            (_, Some(exact)) => exact,
            // Far outside of what small formats hold.
            _ => F64.decode(text.trim_start_matches(['-', '+']).parse::<f64>().ok()?.to_bits().into()),
        };
        let real = if negative { real.negated() } else { real };
        Some(encode(self, Mode::Nearest, false, real, &[]))
    }

    /// `0f3fc00000`, `0d3ff8000000000000`.
    fn pattern(&self, text: &str) -> Option<Bits> {
        let (prefixes, count) = match self.precision {
            24 => (["0f", "0F"], 8),
            53 => (["0d", "0D"], 16),
            _ => return None,
        };
        let digits = prefixes.iter().find_map(|prefix| text.strip_prefix(prefix))?;
        let whole = digits.len() == count && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        Bits::from_str_radix(digits, 16).ok().filter(|_| whole)
    }
}

/// The digits of a decimal number as a whole one, and the power of ten that it is to be multiplied by. None if it is no number, or has
/// more than 30 digits.
fn decimal(text: &str) -> Option<(u128, i32)> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i16>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = [whole, fraction].concat();
    let fits = !digits.is_empty() && digits.len() <= 30 && digits.bytes().all(|digit| digit.is_ascii_digit());
    let digits = digits.parse().ok().filter(|_| fits)?;
    Some((digits, i32::from(exponent) - fraction.len() as i32))
}

#[cfg(test)]
mod tests {
    use super::super::{BF16, E4M3, F16, F32, FORMATS, Shown};

    #[test]
    fn what_is_shown_is_read_back() {
        for format in FORMATS.iter().filter(|format| format.mask() <= 0xffff) {
            for bits in 0..=format.mask() {
                let text = Shown { format, bits }.to_string();
                let back = format.read(&text);
                if format.is_nan(bits) {
                    assert!(back.is_some_and(|back| format.is_nan(back)), "{format:?} {bits:x}");
                } else {
                    assert_eq!(back, Some(bits), "{text} of {format:?}");
                }
            }
        }
    }

    #[test]
    fn ties_go_to_even_and_nothing_is_rounded_twice() {
        // Half a unit above 1, and a little more than that: through f64 both would be the first.
        assert_eq!(F16.read("1.00048828125"), Some(0x3c00));
        assert_eq!(F16.read("1.000488281250000000000000001"), Some(0x3c01));
        assert_eq!((F16.read("65519.99"), F16.read("65520")), (Some(0x7bff), Some(0x7c00)));
        assert_eq!((BF16.read("1e-300"), BF16.read("-1e300")), (Some(0), Some(0xff80)));
        assert_eq!(BF16.read("999999999999999999999999999999e25"), Some(0x7f80));
        assert_eq!(F16.read("100000000000000000000000000000e-29"), Some(0x3c00));
        assert_eq!(F16.read("123456789012345678901234567890e-29"), Some(0x3cf0));
        assert_eq!((F16.read("-0"), E4M3.read("nan")), (Some(0x8000), Some(0x7f)));
    }

    #[test]
    fn other_texts_are_no_numbers() {
        for text in
            ["", "-", ".", "e1", "1e", "--1", "1.2.3", "0x1", "0f3fc0000", "0d0", "1 ", "infinity", "1_0"]
        {
            assert_eq!(F32.read(text), None, "{text}");
        }
    }
}
