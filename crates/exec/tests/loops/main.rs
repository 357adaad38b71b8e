//! Loops drawn at random give the same on both engines: counters that add, double, swap or wrap, bounds of every origin, exits from the
//! middle, loops in loops, and in them loads, stores, barriers, shuffles, atomics and calls at places that no other thread writes.
//!
//! `MARGAY_LOOP_KERNELS` says how many kernels are judged, `MARGAY_LOOP_SEED` the first one's seed, and `MARGAY_LOOP_FOUND` a folder that
//! what is wrong is written to, made small; then the other kernels are judged, too.

mod control;
mod counters;
mod draw;
mod judge;
mod memory;
mod shared;
mod shrink;
mod values;

use draw::{Kernel, draw};
use judge::{PANIC, Verdict, all, depends_on_order, judge, plan};
use shrink::smallest;

/// A number that the environment names, or another one.
fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).map_or(otherwise, |count| count.parse().expect("a number"))
}

/// What is wrong with a kernel, made small, as text.
fn told(seed: u64, kernel: Kernel) -> String {
    let small = smallest(kernel);
    let Kernel { grid, block, numbers, .. } = &small;
    let levels: String = all(&small).iter().map(|line| format!("// {line}\n")).collect();
    format!("// seed {seed}, grid {grid:?}, block {block:?}, numbers {numbers:?}\n{levels}{}", small.text())
}

/// How many kernels came to which end.
#[derive(Debug, Default)]
struct Ends {
    well: u64,
    failed: u64,
    endless: u64,
    /// Kernels that are wrong themselves: another order of threads gives something else.
    ordered: u64,
}

#[test]
fn loops_give_the_same_on_both_engines() {
    let (first, count) = (number("MARGAY_LOOP_SEED", 0), number("MARGAY_LOOP_KERNELS", 300));
    let found = std::env::var("MARGAY_LOOP_FOUND").ok();
    if found.is_some() {
        std::panic::set_hook(Box::new(|_| ()));
    }
    let mut ends = Ends::default();
    for seed in first..first + count {
        let kernel = draw(seed);
        match judge(&kernel) {
            Verdict::Same => ends.well += 1,
            Verdict::Failed => ends.failed += 1,
            Verdict::Endless => ends.endless += 1,
            Verdict::Wrong(what) if !what.contains(PANIC) && depends_on_order(&kernel) => ends.ordered += 1,
            Verdict::Wrong(what) => match &found {
                Some(folder) => {
                    eprintln!("seed {seed}: {what}");
                    let file = format!("{folder}/seed-{seed}.ptx");
                    std::fs::write(&file, format!("// {what}\n{}", kernel.text())).unwrap();
                    std::fs::write(&file, told(seed, kernel)).unwrap();
                }
                None => panic!("{what}\n{}", told(seed, kernel)),
            },
        }
        if found.is_some() && seed % 500 == 499 {
            eprintln!("up to seed {seed}: {ends:?}");
        }
    }
    assert!(ends.well > count / 2, "of {count}: {ends:?}");
}

/// Ways in which the batch engine takes loops, and in how many of 300 kernels they are at least.
const WAYS: &[(&str, usize)] =
    &[("turn loop", 50), ("tiled loop", 3), ("counted loop", 1), ("self-loop", 3), ("fused loop", 30)];

#[test]
fn loops_are_taken_in_all_ways() {
    let plans: Vec<String> = (0..300).map(|seed| plan(&draw(seed))).collect();
    for (way, least) in WAYS {
        let having = plans.iter().filter(|plan| plan.contains(way)).count();
        assert!(having >= *least, "{way}: {having} of {}", plans.len());
    }
}
