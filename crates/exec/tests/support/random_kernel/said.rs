//! How many random kernels are judged and from which seed on, as the environment says, and judging them on all cores.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A variable's number, or what is judged if nothing is said.
///
/// # Panics
/// If it is not a number.
pub fn said(variable: &str, default: u64) -> u64 {
    match std::env::var(variable) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{variable} is not a number: `{text}`")),
        Err(_) => default,
    }
}

/// Kernels that are judged: as many as are said, else so many.
pub fn kernels(usual: u64) -> u64 {
    said("MARGAY_RANDOM_KERNELS", usual)
}

/// Judges the kernels of as many seeds as are said, else so many. Of one that is wrong, which `wrong` gives, it is told what `told` finds
/// when it has made it small; the rest are left.
///
/// # Panics
/// If one is wrong.
pub fn judge_all<K>(usual: u64, wrong: impl Fn(u64) -> Option<K> + Sync, told: impl Fn(K) -> String + Sync) {
    let (first, count) = (said("MARGAY_RANDOM_SEED", 0), kernels(usual));
    let next = AtomicU64::new(0);
    let work = || {
        loop {
            let k = next.fetch_add(1, Relaxed);
            if k >= count {
                break;
            }
            let seed = first.wrapping_add(k);
            if let Some(kernel) = wrong(seed) {
                next.store(count, Relaxed);
                eprintln!("seed {seed} is wrong, and made small now");
                panic!("seed {seed}, {}", told(kernel));
            }
        }
    };
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| (0..workers).for_each(|_| drop(scope.spawn(work))));
}
