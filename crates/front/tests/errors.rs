//! Each diagnostic in a text of its own: the place it points at is marked in the text, its picture stands beside it.
//!
//! Below a line with an error stands `//`, carets under the place, and the code; `//<` stands for the line's first
//! column. A text that begins with `//// NAME` holds several files, which are linked;
//! sums that may be contracted are looked for in one that begins with `// --contract`. `BLESS=1 cargo test -p margay-front --test errors` writes the marks and the pictures anew: look at the change.

mod support;

use margay_front::check::{Options, check};
use margay_front::diag::{self, across, codes};
use margay_front::link::{Linked, link};
use margay_front::source::LineIndex;
use margay_front::{Code, Diagnostic, Source, Span};
use std::fs;
use std::path::{Path, PathBuf};

/// Codes whose text is too long to be kept: `tests/hostile.rs` shows them.
const GENERATED: &[Code] = &[codes::TOO_LARGE, codes::TOO_MANY, codes::TOO_DEEP, codes::TOO_LONG];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/errors")
}

fn is_mark(line: &str) -> bool {
    let inside = line.trim_start().strip_prefix("//").map(|rest| rest.trim_start_matches([' ', '^', '<']));
    inside.is_some_and(|code| {
        code.len() == 4 && code.starts_with('P') && code[1..].bytes().all(|b| b.is_ascii_digit())
    })
}

/// The mark that belongs below the line of a diagnostic's place.
fn mark(diagnostic: &Diagnostic, index: &LineIndex) -> (usize, String) {
    let Some(span) = diagnostic.span() else { return (0, format!("//< {}", diagnostic.code)) };
    let (start, end) = (index.position(span.start), index.position(span.end));
    let column = start.column as usize - 1;
    let length = if end.line == start.line { (end.column - start.column).max(1) } else { 1 };
    let carets = "^".repeat(length as usize);
    let code = diagnostic.code;
    let line = match column {
        0 | 1 => format!("//< {code}"),
        _ => format!("//{}{carets} {code}", " ".repeat(column - 2)),
    };
    (start.line as usize - 1, line)
}

fn diagnose(source: &Source) -> Vec<Diagnostic> {
    match support::files(&source.text) {
        Some(files) => in_one_text(&files),
        None => {
            let contractions = source.text.starts_with("// --contract");
            check(source, Options { contractions, ..Options::default() }).diagnostics
        }
    }
}

fn link_all(files: &[(usize, Source)]) -> Linked {
    link(files.iter().map(|(_, file)| file.clone()).collect(), Default::default())
}

/// What linking says, with places in the text that holds all files.
fn in_one_text(files: &[(usize, Source)]) -> Vec<Diagnostic> {
    let linked = link_all(files);
    let mut diagnostics = linked.diagnostics.clone();
    for label in diagnostics.iter_mut().flat_map(|d| &mut d.labels) {
        let (number, span) = linked.inputs.locate(label.span);
        let start = files[number].0 as u32;
        label.span = Span::new(span.start + start, span.end + start);
    }
    diagnostics
}

/// The text without its marks, and with the marks that its diagnostics deserve.
fn marked(text: &str) -> String {
    let lines: Vec<_> = text.lines().filter(|line| !is_mark(line)).collect();
    let plain: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let source = Source::from_bytes("x.ptx", bytes(&plain));
    let index = LineIndex::new(&source.text);
    let marks: Vec<_> = diagnose(&source).iter().map(|d| mark(d, &index)).collect();
    let mut out = String::new();
    for (k, line) in lines.iter().enumerate() {
        out += &format!("{line}\n");
        let below = |place: usize| place == k || (place >= lines.len() && k + 1 == lines.len());
        marks.iter().filter(|(place, _)| below(*place)).for_each(|(_, mark)| out += &format!("{mark}\n"));
    }
    out
}

/// U+FFFD stands for a byte that is no character.
fn bytes(text: &str) -> Vec<u8> {
    text.split('\u{fffd}').map(str::as_bytes).collect::<Vec<_>>().join(&0xff)
}

fn picture(name: &str, text: &str) -> String {
    if let Some(files) = support::files(text) {
        let linked = link_all(&files);
        return across::human(&linked.inputs, &linked.diagnostics, false, 100);
    }
    let source = Source::from_bytes(name, bytes(text));
    diag::human(&source, &diagnose(&source), false, 100)
}

#[test]
fn diagnostics_point_where_the_marks_are_and_look_like_their_pictures() {
    let bless = std::env::var_os("BLESS").is_some();
    let mut wrong = Vec::new();
    for entry in fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "ptx") {
            continue;
        }
        let name = path.file_name().unwrap().to_str().unwrap().to_string();
        let text = fs::read_to_string(&path).unwrap();
        let expected = marked(&text);
        let shown = picture(&name, &expected);
        let beside = path.with_extension("txt");
        if bless {
            fs::write(&path, &expected).unwrap();
            fs::write(&beside, &shown).unwrap();
        } else if text != expected || fs::read_to_string(&beside).ok() != Some(shown.clone()) {
            wrong.push(format!("{name}:\n{expected}\n{shown}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_code_has_a_text_that_shows_it() {
    for code in codes::all().filter(|code| !GENERATED.contains(code)) {
        let path = folder().join(format!("{code}.ptx"));
        let text = fs::read_to_string(&path).unwrap_or_default();
        let shown = text.lines().any(|line| is_mark(line) && line.ends_with(code.name()));
        assert!(shown, "{}", path.display());
    }
}
