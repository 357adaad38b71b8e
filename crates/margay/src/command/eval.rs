//! `margay eval`: one instruction, no module around it.

mod vectors;

use std::io::{self, Write};
use std::path::PathBuf;

use margay::problem::Problem;
use margay::statement::{Place, Refusal, Statement, errata, result_type};
use margay_front::Source;
use margay_isa::{Args, Bits, Kind, Semantics};

use super::{Outcome, Stop, bold, show};

/// Evaluate one instruction
#[derive(clap::Args)]
#[command(after_help = "\
Operands are placeholders, with any names, or constants; the first is the result. Values are decimal
(negative ones too), or 0x and hex digits.

`--vectors` evaluates a table instead, tab-separated, gzip or not: column `form` holds the statements,
a column named as a placeholder its values (`-` for none). It prints the rows whose result is another
than the one in the column to compare with.

Examples:
  margay eval 'vadd4.s32.s32.u32.sat d, a, b, c' a=0x80ff7f01 b=0x01020304 c=0
  margay eval --explain 'vmad.s32.s32.u32.shr7.sat d, a.h0, b.b3, c' a=-7 b=0xff000000 c=100
  margay eval 'bfe.s32 d, a, 8, 4' a=0xf00
  margay eval --vectors golden.tsv.gz --expect doc")]
pub struct Options {
    /// The statement, such as 'add.sat.s32 d, a, b'
    #[arg(required_unless_present = "vectors", conflicts_with = "vectors")]
    statement: Option<String>,
    /// A value for each placeholder
    #[arg(value_name = "NAME=VALUE", conflicts_with = "vectors")]
    values: Vec<String>,
    /// Whose reading of the manual to compute
    #[arg(long, value_name = "WHOSE", default_value = "manual")]
    semantics: Whose,
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
    /// The manual's text
    Manual,
    /// What the code that ptxas 13.5 generates computes
    #[value(name = "ptxas-13.5")]
    Ptxas,
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
    let semantics = options.semantics.into();
    if let Some(file) = options.vectors {
        return vectors::run(&file, semantics, options.expect.as_deref(), out);
    }
    if options.expect.is_some() {
        return Err(Problem::new("`--expect` names a column of a table")
            .help("give the table with `--vectors FILE`")
            .into());
    }
    let text = options.statement.unwrap_or_default();
    let statement = match Statement::parse(&text) {
        Ok(statement) => statement,
        Err(Refusal::Form(problem)) => return Err(problem.into()),
        Err(Refusal::Text(diagnostics)) => {
            show(&Source::new("statement", text.as_str()), &diagnostics);
            return Err(Problem::new("the statement is no legal PTX").into());
        }
    };
    show(&Source::new("statement", text), statement.warnings());
    let args = statement.bind(&options.values)?;
    if options.explain {
        explain(&statement, semantics, &args, out)?;
    }
    let wanted = |(place, _): &(&Place, Bits)| place.name != "_";
    for (place, bits) in statement.results().iter().zip(statement.compute(semantics, &args)).filter(wanted) {
        result(&statement, place, bits, out)?;
    }
    if options.explain {
        differences(&statement, semantics, &args, out)?;
    }
    Ok(Outcome::Clean)
}

fn hex(place: &Place, bits: Bits) -> String {
    let digits = place.ty.width().div_ceil(4) as usize;
    format!("0x{bits:0digits$x}")
}

/// The result in hex and as numbers: one, or one for each element, the highest first as in the hex digits.
fn result(statement: &Statement, place: &Place, bits: Bits, out: &mut dyn Write) -> io::Result<()> {
    let bold = bold();
    write!(out, "{bold}{} = {}{bold:#}", place.name, hex(place, bits))?;
    let element = statement.element(place);
    if !element.is_integer() {
        return writeln!(out);
    }
    let ty = result_type(statement.inst(), element);
    let count = place.ty.width() / ty.bits;
    if count <= 1 {
        return writeln!(out, " = {}", number(ty, bits));
    }
    writeln!(out)?;
    let letter = if ty.bits == 8 { 'b' } else { 'h' };
    let digits = ty.bits as usize / 4;
    for at in (0..count).rev() {
        let part = bits >> (at * ty.bits) & ty.mask();
        writeln!(out, "    .{letter}{at} 0x{part:0digits$x} = {}", number(ty, part))?;
    }
    Ok(())
}

fn number(ty: margay_isa::Ty, bits: Bits) -> i128 {
    // An untyped result is shown as the unsigned number it is.
    ty.value(bits)
}

fn explain(statement: &Statement, semantics: Semantics, args: &Args, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", statement.inst().page().purpose)?;
    for (place, bits) in statement.sources().zip(args) {
        write!(out, "    {} = {}", place.name, hex(place, *bits))?;
        match place.ty.kind {
            Kind::Unsigned | Kind::Signed if place.ty.lanes == 1 => {
                writeln!(out, " = {}", place.ty.value(*bits))?
            }
            _ => writeln!(out)?,
        }
    }
    for step in statement.stages(semantics, args) {
        let element = step.element.map_or_else(String::new, |element| format!("[{element}]"));
        write!(out, "    {}{element} = {}", step.name, step.value)?;
        if step.note.is_empty() { writeln!(out)? } else { writeln!(out, "    ({})", step.note)? }
    }
    Ok(())
}

/// What the other reading gives, and the errata that concern the form.
fn differences(
    statement: &Statement,
    semantics: Semantics,
    args: &Args,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (other, whose) = match semantics {
        Semantics::Manual => (Semantics::Ptxas13_5, "ptxas 13.5"),
        Semantics::Ptxas13_5 => (Semantics::Manual, "the manual"),
    };
    let (ours, theirs) = (statement.compute(semantics, args), statement.compute(other, args));
    for (place, (ours, theirs)) in statement.results().iter().zip(ours.into_iter().zip(theirs)) {
        if ours != theirs {
            writeln!(out, "{whose} gives {} = {}", place.name, hex(place, theirs))?;
        }
    }
    for erratum in errata(statement.inst()) {
        write!(out, "erratum: the manual {}; margay {}", erratum.manual, erratum.margay)?;
        match erratum.ptxas {
            Some(ptxas) => writeln!(out, "; ptxas 13.5 {ptxas}")?,
            None => writeln!(out)?,
        }
    }
    Ok(())
}
