//! The kernel around a piece of PTX: every thread loads its element of each input, runs the piece, and stores the outputs.

use std::fmt::Write;
use std::sync::Arc;

use margay_exec::{Memory, Program};
use margay_front::check::check_anywhere;
use margay_front::lexer::Lexer;
use margay_front::module::{FunctionId, Module, Space};
use margay_front::token::Kind;
use margay_front::{Diagnostic, Severity, Source, Span};
use margay_isa::{Effect, Kind as TyKind, Meaning, Semantics, Ty};

use super::template::Expanded;
use super::{Refusal, is_predicate};
use crate::located::differing;
use crate::problem::Problem;

/// A piece of PTX, and the registers that its operands are.
#[derive(Debug)]
pub struct Piece {
    /// What the user wrote.
    pub source: Source,
    /// The constraints and constants of inline assembly.
    pub constraints: String,
    /// What stands in the kernel.
    pub expanded: Expanded,
    pub registers: Vec<Register>,
    /// The register of each input.
    pub read: Vec<usize>,
    /// The register of each output.
    pub written: Vec<usize>,
}

/// A register that is an operand.
#[derive(Debug)]
pub struct Register {
    pub name: String,
    pub ty: Ty,
    /// It stands for the carry flag.
    pub carry: bool,
}

/// What a kernel is compiled for.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Shape {
    /// For each input, whether it is the same for all elements.
    pub same: Vec<bool>,
    /// Whether each thread has an element.
    pub whole: bool,
}

/// A kernel that was compiled. Its parameters are the number of elements, then for each input the address of its column
/// or its value, then for each output the address of its column.
pub struct Kernel {
    pub program: Program<'static>,
    pub entry: FunctionId,
    /// Whether what becomes of an element depends on nothing but its inputs.
    pub is_pure: bool,
    /// Whether it takes whole blocks only.
    pub whole: bool,
    /// Where the piece stands in the kernel's text.
    start: u32,
    warnings: Vec<Diagnostic>,
}

impl Kernel {
    /// What the assembler makes otherwise of the piece's forms than the manual, each form once.
    pub fn errata(&self) -> Vec<String> {
        let mut told: Vec<String> = Vec::new();
        for instruction in &self.program.module().function(self.entry).code {
            // Nothing that stands around the piece has errata.
            let inst = &*instruction.inst;
            for text in differing(inst).map(|text| format!("`{inst}`: {text}")) {
                if !told.contains(&text) {
                    told.push(text);
                }
            }
        }
        told
    }
}

impl std::fmt::Debug for Kernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kernel").finish_non_exhaustive()
    }
}

/// A longer text is taken for no piece of a kernel.
const LONGEST: usize = 1 << 24;

impl Kernel {
    /// What the writer of the piece should know of it.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// The part of the user's text that an instruction of the kernel comes from.
    pub fn origin(&self, piece: &Piece, instruction: usize) -> Option<Span> {
        let span = *self.program.module().function(self.entry).spans.get(instruction)?;
        piece.inside(self.start, span).then(|| piece.origin(self.start, span))
    }
}

impl Piece {
    /// The kernel for a shape.
    pub fn compile(&self, shape: &Shape) -> Result<Kernel, Refusal> {
        if self.expanded.text.len() > LONGEST {
            let message = format!("the snippet has more than {LONGEST} bytes");
            return Err(Refusal::problem(self.source.clone(), Problem::new(message)));
        }
        self.balanced()?;
        let (text, start) = self.kernel(shape);
        let checked = check_anywhere(&Source::new("kernel", text));
        let mut diagnostics = checked.diagnostics;
        for label in diagnostics.iter_mut().flat_map(|d| &mut d.labels) {
            label.span = self.origin(start, label.span);
        }
        let Some(module) = checked.module else {
            return Err(Refusal::text(self.source.clone(), diagnostics));
        };
        let entry = FunctionId(0);
        self.runs(&module, entry, start)?;
        let warnings = diagnostics.into_iter().filter(|d| d.severity == Severity::Warning).collect();
        let is_pure = self.is_pure(&module, entry, start);
        match Program::share(Arc::new(module), &mut Memory::new(64)) {
            Ok(program) => Ok(Kernel { program, entry, is_pure, whole: shape.whole, start, warnings }),
            Err(error) => {
                let problem = Problem { message: error.message, help: error.help };
                Err(Refusal::problem(self.source.clone(), problem))
            }
        }
    }

    /// Whether the piece closes what it opens and nothing else.
    fn balanced(&self) -> Result<(), Refusal> {
        let mut lexer = Lexer::new(&self.expanded.text);
        let mut open = Vec::new();
        let refuse = |span, message: &str, label: &str| {
            let refusal = Refusal::problem(self.source.clone(), Problem::new(message));
            Err(refusal.at(self.expanded.origin(span), label))
        };
        loop {
            let token = lexer.next_token();
            match token.kind {
                Kind::End => break,
                Kind::OpenBrace => open.push(token.span),
                Kind::CloseBrace if open.pop().is_none() => {
                    return refuse(token.span, "unmatched `}`", "no `{` before it");
                }
                _ => {}
            }
        }
        let mut found = lexer.sink.finish();
        if found.iter().any(|d| d.severity == Severity::Error) {
            for label in found.iter_mut().flat_map(|d| &mut d.labels) {
                label.span = self.expanded.origin(label.span);
            }
            return Err(Refusal::text(self.source.clone(), found));
        }
        match open.pop() {
            Some(span) => refuse(span, "`{` is not closed", "no `}` after it"),
            None => Ok(()),
        }
    }

    /// Whether margay runs all of it, up to its end.
    fn runs(&self, module: &Module, entry: FunctionId, start: u32) -> Result<(), Refusal> {
        let kernel = module.function(entry);
        let outlives = |space| matches!(space, Space::Global | Space::Const);
        if let Some(variable) = module.variables().iter().find(|v| outlives(v.space)) {
            let problem = Problem::new(format!("variable `{}` outlives the snippet", variable.name));
            let problem = problem.help("declare it in `.local` or `.shared`");
            return Err(Refusal::problem(self.source.clone(), problem));
        }
        for (instruction, span) in kernel.code.iter().zip(&kernel.spans) {
            if !self.inside(start, *span) {
                continue;
            }
            let span = self.origin(start, *span);
            let refuse = |problem: Problem, label: &str| {
                Err(Refusal::problem(self.source.clone(), problem).at(span, label))
            };
            let inst = &*instruction.inst;
            match inst.meaning(Semantics::Manual) {
                Meaning::NotYet => return refuse(Problem::not_run(inst), "not run yet"),
                Meaning::Effect(Effect::Return | Effect::Exit) => {
                    let problem = Problem::new(format!("`{inst}` leaves before the results are kept"));
                    return refuse(problem.help("branch to a label at the end instead"), "leaves here");
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Whether all that it does is to compute and to branch: with neither memory nor other threads.
    fn is_pure(&self, module: &Module, entry: FunctionId, start: u32) -> bool {
        let kernel = module.function(entry);
        let own = kernel.code.iter().zip(&kernel.spans).filter(|(_, span)| self.inside(start, **span));
        own.into_iter().all(|(instruction, _)| {
            matches!(
                instruction.inst.meaning(Semantics::Manual),
                Meaning::Spec(_) | Meaning::Stages(_) | Meaning::Many(_) | Meaning::Effect(Effect::Branch)
            )
        })
    }

    fn inside(&self, start: u32, span: Span) -> bool {
        (start..start + self.expanded.text.len() as u32).contains(&span.start)
    }

    /// The part of the user's text for a part of the kernel's.
    fn origin(&self, start: u32, span: Span) -> Span {
        let shifted = |at: u32| at.saturating_sub(start).min(self.expanded.text.len() as u32);
        self.expanded.origin(Span::new(shifted(span.start), shifted(span.end)))
    }

    /// The kernel's text, and where the piece stands in it. Names of the kernel's own begin as nothing in the piece does.
    fn kernel(&self, Shape { same, whole }: &Shape) -> (String, u32) {
        let mut own = "margay$".to_string();
        while self.expanded.text.contains(&own) {
            own.push('$');
        }
        let mut text =
            format!(".version 9.5\n.target sm_120a\n.address_size 64\n.entry {own}k(.param .u32 {own}count");
        for (k, (place, same)) in self.read.iter().zip(same).enumerate() {
            let bits = if *same { memory_bits(self.registers[*place].ty) } else { 64 };
            let _ = write!(text, ", .param .b{bits} {own}i{k}");
        }
        for k in 0..self.written.len() {
            let _ = write!(text, ", .param .u64 {own}o{k}");
        }
        let _ = write!(
            text,
            ") {{
.reg .b32 {own}at, {own}n, {own}t;
.reg .b64 {own}p;
.reg .pred {own}past;
mov.u32 {own}at, %ctaid.x;
mov.u32 {own}t, %ntid.x;
mov.u32 {own}n, %tid.x;
mad.lo.u32 {own}at, {own}at, {own}t, {own}n;
"
        );
        if !whole {
            let _ = write!(
                text,
                "ld.param.u32 {own}n, [{own}count];
setp.ge.u32 {own}past, {own}at, {own}n;
@{own}past ret;
"
            );
        }
        let name = |register: &Register| match register.carry {
            true => format!("{own}cc"),
            false => register.name.clone(),
        };
        for register in &self.registers {
            let ty = if is_predicate(register.ty) { ".pred".into() } else { declared(register.ty) };
            let _ = writeln!(text, ".reg {ty} {};", name(register));
        }
        for (k, (place, same)) in self.read.iter().zip(same).enumerate() {
            let register = &self.registers[*place];
            let bits = memory_bits(register.ty);
            let to = if is_predicate(register.ty) { format!("{own}t") } else { name(register) };
            let _ = match same {
                true => writeln!(text, "ld.param.b{bits} {to}, [{own}i{k}];"),
                false => writeln!(
                    text,
                    "ld.param.u64 {own}p, [{own}i{k}];\nmad.wide.u32 {own}p, {own}at, {}, {own}p;\nld.global.b{bits} {to}, [{own}p];",
                    bits / 8
                ),
            };
            if is_predicate(register.ty) {
                let _ = writeln!(text, "setp.ne.u32 {}, {own}t, 0;", name(register));
            }
            if register.carry {
                let _ =
                    writeln!(text, "selp.u32 {own}t, 1, 0, {own}cc;\nadd.cc.u32 {own}t, {own}t, 0xffffffff;");
            }
        }
        text.push_str("{\n");
        let start = text.len() as u32;
        text.push_str(&self.expanded.text);
        // What the piece leaves out or has too much: a semicolon, the end of a comment's line.
        text.push_str("\n;\n}\n");
        for (k, place) in self.written.iter().enumerate() {
            let register = &self.registers[*place];
            let bits = memory_bits(register.ty);
            if register.carry {
                let _ = writeln!(text, "addc.u32 {own}t, 0, 0;");
            } else if is_predicate(register.ty) {
                let _ = writeln!(text, "selp.u32 {own}t, 1, 0, {};", name(register));
            }
            let from = if is_predicate(register.ty) { format!("{own}t") } else { name(register) };
            let _ = writeln!(
                text,
                "ld.param.u64 {own}p, [{own}o{k}];\nmad.wide.u32 {own}p, {own}at, {}, {own}p;\nst.global.b{bits} [{own}p], {from};",
                bits / 8
            );
        }
        text.push_str("ret;\n}\n");
        (text, start)
    }
}

/// Bits of an element in memory.
fn memory_bits(ty: Ty) -> u32 {
    ty.width().next_power_of_two().max(8)
}

/// The type of a register for an operand of this type: untyped, unless only a floating-point one fits everywhere.
fn declared(ty: Ty) -> String {
    match (ty.kind, ty.lanes) {
        (TyKind::Float, 1) => format!(".f{}", ty.bits),
        _ => format!(".b{}", memory_bits(ty)),
    }
}
