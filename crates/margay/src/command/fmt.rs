//! `margay fmt`: a PTX text in canonical, readable layout; with `--lowered`, as the batch engine runs it.

mod lowered;

use std::io::Write;
use std::path::PathBuf;

use margay::format::Layout;
use margay::output::Output;
use margay::problem::Problem;
use margay_exec::Dim;
use margay_front::{Severity, parse, print};

use super::run::extent;
use super::{Outcome, Stop, input, show};

/// Print a PTX text in canonical layout
#[derive(clap::Args)]
#[command(after_help = "\
Comments stay where they belong. A text with syntax errors is reported and not printed.

Examples:
  margay fmt kernel.ptx
  margay fmt --write kernel.ptx
  margay fmt --check kernel.ptx
  margay fmt --lowered kernel.ptx --block 32,8")]
pub struct Options {
    /// The PTX file, or `-` for standard input
    file: PathBuf,
    /// Write the result back to the file
    #[arg(long, short)]
    write: bool,
    /// Print nothing; exit with 1 if the layout differs
    #[arg(long, conflicts_with = "write")]
    check: bool,
    /// Print what the batch engine makes of each kernel: its blocks, values and steps
    #[arg(long, conflicts_with_all = ["write", "check"])]
    lowered: bool,
    /// With --lowered: only this kernel
    #[arg(long, value_name = "NAME", requires = "lowered")]
    kernel: Option<String>,
    /// With --lowered: threads in a block [default: the kernel's .reqntid, else 128]
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = extent, requires = "lowered", allow_negative_numbers = true)]
    block: Option<Dim>,
}

pub fn run(options: Options, out: &mut dyn Write) -> Result<Outcome, Stop> {
    if options.write && options.file.as_os_str() == "-" {
        return Err(Problem::new("standard input cannot be written back").help("leave out `--write`").into());
    }
    if options.write && input::is_container(&options.file) {
        let problem = Problem::new(format!("`{}` is no PTX text but an object", options.file.display()));
        return Err(problem.help("leave out `--write`, and print its PTX into a file").into());
    }
    let source = input::read(&options.file)?;
    if options.lowered {
        return lowered::lowered(&source, options.kernel.as_deref(), options.block, out);
    }
    let parsed = parse(&source);
    show(&source, &parsed.diagnostics);
    if parsed.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        return Ok(Outcome::Findings);
    }
    let text = print(&parsed.file);
    let same = text == source.text;
    if options.check {
        return Ok(if same { Outcome::Clean } else { Outcome::Findings });
    }
    if !options.write {
        out.write_all(text.as_bytes())?;
    } else if !same {
        let layout = Layout::Bytes(text.len() as u64);
        Output::raw(&options.file)?.write(&layout, text.as_bytes())?;
    }
    Ok(Outcome::Clean)
}
