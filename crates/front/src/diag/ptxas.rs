//! Diagnostics in the lines of NVIDIA's assembler, for build systems that read those.

use super::machine::one_line;
use super::{Diagnostic, Severity};
use crate::source::{LineIndex, Source};
use std::fmt::Write;

/// The column of words before the colon is eight wide.
fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error   ",
        Severity::Warning => "warning ",
        Severity::Note => "info    ",
    }
}

/// One diagnostic a line, `ptxas FILE, line N; error   : MESSAGE [CODE]; HELP`; where the place is not known, or is the
/// whole text, `ptxas error   : …`. Lines count from 1.
///
/// ```
/// use margay_front::{Diagnostic, Source, Span, diag};
/// let source = Source::new("a.ptx", "ret\n}");
/// let missing = Diagnostic::error(diag::codes::EXPECTED, "expected `;`").label(Span::new(3, 3), "");
/// let shown = diag::ptxas(&source, &[missing.help("end the statement with it")]);
/// assert_eq!(shown, "ptxas a.ptx, line 1; error   : expected `;` [P101]; end the statement with it\n");
/// ```
pub fn ptxas(source: &Source, diagnostics: &[Diagnostic]) -> String {
    let index = LineIndex::new(&source.text);
    let mut out = String::new();
    for diagnostic in diagnostics {
        let place = diagnostic.span().map_or_else(String::new, |span| {
            format!("{}, line {}; ", one_line(&source.name), index.line_of(span.start) + 1)
        });
        let (word, code, message) =
            (word(diagnostic.severity), diagnostic.code, one_line(&diagnostic.message));
        let help =
            diagnostic.help.as_deref().map_or_else(String::new, |help| format!("; {}", one_line(help)));
        let _ = writeln!(out, "ptxas {place}{word}: {message} [{code}]{help}");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::codes;
    use crate::source::Span;

    #[test]
    fn each_severity_has_its_word_and_a_diagnostic_is_one_line() {
        let source = Source::new("my\nfile.ptx", "a\nb\nc");
        let at = |start| Span::new(start, start + 1);
        let list = [
            Diagnostic::error(codes::EXPECTED, "x\ny").label(at(4), "").label(at(0), "").help("p\nq"),
            Diagnostic::warning(codes::EXPECTED, "x").label(at(2), ""),
            Diagnostic::note(codes::NOT_RUN, "x").label(at(0), ""),
            Diagnostic::error(codes::TOO_MANY, "x"),
        ];
        let shown = ptxas(&source, &list);
        let wanted = [
            "ptxas my file.ptx, line 3; error   : x y [P101]; p q".to_string(),
            "ptxas my file.ptx, line 2; warning : x [P101]".to_string(),
            format!("ptxas my file.ptx, line 1; info    : x [{}]", codes::NOT_RUN),
            format!("ptxas error   : x [{}]", codes::TOO_MANY),
        ];
        assert_eq!(shown.lines().collect::<Vec<_>>(), wanted);
    }
}
