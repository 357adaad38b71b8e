//! `margay sweep`: two computations compared on a whole range of inputs, in shards.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use margay::count::counted;
use margay::format::Layout;
use margay::output::Output;
use margay::problem::Problem;
use margay::snippet::{Failure, Refusal, Snippet};
use margay::sweep::{CHUNK, Options as Way, Report, Side, Sweep, Values};
use margay_isa::Semantics;

use super::eval::{Approx, Whose, semantics};
use super::interrupt::Phase;
use super::progress::Bar;
use super::{Outcome, Stop, bold, colored, input, interrupt};

/// Compare two instructions, or pieces of assembly, on a range of inputs
#[derive(clap::Args)]
#[command(after_help = "\
Inputs with the same name are the same input; results are compared in their order. All values of all \
inputs are taken, unless --range gives an input fewer, or --random draws some.

Values: LOW..HIGH (without the last), LOW..=HIGH, each with :STEP or without, one value, or `..` for \
all; numbers are decimal, 0x and hex digits, or 2^N.

Shards split the inputs into runs of about the same length. Reports of all shards, written with --out, \
merge into the report that one run alone would have given, digests included.

Examples:
  margay sweep 'vabsdiff4.u32.u32.u32 d, a, b, c' \\
      'vsub4.u32.u32.u32.sat d, a, b, c' \\
      --range a=0..256 --range b=0..256 --range c=0
  margay sweep 'vset.s32.u32.lt.max d, a, b, c' --against ptxas-13.5 \\
      --random 1000000 --seed 7
  margay sweep 'abs.s32 $0, $1;' --constraints '=r,r' \\
      '{ .reg .s32 t; neg.s32 t, $1; max.s32 $0, t, $1; }'
  margay sweep 'brev.b32 d, a' 'prmt.b32 d, a, 0, 0x0123' --shard 3/16 \\
      --out 3.json
  margay sweep --merge *.json")]
pub struct Options {
    /// An instruction as `margay eval` takes it, or a template (see --constraints)
    #[arg(required_unless_present = "merge", conflicts_with = "merge")]
    first: Option<String>,
    /// What to compare it with [default: the same, with --against]
    #[arg(required_unless_present_any = ["merge", "against"], conflicts_with = "merge")]
    second: Option<String>,
    /// The values of an input
    #[arg(long = "range", value_name = "NAME=VALUES", conflicts_with = "merge")]
    ranges: Vec<String>,
    /// Number of inputs to test: boundary values first, then random ones
    #[arg(long, value_name = "COUNT", conflicts_with = "merge", allow_negative_numbers = true)]
    random: Option<u64>,
    /// Seed for the random inputs
    #[arg(long, value_name = "N", default_value_t = 0, requires = "random", allow_negative_numbers = true)]
    seed: u64,
    /// Treat both as inline assembly templates with these constraints, such as `=r,r,r`
    #[arg(long, value_name = "CONSTRAINTS", conflicts_with = "merge")]
    constraints: Option<String>,
    /// Semantics to compute: the manual's, or those of a ptxas version
    #[arg(long, value_name = "WHOSE", default_value = "manual")]
    semantics: Whose,
    /// Results of approximate functions: those of a device, or correctly rounded ones [default: device]
    #[arg(long, value_name = "WHOSE", conflicts_with = "merge")]
    approx: Option<Approx>,
    /// Semantics for the second [default: as --semantics and --approx]
    #[arg(long, value_name = "WHOSE", conflicts_with = "merge")]
    against: Option<Against>,
    /// Compute one of several shards, the first of which is 1
    #[arg(long, value_name = "I/N", conflicts_with = "merge")]
    shard: Option<String>,
    /// Compute shards of any length; without it, more than 2^38 inputs are refused
    #[arg(long, conflicts_with = "merge")]
    long: bool,
    /// Maximum number of differences to show, those of the first inputs
    #[arg(
        long,
        value_name = "N",
        default_value_t = 10,
        conflicts_with = "merge",
        allow_negative_numbers = true
    )]
    keep: usize,
    /// Host threads [default: as many as there are cores]
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        hide_default_value = true,
        conflicts_with = "merge",
        allow_negative_numbers = true
    )]
    workers: usize,
    /// Maximum number of instructions for each 32768 inputs, so that a template that loops for ever ends
    #[arg(long, value_name = "N", conflicts_with = "merge", allow_negative_numbers = true)]
    max_steps: Option<u64>,
    /// Merge reports instead, which together must cover all inputs
    #[arg(long, value_name = "FILE", num_args = 1..)]
    merge: Vec<PathBuf>,
    /// How to report
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
    /// Also write the report to this file, as JSON
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

/// The readings that the second can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Against {
    /// What the manual says, with a device's results of approximate functions
    Manual,
    /// What the manual says, with approximate functions correctly rounded
    Rounded,
    /// What the code that ptxas 13.5 generates computes
    #[value(name = "ptxas-13.5")]
    Ptxas,
}

impl From<Against> for Semantics {
    fn from(against: Against) -> Self {
        match against {
            Against::Manual => Semantics::Manual,
            Against::Rounded => Semantics::Rounded,
            Against::Ptxas => Semantics::Ptxas13_5,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For people
    Human,
    /// One JSON object
    Json,
}

/// More inputs than this take hours.
const MANY: u64 = 1 << 38;

pub fn run(options: Options, out: &mut dyn Write) -> Result<Outcome, Stop> {
    let file = options.out.as_deref().map(Output::raw).transpose()?;
    let report = match options.merge.is_empty() {
        true => compare(&options)?,
        false => Some(merge(&options.merge)?),
    };
    let Some(report) = report else { return Ok(Outcome::Interrupted) };
    let json = report.to_json();
    if let Some(file) = file {
        file.write(&Layout::Bytes(json.len() as u64), json.as_bytes())?;
    }
    match options.format {
        Format::Json => out.write_all(json.as_bytes())?,
        Format::Human => show(&report, out)?,
    }
    Ok(if report.differences == 0 { Outcome::Clean } else { Outcome::Findings })
}

/// The report on a shard; none if it was stopped.
fn compare(options: &Options) -> Result<Option<Report>, Stop> {
    let semantics = semantics(options.semantics, options.approx)?;
    let first = options.first.as_deref().unwrap_or_default();
    let second = options.second.as_deref().unwrap_or(first);
    let read = |text: &str| match &options.constraints {
        Some(constraints) => Snippet::asm(text, constraints),
        None => Snippet::instruction(text),
    };
    let [a, b] = [first, second].map(|text| read(text).map_err(|refusal| refused(text, refusal)));
    let (a, b) = (a?, b?);
    let against = options.against.map_or(semantics, Semantics::from);
    let mut sweep = Sweep::new(Side::Snippet(&a, semantics), Side::Snippet(&b, against))?;
    for text in &options.ranges {
        let (name, values) = range(text, &sweep)?;
        sweep.set(&name, values)?;
    }
    if let Some(count) = options.random {
        sweep.sample(count, options.seed);
    }
    sweep.keep(options.keep);
    let (i, n) = options.shard.as_deref().map_or(Ok((1, 1)), shard)?;
    let [start, end] = sweep.range(i, n)?;
    let cancel = Some(interrupt::switch());
    let way = Way { workers: options.workers, max_steps: options.max_steps, cancel, ..Way::default() };
    if end - start > MANY && !options.long {
        return Err(too_long(&sweep, end - start, &way).into());
    }
    let bar = Bar::new(options.quiet, "inputs");
    let tell = |done| bar.tell(done, end - start);
    interrupt::enter(Phase::Running);
    let ended = sweep.shard(i, n, &Way { progress: Some(&tell), ..way });
    bar.end();
    match ended {
        Ok(report) => Ok(Some(report)),
        Err(Failure::Cancelled) => Ok(None),
        Err(Failure::Call(problem)) => Err(problem.into()),
        Err(Failure::Stopped(stopped)) => {
            let values = sweep.axes().iter().zip(sweep.input(stopped.element as u64));
            let values: Vec<_> =
                values.map(|(axis, value)| format!("{}={value:#x}", axis.column.name)).collect();
            let message = format!("a side stopped: {}; {}", stopped.message, values.join(" "));
            Err(Problem::new(message).into())
        }
    }
}

/// Says what is wrong with one of the texts.
fn refused(text: &str, refusal: Refusal) -> Stop {
    if refusal.other.as_ref().is_some_and(|other| other.labels.is_empty()) {
        return refusal.into_problem().into();
    }
    let _ = io::stderr().lock().write_all(refusal.human(colored()).as_bytes());
    Problem::new(format!("`{}` cannot be compared", one_line(text))).into()
}

/// `NAME=VALUES`. Operands of assembly may be named by their numbers alone.
fn range(text: &str, sweep: &Sweep) -> Result<(String, Values), Problem> {
    let Some((name, values)) = text.split_once('=') else {
        return Err(
            Problem::new(format!("`{text}` names no values")).help("write `NAME=VALUES`, such as `a=0..256`")
        );
    };
    let number = format!("${name}");
    let known = sweep.axes().iter().any(|axis| axis.column.name == number);
    let values = Values::parse(values).map_err(|problem| problem.within(format!("`{name}`")))?;
    Ok((if known { number } else { name.to_string() }, values))
}

/// `I/N`.
fn shard(text: &str) -> Result<(u64, u64), Problem> {
    let parts = text.split_once('/').map(|(i, n)| (i.parse().ok(), n.parse().ok()));
    match parts {
        Some((Some(i), Some(n))) => Ok((i, n)),
        _ => Err(Problem::new(format!("`{text}` is not a shard")).help("write `I/N`, such as `1/8`")),
    }
}

/// Tells how long it would take, by the speed of the first inputs.
fn too_long(sweep: &Sweep, inputs: u64, way: &Way) -> Problem {
    let problem = Problem::new(format!("{inputs} inputs take a long time"));
    let help = "take fewer with `--range`, `--shard I/N` or `--random COUNT`, or say `--long`";
    let parts = sweep.inputs().map_or(1, |all| (all / (16 * CHUNK)).max(1));
    let begun = Instant::now();
    match sweep.shard(1, parts, way) {
        Ok(report) if report.inputs > 0 => {
            let seconds = begun.elapsed().as_secs_f64() * (inputs as f64 / report.inputs as f64);
            let message = format!("{inputs} inputs take about {} on this machine", duration(seconds));
            Problem { message, ..problem.help(help) }
        }
        _ => problem.help(help),
    }
}

fn duration(seconds: f64) -> String {
    const HOUR: f64 = 3600.0;
    match Duration::try_from_secs_f64(seconds) {
        Ok(_) if seconds < 48.0 * HOUR => format!("{:.1} hours", seconds / HOUR),
        Ok(_) if seconds < 730.0 * 24.0 * HOUR => format!("{:.0} days", seconds / HOUR / 24.0),
        _ => format!("{:.0} years", seconds / HOUR / 24.0 / 365.0),
    }
}

/// The report that the files are parts of.
fn merge(files: &[PathBuf]) -> Result<Report, Problem> {
    let read = |file: &Path| {
        let text = input::read(file)?.text;
        Report::from_json(&text).map_err(|problem| problem.within(format!("`{}`", file.display())))
    };
    let mut whole: Option<Report> = None;
    for file in files {
        let report = read(file)?;
        whole = Some(match whole {
            None => report,
            Some(whole) => {
                whole.merge(&report).map_err(|problem| problem.within(format!("`{}`", file.display())))?
            }
        });
    }
    let whole = whole.ok_or_else(|| Problem::new("there is no report to merge"))?;
    let missing: Vec<_> =
        whole.missing().iter().take(5).map(|[start, end]| format!("{start} to {}", end - 1)).collect();
    if missing.is_empty() {
        return Ok(whole);
    }
    let message = format!("no report covers inputs {}", missing.join(", "));
    Err(Problem::new(message).help("give the reports of all shards"))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn show(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let question = &report.question;
    for difference in &report.first {
        let inputs = question
            .inputs
            .iter()
            .zip(&difference.values)
            .map(|(input, value)| format!("{}={value}", input[0]));
        let inputs: Vec<_> = inputs.collect();
        let results = difference.a.iter().zip(&difference.b);
        let results = question.outputs.iter().zip(results).filter(|(_, (a, b))| a != b);
        let results: Vec<_> =
            results.map(|(output, (a, b))| format!("{} = {a} and {b}", output[0])).collect();
        writeln!(out, "{}: {}", inputs.join(" "), results.join(", "))?;
    }
    if report.differences > report.first.len() as u64 {
        writeln!(out, "…")?;
    }
    let bold = bold();
    let (inputs, of) = (report.inputs, question.total);
    let part = if inputs == of { String::new() } else { format!("{inputs} of ") };
    let differences = counted(report.differences, "difference");
    writeln!(out, "{bold}{part}{}, {differences}{bold:#}", counted(of, "input"))?;
    for (side, digest) in [&question.a, &question.b].into_iter().zip(&report.digests) {
        writeln!(out, "{digest} {} ({})", one_line(&side.text), side.semantics)?;
    }
    Ok(())
}
