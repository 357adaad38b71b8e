//! The tables of coefficients, one file a function; `examples/coefficients` writes them.

mod ex2;
mod lg2;
mod rcp;
mod rsq;
mod sin;
mod sqrt;

pub(super) use ex2::ROWS as EX2;
pub(super) use lg2::ROWS as LG2;
pub(super) use rcp::ROWS as RCP;
pub(super) use rsq::ROWS as RSQ;
pub(super) use sin::ROWS as SIN;
pub(super) use sqrt::ROWS as SQRT;
