//! Judges single instructions, one after the other, under declarations that all of them share.

use crate::ast::Item;
use crate::check::Checker;
use crate::diag::{Code, Diagnostic, Severity, codes};
use crate::parser::{parse, parse_statement};
use crate::source::{Source, Span};
use margay_isa::{Target, Version};

/// Declarations, and what is needed to judge instructions under them.
///
/// ```
/// use margay_front::judge::Judge;
/// let mut judge = Judge::new(".reg .u32 %r<10>; .reg .u16 %h<10>;").unwrap();
/// assert!(judge.judge("add.u32 %r1, %r2, %r3;", "9.3", "sm_90").accepted);
/// let verdict = judge.judge("add.u32 %r1, %r2, %h3;", "9.3", "sm_90");
/// assert_eq!(verdict.codes[0].name(), "P401");
/// ```
pub struct Judge {
    checker: Checker,
}

/// What is said of one instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// Whether it is legal; legal but not run yet counts.
    pub accepted: bool,
    /// The codes of all diagnostics in the order of their places, each once.
    pub codes: Vec<Code>,
    /// The first error, else the first warning or note; empty if there is none.
    pub message: String,
}

const BEFORE: &str = ".entry judge() {\n";

impl Judge {
    /// Reads the declarations, such as `.reg .u32 %r<10>;`. No version or target is held against them.
    ///
    /// # Errors
    /// What is wrong with them; places count from the start of `prelude`.
    pub fn new(prelude: &str) -> Result<Judge, Vec<Diagnostic>> {
        let source = Source::new("prelude", format!("{BEFORE}{prelude}\n}}"));
        let parsed = parse(&source);
        let mut found = parsed.diagnostics;
        let mut checker = Checker::for_lines();
        for item in &parsed.file.items {
            match item {
                Item::Function(function) => {
                    function.body.iter().for_each(|block| checker.declarations(block));
                }
                _ => found.push(Diagnostic::error(codes::MISPLACED, "only declarations are allowed here")),
            }
        }
        found.extend(checker.take_diagnostics());
        if found.iter().all(|d| d.severity != Severity::Error) {
            return Ok(Judge { checker });
        }
        let shift = BEFORE.len() as u32;
        for label in found.iter_mut().flat_map(|d| &mut d.labels) {
            let moved = |at: u32| at.saturating_sub(shift).min(prelude.len() as u32);
            label.span = Span::new(moved(label.span.start), moved(label.span.end));
        }
        Err(found)
    }

    /// Judges one instruction, guard included, at a version such as `9.3` and a target such as `sm_90`.
    pub fn judge(&mut self, instruction: &str, version: &str, target: &str) -> Verdict {
        match environment(version, target) {
            Ok((version, target)) => verdict(&self.diagnose(instruction, version, target)),
            Err((code, message)) => Verdict { accepted: false, codes: vec![code], message },
        }
    }

    /// All that is to be said of one instruction; places count from its start.
    pub fn diagnose(&mut self, instruction: &str, version: Version, target: Target) -> Vec<Diagnostic> {
        let (parsed, mut found) = parse_statement(instruction);
        if let Some(ast) = &parsed {
            found.extend(self.checker.line(ast, version, target));
        }
        found
    }
}

fn environment(version: &str, target: &str) -> Result<(Version, Target), (Code, String)> {
    let unknown_version = || (codes::UNKNOWN_VERSION, format!("PTX {version} does not exist"));
    let unknown_target = || (codes::UNKNOWN_TARGET, format!("`{target}` is not a target"));
    let found = version.parse().ok().filter(|v| crate::check::exists(*v)).ok_or_else(unknown_version)?;
    let named = crate::check::target_named(target).ok_or_else(unknown_target)?;
    match named.since() {
        Some(since) if found < since => {
            let message = format!("target `{target}` needs PTX {since}, but this is PTX {version}");
            Err((codes::TARGET_TOO_NEW, message))
        }
        _ => Ok((found, named)),
    }
}

fn verdict(found: &[Diagnostic]) -> Verdict {
    let worst = found.iter().map(|d| d.severity).max();
    let first = found.iter().find(|d| Some(d.severity) == worst);
    let mut codes: Vec<Code> = Vec::new();
    for diagnostic in found {
        if !codes.contains(&diagnostic.code) {
            codes.push(diagnostic.code);
        }
    }
    let message = first.map(|d| d.message.clone()).unwrap_or_default();
    Verdict { accepted: worst != Some(Severity::Error), codes, message }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_are_not_held_against_a_version() {
        let mut judge = Judge::new(".reg .f16x2 %h<4>; .reg .b128 %q<2>;\n.reg .u32 %r<4>;").unwrap();
        assert!(judge.judge("add.u32 %r1, %r2, 5;", "1.0", "sm_10").accepted);
        assert_eq!(judge.judge("popc.b32 %r1, %r2;", "1.0", "sm_10").codes.len(), 2);
    }

    #[test]
    fn what_is_no_declaration_is_refused() {
        assert!(Judge::new(".reg .u32 %r<4>; } .global .u32 x;").is_err());
        assert!(Judge::new(".reg .u33 %r<4>;").is_err());
        assert!(Judge::new("add.u32 %r0, %r1, %r2;").is_err());
    }

    #[test]
    fn one_instruction_leaves_nothing_behind_for_the_next() {
        let mut judge = Judge::new(".reg .u32 %r<4>;").unwrap();
        assert!(!judge.judge("add.u32 %r1, %r2, %r9;", "8.0", "sm_80").accepted);
        let verdict = judge.judge("add.u32 %r1, %r2, %r3;", "8.0", "sm_80");
        assert_eq!(verdict, Verdict { accepted: true, codes: vec![], message: String::new() });
    }

    #[test]
    fn versions_and_targets_must_exist_and_agree() {
        let mut judge = Judge::new("").unwrap();
        let code = |version, target, judge: &mut Judge| judge.judge("ret;", version, target).codes[0].name();
        assert_eq!(code("8.9", "sm_80", &mut judge), "P502");
        assert_eq!(code("8.0", "sm_81", &mut judge), "P504");
        assert_eq!(code("7.0", "sm_90", &mut judge), "P505");
    }

    #[test]
    fn an_instruction_that_is_not_run_is_accepted() {
        let mut judge = Judge::new(".reg .f32 %f<4>;").unwrap();
        assert!(judge.judge("ex2.approx.f32 %f1, %f2;", "8.0", "sm_80").accepted);
    }
}
