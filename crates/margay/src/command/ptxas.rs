//! `margay ptxas`: a checker in the place of NVIDIA's assembler, with its options, its lines and its exit codes.

mod help;
mod options;
mod verbose;
mod words;

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use margay::container::Container;
use margay::format::Layout;
use margay::output::Output;
use margay::problem::Problem;
use margay_front::ast::{File, Item};
use margay_front::check::{Options as CheckOptions, check};
use margay_front::diag::{across, codes};
use margay_front::link::{Options as LinkOptions, link};
use margay_front::module::Module;
use margay_front::source::LineIndex;
use margay_front::{Diagnostic, Severity, Source, diag, parse};
use margay_isa::{Misfit, Target};

use super::{Outcome, Stop, input};
use words::{Given, device, split};

/// Check PTX in the place of NVIDIA's assembler
///
/// Takes the options of NVIDIA's `ptxas` 13.5 and reports as it does, for every version and target of PTX; the output file
/// holds the checked PTX. The same is there when the command is called by the name `ptxas`.
#[derive(clap::Args)]
#[command(
    disable_help_flag = true,
    after_help = "\
`margay ptxas --help` lists the assembler's options and what they do here.

Examples:
  margay ptxas -arch=sm_80 kernel.ptx -o kernel.o
  llc -march=nvptx64 -mcpu=sm_70 kernel.ll -o - | \\
      margay ptxas -arch=sm_70 -c -o /dev/null -"
)]
pub struct Options {
    /// The assembler's options, and PTX files, `-` for standard input
    #[arg(
        value_name = "OPTION|FILE",
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_hint = clap::ValueHint::FilePath
    )]
    words: Vec<OsString>,
}

/// What the assembler ends with whenever something is wrong.
const FAILED: Outcome = Outcome::Wrong(255);

/// The device that is meant where none is given.
const DEFAULT_DEVICE: &str = "sm_75";

/// Whether the command was called by the assembler's name.
pub fn is_called(program: &OsStr) -> bool {
    Path::new(program).file_stem() == Some(OsStr::new("ptxas"))
}

pub fn run(options: Options, out: &mut dyn Write) -> Result<Outcome, Stop> {
    let given = match words::read(options.words) {
        Ok(given) => given,
        Err(message) => {
            tell(&line("fatal   ", &message));
            return Ok(FAILED);
        }
    };
    given.warnings.iter().for_each(|warning| tell(&line("warning ", warning)));
    let inputs = inputs(&given);
    if given.has("help") {
        help::options(out)?;
    } else if given.has("version") {
        help::version(out)?;
    } else if given.has("list-arch") {
        help::devices(out)?;
    } else if given.has("list-version") {
        help::versions_list(out)?;
    } else if inputs.is_empty() {
        help::options(out)?;
    } else {
        return Ok(assemble(&given, &inputs));
    }
    Ok(Outcome::Clean)
}

/// PTX source before it is read.
enum Input<'a> {
    /// Given on the command line itself.
    Text(&'a OsStr),
    File(&'a OsStr),
}

fn inputs(given: &Given) -> Vec<Input<'_>> {
    let texts = given.all("input-as-string").iter().map(|text| Input::Text(text));
    texts.chain(given.inputs.iter().map(|file| Input::File(file))).collect()
}

impl Input<'_> {
    fn read(&self) -> Result<Source, Problem> {
        match self {
            Input::Text(text) => Ok(Source::new("application ptx input", text.to_string_lossy())),
            Input::File(file) => {
                let mut source = input::read(Path::new(file))?;
                // One word, since scripts take lines apart.
                if *file == "-" {
                    source.name = "stdin".to_string();
                }
                Ok(source)
            }
        }
    }
}

/// Checks all inputs, reports all that is wrong, and writes the output if nothing is.
fn assemble(given: &Given, inputs: &[Input<'_>]) -> Outcome {
    let name = given.last("gpu-name").unwrap_or(OsStr::new(DEFAULT_DEVICE)).to_string_lossy();
    let Some((target, writes)) = device(&name) else { return FAILED };
    let read: Vec<Option<(Source, Module)>> =
        inputs.iter().map(|input| judged(input, target, given, inputs.len() == 1)).collect();
    let Some(good) = read.into_iter().collect::<Option<Vec<_>>>() else {
        tell(&line("fatal   ", "Ptx assembly aborted due to errors"));
        return FAILED;
    };
    let Some((source, module)) = whole(good, given) else {
        tell(&line("fatal   ", "Ptx assembly aborted due to errors"));
        return FAILED;
    };
    let written = entries(given, &module).and_then(|()| write(given, target, writes, &source, &module));
    if let Err(problem) = written {
        tell(&line("fatal   ", &in_one_line(&problem)));
        return FAILED;
    }
    if given.has("verbose") || given.has("verbose2") {
        tell(&verbose::account(&source, &module, &name, given.has("verbose2")));
    }
    Outcome::Clean
}

/// The one module that all inputs make; nothing comes back if they cannot be linked. What was said of each input is not said
/// again.
fn whole(mut good: Vec<(Source, Module)>, given: &Given) -> Option<(Source, Module)> {
    if good.len() < 2 {
        return good.pop();
    }
    let rules = LinkOptions { allow_undefined: !links(given), to_run: false };
    let linked = link(good.into_iter().map(|(source, _)| source).collect(), rules);
    let news = |found: &Diagnostic| found.severity == Severity::Error || found.code.name().starts_with("P7");
    let shown: Vec<Diagnostic> =
        linked.diagnostics.into_iter().filter(news).filter_map(|found| wanted(found, given)).collect();
    tell(&across::ptxas(&linked.inputs, &shown));
    let refused = shown.iter().any(|found| found.severity == Severity::Error);
    let source = Source::new("linked.ptx", linked.text.filter(|_| !refused)?);
    let module = check(&source, CheckOptions::default()).module?;
    Some((source, module))
}

/// Whether nothing is left to be linked later.
fn links(given: &Given) -> bool {
    !given.has("compile-only") && !given.has("extensible-whole-program")
}

/// Reads and judges one input and reports what is to be said; nothing comes back if it is refused.
fn judged(input: &Input<'_>, target: Target, given: &Given, alone: bool) -> Option<(Source, Module)> {
    let source = match input.read() {
        Ok(source) => source,
        Err(problem) => {
            tell(&line("fatal   ", &in_one_line(&problem)));
            return None;
        }
    };
    let checked = check(&source, CheckOptions::default());
    let misfit = match &checked.module {
        Some(module) if module.target().assembles_for(target).is_ok() => None,
        _ => misfit(&source, &parse(&source).file, target, given),
    };
    // Another input may have what this one lacks.
    let own = |found: &Diagnostic| alone || found.code != codes::NO_BODY;
    let shown: Vec<Diagnostic> =
        checked.diagnostics.into_iter().filter(own).filter_map(|found| wanted(found, given)).collect();
    tell(&diag::ptxas(&source, &shown));
    tell(misfit.as_deref().unwrap_or_default());
    let refused = misfit.is_some() || shown.iter().any(|found| found.severity == Severity::Error);
    checked.module.filter(|_| !refused).map(|module| (source, module))
}

/// The diagnostic as the options want it, if they do.
fn wanted(diagnostic: Diagnostic, given: &Given) -> Option<Diagnostic> {
    let verbose = given.has("verbose") || given.has("verbose2");
    match diagnostic.severity {
        Severity::Note if links(given) && diagnostic.code == codes::NO_BODY => {
            let help = "`-c` leaves it to whoever links".to_string();
            Some(Diagnostic { severity: Severity::Error, help: Some(help), ..diagnostic })
        }
        Severity::Note if !verbose => None,
        Severity::Warning if given.has("disable-warnings") => None,
        Severity::Warning if given.has("warning-as-error") => {
            Some(Diagnostic { severity: Severity::Error, ..diagnostic })
        }
        _ => Some(diagnostic),
    }
}

/// The line that says why a text's `.target` does not go with the device, if it does not.
fn misfit(source: &Source, file: &File, device: Target, given: &Given) -> Option<String> {
    let names = file.items.iter().filter_map(|item| match item {
        Item::Target(target) => Some(&target.names),
        _ => None,
    });
    let named = |text: &str| text.replacen("compute_", "sm_", 1).parse::<Target>().ok();
    let (name, target) = names.flatten().find_map(|name| Some((name, named(&name.text)?)))?;
    let reason = match target.assembles_for(device) {
        Ok(()) => return None,
        Err(Misfit::Older) if given.has("gpu-name") => format!("give `-arch={target}` or higher"),
        Err(Misfit::Older) => format!("no `-arch` is given, so {device} is assumed; give `-arch={target}`"),
        Err(Misfit::Family) => {
            "the letter `f` keeps it to its family; give `-arch` a device of that".to_string()
        }
        Err(Misfit::Architecture) => format!("the letter `a` keeps it to that device; give `-arch={target}`"),
    };
    let number = LineIndex::new(&source.text).line_of(name.span.start) + 1;
    let file = &source.name;
    Some(format!(
        "ptxas {file}, line {number}; error   : target `{}` does not assemble for {device}; {reason}\n",
        name.text
    ))
}

/// Whether the kernels that were asked for are there.
fn entries(given: &Given, module: &Module) -> Result<(), Problem> {
    for name in given.all("entry").iter().flat_map(|names| split(names)) {
        if !module.entries().any(|kernel| name == kernel.name.as_str()) {
            return Err(Problem::new(format!("the input has no kernel `{}`", name.display())));
        }
    }
    Ok(())
}

/// Writes the output file, where there is to be one.
fn write(
    given: &Given,
    target: Target,
    writes: bool,
    source: &Source,
    module: &Module,
) -> Result<(), Problem> {
    if !writes {
        return Ok(());
    }
    let file = PathBuf::from(given.last("output-file").unwrap_or(OsStr::new("elf.o")));
    let container = Container { version: module.version(), target, text: source.text.clone() };
    let bytes = container.to_bytes();
    Output::raw(&file)?.write(&Layout::Bytes(bytes.len() as u64), &bytes)
}

fn in_one_line(problem: &Problem) -> String {
    match &problem.help {
        Some(help) => format!("{}; {help}", problem.message),
        None => problem.message.clone(),
    }
}

fn line(kind: &str, message: &str) -> String {
    format!("ptxas {kind}: {message}\n")
}

/// Writes to standard error; nothing is left to be done if that is closed.
fn tell(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}
