//! K2 by hand: 32 threads at a time, four sums each in registers, each word loaded once a row.

use super::vector::{load, sad4, store};
use crate::case::Case;
use std::arch::x86_64::*;

const GROUPS: usize = 2;

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub fn matching(case: &Case, best: &mut [u32]) {
    let (current, reference) = (&case.inputs[0], &case.inputs[1]);
    let pitch = case.scalars[0] as usize;
    for first in (0..best.len()).step_by(16 * GROUPS) {
        let mut sums = [[_mm512_setzero_si512(); 4]; GROUPS];
        for row in 0..16 {
            let at = first + row * pitch;
            let (x, y) =
                (&current[at..][..19 + 16 * (GROUPS - 1)], &reference[at..][..22 + 16 * (GROUPS - 1)]);
            for (group, sums) in sums.iter_mut().enumerate() {
                let y: [__m512i; 7] = std::array::from_fn(|w| load(y, 16 * group + w));
                for w in 0..4 {
                    let x = load(x, 16 * group + w);
                    for candidate in 0..4 {
                        sums[candidate] = sad4(x, y[w + candidate], sums[candidate]);
                    }
                }
            }
        }
        for (group, [a, b, c, d]) in sums.into_iter().enumerate() {
            let least = _mm512_min_epu32(_mm512_min_epu32(a, b), _mm512_min_epu32(c, d));
            store(best, first + 16 * group, least);
        }
    }
}
