//! Computes approximate functions of all 2^32 operands, and compares the digests of their results with those that are kept.
//!
//! `cargo run --release -p margay-isa --example digests -- [WORD…]`
//!
//! With `--micro-ops` first it is their micro-ops that are computed, which must give the same; those without any are left out. With words
//! only functions with one of them in their name, such as `sin` or `rounded`. It prints the lines of
//! `tests/data/digests.tsv`: function, whose results, digest of every 65521st result, digest of all. A function takes
//! minutes.

mod digest;

use std::process::ExitCode;

const KEPT: &str = include_str!("../../tests/data/digests.tsv");

fn main() -> ExitCode {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let by_micro_ops = words.first().is_some_and(|word| word == "--micro-ops");
    words.drain(..usize::from(by_micro_ops));
    let mut differ = false;
    for (head, whose) in digest::FUNCTIONS {
        let name = format!("{head}\t{whose}");
        if !words.is_empty() && !words.iter().any(|word| name.contains(word.as_str())) {
            continue;
        }
        let of = |step| match by_micro_ops {
            true => digest::of_micro_ops(head, whose, step),
            false => Some(digest::of(head, whose, step)),
        };
        let (Some(sampled), Some(all)) = (of(digest::SAMPLED), of(1)) else { continue };
        let line = format!("{name}\t{sampled:016x}\t{all:016x}");
        differ |= !KEPT.lines().any(|kept| kept == line);
        println!("{line}");
    }
    if differ {
        eprintln!("not the digests in tests/data/digests.tsv");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
