//! `margay cuda`: a program that uses CUDA runs on margay's driver; `margay cuda-path`: where that lies.

mod folder;
mod found;

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use margay::problem::Problem;
use margay_isa::Target;

use super::eval::{Approx, Whose};
use super::home::Home;
use super::run::{Watched, device};
use super::{Outcome, Stop, say};
use folder::{Folder, prepared};

/// Run a program that uses CUDA, without a GPU
#[derive(clap::Args)]
#[command(after_help = "\
The command becomes the program, which finds margay's `libcuda.so.1` where it looks for NVIDIA's driver, and \
margay where it looks for `ptxas`. The options set what the driver reads from the environment: \
MARGAY_CUDA_ARCH, MARGAY_CUDA_MEMORY, MARGAY_SANITIZE, MARGAY_PROFILE, MARGAY_COVERAGE, MARGAY_SEMANTICS, \
MARGAY_APPROX, MARGAY_CONTRACT, MARGAY_STICKY. In names of files, `%p` is the number of the process.

The exit code is the program's; 127 if there is no such program, 126 if it cannot be started. The driver is \
looked for in the folder that MARGAY_CUDA_PATH names, or else beside the command. For Linux only.

Examples:
  margay cuda -- python train.py
  margay cuda --device sm_90 -- ./program --verbose
  margay cuda --sanitize race,init -- python -m pytest tests
  margay cuda --profile profile.txt --coverage lines.lcov -- python k.py")]
pub struct Options {
    /// The device that the program sees [default: sm_80]
    #[arg(long, value_name = "SM", value_parser = device)]
    device: Option<Target>,
    /// What memory kernels may use [default: checked]
    #[arg(long, value_name = "WHICH")]
    memory: Option<Allowed>,
    /// What to check, separated by commas; findings go to standard error
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    sanitize: Vec<Watched>,
    /// Write what all launches executed and what is slow to this file; JSON if it ends with `.json`
    #[arg(long, value_name = "FILE")]
    profile: Option<PathBuf>,
    /// Write which lines ran to this file, for lcov and genhtml
    #[arg(long, value_name = "FILE")]
    coverage: Option<PathBuf>,
    /// Semantics to compute: the manual's, or those of a ptxas version [default: ptxas-13.5, or manual with `--approx`]
    #[arg(long, value_name = "WHOSE")]
    semantics: Option<Whose>,
    /// Results of approximate functions: those of a device, or correctly rounded ones [default: device]
    #[arg(long, value_name = "WHOSE")]
    approx: Option<Approx>,
    /// Add products unrounded where the code names no rounding, as ptxas joins them
    #[arg(long)]
    contract: bool,
    /// Leave the context unusable after a kernel went wrong, as a GPU does
    #[arg(long)]
    sticky: bool,
    /// The program and its arguments
    #[arg(
        value_name = "COMMAND",
        required = true,
        trailing_var_arg = true,
        value_hint = clap::ValueHint::CommandWithArguments
    )]
    words: Vec<OsString>,
}

/// Print the folder in which the driver lies
#[derive(clap::Args)]
#[command(after_help = "\
A program finds the driver there by the name `libcuda.so.1`. It is looked for in the folder that \
MARGAY_CUDA_PATH names, or else beside the command. For Linux only.

Example: LD_LIBRARY_PATH=$(margay cuda-path) python program.py")]
pub struct PathOptions {}

/// The memory that kernels may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Allowed {
    /// What the program has allocated, checked
    Checked,
    /// All memory of the process, unchecked: a wrong kernel destroys it
    Open,
}

/// What shells end with where there is no such program, and where it cannot be started.
const NOT_THERE: u8 = 127;
const NOT_STARTED: u8 = 126;

pub fn run(options: Options, home: &Home) -> Result<Outcome, Stop> {
    let folder = usable(home)?;
    let mut variables = options.variables()?;
    let found: [(&str, OsString); 7] = [
        ("LD_LIBRARY_PATH", first(folder.at.as_os_str(), "LD_LIBRARY_PATH")),
        ("PATH", first(folder.at.as_os_str(), "PATH")),
        ("MARGAY_CUDA_PATH", folder.at.clone().into()),
        ("NUMBA_CUDA_DRIVER", folder.driver().into()),
        ("TRITON_LIBCUDA_PATH", folder.at.clone().into()),
        ("TRITON_PTXAS_PATH", folder.ptxas().into()),
        ("TRITON_PTXAS_BLACKWELL_PATH", folder.ptxas().into()),
    ];
    variables.extend(found);
    variables.extend(preloaded(&folder).map(|libraries| ("LD_PRELOAD", libraries)));
    let (program, arguments) = options.words.split_first().expect("clap wants a word");
    let error = become_program(program, arguments, variables);
    let (reason, code) = match error.kind() {
        io::ErrorKind::NotFound => ("there is no such program".to_string(), NOT_THERE),
        io::ErrorKind::PermissionDenied => ("permission denied".to_string(), NOT_STARTED),
        _ => (error.to_string(), NOT_STARTED),
    };
    say("error", &format!("cannot start `{}`: {reason}", program.display()), None);
    Ok(Outcome::Wrong(code))
}

/// Prints the folder of the driver.
pub fn print_path(_: PathOptions, home: &Home, out: &mut dyn Write) -> Result<Outcome, Stop> {
    let driver = found::driver(home)?;
    let named = driver.file_name() == Some(OsStr::new(found::NAME));
    let folder = match driver.parent().filter(|_| named) {
        Some(folder) => folder.to_path_buf(),
        None => prepared(&driver, home)?.at,
    };
    out.write_all(folder.as_os_str().as_encoded_bytes())?;
    writeln!(out)?;
    Ok(Outcome::Clean)
}

/// The folder in which driver and assembler have the names that programs look for.
///
/// # Errors
/// If there is no driver, or no folder of the user's own.
pub fn driver_folder(home: &Home) -> Result<PathBuf, Problem> {
    usable(home).map(|folder| folder.at)
}

/// The folder with the names that programs look for.
fn usable(home: &Home) -> Result<Folder, Problem> {
    let folder = prepared(&found::driver(home)?, home)?;
    if folder.at.as_os_str().as_encoded_bytes().contains(&b':') {
        let problem = Problem::new(format!("`{}` cannot stand in a search path", folder.at.display()));
        return Err(problem.help("set `XDG_CACHE_HOME` to a folder without `:` in its name"));
    }
    Ok(folder)
}

impl Options {
    /// What the driver is to read.
    fn variables(&self) -> Result<Vec<(&'static str, OsString)>, Problem> {
        let mut variables: Vec<(&str, OsString)> = Vec::new();
        if let Some(device) = self.device {
            variables.push(("MARGAY_CUDA_ARCH", device.to_string().into()));
        }
        if let Some(memory) = self.memory {
            variables.push(("MARGAY_CUDA_MEMORY", name(memory)));
        }
        if !self.sanitize.is_empty() {
            let names: Vec<OsString> = self.sanitize.iter().map(|watched| name(*watched)).collect();
            variables.push(("MARGAY_SANITIZE", names.join(OsStr::new(","))));
        }
        // The program may change its folder.
        for (variable, file) in [("MARGAY_PROFILE", &self.profile), ("MARGAY_COVERAGE", &self.coverage)] {
            if let Some(file) = file {
                variables.push((variable, absolute(file)?.into()));
            }
        }
        if let Some(semantics) = self.semantics {
            variables.push(("MARGAY_SEMANTICS", name(semantics)));
        }
        if let Some(approx) = self.approx {
            variables.push(("MARGAY_APPROX", name(approx)));
        }
        if self.contract {
            variables.push(("MARGAY_CONTRACT", "1".into()));
        }
        if self.sticky {
            variables.push(("MARGAY_STICKY", "1".into()));
        }
        Ok(variables)
    }
}

fn absolute(file: &Path) -> Result<PathBuf, Problem> {
    std::path::absolute(file).map_err(|error| Problem::io("write", file, &error))
}

/// The name by which users choose a value.
fn name(value: impl ValueEnum) -> OsString {
    value.to_possible_value().map_or_else(OsString::new, |value| value.get_name().into())
}

/// A search path with a folder in front.
fn first(folder: &OsStr, variable: &str) -> OsString {
    let before = std::env::var_os(variable).filter(|before| !before.is_empty());
    [Some(folder.to_os_string()), before].into_iter().flatten().collect::<Vec<_>>().join(OsStr::new(":"))
}

/// The libraries that are loaded before a program looks for them.
fn preloaded(folder: &Folder) -> Option<OsString> {
    // Names with spaces cannot stand in the list; the loader finds them in the search path then.
    let is_plain = !folder.at.as_os_str().as_encoded_bytes().iter().any(u8::is_ascii_whitespace);
    let named = |file: PathBuf| match is_plain {
        true => Some(file.into_os_string()),
        false => file.file_name().map(OsStr::to_os_string),
    };
    let before = std::env::var_os("LD_PRELOAD").filter(|before| !before.is_empty());
    let names: Vec<OsString> = folder.libraries().filter_map(named).collect();
    (!names.is_empty()).then(|| names.into_iter().chain(before).collect::<Vec<_>>().join(OsStr::new(":")))
}

/// Makes the process another program; comes back only if that cannot be done.
#[cfg(unix)]
fn become_program(
    program: &OsStr,
    arguments: &[OsString],
    variables: Vec<(&'static str, OsString)>,
) -> io::Error {
    use std::os::unix::process::CommandExt;
    std::process::Command::new(program).args(arguments).envs(variables).exec()
}

/// There is no driver here, so that nobody comes this far.
#[cfg(not(unix))]
fn become_program(_: &OsStr, _: &[OsString], _: Vec<(&'static str, OsString)>) -> io::Error {
    io::ErrorKind::Unsupported.into()
}
