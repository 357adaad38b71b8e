//! `margay explain`: what there is to know about an instruction or a diagnostic.

use std::io::Write;

use margay::explain::explain;

use super::{Outcome, Stop, bold};

/// Explain an instruction, or the code of a diagnostic
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  margay explain vadd4
  margay explain P101")]
pub struct Options {
    /// An opcode such as `vadd4`, or a code such as `P101`
    what: String,
}

pub fn run(options: Options, out: &mut dyn Write) -> Result<Outcome, Stop> {
    let bold = bold();
    for (at, explanation) in explain(&options.what)?.iter().enumerate() {
        let text = explanation.text(|name| format!("{bold}{name}{bold:#}"));
        write!(out, "{}{text}", if at > 0 { "\n" } else { "" })?;
    }
    Ok(Outcome::Clean)
}
