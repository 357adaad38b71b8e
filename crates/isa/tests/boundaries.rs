//! What the crates may know of each other: opcodes are named in their pages and nowhere else.

use margay_isa::PAGES;
use std::path::{Path, PathBuf};

/// Files that name opcodes for a reason: the list of opcodes, the registry, and the table of words, some of which are
/// spelt like opcodes.
const EXEMPT: &[&str] = &["isa/src/opcodes.rs", "isa/src/pages.rs", "isa/src/words.rs"];

/// Ordinary words that a directory's files use in their own sense: `set` is an option of the command, `min` and `max` are
/// levels of an option of the assembler, `tex` is a state space, `fma` a feature of x86.
const ORDINARY: &[(&str, &str)] = &[
    ("margay/src/command/", "set"),
    ("margay/src/command/ptxas/options.rs", "min"),
    ("margay/src/command/ptxas/options.rs", "max"),
    ("front/src/parser/", "tex"),
    ("exec/src/batch/lanes/level.rs", "fma"),
    ("front/src/check/variable.rs", "tex"),
];

fn sources(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// The text of a file without comments and without its unit tests.
fn code(text: &str) -> String {
    let body = text.split("#[cfg(test)]").next().unwrap_or_default();
    body.lines().filter(|l| !l.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

#[test]
fn opcodes_are_named_in_their_pages_alone() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crates' directory");
    let mut files = Vec::new();
    for dir in std::fs::read_dir(crates).expect("crates").flatten() {
        sources(&dir.path().join("src"), &mut files);
    }
    assert!(files.len() > 50, "sources not found");
    let mut named = Vec::new();
    for file in files {
        let name = file.strip_prefix(crates).expect("below crates").to_string_lossy().replace('\\', "/");
        let is_unit_test = name.ends_with("/tests.rs") || name.contains("/tests/");
        if name.starts_with("isa/src/pages/") || is_unit_test || EXEMPT.contains(&name.as_str()) {
            continue;
        }
        let code = code(&std::fs::read_to_string(&file).expect("readable source"));
        for opcode in PAGES.iter().flat_map(|p| p.opcodes) {
            let ordinary = ORDINARY.iter().any(|(dir, word)| name.starts_with(dir) && word == opcode);
            if !ordinary && code.contains(&format!("\"{opcode}\"")) {
                named.push(format!("{name} names `{opcode}`"));
            }
        }
    }
    assert!(named.is_empty(), "{}", named.join("\n"));
}

/// Where `unsafe` may stand: bytes of memory, lent ones among them, many elements at once, vector instructions, and the doors
/// to other languages.
const UNSAFE: &[&str] = &[
    "capi/src/door",
    "cuda/src/door.rs",
    "cuda/src/door/init.rs",
    "cuda/src/door/memory.rs",
    "cuda/src/door/pass.rs",
    "cuda/src/door/told.rs",
    "cudart/src/door.rs",
    "cudart/src/door/pass.rs",
    "cudart/src/driver.rs",
    "exec/src/batch/lanes",
    "exec/src/memory/bulk.rs",
    "exec/src/memory/fours.rs",
    "exec/src/memory/gather.rs",
    "exec/src/memory/grid.rs",
    "exec/src/memory/lent.rs",
    "exec/src/memory/masked.rs",
    "exec/src/memory/reserve.rs",
    "exec/src/memory/rows.rs",
    "exec/src/memory/shared.rs",
    "exec/src/memory/warps.rs",
    "exec/src/memory/words.rs",
    "nvjitlink/src/door.rs",
    "nvjitlink/src/door/pass.rs",
];

#[test]
fn unsafe_stands_in_few_files() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crates' directory");
    let mut files = Vec::new();
    for dir in std::fs::read_dir(crates).expect("crates").flatten() {
        sources(&dir.path().join("src"), &mut files);
    }
    let mut allowed = 0;
    for file in files {
        let name = file.strip_prefix(crates).expect("below crates").to_string_lossy().replace('\\', "/");
        let text = std::fs::read_to_string(&file).expect("readable source");
        let used = text.lines().any(|line| {
            let code = line.split("//").next().unwrap_or_default();
            code.contains("unsafe ") || code.contains("allow(unsafe_code)")
        });
        let may = UNSAFE.iter().any(|start| name.starts_with(start));
        assert!(!used || may, "{name} has `unsafe`");
        allowed += usize::from(used);
    }
    assert!(allowed > 0, "no `unsafe` found where there is some");
}

#[test]
fn engines_see_neither_tree_nor_text() {
    let exec = Path::new(env!("CARGO_MANIFEST_DIR")).join("../exec/src");
    let mut files = Vec::new();
    sources(&exec, &mut files);
    assert!(files.len() > 10, "sources not found");
    for file in files {
        let code = code(&std::fs::read_to_string(&file).expect("readable source"));
        for name in ["ast", "Span", "Source", "spans", "diag", "parse"] {
            let seen = [format!("margay_front::{name}"), format!("module::{name}"), format!(".{name}[")];
            assert!(seen.iter().all(|s| !code.contains(s.as_str())), "{} names `{name}`", file.display());
        }
    }
}
