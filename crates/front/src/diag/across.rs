//! Diagnostics about several texts that belong together, in the forms that single ones have.

use super::{Diagnostic, Label, machine};
use crate::link::Inputs;
use crate::source::LineIndex;
use serde_json::{Value, json};
use std::fmt::Write;

/// The labels of a diagnostic by the source they are in, the primary one's first; places count from the source's own start.
fn parts(inputs: &Inputs, diagnostic: &Diagnostic) -> Vec<(usize, Vec<Label>)> {
    let mut parts: Vec<(usize, Vec<Label>)> = Vec::new();
    for label in &diagnostic.labels {
        let (number, span) = inputs.locate(label.span);
        let label = Label { span, text: label.text.clone() };
        match parts.iter_mut().find(|(known, _)| *known == number) {
            Some((_, labels)) => labels.push(label),
            None => parts.push((number, vec![label])),
        }
    }
    parts
}

/// The diagnostic as one of the source that its primary label is in, and that source's number. What is in no source is about the
/// first one.
fn local(inputs: &Inputs, diagnostic: &Diagnostic) -> (usize, Diagnostic) {
    let mut parts = parts(inputs, diagnostic);
    let (number, labels) = if parts.is_empty() { (0, Vec::new()) } else { parts.swap_remove(0) };
    (number, Diagnostic { labels, ..diagnostic.clone() })
}

/// Shows diagnostics of a link for people, as [`human`](super::human) does, each place in its own file.
///
/// ```
/// use margay_front::{Source, diag::across, link::{Options, link}};
/// let text = ".version 8.0\n.target sm_80\n.visible .func f() { ret; }\n";
/// let linked = link(vec![Source::new("a.ptx", text), Source::new("b.ptx", text)], Options::default());
/// let shown = across::human(&linked.inputs, &linked.diagnostics, false, 10);
/// assert!(shown.starts_with("error[P702]: `f` is defined in two inputs\n --> b.ptx:3:16\n"));
/// assert!(shown.contains("::: a.ptx:3:16\n"));
/// ```
pub fn human(inputs: &Inputs, diagnostics: &[Diagnostic], color: bool, limit: usize) -> String {
    let shown = diagnostics.len().min(limit);
    let mut all: Vec<_> = diagnostics[..shown].iter().map(|d| (d, parts(inputs, d))).collect();
    all.extend(diagnostics[shown..].iter().map(|d| (d, Vec::new())));
    super::human::of_parts(inputs.sources(), &all, color, limit)
}

/// At most `limit` diagnostics, one a line, as [`short`](super::short) writes them.
pub fn short(inputs: &Inputs, diagnostics: &[Diagnostic], limit: usize) -> String {
    let mut out = each(inputs, &diagnostics[..diagnostics.len().min(limit)], |source, diagnostic| {
        super::short(source, &[diagnostic], 1)
    });
    if diagnostics.len() > limit {
        let _ = writeln!(out, "{} more diagnostics are not shown", diagnostics.len() - limit);
    }
    out
}

/// One line each, as [`ptxas`](super::ptxas()) writes them.
pub fn ptxas(inputs: &Inputs, diagnostics: &[Diagnostic]) -> String {
    each(inputs, diagnostics, |source, diagnostic| super::ptxas(source, &[diagnostic]))
}

fn each(
    inputs: &Inputs,
    diagnostics: &[Diagnostic],
    show: impl Fn(&crate::source::Source, Diagnostic) -> String,
) -> String {
    let mut out = String::new();
    for diagnostic in diagnostics {
        let (number, local) = local(inputs, diagnostic);
        if let Some(source) = inputs.sources().get(number) {
            out.push_str(&show(source, local));
        }
    }
    out
}

/// One JSON object a line, with the keys that [`json`](super::json()) writes; a label in another file than the primary one
/// has a key `file`, too.
pub fn json(inputs: &Inputs, diagnostics: &[Diagnostic]) -> String {
    let indices: Vec<LineIndex> = inputs.sources().iter().map(|s| LineIndex::new(&s.text)).collect();
    let mut out = String::new();
    for diagnostic in diagnostics {
        let main = diagnostic.span().map_or(0, |span| inputs.locate(span).0);
        let place = |label: &Label| {
            let (number, span) = inputs.locate(label.span);
            let mut value = machine::place(indices.get(number)?, span, &label.text);
            if number != main {
                value["file"] = inputs.sources()[number].name.as_str().into();
            }
            Some(value)
        };
        let labels: Vec<Value> = diagnostic.labels.iter().filter_map(place).collect();
        let object = json!({
            "code": diagnostic.code.name(),
            "severity": diagnostic.severity.word(),
            "message": diagnostic.message,
            "file": inputs.sources().get(main).map_or("", |source| source.name.as_str()),
            "labels": labels,
            "help": diagnostic.help,
        });
        let _ = writeln!(out, "{object}");
    }
    out
}
