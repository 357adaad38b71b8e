//! The tables of coefficients, one file a function; `examples/coefficients` writes them.

mod ex2;
mod lg2;
mod rcp;
mod rsq;
mod sin;
mod sqrt;
mod tanh;

pub(crate) use ex2::ROWS as EX2;
pub(crate) use lg2::ROWS as LG2;
pub(crate) use rcp::ROWS as RCP;
pub(crate) use rsq::ROWS as RSQ;
pub(crate) use sin::ROWS as SIN;
pub(crate) use sqrt::ROWS as SQRT;
pub(crate) use tanh::{BINADES as TANH_BINADES, ROWS as TANH};
