//! `margay completions`: what shells need to complete the command's options.

use std::io::Write;

use clap::CommandFactory;
use clap_complete::Shell;

use super::{Cli, Outcome, Stop};

/// Print a completion script for a shell
#[derive(clap::Args)]
#[command(
    after_help = "Example: margay completions bash > ~/.local/share/bash-completion/completions/margay"
)]
pub struct Options {
    /// The shell
    shell: Shell,
}

pub fn run(options: Options, out: &mut dyn Write) -> Result<Outcome, Stop> {
    // The generator panics where its writer fails, so it writes to memory.
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut Cli::command(), "margay", &mut script);
    out.write_all(&script)?;
    Ok(Outcome::Clean)
}
