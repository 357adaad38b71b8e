//! What sanitizers found, for people and for programs.

use margay::report;
use margay_exec::{Act, Finding, Sanitize, Sanitizer};
use margay_front::Label;

use super::Launched;
use crate::command::{Outcome, say, show_error};

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
        let act = |act: &Act| {
            let (line, text) = self.line_of(act.function, act.instruction);
            report::Act {
                what: act.what.clone(),
                function: act.function_name.clone(),
                line,
                instruction: text.split_whitespace().collect::<Vec<_>>().join(" "),
                source: self.source_of(act.function, act.instruction),
                thread: [act.thread.x, act.thread.y, act.thread.z],
                block: [act.block.x, act.block.y, act.block.z],
            }
        };
        let finding = |finding: &Finding| report::Finding {
            sanitizer: finding.sanitizer.name(),
            message: finding.message.clone(),
            count: finding.count,
            acts: finding.acts.iter().map(act).collect(),
        };
        findings.iter().map(finding).collect()
    }

    /// Shows findings to people, up to the limit.
    pub(super) fn tell_findings(&self, findings: &[Finding]) {
        let limit = self.plan.options.print_limit.unwrap_or(SHOWN);
        for finding in findings.iter().take(limit) {
            self.tell_finding(finding);
        }
        if findings.len() > limit {
            let left = findings.len() - limit;
            let text =
                format!("{left} more {} not shown", if left == 1 { "finding is" } else { "findings are" });
            say("warning", &text, Some("`--print-limit N` shows more of them"));
        }
    }

    fn tell_finding(&self, finding: &Finding) {
        let here = |act: &Act| (act.function, act.instruction);
        let label = |act: &Act| {
            let within = match act.function_name == self.module.function(self.entry).name {
                true => String::new(),
                false => format!(", function `{}`", act.function_name),
            };
            let text = format!("{act}{within}{}", self.origin(act.function, act.instruction));
            Label { span: self.span_of(act.function, act.instruction), text }
        };
        let mut labels: Vec<Label> = Vec::new();
        for (k, act) in finding.acts.iter().enumerate() {
            match labels.first_mut().filter(|_| k > 0 && here(act) == here(&finding.acts[0])) {
                Some(first) => first.text = format!("{}; {act}", first.text),
                None => labels.push(label(act)),
            }
        }
        let times =
            if finding.count == 1 { String::new() } else { format!(", seen {} times", finding.count) };
        let message = format!("{}{times}", finding.message);
        show_error(self.source, &message, &labels, finding.help());
    }
}
