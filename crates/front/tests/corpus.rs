//! What real compilers write parses without a finding, and prints back to text that says the same.

mod support;

use margay_front::ast::{File, TriviaKind};
use margay_front::{Source, diag, parse, print};

/// The tree as text, places left out.
fn shape(file: &File) -> String {
    const SPAN: &str = "Span { start: ";
    let whole = format!("{:?}", file.items);
    let mut parts = whole.split(SPAN);
    let mut out = parts.next().unwrap_or("").to_string();
    for part in parts {
        out.push_str(part.split_once('}').map_or(part, |(_, rest)| rest));
    }
    out
}

fn comments(file: &File) -> Vec<String> {
    let text = |kind: &TriviaKind| match kind {
        TriviaKind::Comment(text) => Some(text.to_string()),
        TriviaKind::Blank => None,
    };
    let mut all: Vec<_> = file.trivia.iter().filter_map(|trivia| text(&trivia.kind)).collect();
    all.sort();
    all
}

fn parse_clean(name: &str, text: &str) -> File {
    let source = Source::new(name, text);
    let parsed = parse(&source);
    assert!(parsed.diagnostics.is_empty(), "{}", diag::human(&source, &parsed.diagnostics, false, 5));
    parsed.file
}

fn round_trip(name: &str, text: &str) {
    let first = parse_clean(name, text);
    let printed = print(&first);
    let second = parse_clean(name, &printed);
    assert!(shape(&first) == shape(&second), "{name}: printing changes the tree\n{printed}");
    assert_eq!(comments(&first), comments(&second), "{name}: comments");
    assert_eq!(printed, print(&second), "{name}: printing is no fixpoint");
}

#[test]
fn the_corpus_parses_and_prints_back() {
    let corpus = support::corpus();
    assert_eq!(corpus.len(), 171);
    for (name, text) in &corpus {
        round_trip(name, text);
    }
}

#[test]
fn nothing_of_the_corpus_is_skipped() {
    for (name, text) in support::corpus() {
        let statements = |text: &str| text.matches(';').count();
        let without_comments: String =
            text.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n");
        let printed: String = print(&parse_clean(&name, &without_comments));
        let empty = without_comments.matches(";;").count();
        assert_eq!(statements(&without_comments) - empty, statements(&printed), "{name}");
        for word in [".loc", ".file", ".section", ".b8", ".pragma", ".maxntid", ".reqntid", ".align", ".ptr"]
        {
            let count = |text: &str| {
                let blank = |c: char| c.is_whitespace();
                text.split(blank).filter(|token| *token == word).count()
            };
            assert_eq!(count(&without_comments), count(&printed), "{name}: {word}");
        }
    }
}

#[test]
fn everything_the_grammar_has_prints_back() {
    round_trip("all.ptx", include_str!("data/all.ptx"));
}
