//! What is said of a launch, on the command line and in the PTX, and whether the latter counts.

use std::path::Path;

use margay::header::{Base, first_line, lines};
use margay::problem::Problem;
use margay::report::Warning;
use margay_front::Source;

use super::Options;
use super::options::{LaunchOptions, Plan, in_text, merge};
use crate::command::input;

impl Options {
    /// The PTX file, if it is one.
    pub(super) fn ptx(&self) -> Option<&Path> {
        Some(self.file.as_path()).filter(|file| !input::is_stream(file))
    }

    /// Whether the options in the PTX count.
    fn has_header(&self) -> bool {
        !self.no_header && (self.trust_header || self.ptx().is_some())
    }
}

pub fn plan(options: &Options, source: &Source) -> Result<Plan, Problem> {
    if !options.has_header() {
        return Ok(merge(options.launch.clone(), LaunchOptions::default(), Base::current()));
    }
    let located = |(line, problem): (usize, Problem)| problem.within(format!("{}:{line}", source.name));
    let in_file = in_text(&lines(&source.text).map_err(located)?).map_err(located)?;
    let base = match options.trust_header {
        true => Base::of_trusted_header(options.ptx()),
        false => Base::of_header(options.ptx()),
    };
    Ok(merge(options.launch.clone(), in_file, base))
}

/// As [`plan`], for a file whose header counts if it is not a stream.
pub fn of_file(file: &Path, launch: &LaunchOptions, source: &Source) -> Result<Plan, Problem> {
    let options = Options { file: file.to_path_buf(), launch: launch.clone(), ..Options::default() };
    plan(&options, source)
}

/// What is said where a header is there and does not count although the user has not said so.
pub fn ignored(options: &Options, source: &Source) -> Option<Warning> {
    let unsaid = !options.has_header() && !options.no_header;
    let line = first_line(&source.text).filter(|_| unsaid)?;
    let message = "the options in `margay run:` lines are ignored in PTX from a stream; `--trust-header` \
                   obeys them, `--no-header` silences this warning";
    Some(Warning { line: Some(line), message: message.to_string() })
}
