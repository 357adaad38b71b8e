//! Amounts of memory as people write them: `4096`, `500M`, `8G`.

use crate::problem::Problem;

/// What may stand after the number, and how many times 1024 it is.
const UNITS: [(&str, u32); 5] = [("", 0), ("K", 1), ("M", 2), ("G", 3), ("T", 4)];

/// The bytes that a text stands for: digits, and `K`, `M`, `G` or `T` for as many times 1024, in either case.
///
/// ```
/// use margay::amount::bytes;
/// assert_eq!(bytes("4096").unwrap(), 4096);
/// assert_eq!(bytes("500m").unwrap(), 500 << 20);
/// assert_eq!(bytes("8x").unwrap_err().message, "`8x` is not a number of bytes");
/// ```
///
/// # Errors
/// If it is something else, or more than 64 bits can count.
pub fn bytes(text: &str) -> Result<u64, Problem> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let unit = UNITS.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit));
    let (Some((_, power)), false) = (unit, number.is_empty()) else {
        let problem = Problem::new(format!("`{text}` is not a number of bytes"));
        return Err(problem.help("write digits, and `K`, `M`, `G` or `T` after them for times 1024"));
    };
    let counted = number.parse::<u64>().ok().and_then(|number| number.checked_mul(1 << (10 * power)));
    counted.ok_or_else(|| Problem::new(format!("`{text}` is more than 64 bits can count")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_powers_of_1024() {
        for (text, wanted) in [("0", 0), ("1K", 1024), ("3M", 3 << 20), ("2g", 2 << 30), ("1T", 1 << 40)] {
            assert_eq!(bytes(text).unwrap(), wanted, "{text}");
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for text in ["", "M", "-1", "+1", "1.5G", "1 G", "1GB", "0x10", "1Mi", "１"] {
            assert!(bytes(text).unwrap_err().message.contains("is not a number of bytes"), "{text}");
        }
        for text in ["99999999999999999999", "18446744073709551615K"] {
            assert!(bytes(text).unwrap_err().message.contains("more than 64 bits"), "{text}");
        }
    }
}
