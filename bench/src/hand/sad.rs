//! K1 by hand: saturating differences both ways, bytes summed by one dot product with ones.

use super::vector::{load, sad4, store};
use crate::case::Case;

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub fn sad(case: &Case, out: &mut [u32]) {
    let [a, b, c] = &case.inputs[..] else { unreachable!("K1 has three inputs") };
    let n = out.len();
    let (a, b, c) = (&a[..n], &b[..n], &c[..n]);
    for at in (0..n).step_by(16) {
        store(out, at, sad4(load(a, at), load(b, at), load(c, at)));
    }
}
