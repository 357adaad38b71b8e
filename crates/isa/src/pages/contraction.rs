//! Which instructions contraction concerns (manual, 9.7.3: without a rounding word, `mul` and `add` may become one `fma`), and what they become.

use super::arithmetic::arithmetic;
use crate::contraction::Part;
use crate::prelude::*;
use crate::select::{Shape, select};

/// Of pages that multiply.
pub(super) fn product(i: &Inst) -> Option<Part> {
    (!i.has(Slot::Rnd) && !i.has(Slot::Sat)).then_some(Part::Product)
}

/// Of pages that add.
pub(super) fn sum(i: &Inst) -> Option<Part> {
    (!i.has(Slot::Rnd)).then_some(Part::Sum)
}

/// Of pages that subtract.
pub(super) fn difference(i: &Inst) -> Option<Part> {
    (!i.has(Slot::Rnd)).then_some(Part::Difference)
}

/// What a product and a sum become.
#[derive(Clone, Copy)]
pub struct Fused {
    /// The instruction, on `a` and `b` of the product and on what is added.
    pub inst: Inst,
    /// Its meaning; it minds the signs that product and addend have in the sum.
    pub meaning: fn(&Inst, &Args, &mut Trace) -> Bits,
}

/// What a sum or difference becomes of which an operand is a product that is not rounded; `negated` says of the product and of
/// what is added whether their signs change.
///
/// ```
/// use margay_isa::{Shape, Trace, fused, select};
/// let sum = select("sub", &["f64"], &[Shape::default(); 3]).unwrap().unwrap();
/// let fused = fused(&sum, (false, true)).unwrap();
/// assert_eq!(fused.inst.to_string(), "fma.rn.f64");
/// let [a, c] = [1.0 + f64::EPSILON, 1.0 + 2.0 * f64::EPSILON].map(|x: f64| u128::from(x.to_bits()));
/// let d = (fused.meaning)(&fused.inst, &[a, a, c, 0, 0, 0, 0, 0], &mut Trace::off());
/// assert_eq!(f64::from_bits(d as u64), f64::EPSILON * f64::EPSILON);
/// ```
pub fn fused(sum: &Inst, negated: (bool, bool)) -> Option<Fused> {
    let ty = sum[Slot::Type].to_string();
    let mut words = vec!["rn"];
    words.extend(sum.has(Slot::Ftz).then_some("ftz"));
    words.extend(sum.has(Slot::Sat).then_some("sat"));
    words.push(&ty);
    let inst = select("fma", &words, &[Shape::default(); 4])?.ok()?;
    let meaning = match negated {
        (false, false) => spec::<false, false>,
        (false, true) => spec::<false, true>,
        (true, false) => spec::<true, false>,
        (true, true) => spec::<true, true>,
    };
    Some(Fused { inst, meaning })
}

fn spec<const PRODUCT: bool, const ADDEND: bool>(i: &Inst, args: &Args, trace: &mut Trace) -> Bits {
    let name = match (PRODUCT, ADDEND) {
        (false, false) => "a * b + c",
        (false, true) => "a * b - c",
        (true, false) => "c - a * b",
        (true, true) => "-(a * b) - c",
    };
    arithmetic(i, args, trace, name, |[a, b, c]| {
        let product = a.times(b);
        let product = if PRODUCT { product.negated() } else { product };
        product.plus(if ADDEND { c.negated() } else { c })
    })
}
