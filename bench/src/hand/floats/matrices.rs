//! F2 and F10 by hand: tiles of 6 rows in registers, the second matrix packed as wide as a tile. Each sum is taken in order of depth, with
//! one rounding a step.

use super::vector::Vector;
use crate::buffer::Buffer;
use crate::case::Case;

const ROWS: usize = 6;

/// The second matrix.
#[derive(Clone, Copy)]
enum Second<'a> {
    /// `f32`, row by row.
    Rows(&'a [u32]),
    /// Halves, column by column.
    Columns(&'a [u32]),
}

/// F2: a product of square matrices.
#[inline(always)]
pub fn product<V: Vector>(zero: V, case: &Case, out: &mut [u32]) {
    let side = case.scalars[0] as usize;
    blocked(zero, &case.inputs[0], Second::Rows(&case.inputs[1]), side, side, out);
}

/// F10: a product of matrices of halves, widened first.
#[inline(always)]
pub fn halves<V: Vector>(zero: V, case: &Case, out: &mut [u32]) {
    let (side, depth) = (case.scalars[0] as usize, case.scalars[1] as usize / 2);
    let mut wide = Buffer::zeroed(side * depth);
    for at in (0..wide.len()).step_by(V::COUNT) {
        zero.load_halves(&case.inputs[0], at).store(&mut wide, at);
    }
    blocked(zero, &wide, Second::Columns(&case.inputs[1]), side, depth, out);
}

/// Puts columns from one on beside each other.
#[inline(always)]
fn pack<V: Vector>(
    zero: V,
    b: Second,
    side: usize,
    depth: usize,
    column: usize,
    width: usize,
    packed: &mut [u32],
) {
    match b {
        Second::Rows(b) => {
            for (line, packed) in b.chunks_exact(side).zip(packed.chunks_exact_mut(width)) {
                for at in (0..width).step_by(V::COUNT) {
                    zero.load(line, column + at).store(packed, at);
                }
            }
        }
        Second::Columns(b) => {
            let mut words = [0; 16];
            for at in (0..depth).step_by(V::COUNT) {
                for lane in 0..width.min(side - column) {
                    zero.load_halves(b, (column + lane) * depth + at).store(&mut words, 0);
                    let places = packed[at * width + lane..].iter_mut().step_by(width);
                    places.zip(&words[..V::COUNT]).for_each(|(place, word)| *place = *word);
                }
            }
        }
    }
}

/// As many vectors a row of a tile as registers allow: 24 or 12 sums.
#[inline(always)]
fn blocked<V: Vector>(zero: V, a: &[u32], b: Second, side: usize, depth: usize, out: &mut [u32]) {
    if V::COUNT == 16 {
        panels::<V, 4>(zero, a, b, side, depth, out);
    } else {
        panels::<V, 2>(zero, a, b, side, depth, out);
    }
}

#[inline(always)]
fn panels<V: Vector, const C: usize>(
    zero: V,
    a: &[u32],
    b: Second,
    side: usize,
    depth: usize,
    out: &mut [u32],
) {
    let width = C * V::COUNT;
    let mut packed = Buffer::zeroed(width * depth);
    for column in (0..side).step_by(width) {
        pack(zero, b, side, depth, column, width, &mut packed);
        let mut row = 0;
        while row + ROWS <= side {
            tile::<V, ROWS, C>(zero, &a[row * depth..], depth, &packed, &mut out[row * side..], side, column);
            row += ROWS;
        }
        for row in row..side {
            tile::<V, 1, C>(zero, &a[row * depth..], depth, &packed, &mut out[row * side..], side, column);
        }
    }
}

#[inline(always)]
fn tile<V: Vector, const R: usize, const C: usize>(
    zero: V,
    a: &[u32],
    depth: usize,
    packed: &[u32],
    out: &mut [u32],
    side: usize,
    column: usize,
) {
    let a = &a[..R * depth];
    let mut sums = [[zero; C]; R];
    for (t, line) in packed.chunks_exact(C * V::COUNT).enumerate() {
        let mut b = [zero; C];
        for (v, b) in b.iter_mut().enumerate() {
            *b = zero.load(line, v * V::COUNT);
        }
        for (r, sums) in sums.iter_mut().enumerate() {
            // SAFETY: there are as many chunks as a row has words.
            let a = zero.splat(f32::from_bits(unsafe { *a.get_unchecked(r * depth + t) }));
            for (sum, b) in sums.iter_mut().zip(b) {
                *sum = a.fma(b, *sum);
            }
        }
    }
    for (r, sums) in sums.iter().enumerate() {
        let line = &mut out[r * side..][..side];
        for (v, sum) in sums.iter().enumerate() {
            sum.store(line, column + v * V::COUNT);
        }
    }
}
