//! Diagnostics for programs: one line each, JSON lines, SARIF 2.1.0.

use super::{Diagnostic, Severity};
use crate::source::{LineIndex, Source, Span};
use crate::visible::visible;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;

/// At most `limit` diagnostics, one a line: `file:line:col: error[P101]: message`; a last line says how many more
/// there are.
///
/// ```
/// use margay_front::{Diagnostic, Source, Span, diag};
/// let source = Source::new("a.ptx", "ret\n}");
/// let missing = Diagnostic::error(diag::codes::EXPECTED, "expected `;`").label(Span::new(3, 3), "");
/// assert_eq!(diag::short(&source, &[missing], 100), "a.ptx:1:4: error[P101]: expected `;`\n");
/// ```
pub fn short(source: &Source, diagnostics: &[Diagnostic], limit: usize) -> String {
    let index = LineIndex::new(&source.text);
    let mut out = String::new();
    for diagnostic in diagnostics.iter().take(limit) {
        let position = index.position(diagnostic.span().map_or(0, |span| span.start));
        let (name, line, column) = (visible(&source.name), position.line, position.column);
        let (word, code, message) =
            (diagnostic.severity.word(), diagnostic.code, one_line(&diagnostic.message));
        let _ = writeln!(out, "{name}:{line}:{column}: {word}[{code}]: {message}");
    }
    if diagnostics.len() > limit {
        let _ = writeln!(
            out,
            "{}: {} more diagnostics are not shown",
            visible(&source.name),
            diagnostics.len() - limit
        );
    }
    out
}

pub(super) fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// One JSON object a line. Lines and columns count from 1, columns in characters; `start` and `end` are bytes from 0.
///
/// Keys: `code`, `severity`, `message`, `file`, `labels` (the primary first; each with `text`, `line`, `column`,
/// `end_line`, `end_column`, `start`, `end`), and `help` (null where there is none).
pub fn json(source: &Source, diagnostics: &[Diagnostic]) -> String {
    let index = LineIndex::new(&source.text);
    let mut out = String::new();
    for diagnostic in diagnostics {
        let labels: Vec<Value> =
            diagnostic.labels.iter().map(|label| place(&index, label.span, &label.text)).collect();
        let object = json!({
            "code": diagnostic.code.name(),
            "severity": diagnostic.severity.word(),
            "message": diagnostic.message,
            "file": source.name,
            "labels": labels,
            "help": diagnostic.help,
        });
        let _ = writeln!(out, "{object}");
    }
    out
}

pub(super) fn place(index: &LineIndex, span: Span, text: &str) -> Value {
    let (start, end) = (index.position(span.start), index.position(span.end));
    json!({
        "text": text,
        "line": start.line,
        "column": start.column,
        "end_line": end.line,
        "end_column": end.column,
        "start": span.start,
        "end": span.end,
    })
}

/// One SARIF 2.1.0 log for the diagnostics of any number of texts; `unread` says of others why they could not be read.
pub fn sarif(results: &[(&Source, &[Diagnostic])], unread: &[String]) -> String {
    let mut rules = BTreeMap::new();
    let mut entries = Vec::new();
    for (source, diagnostics) in results {
        let index = LineIndex::new(&source.text);
        for diagnostic in *diagnostics {
            rules.entry(diagnostic.code.name()).or_insert(diagnostic.code);
            entries.push(sarif_result(source, &index, diagnostic));
        }
    }
    let rules: Vec<Value> = rules
        .values()
        .map(|code| {
            json!({
                "id": code.name(),
                "shortDescription": {"text": code.entry().title},
                "fullDescription": {"text": code.entry().explanation},
                "help": {"text": format!("`margay explain {}` shows an example", code.name())},
            })
        })
        .collect();
    let driver = json!({
        "name": "margay",
        "version": env!("CARGO_PKG_VERSION"),
        "rules": rules,
    });
    let failures: Vec<Value> =
        unread.iter().map(|message| json!({"level": "error", "message": {"text": message}})).collect();
    let mut invocation = json!({"executionSuccessful": failures.is_empty()});
    if !failures.is_empty() {
        invocation["toolExecutionNotifications"] = failures.into();
    }
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": driver},
            "invocations": [invocation],
            "columnKind": "unicodeCodePoints",
            "results": entries,
        }],
    });
    format!("{log}\n")
}

fn sarif_result(source: &Source, index: &LineIndex, diagnostic: &Diagnostic) -> Value {
    let level = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    let location = |span: Option<Span>, text: &str| {
        let mut physical = json!({"artifactLocation": {"uri": uri(&source.name)}});
        if let Some(span) = span {
            let (start, end) = (index.position(span.start), index.position(span.end));
            physical["region"] = json!({
                "startLine": start.line,
                "startColumn": start.column,
                "endLine": end.line,
                "endColumn": end.column,
            });
        }
        let mut value = json!({"physicalLocation": physical});
        if !text.is_empty() {
            value["message"] = json!({"text": text});
        }
        value
    };
    let primary = diagnostic.labels.first();
    let mut value = json!({
        "ruleId": diagnostic.code.name(),
        "level": level,
        "message": {"text": diagnostic.help.as_ref().map_or_else(
            || diagnostic.message.clone(),
            |help| format!("{}; {help}", diagnostic.message),
        )},
        "locations": [location(primary.map(|label| label.span), primary.map_or("", |label| &label.text))],
    });
    if diagnostic.labels.len() > 1 {
        let related = diagnostic.labels[1..].iter().map(|label| location(Some(label.span), &label.text));
        value["relatedLocations"] = related.collect();
    }
    value
}

/// A file name as a relative or absolute URI reference: what a URI reserves is escaped.
fn uri(name: &str) -> String {
    let mut out = String::new();
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                out.push(byte as char)
            }
            _ => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::codes;

    fn sample() -> (Source, Diagnostic) {
        let source = Source::new("my file.ptx", "é\nret\n");
        let diagnostic = Diagnostic::error(codes::EXPECTED, "expected `;`\nreally")
            .label(Span::new(6, 6), "here")
            .label(Span::new(3, 6), "behind this");
        (source, diagnostic.help("write it"))
    }

    #[test]
    fn a_short_line_is_one_line() {
        let (source, diagnostic) = sample();
        let shown = short(&source, &[diagnostic.clone(), diagnostic], 1);
        let first = "my file.ptx:2:4: error[P101]: expected `;` really";
        assert_eq!(shown, format!("{first}\nmy file.ptx: 1 more diagnostics are not shown\n"));
    }

    #[test]
    fn json_is_one_object_a_line() {
        let (source, diagnostic) = sample();
        let shown = json(&source, &[diagnostic.clone(), diagnostic]);
        for line in shown.lines() {
            let value: Value = serde_json::from_str(line).unwrap();
            assert_eq!(value["labels"][1]["line"], 2);
            assert_eq!(value["labels"][1]["end_column"], 4);
            assert_eq!(value["help"], "write it");
        }
        assert_eq!(shown.lines().count(), 2);
    }

    #[test]
    fn sarif_names_rule_and_region() {
        let (source, diagnostic) = sample();
        let log: Value = serde_json::from_str(&sarif(&[(&source, &[diagnostic])], &[])).unwrap();
        let result = &log["runs"][0]["results"][0];
        assert_eq!(result["ruleId"], "P101");
        let location = &result["locations"][0]["physicalLocation"];
        assert_eq!(location["artifactLocation"]["uri"], "my%20file.ptx");
        assert_eq!(location["region"]["startColumn"], 4);
        assert_eq!(log["runs"][0]["tool"]["driver"]["rules"][0]["id"], "P101");
    }
}
