//! `margay run`: a kernel on real files.

mod buffers;
mod findings;
mod given;
mod observe;
mod options;
pub mod plan;
mod refused;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use margay::coverage::lcov;
use margay::fidelity::Fidelity;
use margay::format::Layout;
use margay::located::Located;
use margay::observed::Event;
use margay::output::{Output, Staged};
use margay::problem::Problem;
use margay::profile::Profile;
use margay::report::{Report, View, Warning};
use margay::sweep::name_of;
use margay_exec::{
    Choice, Dim, Error, Launch, Memory, Observe, Program, Progress, Seen, Simd, TrapKind, parameter_block,
};
use margay_front::check::{Options as CheckOptions, check};
use margay_front::module::{Function, FunctionId, Module};
use margay_front::{Diagnostic, Severity, Source};

use super::{Outcome, Stop, colored, input, interrupt, say, show, show_text};
use crate::command::eval::{Whose, semantics};
use crate::command::interrupt::Phase;
use crate::command::progress::Bar;
pub use buffers::{Buffers, Kept};
use observe::ObserveOptions;
use options::ReportFormat;
pub use options::{LaunchOptions, Plan, Watched, device, extent};

/// Run a kernel on files
#[derive(clap::Args, Default)]
#[command(after_help = "\
Arguments, one --arg each, in the order of the kernel's parameters:
  u32=7              a value: u8 to u64, s8 to s64, f16 f32 f64, bf16 tf32, e4m3 e5m2 e3m2
                     e2m3 ue8m0 ue5m3 (a byte each); decimal or 0x
  bytes=01ff         a structure by value, hex bytes in memory order
  in=FILE            a buffer holding the file's data
  in=FILE:f32[N]     the same, if it holds that; also in=FILE:f32
  out=FILE:u8[H,W]   a zeroed buffer, written to the file; also out=FILE:u8:H,W
  inout=FILE:FILE    a buffer read from the first file, written to the second
  zero=u32[N]        a zeroed buffer that no file sees
Buffers are as large as their data: an access past them ends the launch.

Files: .npy holds an array of any type and shape, .png and .pgm a grey picture of one byte a pixel \
(colours are turned to grey), anything else raw bytes. They are written only if the launch succeeds.

A comment line in the PTX file, `// margay run: OPTIONS`, supplies options: those given here win, and \
any --arg, --set or --get here replaces all the file's of that kind. Names of files in it start at the \
PTX file's folder. It reads plain files there, and writes new data files there (.npy .png .pgm .raw .bin \
.txt) or replaces those that earlier launches wrote; --trust-header allows more. PTX from standard input \
or a pipe has no header without --trust-header.

Examples:
  margay run kernel.ptx
  margay run kernel.ptx --grid 48,32 --block 64 --arg in=a.png \\
      --arg out=b.png:u8[256,384]
  margay run kernel.ptx --entry sum --block 256 --arg in=x.npy:u32 \\
      --arg u32=1000 --arg out=sum.npy:u32[1]
  margay run kernel.ptx --sanitize race,init --error-exitcode 3
  margay run kernel.ptx --profile --coverage kernel.lcov
  margay run kernel.ptx --trace 5,0,0 --lines 60-75 --watch sums+16:4
  margay run kernel.ptx --format json | jq .outputs")]
pub struct Options {
    /// The PTX file, or `-` for standard input
    file: PathBuf,
    /// Take no options from the PTX file's header
    #[arg(long, conflicts_with = "trust_header")]
    no_header: bool,
    /// Let the header read any file and replace any below the PTX file's folder; obey that of standard input
    #[arg(long)]
    trust_header: bool,
    /// Write which lines ran to this file, for lcov and genhtml
    #[arg(long, value_name = "FILE")]
    coverage: Option<PathBuf>,
    #[command(flatten)]
    observe: ObserveOptions,
    #[command(flatten)]
    launch: LaunchOptions,
}

pub fn run(options: Options, out: &mut dyn Write) -> Result<Outcome, Stop> {
    let owed = Cell::new(options.launch.format == Some(ReportFormat::Json));
    let ended = launched(&options, &owed, out);
    if let (true, Err(Stop::Problem(problem))) = (owed.get(), &ended) {
        refused::wrong_request(&input::name(&options.file), problem, out)?;
    }
    ended
}

/// Launches the kernel; `owed` is whether programs are still to be given their object.
fn launched(options: &Options, owed: &Cell<bool>, out: &mut dyn Write) -> Result<Outcome, Stop> {
    let source = input::read(&options.file)?;
    let plan = plan::plan(options, &source)?;
    owed.set(plan.options.format == Some(ReportFormat::Json));
    let ignored = plan::ignored(options, &source);
    if let Some(warning) = ignored.as_ref().filter(|_| !plan.options.quiet) {
        say_warning(&source, warning);
    }
    let checked = check(&source, CheckOptions::to_run());
    let Some(module) = checked.module else {
        tell_diagnostics(&source, &checked.diagnostics, plan.options.quiet);
        if owed.replace(false) {
            refused::wrong_ptx(&source, &checked.diagnostics, out)?;
        }
        return Ok(Outcome::Findings);
    };
    tell_diagnostics(&source, &checked.diagnostics, plan.options.quiet);
    let entry = choose(&module, plan.options.entry.as_deref())?;
    let coverage = options.coverage.as_deref();
    Launched { source: &source, module: &module, entry, plan: &plan, coverage, ignored, owed }.run(
        options.ptx(),
        &options.observe,
        out,
    )
}

/// Warnings of one code that are shown at a launch.
const FEW: usize = 3;

/// Shows people what is wrong with the PTX; those who want quiet, errors only. Of warnings, which a compiler's PTX may have by the hundred, few
/// of each code.
fn tell_diagnostics(source: &Source, diagnostics: &[Diagnostic], quiet: bool) {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut shows = |found: &&Diagnostic| match found.severity {
        Severity::Error => true,
        Severity::Warning if !quiet => {
            let count = counts.entry(found.code.to_string()).or_default();
            *count += 1;
            *count <= FEW
        }
        _ => false,
    };
    let shown: Vec<_> = diagnostics.iter().filter(&mut shows).cloned().collect();
    show(source, &shown);
    for (code, count) in counts.into_iter().filter(|(_, count)| *count > FEW) {
        let (more, s) = (count - FEW, if count > FEW + 1 { "s" } else { "" });
        let help = format!("`margay check --format json {}` tells all", source.name);
        say("warning", &format!("{more} more warning{s} of code `{code}` not shown"), Some(&help));
    }
}

fn say_warning(source: &Source, warning: &Warning) {
    say("warning", &warning.text(&source.name), None);
}

/// The kernel of that name, or the only one.
pub fn choose(module: &Module, name: Option<&str>) -> Result<FunctionId, Problem> {
    let names: Vec<&str> = module.entries().filter(|e| e.is_defined).map(|e| e.name.as_str()).collect();
    let listed =
        || format!("it has {}", names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", "));
    let problem = match (name, names.as_slice()) {
        (_, []) => Problem::new("the module has no kernel").help("a kernel is an `.entry` with a body"),
        (None, [only]) => {
            return module.entry(only).ok_or_else(|| Problem::new(format!("no kernel `{only}`")));
        }
        (None, _) => Problem::new("the module has several kernels")
            .help(format!("choose one with `--entry`: {}", listed())),
        (Some(name), _) => match module.entry(name).filter(|_| names.contains(&name)) {
            Some(entry) => return Ok(entry),
            None => Problem::new(format!("the module has no kernel `{name}`")).help(listed()),
        },
    };
    Err(problem)
}

/// A launch as the options describe it, its parameters and observers aside.
pub fn configured<'a>(
    options: &LaunchOptions,
    kernel: &Function,
    entry: FunctionId,
) -> Result<Launch<'a>, Problem> {
    Ok(Launch {
        grid: options.grid.unwrap_or(1.into()),
        block: options.block.or(kernel.performance.reqntid.map(Dim::from)).unwrap_or(1.into()),
        cluster: options.cluster.or(kernel.performance.reqnctapercluster.map(Dim::from)),
        shared_bytes: options.shared.unwrap_or(0),
        engine: options.engine.unwrap_or_default().into(),
        simd: options.simd.map(Simd::from),
        semantics: semantics(options.semantics.unwrap_or(Whose::Manual), options.approx)?,
        contract: options.contract,
        device: options.device,
        max_steps: options.max_steps,
        schedule_seed: options.schedule_seed,
        unordered: options.unordered,
        sanitize: Watched::sanitize(&options.sanitize),
        ..Launch::new(entry)
    })
}

/// A kernel that was found and what is to be done with it.
struct Launched<'a> {
    source: &'a Source,
    module: &'a Module,
    entry: FunctionId,
    plan: &'a Plan,
    /// The file that is to tell which lines ran.
    coverage: Option<&'a Path>,
    /// A remark about its header, said already.
    ignored: Option<Warning>,
    /// Whether programs are still to be given their object.
    owed: &'a Cell<bool>,
}

impl Launched<'_> {
    fn run(&self, ptx: Option<&Path>, wanted: &ObserveOptions, out: &mut dyn Write) -> Result<Outcome, Stop> {
        let (options, kernel) = (&self.plan.options, self.module.function(self.entry));
        let mut memory = options.memory(self.module.address_size());
        let program =
            Program::load(self.module, &mut memory).map_err(|error| self.located().wrong_call(&error))?;
        let Plan { args, sets, gets, .. } = self.plan;
        let buffers = Buffers::prepare(ptx, &program, kernel, &mut memory, args, sets, gets)?;
        let coverage = self.coverage.map(|file| buffers.beside(file, ptx)).transpose()?;
        let parameters = parameter_block(kernel, self.module.address_size(), &buffers.arguments);
        let bar = Bar::new(options.quiet, "blocks");
        let tell = |progress: Progress| bar.tell(progress.blocks, progress.of);
        let watched = wanted.watched(self.module, self.entry, &program, &memory, &buffers.arguments)?;
        let json = options.format == Some(ReportFormat::Json);
        let events = Mutex::new(Vec::new());
        let located = self.located();
        let see = |seen: &Seen| {
            let event = Event::of(&located, seen);
            match wanted.wants(&event) {
                // Nothing is left to be done if standard output is closed.
                true if !json => drop(writeln!(io::stdout(), "{event}")),
                true => events.lock().unwrap_or_else(PoisonError::into_inner).push(event),
                false => {}
            }
        };
        let observe = Observe { threads: wanted.threads(), watched, tell: &see };
        let launch = Launch {
            observe: wanted.any().then_some(&observe),
            parameters: parameters.map_err(|error| self.located().wrong_call(&error))?,
            profile: options.profile || options.profile_lines || options.fidelity || coverage.is_some(),
            cancel: Some(interrupt::switch()),
            progress: Some(&tell),
            ..configured(options, kernel, self.entry)?
        };
        let choice = launch.choice(&program).map_err(|error| self.located().wrong_call(&error))?;
        let mut report = self.report(kernel, &launch, choice, &buffers);
        let semantics = launch.semantics;
        let begun = Instant::now();
        interrupt::enter(Phase::Running);
        let ended = launch.run(&program, &memory);
        let (found, counted);
        report.seconds = begun.elapsed().as_secs_f64();
        drop(launch);
        report.trace = std::mem::take(&mut *events.lock().unwrap_or_else(PoisonError::into_inner));
        bar.end();
        match ended {
            Err(Error::Launch(error)) => return Err(self.located().wrong_call(&error).into()),
            Err(Error::Trap(trap)) => {
                report.error = Some(self.located().failure(&trap));
                report.stdout = trap.printed.clone();
                report.findings = self.findings(&trap.findings);
                self.tell(&report, out)?;
                self.tell_findings(&trap.findings);
                show_text(&self.located().trap(&trap, colored()));
                self.account(&report);
                return Ok(match trap.kind {
                    TrapKind::Cancelled => Outcome::Interrupted,
                    _ => self.wrong(),
                });
            }
            Ok(done) => {
                report.instructions = Some(done.instructions);
                report.handed_over = Some(done.handed_over);
                report.stdout = done.printed;
                report.findings = self.findings(&done.findings);
                found = done.findings;
                counted = done.profile;
            }
        }
        let lines = coverage.as_ref().zip(counted.as_ref()).map(|(output, counted)| {
            (output, lcov(self.module, &self.source.name, &self.source.text, counted))
        });
        interrupt::enter(Phase::After);
        let saved = save(&buffers, &mut memory, lines, self.is_viewed());
        let unsaved = match saved {
            Ok(None) => return Ok(Outcome::Interrupted),
            Ok(Some(Saved { views, notes })) => {
                report.outputs = views;
                report.warnings.extend(notes.into_iter().map(|message| Warning { line: None, message }));
                None
            }
            Err(problem) => Some(problem),
        };
        if let Some(counted) = counted.as_ref().filter(|_| options.fidelity) {
            report.fidelity = Some(Fidelity::new(&located, counted, semantics));
        }
        if let Some(counted) = counted.filter(|_| options.profile || options.profile_lines) {
            let (module, text) = (self.module, &self.source.text);
            report.profile = Some(Profile::new(module, text, self.entry, &counted, options.profile_lines));
        }
        self.tell(&report, out)?;
        self.tell_findings(&found);
        self.account(&report);
        match unsaved {
            Some(problem) => Err(problem.into()),
            None if found.is_empty() => Ok(Outcome::Clean),
            None => Ok(self.wrong()),
        }
    }

    /// What is known of the launch before it runs.
    fn report(&self, kernel: &Function, launch: &Launch, choice: Choice, buffers: &Buffers) -> Report {
        let axes = |dim: Dim| [dim.x, dim.y, dim.z];
        let threads = launch
            .grid
            .count()
            .zip(launch.block.count())
            .map(|(blocks, threads)| blocks.saturating_mul(threads));
        let of_files = buffers.notes.iter().map(|note| Warning { line: None, message: note.clone() });
        Report {
            file: self.source.name.clone(),
            entry: kernel.name.clone(),
            grid: axes(launch.grid),
            block: axes(launch.block),
            cluster: launch.cluster.map(axes),
            shared: launch.shared_bytes,
            semantics: name_of(launch.semantics).to_string(),
            contract: launch.contract,
            engine: choice.engine.name(),
            simd: choice.simd.map(Simd::name),
            engine_reason: choice.reason,
            handed_over: None,
            threads: threads.unwrap_or(u64::MAX),
            instructions: None,
            seconds: 0.0,
            stdout: String::new(),
            inputs: buffers.inputs.clone(),
            outputs: Vec::new(),
            trace: Vec::new(),
            warnings: self
                .ignored
                .iter()
                .cloned()
                .chain(of_files)
                .chain(self.located().errata(self.entry, launch.semantics))
                .collect(),
            error: None,
            sanitizers: findings::names(launch.sanitize),
            findings: Vec::new(),
            profile: None,
            fidelity: None,
        }
    }

    /// Whether anybody sees the report.
    fn is_viewed(&self) -> bool {
        !self.plan.options.quiet || self.plan.options.format == Some(ReportFormat::Json)
    }

    fn located(&self) -> Located<'_> {
        Located { source: self.source, module: self.module }
    }

    /// Gives the report to whom it is for.
    fn tell(&self, report: &Report, out: &mut dyn Write) -> Result<(), Stop> {
        let options = &self.plan.options;
        if self.owed.replace(false) {
            let text = serde_json::to_string_pretty(report)
                .map_err(|error| Problem::new(format!("the report cannot be written: {error}")))?;
            writeln!(out, "{text}")?;
        } else {
            out.write_all(report.stdout.as_bytes())?;
        }
        out.flush()?;
        if !options.quiet {
            for warning in report.warnings.iter().skip(self.ignored.iter().count()) {
                say_warning(self.source, warning);
            }
        }
        Ok(())
    }

    /// Says what ran and what came of it, to people.
    fn account(&self, report: &Report) {
        let options = &self.plan.options;
        if !options.quiet && options.format != Some(ReportFormat::Json) {
            // Nothing is left to be done if standard error is closed.
            let _ = write!(io::stderr().lock(), "{report}");
        }
    }
}

/// What became of the outputs.
struct Saved {
    views: Vec<View>,
    /// Remarks, for the report.
    notes: Vec<String>,
}

/// Writes all outputs, and the lines that ran where those are wanted, or none of them. Comes back with views of the outputs
/// and with remarks; with nothing if the command is to end.
fn save(
    buffers: &Buffers,
    memory: &mut Memory,
    lines: Option<(&Output, String)>,
    viewed: bool,
) -> Result<Option<Saved>, Problem> {
    let mut staged = Staged::default();
    let views = buffers.stage(memory, &mut staged, viewed)?;
    if let Some((output, text)) = &lines {
        staged.add(output, &Layout::Bytes(text.len() as u64), text.as_bytes())?;
    }
    if interrupt::is_due() {
        return Ok(None);
    }
    Ok(Some(Saved { views, notes: staged.commit()? }))
}
