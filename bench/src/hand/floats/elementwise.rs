//! F1, F5 to F8 and A1 to A3 by hand: each thread's work by itself, as many threads a vector as it has lanes.

use super::vector::{Vector, exp2, log2, rsqrt};
use super::{LOGARITHM, POWER};
use crate::case::Case;
use std::f32::consts::{LN_2, LOG2_E};

/// Words of output from which on they go past the caches, which could not hold them.
const STREAM: usize = 1 << 20;

/// F1: a x + y.
#[inline(always)]
pub fn saxpy<V: Vector>(zero: V, case: &Case, out: &mut [u32]) {
    let [x, y] = &case.inputs[..] else { unreachable!("F1 has two inputs") };
    let (x, y) = (&x[..out.len()], &y[..out.len()]);
    let a = zero.splat(f32::from_bits(case.scalars[0]));
    let aligned = out.as_ptr().addr().is_multiple_of(64);
    let streamed = if aligned && out.len() >= STREAM { out.len() / V::COUNT * V::COUNT } else { 0 };
    for at in (0..streamed).step_by(V::COUNT) {
        a.fma(zero.load(x, at), zero.load(y, at)).stream(out, at);
    }
    if streamed > 0 {
        // SAFETY: every machine that has vectors has it.
        unsafe { std::arch::x86_64::_mm_sfence() };
    }
    for at in (streamed..out.len()).step_by(V::COUNT) {
        a.fma(zero.load(x, at), zero.load(y, at)).store(out, at);
    }
}

/// F5: accelerations of bodies; several groups, so that one's latencies are filled by others.
#[inline(always)]
pub fn bodies<V: Vector>(zero: V, case: &Case, out: &mut [u32]) {
    if V::COUNT == 16 {
        groups_of_bodies::<V, 4>(zero, case, out)
    } else {
        groups_of_bodies::<V, 2>(zero, case, out)
    }
}

#[inline(always)]
fn groups_of_bodies<V: Vector, const G: usize>(zero: V, case: &Case, out: &mut [u32]) {
    let bodies = &case.inputs[0];
    let n = bodies.len() / 4;
    let mut columns = [const { Vec::new() }; 3];
    for (k, column) in columns.iter_mut().enumerate() {
        column.extend(bodies.iter().skip(k).step_by(4).copied());
    }
    for first in (0..n).step_by(G * V::COUNT) {
        let mut me = [[zero; G]; 3];
        for (me, column) in me.iter_mut().zip(&columns) {
            for (g, me) in me.iter_mut().enumerate() {
                *me = zero.load(column, first + g * V::COUNT);
            }
        }
        let mut pulled = [[zero; G]; 3];
        for other in bodies.chunks_exact(4) {
            let [x, y, z, mass] = [0, 1, 2, 3].map(|k| f32::from_bits(other[k]));
            let (x, y, z, mass) = (zero.splat(x), zero.splat(y), zero.splat(z), zero.splat(mass));
            for g in 0..G {
                let (dx, dy, dz) = (x.sub(me[0][g]), y.sub(me[1][g]), z.sub(me[2][g]));
                let square = dz.fma(dz, dx.fma(dx, dy.mul(dy))).add(zero.splat(1e-3));
                let inverse = rsqrt(square);
                let pull = mass.mul(inverse).mul(inverse.mul(inverse));
                pulled[0][g] = dx.fma(pull, pulled[0][g]);
                pulled[1][g] = dy.fma(pull, pulled[1][g]);
                pulled[2][g] = dz.fma(pull, pulled[2][g]);
            }
        }
        let mut words = [0; 16];
        for (axis, groups) in pulled.iter().enumerate() {
            for (g, lanes) in groups.iter().enumerate() {
                lanes.store(&mut words, 0);
                let at = 4 * (first + g * V::COUNT) + axis;
                let places = out[at.min(4 * n)..].iter_mut().step_by(4);
                places.zip(&words[..V::COUNT]).for_each(|(place, word)| *place = *word);
            }
        }
    }
}

/// The normal distribution's integral, as the kernel approximates it.
#[inline(always)]
fn normal<V: Vector>(d: V) -> V {
    let one = d.splat(1.0);
    let k = one.div(d.abs().fma(d.splat(0.231_641_9), one));
    let mut sum = d.splat(1.330_274_4);
    for c in [-1.821_256, 1.781_477_9, -0.356_563_78, 0.319_381_53] {
        sum = sum.fma(k, d.splat(c));
    }
    let tail = d.splat(0.398_942_3).mul(exp2(d.mul(d).mul(d.splat(-0.5 * LOG2_E)))).mul(k.mul(sum));
    tail.or_else(d.less_equal(d.splat(0.0)), one.sub(tail))
}

/// F6: prices of options.
#[inline(always)]
pub fn options<V: Vector>(zero: V, case: &Case, out: &mut [u32]) {
    let [price, strike, years] = &case.inputs[..] else { unreachable!("F6 has three inputs") };
    let (calls, puts) = out.split_at_mut(price.len());
    let (rate, volatility) = (f32::from_bits(case.scalars[1]), f32::from_bits(case.scalars[2]));
    let drift = zero.splat(rate + 0.5 * volatility * volatility);
    let (volatility, one) = (zero.splat(volatility), zero.splat(1.0));
    for at in (0..calls.len()).step_by(V::COUNT) {
        let (s, x, t) = (zero.load(price, at), zero.load(strike, at), zero.load(years, at));
        let spread = volatility.mul(t.sqrt());
        let d1 = log2(s.div(x)).fma(zero.splat(LN_2), drift.mul(t)).div(spread);
        let (n1, n2) = (normal(d1), normal(d1.sub(spread)));
        let discounted = x.mul(exp2(t.mul(zero.splat(-rate * LOG2_E))));
        s.mul(n1).sub(discounted.mul(n2)).store(calls, at);
        discounted.mul(one.sub(n2)).sub(s.mul(one.sub(n1))).store(puts, at);
    }
}

/// F7: steps until points leave the circle; groups of vectors go on until the last point has left.
#[inline(always)]
pub fn mandelbrot<V: Vector>(zero: V, case: &Case, out: &mut [u32]) {
    const GROUPS: usize = 4;
    let (side, most) = (case.scalars[0] as usize, case.scalars[1]);
    let (scale, one, four) = (zero.splat(3.0 / side as f32), zero.splat(1.0), zero.splat(4.0));
    for (row, line) in out.chunks_exact_mut(side).enumerate() {
        let cy = scale.fma(zero.splat(row as f32), zero.splat(-1.5));
        for first in (0..side).step_by(GROUPS * V::COUNT) {
            let (mut cx, mut x, mut y, mut xx, mut yy) =
                ([zero; GROUPS], [zero; GROUPS], [zero; GROUPS], [zero; GROUPS], [zero; GROUPS]);
            let mut steps = [zero; GROUPS];
            let mut active = [zero.less_equal(zero); GROUPS];
            for (g, cx) in cx.iter_mut().enumerate() {
                let column = zero.ramp().add(zero.splat((first + g * V::COUNT) as f32));
                *cx = scale.fma(column, zero.splat(-2.25));
            }
            for _ in 0..most {
                let mut any = false;
                for g in 0..GROUPS {
                    y[g] = x[g].add(x[g]).fma(y[g], cy);
                    x[g] = cx[g].add(xx[g].sub(yy[g]));
                    xx[g] = x[g].mul(x[g]);
                    yy[g] = y[g].mul(y[g]);
                    steps[g] = steps[g].add(one).or_else(active[g], steps[g]);
                    active[g] = V::and(active[g], xx[g].add(yy[g]).less_equal(four));
                    any |= V::any(active[g]);
                }
                if !any {
                    break;
                }
            }
            for (g, steps) in steps.iter().enumerate() {
                steps.store_integers(line, first + g * V::COUNT);
            }
        }
    }
}

/// F8: 3 by 3 convolution of halves, each product and sum rounded to a half.
#[inline(always)]
pub fn convolution<V: Vector>(zero: V, case: &Case, out: &mut [u32]) {
    let [image, weights] = &case.inputs[..] else { unreachable!("F8 has two inputs") };
    let width = case.scalars[0] as usize;
    let pitch = width + 1;
    let mut factors = [zero; 9];
    for (factor, pair) in factors.iter_mut().zip(weights.iter()) {
        *factor = zero.load_halves(&[*pair; 8], 0);
    }
    for (row, line) in out.chunks_exact_mut(width).enumerate() {
        for at in (0..2 * width).step_by(V::COUNT) {
            let mut sum = zero;
            for (k, factor) in factors.iter().enumerate() {
                let pixels = zero.load_halves(image, 2 * (row + k / 3) * pitch + at + k % 3);
                sum = factor.fma(pixels, sum).round_to_half();
            }
            sum.store_halves(line, at / 2);
        }
    }
}

/// A1 to A3: an approximate function of each number.
#[inline(always)]
pub fn each<V: Vector, const NUMBER: u8>(zero: V, case: &Case, out: &mut [u32]) {
    for at in (0..out.len()).step_by(V::COUNT) {
        let x = zero.load(&case.inputs[0], at);
        let result = match NUMBER {
            POWER => exp2(x),
            LOGARITHM => log2(x),
            _ => rsqrt(x),
        };
        result.store(out, at);
    }
}
