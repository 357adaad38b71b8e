//! The benchmark kernels in plain Rust, one thread after the other: what a CPU does without PTX, and the judge of results.
//!
//! Functions are inlined into those that are compiled for each level of vector instructions: what the compiler makes
//! of them for the machine at hand is what is measured.

mod floats;

use crate::case::Case;
#[cfg(target_arch = "x86_64")]
use crate::level::is_avx512;
use margay_exec::Simd;

/// Runs a kernel in plain Rust compiled for a level, which the machine has.
pub fn natively<const LETTER: char, const NUMBER: u8>(level: Simd, case: &Case, out: &mut [u32]) {
    #[cfg(target_arch = "x86_64")]
    if is_avx512(level) {
        // SAFETY: the machine has the level.
        return unsafe { avx512::<LETTER, NUMBER>(case, out) };
    } else if level >= Simd::Avx2 {
        // SAFETY: as above.
        return unsafe { avx2::<LETTER, NUMBER>(case, out) };
    }
    kernel::<LETTER, NUMBER>(case, out)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512cd,avx512vbmi,avx512vnni,avx512bitalg,avx512vpopcntdq,fma,f16c,bmi1,bmi2,lzcnt,popcnt"
)]
fn avx512<const LETTER: char, const NUMBER: u8>(case: &Case, out: &mut [u32]) {
    kernel::<LETTER, NUMBER>(case, out)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
fn avx2<const LETTER: char, const NUMBER: u8>(case: &Case, out: &mut [u32]) {
    kernel::<LETTER, NUMBER>(case, out)
}

/// Known by numbers, not by functions that are handed over: those would not be inlined, and so not compiled for the level.
#[inline(always)]
fn kernel<const LETTER: char, const NUMBER: u8>(case: &Case, out: &mut [u32]) {
    match (LETTER, NUMBER) {
        ('K', 1) => sad(case, out),
        ('K', 2) => matching(case, out),
        ('K', 3) => mix(case, out),
        ('K', 4) => collatz(case, out),
        ('K', 5) => sum(case, out),
        ('K', 6) => product(case, out),
        ('K', 7) => histogram(case, out),
        ('K', 8) => sha256(case, out),
        ('F', 1) => floats::saxpy(case, out),
        ('F', 2) => floats::product(case, out),
        ('F', 3) => floats::softmax(case, out),
        ('F', 4) => floats::layer_norm(case, out),
        ('F', 5) => floats::bodies(case, out),
        ('F', 6) => floats::options(case, out),
        ('F', 7) => floats::mandelbrot(case, out),
        ('F', 8) => floats::convolution(case, out),
        ('F', 9) => floats::bytes(case, out),
        ('F', 10) => floats::halves(case, out),
        ('A', 1) => floats::each(f32::exp2, case, out),
        ('A', 2) => floats::each(f32::log2, case, out),
        ('A', 3) => floats::each(|x| 1.0 / x.sqrt(), case, out),
        _ => unreachable!("there is no kernel {LETTER}{NUMBER}"),
    }
}

/// Sum of absolute differences of four bytes.
#[inline(always)]
fn sad4(a: u32, b: u32) -> u32 {
    let (a, b) = (a.to_le_bytes(), b.to_le_bytes());
    (0..4).map(|k| u32::from(a[k].abs_diff(b[k]))).sum()
}

/// Sum of products of four signed bytes, added to a word.
#[inline(always)]
fn dot4(a: u32, b: u32, c: u32) -> u32 {
    let (a, b) = (a.to_le_bytes(), b.to_le_bytes());
    let dot: i32 = (0..4).map(|k| i32::from(a[k] as i8) * i32::from(b[k] as i8)).sum();
    c.wrapping_add(dot as u32)
}

/// K1: one sum of absolute differences a thread.
#[inline(always)]
fn sad(case: &Case, out: &mut [u32]) {
    let [a, b, c] = &case.inputs[..] else { unreachable!("K1 has three inputs") };
    let n = out.len();
    let (a, b, c) = (&a[..n], &b[..n], &c[..n]);
    for i in 0..n {
        out[i] = c[i].wrapping_add(sad4(a[i], b[i]));
    }
}

/// K2: the least of four sums over 16 rows of four words.
#[inline(always)]
fn matching(case: &Case, best: &mut [u32]) {
    let (current, reference) = (&case.inputs[0], &case.inputs[1]);
    let pitch = case.scalars[0] as usize;
    for (i, best) in best.iter_mut().enumerate() {
        let mut least = u32::MAX;
        for candidate in 0..4 {
            let mut sum = 0u32;
            for row in 0..16 {
                let at = i + row * pitch;
                let (x, y) = (&current[at..at + 4], &reference[at + candidate..at + candidate + 4]);
                for w in 0..4 {
                    sum = sum.wrapping_add(sad4(x[w], y[w]));
                }
            }
            least = least.min(sum);
        }
        *best = least;
    }
}

/// K3: rounds of integer and video instructions in registers.
#[inline(always)]
fn mix(case: &Case, out: &mut [u32]) {
    for (i, out) in out.iter_mut().enumerate() {
        let i = i as u32;
        let (mut x, mut y, mut acc) = (i.wrapping_mul(2_654_435_761).wrapping_add(1), !i, 0u32);
        for _ in 0..case.scalars[0] {
            let m = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let s = y.rotate_left(7);
            let l = (m & s) | (m & acc) | (s & acc);
            let f = ((l << 16) as i32 >> 21) as u32;
            let (mb, sb) = (m.to_le_bytes(), s.to_le_bytes());
            let v: [u8; 4] = std::array::from_fn(|k| (mb[k] as i8).saturating_add(sb[k] as i8) as u8);
            let lb = l.to_le_bytes();
            let less = (0..4).filter(|k| (v[*k] as i8) < lb[*k] as i8).count() as u32;
            let v = u32::from_le_bytes(v);
            acc = dot4(v, m, acc.wrapping_add(less)).wrapping_add(v.count_ones()).wrapping_add(f);
            x = m ^ acc;
            y = s.wrapping_add(l);
        }
        *out = acc ^ x ^ y;
    }
}

/// K4: Collatz steps.
#[inline(always)]
fn collatz(case: &Case, out: &mut [u32]) {
    for (out, value) in out.iter_mut().zip(case.inputs[0].iter()) {
        let (mut v, mut steps) = (u64::from(*value), 0);
        while v > 1 {
            v = if v & 1 == 1 { 3 * v + 1 } else { v >> 1 };
            steps += 1;
        }
        *out = steps;
    }
}

/// K5: the sum of all words, added to the output.
#[inline(always)]
fn sum(case: &Case, out: &mut [u32]) {
    out[0] = case.inputs[0].iter().fold(out[0], |sum, word| sum.wrapping_add(*word));
}

/// K6: products of rows of signed bytes.
#[inline(always)]
fn product(case: &Case, out: &mut [u32]) {
    rows_by_rows(case, case.scalars[0] as usize, case.scalars[1] as usize, out);
}

#[inline(always)]
fn rows_by_rows(case: &Case, side: usize, depth: usize, out: &mut [u32]) {
    for (a, out) in case.inputs[0].chunks_exact(depth).zip(out.chunks_exact_mut(side)) {
        for (b, out) in case.inputs[1].chunks_exact(depth).zip(out) {
            *out = a.iter().zip(b).fold(0, |sum, (a, b)| dot4(*a, *b, sum));
        }
    }
}

/// K7: how often each byte occurs, added to the output.
#[inline(always)]
fn histogram(case: &Case, bins: &mut [u32]) {
    for word in case.inputs[0].iter() {
        for byte in word.to_le_bytes() {
            bins[usize::from(byte)] += 1;
        }
    }
}

/// SHA-256's round constants (FIPS 180-4, 4.2.2).
pub const ROUND: [u32; 64] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];

/// SHA-256's first hash value (FIPS 180-4, 5.3.3).
pub const START: [u32; 8] =
    [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19];

/// K8: SHA-256 of blocks of 16 words that are padded already.
#[inline(always)]
fn sha256(case: &Case, digests: &mut [u32]) {
    for (block, digest) in case.inputs[0].chunks_exact(16).zip(digests.chunks_exact_mut(8)) {
        let mut w: [u32; 16] = std::array::from_fn(|t| block[t]);
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = START;
        for t in 0..64 {
            if t >= 16 {
                let (x, y) = (w[(t + 1) & 15], w[(t + 14) & 15]);
                let low = x.rotate_right(7) ^ x.rotate_right(18) ^ x >> 3;
                let high = y.rotate_right(17) ^ y.rotate_right(19) ^ y >> 10;
                w[t & 15] = w[t & 15].wrapping_add(low).wrapping_add(w[(t + 9) & 15]).wrapping_add(high);
            }
            let big = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
            let choice = e & f ^ !e & g;
            let first = [big, choice, ROUND[t], w[t & 15]].iter().fold(h, |sum, x| sum.wrapping_add(*x));
            let big = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
            let second = big.wrapping_add(a & b ^ a & c ^ b & c);
            (h, g, f, e) = (g, f, e, d.wrapping_add(first));
            (d, c, b, a) = (c, b, a, first.wrapping_add(second));
        }
        for (out, (start, end)) in digest.iter_mut().zip(START.iter().zip([a, b, c, d, e, f, g, h])) {
            *out = start.wrapping_add(end);
        }
    }
}
