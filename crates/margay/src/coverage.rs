//! Which lines ran, in the format of lcov's tracefiles.

use std::collections::BTreeMap;
use std::fmt::Write;

use margay_exec as exec;
use margay_front::module::{Function, FunctionId, InstructionId, Module};
use margay_front::source::LineIndex;
use margay_isa::{Effect, Meaning, Semantics};

/// What is told of one file.
#[derive(Default)]
struct Record<'m> {
    /// Name and line of every function, and how often threads began with it.
    functions: Vec<(&'m str, usize, u64)>,
    /// By line: for each branch there, how often threads came, and how often they took it.
    branches: BTreeMap<usize, Vec<(u64, u64)>>,
    /// By line: how often threads came to it.
    lines: BTreeMap<usize, u64>,
}

/// The tracefile of a launch: a record of the PTX text, in which all functions of the module stand, and one of each source
/// file that `.loc` names. Tracefiles of several launches add up.
///
/// A line's number is that of its instruction that threads came to most often; whether its guard held does not matter.
pub fn lcov(module: &Module, file: &str, text: &str, profile: &exec::Profile) -> String {
    let index = LineIndex::new(text);
    let mut ptx = Record::default();
    let mut sources: BTreeMap<&str, Record> = BTreeMap::new();
    for (f, function) in module.functions().iter().enumerate().filter(|(_, function)| function.is_defined) {
        let id = FunctionId(f as u32);
        let counted = profile.functions.iter().find(|counted| counted.function == id);
        let count =
            |k: usize| counted.map_or(0, |counted| counted.counts.get(k).copied().unwrap_or_default());
        ptx.functions.push((&function.name, index.line_of(function.span.start) + 1, count(0)));
        for (k, span) in function.spans.iter().enumerate() {
            let (line, instruction) = (index.line_of(span.start) + 1, InstructionId(k as u32));
            raise(&mut ptx.lines, line, count(k));
            if let Some(origin) = module.origin(id, instruction) {
                raise(
                    &mut sources.entry(origin.line.file).or_default().lines,
                    origin.line.line as usize,
                    count(k),
                );
            }
            if is_branch(function, k) {
                let branch = counted.and_then(|c| c.branches.iter().find(|b| b.instruction == instruction));
                let taken = branch.map_or((0, 0), |branch| (branch.taken, branch.passed));
                ptx.branches.entry(line).or_default().push(taken);
            }
        }
    }
    let mut out = String::from("TN:\n");
    write(&mut out, file, &ptx);
    sources.iter().for_each(|(file, record)| write(&mut out, file, record));
    out
}

fn raise(lines: &mut BTreeMap<usize, u64>, line: usize, count: u64) {
    let most = lines.entry(line).or_default();
    *most = count.max(*most);
}

/// Whether an instruction has a guard that decides where threads go on.
fn is_branch(function: &Function, k: usize) -> bool {
    let instruction = &function.code[k];
    let effect = instruction.inst.meaning(Semantics::Manual);
    let leaves = matches!(effect, Meaning::Effect(Effect::Branch | Effect::Return | Effect::Exit));
    instruction.guard.is_some() && leaves
}

/// A name on one line.
fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

fn write(out: &mut String, file: &str, record: &Record) {
    let _ = writeln!(out, "SF:{}", plain(file));
    for (name, line, _) in &record.functions {
        let _ = writeln!(out, "FN:{line},{}", plain(name));
    }
    for (name, _, count) in &record.functions {
        let _ = writeln!(out, "FNDA:{count},{}", plain(name));
    }
    if !record.functions.is_empty() {
        let hit = record.functions.iter().filter(|(.., count)| *count > 0).count();
        let _ = writeln!(out, "FNF:{}\nFNH:{hit}", record.functions.len());
    }
    let (mut found, mut hit) = (0, 0);
    for (line, branches) in &record.branches {
        for (block, (taken, passed)) in branches.iter().enumerate() {
            for (k, count) in [taken, passed].into_iter().enumerate() {
                // A dash where no thread came to the branch at all.
                let shown = if taken + passed == 0 { "-".to_string() } else { count.to_string() };
                let _ = writeln!(out, "BRDA:{line},{block},{k},{shown}");
                found += 1;
                hit += usize::from(*count > 0);
            }
        }
    }
    if found > 0 {
        let _ = writeln!(out, "BRF:{found}\nBRH:{hit}");
    }
    for (line, count) in &record.lines {
        let _ = writeln!(out, "DA:{line},{count}");
    }
    let hit = record.lines.values().filter(|count| **count > 0).count();
    let _ = writeln!(out, "LF:{}\nLH:{hit}\nend_of_record", record.lines.len());
}
