//! What `--help` looks like: wrapped once, at the width there is.

mod common;

use common::command;
use std::path::Path;

fn help(words: &[&str], columns: &str) -> String {
    let ran = command(Path::new("."), words).env("COLUMNS", columns).output().unwrap();
    assert!(ran.status.success());
    String::from_utf8(ran.stdout).unwrap()
}

fn subcommands() -> Vec<String> {
    let text = help(&["--help"], "80");
    let list = text.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let names = list.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names
        .map(|line| line.split_whitespace().next().unwrap().to_string())
        .filter(|name| name != "help")
        .collect()
}

#[test]
fn paragraphs_are_wrapped_once() {
    let names = subcommands();
    assert!(names.len() > 7, "{names:?}");
    for width in [70, 80, 100] {
        let of = |name: &str| help(&[name, "--help"], &width.to_string());
        let pages = names.iter().filter(|name| *name != "ptxas").map(|name| (name.as_str(), of(name)));
        for (name, text) in pages.chain([("", help(&["--help"], &width.to_string()))]) {
            for pair in text.lines().collect::<Vec<_>>().windows(2) {
                let is_prose = |line: &str| line.starts_with(|c: char| !c.is_whitespace());
                if !pair.iter().all(|line| is_prose(line)) || pair[0].ends_with([':', '.']) {
                    continue;
                }
                let first = pair[1].split_whitespace().next().unwrap();
                let could_be = pair[0].chars().count() + 1 + first.chars().count();
                assert!(could_be > width, "{name} at {width}: broken after `{}`\n{text}", pair[0]);
            }
        }
    }
}

#[test]
fn examples_fit_a_terminal_of_80_columns() {
    for name in subcommands() {
        let text = help(&[&name, "--help"], "80");
        let Some(examples) = text.split("Examples:\n").nth(1) else { continue };
        for line in examples.lines() {
            let begins =
                line.starts_with("  margay ") || line.starts_with("  llc ") || line.starts_with("      ");
            assert!(begins, "{name}: `{line}`\n{text}");
            let wide = help(&[&name, "--help"], "100");
            assert!(wide.contains(line), "{name}: `{line}`");
        }
    }
}
