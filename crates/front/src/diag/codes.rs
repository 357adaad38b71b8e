//! The stable codes of all diagnostics, each with its explanation, a text that shows it and the repaired text.

mod flow;
mod forms;
mod link;
mod names;
mod operands;
mod syntax;
mod text;
mod unrun;
mod versions;

pub use flow::*;
pub use forms::*;
pub use link::*;
pub use names::*;
pub use operands::*;
pub use syntax::*;
pub use text::*;
pub use unrun::*;
pub use versions::*;

use std::fmt;

/// What there is to know about one code.
#[derive(Debug)]
pub struct Entry {
    /// `P101`
    pub code: &'static str,
    /// What goes wrong, in a few words.
    pub title: &'static str,
    /// Why it is wrong and what to do, in whole sentences.
    pub explanation: &'static str,
    /// A module that yields this code.
    pub bad: &'static str,
    /// The same module repaired: it does not yield it. Nothing where there is no way around it.
    pub good: &'static str,
}

/// The code of a diagnostic.
#[derive(Clone, Copy)]
pub struct Code(&'static Entry);

impl Code {
    /// A code from its entry in the table.
    pub const fn new(entry: &'static Entry) -> Code {
        Code(entry)
    }

    /// All that is known about it.
    pub fn entry(self) -> &'static Entry {
        self.0
    }

    /// `P101`
    pub fn name(self) -> &'static str {
        self.0.code
    }

    /// Finds a code by its name, in either case.
    ///
    /// ```
    /// let code = margay_front::Code::find("p101").unwrap();
    /// assert_eq!(code.name(), "P101");
    /// ```
    pub fn find(name: &str) -> Option<Code> {
        all().find(|code| code.name().eq_ignore_ascii_case(name))
    }
}

impl PartialEq for Code {
    fn eq(&self, other: &Code) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Code {}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Every code, in the order of its name.
pub fn all() -> impl Iterator<Item = Code> {
    TABLES.iter().flat_map(|table| table.iter().copied())
}

const TABLES: &[&[Code]] = &[
    text::TABLE,
    syntax::TABLE,
    names::TABLE,
    forms::TABLE,
    operands::TABLE,
    versions::TABLE,
    flow::TABLE,
    link::TABLE,
    unrun::TABLE,
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_code_is_there_once_and_in_order() {
        let names: Vec<_> = all().map(Code::name).collect();
        let sorted: BTreeSet<_> = names.iter().copied().collect();
        assert_eq!(names, Vec::from_iter(sorted));
        assert!(names.iter().all(|name| name.len() == 4 && name.starts_with('P')));
    }

    #[test]
    fn every_entry_explains_itself() {
        for entry in all().map(Code::entry) {
            assert!(entry.explanation.len() > 40 && entry.explanation.ends_with('.'), "{}", entry.code);
            assert!(!entry.title.ends_with('.') && entry.bad != entry.good, "{}", entry.code);
        }
    }
}
