//! Products that are no sums of many terms at once, but chains of operations that round one after the other.

use super::form::Form;
use crate::float::{F16, F32, F64, Format, Mode, Real, encode};
use crate::types::Bits;
use crate::words::Word;

/// `.f64`: each product is added to what came before and rounded, in the order of k.
pub(super) fn fused(form: &Form, a: &[Bits], b: &[Bits], c: Bits) -> Bits {
    a.iter().zip(b).fold(c, |c, (a, b)| {
        let exact = F64.decode(*a).times(F64.decode(*b)).plus(F64.decode(c));
        encode(&F64, form.rounding, false, exact, &[*b, c, *a])
    })
}

/// `.m8n8k4` of small types where devices have no instruction for it: the code that ptxas makes adds in `.f32`. Sums in `.f32` add
/// C last; sums in `.f16` add the products by twos, the second two to C and the first two, and round once more.
pub(super) fn scalars(form: &Form, a: &[Bits], b: &[Bits], c: Bits) -> Bits {
    let value = |word: Word, bits: Bits| {
        Format::named(word).map_or(Real::Zero { negative: false }, |f| f.decode(bits))
    };
    let single = |exact: Real| F32.decode(encode(&F32, Mode::Nearest, false, exact, &[]));
    let product = |k: usize| value(form.a, a[k]).times(value(form.b, b[k]));
    let zero = Real::Zero { negative: false };
    let c = value(form.c, c);
    let chain = |from: usize, to: usize| {
        (from..to).fold(None, |sum: Option<Real>, k| {
            Some(single(sum.map_or(product(k), |sum| product(k).plus(sum))))
        })
    };
    if form.d == Word::F16 {
        let halves = [chain(0, 2), chain(2, 4)].map(|half| half.unwrap_or(zero));
        let sum = single(single(c.plus(halves[0])).plus(halves[1]));
        encode(&F16, Mode::Nearest, false, sum, &[])
    } else {
        let products = (0..a.len()).fold(zero, |sum, k| single(product(k).plus(sum)));
        encode(&F32, Mode::Nearest, false, c.plus(products), &[])
    }
}
