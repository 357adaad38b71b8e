//! What `--deny` and `--allow` make of findings.

use margay::explain;
use margay::problem::Problem;
use margay_front::{Code, Diagnostic, Severity};

/// What an option names: a code, or all findings of a severity.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Named {
    /// `P902`
    Code(Code),
    /// `warnings` or `notes`
    Severity(Severity),
}

/// Reads a name on the command line.
pub fn named(text: &str) -> Result<Named, String> {
    match text {
        "warnings" => Ok(Named::Severity(Severity::Warning)),
        "notes" => Ok(Named::Severity(Severity::Note)),
        _ => Code::find(text).map(Named::Code).ok_or_else(|| {
            let meant = explain::code_meant(text)
                .map_or_else(String::new, |code| format!(": did you mean `{code}`?"));
            format!("expected a code such as `P902`, `warnings` or `notes`{meant}")
        }),
    }
}

/// Which findings count as errors, and which are left out.
pub struct Policy {
    deny: Vec<Named>,
    allow: Vec<Named>,
}

impl Policy {
    /// What the options ask for.
    ///
    /// # Errors
    /// If they ask for both at once.
    pub fn new(deny: Vec<Named>, allow: Vec<Named>) -> Result<Policy, Problem> {
        if let Some(both) = deny.iter().find(|named| allow.contains(named)) {
            let name = match both {
                Named::Code(code) => code.name().to_string(),
                Named::Severity(severity) => format!("{}s", severity.word()),
            };
            let problem = Problem::new(format!("`{name}` is both denied and allowed"));
            return Err(problem.help("leave out `--deny` or `--allow` for it"));
        }
        Ok(Policy { deny, allow })
    }

    /// Leaves out what is allowed and makes errors of what is denied. A code that is named counts for more than a severity;
    /// an error stays one.
    pub fn apply(&self, diagnostics: &mut Vec<Diagnostic>) {
        diagnostics.retain_mut(|diagnostic| {
            if diagnostic.severity == Severity::Error {
                return true;
            }
            let code = Named::Code(diagnostic.code);
            let severity = Named::Severity(diagnostic.severity);
            let (denied, allowed) = match (self.deny.contains(&code), self.allow.contains(&code)) {
                (false, false) => (self.deny.contains(&severity), self.allow.contains(&severity)),
                named => named,
            };
            if denied {
                diagnostic.severity = Severity::Error;
            }
            denied || !allowed
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use margay_front::diag::codes;

    fn left(deny: &[&str], allow: &[&str]) -> Vec<(Severity, &'static str)> {
        let read =
            |names: &[&str]| names.iter().map(|name| named(name).unwrap_or_else(|e| panic!("{e}"))).collect();
        let mut found = vec![
            Diagnostic::error(codes::EXPECTED, "an error"),
            Diagnostic::warning(codes::INVALID_UTF8, "a warning"),
            Diagnostic::note(codes::NOT_RUN, "a note"),
        ];
        Policy::new(read(deny), read(allow)).map_err(|p| p.message).unwrap().apply(&mut found);
        found.iter().map(|d| (d.severity, d.code.name())).collect()
    }

    #[test]
    fn a_code_counts_for_more_than_a_severity_and_errors_stay() {
        use Severity::{Error, Note, Warning};
        let [e, w, n] = [codes::EXPECTED, codes::INVALID_UTF8, codes::NOT_RUN].map(Code::name);
        assert_eq!(left(&[], &[]), [(Error, e), (Warning, w), (Note, n)]);
        assert_eq!(left(&["warnings"], &[]), [(Error, e), (Error, w), (Note, n)]);
        assert_eq!(left(&[n], &["notes"]), [(Error, e), (Warning, w), (Error, n)]);
        assert_eq!(left(&["warnings"], &[w]), [(Error, e), (Note, n)]);
        assert_eq!(left(&[], &[e, "warnings", "notes"]), [(Error, e)]);
        assert!(Policy::new(vec![Named::Code(codes::NOT_RUN)], vec![Named::Code(codes::NOT_RUN)]).is_err());
        assert!(
            named("P9").is_err_and(
                |message| message.contains("did you mean `P900`?") || message.contains("expected")
            )
        );
    }
}
