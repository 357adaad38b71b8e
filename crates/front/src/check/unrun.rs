//! Legal instructions that margay does not run: noted once for each form in a module.

use super::Checker;
use super::state::Found;
use crate::diag::{Code, Diagnostic};
use crate::source::Span;

impl Checker {
    /// Takes note of an instruction that is not run.
    pub(super) fn not_run(&mut self, code: Code, form: String, section: &'static str, first: Span) {
        self.unrun.entry(form).or_insert(Found { code, section, first, count: 0 }).count += 1;
    }

    /// Says what is not run.
    pub(super) fn report_unrun(&mut self) {
        for (form, found) in std::mem::take(&mut self.unrun) {
            let message = format!("`{form}` is legal, but margay does not run it yet");
            let times =
                if found.count > 1 { format!(", the first of {}", found.count) } else { String::new() };
            let label = format!("manual section {}{times}", found.section);
            self.report(Diagnostic::note(found.code, message).label(found.first, label));
        }
    }
}
