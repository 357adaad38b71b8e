//! Pragmas: strings for assemblers, of which some have a meaning inside of functions only (manual, section 11.5).

use super::Checker;
use crate::ast::Text;
use crate::diag::{Diagnostic, codes};

/// The first words of pragmas that speak of the block or instruction behind them.
const INSIDE: &[&str] = &["enable_smem_spilling", "frequency", "used_bytes_mask"];

impl Checker {
    /// A pragma outside of a body.
    pub(super) fn pragma_outside(&mut self, text: &Text) {
        let first = text.text.split_whitespace().next().unwrap_or_default();
        if !INSIDE.contains(&first) {
            return;
        }
        let message = format!("pragma `{first}` is outside of a function body");
        let diagnostic = Diagnostic::error(codes::MISPLACED, message);
        let diagnostic = diagnostic.label(text.span, "it applies to the code that follows it in a body");
        self.report(diagnostic.help("write it inside the body"));
    }
}
