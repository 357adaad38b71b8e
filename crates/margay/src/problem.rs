//! What is wrong with a request: one phrase, and what to write instead.

use std::fmt;
use std::path::Path;

pub use margay_front::visible::visible;

/// A request that cannot be carried out: a bad argument, an unreadable file, a picture of the wrong kind.
///
/// # Examples
/// ```
/// let problem = "u8=300".parse::<margay::arg::Argument>().unwrap_err();
/// assert_eq!(problem.to_string(), "`300` does not fit `u8`");
/// assert_eq!(problem.help.as_deref(), Some("`u8` holds 0 to 255"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// One lower-case phrase without full stop, the user's own words in backticks.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
}

/// How [`Problem::not_run`] ends.
const NOT_RUN: &str = "is legal, but margay does not run it yet";

impl Problem {
    /// A problem without help.
    pub fn new(message: impl Into<String>) -> Self {
        Problem { message: message.into(), help: None }
    }

    /// An instruction that is legal, and that margay does not run yet.
    pub fn not_run(instruction: impl fmt::Display) -> Self {
        Problem::new(format!("`{instruction}` {NOT_RUN}"))
    }

    /// Whether it is that an instruction is legal, and that margay does not run it yet.
    pub fn is_not_run(&self) -> bool {
        self.message.ends_with(NOT_RUN)
    }

    /// The same problem with help.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The problem as whole lines, for a log or standard error.
    ///
    /// ```
    /// use margay::problem::Problem;
    /// let problem = Problem::new("`x` is not a number").help("write `1` or `0x1`");
    /// assert_eq!(problem.lines(), "error: `x` is not a number\nhelp: write `1` or `0x1`\n");
    /// ```
    pub fn lines(&self) -> String {
        let help = self.help.as_ref().map_or_else(String::new, |help| format!("help: {help}\n"));
        format!("error: {}\n{help}", self.message)
    }

    /// The same problem, its message put after `context` and a colon.
    pub fn within(mut self, context: impl fmt::Display) -> Self {
        self.message = format!("{context}: {}", self.message);
        self
    }

    /// The failure of an operating system call on a file, for example `cannot read `: the system's reason in its own words.
    pub(crate) fn io(doing: &str, file: &Path, error: &std::io::Error) -> Self {
        let reason = match error.kind() {
            std::io::ErrorKind::NotFound => "no such file or folder".to_string(),
            std::io::ErrorKind::PermissionDenied => "permission denied".to_string(),
            std::io::ErrorKind::IsADirectory => "it is a folder".to_string(),
            _ => lower_first(&without_code(&error.to_string())),
        };
        Problem::new(format!("cannot {doing} {}: {reason}", shown(file)))
    }
}

/// A file's name in backticks, as messages show it: control characters are written as escapes, so that none reaches a
/// terminal.
///
/// ```
/// use margay::problem::shown;
/// assert_eq!(shown("in.npy".as_ref()), "`in.npy`");
/// assert_eq!(shown("a\u{1b}[31m.npy".as_ref()), r"`a\u{1b}[31m.npy`");
/// ```
pub fn shown(file: &Path) -> String {
    format!("`{}`", visible(&file.to_string_lossy()))
}

fn without_code(text: &str) -> String {
    text.split(" (os error").next().unwrap_or(text).to_string()
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |c| c.to_lowercase().chain(chars).collect())
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Problem {}
