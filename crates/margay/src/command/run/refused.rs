//! What programs are given where nothing was launched: one object, as after a launch.

use std::io::Write;

use margay::count::counted;
use margay::problem::Problem;
use margay_front::{Diagnostic, Severity, Source, diag};
use serde::Serialize;

/// Why nothing was launched.
#[derive(Serialize)]
struct Refused<'a> {
    /// The PTX file as it was named.
    file: &'a str,
    error: Reason<'a>,
    /// What is wrong with the PTX, each as `margay check --format json` has it.
    diagnostics: Vec<serde_json::Value>,
}

#[derive(Serialize)]
struct Reason<'a> {
    message: &'a str,
    help: Option<&'a str>,
}

/// For PTX with errors.
pub fn wrong_ptx(source: &Source, diagnostics: &[Diagnostic], out: &mut dyn Write) -> std::io::Result<()> {
    let errors = diagnostics.iter().filter(|found| found.severity == Severity::Error).count();
    let problem = Problem::new(format!("{} in the PTX", counted(errors, "error")));
    let lines = diag::json(source, diagnostics);
    // Each line is an object that was written just now.
    let diagnostics = lines.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    write(&source.name, &problem, diagnostics, out)
}

/// For a request that cannot be carried out.
pub fn wrong_request(file: &str, problem: &Problem, out: &mut dyn Write) -> std::io::Result<()> {
    write(file, problem, Vec::new(), out)
}

fn write(
    file: &str,
    problem: &Problem,
    diagnostics: Vec<serde_json::Value>,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    let error = Reason { message: &problem.message, help: problem.help.as_deref() };
    serde_json::to_writer_pretty(&mut *out, &Refused { file, error, diagnostics })?;
    writeln!(out)?;
    out.flush()
}
