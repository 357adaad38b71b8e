//! Floating point: formats as data, exact numbers, and the one rounding that turns the one into the other.
//!
//! A pattern is [`decode`](Format::decode)d into a [`Real`], reals are added, multiplied, divided without error, and [`round`]
//! makes a pattern of what came out. Nothing here uses the floating-point arithmetic of the
//! machine but first attempts at functions (`near`), whose errors are bounded and which decide nothing within those bounds.
//!
//! ```
//! use margay_isa::float::{BF16, F32, Mode, round};
//! // One third, to 8 significant bits.
//! let third = F32.decode(0x3f80_0000).over(F32.decode(0x4040_0000));
//! assert_eq!(round(&BF16, Mode::Nearest, false, third.finite().unwrap()), 0x3eab);
//! ```

pub(crate) mod approximate;
mod exact;
mod format;
pub(crate) mod mufu;
mod near;
mod order;
mod read;
mod real;
mod round;
pub(crate) mod rounded;
mod series;
mod show;
mod wide;

pub use exact::{Exact, Rest};
pub use format::{
    BF16, E2M1, E2M3, E3M2, E4M3, E5M2, F16, F32, F64, FORMATS, Format, Nan, Special, TF32, UE5M3, UE8M0,
};
pub use real::Real;
pub use round::{Mode, encode, round};
pub use show::{Shown, rounding};
