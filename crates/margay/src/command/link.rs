//! `margay link`: several modules become one.

use std::io::Write;
use std::path::{Path, PathBuf};

use margay::count::counted;
use margay::format::Layout;
use margay::output::Output;
use margay::problem::Problem;
use margay_front::diag::across;
use margay_front::link::{Linked, Options as LinkOptions, link};
use margay_front::{Severity, Source};

use super::{Outcome, SHOWN, Stop, colored, input, show_text};

/// Link PTX files into one
#[derive(clap::Args)]
#[command(after_help = "\
What one file declares `.extern` is resolved to the definition in another, private names that collide are \
renamed, and of `.weak` and `.common` definitions one is kept. The result has the highest `.version` and \
`.target`. One file alone comes out as it is. Findings go to standard error for people, and to standard \
output in the other formats, as `margay check` writes them; exit code 1 if there is an error, and then \
nothing is written.

Examples:
  margay link kernel.ptx device.ptx -o linked.ptx
  margay link kernel.ptx device.ptx | margay check -
  margay link a.ptx b.ptx -o linked.ptx --format json")]
pub struct Options {
    /// PTX files, `-` for standard input
    #[arg(value_name = "FILE", required = true, value_hint = clap::ValueHint::FilePath)]
    files: Vec<PathBuf>,
    /// The file to write, `-` for standard output
    #[arg(long, short, value_name = "FILE", default_value = "-", value_hint = clap::ValueHint::FilePath)]
    output: PathBuf,
    /// Leave names that no file defines as they are
    #[arg(long)]
    allow_undefined: bool,
    /// How to show findings
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
}

/// The forms in which findings are shown.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Human,
    Short,
    Json,
    Ptxas,
}

pub fn run(options: Options, out: &mut dyn Write) -> Result<Outcome, Stop> {
    let to_stdout = options.output.as_os_str() == "-";
    if to_stdout && options.format != Format::Human {
        let problem = Problem::new("findings and the linked module cannot both go to standard output");
        return Err(problem.help("give the module a file with `-o FILE`").into());
    }
    let output = if to_stdout { None } else { Some(Output::raw(&options.output)?) };
    let sources = read(&options.files, output.as_ref())?;
    let rules = LinkOptions { allow_undefined: options.allow_undefined, ..LinkOptions::default() };
    let Linked { text, inputs, diagnostics } = link(sources, rules);
    match options.format {
        Format::Human => show_text(&across::human(&inputs, &diagnostics, colored(), SHOWN)),
        Format::Short => out.write_all(across::short(&inputs, &diagnostics, usize::MAX).as_bytes())?,
        Format::Json => out.write_all(across::json(&inputs, &diagnostics).as_bytes())?,
        Format::Ptxas => out.write_all(across::ptxas(&inputs, &diagnostics).as_bytes())?,
    }
    let errors = diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).count();
    let Some(text) = text.filter(|_| errors == 0) else {
        if options.format == Format::Human {
            show_text(&format!("not linked: {}\n", counted(errors, "error")));
        }
        return Ok(Outcome::Findings);
    };
    match output {
        Some(output) => output.write(&Layout::Bytes(text.len() as u64), text.as_bytes())?,
        None => out.write_all(text.as_bytes())?,
    }
    Ok(Outcome::Clean)
}

/// Reads all files; none of them may be the one that is to be written.
fn read(files: &[PathBuf], output: Option<&Output>) -> Result<Vec<Source>, Problem> {
    let is_standard_input = |file: &&PathBuf| file.as_os_str() == "-";
    if files.iter().filter(is_standard_input).count() > 1 {
        return Err(Problem::new("standard input is given twice").help("give `-` once"));
    }
    let read = |file: &PathBuf| {
        if let Some(output) = output.filter(|output| output.is_file(file)) {
            let name = output.file().display();
            return Err(Problem::new(format!("the output would replace `{name}`, which is linked"))
                .help("give another name with `-o FILE`"));
        }
        input::read(Path::new(file))
    };
    files.iter().map(read).collect()
}
