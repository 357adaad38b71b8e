//! The floating-point kernels in plain Rust, one thread after the other, with the machine's arithmetic and the standard library's functions.

use crate::case::Case;
use half::f16;

/// Words as numbers, without copying.
#[inline(always)]
fn numbers(words: &[u32]) -> impl DoubleEndedIterator<Item = f32> + Clone + '_ {
    words.iter().map(|word| f32::from_bits(*word))
}

/// F1: a x + y.
#[inline(always)]
pub fn saxpy(case: &Case, out: &mut [u32]) {
    let a = f32::from_bits(case.scalars[0]);
    let both = numbers(&case.inputs[0]).zip(numbers(&case.inputs[1]));
    for (out, (x, y)) in out.iter_mut().zip(both) {
        *out = a.mul_add(x, y).to_bits();
    }
}

/// F2: a product of square matrices.
#[inline(always)]
pub fn product(case: &Case, out: &mut [u32]) {
    let side = case.scalars[0] as usize;
    let (a, b) = (&case.inputs[0], &case.inputs[1]);
    out.fill(0);
    for (row, out) in a.chunks_exact(side).zip(out.chunks_exact_mut(side)) {
        for (a, line) in numbers(row).zip(b.chunks_exact(side)) {
            for (sum, b) in out.iter_mut().zip(numbers(line)) {
                *sum = a.mul_add(b, f32::from_bits(*sum)).to_bits();
            }
        }
    }
}

/// F3: softmax of rows of 1024.
#[inline(always)]
pub fn softmax(case: &Case, out: &mut [u32]) {
    for (row, out) in case.inputs[0].chunks_exact(1024).zip(out.chunks_exact_mut(1024)) {
        let most = numbers(row).fold(f32::NEG_INFINITY, f32::max);
        let mut sum = 0.0;
        for (out, x) in out.iter_mut().zip(numbers(row)) {
            let power = (x - most).exp();
            sum += power;
            *out = power.to_bits();
        }
        out.iter_mut().for_each(|out| *out = (f32::from_bits(*out) / sum).to_bits());
    }
}

/// F4: layer norm of rows of 1024.
#[inline(always)]
pub fn layer_norm(case: &Case, out: &mut [u32]) {
    let [rows, scale, shift] = &case.inputs[..] else { unreachable!("F4 has three inputs") };
    for (row, out) in rows.chunks_exact(1024).zip(out.chunks_exact_mut(1024)) {
        let mean = numbers(row).sum::<f32>() / 1024.0;
        let squares: f32 = numbers(row).map(|x| (x - mean) * (x - mean)).sum();
        let factor = 1.0 / (squares / 1024.0 + 1e-5).sqrt();
        let operands = numbers(row).zip(numbers(scale).zip(numbers(shift)));
        for (out, (x, (scale, shift))) in out.iter_mut().zip(operands) {
            *out = ((x - mean) * factor * scale + shift).to_bits();
        }
    }
}

/// F5: accelerations of bodies that attract each other.
#[inline(always)]
pub fn bodies(case: &Case, out: &mut [u32]) {
    let body = |words: &[u32]| [0, 1, 2, 3].map(|k| f32::from_bits(words[k]));
    let bodies: Vec<[f32; 4]> = case.inputs[0].chunks_exact(4).map(body).collect();
    for (me, out) in bodies.iter().zip(out.chunks_exact_mut(4)) {
        let mut pulled = [0.0f32; 3];
        for other in &bodies {
            let [dx, dy, dz] = [0, 1, 2].map(|k| other[k] - me[k]);
            let square = dz.mul_add(dz, dx.mul_add(dx, dy * dy)) + 1e-3;
            let inverse = 1.0 / square.sqrt();
            let pull = other[3] * inverse * inverse * inverse;
            for (sum, d) in pulled.iter_mut().zip([dx, dy, dz]) {
                *sum = d.mul_add(pull, *sum);
            }
        }
        out.iter_mut().zip(pulled).for_each(|(out, sum)| *out = sum.to_bits());
    }
}

/// The normal distribution's integral, as the kernel approximates it.
#[inline(always)]
fn normal(d: f32) -> f32 {
    let k = 1.0 / d.abs().mul_add(0.231_641_9, 1.0);
    let coefficients = [1.330_274_4, -1.821_256, 1.781_477_9, -0.356_563_78, 0.319_381_53];
    let sum = coefficients.into_iter().reduce(|sum: f32, c| sum.mul_add(k, c)).unwrap_or(0.0) * k;
    let tail = 0.398_942_3 * (-0.5 * d * d).exp() * sum;
    if d > 0.0 { 1.0 - tail } else { tail }
}

/// F6: prices of options by Black and Scholes.
#[inline(always)]
pub fn options(case: &Case, out: &mut [u32]) {
    let [price, strike, years] = &case.inputs[..] else { unreachable!("F6 has three inputs") };
    let [rate, volatility] = [1, 2].map(|k| f32::from_bits(case.scalars[k]));
    let (calls, puts) = out.split_at_mut(price.len());
    let operands = numbers(price).zip(numbers(strike)).zip(numbers(years));
    for (((s, x), t), (call, put)) in operands.zip(calls.iter_mut().zip(puts)) {
        let root = t.sqrt();
        let d1 = ((s / x).ln() + (rate + 0.5 * volatility * volatility) * t) / (volatility * root);
        let (n1, n2) = (normal(d1), normal(d1 - volatility * root));
        let discounted = x * (-rate * t).exp();
        *call = (s * n1 - discounted * n2).to_bits();
        *put = (discounted * (1.0 - n2) - s * (1.0 - n1)).to_bits();
    }
}

/// F7: steps until a point leaves the circle.
#[inline(always)]
pub fn mandelbrot(case: &Case, out: &mut [u32]) {
    let (side, most) = (case.scalars[0] as usize, case.scalars[1]);
    let scale = 3.0 / side as f32;
    for (i, out) in out.iter_mut().enumerate() {
        let (cx, cy) = (scale.mul_add((i % side) as f32, -2.25), scale.mul_add((i / side) as f32, -1.5));
        let (mut x, mut y, mut xx, mut yy, mut steps) = (0.0f32, 0.0, 0.0f32, 0.0, 0);
        while steps < most && xx + yy <= 4.0 {
            y = (x + x).mul_add(y, cy);
            x = cx + (xx - yy);
            xx = x * x;
            yy = y * y;
            steps += 1;
        }
        *out = steps;
    }
}

/// The two halves of a word.
#[inline(always)]
fn pair(word: u32) -> [f32; 2] {
    [word as u16, (word >> 16) as u16].map(|bits| f16::from_bits(bits).to_f32())
}

/// F8: 3 by 3 convolution of halves, each product and sum rounded to a half.
#[inline(always)]
pub fn convolution(case: &Case, out: &mut [u32]) {
    let [image, weights] = &case.inputs[..] else { unreachable!("F8 has two inputs") };
    let width = case.scalars[0] as usize;
    let pixels: Vec<f32> = image.iter().flat_map(|word| pair(*word)).collect();
    let weights: Vec<f32> = weights.iter().map(|word| pair(*word)[0]).collect();
    for (row, line) in out.chunks_exact_mut(width).enumerate() {
        for (x, out) in line.iter_mut().enumerate() {
            let halves = [0, 1].map(|right| {
                let mut sum = f16::ZERO;
                for (k, weight) in weights.iter().enumerate() {
                    let pixel = pixels[(row + k / 3) * 2 * (width + 1) + 2 * x + right + k % 3];
                    sum = f16::from_f32(weight.mul_add(pixel, sum.to_f32()));
                }
                u32::from(sum.to_bits())
            });
            *out = halves[0] | halves[1] << 16;
        }
    }
}

/// F9: a product of matrices of signed bytes, the second one by columns.
#[inline(always)]
pub fn bytes(case: &Case, out: &mut [u32]) {
    super::rows_by_rows(case, case.scalars[0] as usize, case.scalars[1] as usize / 4, out);
}

/// F10: a product of matrices of halves, the second one by columns.
#[inline(always)]
pub fn halves(case: &Case, out: &mut [u32]) {
    let (side, depth) = (case.scalars[0] as usize, case.scalars[1] as usize / 2);
    let wide = |input: &[u32]| input.iter().flat_map(|word| pair(*word)).collect::<Vec<f32>>();
    let (a, b) = (wide(&case.inputs[0]), wide(&case.inputs[1]));
    for (a, out) in a.chunks_exact(depth).zip(out.chunks_exact_mut(side)) {
        for (b, out) in b.chunks_exact(depth).zip(out) {
            *out = a.iter().zip(b).fold(0.0f32, |sum, (a, b)| a.mul_add(*b, sum)).to_bits();
        }
    }
}

/// A1 to A3: a function of each number.
#[inline(always)]
pub fn each(function: impl Fn(f32) -> f32, case: &Case, out: &mut [u32]) {
    for (out, x) in out.iter_mut().zip(numbers(&case.inputs[0])) {
        *out = function(x).to_bits();
    }
}
