//! What a kernel did wrong, stopped by it or not, and where that stands.

use serde::Serialize;

/// Something wrong that a kernel did without being stopped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Who found it: `race`, `init` or `sync`.
    pub sanitizer: &'static str,
    /// What is wrong.
    pub message: String,
    /// How often it was seen.
    pub count: u64,
    /// What did it: one instruction, or the two that race or disagree.
    pub acts: Vec<Act>,
}

/// An instruction that a thread executed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Act {
    /// What it did there.
    pub what: String,
    /// The function it stands in.
    pub function: String,
    /// The line of the PTX text, from 1.
    pub line: usize,
    /// The instruction as it stands there.
    pub instruction: String,
    /// Its line in the source, as in [`Failure::source`].
    pub source: Vec<SourceLine>,
    /// The thread in its block: x, y, z.
    pub thread: [u32; 3],
    /// The block in the grid: x, y, z.
    pub block: [u32; 3],
}

/// Why and where a launch was stopped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// What happened.
    pub message: String,
    /// The function it happened in.
    pub function: String,
    /// The line of the PTX text, from 1.
    pub line: usize,
    /// The instruction as it stands there.
    pub instruction: String,
    /// The line of the source that the PTX was compiled from, then the lines where that was inlined; empty if unknown.
    pub source: Vec<SourceLine>,
    /// The calls that led there, the innermost first.
    pub calls: Vec<Call>,
    /// The thread in its block: x, y, z.
    pub thread: [u32; 3],
    /// The block in the grid: x, y, z.
    pub block: [u32; 3],
}

/// A call that had not returned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Call {
    /// The function that the call stands in.
    pub function: String,
    /// The line of the PTX text, from 1.
    pub line: usize,
    /// Its line in the source, as in [`Failure::source`].
    pub source: Vec<SourceLine>,
}

/// A line of a source file, from the `.loc` of the PTX text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SourceLine {
    /// The file as the PTX text names it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1; 0 if unknown.
    pub column: u32,
}

/// A remark about the launch, or about one line of the PTX text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Warning {
    /// The line of the PTX text, from 1, if it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The remark.
    pub message: String,
}

impl Warning {
    /// As a line: the place in the PTX file of this name, if it is about one, and the remark.
    pub fn text(&self, file: &str) -> String {
        let place = self.line.map_or_else(String::new, |line| format!("{file}:{line}: "));
        format!("{place}{}", self.message)
    }
}
