//! The subcommands, and what they share: exit codes, output streams, messages.

mod check;
mod completions;
mod cuda;
mod diff;
mod eval;
mod explain;
mod fmt;
mod forms;
mod home;
mod input;
mod interrupt;
mod link;
mod man;
mod paths;
mod progress;
mod ptxas;
mod run;
mod sweep;
mod table;

use std::ffi::OsString;
use std::io::{self, Write};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ColorChoice, Parser, Subcommand};
use margay::arg::Argument;
use margay::problem::{Problem, visible};
use margay_front::{Diagnostic, Source, diag};

pub use cuda::driver_folder;
pub use home::Home;

/// Runs, checks and explains NVIDIA PTX on a CPU.
#[derive(Parser)]
#[command(name = "margay", version, arg_required_else_help = true, after_help = EXIT_CODES, max_term_width = 100)]
struct Cli {
    /// When to colour messages; NO_COLOR is respected
    #[arg(long, global = true, value_name = "WHEN", default_value_t = ColorChoice::Auto)]
    color: ColorChoice,
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "\
Exit codes: 0 done and nothing found; 1 findings (errors in PTX source, mismatches, a stopped launch); \
2 the request cannot be carried out (wrong options, files that cannot be read or written); \
130 interrupted by Ctrl-C, 143 by a request to end. `margay ptxas` ends with 0 or 255, `margay cuda` as \
the program does.";

#[derive(Subcommand)]
enum Command {
    Run(run::Options),
    Diff(diff::Options),
    Check(check::Options),
    Eval(eval::Options),
    Sweep(sweep::Options),
    Explain(explain::Options),
    Forms(forms::Options),
    Fmt(fmt::Options),
    Link(link::Options),
    Ptxas(ptxas::Options),
    Cuda(cuda::Options),
    CudaPath(cuda::PathOptions),
    Completions(completions::Options),
    Man(man::Options),
}

/// How a subcommand ended, where nothing stood in its way.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Clean,
    Findings,
    /// Something went wrong, and this exit code is to say so.
    Wrong(u8),
    Interrupted,
}

/// Why a subcommand stopped early.
enum Stop {
    /// The request cannot be carried out.
    Problem(Problem),
    /// Nobody reads the output any more.
    NobodyReads,
}

impl From<Problem> for Stop {
    fn from(problem: Problem) -> Self {
        Stop::Problem(problem)
    }
}

impl From<io::Error> for Stop {
    /// An error of writing to standard output.
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Stop::NobodyReads,
            _ => Stop::Problem(Problem::new(format!("cannot write to standard output: {error}"))),
        }
    }
}

/// Runs the command on a command line, of which the first word is what it was called by; gives the exit code. It changes what
/// signals do, writes to standard output and standard error, and `margay cuda` makes the process another program.
pub fn run(words: impl Iterator<Item = OsString>, home: &Home) -> u8 {
    let code = ended(words, home);
    interrupt::exit_code().unwrap_or(code)
}

/// Runs the command and says how it ended, signals aside.
fn ended(words: impl Iterator<Item = OsString>, home: &Home) -> u8 {
    wanted_color().write_global();
    let arguments = arguments(words);
    let cli = match Cli::try_parse_from(&arguments) {
        Ok(cli) => cli,
        Err(error) => return refused(with_fit_tip(error, &arguments), &arguments),
    };
    match cli.color {
        ColorChoice::Auto => wanted_color(),
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    }
    .write_global();
    // A program that the command becomes is to have the signals as they were.
    if !matches!(cli.command, Command::Cuda(_)) {
        interrupt::watch();
    }
    // Not `anstream`'s: what is data goes through to the byte.
    let mut out = io::BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let ended = match cli.command {
        Command::Run(options) => run::run(options, &mut out),
        Command::Diff(options) => diff::run(options, &mut out),
        Command::Check(options) => check::run(options, &mut out),
        Command::Eval(options) => eval::run(options, &mut out),
        Command::Sweep(options) => sweep::run(options, &mut out),
        Command::Explain(options) => explain::run(options, &mut out),
        Command::Forms(options) => forms::run(options, &mut out),
        Command::Fmt(options) => fmt::run(options, &mut out),
        Command::Link(options) => link::run(options, &mut out),
        Command::Ptxas(options) => ptxas::run(options, &mut out),
        Command::Cuda(options) => cuda::run(options, home),
        Command::CudaPath(options) => cuda::print_path(options, home, &mut out),
        Command::Completions(options) => completions::run(options, &mut out),
        Command::Man(options) => man::run(options, &mut out),
    };
    match ended.and_then(|outcome| Ok(out.flush().map(|()| outcome)?)) {
        Ok(Outcome::Clean) | Err(Stop::NobodyReads) => 0,
        Ok(Outcome::Findings) => 1,
        Ok(Outcome::Wrong(code)) => code,
        // A signal's exit code takes the place of this one.
        Ok(Outcome::Interrupted) => 130,
        Err(Stop::Problem(problem)) => {
            // What was written before the problem is still wanted.
            let _ = out.flush();
            say("error", &problem.message, problem.help.as_deref());
            2
        }
    }
}

/// What the environment says of colour, where that is not left to `NO_COLOR`, `CLICOLOR_FORCE` and the terminal.
fn wanted_color() -> anstream::ColorChoice {
    let value = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    match value("FORCE_COLOR") {
        Some(_) if value("NO_COLOR").is_some() => anstream::ColorChoice::Auto,
        Some(value) if value == "0" => anstream::ColorChoice::Never,
        Some(_) => anstream::ColorChoice::Always,
        None => anstream::ColorChoice::Auto,
    }
}

/// Shows what is wrong with the options, or the help that was asked for; gives the exit code. Nothing that was given controls
/// the terminal.
fn refused(error: clap::Error, arguments: &[OsString]) -> u8 {
    // The error holds what was given, and its styles are control characters too: so it is made once more, of escapes.
    let harmless = arguments.iter().map(|argument| visible(&argument.to_string_lossy()).into_owned().into());
    let harmless: Vec<OsString> = harmless.collect();
    let shown = match Cli::try_parse_from(&harmless) {
        Err(same) if same.kind() == error.kind() => with_fit_tip(same, &harmless),
        _ => error,
    };
    // Nothing is left to be done if nobody reads.
    let _ = shown.print();
    u8::try_from(shown.exit_code()).unwrap_or(2)
}

/// An error about the options, without the tip to pass what looks like an option as a value: no value here looks so; and with one
/// for what looks like an argument of a kernel.
fn with_fit_tip(mut error: clap::Error, arguments: &[OsString]) -> clap::Error {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidArg) else { return error };
    if error.kind() != ErrorKind::UnknownArgument {
        return error;
    }
    if word.starts_with("--") {
        error.remove(ContextKind::Suggested);
    } else if word.contains('=') && arguments.iter().any(|argument| argument == "run" || argument == "diff") {
        let tip = match word.parse::<Argument>() {
            Ok(_) => format!("an argument of the kernel follows `--arg`: write `--arg {word}`"),
            Err(_) => "arguments of the kernel are written `--arg KIND=VALUE`, such as `--arg u32=7`, in the order of its \
                       parameters"
                .to_string(),
        };
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

/// The command line; called by the assembler's name, the command is the assembler.
fn arguments(mut given: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let program = given.next().unwrap_or_default();
    match ptxas::is_called(&program) {
        true => [program, "ptxas".into(), "--".into()].into_iter().chain(given).collect(),
        false => [program].into_iter().chain(given).collect(),
    }
}

/// Writes a message to standard error: `error: …`, with `help: …` below. Whatever names of files are in it, nothing in it
/// controls the terminal.
fn say(kind: &str, message: &str, help: Option<&str>) {
    use anstyle::{AnsiColor, Style};
    let color = if kind == "error" { AnsiColor::Red } else { AnsiColor::Yellow };
    let (loud, good) = (Style::new().bold().fg_color(Some(color.into())), Style::new().bold());
    // Nothing is left to be done if standard error is closed.
    let mut err = anstream::stderr().lock();
    let _ = writeln!(err, "{loud}{kind}{loud:#}{good}:{good:#} {}", visible(message));
    if let Some(help) = help {
        let _ = writeln!(err, "{good}help:{good:#} {}", visible(help));
    }
}

/// The style of headings on standard output: plain where colour is not wanted.
fn bold() -> anstyle::Style {
    match anstream::AutoStream::choice(&io::stdout()) {
        anstream::ColorChoice::Never => anstyle::Style::new(),
        _ => anstyle::Style::new().bold(),
    }
}

/// How many diagnostics people are shown.
const SHOWN: usize = 100;

/// Writes diagnostics to standard error for people.
fn show(source: &Source, diagnostics: &[Diagnostic]) {
    let _ = io::stderr().lock().write_all(diag::human(source, diagnostics, colored(), SHOWN).as_bytes());
}

/// Writes a message that is ready to standard error.
fn show_text(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Whether standard error takes colour.
fn colored() -> bool {
    anstream::AutoStream::choice(&io::stderr()) != anstream::ColorChoice::Never
}
