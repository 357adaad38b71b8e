//! Which results a row of a table allows: the one that is printed there, any NaN, or all between two.

use std::fmt;

use margay::problem::Problem;
use margay_isa::float::{Format, Real};
use margay_isa::{Bits, Semantics, Ty};

use super::vectors::hex;
use crate::command::table::Row;

/// The columns that say so, where a table has them.
pub struct Bounds {
    lo: Option<usize>,
    hi: Option<usize>,
    nan: Option<usize>,
}

/// What one row says.
pub struct Allowed {
    any_nan: bool,
    between: Between,
}

enum Between {
    /// Only the result of the row.
    Nothing,
    /// What lies from one number to another, both included.
    These(Bits, Bits),
    /// Every number: the manual names no bound.
    All,
}

impl Bounds {
    /// Those of a table that is compared by its column `expect`. Bounds of approximate functions concern a device's
    /// concern a device's results.
    pub fn of(columns: &[String], expect: &str, semantics: Semantics) -> Bounds {
        let column = |name: &str, asked: bool| columns.iter().position(|other| asked && other == name);
        let exact = matches!(expect, "doc" | "ptxas");
        let device = expect == "doc" && semantics == Semantics::Manual;
        Bounds { lo: column("lo", device), hi: column("hi", device), nan: column("nan", exact) }
    }

    /// What a row allows beside its result.
    pub fn of_row(&self, row: &Row) -> Result<Allowed, Problem> {
        let cell = |column: Option<usize>| -> Result<&[u8], Problem> {
            let Some(column) = column else { return Ok(b"-") };
            let [cell] = row.cells([column])?;
            Ok(cell)
        };
        let number = |cell: &[u8]| {
            let wrong = || {
                row.problem(format!("`{}` is not a hex number", String::from_utf8_lossy(cell)))
                    .help("write `0x` and hex digits")
            };
            hex(cell).ok_or_else(wrong)
        };
        let between = match (cell(self.lo)?, cell(self.hi)?) {
            (b"-", _) | (_, b"-") => Between::Nothing,
            (b"any", _) | (_, b"any") => Between::All,
            (lo, hi) => Between::These(number(lo)?, number(hi)?),
        };
        let any_nan = match cell(self.nan)? {
            b"any" => true,
            b"-" | b"canon" => false,
            other => {
                let other = String::from_utf8_lossy(other);
                return Err(
                    row.problem(format!("`{other}` in column `nan` is none of `any`, `canon` and `-`"))
                );
            }
        };
        Ok(Allowed { any_nan, between })
    }
}

impl Allowed {
    /// Whether a result is allowed, element by element, where another is in the row.
    pub fn has(&self, ty: Ty, result: Bits, expected: Bits) -> bool {
        let Some(format) = Format::of(ty.element()) else { return result == expected };
        let element = |bits: Bits, at: u32| bits >> (at * ty.bits) & ty.element().mask();
        (0..ty.lanes).all(|at| {
            let (result, expected) = (element(result, at), element(expected, at));
            let nans = (format.is_nan(result), format.is_nan(expected));
            match self.between {
                _ if result == expected => true,
                _ if nans == (true, true) => self.any_nan,
                _ if nans != (false, false) => false,
                Between::Nothing => false,
                Between::All => true,
                Between::These(lo, hi) => {
                    let [lo, result, hi] =
                        [element(lo, at), result, element(hi, at)].map(|bits| format.decode(bits));
                    no_more(lo, result) && no_more(result, hi)
                }
            }
        })
    }
}

/// Whether a number is at most another; zeros of both signs are equal.
fn no_more(a: Real, b: Real) -> bool {
    a.compare(b).is_some_and(|order| order.is_le())
}

impl fmt::Display for Allowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.between {
            Between::These(lo, hi) => write!(f, ", nor from {lo:#x} to {hi:#x}"),
            Between::Nothing | Between::All => Ok(()),
        }
    }
}
