//! Comparisons of affine values, for each thread: by their ends where these tell, and once for what repeats.

use crate::batch::affine::{AXES, AffineValue, compare};
use margay_isa::uop::{Cmp, Type};

/// Bits of a word.
const WORD: usize = u32::BITS as usize;

/// In which threads a comparison of values of a type holds: sets a bit for each of these, in the order of threads. Other bits stay.
///
/// # Panics
/// If there are fewer bits than threads.
pub(crate) fn compare_each(of: (Cmp, Type), [a, b]: [AffineValue; 2], extent: [u32; AXES], bits: &mut [u32]) {
    along(of, [a, b], extent, AXES, 0, bits);
}

/// The same of the threads that lie along the first axes only; their bits begin at one.
fn along(
    (cmp, ty): (Cmp, Type),
    [a, b]: [AffineValue; 2],
    extent: [u32; AXES],
    axes: usize,
    at: usize,
    bits: &mut [u32],
) {
    let within = std::array::from_fn(|axis| if axis < axes { extent[axis] } else { 1 });
    let threads = |axes: usize| extent[..axes].iter().map(|length| *length as usize).product::<usize>();
    if let Some(holds) = compare(cmp, ty, a, b, within) {
        if holds {
            put(bits, at, threads(axes), |_| u32::MAX);
        }
        return;
    }
    // One thread's values always tell.
    let (axis, length) = (axes - 1, extent[axes - 1] as usize);
    let later = |value: &AffineValue, k: usize| {
        let base = value.base.wrapping_add((value.steps[axis] as u64).wrapping_mul(k as u64));
        AffineValue { base, ..*value }
    };
    if axis == 0 {
        return put(bits, at, length, |first| {
            let holds = |k: &usize| holds(cmp, ty, [a, b].map(|value| later(&value, first + k).base));
            (0..WORD).filter(holds).fold(0, |bits, k| bits | 1 << k)
        });
    }
    let size = threads(axis);
    along((cmp, ty), [a, b], extent, axis, at, bits);
    let repeats = a.steps[axis] == 0 && b.steps[axis] == 0;
    for k in 1..length {
        let next = at + k * size;
        if !repeats {
            along((cmp, ty), [a, b].map(|value| later(&value, k)), extent, axis, next, bits);
        } else if at.is_multiple_of(WORD) && size.is_multiple_of(WORD) {
            bits.copy_within(at / WORD..(at + size) / WORD, next / WORD);
        } else {
            for first in (0..size).step_by(WORD) {
                let (count, word) = ((size - first).min(WORD), word_at(bits, at + first));
                put(bits, next + first, count, |_| word);
            }
        }
    }
}

/// A word's bits from one on; those beyond the last are 0.
fn word_at(bits: &[u32], at: usize) -> u32 {
    let word = |place: usize| u64::from(bits.get(place).copied().unwrap_or(0));
    let (place, shift) = (at / WORD, at % WORD);
    ((word(place + 1) << WORD | word(place)) >> shift) as u32
}

/// Sets so many bits from one on where a word, of those from the one with this number on, has them.
fn put(bits: &mut [u32], at: usize, count: usize, word: impl Fn(usize) -> u32) {
    for first in (0..count).step_by(WORD) {
        let left = count - first;
        let word = word(first) & if left < WORD { !(u32::MAX << left) } else { u32::MAX };
        let (place, shift) = ((at + first) / WORD, (at + first) % WORD);
        bits[place] |= word << shift;
        let rest = (u64::from(word) << shift >> WORD) as u32;
        if rest != 0 {
            bits[place + 1] |= rest;
        }
    }
}

/// Whether a comparison holds between two numbers of a type, whatever there is above it.
#[inline(always)]
fn holds(cmp: Cmp, ty: Type, values: [u64; 2]) -> bool {
    // In whose order numbers without sign are.
    let [x, y] = match (ty, cmp) {
        (Type::U64, Cmp::LtS | Cmp::LeS) => values.map(|value| value ^ 1 << 63),
        (Type::U64, _) => values,
        (_, Cmp::LtS | Cmp::LeS) => values.map(|value| u64::from(value as u32 ^ 1 << 31)),
        _ => values.map(|value| u64::from(value as u32)),
    };
    match cmp {
        Cmp::Eq => x == y,
        Cmp::Ne => x != y,
        Cmp::LtU | Cmp::LtS => x < y,
        Cmp::LeU | Cmp::LeS => x <= y,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use margay_isa::uop::{Op, eval};

    /// Every comparison, of values near each other, in threads that lie in all kinds of ways: alike along some axes, in rows that no
    /// word ends with.
    #[test]
    fn comparisons_of_affine_values_are_those_of_every_thread() {
        let mut seed = 11u64;
        let mut next = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        let cmps = [Cmp::Eq, Cmp::Ne, Cmp::LtU, Cmp::LeU, Cmp::LtS, Cmp::LeS];
        let mut parted = 0;
        for round in 0..6000 {
            let extent =
                [[32, 4, 1, 3], [5, 3, 2, 2], [64, 1, 1, 2], [1, 7, 1, 1], [40, 2, 3, 1], [32, 8, 1, 1]]
                    [round % 6];
            let ty = if next(2) == 0 { Type::U32 } else { Type::U64 };
            let cmp = cmps[next(6) as usize];
            let mut value = || {
                let base = [next(40), 0u64.wrapping_sub(next(40)), 1 << 31, (1 << 63) - next(40), 1 << 32]
                    [next(5) as usize];
                let step = |k: u64| [0, 1, -1, 32, 1 << 31, i64::MIN, 4][k as usize];
                AffineValue { base: base & ty.mask(), steps: [0; AXES].map(|_: i64| step(next(7) * next(2))) }
            };
            let [a, b] = [value(), value()];
            let b = if round % 3 == 0 { AffineValue::uniform(b.base) } else { b };
            let threads = extent.iter().product::<u32>() as usize;
            let mut bits = vec![0; threads.div_ceil(WORD) + 1];
            compare_each((cmp, ty), [a, b], extent, &mut bits);
            let op = if ty == Type::U64 { Op::Cmp64(cmp) } else { Op::Cmp32(cmp) };
            let mut count = 0;
            for t in 0..bits.len() * WORD {
                let [x, y, z, _] = extent.map(|length| length as usize);
                let place = [t % x, t / x % y, t / x / y % z, t / x / y / z].map(|at| at as u32);
                let wanted = t < threads && eval(op, [a.at(ty, place), b.at(ty, place), 0]) == 1;
                let found = bits[t / WORD] >> (t % WORD) & 1 == 1;
                assert_eq!(found, wanted, "{cmp:?} of {a:?} and {b:?} in {ty:?}, {extent:?}: thread {t}");
                count += usize::from(found);
            }
            parted += usize::from(count > 0 && count < threads);
        }
        assert!(parted > 1000, "{parted}");
    }
}
