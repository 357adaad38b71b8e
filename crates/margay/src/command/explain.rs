//! `margay explain`: what there is to know about an instruction or a diagnostic.

use std::io::Write;

use margay::explain::{explain, topics};

use super::{Outcome, Stop, bold};

/// Explain an instruction, a special register, or the code of a diagnostic
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  margay explain vadd4
  margay explain %tid
  margay explain P101
  margay explain")]
pub struct Options {
    /// An opcode such as `vadd4`, a special register such as `%tid`, or a code such as `P101`; without it, a list of everything
    what: Option<String>,
}

pub fn run(options: Options, out: &mut dyn Write) -> Result<Outcome, Stop> {
    let bold = bold();
    let explanations = options.what.as_deref().map_or_else(|| Ok(vec![topics()]), explain)?;
    for (at, explanation) in explanations.iter().enumerate() {
        let text = explanation.text(|name| format!("{bold}{name}{bold:#}"));
        write!(out, "{}{text}", if at > 0 { "\n" } else { "" })?;
    }
    Ok(Outcome::Clean)
}
