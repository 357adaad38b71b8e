//! What the environment says of how many random kernels are judged, and of the first one's seed.

/// A variable's number, or what is judged if nothing is said.
///
/// # Panics
/// If it is not a number.
pub fn said(variable: &str, default: u64) -> u64 {
    match std::env::var(variable) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{variable} is not a number: `{text}`")),
        Err(_) => default,
    }
}
