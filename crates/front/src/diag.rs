//! What margay says about a text: diagnostics with stable codes, and the forms they are shown in.

pub mod across;
pub mod codes;
mod excerpt;
mod human;
mod machine;
mod ptxas;

pub use codes::{Code, Entry};
pub use human::{human, human_error};
pub use machine::{json, sarif, short};
pub use ptxas::ptxas;

use crate::source::Span;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing; nothing is wrong.
    Note,
    /// Legal, and probably not what was meant.
    Warning,
    /// Not legal: no module is made.
    Error,
}

impl Severity {
    /// `error`, `warning`, `note`.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// One finding about a source text.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// The stable code, whose explanation `margay explain` prints.
    pub code: Code,
    /// How bad it is.
    pub severity: Severity,
    /// One lower-case phrase; the user's own words in backticks.
    pub message: String,
    /// Where, the primary place first. Without a place it is about the whole text.
    pub labels: Vec<Label>,
    /// What to write instead.
    pub help: Option<String>,
}

/// A place in the text and what is wrong there.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// What is wrong there; may be empty.
    pub text: String,
}

impl Diagnostic {
    /// A diagnostic of any severity, without a place yet.
    pub fn new(code: Code, severity: Severity, message: impl Into<String>) -> Diagnostic {
        Diagnostic { code, severity, message: message.into(), labels: Vec::new(), help: None }
    }

    /// An error, without a place yet.
    ///
    /// ```
    /// use margay_front::{Diagnostic, Span, diag::codes};
    /// let d = Diagnostic::error(codes::EXPECTED, "expected `;`, found `add`")
    ///     .label(Span::new(10, 13), "a new statement starts here")
    ///     .help("end the statement before it with `;`");
    /// assert_eq!(d.code.to_string(), "P101");
    /// ```
    pub fn error(code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(code, Severity::Error, message)
    }

    /// A warning, without a place yet.
    pub fn warning(code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(code, Severity::Warning, message)
    }

    /// A note, without a place yet.
    pub fn note(code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(code, Severity::Note, message)
    }

    /// Adds a place; the first added is the primary one.
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Says what to write instead.
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    /// The primary place.
    pub fn span(&self) -> Option<Span> {
        self.labels.first().map(|label| label.span)
    }
}

/// Collects diagnostics up to a limit, so that a text of nothing but errors takes bounded memory.
#[derive(Clone, Debug, Default)]
pub struct Sink {
    list: Vec<Diagnostic>,
    dropped: usize,
    errors: usize,
}

impl Sink {
    /// How many are kept; more are only counted.
    pub const LIMIT: usize = 1000;

    /// Takes one in; where the limit is reached, one of the first errors takes the place of what is none.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let is_error = diagnostic.severity == Severity::Error;
        self.errors += usize::from(is_error);
        if self.list.len() < Sink::LIMIT {
            self.list.push(diagnostic);
            return;
        }
        self.dropped += 1;
        if is_error && self.errors <= Sink::LIMIT / 2 {
            let in_the_way = self.list.iter_mut().rev().find(|kept| kept.severity != Severity::Error);
            in_the_way.into_iter().for_each(|kept| *kept = diagnostic.clone());
        }
    }

    /// Whether so many errors came in that looking for more is no use.
    pub fn is_full(&self) -> bool {
        self.errors >= Sink::LIMIT
    }

    /// How many errors came in, kept or not.
    pub fn errors(&self) -> usize {
        self.errors
    }

    /// The diagnostics in the order of their places; a last one says how many more there were.
    pub fn finish(mut self) -> Vec<Diagnostic> {
        self.list.sort_by_key(|d| d.span().map_or(0, |span| span.start));
        if self.is_full() {
            let message = format!("{} errors: stopping here", self.errors);
            self.list.push(Diagnostic::error(codes::TOO_MANY, message));
        } else if self.dropped > 0 {
            let severity = if self.errors > 0 { Severity::Error } else { Severity::Note };
            let message = format!("{} more diagnostics are not shown", self.dropped);
            self.list.push(Diagnostic::new(codes::TOO_MANY, severity, message));
        }
        self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sink_keeps_a_limited_number_and_says_how_many_more_there_were() {
        let mut sink = Sink::default();
        for place in (0..Sink::LIMIT as u32 + 7).rev() {
            sink.push(Diagnostic::warning(codes::EXPECTED, "x").label(Span::new(place, place), ""));
        }
        assert_eq!((sink.errors(), sink.is_full()), (0, false));
        let list = sink.finish();
        assert_eq!(list.len(), Sink::LIMIT + 1);
        assert_eq!(list.last().unwrap().message, "7 more diagnostics are not shown");
        assert!(list[0].span() < list[1].span());
    }

    #[test]
    fn notes_never_crowd_out_an_error() {
        let mut sink = Sink::default();
        for _ in 0..Sink::LIMIT {
            sink.push(Diagnostic::note(codes::NOT_RUN, "x"));
        }
        sink.push(Diagnostic::error(codes::EXPECTED, "y"));
        assert_eq!(sink.finish().iter().filter(|d| d.code == codes::EXPECTED).count(), 1);
    }

    #[test]
    fn a_full_sink_says_that_no_more_errors_are_looked_for() {
        let mut sink = Sink::default();
        (0..Sink::LIMIT).for_each(|_| sink.push(Diagnostic::error(codes::EXPECTED, "x")));
        assert!(sink.is_full());
        assert_eq!(sink.finish().last().unwrap().code, codes::TOO_MANY);
    }
}
