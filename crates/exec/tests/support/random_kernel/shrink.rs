//! Making a kernel that shows something small: fewer items, then those left out that it does not need.

use super::{Kernel, generate, without};

/// The smallest kernel found, of the seed and size of this one, that still shows what `shows` looks for.
pub fn smallest(kernel: Kernel, shows: impl Fn(&Kernel) -> bool) -> Kernel {
    let (seed, full) = (kernel.seed, kernel.size);
    let mut best = (0..full).map(|size| generate(seed, size)).find(&shows).unwrap_or(kernel);
    let size = best.size;
    let mut dropped = Vec::new();
    for k in 0..size {
        dropped.push(k);
        let smaller = without(seed, size, &dropped);
        if shows(&smaller) {
            best = smaller;
        } else {
            dropped.pop();
        }
    }
    best
}
