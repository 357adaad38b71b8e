//! `margay fmt`: PTX in canonical, readable layout; with `--stage`, as the batch engine's compiler makes it.

mod stage;

use std::io::Write;
use std::path::{Path, PathBuf};

use margay::format::Layout;
use margay::output::Output;
use margay::problem::{Problem, visible};
use margay_exec::{Dim, Simd, Stage};
use margay_front::{Severity, parse, print};

use super::run::extent;
use similar::TextDiff;

use super::{Outcome, Stop, input, paths, say, show};

/// Print PTX in canonical layout
#[derive(clap::Args)]
#[group(skip)]
#[command(group = clap::ArgGroup::new("staged").args(["stage", "lowered"]), after_help = "\
Comments stay where they belong. PTX with syntax errors is reported and not printed. Of a folder, all files \
below it that end with `.ptx` are taken.

Examples:
  margay fmt kernel.ptx
  margay fmt --write kernels/
  margay fmt --check kernels/
  margay fmt --diff kernel.ptx
  margay fmt --lowered kernel.ptx --block 32,8
  margay fmt --stage asm kernel.ptx")]
pub struct Options {
    /// PTX files or folders of them, `-` for standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Write the result back to the file
    #[arg(long, short)]
    write: bool,
    /// Write nothing back; name the files whose layout differs, and exit with 1 if there are any
    #[arg(long, conflicts_with = "write")]
    check: bool,
    /// Write nothing back; print what would change as a unified diff, and exit with 1 if anything would
    #[arg(long, conflicts_with = "write")]
    diff: bool,
    /// Print what a stage of the batch engine's compiler makes of each kernel
    #[arg(long, value_name = "STAGE", value_parser = stage::parser(), conflicts_with_all = ["write", "check", "diff"])]
    stage: Option<Stage>,
    /// The same as `--stage uniformity`: blocks, values, and how they differ from thread to thread
    #[arg(long, conflicts_with_all = ["write", "check", "diff", "stage"])]
    lowered: bool,
    /// With --stage: only this kernel
    #[arg(long, value_name = "NAME", requires = "staged")]
    kernel: Option<String>,
    /// With --stage: threads in a block [default: the kernel's .reqntid, else 128]
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = extent, requires = "staged", allow_negative_numbers = true)]
    block: Option<Dim>,
    /// With --stage: blocks of a grid, of which as many run together as one worker takes of it
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = extent, default_value = "1", requires = "staged", allow_negative_numbers = true)]
    grid: Dim,
    /// With --stage isel, regs or asm: machine code for AVX-512 with all extensions (`jit`) or none (`jit-skylake`), for AVX2 (`jit-avx2`), or for AArch64 (`jit-neon`)
    #[arg(long, value_name = "LEVEL", value_parser = stage::level_parser(), default_value = "jit", requires = "staged")]
    simd: Simd,
    /// With --stage: add products unrounded where no rounding is named, as ptxas does
    #[arg(long, requires = "staged")]
    contract: bool,
}

pub fn run(options: Options, out: &mut dyn Write) -> Result<Outcome, Stop> {
    let files = paths::files(&options.files);
    let to_stdout = !(options.write || options.check || options.diff);
    if to_stdout && files.len() > 1 {
        let problem = Problem::new(format!("{} files cannot be printed one after the other", files.len()));
        return Err(problem
            .help("write them back with `--write`, or see what would change with `--check` or `--diff`")
            .into());
    }
    let (mut failed, mut worst) = (false, Outcome::Clean);
    for file in files {
        match file.map_err(Stop::from).and_then(|file| one(&options, &file, out)) {
            Ok(Outcome::Clean) => {}
            Ok(other) => worst = other,
            Err(Stop::Problem(problem)) => {
                say("error", &problem.message, problem.help.as_deref());
                failed = true;
            }
            Err(stop) => return Err(stop),
        }
    }
    Ok(if failed { Outcome::Wrong(2) } else { worst })
}

fn one(options: &Options, file: &Path, out: &mut dyn Write) -> Result<Outcome, Stop> {
    if options.write && file.as_os_str() == "-" {
        return Err(Problem::new("standard input cannot be written back").help("leave out `--write`").into());
    }
    if options.write && input::is_container(file) {
        let problem = Problem::new(format!("`{}` is not PTX source but an object", file.display()));
        return Err(problem.help("leave out `--write`, and print its PTX into a file").into());
    }
    let source = input::read(file)?;
    if let Some(stage) = options.stage.or(options.lowered.then_some(Stage::Uniformity)) {
        let Options { block, grid, contract, simd, .. } = *options;
        let shape = stage::Shape { block, grid, contract, simd };
        return stage::print(&source, stage, options.kernel.as_deref(), &shape, out);
    }
    let parsed = parse(&source);
    show(&source, &parsed.diagnostics);
    if parsed.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        return Ok(Outcome::Findings);
    }
    let text = print(&parsed.file);
    let same = text == source.text;
    if options.check && !same {
        writeln!(out, "would reformat: {}", visible(&source.name))?;
    }
    if options.diff && !same {
        let diff = TextDiff::from_lines(source.text.as_str(), text.as_str());
        let name = visible(&source.name);
        write!(out, "{}", diff.unified_diff().header(&name, &name))?;
    }
    if options.check || options.diff {
        return Ok(if same { Outcome::Clean } else { Outcome::Findings });
    }
    if !options.write {
        out.write_all(text.as_bytes())?;
    } else if !same {
        let layout = Layout::Bytes(text.len() as u64);
        Output::raw(file)?.write(&layout, text.as_bytes())?;
    }
    Ok(Outcome::Clean)
}
