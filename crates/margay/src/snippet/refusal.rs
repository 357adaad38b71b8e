//! Why a text is no snippet, at its place in the text.

use std::fmt;

use margay_front::{Diagnostic, Label, Severity, Source, Span, diag};

use crate::problem::Problem;

/// What is wrong with an instruction, a template or constraints.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// The text that it is about, called `instruction`, `template` or `constraints`.
    pub source: Source,
    /// What PTX has against it: all errors, and the warnings among them. Empty if something else is wrong.
    pub diagnostics: Vec<Diagnostic>,
    /// What else is wrong.
    pub other: Option<Box<Other>>,
}

/// Something wrong that is no matter of PTX.
#[derive(Clone, Debug, PartialEq)]
pub struct Other {
    /// What it is.
    pub problem: Problem,
    /// Where; nowhere in particular if there is none.
    pub labels: Vec<Label>,
}

impl Refusal {
    pub(super) fn text(source: Source, diagnostics: Vec<Diagnostic>) -> Refusal {
        Refusal { source, diagnostics, other: None }
    }

    pub(super) fn problem(source: Source, problem: Problem) -> Refusal {
        let other = Some(Box::new(Other { problem, labels: Vec::new() }));
        Refusal { source, diagnostics: Vec::new(), other }
    }

    pub(super) fn at(mut self, span: Span, text: impl Into<String>) -> Refusal {
        let label = Label { span, text: text.into() };
        self.other.iter_mut().for_each(|other| other.labels.push(label.clone()));
        self
    }

    /// The first thing that is wrong, as one phrase.
    pub fn message(&self) -> &str {
        let worst = self.diagnostics.iter().max_by_key(|d| (d.severity, std::cmp::Reverse(d.span())));
        match (&self.other, worst) {
            (Some(other), _) => &other.problem.message,
            (None, Some(diagnostic)) => &diagnostic.message,
            (None, None) => "",
        }
    }

    /// All of it with its places, as the command shows errors.
    pub fn human(&self, color: bool) -> String {
        match self.other.as_deref() {
            Some(Other { problem: Problem { message, help }, labels }) => {
                diag::human_error(&self.source, message, labels, help.as_deref(), color)
            }
            None => diag::human(&self.source, &self.diagnostics, color, usize::MAX),
        }
    }

    /// As one phrase with help, without places.
    pub fn into_problem(self) -> Problem {
        if let Some(other) = self.other {
            return other.problem;
        }
        let first = self.diagnostics.into_iter().find(|d| d.severity == Severity::Error);
        let (message, help) = first.map_or_else(Default::default, |d| (d.message, d.help));
        Problem { message, help }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())
    }
}

impl std::error::Error for Refusal {}
