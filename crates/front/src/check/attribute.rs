//! `.attribute(...)` of variables and functions (manual, sections 5.4.8 and 11.3).

use super::Checker;
use crate::ast::Attribute;
use crate::diag::{Diagnostic, codes};
use margay_isa::Floor;

/// The attributes, how many numbers each takes, whether functions have it, and from where on it exists.
const ATTRIBUTES: &[(&str, usize, bool, Floor)] =
    &[("managed", 0, false, Floor::new(4, 0, 30)), ("unified", 2, true, Floor::new(8, 0, 90))];

impl Checker {
    /// Attributes of a device function, or of a variable in a space.
    pub(super) fn attributes(&mut self, attributes: &[Attribute], space: Option<&str>) {
        for attribute in attributes {
            let word = &attribute.word;
            let Some((_, count, functions, since)) = ATTRIBUTES.iter().find(|a| a.0 == word.text) else {
                let message = format!("unknown attribute `.{}`", word.text);
                let diagnostic = Diagnostic::error(codes::UNKNOWN_DIRECTIVE, message)
                    .label(word.span, "no such attribute");
                self.report(diagnostic.help("the attributes are `.managed` and `.unified(N, N)`"));
                continue;
            };
            self.need(&format!(".{}", word.text), *since, word.span);
            if attribute.arguments.len() != *count {
                let message =
                    format!("`.{}` takes {count} numbers, not {}", word.text, attribute.arguments.len());
                self.error(codes::DIRECTIVE_VALUE, word.span, message, "wrong number of values");
            }
            let fits = space.map_or(*functions, |space| space == "global");
            if !fits {
                let message = format!("`.{}` is only for variables in `.global`", word.text);
                self.error(codes::MISPLACED, word.span, message, "not allowed here");
            }
        }
    }
}
