//! F3 and F4 by hand: rows of 1024, several sums beside each other.

use super::vector::{Vector, exp, rsqrt};
use crate::case::Case;

const ROW: usize = 1024;
/// Sums, and vectors taken at a time.
const SUMS: usize = 4;

/// F3: softmax of rows.
#[inline(always)]
pub fn softmax<V: Vector>(zero: V, case: &Case, out: &mut [u32]) {
    for (row, out) in case.inputs[0].chunks_exact(ROW).zip(out.chunks_exact_mut(ROW)) {
        let mut most = [zero.splat(f32::NEG_INFINITY); SUMS];
        for at in (0..ROW).step_by(SUMS * V::COUNT) {
            for (k, most) in most.iter_mut().enumerate() {
                *most = most.max(zero.load(row, at + k * V::COUNT));
            }
        }
        let most = most[0].max(most[1]).max(most[2].max(most[3]));
        let most = zero.splat(most.greatest());
        let mut sums = [zero; SUMS];
        for at in (0..ROW).step_by(SUMS * V::COUNT) {
            for (k, sum) in sums.iter_mut().enumerate() {
                let at = at + k * V::COUNT;
                let power = exp(zero.load(row, at).sub(most));
                power.store(out, at);
                *sum = sum.add(power);
            }
        }
        let share = zero.splat(1.0 / total(sums));
        for at in (0..ROW).step_by(V::COUNT) {
            zero.load(out, at).mul(share).store(out, at);
        }
    }
}

/// F4: layer norm of rows.
#[inline(always)]
pub fn layer_norm<V: Vector>(zero: V, case: &Case, out: &mut [u32]) {
    let [rows, scale, shift] = &case.inputs[..] else { unreachable!("F4 has three inputs") };
    for (row, out) in rows.chunks_exact(ROW).zip(out.chunks_exact_mut(ROW)) {
        let mut sums = [zero; SUMS];
        for at in (0..ROW).step_by(SUMS * V::COUNT) {
            for (k, sum) in sums.iter_mut().enumerate() {
                *sum = sum.add(zero.load(row, at + k * V::COUNT));
            }
        }
        let mean = zero.splat(total(sums) / ROW as f32);
        let mut squares = [zero; SUMS];
        for at in (0..ROW).step_by(SUMS * V::COUNT) {
            for (k, sum) in squares.iter_mut().enumerate() {
                let difference = zero.load(row, at + k * V::COUNT).sub(mean);
                *sum = difference.fma(difference, *sum);
            }
        }
        let factor = rsqrt(zero.splat(total(squares) / ROW as f32 + 1e-5));
        for at in (0..ROW).step_by(V::COUNT) {
            let normed = zero.load(row, at).sub(mean).mul(factor);
            normed.fma(zero.load(scale, at), zero.load(shift, at)).store(out, at);
        }
    }
}

#[inline(always)]
fn total<V: Vector>(sums: [V; SUMS]) -> f32 {
    sums[0].add(sums[1]).add(sums[2].add(sums[3])).sum()
}
