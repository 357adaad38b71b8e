//! The benchmark kernels in plain Rust, one thread after the other: what a CPU does without PTX, and the judge of results.

/// Sum of absolute differences of four bytes.
fn sad4(a: u32, b: u32) -> u32 {
    let (a, b) = (a.to_le_bytes(), b.to_le_bytes());
    (0..4).map(|k| u32::from(a[k].abs_diff(b[k]))).sum()
}

/// K1: one sum of absolute differences a thread.
pub fn sad(a: &[u32], b: &[u32], c: &[u32], out: &mut [u32]) {
    for i in 0..out.len() {
        out[i] = c[i].wrapping_add(sad4(a[i], b[i]));
    }
}

/// K2: the least of four sums over 16 rows of four words.
pub fn matching(current: &[u32], reference: &[u32], best: &mut [u32], pitch: usize) {
    for (i, best) in best.iter_mut().enumerate() {
        let sum = |candidate: usize| -> u32 {
            let words = (0..16).flat_map(|row| (0..4).map(move |w| i + row * pitch + w));
            words.map(|at| sad4(current[at], reference[at + candidate])).sum()
        };
        *best = (0..4).map(sum).min().unwrap_or(u32::MAX);
    }
}

/// K3: rounds of integer and video instructions in registers.
pub fn mix(out: &mut [u32], rounds: u32) {
    for (i, out) in out.iter_mut().enumerate() {
        let i = i as u32;
        let (mut x, mut y, mut acc) = (i.wrapping_mul(2_654_435_761).wrapping_add(1), !i, 0u32);
        for _ in 0..rounds {
            let m = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let s = y.rotate_left(7);
            let l = (m & s) | (m & acc) | (s & acc);
            let f = ((l << 16) as i32 >> 21) as u32;
            let (mb, sb) = (m.to_le_bytes(), s.to_le_bytes());
            let v: [u8; 4] = std::array::from_fn(|k| (mb[k] as i8).saturating_add(sb[k] as i8) as u8);
            let lb = l.to_le_bytes();
            let less = (0..4).filter(|k| (v[*k] as i8) < lb[*k] as i8).count() as u32;
            let e = acc.wrapping_add(less);
            let dot: i32 = (0..4).map(|k| i32::from(v[k] as i8) * i32::from(mb[k] as i8)).sum();
            let d = e.wrapping_add(dot as u32);
            acc = d.wrapping_add(u32::from_le_bytes(v).count_ones()).wrapping_add(f);
            x = m ^ acc;
            y = s.wrapping_add(l);
        }
        *out = acc ^ x ^ y;
    }
}

/// K4: Collatz steps.
pub fn collatz(input: &[u32], out: &mut [u32]) {
    for (out, value) in out.iter_mut().zip(input) {
        let (mut v, mut steps) = (u64::from(*value), 0);
        while v > 1 {
            v = if v & 1 == 1 { 3 * v + 1 } else { v >> 1 };
            steps += 1;
        }
        *out = steps;
    }
}
