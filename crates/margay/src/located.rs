//! How a launch went wrong, told with the lines of the text it is about: traps, findings of sanitizers, wrong calls, errata.

use margay_exec::{Act, Caller, Finding, LaunchError, Trap, TrapKind, mixed_carries, reachable};
use margay_front::module::{FunctionId, InstructionId, Module};
use margay_front::source::LineIndex;
use margay_front::{Label, Source, Span, diag};
use margay_isa::{Inst, Semantics};

use crate::problem::Problem;
use crate::report::stopped::{self, Call, Failure, SourceLine, Warning};
use crate::statement::errata;
use std::collections::HashMap;

/// So many places of a wrong call, calls that led to a trap, and threads that wait are listed.
const SHOWN: usize = 10;

/// A module and the text it was read from.
///
/// ```
/// use margay::exec::{Error, Launch, Memory, Program};
/// use margay::front::{Source, compile};
/// use margay::located::Located;
/// let source = Source::new("k.ptx", ".version 8.0\n.target sm_80\n.entry k() {\n    trap;\n}");
/// let module = compile(&source.text).unwrap();
/// let mut memory = Memory::new(module.address_size());
/// let program = Program::load(&module, &mut memory).unwrap();
/// let ended = Launch::new(module.entry("k").unwrap()).run(&program, &memory);
/// let Err(Error::Trap(trap)) = ended else { panic!() };
/// let located = Located { source: &source, module: &module };
/// assert_eq!(located.failure(&trap).line, 4);
/// let text = located.trap(&trap, false);
/// assert!(text.starts_with("error: kernel `k` stopped: `trap` was executed\n --> k.ptx:4:5\n"), "{text}");
/// ```
#[derive(Clone, Copy)]
pub struct Located<'a> {
    /// The text.
    pub source: &'a Source,
    /// The module that it became.
    pub module: &'a Module,
}

impl Located<'_> {
    /// A trap as reports have it.
    pub fn failure(&self, trap: &Trap) -> Failure {
        let (line, text) = self.line_of(trap.function, trap.instruction);
        Failure {
            message: what_happened(&trap.kind),
            function: trap.function_name.clone(),
            line,
            instruction: one_line(text),
            source: self.source_of(trap.function, trap.instruction),
            calls: trap.calls.iter().take(SHOWN).map(|call| self.call(call)).collect(),
            thread: [trap.thread.x, trap.thread.y, trap.thread.z],
            block: [trap.block.x, trap.block.y, trap.block.z],
        }
    }

    /// A trap for people, with its line and a caret under the instruction.
    pub fn trap(&self, trap: &Trap, color: bool) -> String {
        let span = self.span_of(trap.function, trap.instruction);
        let [thread, block] = [trap.thread, trap.block].map(|dim| format!("{:?}", dim.tuple()));
        let within = within(&trap.function_name, &trap.kernel);
        let origin = self.origin(trap.function, trap.instruction);
        let text = format!("in thread {thread} of block {block}{within}{origin}");
        let message = match &trap.kind {
            TrapKind::StepLimit(_) => format!("kernel `{}` {}", trap.kernel, trap.kind),
            kind => format!("kernel `{}` stopped: {}", trap.kernel, what_happened(kind)),
        };
        let callers = trap.calls.iter().take(SHOWN).map(|call| Label {
            span: self.span_of(call.function, call.instruction),
            text: format!("called here, in `{}`{}", call.name, self.origin(call.function, call.instruction)),
        });
        let here = (trap.function, trap.instruction);
        let others = match &trap.kind {
            TrapKind::Deadlock(waiting) => waiting.as_slice(),
            _ => &[],
        };
        let others = others.iter().filter(|w| (w.function, w.instruction) != here).take(SHOWN);
        let others = others.map(|waiting| Label {
            span: self.span_of(waiting.function, waiting.instruction),
            text: format!(
                "thread {:?} waits here{}",
                waiting.first.tuple(),
                self.origin(waiting.function, waiting.instruction)
            ),
        });
        let labels: Vec<_> = [Label { span, text }].into_iter().chain(callers).chain(others).collect();
        diag::human_error(self.source, &message, &labels, trap.kind.help(), color)
    }

    /// The line of an instruction, and its text in one line.
    pub fn line(&self, function: FunctionId, instruction: InstructionId) -> (usize, String) {
        let (line, text) = self.line_of(function, instruction);
        (line, one_line(text))
    }

    /// A wrong call, with the lines that are at fault.
    pub fn wrong_call(&self, error: &LaunchError) -> Problem {
        let mut problem = Problem { message: error.message.clone(), help: error.help.clone() };
        if let Some(code) = error.code {
            problem.message = format!("{} [{code}]", problem.message);
        }
        if let Some(variable) = error.variable.map(|id| self.module.variable(id)) {
            let line = LineIndex::new(&self.source.text).line_of(variable.span.start) + 1;
            problem.message.push_str(&format!("\n  {}:{line}: it is declared here", self.source.name));
        }
        for place in error.places.iter().take(SHOWN) {
            let (line, _) = self.line_of(place.function, place.instruction);
            let origin = self.origin(place.function, place.instruction);
            problem.message.push_str(&format!("\n  {}:{line}: {}{origin}", self.source.name, place.text));
        }
        problem
    }

    /// A finding as reports have it.
    pub fn finding(&self, finding: &Finding) -> stopped::Finding {
        let act = |act: &Act| {
            let (line, text) = self.line_of(act.function, act.instruction);
            stopped::Act {
                what: act.what.clone(),
                function: act.function_name.clone(),
                line,
                instruction: one_line(text),
                source: self.source_of(act.function, act.instruction),
                thread: [act.thread.x, act.thread.y, act.thread.z],
                block: [act.block.x, act.block.y, act.block.z],
            }
        };
        stopped::Finding {
            sanitizer: finding.sanitizer.name(),
            message: finding.message.clone(),
            count: finding.count,
            acts: finding.acts.iter().map(act).collect(),
        }
    }

    /// A finding in a launch of a kernel for people, with its lines.
    pub fn finding_text(&self, finding: &Finding, kernel: &str, color: bool) -> String {
        let here = |act: &Act| (act.function, act.instruction);
        let label = |act: &Act| {
            let within = within(&act.function_name, kernel);
            let text = format!("{act}{within}{}", self.origin(act.function, act.instruction));
            Label { span: self.span_of(act.function, act.instruction), text }
        };
        let mut labels: Vec<Label> = Vec::new();
        for (k, act) in finding.acts.iter().enumerate() {
            match labels.first_mut().filter(|_| k > 0 && here(act) == here(&finding.acts[0])) {
                Some(first) => first.text = format!("{}; {act}", first.text),
                None => labels.push(label(act)),
            }
        }
        let times =
            if finding.count == 1 { String::new() } else { format!(", seen {} times", finding.count) };
        let message = format!("{}{times}", finding.message);
        diag::human_error(self.source, &message, &labels, finding.help(), color)
    }

    /// A warning for each form that a kernel can reach, in its own code and in functions that it calls, which the assembler
    /// computes in another way than the manual says, at its first line; none where what the assembler computes was asked for.
    ///
    /// The carry flag is another only for who sees it: instructions that keep a borrow are warned of where an addition reads
    /// it, or where they read the carry of an addition.
    pub fn errata(&self, kernel: FunctionId, semantics: Semantics) -> Vec<Warning> {
        let mut warnings: Vec<Warning> = Vec::new();
        if semantics == Semantics::Ptxas13_5 {
            return warnings;
        }
        let index = LineIndex::new(&self.source.text);
        for (id, reached) in reachable(self.module, kernel) {
            let function = self.module.function(id);
            let line = |at: usize| index.line_of(function.spans[at].start) + 1;
            let pages = function.code.iter().enumerate().map(|(at, instruction)| (at, &*instruction.inst));
            for (at, inst) in pages.filter(|(at, inst)| reached[*at] && !carries(inst)) {
                let told = differing(inst).map(|told| format!("`{inst}`: {told}"));
                warnings.extend(told.map(|message| Warning { line: Some(line(at)), message }));
            }
            for mixed in mixed_carries(function) {
                let [read, written] = [mixed.read, mixed.written].map(|id| id.0 as usize);
                let [reader, writer] = [read, written].map(|at| &*function.code[at].inst);
                let source = format!("`{reader}` reads the carry flag of `{writer}`, line {}", line(written));
                let told = differing(reader).chain(differing(writer)).map(|told| format!("{source}: {told}"));
                warnings.extend(told.map(|message| Warning { line: Some(line(read)), message }));
            }
        }
        warnings.sort_by_key(|warning| warning.line);
        once(warnings)
    }

    fn span_of(&self, function: FunctionId, instruction: InstructionId) -> Span {
        let spans = &self.module.function(function).spans;
        spans.get(instruction.0 as usize).copied().unwrap_or_default()
    }

    fn line_of(&self, function: FunctionId, instruction: InstructionId) -> (usize, &str) {
        let span = self.span_of(function, instruction);
        let text = self.source.text.get(span.range()).unwrap_or_default();
        (LineIndex::new(&self.source.text).line_of(span.start) + 1, text)
    }

    fn call(&self, call: &Caller) -> Call {
        let (line, _) = self.line_of(call.function, call.instruction);
        Call { function: call.name.clone(), line, source: self.source_of(call.function, call.instruction) }
    }

    /// The source line of an instruction, then the lines where it was inlined.
    fn source_of(&self, function: FunctionId, instruction: InstructionId) -> Vec<SourceLine> {
        let origin = self.module.origin(function, instruction);
        let lines = origin.into_iter().flat_map(|origin| [origin.line].into_iter().chain(origin.inlined_at));
        lines.map(|l| SourceLine { file: l.file.to_string(), line: l.line, column: l.column }).collect()
    }

    /// ` (source.cu:12)`, or nothing if the source line of an instruction is not known.
    fn origin(&self, function: FunctionId, instruction: InstructionId) -> String {
        let origin = self.module.origin(function, instruction);
        origin.map_or_else(String::new, |origin| format!(" ({origin})"))
    }
}

fn carries(inst: &Inst) -> bool {
    inst.reads_carry() || inst.writes_carry()
}

/// In which ways the assembler computes a form otherwise than the manual says.
pub(crate) fn differing(inst: &Inst) -> impl Iterator<Item = String> {
    errata(inst).filter(|erratum| erratum.ptxas.is_some()).map(|erratum| erratum.told())
}

fn within(function: &str, kernel: &str) -> String {
    if function == kernel { String::new() } else { format!(", function `{function}`") }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn what_happened(kind: &TrapKind) -> String {
    match kind {
        TrapKind::Cancelled => "interrupted".to_string(),
        kind => kind.to_string(),
    }
}

/// The first one of those that say the same, with how many others do.
fn once(warnings: Vec<Warning>) -> Vec<Warning> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for warning in &warnings {
        *counts.entry(warning.message.clone()).or_default() += 1;
    }
    let first = warnings.into_iter().filter_map(|Warning { line, message }| {
        let more = counts.remove(&message)? - 1;
        let message = match more {
            0 => message,
            1 => format!("{message} (and on 1 more line)"),
            _ => format!("{message} (and on {more} more lines)"),
        };
        Some(Warning { line, message })
    });
    first.collect()
}
