//! Products of integers and of single bits: exact sums, of which the low 32 bits are kept or which are clamped once.

use super::form::Form;
use crate::types::{Bits, Ty};
use crate::words::Word;

const S32: Ty = Ty { kind: crate::types::Kind::Signed, bits: 32, lanes: 1 };

/// The sum of the products and C.
pub(super) fn sum(form: &Form, a: &[Bits], b: &[Bits], c: Bits) -> Bits {
    let value = |word: Word, bits: Bits| word.ty().map_or(0, |ty| ty.value(bits));
    let products = a.iter().zip(b).map(|(a, b)| value(form.a, *a) * value(form.b, *b));
    let sum = S32.value(c) + products.sum::<i128>();
    S32.wrap(if form.clamped { S32.clamp(sum) } else { sum })
}

/// C and the number of ones in the combined bits.
pub(super) fn ones(form: &Form, a: &[Bits], b: &[Bits], c: Bits) -> Bits {
    let combined = a.iter().zip(b).map(|(a, b)| if form.combine == Word::Xor { a ^ b } else { a & b });
    S32.wrap(S32.value(c) + combined.map(|bits| i128::from(bits.count_ones())).sum::<i128>())
}
