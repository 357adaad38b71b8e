//! `margay check`: judges PTX texts, or the instructions of a table one by one.

mod lines;
mod policy;

use std::io::{self, Write};
use std::path::PathBuf;

use margay::count::counted;
use margay::problem::Problem;
use margay_front::check::{Options as CheckOptions, check};
use margay_front::diag::codes;
use margay_front::{Diagnostic, Severity, Source, diag, suggest};
use margay_isa::{TARGETS, Target};

use policy::{Named, Policy};

use super::{Outcome, Stop, input, paths, say, show};

/// Check PTX files
#[derive(clap::Args)]
#[command(after_help = "\
Findings go to standard error for people, and to standard output in the other formats: `short` one line \
each, `json` one object a line, `sarif` one SARIF 2.1.0 log, `ptxas` lines as NVIDIA's assembler \
writes them. Exit code 1 if there is an error; warnings, \
and notes about what margay does not run yet, do not count unless `--deny` makes errors of them. Of a \
folder, all files below it that end with `.ptx` are checked.

`--lines` judges each row of a table instead, tab-separated, gzip or not: its columns `instruction`, \
`version` and `target` are printed as they came, then 1 or 0 for legal or not, the codes found and the \
first message. The declarations of --prelude hold for every row, whatever its version and target.

Examples:
  margay check kernel.ptx
  margay check kernels/ --format short
  margay check kernel.ptx --deny P902 --allow warnings
  margay check kernel.ptx --contract
  margay check - --target sm_90a < kernel.ptx
  margay check --lines accept.tsv.gz --prelude '.reg .u32 %r<10>;' \\
      --expect accepted")]
pub struct Options {
    /// PTX files or folders of them, `-` for standard input
    #[arg(value_name = "FILE", required_unless_present = "lines", conflicts_with = "lines")]
    files: Vec<PathBuf>,
    /// Check for this target instead of the file's own
    #[arg(long, value_name = "TARGET", value_parser = target, conflicts_with = "lines")]
    target: Option<Target>,
    /// Report these findings as errors: a code such as P902 (not run yet), `warnings` or `notes`
    #[arg(long, value_name = "CODE", value_parser = policy::named, value_delimiter = ',', conflicts_with = "lines")]
    deny: Vec<Named>,
    /// Hide these findings: a code, `warnings` or `notes`; errors are always shown
    #[arg(long, value_name = "CODE", value_parser = policy::named, value_delimiter = ',', conflicts_with = "lines")]
    allow: Vec<Named>,
    /// Note sums that ptxas may join with a product to round once (P605)
    #[arg(long, conflicts_with = "lines")]
    contract: bool,
    /// How to show findings
    #[arg(long, value_name = "FORMAT", default_value = "human", conflicts_with = "lines")]
    format: Format,
    /// Check the instructions of a table, `-` for standard input
    #[arg(long, value_name = "FILE", requires = "prelude")]
    lines: Option<PathBuf>,
    /// The declarations that the table's instructions use
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
        let full = format!("sm_{}", text.trim_start_matches(|c: char| !c.is_ascii_digit()));
        let same = names.iter().find(|name| **name == full);
        match same.or_else(|| suggest::nearest(&full, &names)) {
            Some(meant) => format!("unknown target: did you mean `{meant}`?"),
            None => format!("unknown target; there are {}", names.join(" ")),
        }
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
    let contractions = options.contract || options.deny.contains(&Named::Code(codes::FUSIBLE));
    let policy = Policy::new(options.deny, options.allow)?;
    let mut total = Total::default();
    let mut findings: Vec<(Source, Vec<Diagnostic>)> = Vec::new();
    let mut unread: Vec<String> = Vec::new();
    for file in paths::files(&options.files) {
        let source = match file.and_then(|file| input::read(&file)) {
            Ok(source) => source,
            Err(problem) => {
                say("error", &problem.message, problem.help.as_deref());
                unread.push(problem.message);
                continue;
            }
        };
        let asked = CheckOptions { target: options.target, contractions, ..CheckOptions::default() };
        let mut diagnostics = check(&source, asked).diagnostics;
        policy.apply(&mut diagnostics);
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
            out.write_all(diag::sarif(&findings, &unread).as_bytes())?;
        }
        Format::Human => {
            let _ = writeln!(io::stderr(), "{}", total.summary(unread.len()));
        }
        Format::Ptxas if total.errors > 0 => {
            writeln!(out, "ptxas fatal   : Ptx assembly aborted due to errors")?
        }
        Format::Short | Format::Json | Format::Ptxas => {}
    }
    Ok(match (unread.len(), total.errors) {
        (0, 0) => Outcome::Clean,
        (0, _) => Outcome::Findings,
        _ => Outcome::Wrong(2),
    })
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

    fn summary(&self, unread: usize) -> String {
        let mut parts = vec![counted(self.errors, "error")];
        parts.extend(
            [(self.warnings, "warning"), (self.notes, "note")]
                .iter()
                .filter(|(n, _)| *n > 0)
                .map(|(n, what)| counted(*n, what)),
        );
        let unread = if unread == 0 { String::new() } else { format!(", {unread} not read") };
        format!("{} checked{unread}: {}", counted(self.files, "file"), parts.join(", "))
    }
}
