//! Damaged text never stops the lexer, the parser, the printer or a diagnostic's rendering.

mod support;

use margay_front::{Source, diag, parse, parse_statement, print};
use support::{Random, mutate};

/// A window of a text, so that many mutants can be tried.
fn window<'a>(text: &'a [u8], random: &mut Random) -> &'a [u8] {
    let start = random.below(text.len());
    &text[start..(start + 200 + random.below(2000)).min(text.len())]
}

fn try_all(bytes: Vec<u8>) {
    let source = Source::from_bytes("mutant.ptx", bytes);
    let parsed = parse(&source);
    for diagnostic in &parsed.diagnostics {
        for label in &diagnostic.labels {
            assert!(
                source.text.get(label.span.range()).is_some(),
                "a label outside of the text or inside a character"
            );
        }
    }
    let printed = print(&parsed.file);
    let _ = diag::human(&source, &parsed.diagnostics, false, 3);
    let _ = diag::short(&source, &parsed.diagnostics, 10);
    let again = parse(&Source::new("printed.ptx", printed.as_str()));
    let errors = |list: &[margay_front::Diagnostic]| {
        list.iter().filter(|d| d.severity == margay_front::Severity::Error).count()
    };
    if errors(&parsed.diagnostics) == 0 {
        assert_eq!(errors(&again.diagnostics), 0, "{}\n{printed}", source.text);
        assert_eq!(print(&again.file), printed);
    }
}

#[test]
fn windows_of_mutated_corpus_files_never_panic() {
    let corpus = support::corpus();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for _ in 0..100 {
        for (_, text) in &corpus {
            let mut bytes = window(text.as_bytes(), &mut random).to_vec();
            mutate(&mut bytes, &mut random);
            try_all(bytes);
        }
    }
}

#[test]
fn whole_mutated_texts_never_panic() {
    let mut texts = support::corpus();
    texts.retain(|(_, text)| text.len() < 6000);
    texts.push(("all".into(), include_str!("data/all.ptx").into()));
    let mut random = Random(7);
    for _ in 0..20 {
        for (_, text) in &texts {
            let mut bytes = text.clone().into_bytes();
            mutate(&mut bytes, &mut random);
            try_all(bytes);
        }
    }
    for _ in 0..3000 {
        let mut bytes = include_bytes!("data/all.ptx").to_vec();
        mutate(&mut bytes, &mut random);
        try_all(bytes);
    }
}

#[test]
fn mutated_instructions_never_panic() {
    let rows = support::read("accept.tsv.gz");
    let mut random = Random(3);
    for row in rows.lines().filter(|row| !row.starts_with('#')) {
        let mut bytes = row.split('\t').next().unwrap_or("").as_bytes().to_vec();
        mutate(&mut bytes, &mut random);
        let text = String::from_utf8_lossy(&bytes);
        let (instruction, diagnostics) = parse_statement(&text);
        assert!(instruction.is_some() || !diagnostics.is_empty(), "{text}");
    }
}
