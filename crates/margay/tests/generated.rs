//! Documentation that is made from the tables: compared here, rewritten with `BLESS=1`.

use margay_isa::{Erratum, Fidelity, PAGES, Page, fidelities, forms};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// The chapters of the manual's instruction set, by the first three parts of their section numbers (PTX ISA 9.1).
const CHAPTERS: &[(&str, &str)] = &[
    ("9.7.1", "integer arithmetic"),
    ("9.7.2", "extended precision (carry)"),
    ("9.7.3", "floating point"),
    ("9.7.4", "half precision"),
    ("9.7.5", "mixed precision"),
    ("9.7.6", "comparison and selection"),
    ("9.7.7", "half precision comparison"),
    ("9.7.8", "logic and shift"),
    ("9.7.9", "data movement and conversion"),
    ("9.7.10", "texture"),
    ("9.7.11", "surface"),
    ("9.7.12", "control flow"),
    ("9.7.13", "parallel synchronisation"),
    ("9.7.14", "warp-level matrix"),
    ("9.7.15", "asynchronous warpgroup matrix"),
    ("9.7.16", "tensor core, fifth generation"),
    ("9.7.17", "stack"),
    ("9.7.18", "video"),
    ("9.7.19", "miscellaneous"),
];

fn chapter(section: &str) -> &'static str {
    let key: Vec<&str> = section.split('.').take(3).collect();
    let key = key.join(".");
    CHAPTERS.iter().find(|(k, _)| *k == key).map_or("other", |(_, title)| title)
}

fn pages_in_manual_order() -> Vec<&'static Page> {
    let mut pages = PAGES.to_vec();
    pages.sort_by_key(|p| p.section.split('.').map(|n| n.parse().unwrap_or(0)).collect::<Vec<u32>>());
    pages
}

/// For each chapter: opcodes that run, and opcodes whose grammar is checked.
fn support_summary() -> String {
    let mut rows: BTreeMap<usize, [Vec<&str>; 2]> = BTreeMap::new();
    let place =
        |section: &str| CHAPTERS.iter().position(|(_, t)| *t == chapter(section)).unwrap_or(CHAPTERS.len());
    for page in pages_in_manual_order() {
        let column = usize::from(!page.runs());
        for opcode in page.opcodes {
            let row = rows.entry(place(page.section)).or_default();
            if !row[column].contains(opcode) {
                row[column].push(opcode);
            }
        }
    }
    let mut text = String::from("| chapter of the manual | runs | checked, not run yet |\n|---|---|---|\n");
    for (place, row) in rows {
        let title = CHAPTERS.get(place).map_or("other", |(_, t)| t);
        let list = |names: &[&str]| names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(" ");
        let _ = writeln!(text, "| {title} | {} | {} |", list(&row[0]), list(&row[1]));
    }
    text
}

fn support() -> String {
    let mut text = String::from(
        "# What margay supports\n\nMade from the instruction pages in `crates/isa/src/pages`; do not edit (`BLESS=1 cargo test` rewrites it).\n\n",
    );
    text += &support_summary();
    text += "\n## Every page\n\nForms: combinations of words, selectors and masks that the page's syntax allows. \
             Results:\n\n";
    for fidelity in [Fidelity::Exact, Fidelity::Device, Fidelity::Model] {
        let _ = writeln!(text, "- {}: {fidelity}", fidelity.name());
    }
    text += "\n| opcode | section | what it is for | forms | exists from | runs | results |\n|---|---|---|--:|---|---|---|\n";
    for page in pages_in_manual_order() {
        for opcode in page.opcodes {
            let runs = match (page.runs(), page.open) {
                (true, None) => "yes",
                (true, Some(_)) => "in part",
                (false, _) => "not yet",
            };
            let _ = writeln!(
                text,
                "| `{opcode}` | {} | {} | {} | {} | {runs} | {} |",
                page.section,
                page.purpose,
                forms::count(page, opcode),
                page.since,
                results(page, opcode)
            );
        }
    }
    text
}

/// What stands behind the results of an opcode that runs, in a few words.
fn results(page: &'static Page, opcode: &str) -> String {
    let mut names: Vec<_> = fidelities(page, opcode).iter().map(|(_, fidelity)| fidelity.name()).collect();
    names.sort_unstable();
    names.dedup();
    match names.is_empty() {
        true if page.runs() => Fidelity::Exact.name().to_string(),
        _ => names.join(", "),
    }
}

fn errata() -> String {
    let mut text = String::from(
        "# Where the manual is silent, contradicts itself, or is contradicted\n\nMade from the instruction pages; do not edit \
         (`BLESS=1 cargo test` rewrites it). \"ptxas\" is what code from ptxas 13.5 computes: `--semantics ptxas-13.5` computes \
         that instead.\n",
    );
    for page in pages_in_manual_order().into_iter().filter(|p| !p.errata.is_empty()) {
        let names: Vec<_> = page.opcodes.iter().map(|o| format!("`{o}`")).collect();
        let _ = writeln!(text, "\n## {} ({})\n", names.join(", "), page.section);
        for Erratum { manual, margay, ptxas, .. } in page.errata {
            let _ = writeln!(text, "- The manual: {manual}.\n  margay: {margay}.");
            if let Some(ptxas) = ptxas {
                let _ = writeln!(text, "  ptxas: {ptxas}.");
            }
        }
    }
    text
}

fn diagnostics() -> String {
    let mut text = String::from(
        "# Diagnostics\n\nEvery code that margay reports about a text, with an example that causes it and one that does not. Made \
         from `crates/front/src/diag/codes.rs`; do not edit (`BLESS=1 cargo test` rewrites it). `margay explain P101` prints one.\n",
    );
    for entry in margay_front::diag::codes::all().map(|code| code.entry()) {
        let _ = writeln!(text, "\n## {}: {}\n\n{}", entry.code, entry.title, entry.explanation);
        let _ = writeln!(text, "\n```ptx\n{}\n```", entry.bad.trim_end());
        if !entry.good.is_empty() {
            let _ = writeln!(text, "\ninstead:\n\n```ptx\n{}\n```", entry.good.trim_end());
        }
    }
    text
}

/// CUDA's SIMD intrinsics: name, meaning, instructions. `crates/isa/tests/intrinsics.rs` judges them.
fn intrinsics() -> Vec<(&'static str, &'static str, Vec<&'static str>)> {
    let table = include_str!("../../isa/tests/data/intrinsics.tsv");
    let rows = table.lines().filter(|line| !line.starts_with('#'));
    rows.map(|line| {
        let [name, meaning, text] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        (name, meaning, text.split("; ").collect())
    })
    .collect()
}

fn intrinsics_page() -> String {
    let (mut single, several): (Vec<_>, Vec<_>) =
        intrinsics().into_iter().partition(|(_, _, steps)| steps.len() == 1);
    single.sort_by_key(|(_, _, steps)| steps[0]);
    let mut text = format!(
        "# Which PTX instruction is which CUDA intrinsic\n\nThe {} SIMD intrinsics of the CUDA Math API (`__vadd4` and its like) as PTX. \
         Made from `crates/isa/tests/data/intrinsics.tsv`; do not edit (`BLESS=1 cargo test` rewrites it). A test holds every row against \
         plain integer code on a million inputs.\n\n`a` and `b` are the intrinsic's arguments, `d` is its result, `z` holds 0; all are `.u32` registers, since SIMD video instructions take no \
         constants. \
         nvcc writes other instructions for most intrinsics, since today's hardware has few of these; the results are the same.\n",
        single.len() + several.len()
    );
    text += "\n## One instruction\n\n| PTX | intrinsic | gives |\n|---|---|---|\n";
    for (name, meaning, steps) in &single {
        let _ = writeln!(text, "| `{};` | `{name}` | {meaning} |", steps[0]);
    }
    text += "\n## Several instructions\n\n`t` and `u` are further registers. No single instruction gives masks, or an average that is \
             rounded down.\n\n| intrinsic | gives | PTX |\n|---|---|---|\n";
    for (name, meaning, steps) in &several {
        let steps: Vec<_> = steps.iter().map(|step| format!("`{step};`")).collect();
        let _ = writeln!(text, "| `{name}` | {meaning} | {} |", steps.join(" "));
    }
    text
}

/// Compares a file with what it should be; with `BLESS` set, writes it.
fn compare(file: &str, wanted: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
    if std::env::var_os("BLESS").is_some() {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(&path, wanted).expect("a writable file");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == wanted, "{file} is not what the tables say; `BLESS=1 cargo test` rewrites it");
}

#[test]
fn the_support_table_is_what_the_pages_say() {
    compare("docs/support.md", &support());
}

#[test]
fn the_errata_are_what_the_pages_say() {
    compare("docs/errata.md", &errata());
}

#[test]
fn the_diagnostics_are_what_the_codes_say() {
    compare("docs/diagnostics.md", &diagnostics());
}

#[test]
fn the_intrinsics_are_what_their_table_says() {
    compare("docs/intrinsics.md", &intrinsics_page());
}

#[test]
fn every_instruction_of_the_intrinsics_is_legal() {
    for (name, _, steps) in intrinsics() {
        for step in steps {
            let parsed = margay::statement::Statement::parse(step);
            assert!(parsed.is_ok(), "{name}: `{step}`: {parsed:?}");
        }
    }
}

#[test]
fn the_readme_shows_the_support_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let readme = std::fs::read_to_string(&path).expect("README.md");
    let (before, rest) = readme.split_once("<!-- support -->\n").expect("the table's beginning is marked");
    let (_, after) = rest.split_once("<!-- /support -->").expect("the table's end is marked");
    compare("README.md", &format!("{before}<!-- support -->\n{}<!-- /support -->{after}", support_summary()));
}
