//! Diagnostics for people, with the line they are about and a caret under the word.

use super::excerpt::{Excerpt, excerpts};
use super::{Diagnostic, Label, Severity};
use crate::source::{LineIndex, Source};
use crate::visible::visible;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use std::fmt::Write;

/// Shows at most `limit` diagnostics about one text, as rustc shows its own; a last line says how many more there are.
///
/// ```
/// use margay_front::{Diagnostic, Source, Span, diag};
/// let source = Source::new("a.ptx", "ret\n}");
/// let missing = Diagnostic::error(diag::codes::EXPECTED, "expected `;`").label(Span::new(3, 3), "expected `;`");
/// let shown = diag::human(&source, &[missing], false, 100);
/// assert!(shown.starts_with("error[P101]: expected `;`\n --> a.ptx:1:4\n"));
/// ```
pub fn human(source: &Source, diagnostics: &[Diagnostic], color: bool, limit: usize) -> String {
    let index = LineIndex::new(&source.text);
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let mut out = String::new();
    for diagnostic in diagnostics.iter().take(limit) {
        let part = Part { source, index: &index, labels: &diagnostic.labels, first: true };
        out.push_str(&one(&[part], &Finding::from(diagnostic), &renderer));
        out.push_str("\n\n");
    }
    not_shown(&mut out, diagnostics.len(), limit);
    out
}

/// Says how many of `count` diagnostics are more than the limit.
fn not_shown(out: &mut String, count: usize, limit: usize) {
    if count > limit {
        let _ = writeln!(out, "{} more diagnostics are not shown", count - limit);
    }
}

/// Which of several texts, and the labels in it.
pub(super) type Place = (usize, Vec<Label>);

/// As [`human`], for diagnostics whose places are in several texts.
pub(super) fn of_parts(
    sources: &[Source],
    diagnostics: &[(&Diagnostic, Vec<Place>)],
    color: bool,
    limit: usize,
) -> String {
    let indices: Vec<LineIndex> = sources.iter().map(|source| LineIndex::new(&source.text)).collect();
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let mut out = String::new();
    for (diagnostic, places) in diagnostics.iter().take(limit) {
        let part = |(order, (number, labels)): (usize, &Place)| {
            Some((order, sources.get(*number)?, indices.get(*number)?, labels.clone()))
        };
        let known: Vec<_> = places.iter().enumerate().filter_map(part).collect();
        let parts: Vec<Part> = known
            .iter()
            .map(|(order, source, index, labels)| Part { source, index, labels, first: *order == 0 })
            .collect();
        out.push_str(&one(&parts, &Finding::from(*diagnostic), &renderer));
        out.push_str("\n\n");
    }
    not_shown(&mut out, diagnostics.len(), limit);
    out
}

/// Shows an error that has no code, such as one of a running kernel, as [`human`] shows diagnostics.
///
/// ```
/// use margay_front::{Label, Source, Span, diag};
/// let source = Source::new("a.ptx", "trap;");
/// let here = Label { span: Span::new(0, 5), text: "in thread (0, 0, 0)".into() };
/// let shown = diag::human_error(&source, "kernel `k` stopped", &[here], None, false);
/// assert!(shown.starts_with("error: kernel `k` stopped\n --> a.ptx:1:1\n"));
/// ```
pub fn human_error(
    source: &Source,
    message: &str,
    labels: &[Label],
    help: Option<&str>,
    color: bool,
) -> String {
    let finding = Finding { severity: Severity::Error, code: None, message, help };
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let part = Part { source, index: &LineIndex::new(&source.text), labels, first: true };
    one(&[part], &finding, &renderer) + "\n\n"
}

/// What is shown of a diagnostic.
struct Finding<'a> {
    severity: Severity,
    code: Option<&'static str>,
    message: &'a str,
    help: Option<&'a str>,
}

/// A text that a diagnostic points into, and where; the primary place is the first one of the first part.
struct Part<'a> {
    source: &'a Source,
    index: &'a LineIndex<'a>,
    labels: &'a [Label],
    first: bool,
}

impl<'a> From<&'a Diagnostic> for Finding<'a> {
    fn from(diagnostic: &'a Diagnostic) -> Self {
        Finding {
            severity: diagnostic.severity,
            code: Some(diagnostic.code.name()),
            message: &diagnostic.message,
            help: diagnostic.help.as_deref(),
        }
    }
}

fn one(parts: &[Part], diagnostic: &Finding, renderer: &Renderer) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let title = level.primary_title(diagnostic.message);
    let title = match diagnostic.code {
        Some(code) => title.id(code),
        None => title,
    };
    let mut group = Group::with_title(title);
    let shown = |part| excerpts_of(part).into_iter().map(move |excerpt| (part, excerpt));
    let excerpts: Vec<(&Part, Excerpt)> = parts.iter().flat_map(shown).collect();
    if let Some(part) = parts.first().filter(|_| excerpts.is_empty()) {
        group = group.element(Origin::path(visible(&part.source.name)));
    }
    for (part, excerpt) in &excerpts {
        group = group.element(snippet(part, excerpt));
    }
    if let Some(help) = diagnostic.help {
        group = group.element(Level::HELP.message(help));
    }
    let shown = renderer.render(&[group]);
    excerpts.iter().fold(shown, |shown, (part, excerpt)| true_column(shown, part, excerpt))
}

fn excerpts_of(part: &Part) -> Vec<Excerpt> {
    excerpts(&part.source.text, part.index, part.labels)
}

/// The renderer counts columns in the excerpt; where a long line was cut, the column in the whole line is put in.
fn true_column(shown: String, part: &Part, excerpt: &Excerpt) -> String {
    let Some((range, number)) = excerpt.marks.iter().min_by_key(|mark| mark.1) else { return shown };
    let inside = LineIndex::new(&excerpt.text).position(range.start as u32);
    let position = part.index.position(part.labels[*number].span.start);
    if inside.column == position.column {
        return shown;
    }
    let name = format!("{}:{}:", visible(&part.source.name), position.line);
    shown.replacen(&format!("{name}{}\n", inside.column), &format!("{name}{}\n", position.column), 1)
}

fn snippet<'a>(part: &'a Part, excerpt: &'a Excerpt) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    let mut snippet =
        Snippet::source(excerpt.text.as_str()).line_start(excerpt.line).path(visible(&part.source.name));
    for (range, number) in &excerpt.marks {
        let primary = part.first && *number == 0;
        let kind = if primary { AnnotationKind::Primary } else { AnnotationKind::Context };
        let text = part.labels[*number].text.as_str();
        let annotation = kind.span(range.clone());
        snippet = snippet.annotation(if text.is_empty() { annotation } else { annotation.label(text) });
    }
    snippet
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::codes;
    use crate::source::Span;

    fn at(start: u32, end: u32) -> Diagnostic {
        Diagnostic::error(codes::EXPECTED, "expected `;`").label(Span::new(start, end), "here")
    }

    #[test]
    fn the_caret_stands_under_the_word_behind_tabs_and_umlauts() {
        let source = Source::new("a.ptx", "// é\r\n\tadd ü %r1\r\nret");
        let start = source.text.find("%r1").unwrap() as u32;
        let shown = human(&source, &[at(start, start + 3).help("write `;`")], false, 9);
        let expected = "error[P101]: expected `;`
 --> a.ptx:2:8
  |
2 |     add ü %r1
  |           ^^^ here
  |
  = help: write `;`

";
        assert_eq!(shown, expected);
    }

    #[test]
    fn the_place_behind_the_last_character_can_be_shown() {
        for text in ["", "\n", "x", "x\n", "\r\n", "\u{1b}[31m\0", "é"] {
            let source = Source::new("a.ptx", text);
            let end = text.len() as u32;
            let shown = human(&source, &[at(end, end), at(0, end), at(end + 5, end + 9)], true, 9);
            assert!(!shown.contains("[31m\0"));
        }
    }

    #[test]
    fn the_column_in_a_giant_line_is_the_true_one() {
        let source = Source::new("a.ptx", format!("\n{}", "add ".repeat(1000)));
        let shown = human(&source, &[at(2001, 2004)], false, 9);
        assert!(shown.contains(" --> a.ptx:2:2001\n"), "{shown}");
    }

    #[test]
    fn more_than_the_limit_are_counted() {
        let source = Source::new("a.ptx", "x");
        let shown = human(&source, &vec![at(0, 1); 7], false, 2);
        assert!(shown.ends_with("5 more diagnostics are not shown\n"));
        assert_eq!(shown.matches("error[P101]").count(), 2);
    }
}
