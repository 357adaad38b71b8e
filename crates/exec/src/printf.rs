//! C formats as `vprintf` of the device takes them: each conversion turned into text.

/// What a conversion takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wanted {
    /// A number of so many bytes (4 or 8).
    Integer(u64),
    /// A double.
    Double,
    /// An address.
    Pointer,
    /// The address of text that ends with a zero.
    Text,
}

/// Values for the conversions of a format, one after the other.
pub(crate) trait Arguments {
    /// What goes wrong when one is fetched.
    type Error;
    /// The next number, double (as bits) or address.
    fn next(&mut self, bytes: u64) -> Result<u64, Self::Error>;
    /// The text at an address.
    fn text(&mut self, address: u64) -> Result<Vec<u8>, Self::Error>;
}

/// Text that is longer than this is not finished.
pub(crate) const LONGEST: usize = 1 << 24;

/// Text that a kernel prints or names ends after so many bytes at the latest.
pub(crate) const LONGEST_TEXT: usize = 1 << 16;

/// No field is made wider than this.
const WIDEST: usize = 4096;

/// How a conversion is written: `%-08.3lld`.
#[derive(Default)]
struct Style {
    left: bool,
    plus: bool,
    blank: bool,
    alternate: bool,
    zeros: bool,
    width: usize,
    precision: Option<usize>,
}

/// The text of a format with its arguments put in, and how many conversions there were. A conversion that does not
/// exist stands in the text as it is written. Text longer than [`LONGEST`] ends somewhere behind that.
pub(crate) fn format<A: Arguments>(format: &[u8], arguments: &mut A) -> Result<(Vec<u8>, u32), A::Error> {
    let (mut out, mut count, mut at) = (Vec::with_capacity(format.len()), 0, 0);
    while let Some(byte) = format.get(at).filter(|_| out.len() <= LONGEST) {
        if *byte != b'%' {
            out.push(*byte);
            at += 1;
            continue;
        }
        let start = at;
        let mut style = Style::default();
        at += 1;
        while let Some(flag) = format.get(at) {
            match flag {
                b'-' => style.left = true,
                b'+' => style.plus = true,
                b' ' => style.blank = true,
                b'#' => style.alternate = true,
                b'0' => style.zeros = true,
                _ => break,
            }
            at += 1;
        }
        let star = |at: &mut usize, arguments: &mut A, count: &mut u32| match format.get(*at) {
            Some(b'*') => {
                *at += 1;
                *count += 1;
                Ok(arguments.next(4)? as i32)
            }
            _ => {
                let digits = format[*at..].iter().take_while(|b| b.is_ascii_digit()).count();
                let number = format[*at..*at + digits].iter();
                *at += digits;
                Ok(number.fold(0i32, |n, d| n.saturating_mul(10).saturating_add(i32::from(d - b'0'))))
            }
        };
        let width = star(&mut at, arguments, &mut count)?;
        style.left |= width < 0;
        style.width = (width.unsigned_abs() as usize).min(WIDEST);
        let mut exists = true;
        if format.get(at) == Some(&b'.') {
            at += 1;
            exists = format.get(at) != Some(&b'*');
            at += usize::from(!exists);
            let digits = format[at..].iter().take_while(|b| b.is_ascii_digit());
            let precision =
                digits.fold(0usize, |n, d| n.saturating_mul(10).saturating_add(usize::from(d - b'0')));
            at += format[at..].iter().take_while(|b| b.is_ascii_digit()).count();
            style.precision = Some(precision.min(WIDEST));
        }
        let length = format[at..].iter().take_while(|b| b"hlLqjzt".contains(b)).count();
        let long = format[at..at + length].contains(&b'l');
        // An H200 (driver 580) knows no `%zu`, `%jd`, `%td`, `%Lf`, and no `.*`.
        exists &= format[at..at + length].iter().all(|b| b"hl".contains(b));
        at += length;
        let Some(conversion) = format.get(at).copied() else {
            out.extend_from_slice(&format[start..]);
            break;
        };
        at += 1;
        let half = format[at - 1 - length..at - 1].iter().filter(|b| **b == b'h').count() as u32;
        match wanted(conversion, long).filter(|_| exists) {
            None if conversion == b'%' => out.push(b'%'),
            None => out.extend_from_slice(&format[start..at]),
            Some(Wanted::Text) => {
                count += 1;
                let address = arguments.next(8)?;
                let mut text = match address {
                    0 => b"(null)".to_vec(),
                    _ => arguments.text(address)?,
                };
                text.truncate(style.precision.unwrap_or(usize::MAX));
                style.zeros = false;
                style.pad("", text, &mut out);
            }
            Some(Wanted::Double) => {
                count += 1;
                let value = f64::from_bits(arguments.next(8)?);
                style.double(value, conversion, &mut out);
            }
            Some(wanted @ (Wanted::Integer(_) | Wanted::Pointer)) => {
                count += 1;
                let bytes = if let Wanted::Integer(bytes) = wanted { bytes } else { 8 };
                let bits = match half {
                    0 => 8 * bytes as u32,
                    _ => 16 >> (half - 1).min(1),
                };
                let value = arguments.next(bytes)? << (64 - bits);
                style.integer(value, 64 - bits, conversion, &mut out);
            }
        }
    }
    Ok((out, count))
}

fn wanted(conversion: u8, long: bool) -> Option<Wanted> {
    Some(match conversion {
        b'd' | b'i' | b'u' | b'x' | b'X' | b'o' if long => Wanted::Integer(8),
        b'd' | b'i' | b'u' | b'x' | b'X' | b'o' | b'c' => Wanted::Integer(4),
        b'p' => Wanted::Pointer,
        b's' => Wanted::Text,
        b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => Wanted::Double,
        _ => return None,
    })
}

impl Style {
    /// Puts a sign or prefix and text into a field.
    fn pad(&self, prefix: &str, text: Vec<u8>, out: &mut Vec<u8>) {
        let missing = self.width.saturating_sub(prefix.len() + text.len());
        let fill = |out: &mut Vec<u8>, byte| out.resize(out.len() + missing, byte);
        if !self.left && !self.zeros {
            fill(out, b' ');
        }
        out.extend_from_slice(prefix.as_bytes());
        if !self.left && self.zeros {
            fill(out, b'0');
        }
        out.extend(text);
        if self.left {
            fill(out, b' ');
        }
    }

    fn sign(&self, negative: bool) -> &'static str {
        match (negative, self.plus, self.blank) {
            (true, ..) => "-",
            (_, true, _) => "+",
            (_, _, true) => " ",
            _ => "",
        }
    }

    /// A number whose highest bit stands at the top of `value`, `free` bits of which are not its own.
    fn integer(mut self, value: u64, free: u32, conversion: u8, out: &mut Vec<u8>) {
        let (signed, unsigned) = (value as i64 >> free, value >> free);
        let (prefix, mut digits) = match conversion {
            b'c' => {
                self.zeros = false;
                return self.pad("", vec![unsigned as u8], out);
            }
            b'd' | b'i' => (self.sign(signed < 0), signed.unsigned_abs().to_string()),
            b'u' => ("", unsigned.to_string()),
            b'o' => (if self.alternate && unsigned != 0 { "0" } else { "" }, format!("{unsigned:o}")),
            b'X' => (if self.alternate && unsigned != 0 { "0X" } else { "" }, format!("{unsigned:X}")),
            b'p' => ("0x", format!("{unsigned:x}")),
            _ => (if self.alternate && unsigned != 0 { "0x" } else { "" }, format!("{unsigned:x}")),
        };
        if let Some(precision) = self.precision {
            self.zeros = false;
            if precision == 0 && unsigned == 0 {
                digits.clear();
            }
            digits = format!("{digits:0>precision$}");
        }
        self.pad(prefix, digits.into_bytes(), out);
    }

    fn double(mut self, value: f64, conversion: u8, out: &mut Vec<u8>) {
        let upper = conversion.is_ascii_uppercase();
        let sign = self.sign(value.is_sign_negative());
        let magnitude = value.abs();
        let text = if !value.is_finite() {
            self.zeros = false;
            if value.is_nan() { "nan".to_string() } else { "inf".to_string() }
        } else {
            match conversion.to_ascii_lowercase() {
                b'f' => fixed(magnitude, self.precision.unwrap_or(6), self.alternate),
                b'e' => exponential(magnitude, self.precision.unwrap_or(6), self.alternate),
                b'g' => self.shortest(magnitude),
                _ => hexadecimal(magnitude, self.precision),
            }
        };
        let text = if upper { text.to_ascii_uppercase() } else { text };
        self.pad(sign, text.into_bytes(), out);
    }

    /// `%g`: the shorter of the two ways to write a number, zeros at the end left out.
    fn shortest(&self, value: f64) -> String {
        let precision = self.precision.unwrap_or(6).max(1);
        let scientific = exponential(value, precision - 1, self.alternate);
        let exponent: i32 = scientific.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
        let text = if (-4..precision as i32).contains(&exponent) {
            fixed(value, (precision as i32 - 1 - exponent) as usize, self.alternate)
        } else {
            scientific
        };
        if self.alternate || !text.contains('.') {
            return text;
        }
        let (digits, rest) = text.split_at(text.find('e').unwrap_or(text.len()));
        format!("{}{rest}", digits.trim_end_matches('0').trim_end_matches('.'))
    }
}

fn fixed(value: f64, precision: usize, point: bool) -> String {
    let dot = if point && precision == 0 { "." } else { "" };
    format!("{value:.precision$}{dot}")
}

fn exponential(value: f64, precision: usize, point: bool) -> String {
    let text = format!("{value:.precision$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(rest) => ('-', rest),
        None => ('+', exponent),
    };
    let dot = if point && precision == 0 { "." } else { "" };
    format!("{digits}{dot}e{sign}{exponent:0>2}")
}

/// `%a`: the bits of the number as they are, rounded where fewer digits are asked for.
fn hexadecimal(value: f64, precision: Option<usize>) -> String {
    let bits = value.to_bits();
    let (mut fraction, exponent) = (bits & ((1 << 52) - 1), (bits >> 52) as i32);
    let (mut lead, exponent) = match (exponent, fraction) {
        (0, 0) => (0, 0),
        (0, _) => (0, -1022),
        _ => (1, exponent - 1023),
    };
    let digits = precision.unwrap_or(13).min(13);
    if digits < 13 {
        let drop = 4 * (13 - digits) as u32;
        let (whole, rest, half) = (lead << 52 | fraction, fraction & ((1 << drop) - 1), 1 << (drop - 1));
        let kept = whole >> drop;
        let up = rest > half || (rest == half && kept & 1 == 1);
        let rounded = (kept + u64::from(up)) << drop;
        (lead, fraction) = (rounded >> 52, rounded & ((1 << 52) - 1));
    }
    let mut text = format!("{fraction:013x}");
    match precision {
        None => text.truncate(text.trim_end_matches('0').len()),
        Some(more) if more > 13 => text.push_str(&"0".repeat(more - 13)),
        Some(fewer) => text.truncate(fewer),
    }
    let dot = if text.is_empty() { "" } else { "." };
    format!("0x{lead}{dot}{text}p{exponent:+}")
}

#[cfg(test)]
mod tests {
    use super::*;

    struct List(Vec<u64>);

    impl Arguments for List {
        type Error = ();
        fn next(&mut self, bytes: u64) -> Result<u64, ()> {
            let value = self.0.remove(0);
            Ok(if bytes == 4 { value & 0xffff_ffff } else { value })
        }
        fn text(&mut self, address: u64) -> Result<Vec<u8>, ()> {
            Ok(vec![b'x'; address as usize])
        }
    }

    fn say(text: &str, arguments: &[u64]) -> String {
        let mut list = List(arguments.to_vec());
        let (bytes, count) = format(text.as_bytes(), &mut list).unwrap();
        assert_eq!(count as usize, arguments.len(), "{text}");
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn numbers_are_written_as_c_writes_them() {
        for (text, value, wanted) in [
            ("%d", -5i64 as u64, "-5"),
            ("%5d|", 42, "   42|"),
            ("%-5d|", 42, "42   |"),
            ("%05d", -42i64 as u64, "-0042"),
            ("%+d", 7, "+7"),
            ("% d", 7, " 7"),
            ("%.3d", 7, "007"),
            ("%8.3d", 7, "     007"),
            ("%.0d|", 0, "|"),
            ("%u", u64::MAX, "4294967295"),
            ("%llu", u64::MAX, "18446744073709551615"),
            ("%ld", u64::MAX, "-1"),
            ("%hd", 0x1_ffff, "-1"),
            ("%hhu", 0x1ff, "255"),
            ("%x", 0xbeef, "beef"),
            ("%#X", 0xbeef, "0XBEEF"),
            ("%#06x", 0xab, "0x00ab"),
            ("%#o", 8, "010"),
            ("%#o", 0, "0"),
            ("%c", 65, "A"),
            ("%p", 0x7000, "0x7000"),
            ("%s|", 3, "xxx|"),
            ("%5.2s|", 3, "   xx|"),
            ("%s", 0, "(null)"),
        ] {
            assert_eq!(say(text, &[value]), wanted, "{text}");
        }
    }

    #[test]
    fn what_a_device_does_not_know_is_left_as_it_is_written() {
        for text in ["%zu", "%jd", "%td", "%Lf", "%.*f", "%y", "%"] {
            assert_eq!(say(text, &[]), text);
        }
    }

    #[test]
    fn doubles_are_written_as_c_writes_them() {
        for (text, value, wanted) in [
            ("%f", 1.5, "1.500000"),
            ("%.2f", 2.675, "2.67"),
            ("%.0f", 2.5, "2"),
            ("%08.2f", -3.21987, "-0003.22"),
            ("%e", 12345.678, "1.234568e+04"),
            ("%.0e", 1e-7, "1e-07"),
            ("%E", 1e100, "1.000000E+100"),
            ("%g", 0.0001, "0.0001"),
            ("%g", 0.00001, "1e-05"),
            ("%g", 123456.0, "123456"),
            ("%g", 1234567.0, "1.23457e+06"),
            ("%g", 100.0, "100"),
            ("%#g", 1.0, "1.00000"),
            ("%g", 0.0, "0"),
            ("%5.1f|", f64::INFINITY, "  inf|"),
            ("%F", f64::NAN, "NAN"),
            ("%f", -0.0, "-0.000000"),
            ("%a", 1.0, "0x1p+0"),
            ("%a", 0.1, "0x1.999999999999ap-4"),
            ("%.1a", 1.97, "0x2.0p+0"),
        ] {
            assert_eq!(say(text, &[value.to_bits()]), wanted, "{text}");
        }
    }

    #[test]
    fn stars_take_arguments_and_what_is_no_conversion_stays() {
        assert_eq!(say("%*d|%-*d|", &[4, 1, 4, 2]), "   1|2   |");
        assert_eq!(say("%*d|", &[-4i64 as u64, 1]), "1   |");
        assert_eq!(say("100%% %y %", &[]), "100% %y %");
    }
}
