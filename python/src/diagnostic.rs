//! Diagnostics as Python objects.

use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use margay::front::check::{Checked, Options, check as check_source};
use margay::front::link::Inputs;
use margay::front::source::LineIndex;
use margay::front::{Diagnostic as Found, Source, Span, diag};
use margay::isa::Target;
use margay::problem::Problem;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::patience::patiently;
use crate::raise;

/// A place in a PTX text and what is wrong there.
#[pyclass(frozen, get_all, eq, module = "margay")]
#[derive(Clone, PartialEq)]
pub struct Label {
    /// What is wrong there; may be empty.
    text: String,
    /// The line of its first character, from 1.
    line: u32,
    /// The column of its first character, from 1.
    column: u32,
    /// The line of its end.
    end_line: u32,
    /// The column behind its last character.
    end_column: u32,
}

/// One finding about a PTX text.
#[pyclass(frozen, get_all, eq, module = "margay")]
#[derive(Clone, PartialEq)]
pub struct Diagnostic {
    /// The stable code, such as `P303`; `margay.explain` explains it.
    code: &'static str,
    /// `error`, `warning` or `note`.
    severity: &'static str,
    /// One phrase.
    message: String,
    /// The line of the primary place, from 1; None if it is about the whole text.
    line: Option<u32>,
    /// The column of the primary place, from 1.
    column: Option<u32>,
    /// The places, the primary one first.
    labels: Vec<Label>,
    /// What to write instead.
    help: Option<String>,
    /// All of it as the command shows it, with the line and a caret.
    text: String,
}

#[pymethods]
impl Label {
    fn __repr__(&self) -> String {
        format!("Label({}:{}: {})", self.line, self.column, self.text)
    }
}

#[pymethods]
impl Diagnostic {
    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self) -> String {
        let place = self.line.zip(self.column).map_or_else(String::new, |(l, c)| format!(" at {l}:{c}"));
        format!("<{}[{}]{place}: {}>", self.severity, self.code, self.message)
    }
}

/// Diagnostics about a text.
pub fn list(source: &Source, found: &[Found]) -> Vec<Diagnostic> {
    let index = LineIndex::new(&source.text);
    let one = |found: &Found| {
        let labels = found.labels.iter().map(|label| place(&index, label.span, &label.text)).collect();
        let text = diag::human(source, std::slice::from_ref(found), false, 1);
        of(found, labels, &text)
    };
    found.iter().map(one).collect()
}

/// Diagnostics about several texts; each place counts from the start of its own.
pub fn across(inputs: &Inputs, found: &[Found]) -> Vec<Diagnostic> {
    let indices: Vec<LineIndex> = inputs.sources().iter().map(|s| LineIndex::new(&s.text)).collect();
    let label = |label: &margay::front::Label| {
        let (number, span) = inputs.locate(label.span);
        indices.get(number).map(|index| place(index, span, &label.text))
    };
    let one = |found: &Found| {
        let labels = found.labels.iter().filter_map(label).collect();
        let text = diag::across::human(inputs, std::slice::from_ref(found), false, 1);
        of(found, labels, &text)
    };
    found.iter().map(one).collect()
}

fn place(index: &LineIndex, span: Span, text: &str) -> Label {
    let (start, end) = (index.position(span.start), index.position(span.end));
    Label {
        text: text.to_string(),
        line: start.line,
        column: start.column,
        end_line: end.line,
        end_column: end.column,
    }
}

fn of(found: &Found, labels: Vec<Label>, text: &str) -> Diagnostic {
    Diagnostic {
        code: found.code.name(),
        severity: found.severity.word(),
        message: found.message.clone(),
        line: labels.first().map(|label| label.line),
        column: labels.first().map(|label| label.column),
        labels,
        help: found.help.clone(),
        text: text.trim_end().to_string(),
    }
}

/// The target of a name, if one is given.
pub fn target(py: Python, name: Option<&str>) -> PyResult<Option<Target>> {
    let named = |name: &str| {
        let wrong = || Problem::new(format!("`{name}` is not a target")).help("write one such as `sm_90`");
        name.parse().map_err(|()| raise::call_error(py, &wrong()))
    };
    name.map(named).transpose()
}

/// Judges a text; see `margay.check`.
#[pyfunction]
pub fn check(py: Python, text: &[u8], name: &str, target: Option<&str>) -> PyResult<Vec<Diagnostic>> {
    let options = Options { target: self::target(py, target)?, ..Options::default() };
    let (source, checked) = checked(py, Source::from_bytes(name, text.to_vec()), options)?;
    Ok(list(&source, &checked.diagnostics))
}

/// Texts of so many bytes are judged by a thread of their own, while this one looks for signals.
const LARGE: usize = 1 << 20;
/// How often it looks.
const GLANCE: Duration = Duration::from_millis(20);

/// Judges a text without the interpreter's lock. Ctrl-C ends the call; what has begun to judge a large text then ends by itself.
pub fn checked(py: Python, source: Source, options: Options) -> PyResult<(Source, Checked)> {
    if source.text.len() < LARGE {
        let checked = py.detach(|| check_source(&source, options));
        return Ok((source, checked));
    }
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let checked = check_source(&source, options);
        // Nobody waits any more after Ctrl-C.
        let _ = send.send((source, checked));
    });
    let ended = patiently(py, move |patience| {
        loop {
            match receive.recv_timeout(GLANCE) {
                Ok(done) => return Some(done),
                Err(RecvTimeoutError::Timeout) if !patience.cancel.load(Ordering::Relaxed) => patience.look(),
                Err(_) => return None,
            }
        }
    })?;
    ended.ok_or_else(|| PyRuntimeError::new_err("margay itself went wrong"))
}
