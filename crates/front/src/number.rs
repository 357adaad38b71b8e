//! The values of numbers as PTX writes them (manual section 4.5).

/// The value of an integer constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Value {
    /// The low 64 bits.
    pub value: u64,
    pub unsigned: bool,
    /// The value is 2^64 or more.
    pub wrapped: bool,
    /// It is too long for ptxas, which gives up where one more digit follows on a value with bit 63 set.
    pub overflow: bool,
}

/// Reads an integer constant; none if it is not written as one.
pub(crate) fn integer(text: &str) -> Option<Value> {
    let (digits, unsigned) = match text.strip_suffix('U') {
        Some(digits) => (digits, true),
        None => (text, false),
    };
    let (digits, base) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (&digits[2..], 16),
        [b'0', b'b' | b'B', ..] => (&digits[2..], 2),
        [b'0', _, ..] => (&digits[1..], 8),
        _ => (digits, 10),
    };
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(base)) {
        return None;
    }
    let (mut value, mut wrapped, mut overflow) = (0u64, false, false);
    for digit in digits.chars().filter_map(|c| c.to_digit(base)) {
        overflow |= value >> 63 != 0;
        let next = u128::from(value) * u128::from(base) + u128::from(digit);
        wrapped |= next >> 64 != 0;
        value = next as u64;
    }
    Some(Value { value, unsigned, wrapped, overflow })
}

/// Reads a floating-point constant as the bits of a binary64; none if it is not written as one.
pub(crate) fn float(text: &str) -> Option<u64> {
    let hex = |width: usize| {
        let digits = &text[2..];
        let fits = digits.len() == width && digits.bytes().all(|b| b.is_ascii_hexdigit());
        fits.then(|| u64::from_str_radix(digits, 16).ok()).flatten()
    };
    match text.as_bytes() {
        [b'0', b'f' | b'F', ..] => hex(8).map(|bits| widen(bits as u32)),
        [b'0', b'd' | b'D', ..] => hex(16),
        _ => text.parse::<f64>().ok().map(f64::to_bits),
    }
}

/// Whether a floating-point constant is written in decimal digits that no normal binary64 stands for: too large a number,
/// or too small a one that is not zero.
pub(crate) fn float_overflows(text: &str) -> bool {
    let hexadecimal = matches!(text.as_bytes(), [b'0', b'f' | b'F' | b'd' | b'D', ..]);
    let mut digits = text.bytes().take_while(|byte| !matches!(byte, b'e' | b'E'));
    let is_zero = digits.all(|byte| matches!(byte, b'0' | b'.'));
    !hexadecimal && !is_zero && text.parse::<f64>().is_ok_and(|value| !value.is_normal())
}

/// A binary32 as a binary64 of the same value; NaNs keep their sign and payload, signalling ones too.
fn widen(bits: u32) -> u64 {
    let value = f32::from_bits(bits);
    if value.is_nan() {
        let (sign, payload) = (u64::from(bits >> 31), u64::from(bits & 0x7f_ffff));
        return sign << 63 | 0x7ff << 52 | payload << 29;
    }
    f64::from(value).to_bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Option<u64> {
        integer(text).map(|v| v.value)
    }

    #[test]
    fn integers_have_four_bases() {
        assert_eq!(value("42"), Some(42));
        assert_eq!(value("0x2A"), Some(42));
        assert_eq!(value("052"), Some(42));
        assert_eq!(value("0b101010U"), Some(42));
        assert_eq!(value("0"), Some(0));
        assert_eq!(value("0U"), Some(0));
        assert!(integer("7U").unwrap().unsigned && !integer("7").unwrap().unsigned);
    }

    #[test]
    fn what_is_no_integer_has_no_value() {
        for text in ["08", "0x", "0b", "0b2", "12a", "0xg", "", "U", "5u"] {
            assert_eq!(integer(text), None, "{text}");
        }
    }

    #[test]
    fn more_than_64_bits_wrap_and_a_digit_behind_bit_63_overflows() {
        let two_to_64 = integer("18446744073709551616").unwrap();
        assert_eq!((two_to_64.value, two_to_64.wrapped, two_to_64.overflow), (0, true, false));
        assert!(!integer("18446744073709551615").unwrap().wrapped);
        assert!(!integer("0x0000ffffffffffffffff").unwrap().wrapped);
        let seventeen = integer("0x1ffffffffffffffff").unwrap();
        assert_eq!((seventeen.value, seventeen.wrapped, seventeen.overflow), (u64::MAX, true, false));
        assert!(integer("0x80000000000000000").unwrap().overflow);
        assert!(
            integer("0b10000000000000000000000000000000000000000000000000000000000000000").unwrap().overflow
        );
        assert!(!integer("92233720368547758079").unwrap().overflow);
        assert!(integer("92233720368547758080").unwrap().overflow);
        assert!(integer(&"9".repeat(100_000)).unwrap().overflow);
    }

    #[test]
    fn floats_are_decimal_or_bits() {
        assert_eq!(float("1.5"), Some(1.5f64.to_bits()));
        assert_eq!(float("1."), Some(1f64.to_bits()));
        assert_eq!(float("2e3"), Some(2000f64.to_bits()));
        assert_eq!(float("0f3F800000"), Some(1f64.to_bits()));
        assert_eq!(float("0d3FF0000000000000"), Some(1f64.to_bits()));
        assert_eq!(float("0fFF800001"), Some(0xfff0_0000_2000_0000));
        assert_eq!(float("0f3F80000"), None);
        for text in ["1e309", "1e-310", "4.9e-324", "1.7976931348623159e308", "0.1e-400"] {
            assert!(float_overflows(text), "{text}");
        }
        for text in
            ["0e999", "0.0e-999", "2.3e-308", "1.7976931348623157e308", "0d7ff0000000000000", "0f00000001"]
        {
            assert!(!float_overflows(text), "{text}");
        }
        assert_eq!(float("0d+000000000000000"), None);
    }
}
