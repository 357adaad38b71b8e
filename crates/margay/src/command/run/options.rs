//! The options of a launch, from the command line and from the PTX text.

use std::fmt::Display;
use std::str::FromStr;

use clap::Parser;
use clap::error::ErrorKind;
use margay::arg::Binding;
use margay::header::{Base, Line};
use margay::problem::Problem;
use margay_exec::{Dim, Engine, Memory, Sanitize, Simd};
use margay_isa::Target;

use super::given::{Given, given};
use crate::command::eval::{Approx, Whose};

/// What can be said of a launch, on the command line and in the PTX file alike.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct LaunchOptions {
    /// The kernel to run [default: the only one]
    #[arg(long, value_name = "NAME")]
    pub entry: Option<String>,
    /// Blocks in the grid [default: 1]
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = extent, allow_negative_numbers = true)]
    pub grid: Option<Dim>,
    /// Threads in a block [default: the kernel's .reqntid, else 1]
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = extent, allow_negative_numbers = true)]
    pub block: Option<Dim>,
    /// Blocks in a cluster, of which the grid consists [default: the kernel's .reqnctapercluster, else none]
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = extent, allow_negative_numbers = true)]
    pub cluster: Option<Dim>,
    /// Bytes of dynamic shared memory for each block [default: 0]
    #[arg(long, value_name = "BYTES", allow_negative_numbers = true)]
    pub shared: Option<u64>,
    /// Bytes of the device's memory, such as `500M` or `8G`; in the PTX file it can only be made smaller [default: most of
    /// what the machine has free]
    #[arg(long, value_name = "BYTES", value_parser = amount, allow_negative_numbers = true)]
    pub memory: Option<u64>,
    /// An argument, in the order of the parameters; see below
    #[arg(long = "arg", value_name = "ARG", value_parser = given)]
    pub args: Vec<Given>,
    /// Load a module variable from a file before the launch
    #[arg(long = "set", value_name = "VAR=FILE", value_parser = with_help::<Binding>)]
    pub sets: Vec<Binding>,
    /// Save a module variable to a file after the launch
    #[arg(long = "get", value_name = "VAR=FILE", value_parser = with_help::<Binding>)]
    pub gets: Vec<Binding>,
    /// Semantics to compute: the manual's, or those of a ptxas version [default: manual]
    #[arg(long, value_name = "WHOSE")]
    pub semantics: Option<Whose>,
    /// Results of approximate functions: those of a device, or correctly rounded ones [default: device]
    #[arg(long, value_name = "WHOSE")]
    pub approx: Option<Approx>,
    /// Add products unrounded where no rounding is named, as ptxas does
    #[arg(long)]
    pub contract: bool,
    /// Device whose tensor cores products of matrices are computed as, such as `sm_90` [default: the file's `.target`]
    #[arg(long, value_name = "SM", value_parser = device)]
    pub device: Option<Target>,
    /// What executes the kernel [default: batch]
    #[arg(long, value_name = "ENGINE")]
    pub engine: Option<EngineName>,
    /// Vector instructions of the batch engine [default: what `MARGAY_SIMD` says, else the machine's best]
    #[arg(long, value_name = "LEVEL")]
    pub simd: Option<Level>,
    /// Stop after this many instructions, counting all threads [default: no limit]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub max_steps: Option<u64>,
    /// Run blocks and threads in another legal order, drawn from this number
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub schedule_seed: Option<u64>,
    /// Run blocks on all cores even if their order can affect the result
    #[arg(long)]
    pub unordered: bool,
    /// Show what was executed, where time went, idle lanes and access patterns
    #[arg(long)]
    pub profile: bool,
    /// Same as --profile, for every instruction
    #[arg(long)]
    pub profile_lines: bool,
    /// Tell what stands behind the results: which instructions are exact by the manual, a device's, or not yet measured
    #[arg(long)]
    pub fidelity: bool,
    /// What to check, separated by commas [default: memory, which is always on]
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub sanitize: Vec<Watched>,
    /// The exit code if the kernel failed: findings, or a launch that was stopped [default: 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub error_exitcode: Option<u8>,
    /// Maximum number of findings to show [default: 100]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub print_limit: Option<usize>,
    /// Print nothing to stderr unless something is wrong
    #[arg(long, short)]
    pub quiet: bool,
    /// How to report [default: human]
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<ReportFormat>,
}

impl LaunchOptions {
    /// Whether the report is for programs.
    pub fn is_json(&self) -> bool {
        self.format == Some(ReportFormat::Json)
    }
}

impl LaunchOptions {
    /// Empty memory of the device, for addresses of so many bits.
    pub fn memory(&self, address_size: u32) -> Memory {
        let mut memory = Memory::new(address_size);
        if let Some(bytes) = self.memory {
            memory.set_size(bytes);
        }
        memory
    }
}

/// A device by the name of its target.
pub fn device(text: &str) -> Result<Target, String> {
    text.parse().map_err(|()| "there is no such device; write its target, such as `sm_80`".to_string())
}

/// The engines that can be chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum EngineName {
    /// All threads of a block at once, with the machine's vector instructions
    #[default]
    Batch,
    /// One thread after the other, each instruction by its page's meaning
    Golden,
}

impl From<EngineName> for Engine {
    fn from(name: EngineName) -> Self {
        match name {
            EngineName::Batch => Engine::Batch,
            EngineName::Golden => Engine::Golden,
        }
    }
}

/// The vector instructions that can be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Level {
    /// What every such machine has
    Baseline,
    /// AVX2
    Avx2,
    /// AVX2, and machine code compiled for the kernel
    JitAvx2,
    /// AVX-512
    Avx512,
    /// AVX-512 as Skylake-X has it, for machine code compiled for the kernel; AVX2 elsewhere
    JitSkylake,
    /// AVX-512 with what the machine has of its extensions, for machine code compiled for the kernel, and elsewhere if all are there
    Jit,
    /// Machine code of AArch64 compiled for the kernel
    JitNeon,
}

impl From<Level> for Simd {
    fn from(level: Level) -> Self {
        match level {
            Level::Baseline => Simd::Baseline,
            Level::Avx2 => Simd::Avx2,
            Level::JitAvx2 => Simd::JitAvx2,
            Level::Avx512 => Simd::Avx512,
            Level::JitSkylake => Simd::JitSkylake,
            Level::Jit => Simd::Jit,
            Level::JitNeon => Simd::JitNeon,
        }
    }
}

/// What a launch can be watched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Watched {
    /// Accesses from one variable into the next; those outside memory, to freed memory and so on stop every launch
    Memory,
    /// Data races on shared and global memory
    Race,
    /// Reads of memory that was never written
    Init,
    /// Barriers and warp operations used in undefined ways
    Sync,
    /// All of them
    All,
}

impl Watched {
    /// What the launch is to watch for.
    pub fn sanitize(all: &[Watched]) -> Sanitize {
        let has = |one| all.iter().any(|watched| *watched == one || *watched == Watched::All);
        Sanitize {
            memory: has(Watched::Memory),
            init: has(Watched::Init),
            race: has(Watched::Race),
            sync: has(Watched::Sync),
        }
    }
}

/// The forms of the report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ReportFormat {
    /// For people, on standard error
    #[default]
    Human,
    /// One JSON object on standard output
    Json,
}

/// An option's value and where the names of files in it start.
#[derive(Clone, Debug)]
pub struct Based<T> {
    /// The value.
    pub value: T,
    /// Where its files are.
    pub base: Base,
}

/// Everything that was said of a launch.
#[derive(Debug)]
pub struct Plan {
    /// The options, those of lists aside.
    pub options: LaunchOptions,
    /// The arguments.
    pub args: Based<Vec<Given>>,
    /// The variables to load.
    pub sets: Based<Vec<Binding>>,
    /// The variables to save.
    pub gets: Based<Vec<Binding>>,
}

/// The options of the command line over those of the text; a list given on the command line replaces the text's.
pub fn merge(command: LaunchOptions, text: LaunchOptions, folder: Base) -> Plan {
    fn pick<T>(command: Vec<T>, text: Vec<T>, folder: &Base) -> Based<Vec<T>> {
        match command.is_empty() {
            true => Based { value: text, base: folder.clone() },
            false => Based { value: command, base: Base::current() },
        }
    }
    Plan {
        args: pick(command.args, text.args, &folder),
        sets: pick(command.sets, text.sets, &folder),
        gets: pick(command.gets, text.gets, &folder),
        options: LaunchOptions {
            entry: command.entry.or(text.entry),
            grid: command.grid.or(text.grid),
            block: command.block.or(text.block),
            cluster: command.cluster.or(text.cluster),
            shared: command.shared.or(text.shared),
            memory: command.memory.or(text.memory.map(lowered)),
            semantics: command.semantics.or(text.semantics),
            approx: command.approx.or(text.approx),
            contract: command.contract || text.contract,
            device: command.device.or(text.device),
            engine: command.engine.or(text.engine),
            simd: command.simd.or(text.simd),
            max_steps: command.max_steps.or(text.max_steps),
            schedule_seed: command.schedule_seed.or(text.schedule_seed),
            unordered: command.unordered || text.unordered,
            profile: command.profile || text.profile,
            profile_lines: command.profile_lines || text.profile_lines,
            fidelity: command.fidelity || text.fidelity,
            sanitize: if command.sanitize.is_empty() { text.sanitize } else { command.sanitize },
            error_exitcode: command.error_exitcode.or(text.error_exitcode),
            print_limit: command.print_limit.or(text.print_limit),
            quiet: command.quiet || text.quiet,
            format: command.format.or(text.format),
            args: Vec::new(),
            sets: Vec::new(),
            gets: Vec::new(),
        },
    }
}

/// What the text may ask of the device's memory: a file from elsewhere gets no more than any.
fn lowered(bytes: u64) -> u64 {
    bytes.min(Memory::new(64).size())
}

/// The options in a text's comment lines, taken together.
#[derive(Parser)]
#[command(name = "margay run", disable_help_flag = true, no_binary_name = true)]
struct InText {
    #[command(flatten)]
    launch: LaunchOptions,
}

/// The options that a text's comment lines spell.
///
/// # Errors
/// The line at fault and what is wrong with it.
pub fn in_text(lines: &[Line]) -> Result<LaunchOptions, (usize, Problem)> {
    let parse = |lines: &[Line]| {
        let parsed = InText::try_parse_from(lines.iter().flat_map(|line| &line.words))?;
        let unknown = parsed.launch.args.iter().find_map(|given| match given {
            Given::Unknown { problem, .. } => Some(one_text(problem)),
            Given::Known(_) => None,
        });
        unknown.map_or(Ok(parsed.launch), |text| Err(clap::Error::raw(ErrorKind::ValueValidation, text)))
    };
    let error = match parse(lines) {
        Ok(launch) => return Ok(launch),
        Err(error) => error,
    };
    // A line that fails together with those before it, which are in order without it; there may be very many.
    let (mut good, mut bad) = (0, lines.len());
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        if parse(&lines[..middle]).is_ok() { good = middle } else { bad = middle }
    }
    let number = lines.get(good).map_or(1, |line| line.number);
    let rendered = error.render().to_string();
    let mut paragraphs = rendered.split("\n\n").filter(|part| !part.starts_with("Usage"));
    let message = paragraphs.next().unwrap_or_default().trim_start_matches("error: ");
    let message = message.lines().map(str::trim).collect::<Vec<_>>().join(" ");
    Err((number, Problem::new(format!("in the options of `margay run:`: {message}"))))
}

/// A number of bytes.
fn amount(text: &str) -> Result<u64, String> {
    margay::amount::bytes(text).map_err(|problem| one_text(&problem))
}

/// For the command line, where an error is one text.
pub fn with_help<T: FromStr<Err = Problem>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|problem: Problem| one_text(&problem))
}

pub fn one_text(problem: &Problem) -> String {
    match &problem.help {
        Some(help) => format!("{problem} ({help})"),
        None => problem.to_string(),
    }
}

/// One to three numbers with commas between.
pub fn extent(text: &str) -> Result<Dim, String> {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let help = "write X, X,Y or X,Y,Z";
    let number = |part: &str| -> Result<u32, String> {
        let refused = |what: &dyn Display| Err(format!("`{part}` {what} ({help})"));
        match part.parse::<u32>() {
            _ if part.is_empty() => Err(format!("a number is missing ({help})")),
            _ if !part.bytes().all(|c| c.is_ascii_digit()) => refused(&"is not a number"),
            Ok(0) => refused(&"is too small: the least is 1"),
            Ok(extent) if extent <= i32::MAX as u32 => Ok(extent),
            _ => refused(&format!("is too large: the most is {}", i32::MAX)),
        }
    };
    match parts.as_slice() {
        [x] => Ok(Dim::new(number(x)?, 1, 1)),
        [x, y] => Ok(Dim::new(number(x)?, number(y)?, 1)),
        [x, y, z] => Ok(Dim::new(number(x)?, number(y)?, number(z)?)),
        _ => Err(format!("`{text}` has more than three numbers ({help})")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(texts: &[&str]) -> Vec<Line> {
        texts
            .iter()
            .enumerate()
            .map(|(at, text)| Line { number: at + 1, words: shlex::split(text).unwrap() })
            .collect()
    }

    fn options(texts: &[&str]) -> LaunchOptions {
        in_text(&lines(texts)).unwrap()
    }

    #[test]
    fn extents_are_one_to_three_numbers() {
        assert_eq!(extent("4"), Ok(Dim::new(4, 1, 1)));
        assert_eq!(extent("4, 2,1"), Ok(Dim::new(4, 2, 1)));
        for (text, message) in [
            ("", "a number is missing"),
            ("4,", "a number is missing"),
            ("1,2,3,4", "more than three"),
            ("0", "too small"),
            ("-1", "is not a number"),
            ("16x16", "is not a number"),
            ("2147483648", "too large"),
            ("1099511627776", "too large"),
            ("1000000000000000000000000000000", "too large"),
        ] {
            assert!(extent(text).unwrap_err().contains(message), "{text}");
        }
    }

    #[test]
    fn lines_in_the_text_add_up() {
        let options = options(&["--grid 2 --arg u32=1", "--arg u32=2 --block", "32"]);
        assert_eq!((options.grid, options.block, options.args.len()), (Some(2.into()), Some(32.into()), 2));
    }

    #[test]
    fn the_line_at_fault_is_named() {
        let fault = |texts: &[&str]| in_text(&lines(texts)).map(|_| ()).unwrap_err();
        let (number, problem) = fault(&["--grid 2", "--arg u8=300", "--block 1"]);
        assert_eq!(number, 2);
        assert!(problem.message.contains("`300` does not fit `u8`"), "{problem}");
        assert_eq!(fault(&["--grid 2", "--grid 3"]).0, 2);
        assert_eq!(fault(&["--gird 2"]).0, 1);
        assert!(fault(&["other.ptx"]).1.message.contains("unexpected argument"));
        assert!(fault(&["--help"]).1.message.contains("unexpected argument"));
    }

    #[test]
    fn the_command_line_wins_kind_by_kind() {
        let text = options(&["--grid 2 --block 8 --arg u32=1 --arg u32=2 --set a=b --quiet"]);
        let command = options(&["--grid 3 --arg u32=7"]);
        let folder = Base::of_header(Some("sub/k.ptx".as_ref()));
        let plan = merge(command, text, folder.clone());
        assert_eq!(
            (plan.options.grid, plan.options.block, plan.options.quiet),
            (Some(3.into()), Some(8.into()), true)
        );
        assert_eq!((plan.args.value.len(), plan.args.base), (1, Base::current()));
        assert_eq!((plan.sets.value.len(), plan.sets.base), (1, folder));
    }

    #[test]
    fn the_text_cannot_make_the_memory_larger() {
        let memory = |command: &[&str], text: &[&str]| {
            merge(options(command), options(text), Base::current()).options.memory
        };
        assert_eq!(memory(&[], &[]), None);
        assert_eq!(memory(&["--memory 2M"], &["--memory 1M"]), Some(2 << 20));
        assert_eq!(memory(&["--memory 999T"], &[]), Some(999 << 40));
        assert_eq!(memory(&[], &["--memory 1k"]), Some(1024));
        assert_eq!(memory(&[], &["--memory 999T"]), Some(Memory::new(64).size()));
        assert!(in_text(&lines(&["--memory 1X"])).is_err());
    }

    #[test]
    fn what_is_watched_is_a_list() {
        let watched = |text: &str| Watched::sanitize(&options(&[text]).sanitize);
        assert_eq!(watched("--sanitize memory"), Sanitize { memory: true, ..Sanitize::default() });
        assert_eq!(
            watched("--sanitize race,memory --sanitize init"),
            Sanitize { sync: false, ..Sanitize::ALL }
        );
        assert_eq!(watched("--sanitize all"), Sanitize::ALL);
        let command = options(&["--sanitize sync"]);
        let plan = merge(command, options(&["--sanitize race --print-limit 3"]), Base::current());
        assert_eq!((plan.options.sanitize, plan.options.print_limit), (vec![Watched::Sync], Some(3)));
    }

    #[test]
    fn damaged_header_lines_are_options_or_a_located_error() {
        let pieces = [
            "--grid",
            "--block",
            "1,2,3",
            "--arg",
            "u32=7",
            "in=a.npy",
            "out=b.png:u8[2,3]",
            "--set",
            "v=f",
            "--get",
            "--quiet",
            "-q",
            "--entry",
            "k",
            "--",
            "-",
            "'",
            "\"",
            "\\",
            "=",
            ",",
            "4294967296",
            "-1",
            "--max-steps",
            "--schedule-seed",
            "--unordered",
            "--sanitize",
            "race,init",
            "--error-exitcode=7",
            "--print-limit",
            "--semantics",
            "manual",
            "--contract",
            "--format",
            "json",
            "é",
            "\0",
            "--help",
            "--engine=golden",
            "--simd",
            "baseline",
            "$HOME",
            "#",
            "inout=a:b",
        ];
        let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
        let mut below = |limit: usize| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed % limit as u64) as usize
        };
        let mut accepted = 0;
        for _ in 0..5_000 {
            let mut text = String::new();
            for _ in 0..below(4) {
                text.push_str("// margay run:");
                for _ in 0..below(5) {
                    text.push_str([" ", " ", " ", ""][below(4)]);
                    text.push_str(pieces[below(pieces.len())]);
                }
                text.push('\n');
            }
            let count = text.lines().count();
            match margay::header::lines(&text).and_then(|lines| in_text(&lines)) {
                Ok(_) => accepted += 1,
                Err((line, problem)) => {
                    assert!((1..=count).contains(&line), "{text}");
                    assert!(!problem.message.is_empty(), "{text}");
                }
            }
        }
        assert!(accepted > 500, "{accepted}");
    }

    #[test]
    fn very_many_lines_are_judged_quickly() {
        let mut lines = lines(&vec!["--arg u32=1"; 3_000]);
        lines.push(Line { number: 3_001, words: vec!["--bad".into()] });
        assert_eq!(in_text(&lines).map(|_| ()).unwrap_err().0, 3_001);
    }
}
