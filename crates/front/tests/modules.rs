//! Every recorded verdict of NVIDIA's assembler on a small module, against ours.

mod support;

use margay_front::{Severity, Source, check};
use std::collections::BTreeMap;

/// Where margay's verdict differs on purpose, or not yet the same: a piece of ptxas's message (nothing where it accepts), a piece
/// of margay's (nothing where it accepts), and why. All of 2026-11-22.
const DIFFERENCES: &[(&str, &str, &str)] = &[
    (
        "",
        "this operand of `mov` is a vector",
        "ptxas takes `mov.v2 {a, b}, c` apart in a way that no manual has",
    ),
    ("", "`%w` has 2 elements", "ptxas takes a third element of two without -O3, and fails with it"),
    ("", "cannot hold an address", "ptxas takes addresses as operands of other sizes"),
    (
        "",
        "has the wrong type for operand",
        "ptxas adds a constant to a register of another width, and checks no sizes there",
    ),
    ("", "is a function, but operand", "ptxas takes functions as numbers, everywhere"),
    ("", "nothing can be added to", "ptxas adds constants to floating-point registers"),
    ("", "is not allowed on a parameter", "ptxas overlooks attributes of parameters"),
    ("", "variables in memory cannot have type", "ptxas judges no types of functions without a body"),
    ("Type of argument does not match", "", "margay does not compare constants with the types of parameters"),
    ("used in inlined_at directive", "", "margay does not ask for an earlier `.loc` of the same place"),
    ("Line information of inline functions", "", "margay reads `inlined_at` in every version"),
    (
        "Arguments mismatch for instruction 'mov'",
        "",
        "margay takes elements of clusters' registers in 16 bits, and elements in `vadd`",
    ),
    ("State space mismatch", "", "margay takes functions in `cvta`"),
    ("Parsing error near '.loc'", "", "margay reads `.loc` outside of functions in every version"),
    ("Parsing error near '+'", "", "margay reads sums in more places than ptxas's grammar has them"),
    (".abi_preserve 300 is invalid", "", "margay does not know how many registers a function may preserve"),
    (
        "Parameter variables must be declared within",
        "",
        "margay lets bodies declare parameters in every version",
    ),
    (
        "Illegal to write to function input parameter",
        "",
        "margay does not tell stores to a function's own parameters",
    ),
    ("timestamp and filesize", "", "margay reads times and sizes of files in every version"),
    ("next knob", "", "a name of ptxas's own"),
    ("kernel parameter list", "", "margay reads parameters of kernels in every version"),
    ("requires .target sm_90 or higher", "", "8-bit numbers on sm_89 before PTX 8.1"),
    ("channel_data_type attribute", "", "margay reads properties of textures in every version"),
    ("Defining labels in .section", "", "margay reads labels of sections in every version"),
];

struct Row<'a> {
    accepted: bool,
    message: &'a str,
    text: String,
}

fn row(line: &str) -> Row<'_> {
    let columns: Vec<&str> = line.splitn(3, '\t').collect();
    Row { accepted: columns[0] == "1", message: columns[1], text: columns[2].replace("\\n", "\n") }
}

/// Our first error, if there is one.
fn refusal(text: &str) -> Option<String> {
    let checked = check::check(&Source::new("module.ptx", text), check::Options::default());
    let error = checked.diagnostics.into_iter().find(|d| d.severity == Severity::Error);
    assert_eq!(checked.module.is_none(), error.is_some(), "{text}");
    error.map(|d| d.message)
}

#[test]
fn every_recorded_verdict_on_a_module_is_ours() {
    let table = support::read("modules.tsv.gz");
    let rows: Vec<_> = table.lines().filter(|line| !line.starts_with('#')).map(row).collect();
    let mut known: BTreeMap<&str, usize> = DIFFERENCES.iter().map(|(.., why)| (*why, 0)).collect();
    let mut wrong = Vec::new();
    for Row { accepted, message, text } in &rows {
        let ours = refusal(text);
        if ours.is_none() == *accepted {
            continue;
        }
        let ours = ours.unwrap_or_default();
        let explains = |(theirs, words, _): &&(&str, &str, &str)| match accepted {
            true => theirs.is_empty() && ours.contains(words),
            false => !theirs.is_empty() && message.contains(theirs),
        };
        match DIFFERENCES.iter().find(explains) {
            Some((.., why)) => *known.entry(why).or_default() += 1,
            None => {
                wrong.push(format!("ptxas {}, `{message}`; margay `{ours}`:\n{text}", u8::from(*accepted)))
            }
        }
    }
    wrong.iter().take(10).for_each(|line| println!("{line}\n"));
    assert_eq!((rows.len(), wrong.len(), known.values().sum::<usize>()), (7_751, 0, 110), "{known:#?}");
    assert!(known.values().all(|count| *count > 0), "a difference is gone: {known:#?}");
}
