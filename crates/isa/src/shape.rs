//! Shapes of matrices as words: `.m8n8`, `.m16n8k16`, `.m64n256k32` and kin.

use std::fmt;

/// How many rows and columns the matrices of an instruction have, as its word says: A is `m` by `k`, B `k` by `n`, C and D `m`
/// by `n`. Where the word names no `k`, for one matrix of `m` by `n`, that is 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MatrixShape {
    /// Rows of A and of the result.
    pub m: u16,
    /// Columns of B and of the result.
    pub n: u16,
    /// Columns of A and rows of B.
    pub k: u16,
}

impl MatrixShape {
    /// Reads `m8n8` or `m16n8k16`: numbers without leading zeros, below 10,000.
    pub fn parse(text: &str) -> Option<MatrixShape> {
        let (m, rest) = text.strip_prefix('m')?.split_once('n')?;
        let (n, k) = match rest.split_once('k') {
            Some((n, k)) => (n, number(k)?),
            None => (rest, 0),
        };
        Some(MatrixShape { m: number(m)?, n: number(n)?, k })
    }
}

fn number(text: &str) -> Option<u16> {
    let canonical = text.len() <= 4 && text.bytes().all(|b| b.is_ascii_digit()) && !text.starts_with('0');
    text.parse().ok().filter(|_| canonical)
}

impl fmt::Display for MatrixShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "m{}n{}", self.m, self.n)?;
        if self.k > 0 { write!(f, "k{}", self.k) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_prints_as_it_was_read() {
        for text in ["m8n8", "m16n8k16", "m64n256k32"] {
            assert_eq!(MatrixShape::parse(text).map(|s| s.to_string()).as_deref(), Some(text));
        }
        for text in ["m8", "m08n8", "m8n8k", "m8n8k0", "mn8", "m8n8k16x", "m99999n8", "min"] {
            assert_eq!(MatrixShape::parse(text), None, "{text}");
        }
    }
}
