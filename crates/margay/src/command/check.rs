//! `margay check`: judges PTX texts, or the instructions of a table one by one.

mod lines;

use std::io::{self, Write};
use std::path::PathBuf;

use margay::count::counted;
use margay::problem::Problem;
use margay_front::check::{Options as CheckOptions, check};
use margay_front::{Diagnostic, Severity, Source, diag};
use margay_isa::{TARGETS, Target};

use super::{Outcome, Stop, input, say, show};

/// Check PTX texts
#[derive(clap::Args)]
#[command(after_help = "\
Findings go to standard error for people, and to standard output in the other formats: `short` one line \
each, `json` one object a line, `sarif` one SARIF 2.1.0 log, `ptxas` lines as NVIDIA's assembler \
writes them. Exit code 1 if there is an error; warnings, \
and notes about what margay does not run yet, do not count.

`--lines` judges each row of a table instead, tab-separated, gzip or not: its columns `instruction`, \
`version` and `target` are printed as they came, then 1 or 0 for legal or not, the codes found and the \
first message. The declarations of --prelude hold for every row, whatever its version and target.

Examples:
  margay check kernel.ptx
  margay check *.ptx --format short
  margay check - --target sm_90a < kernel.ptx
  margay check --lines accept.tsv.gz --prelude '.reg .u32 %r<10>;' \\
      --expect accepted")]
pub struct Options {
    /// PTX files, `-` for standard input
    #[arg(value_name = "FILE", required_unless_present = "lines", conflicts_with = "lines")]
    files: Vec<PathBuf>,
    /// Judge for this target instead of the text's own
    #[arg(long, value_name = "TARGET", value_parser = target, conflicts_with = "lines")]
    target: Option<Target>,
    /// How to show findings
    #[arg(long, value_name = "FORMAT", default_value = "human", conflicts_with = "lines")]
    format: Format,
    /// Judge the instructions of a table, `-` for standard input
    #[arg(long, value_name = "FILE", requires = "prelude")]
    lines: Option<PathBuf>,
    /// The declarations under which the table's instructions are judged
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    prelude: Option<String>,
    /// Compare the verdicts with this column of the table
    #[arg(long, value_name = "COLUMN")]
    expect: Option<String>,
}

/// The forms in which findings are shown.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Human,
    Short,
    Json,
    Sarif,
    Ptxas,
}

fn target(text: &str) -> Result<Target, String> {
    text.parse().map_err(|()| {
        let names: Vec<_> = TARGETS.iter().map(|(target, _)| target.to_string()).collect();
        format!("no such target; there are {}", names.join(" "))
    })
}

pub fn run(options: Options, out: &mut dyn Write) -> Result<Outcome, Stop> {
    if let Some(file) = options.lines {
        return lines::run(&file, &options.prelude.unwrap_or_default(), options.expect.as_deref(), out);
    }
    if options.prelude.is_some() || options.expect.is_some() {
        let problem = Problem::new("`--prelude` and `--expect` are for a table of instructions");
        return Err(problem.help("give the table with `--lines FILE`").into());
    }
    let mut total = Total::default();
    let mut findings: Vec<(Source, Vec<Diagnostic>)> = Vec::new();
    let mut unread: Option<Problem> = None;
    for file in &options.files {
        let source = match input::read(file) {
            Ok(source) => source,
            Err(problem) => {
                if let Some(before) = unread.replace(problem) {
                    say("error", &before.message, before.help.as_deref());
                }
                continue;
            }
        };
        let diagnostics = check(&source, CheckOptions { target: options.target }).diagnostics;
        total.add(&diagnostics);
        match options.format {
            Format::Human => show(&source, &diagnostics),
            Format::Short => out.write_all(diag::short(&source, &diagnostics, usize::MAX).as_bytes())?,
            Format::Json => out.write_all(diag::json(&source, &diagnostics).as_bytes())?,
            Format::Ptxas => out.write_all(diag::ptxas(&source, &diagnostics).as_bytes())?,
            Format::Sarif => findings.push((source, diagnostics)),
        }
    }
    match options.format {
        Format::Sarif => {
            let findings: Vec<_> = findings.iter().map(|(source, list)| (source, list.as_slice())).collect();
            out.write_all(diag::sarif(&findings).as_bytes())?;
        }
        Format::Human => {
            let _ = writeln!(io::stderr(), "{}", total.summary());
        }
        Format::Ptxas if total.errors > 0 => {
            writeln!(out, "ptxas fatal   : Ptx assembly aborted due to errors")?
        }
        Format::Short | Format::Json | Format::Ptxas => {}
    }
    if let Some(problem) = unread {
        return Err(problem.into());
    }
    Ok(if total.errors == 0 { Outcome::Clean } else { Outcome::Findings })
}

#[derive(Default)]
struct Total {
    files: usize,
    errors: usize,
    warnings: usize,
    notes: usize,
}

impl Total {
    fn add(&mut self, diagnostics: &[Diagnostic]) {
        self.files += 1;
        for diagnostic in diagnostics {
            match diagnostic.severity {
                Severity::Error => self.errors += 1,
                Severity::Warning => self.warnings += 1,
                Severity::Note => self.notes += 1,
            }
        }
    }

    fn summary(&self) -> String {
        let mut parts = vec![counted(self.errors, "error")];
        parts.extend(
            [(self.warnings, "warning"), (self.notes, "note")]
                .iter()
                .filter(|(n, _)| *n > 0)
                .map(|(n, what)| counted(*n, what)),
        );
        format!("{} checked: {}", counted(self.files, "file"), parts.join(", "))
    }
}
