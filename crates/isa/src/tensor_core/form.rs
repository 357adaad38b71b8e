//! What matters to the arithmetic of a product.

use crate::float::Mode;
use crate::shape::MatrixShape;
use crate::words::Word;

/// What of an instruction matters to the arithmetic of a product D = A·B + C.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Form {
    /// Rows, columns and depth.
    pub shape: MatrixShape,
    /// The type of D.
    pub d: Word,
    /// The type of A's elements.
    pub a: Word,
    /// The type of B's elements.
    pub b: Word,
    /// The type of C.
    pub c: Word,
    /// How products of `.f64` are rounded.
    pub rounding: Mode,
    /// Whether results are clamped to finite numbers (`.satfinite`).
    pub clamped: bool,
    /// How single bits are combined: `.xor` or `.and`, of other types `Absent`.
    pub combine: Word,
    /// The kind, where one is written.
    pub kind: Word,
    /// The type of scales, where there are scales.
    pub scales: Word,
    /// Whether only half of A's elements are stored.
    pub sparse: bool,
    /// Whether the product is computed while threads go on: by a warpgroup, or into tensor memory.
    pub asynchronous: bool,
}

impl Form {
    /// The product of these types and this depth by a warp, with nothing else chosen.
    pub fn plain(shape: MatrixShape, [d, a, b, c]: [Word; 4]) -> Form {
        Form {
            shape,
            d,
            a,
            b,
            c,
            rounding: Mode::Nearest,
            clamped: false,
            combine: Word::Absent,
            kind: Word::Absent,
            scales: Word::Absent,
            sparse: false,
            asynchronous: false,
        }
    }
}
