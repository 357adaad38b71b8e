//! Pragmas: strings for assemblers, of which some have a meaning inside of functions only (manual, section 11.5).

use super::Checker;
use crate::ast::{Pragma, Text};
use crate::diag::{Diagnostic, codes};
use margay_isa::Floor;

const PRAGMAS: Floor = Floor::new(2, 0, 10);

/// Pragmas that speak of the block or instruction behind them, by their first words, and from where on they exist.
const INSIDE: &[(&str, Floor)] =
    &[(SPILLING, Floor::new(8, 7, 75)), (FREQUENCY, Floor::new(9, 0, 10)), (BYTES, Floor::new(8, 3, 50))];
const SPILLING: &str = "enable_smem_spilling";
const FREQUENCY: &str = "frequency";
const BYTES: &str = "used_bytes_mask";
/// The only pragma for a whole module; the manual does not say so, ptxas does.
const FOR_MODULES: &str = "nounroll";

impl Checker {
    /// A pragma of the whole module.
    pub(super) fn pragma_of_module(&mut self, text: &Text) {
        self.pragma_outside(text);
        let known = INSIDE.iter().any(|(name, _)| text.text.split_whitespace().next() == Some(name));
        if text.text != FOR_MODULES && !known && self.environment.judged {
            let message = format!("there is no pragma `{}` for modules", text.text);
            let diagnostic =
                Diagnostic::error(codes::PRAGMA, message).label(text.span, "outside of functions");
            self.report(
                diagnostic.help(format!("only `{FOR_MODULES}` is allowed here; write others inside a body")),
            );
        }
    }

    /// A pragma outside of a body.
    pub(super) fn pragma_outside(&mut self, text: &Text) {
        let first = self.any_pragma(text);
        if !INSIDE.iter().any(|(name, _)| *name == first) {
            return;
        }
        let message = format!("pragma `{first}` is outside of a function body");
        let diagnostic = Diagnostic::error(codes::MISPLACED, message);
        let diagnostic = diagnostic.label(text.span, "it applies to the code that follows it in a body");
        self.report(diagnostic.help("write it inside the body"));
    }

    /// Pragmas among the statements of a body.
    pub(super) fn pragma_inside(&mut self, pragma: &Pragma) {
        for text in &pragma.texts {
            let first = self.any_pragma(text).to_string();
            let Some((_, since)) = INSIDE.iter().find(|(name, _)| *name == first) else { continue };
            self.need(&format!("pragma `{first}`"), *since, text.span);
            let argument = text.text.trim_start().strip_prefix(first.as_str()).unwrap_or_default().trim();
            let in_function = self
                .body
                .function
                .is_some_and(|id| !self.functions.get(id.0 as usize).is_some_and(|f| f.is_entry));
            let wrong = match first.as_str() {
                SPILLING if in_function => "only kernels can have it",
                FREQUENCY if argument.parse::<u64>().is_err() => "expected a whole number after it",
                BYTES if argument.is_empty() => "expected a mask after it",
                _ => continue,
            };
            let message = format!("pragma `{}` is not allowed here", text.text);
            self.error(codes::PRAGMA, text.span, message, wrong);
        }
    }

    /// What holds wherever a pragma stands; its first word.
    fn any_pragma<'t>(&mut self, text: &'t Text) -> &'t str {
        self.need(".pragma", PRAGMAS, text.span);
        text.text.split_whitespace().next().unwrap_or_default()
    }
}
