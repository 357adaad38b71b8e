//! What sanitizers found, for people and for programs.

use margay::report;
use margay_exec::{Finding, Sanitize, Sanitizer};

use super::Launched;
use crate::command::{Outcome, colored, say, show_text};

/// How many findings are shown to people where they do not say.
const SHOWN: usize = 100;

/// The names of what is watched for.
pub fn names(sanitize: Sanitize) -> Vec<&'static str> {
    let asked = [
        (sanitize.race, Sanitizer::Race),
        (sanitize.init, Sanitizer::Init),
        (sanitize.sync, Sanitizer::Sync),
    ];
    let asked = asked.into_iter().filter(|(on, _)| *on).map(|(_, sanitizer)| sanitizer.name());
    ["memory"].into_iter().chain(asked).collect()
}

impl Launched<'_> {
    /// What the exit code is where the kernel went wrong.
    pub(super) fn wrong(&self) -> Outcome {
        self.plan.options.error_exitcode.map_or(Outcome::Findings, Outcome::Wrong)
    }

    /// Findings as a report has them.
    pub(super) fn findings(&self, findings: &[Finding]) -> Vec<report::Finding> {
        findings.iter().map(|finding| self.located().finding(finding)).collect()
    }

    /// Shows findings to people, up to the limit.
    pub(super) fn tell_findings(&self, findings: &[Finding]) {
        let limit = self.plan.options.print_limit.unwrap_or(SHOWN);
        let kernel = &self.module.function(self.entry).name;
        for finding in findings.iter().take(limit) {
            show_text(&self.located().finding_text(finding, kernel, colored()));
        }
        if findings.len() > limit {
            let left = findings.len() - limit;
            let text =
                format!("{left} more {} not shown", if left == 1 { "finding is" } else { "findings are" });
            say("warning", &text, Some("`--print-limit N` shows more of them"));
        }
    }
}
