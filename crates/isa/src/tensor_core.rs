//! Matrix multiply-accumulate: what one element of D = A·B + C becomes, to the bits of each device's tensor cores.
//!
//! The manual leaves the arithmetic of floating-point products open. Devices differ in three numbers and in how long the sums are that
//! they round at once; [`arithmetic`] has them as data, with the [`Evidence`] for each. Where an element lies in which lane is no
//! matter here: a row of A, a column of B and an element of C give an element of D.
//!
//! ```
//! use margay_isa::{Shape, select, tensor_core::{Form, NO_SCALES, arithmetic, multiply_add}};
//! let words = ["sync", "aligned", "m16n8k8", "row", "col", "f32", "f16", "f16", "f32"];
//! let operands = [4, 2, 1, 4].map(|elements| Shape { elements, ..Shape::default() });
//! let form = Form::of(&select("mma", &words, &operands).unwrap().unwrap());
//! // 1·1 eight times, and 2^-24: an A100 cuts it off, because it has no room for it beside 8.
//! let a100 = "sm_80".parse().unwrap();
//! assert_eq!(multiply_add(&form, a100, &[0x3c00; 8], &[0x3c00; 8], NO_SCALES, 0x3380_0000), 0x4100_0000);
//! assert_eq!(arithmetic(&form, a100).evidence.to_string(), "results of A100 (sm_80), A2 (sm_86)");
//! ```

mod architecture;
mod chain;
mod decoded;
mod evidence;
mod fast;
mod form;
mod fused;
mod groups;
mod integers;
mod lanes;
mod parts;
mod plain;
mod registers;
mod sums;
mod tile;
mod workspace;

pub use architecture::{Arithmetic, Method, Narrow, Sum, arithmetic};
pub use evidence::{Devices, Evidence};
pub use fast::Multiplier;
pub use form::Form;
pub use parts::Part;
pub use registers::Product;
pub(crate) use registers::{Place, Spread};
pub use tile::Tile;
pub use workspace::Workspace;

use crate::floor::Target;
use crate::types::Bits;

/// The scales of a form that has none.
pub const NO_SCALES: [&[Bits]; 2] = [&[], &[]];

/// An element of D: what the device makes of a row of A, a column of B and an element of C.
///
/// `a` and `b` are equally long, as long as the form is deep (sparse forms: as many as are stored, and B's elements that meet them).
/// Each element is the bits of one number in its low end, and what lies above does not count: 32 bits of a `.tf32`, six of an
/// `.e3m2`, four of an `.e2m1` or `.s4`. Elements of `.b1` come in any number at once, as words of up to 128 bits.
/// `scales` are those of the row of A and of the column of B: each stands for as many elements as the others ([`NO_SCALES`] where
/// the form has none).
pub fn multiply_add(
    form: &Form,
    device: Target,
    a: &[Bits],
    b: &[Bits],
    scales: [&[Bits]; 2],
    c: Bits,
) -> Bits {
    let Arithmetic { method, .. } = arithmetic(form, device);
    match method {
        Method::Integers => integers::sum(form, a, b, c),
        Method::Ones => integers::ones(form, a, b, c),
        Method::Chain => chain::fused(form, a, b, c),
        Method::Scalars => chain::scalars(form, a, b, c),
        Method::Sums(sum) => fused::sums(form, &sum, a, b, c),
        Method::Halves(sum) => fused::halves(form, &sum, a, b, c),
        Method::Scaled(sum) => fused::scaled(form, &sum, a, b, scales, c),
        Method::ScaledGroups(sum) => fused::scaled_groups(form, &sum, a, b, scales, c),
    }
}
