//! Mutants of kernels that compilers wrote, and of those of the benchmarks and run files, give the same on both engines: their constants, registers, operations, guards and branches
//! are changed in a few places, on what their launches are given or on drawn arguments, in blocks of other shapes.
//!
//! A mutant that has a race, or whose results depend on the order of threads, is no judge and left out, and one that does not end soon.
//!
//! `MARGAY_RANDOM_KERNELS` says how many mutants are judged, `MARGAY_RANDOM_SEED` the first one's seed.

#[allow(dead_code, reason = "other tests use more of it")]
#[path = "../cases/data.rs"]
mod data;
mod edit;
mod given;
mod judge;
#[allow(dead_code, reason = "other tests use more of it")]
#[path = "../support/random_kernel/random.rs"]
mod random;
#[path = "../support/run_files.rs"]
mod run_files;
#[path = "../support/random_kernel/said.rs"]
mod said;
mod subjects;

use given::{Given, given};
use judge::{Verdict, judged};
use random::Random;
use said::{judge_all, kernels};
use std::collections::BTreeMap;
use std::sync::Mutex;
use subjects::{Subject, subjects};

/// Mutants that are judged if nothing else is said.
const MUTANTS: u64 = 600;

/// A kernel that was changed, and what it is run with.
struct Mutant<'s> {
    subject: &'s Subject,
    edits: Vec<edit::Edit>,
    given: Given,
}

impl Mutant<'_> {
    fn text(&self) -> String {
        edit::applied(&self.subject.lines, &self.edits)
    }
}

fn mutant(subjects: &[Subject], seed: u64) -> Mutant<'_> {
    let mut random = Random::new(seed, 0);
    let subject = random.pick(subjects);
    let count = [0, 1, 1, 2, 2, 3, 4, 6][random.below(8)];
    let mut edits: Vec<edit::Edit> = Vec::new();
    for _ in 0..count {
        let drawn = edit::drawn(&mut random, subject);
        edits.extend(drawn.filter(|drawn| edits.iter().all(|other| other.line != drawn.line)));
    }
    let given = given(&mut random, subject);
    Mutant { subject, edits, given }
}

/// With as few edits as still differ.
fn smallest(mut mutant: Mutant) -> Mutant {
    let mut k = 0;
    while k < mutant.edits.len() {
        let edit = mutant.edits.remove(k);
        if !matches!(judged(&mutant), Verdict::Differs(_)) {
            mutant.edits.insert(k, edit);
            k += 1;
        }
    }
    mutant
}

#[test]
fn both_engines_give_the_same() {
    let subjects = subjects();
    let verdicts = Mutex::new(BTreeMap::<&str, u64>::new());
    let wrong = |seed| {
        let mutant = mutant(&subjects, seed);
        let verdict = judged(&mutant);
        *verdicts.lock().unwrap().entry(verdict.name()).or_default() += 1;
        matches!(verdict, Verdict::Differs(_)).then_some(mutant)
    };
    judge_all(MUTANTS, wrong, |mutant| {
        let small = smallest(mutant);
        let Verdict::Differs(what) = judged(&small) else { return "which differs now and then".into() };
        let Mutant { subject, edits, given } = &small;
        format!("{}: {what}\n{given}\n{}", subject.name, edit::told(&subject.lines, edits))
    });
    let verdicts = verdicts.into_inner().unwrap();
    println!("{verdicts:?}");
    let agree = verdicts.get("agrees").copied().unwrap_or(0);
    let count = kernels(MUTANTS);
    assert!(
        count < MUTANTS || agree * 3 > count,
        "only {agree} of {count} mutants ran to their end: {verdicts:?}"
    );
}
