//! K1 by hand: saturating differences both ways, bytes summed by two products with ones.

use super::vector::{load, sad4, store};
use crate::case::Case;
use std::arch::x86_64::{_mm_sfence, _mm256_stream_si256};

/// Words of output from which on they go past the caches, which could not hold them.
const STREAM: usize = 1 << 20;

#[target_feature(enable = "avx2")]
pub fn sad(case: &Case, out: &mut [u32]) {
    let [a, b, c] = &case.inputs[..] else { unreachable!("K1 has three inputs") };
    let n = out.len();
    let (a, b, c) = (&a[..n], &b[..n], &c[..n]);
    let aligned = out.as_ptr().addr().is_multiple_of(32);
    let streamed = if aligned && n >= STREAM { n / 8 * 8 } else { 0 };
    for at in (0..streamed).step_by(8) {
        let sums = sad4(load(a, at), load(b, at), load(c, at));
        // SAFETY: eight aligned words that lie within the output.
        unsafe { _mm256_stream_si256(out.as_mut_ptr().add(at).cast(), sums) };
    }
    _mm_sfence();
    for at in (streamed..n).step_by(8) {
        store(out, at, sad4(load(a, at), load(b, at), load(c, at)));
    }
}
