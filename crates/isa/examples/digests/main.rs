//! Computes approximate functions of all 2^32 operands, and compares the digests of their results with those that are kept.
//!
//! `cargo run --release -p margay-isa --example digests -- [WORD…]`
//!
//! With words only functions with one of them in their name, such as `sin` or `rounded`. It prints the lines of
//! `tests/data/digests.tsv`: function, whose results, digest of every 65521st result, digest of all. A function takes minutes, a
//! correctly rounded one an hour or more: where a line has `-` nobody has waited for the last digest.

mod digest;

use std::process::ExitCode;

const KEPT: &str = include_str!("../../tests/data/digests.tsv");

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let mut differ = false;
    for (head, whose) in digest::FUNCTIONS {
        let name = format!("{head}\t{whose}");
        if !words.is_empty() && !words.iter().any(|word| name.contains(word.as_str())) {
            continue;
        }
        let [sampled, all] = [digest::SAMPLED, 1].map(|step| digest::of(head, whose, step));
        let line = format!("{name}\t{sampled:016x}\t{all:016x}");
        let without = format!("{name}\t{sampled:016x}\t-");
        differ |= !KEPT.lines().any(|kept| kept == line || kept == without);
        println!("{line}");
    }
    if differ {
        eprintln!("not the digests in tests/data/digests.tsv");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
