//! Numbers and what they count, in words that agree.

use std::fmt::Display;

/// A number and a noun, which is in the plural unless the number is 1.
///
/// ```
/// use margay::count::counted;
/// assert_eq!(counted(1, "byte"), "1 byte");
/// assert_eq!(counted(0, "byte"), "0 bytes");
/// assert_eq!(counted(2u64, "mismatch"), "2 mismatches");
/// ```
pub fn counted(number: impl Copy + Display + TryInto<u64>, noun: &str) -> String {
    let plural = match noun {
        _ if number.try_into().is_ok_and(|n| n == 1) => "",
        _ if noun.ends_with("ch") => "es",
        _ => "s",
    };
    format!("{number} {noun}{plural}")
}
