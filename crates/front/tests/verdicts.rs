//! Instructions that NVIDIA's assembler accepts are syntax; those that it cannot parse are not.

mod support;

use margay_front::{Severity, parse_statement};

/// Instruction, whether ptxas accepts it, and its message.
fn rows(text: &str) -> Vec<(&str, bool, &str)> {
    let columns =
        text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect::<Vec<_>>());
    columns.map(|row| (row[0], row[3] == "1", row.get(4).copied().unwrap_or(""))).collect()
}

fn parses(text: &str) -> bool {
    let (instruction, diagnostics) = parse_statement(text);
    instruction.is_some() && diagnostics.iter().all(|diagnostic| diagnostic.severity != Severity::Error)
}

#[test]
fn every_accepted_instruction_parses_and_prints_back() {
    let text = support::read("accept.tsv.gz");
    let rows = rows(&text);
    assert_eq!(rows.len(), 29_488);
    for (text, _, _) in rows.iter().filter(|row| row.1) {
        assert!(parses(text), "{text}");
        let printed = parse_statement(text).0.unwrap().to_string();
        assert_eq!(parse_statement(&printed).0.unwrap().to_string(), printed);
    }
}

/// `_` is read wherever an operand may stand, also where only ptxas's grammar has none; `.b01` of scalar video is an
/// error in ptxas's own expansion; selectors behind pairs and addresses are judged as words.
fn read_all_the_same(text: &str, message: &str) -> bool {
    message.contains("near '_'")
        || message.contains("<builtin>")
        || text.contains('|')
        || text.contains("[%r2].")
}

#[test]
fn what_ptxas_cannot_parse_does_not_parse() {
    let text = support::read("accept.tsv.gz");
    let unparsed = rows(&text).into_iter().filter(|row| row.2.contains("syntax error"));
    let wrong: Vec<_> = unparsed.filter(|row| parses(row.0) && !read_all_the_same(row.0, row.2)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
