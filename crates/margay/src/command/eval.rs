//! `margay eval`: one instruction, no module around it.

mod bounds;
mod vectors;

use std::io::Write;
use std::path::PathBuf;

use margay::evaluation::Evaluation;
use margay::problem::Problem;
use margay::product::{self, Product, View};
use margay::statement::{Refusal, Statement};
use margay_front::Source;
use margay_isa::{Semantics, Target};

use super::run::device;
use super::{Outcome, Stop, bold, show};

/// Evaluate one instruction
#[derive(clap::Args)]
#[command(after_help = "\
Operands are placeholders, with any names, or constants; the first is the result. Values are decimal \
(negative ones too), or 0x and hex digits; those of floating-point operands are numbers such as 1.5, \
-2e-3, inf and nan, {1.5,2} for pairs. For the address of an atomic operation, give the value in memory.

Products of matrices (`mma`, `wmma.mma`) need only the words of their form, and take matrices: a number for \
all elements, rows in braces, of which what is left out is zero, or a file (.npy, else raw bytes) of just the \
matrix's type and shape. C is zero if it is not given.

`--vectors` evaluates a table instead, tab-separated, gzip or not: column `form` holds the statements, \
a column named as a placeholder its values (`-` for none; `e` stands for `rbits`, too). It prints the rows whose result is another \
than the one in the column to compare with. Columns `lo` and `hi` allow what lies between them to \
approximate functions, `any` in column `nan` allows any NaN.

Examples:
  margay eval 'vadd4.s32.s32.u32.sat d, a, b, c' a=0x80ff7f01 b=0x01020304 \\
      c=0
  margay eval --explain 'vmad.s32.s32.u32.shr7.sat d, a.h0, b.b3, c' a=-7 \\
      b=0xff000000 c=100
  margay eval 'bfe.s32 d, a, 8, 4' a=0xf00
  margay eval 'fma.rn.f32 d, a, b, c' a=1.5 b=0x40000000 c=-1e-3
  margay eval 'atom.shared.add.f32 d, [a], b' a=1.5 b=0.25
  margay eval mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 \\
      a='{{1,2},{3,4}}' b=0.5 --device sm_90
  margay eval --vectors golden.tsv.gz --expect doc")]
pub struct Options {
    /// The statement, such as 'add.sat.s32 d, a, b'
    #[arg(required_unless_present = "vectors", conflicts_with = "vectors")]
    statement: Option<String>,
    /// A value for each placeholder
    #[arg(value_name = "NAME=VALUE", conflicts_with = "vectors")]
    values: Vec<String>,
    /// Semantics to compute: the manual's, or those of a ptxas version
    #[arg(long, value_name = "WHOSE", default_value = "manual")]
    semantics: Whose,
    /// Results of approximate functions: those of a device, or correctly rounded ones [default: device]
    #[arg(long, value_name = "WHOSE")]
    approx: Option<Approx>,
    /// The device whose tensor cores products of matrices are computed as [default: the first that has the form]
    #[arg(long, value_name = "SM", value_parser = device, conflicts_with = "vectors")]
    device: Option<Target>,
    /// Give and show matrices as the registers of each lane
    #[arg(long, conflicts_with = "vectors")]
    fragments: bool,
    /// Show the stages of the computation
    #[arg(long, conflicts_with = "vectors")]
    explain: bool,
    /// Evaluate every row of a table, `-` for standard input
    #[arg(long, value_name = "FILE")]
    vectors: Option<PathBuf>,
    /// The column to compare with [default: `doc`, or `ptxas` with --semantics ptxas-13.5]
    #[arg(long, value_name = "COLUMN")]
    expect: Option<String>,
}

/// The readings that can be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Whose {
    /// What the manual says
    Manual,
    /// What the code that ptxas 13.5 generates computes
    #[value(name = "ptxas-13.5")]
    Ptxas,
}

/// The results of approximate functions that can be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Approx {
    /// Those of a device
    Device,
    /// Correctly rounded ones
    Rounded,
}

/// What is computed by both choices.
pub fn semantics(whose: Whose, approx: Option<Approx>) -> Result<Semantics, Problem> {
    match (whose, approx) {
        (Whose::Manual, Some(Approx::Rounded)) => Ok(Semantics::Rounded),
        (Whose::Ptxas, Some(_)) => {
            Err(Problem::new("`--approx` does not go with `--semantics ptxas-13.5`").help(
                "leave out one of them: ptxas rounds approximate functions of literals, others are a device's",
            ))
        }
        (whose, _) => Ok(whose.into()),
    }
}

impl From<Whose> for Semantics {
    fn from(whose: Whose) -> Self {
        match whose {
            Whose::Manual => Semantics::Manual,
            Whose::Ptxas => Semantics::Ptxas13_5,
        }
    }
}

pub fn run(options: Options, out: &mut dyn Write) -> Result<Outcome, Stop> {
    let semantics = semantics(options.semantics, options.approx)?;
    if let Some(file) = options.vectors {
        return vectors::run(&file, semantics, options.expect.as_deref(), out);
    }
    if options.expect.is_some() {
        return Err(Problem::new("`--expect` names a column of a table")
            .help("give the table with `--vectors FILE`")
            .into());
    }
    let text = options.statement.clone().unwrap_or_default();
    let view = if options.fragments { View::Registers } else { View::Matrices };
    match Product::parse(&text, view) {
        Ok(None) => {}
        Ok(Some(product)) => {
            return multiply(product, options.device, &options.values, options.explain, out);
        }
        Err(product::Refusal::Form(problem)) => return Err(problem.into()),
        Err(product::Refusal::Text(source, diagnostics)) => {
            show(&source, &diagnostics);
            return Err(Problem::new("the statement is not legal PTX").into());
        }
    }
    let statement = match Statement::parse(&text) {
        Ok(statement) => statement,
        Err(Refusal::Form(problem)) => return Err(problem.into()),
        Err(Refusal::Text(diagnostics)) => {
            show(&Source::new("statement", text.as_str()), &diagnostics);
            return Err(Problem::new("the statement is not legal PTX").into());
        }
    };
    show(&Source::new("statement", text), statement.warnings());
    if let Some(option) = options.only_of_products() {
        let problem = Problem::new(format!(
            "`{option}` is for products of matrices, and `{}` is none",
            statement.inst()
        ));
        return Err(problem.help(format!("leave out `{option}`")).into());
    }
    let evaluation = Evaluation::new(&statement, semantics, &statement.bind(&options.values)?);
    let bold = bold();
    let bold = |text: &str| format!("{bold}{text}{bold:#}");
    if options.explain {
        write!(out, "{}", evaluation.text(bold))?;
    } else {
        evaluation.results.iter().try_for_each(|result| write!(out, "{}", result.show(bold)))?;
    }
    Ok(Outcome::Clean)
}

/// Prints what a product gives.
fn multiply(
    product: Product,
    device: Option<Target>,
    values: &[String],
    explain: bool,
    out: &mut dyn Write,
) -> Result<Outcome, Stop> {
    let names: Vec<&str> = values.iter().filter_map(|text| Some(text.split_once('=')?.0)).collect();
    let product = product.taking(&names);
    let (source, warnings) = product.warnings();
    show(source, warnings);
    let device = product.device(device)?;
    let values = product.bind(values)?;
    let d = product.on(device).compute(&values);
    let bold = bold();
    let bold = |text: &str| format!("{bold}{text}{bold:#}");
    let text =
        if explain { product.text(device, &values, &d, bold) } else { product.brief(device, &d, bold) };
    write!(out, "{text}")?;
    Ok(Outcome::Clean)
}

impl Options {
    /// An option that is given and means something to products of matrices alone.
    fn only_of_products(&self) -> Option<&'static str> {
        if self.device.is_some() {
            return Some("--device");
        }
        self.fragments.then_some("--fragments")
    }
}
