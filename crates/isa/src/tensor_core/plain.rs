//! Products that plain arithmetic of the machine gives, fast: integers, single bits, chains of rounded operations.

use super::decoded::Fields;
use super::form::Form;
use super::lanes::half_of;
use super::workspace::{DEEPEST, LANES, Lined, MOST, Workspace};
use crate::float::F16;
use crate::words::Word;

/// D in place of C, of integers of at most 8 bits.
#[inline(always)]
pub(super) fn integers(form: &Form, lined: &Lined, work: &mut Workspace) {
    let Lined { depth, columns, swapped, .. } = *lined;
    let (of_along, of_across) = if swapped { (form.b, form.a) } else { (form.a, form.b) };
    let along = &mut work.along_numbers.exponents;
    numbers(of_along, &work.along[..lined.blocks * depth * LANES], along);
    numbers(of_across, &work.across[..depth * columns], &mut work.across_numbers.exponents);
    let lines = along.as_chunks::<LANES>().0;
    let sums = work.sums.as_chunks_mut::<LANES>().0;
    for block in 0..lined.blocks {
        for n in 0..columns {
            // Sums of so many products are below 2^24: single precision holds them, and all vector units multiply it.
            let mut products = [0.0; LANES];
            for k in 0..depth {
                let factor = work.across_numbers.exponents[(k * columns + n) % MOST];
                let line = &lines[(block * depth + k) % (MOST / LANES)];
                for l in 0..LANES {
                    products[l] += line[l] * factor;
                }
            }
            let c = &mut sums[block * columns + lined.sums_line(n)];
            if form.clamped {
                (0..LANES).for_each(|l| c[l] = (c[l] as i32).saturating_add(products[l] as i32) as u32);
            } else {
                (0..LANES).for_each(|l| c[l] = c[l].wrapping_add(products[l] as i32 as u32));
            }
        }
    }
}

/// The integers that patterns stand for.
#[inline(always)]
fn numbers(word: Word, patterns: &[u32], to: &mut [f32; MOST]) {
    let (unused, signed) = word.ty().map_or((0, true), |ty| (32 - ty.bits, ty.signed()));
    if signed {
        to.iter_mut().zip(patterns).for_each(|(to, bits)| *to = ((bits << unused) as i32 >> unused) as f32);
    } else {
        to.iter_mut().zip(patterns).for_each(|(to, bits)| *to = (bits << unused >> unused) as i32 as f32);
    }
}

/// D in place of C: the number of ones in combined words of 32 bits.
#[inline(always)]
pub(super) fn ones(form: &Form, lined: &Lined, work: &mut Workspace) {
    let differ = form.combine == Word::Xor;
    let lines = work.along.as_chunks::<LANES>().0;
    let sums = work.sums.as_chunks_mut::<LANES>().0;
    for block in 0..lined.blocks {
        for n in 0..lined.columns {
            let c = &mut sums[block * lined.columns + lined.sums_line(n)];
            for k in 0..lined.depth {
                let word = work.across[(k * lined.columns + n) % MOST];
                let line = &lines[(block * lined.depth + k) % (MOST / LANES)];
                for l in 0..LANES {
                    let combined = if differ { line[l] ^ word } else { line[l] & word };
                    c[l] = c[l].wrapping_add(combined.count_ones());
                }
            }
        }
    }
}

/// D in place of C, of `.f16` in chains of `.f32`, except where infinities or NaNs are added; whether they are. Products are exact.
#[inline(always)]
pub(super) fn scalars(form: &Form, lined: &Lined, work: &mut Workspace) -> bool {
    let half = Fields::of(&F16, F16.least_exponent());
    let single = |bits: u32, word: Word| {
        if word == Word::F16 { half.decode(&[bits]).values[0] as f32 } else { f32::from_bits(bits) }
    };
    let Lined { depth, columns, blocks, .. } = *lined;
    let mut any = false;
    for block in 0..blocks {
        for at in 0..columns * LANES {
            let (n, l) = (at / LANES, at % LANES);
            let mut products = [0.0; DEEPEST];
            let mut special = 0;
            for (k, product) in products.iter_mut().enumerate().take(depth) {
                let line = lined.line(k);
                let bits = [work.along[(block * depth + line) * LANES + l], work.across[line * columns + n]];
                let numbers = half.decode(&bits);
                *product = numbers.values[0] as f32 * numbers.values[1] as f32;
                special |= numbers.special[0] | numbers.special[1];
            }
            let at = (block * columns + lined.sums_line(n)) * LANES + l;
            let c = single(work.sums[at], form.c);
            let d = if form.d == Word::F16 {
                let (first, second) = (products[1] + products[0], products[3] + products[2]);
                half_of((c + first + second).to_bits())
            } else {
                let products = products[..depth].iter().fold(0.0, |sum, product| product + sum);
                (c + products).to_bits()
            };
            let exponents = if form.c == Word::F16 { 0x7c00 } else { 0x7f80_0000 };
            let odd = special != 0 || work.sums[at] & exponents == exponents;
            work.odd[at] = odd.into();
            if !odd {
                work.sums[at] = d;
            }
            any |= odd;
        }
    }
    any
}

/// A chain of multiply-adds of `.f64`, each rounded to nearest; none where NaN comes of it.
pub(super) fn chain(row: &[u64], column: &[u64], c: u64) -> Option<u64> {
    let number = f64::from_bits;
    let d = row.iter().zip(column).fold(number(c), |c, (a, b)| number(*a).mul_add(number(*b), c));
    (!d.is_nan()).then_some(d.to_bits())
}
