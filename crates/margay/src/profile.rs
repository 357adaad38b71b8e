//! What a launch executed and where its time went, by places of the PTX text: for people as tables, for programs as JSON.

use std::fmt;
use std::time::Duration;

use margay_exec as exec;
use margay_front::module::{FunctionId, InstructionId, Module};
use margay_front::source::LineIndex;
use serde::Serialize;

use crate::report::SourceLine;

/// What a launch executed.
#[derive(Clone, Debug, Serialize)]
pub struct Profile {
    /// Stretches of instructions that are always executed one after the other, in the order of the text.
    pub blocks: Vec<Block>,
    /// Every instruction, if they were asked for.
    pub lines: Vec<Line>,
    /// Loads, stores and atomic operations of the batch engine.
    pub accesses: Vec<Access>,
    /// Where the golden engine went on.
    pub hand_overs: Vec<HandOver>,
    /// Time that it took from there, over all workers.
    pub handed_over_seconds: f64,
    /// Whether the batch engine ran anything: only then times and lanes are known.
    #[serde(skip)]
    pub timed: bool,
}

/// A stretch of instructions.
#[derive(Clone, Debug, Serialize)]
pub struct Block {
    /// The function it stands in.
    pub function: String,
    /// The line of its first instruction, from 1.
    pub first_line: usize,
    /// The line of its last one.
    pub last_line: usize,
    /// The source line of its first instruction, then the lines where that was inlined; empty if unknown.
    pub source: Vec<SourceLine>,
    /// How often threads came to it.
    pub threads: u64,
    /// Instructions that they executed in it.
    pub instructions: u64,
    /// How often the batch engine ran it.
    pub runs: u64,
    /// The share of lanes that were idle then, from 0 to 1; none if it never ran so.
    pub idle: Option<f64>,
    /// Time that it took, over all workers.
    pub seconds: f64,
}

/// An instruction.
#[derive(Clone, Debug, Serialize)]
pub struct Line {
    /// The function it stands in.
    pub function: String,
    /// Its line in the PTX text, from 1.
    pub line: usize,
    /// How often threads came to it.
    pub threads: u64,
    /// The instruction as it stands there.
    pub instruction: String,
    /// Its source line, as in [`Block::source`].
    pub source: Vec<SourceLine>,
}

/// How the addresses of an instruction lie, in threads.
#[derive(Clone, Debug, Serialize)]
pub struct Access {
    /// Its line in the PTX text, from 1.
    pub line: usize,
    /// The instruction as it stands there.
    pub instruction: String,
    /// Its source line, as in [`Block::source`].
    pub source: Vec<SourceLine>,
    /// In warps in which all threads use one address.
    pub uniform: u64,
    /// In warps in which each thread's bytes lie behind those of the thread before it.
    pub contiguous: u64,
    /// In warps with another distance from thread to thread, always the same.
    pub strided: u64,
    /// In all others.
    pub gathered: u64,
    /// Time that it took, over all workers.
    pub seconds: f64,
}

/// An instruction before which the golden engine went on with blocks.
#[derive(Clone, Debug, Serialize)]
pub struct HandOver {
    /// Its line in the PTX text, from 1.
    pub line: usize,
    /// The instruction as it stands there.
    pub instruction: String,
    /// Why.
    pub reason: &'static str,
    /// How many blocks.
    pub blocks: u64,
}

/// A module and its text.
struct Places<'a> {
    module: &'a Module,
    text: &'a str,
    index: LineIndex<'a>,
}

impl Places<'_> {
    fn line(&self, function: FunctionId, instruction: InstructionId) -> usize {
        let function = self.module.function(function);
        let span = function.spans.get(instruction.0 as usize).or(function.spans.last());
        span.map_or(0, |span| self.index.line_of(span.start) + 1)
    }

    fn instruction(&self, function: FunctionId, instruction: InstructionId) -> String {
        let span = self.module.function(function).spans.get(instruction.0 as usize);
        let text = span.and_then(|span| self.text.get(span.range())).unwrap_or_default();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn source(&self, function: FunctionId, instruction: InstructionId) -> Vec<SourceLine> {
        let origin = self.module.origin(function, instruction);
        let lines = origin.into_iter().flat_map(|origin| [origin.line].into_iter().chain(origin.inlined_at));
        lines.map(|l| SourceLine { file: l.file.to_string(), line: l.line, column: l.column }).collect()
    }
}

impl Profile {
    /// What was counted of a launch of `kernel`, in terms of the text that the module was made from; every instruction if
    /// `lines` is set.
    pub fn new(
        module: &Module,
        text: &str,
        kernel: FunctionId,
        counted: &exec::Profile,
        lines: bool,
    ) -> Profile {
        let places = Places { module, text, index: LineIndex::new(text) };
        let name = |function: FunctionId| module.function(function).name.clone();
        let block = |stretch: &exec::Stretch| Block {
            function: name(stretch.function),
            first_line: places.line(stretch.function, stretch.first),
            last_line: places.line(stretch.function, InstructionId(stretch.end.0 - 1)),
            source: places.source(stretch.function, stretch.first),
            threads: stretch.threads,
            instructions: stretch.threads * u64::from(stretch.end.0 - stretch.first.0),
            runs: stretch.runs,
            idle: (stretch.lanes > 0).then(|| 1.0 - stretch.busy as f64 / stretch.lanes as f64),
            seconds: stretch.time.as_secs_f64(),
        };
        let line = |function: FunctionId, k: usize, threads: u64| {
            let instruction = InstructionId(k as u32);
            Line {
                function: name(function),
                line: places.line(function, instruction),
                threads,
                instruction: places.instruction(function, instruction),
                source: places.source(function, instruction),
            }
        };
        let all = counted.functions.iter().flat_map(|counted| {
            counted.counts.iter().enumerate().map(|(k, threads)| line(counted.function, k, *threads))
        });
        let access = |access: &exec::Accesses| Access {
            line: places.line(kernel, access.instruction),
            instruction: places.instruction(kernel, access.instruction),
            source: places.source(kernel, access.instruction),
            uniform: access.uniform,
            contiguous: access.contiguous,
            strided: access.strided,
            gathered: access.gathered,
            seconds: access.time.as_secs_f64(),
        };
        let handed = |handed: &exec::HandedOver| HandOver {
            line: places.line(kernel, handed.instruction),
            instruction: places.instruction(kernel, handed.instruction),
            reason: handed.reason,
            blocks: handed.blocks,
        };
        Profile {
            blocks: counted.stretches.iter().map(block).collect(),
            lines: if lines { all.collect() } else { Vec::new() },
            accesses: counted.accesses.iter().map(access).collect(),
            hand_overs: counted.hand_overs.iter().map(handed).collect(),
            handed_over_seconds: counted.handed_over_time.as_secs_f64(),
            timed: counted.stretches.iter().any(|stretch| stretch.runs > 0 || stretch.time > Duration::ZERO),
        }
    }

    fn seconds(&self) -> f64 {
        self.blocks.iter().map(|block| block.seconds).sum::<f64>() + self.handed_over_seconds
    }
}

/// A share in percent.
fn percent(part: f64, whole: f64) -> String {
    if whole > 0.0 { format!("{:.1}%", 100.0 * part / whole) } else { "-".to_string() }
}

/// `sum.cu:12`, without what could steer a terminal.
fn shown(source: &[SourceLine]) -> String {
    let Some(line) = source.first() else { return String::new() };
    let file: String =
        line.file.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect();
    format!("{file}:{}", line.line)
}

/// Rows under headings: the last `left` columns to the left, the others to the right.
fn table(f: &mut fmt::Formatter<'_>, headings: &[&str], left: usize, rows: &[Vec<String>]) -> fmt::Result {
    let width = |k: usize| {
        let cells = rows.iter().map(|row| row[k].chars().count());
        cells.chain([headings[k].chars().count()]).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..headings.len()).map(width).collect();
    let headings: Vec<String> = headings.iter().map(|heading| heading.to_string()).collect();
    for row in [&headings].into_iter().chain(rows) {
        let mut line = String::new();
        for (k, (cell, width)) in row.iter().zip(&widths).enumerate() {
            match k + left >= row.len() {
                true => line.push_str(&format!("  {cell:<width$}")),
                false => line.push_str(&format!("  {cell:>width$}")),
            }
        }
        writeln!(f, "{}", line.trim_end())?;
    }
    Ok(())
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = self.seconds();
        let executed: u64 = self.blocks.iter().map(|block| block.instructions).sum();
        let several = self.blocks.iter().any(|block| block.function != self.blocks[0].function);
        let within = |function: &str| if several { format!(" {function}") } else { String::new() };
        writeln!(f, "profile by blocks of instructions:")?;
        let lines = |block: &Block| match block.first_line == block.last_line {
            true => block.first_line.to_string(),
            false => format!("{}-{}", block.first_line, block.last_line),
        };
        let rows: Vec<Vec<String>> = self
            .blocks
            .iter()
            .map(|block| {
                let time = if self.timed { percent(block.seconds, total) } else { "-".to_string() };
                vec![
                    time,
                    block.instructions.to_string(),
                    percent(block.instructions as f64, executed as f64),
                    block.threads.to_string(),
                    block.idle.map_or("-".to_string(), |idle| percent(idle, 1.0)),
                    format!("{}{}", lines(block), within(&block.function)),
                    shown(&block.source),
                ]
            })
            .collect();
        table(f, &["time", "instructions", "of all", "threads", "idle lanes", "lines", "source"], 2, &rows)?;
        if !self.accesses.is_empty() {
            writeln!(f, "accesses to memory, by how the addresses of a warp's threads lie:")?;
            let row = |access: &Access| {
                let all = access.uniform + access.contiguous + access.strided + access.gathered;
                let share = |part: u64| match part {
                    0 => "-".to_string(),
                    part => percent(part as f64, all as f64),
                };
                vec![
                    percent(access.seconds, total),
                    all.to_string(),
                    share(access.contiguous),
                    share(access.uniform),
                    share(access.strided),
                    share(access.gathered),
                    access.line.to_string(),
                    access.instruction.clone(),
                ]
            };
            let rows: Vec<_> = self.accesses.iter().map(row).collect();
            let headings =
                ["time", "threads", "contiguous", "uniform", "strided", "gathered", "line", "instruction"];
            table(f, &headings, 1, &rows)?;
        }
        if !self.hand_overs.is_empty() {
            let share = percent(self.handed_over_seconds, total);
            writeln!(f, "the golden engine went on, for {share} of the time:")?;
            for handed in &self.hand_overs {
                let blocks = if handed.blocks == 1 { "block" } else { "blocks" };
                let HandOver { line, instruction, reason, .. } = handed;
                writeln!(f, "  {} {blocks} at line {line} `{instruction}`: {reason}", handed.blocks)?;
            }
        }
        if !self.lines.is_empty() {
            writeln!(f, "profile by instructions:")?;
            let row = |line: &Line| {
                let place = format!("{}{}", line.line, within(&line.function));
                vec![line.threads.to_string(), place, line.instruction.clone(), shown(&line.source)]
            };
            let rows: Vec<_> = self.lines.iter().map(row).collect();
            table(f, &["threads", "line", "instruction", "source"], 2, &rows)?;
        }
        Ok(())
    }
}
