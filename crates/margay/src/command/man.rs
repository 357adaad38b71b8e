//! `margay man`: the manual pages of the command.

use std::io::Write;

use clap::CommandFactory;
use margay::problem::Problem;

use super::{Cli, Outcome, Stop};

/// Print a manual page
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  margay man run | man -l -
  margay man > ~/.local/share/man/man1/margay.1")]
pub struct Options {
    /// The subcommand it is about [default: the command as a whole]
    subcommand: Option<String>,
}

pub fn run(options: Options, out: &mut dyn Write) -> Result<Outcome, Stop> {
    let mut all = Cli::command();
    // Gives subcommands their full names.
    all.build();
    let command = match &options.subcommand {
        None => all,
        Some(name) => all.find_subcommand(name).cloned().ok_or_else(|| {
            let names: Vec<_> = all.get_subcommands().map(clap::Command::get_name).collect();
            Problem::new(format!("there is no subcommand `{name}`"))
                .help(format!("there are {}", names.join(", ")))
        })?,
    };
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page)?;
    out.write_all(tables_kept(&String::from_utf8_lossy(&page)).as_bytes())?;
    Ok(Outcome::Clean)
}

/// The page with its notes' indented lines, which are tables and examples, as they stand.
fn tables_kept(page: &str) -> String {
    let mut kept = String::with_capacity(page.len());
    let mut is_table = false;
    for line in page.lines() {
        if line.starts_with("  ") != is_table {
            kept += if is_table { ".fi\n" } else { ".nf\n" };
            is_table = !is_table;
        }
        kept += if line == ".SH EXTRA" { ".SH NOTES" } else { line };
        kept.push('\n');
    }
    kept
}
