//! The example of every code shows it, and its repair does not.

mod support;

use margay_front::check::{Options, check};
use margay_front::diag::codes;
use margay_front::link::link;
use margay_front::{Code, Source};
use std::collections::BTreeSet;

/// The codes that the example of `code` yields; what is not run yet counts for the codes that say so only, and registers
/// that nothing writes for the codes about them: examples show a statement without all that comes before it.
/// Examples of several files are linked.
/// A byte that is no character is written as U+FFFD in the examples.
fn codes_of(code: Code, text: &str) -> BTreeSet<&'static str> {
    if let Some(files) = support::files(text) {
        let linked = link(files.into_iter().map(|(_, file)| file).collect(), Default::default());
        return linked.diagnostics.iter().map(|d| d.code.name()).collect();
    }
    let bytes = text.split('\u{fffd}').map(str::as_bytes).collect::<Vec<_>>().join(&0xff);
    let options = Options { contractions: code == codes::FUSIBLE, ..Options::default() };
    let checked = check(&Source::from_bytes("example.ptx", bytes), options);
    let unwritten = [codes::NEVER_WRITTEN, codes::MAYBE_UNWRITTEN];
    let of_kin = |found: Code| match found {
        found if unwritten.contains(&found) => unwritten.contains(&code),
        found => !found.name().starts_with("P9") || code.name().starts_with("P9"),
    };
    let found = checked.diagnostics.iter().map(|d| d.code);
    found.filter(|found| of_kin(*found)).map(Code::name).collect()
}

/// Codes whose example is too long to be written down: `tests/hostile.rs` shows them.
const GENERATED: &[Code] = &[codes::TOO_LARGE, codes::TOO_MANY, codes::TOO_DEEP, codes::TOO_LONG];

#[test]
fn the_bad_example_of_a_code_yields_that_code_alone() {
    for code in codes::all() {
        let bad = code.entry().bad;
        match GENERATED.contains(&code) {
            true => assert_eq!(bad, "", "{code}"),
            false => assert_eq!(codes_of(code, bad), BTreeSet::from([code.name()]), "{code}: {bad}"),
        }
    }
}

#[test]
fn the_repaired_example_of_a_code_yields_nothing() {
    for code in codes::all() {
        let good = code.entry().good;
        match code == codes::NOT_RUN {
            // What would take its place does something else.
            true => assert_eq!(good, "", "{code}"),
            false => assert_eq!(codes_of(code, good), BTreeSet::new(), "{code}: {good}"),
        }
    }
}
