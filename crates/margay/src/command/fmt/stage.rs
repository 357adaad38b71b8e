//! `margay fmt --stage`: what the batch engine's compiler makes of kernels.

use std::io::Write;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use margay::problem::Problem;
use margay_exec::{Dim, Launch, LaunchError, Memory, Program, Simd, Stage};
use margay_front::check::{Options as CheckOptions, check};
use margay_front::module::{FunctionId, InstructionId, Module};
use margay_front::source::LineIndex;
use margay_front::{Severity, Source};

use crate::command::{Outcome, Stop, show};

/// Threads of a block where neither the kernel nor the user says.
const BLOCK: u32 = 128;

/// Reads the name of a stage.
pub fn parser() -> impl TypedValueParser<Value = Stage> {
    let of = |name: String| Stage::ALL.into_iter().find(|stage| stage.name() == name).ok_or("no stage");
    PossibleValuesParser::new(Stage::ALL.map(Stage::name)).try_map(of)
}

/// For what the compiler makes it.
pub struct Shape {
    /// Threads of a block; none for what the kernel says.
    pub block: Option<Dim>,
    pub grid: Dim,
    pub contract: bool,
    /// The level of machine code.
    pub simd: Simd,
}

/// Reads the name of a level with machine code.
pub fn level_parser() -> impl TypedValueParser<Value = Simd> {
    let levels = [Simd::Jit, Simd::JitSkylake, Simd::JitAvx2, Simd::JitNeon];
    let of = move |name: String| levels.into_iter().find(|level| level.name() == name).ok_or("no level");
    PossibleValuesParser::new(levels.map(Simd::name)).try_map(of)
}

/// Prints one kernel after a stage, or all of the module, for blocks of that shape.
pub fn print(
    source: &Source,
    stage: Stage,
    kernel: Option<&str>,
    shape: &Shape,
    out: &mut dyn Write,
) -> Result<Outcome, Stop> {
    let checked = check(source, CheckOptions::default());
    let serious = checked.diagnostics.into_iter().filter(|d| d.severity != Severity::Note);
    show(source, &serious.collect::<Vec<_>>());
    let Some(module) = checked.module else { return Ok(Outcome::Findings) };
    let mut outcome = Outcome::Clean;
    for (k, entry) in chosen(&module, kernel)?.into_iter().enumerate() {
        if k > 0 {
            writeln!(out)?;
        }
        match text(source, stage, (&module, entry), shape) {
            Ok(text) => out.write_all(text.as_bytes())?,
            Err(error) => {
                refuse(source, &module, &error, out)?;
                outcome = Outcome::Findings;
            }
        }
    }
    Ok(outcome)
}

fn chosen(module: &Module, name: Option<&str>) -> Result<Vec<FunctionId>, Problem> {
    let entries = module.entries().filter(|entry| entry.is_defined && name.is_none_or(|n| n == entry.name));
    let found: Vec<FunctionId> = entries.filter_map(|entry| module.entry(&entry.name)).collect();
    match (found.is_empty(), name) {
        (false, _) => Ok(found),
        (true, Some(name)) => Err(Problem::new(format!("the module has no kernel `{name}`"))),
        (true, None) => {
            Err(Problem::new("the module has no kernel").help("a kernel is an `.entry` with a body"))
        }
    }
}

fn text(
    source: &Source,
    stage: Stage,
    (module, entry): (&Module, FunctionId),
    &Shape { block, grid, contract, simd }: &Shape,
) -> Result<String, LaunchError> {
    let kernel = module.function(entry);
    let mut memory = Memory::new(module.address_size());
    let program = Program::load(module, &mut memory)?;
    let launch = Launch {
        block: block.or(kernel.performance.reqntid.map(Dim::from)).unwrap_or(BLOCK.into()),
        grid,
        contract,
        simd: Some(simd),
        parameters: vec![0; kernel.parameter_bytes as usize],
        ..Launch::new(entry)
    };
    let index = LineIndex::new(&source.text);
    launch
        .stage(stage, &program, &memory, &|function, instruction| line(&index, module, function, instruction))
}

fn line(index: &LineIndex, module: &Module, function: FunctionId, instruction: InstructionId) -> usize {
    let spans = &module.function(function).spans;
    spans.get(instruction.0 as usize).map_or(0, |span| index.line_of(span.start) + 1)
}

/// Says why a launch of the kernel would be refused, where its text would stand.
fn refuse(source: &Source, module: &Module, error: &LaunchError, out: &mut dyn Write) -> Result<(), Stop> {
    let code = error.code.map_or_else(String::new, |code| format!(" [{code}]"));
    writeln!(out, "refused: {error}{code}")?;
    let index = LineIndex::new(&source.text);
    for place in &error.places {
        let line = line(&index, module, place.function, place.instruction);
        writeln!(out, "  line {line}: {}", place.text)?;
    }
    Ok(())
}
