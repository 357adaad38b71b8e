//! Whether results are those that are expected: the same bits, or numbers that differ by no more than a kernel allows.

use crate::case::{Kernel, Results};
use half::f16;

/// Ends the program where somebody's results differ by more than the kernel allows.
pub fn check(kernel: &Kernel, size: usize, who: &str, found: &[u32], expected: &[u32]) {
    let (numbers, share): (fn(u32) -> [f32; 2], _) = match kernel.results {
        Results::Bits => return same(kernel, size, who, found, expected),
        Results::Floats(share) => (|word| [f32::from_bits(word), 0.0], share),
        Results::Halves(share) => {
            (|word| [word, word >> 16].map(|bits| f16::from_bits(bits as u16).to_f32()), share)
        }
    };
    let mean = expected.iter().flat_map(|word| numbers(*word)).map(|x| f64::from(x.abs())).sum::<f64>();
    let mean = mean / expected.len().max(1) as f64;
    let shares = |found: u32, expected: u32| {
        let pairs = numbers(found).into_iter().zip(numbers(expected));
        pairs.map(|(found, expected)| {
            let allowed = f64::from(share) * (f64::from(expected.abs()) + mean);
            f64::from((found - expected).abs()) / allowed
        })
    };
    let wrong = (0..expected.len()).find(|at| !shares(found[*at], expected[*at]).all(|times| times <= 1.0));
    if let Some(at) = wrong {
        let ([found, _], [expected, _]) = (numbers(found[at]), numbers(expected[at]));
        panic!("{} of {size}: {who} has {found} at {at}, not {expected}", kernel.short);
    }
}

/// Ends the program where the bits differ.
pub fn same(kernel: &Kernel, size: usize, who: &str, found: &[u32], expected: &[u32]) {
    if let Some(at) = found.iter().zip(expected).position(|(found, expected)| found != expected) {
        let (found, expected) = (found[at], expected[at]);
        panic!("{} of {size}: {who} has {found:#x} at {at}, not {expected:#x}", kernel.short);
    }
}
