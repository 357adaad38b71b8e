//! Numbers of 4 bits in scaled blocks, fast: sixteen products at a time as whole numbers.

use super::architecture::Sum;
use super::decoded::{power, singles};
use super::form::Form;
use super::fused::GROUP;
use super::lanes::narrow;
use crate::words::Word;

/// The deepest product.
pub(super) const DEEPEST: usize = 128;

/// Twice the number that four bits of `.e2m1` stand for.
const TWICE: [i32; 16] = [0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12];

/// A row or column of blocks with their scales.
#[derive(Clone, Copy)]
pub(super) struct Blocks<'a> {
    elements: &'a [u64],
    scales: &'a [u64],
    kind: Word,
}

impl<'a> Blocks<'a> {
    /// One of `count` rows or columns.
    pub fn of(form: &Form, elements: &'a [u64], scales: &'a [u64], count: usize, one: usize) -> Blocks<'a> {
        let part = |all: &'a [u64]| &all[one * (all.len() / count)..][..all.len() / count];
        Blocks { elements: part(elements), scales: part(scales), kind: form.scales }
    }

    /// The scale at k: its significand in units of 2^-3, and its exponent; none where it is NaN.
    fn scale(&self, k: usize) -> Option<(i64, i32)> {
        let bits = self.scales[k * self.scales.len() / self.elements.len()] & 0xff;
        match (self.kind, bits) {
            (Word::Ue4m3, 0x7f | 0xff) | (Word::Ue8m0, 0xff) => None,
            (Word::Ue4m3, _) => {
                let (field, fraction) = ((bits >> 3 & 15) as i32, bits as i64 & 7);
                Some((fraction + if field > 0 { 8 } else { 0 }, field.max(1) - 7))
            }
            _ => Some((8, bits as i32 - 127)),
        }
    }
}

/// The sum of C and the products of a row and a column; none where infinities or NaNs are among them.
pub(super) fn add(sum: &Sum, row: Blocks, column: Blocks, c: u32) -> Option<u32> {
    let c = singles(&[c]);
    if c.special[0] != 0 {
        return None;
    }
    let mut top = (c.exponents[0] as i32).max(sum.least_exponent());
    let mut terms = [(0, 0); DEEPEST / GROUP];
    for (group, term) in terms.iter_mut().enumerate().take(row.elements.len() / GROUP) {
        let k = group * GROUP;
        let (a, b) = (row.scale(k)?, column.scale(k)?);
        let (mut any, mut total) = (0, 0);
        for (a, b) in row.elements[k..].iter().zip(&column.elements[k..]).take(GROUP) {
            let product = TWICE[(a & 15) as usize] * TWICE[(b & 15) as usize];
            any |= product;
            total += product;
        }
        *term = (i64::from(total) * a.0 * b.0, a.1 + b.1);
        // Sums that come to 0 align others, products that are all 0 do not.
        if any != 0 && a.0 * b.0 != 0 {
            top = top.max(a.1 + b.1);
        }
    }
    // Products are in units of 2^-2, scales together in units of 2^-6.
    let cut = |value: i64, left: i32| {
        let size = value.abs();
        let size = if left >= 0 { size << left.min(40) } else { size.unbounded_shr(left.unsigned_abs()) };
        if value < 0 { -size } else { size }
    };
    let products: i64 =
        terms.iter().map(|(value, exponent)| cut(*value, sum.fraction - 8 - (top - exponent))).sum();
    // Casts cut towards 0 what is no whole number.
    let unit = power(top - sum.fraction);
    let total = products + (c.values[0] / unit) as i64;
    Some(narrow(sum.result, &[total as f64 * unit])[0])
}
