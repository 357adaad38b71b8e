//! The tables: which record bounds which, and how they are written.

use crate::bounds::{self, Reading};
use crate::shape::{EX2, LG2, RCP, RSQ, Row, SIN, SQRT, Shape};
use std::fmt::Write;

/// A table of one function, or of two for even and odd exponents.
pub struct Table {
    /// Name of its file.
    pub file: &'static str,
    /// What it is for.
    pub about: &'static str,
    /// How its rows are used.
    pub shape: &'static Shape,
    /// The records that bound the rows of each part, and how to read them.
    pub parts: &'static [&'static [(&'static str, Reading)]],
}

pub const TABLES: &[Table] = &[
    Table {
        file: "rcp",
        about: "Coefficients of the reciprocal, by the upper 7 bits of the fraction.",
        shape: &RCP,
        parts: &[&[("rcp", bounds::direct)]],
    },
    Table {
        file: "sqrt",
        about: "Coefficients of the square root, by the upper 6 bits of the fraction: even exponents, then odd ones.",
        shape: &SQRT,
        parts: &[&[("sqrt_even", bounds::direct)], &[("sqrt_odd", bounds::direct)]],
    },
    Table {
        file: "rsq",
        about: "Coefficients of the square root's reciprocal, by the upper 6 bits of the fraction: even exponents, then odd ones.",
        shape: &RSQ,
        parts: &[&[("rsqrt_even", bounds::but_one)], &[("rsqrt_odd", bounds::direct)]],
    },
    Table {
        file: "lg2",
        about: "Coefficients of the logarithm, by the upper 6 bits of the fraction.",
        shape: &LG2,
        parts: &[&[("lg2", bounds::logarithm), ("lg2_below_1", bounds::logarithm_below_1)]],
    },
    Table {
        file: "ex2",
        about: "Coefficients of the power of two, by the upper 6 bits of the exponent's fraction.",
        shape: &EX2,
        parts: &[&[("ex2", bounds::power), ("ex2_negative", bounds::power_below_0)]],
    },
    Table {
        file: "sin",
        about: "Coefficients of the sine, by the upper 6 bits of the fraction of a quarter turn.",
        shape: &SIN,
        parts: &[&[
            ("sin", bounds::sine),
            ("sin_below_1", bounds::sine),
            ("sin_below_half", bounds::sine),
            ("sin_2_to_4", bounds::sine),
        ]],
    },
];

/// The source of a table.
pub fn text(table: &Table, rows: &[Row]) -> String {
    let mut text = format!(
        "//! {}\n//! Found from a device's results by `examples/coefficients`.\nuse super::super::shape::Row;\n\n\
         #[rustfmt::skip]\npub static ROWS: [Row; {}] = [\n",
        table.about,
        rows.len()
    );
    for row in rows.chunks(4) {
        let cells: Vec<String> = row.iter().map(|[a, b, c]| format!("[{a:#x}, {b:#x}, {c:#x}],")).collect();
        let _ = writeln!(text, "    {}", cells.join(" "));
    }
    text + "];\n"
}
