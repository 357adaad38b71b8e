//! Calls and branches by index: whether the function is one, and arguments and results are those that it declares.

use super::Checker;
use super::operand::typed;
use super::state::Linkage;
use crate::ast;
use crate::diag::{Diagnostic, codes};
use crate::module::{FunctionId, Operand, Parameter, Space, Symbol};
use crate::provided::provided;
use crate::source::Span;
use margay_isa::{Inst, Kind, Ty};

/// The names that the manual's syntax lines give the parts of a call.
const FUNCTION: &str = "func";
const POINTER: &str = "fptr";
const CANDIDATES: &str = "flist";
const ARGUMENTS: &str = "param-list";
const RESULTS: &str = "ret-param";
/// And the list of a branch by index.
const LABELS: &str = "tlist";

/// What a function or prototype takes and gives.
struct Wanted<'a> {
    parameters: &'a [Parameter],
    returns: &'a [Parameter],
    /// The function's name, and where it is declared; none for a prototype.
    by: Option<(&'a str, Span)>,
}

impl Checker {
    /// Judges what only calls and branches by index have; other instructions pass.
    pub(super) fn call(&mut self, inst: &Inst, ast: &ast::Instruction, operands: &[Operand]) -> Option<()> {
        let templates = &inst.line().operands;
        let place =
            |name: &str| templates.iter().position(|t| t.name == name).filter(|k| *k < operands.len());
        let span = |k: usize| ast.operands[k].span;
        let judged = match (place(LABELS), place(FUNCTION), place(POINTER), place(CANDIDATES)) {
            (Some(k), ..) => return self.judged(label_list(&operands[k], span(k))),
            (_, Some(k), ..) => self.named_callee(&operands[k], span(k)).map(|wanted| (k, vec![wanted])),
            (_, _, Some(k), Some(list)) => {
                let address = self.holds_address(&operands[k], span(k));
                let wanted = address.and_then(|()| self.candidates(&operands[list], span(list)));
                wanted.map(|wanted| (k, wanted))
            }
            _ => return Some(()),
        };
        let found = match judged {
            Err(diagnostic) => vec![diagnostic],
            Ok((callee, wanted)) => {
                let sides = [("argument", place(ARGUMENTS)), ("result", place(RESULTS))];
                let side = |(what, place): (&'static str, Option<usize>)| {
                    let given: &[Operand] = match place.map(|k| &operands[k]) {
                        Some(Operand::Vector(items)) => items,
                        Some(other) => std::slice::from_ref(other),
                        None => &[],
                    };
                    self.passes(what, given, span(place.unwrap_or(callee)), &wanted).err()
                };
                sides.into_iter().filter_map(side).collect()
            }
        };
        if let (Some(k), true) = (place(FUNCTION), found.is_empty())
            && let Operand::Symbol(Symbol::Function(id), _) = operands[k]
        {
            self.called.entry(id).or_insert(span(k));
        }
        let agrees = found.is_empty();
        found.into_iter().for_each(|diagnostic| self.report(diagnostic));
        agrees.then_some(())
    }

    fn judged(&mut self, found: Result<(), Diagnostic>) -> Option<()> {
        found.map_err(|diagnostic| self.report(diagnostic)).ok()
    }

    /// Notes functions of other modules that are called.
    pub(super) fn missing_bodies(&mut self) {
        for (id, span) in std::mem::take(&mut self.called) {
            let function = &self.functions[id.0 as usize];
            let elsewhere = self.linkages.get(&id) == Some(&Linkage::Extern);
            if !elsewhere || function.alias.is_some() || provided(function).is_some() {
                continue;
            }
            let message = format!("function `{}` is called, but has no body here", function.name);
            let declared = function.span;
            let diagnostic = Diagnostic::note(codes::NO_BODY, message).label(span, "the first call");
            self.report(diagnostic.label(declared, "declared here"));
        }
    }

    fn declared_callee(&self, id: FunctionId) -> Wanted<'_> {
        let function = &self.functions[id.0 as usize];
        let by = Some((function.name.as_str(), function.span));
        Wanted { parameters: &function.parameters, returns: &function.returns, by }
    }

    /// The function that a call names.
    fn named_callee(&self, callee: &Operand, span: Span) -> Result<Wanted<'_>, Diagnostic> {
        match callee {
            Operand::Symbol(Symbol::Function(id), 0) => {
                let function = &self.functions[id.0 as usize];
                if function.is_entry {
                    let message = format!("kernel `{}` cannot be called", function.name);
                    let diagnostic =
                        Diagnostic::error(codes::CALL, message).label(span, "this is an `.entry`");
                    return Err(diagnostic.help("only a `.func` can be called"));
                }
                Ok(self.declared_callee(*id))
            }
            Operand::Register(_) => {
                let diagnostic =
                    Diagnostic::error(codes::CALL, "indirect call does not say what it may call");
                let diagnostic = diagnostic.label(span, "only the address is known");
                Err(diagnostic.help("name a `.callprototype` or `.calltargets` after the arguments"))
            }
            _ => Err(other_kind(span, "expected a function")),
        }
    }

    /// Registers of 32 and of 64 bits do, whatever the size of addresses; the manual does not say so, ptxas does.
    fn holds_address(&self, pointer: &Operand, span: Span) -> Result<(), Diagnostic> {
        if let Operand::Register(id) = pointer {
            let ty = self.body.registers[id.0 as usize].ty;
            if ty.is_integer() && ty.lanes == 1 && matches!(ty.bits, 32 | 64) {
                return Ok(());
            }
        }
        Err(other_kind(span, "expected an integer register that holds a function's address"))
    }

    /// The functions that a call by address may reach, or the prototype that they have.
    fn candidates(&self, list: &Operand, span: Span) -> Result<Vec<Wanted<'_>>, Diagnostic> {
        match list {
            Operand::Prototype(place) => {
                let prototype = &self.body.prototypes[*place as usize];
                let (parameters, returns) = (prototype.parameters.as_slice(), prototype.returns.as_slice());
                Ok(vec![Wanted { parameters, returns, by: None }])
            }
            Operand::Vector(items) => {
                let wanted = items.iter().map(|item| match item {
                    Operand::Symbol(Symbol::Function(id), 0) => Ok(self.declared_callee(*id)),
                    _ => Err(other_kind(span, "expected a list of functions")),
                });
                wanted.collect()
            }
            _ => Err(other_kind(span, "expected a `.callprototype` or `.calltargets`")),
        }
    }

    /// Whether what a call gives can be passed, and is what every candidate wants.
    fn passes(
        &self,
        what: &str,
        given: &[Operand],
        span: Span,
        candidates: &[Wanted],
    ) -> Result<(), Diagnostic> {
        for operand in given {
            let fits = match operand {
                Operand::Register(_) | Operand::Sink => true,
                Operand::Immediate(_) => what == "argument",
                Operand::Symbol(Symbol::Variable(id), 0) => {
                    self.variables[id.0 as usize].space == Space::Param
                }
                _ => false,
            };
            if !fits {
                return Err(other_kind(span, format!("{what}s must be `.param` variables or registers")));
            }
        }
        for wanted in candidates {
            let list = if what == "argument" { wanted.parameters } else { wanted.returns };
            let Err(label) = self.matches(what, given, list) else { continue };
            let by = wanted.by.map_or("its prototype".to_string(), |(name, _)| format!("`{name}`"));
            let message = format!("{what}s of the call do not match {by}");
            let diagnostic = Diagnostic::error(codes::CALL, message).label(span, label);
            return Err(match wanted.by {
                Some((_, declared)) => diagnostic.label(declared, "declared here"),
                None => diagnostic,
            });
        }
        Ok(())
    }

    /// Compares what a call gives with what the function wants; says what differs.
    fn matches(&self, what: &str, given: &[Operand], wanted: &[Parameter]) -> Result<(), String> {
        if given.len() != wanted.len() {
            let plural = if wanted.len() == 1 { "" } else { "s" };
            return Err(format!("expected {} {what}{plural}, found {}", wanted.len(), given.len()));
        }
        for (k, (given, wanted)) in given.iter().zip(wanted).enumerate() {
            let n = k + 1;
            let Some(passed) = self.passed(given) else { continue };
            if passed.bytes != wanted.size && wanted.size > 0 {
                let (bytes, size) = (passed.bytes, wanted.size);
                return Err(format!("{what} {n} has {bytes} bytes, expected {size}"));
            }
            if !self.environment.judged {
                continue;
            }
            if passed.is_array != wanted.is_array {
                let [is, wanted] =
                    [passed.is_array, wanted.is_array].map(|is| if is { "an array" } else { "one value" });
                return Err(format!("{what} {n} is {is}, expected {wanted}"));
            }
            if !passed.is_array && !alike(passed.element, wanted.element) {
                let [is, wanted] = [passed.element, wanted.element].map(typed);
                return Err(format!("{what} {n} is `{is}`, expected `{wanted}`"));
            }
            if let Some(align) = passed.align.filter(|align| *align != wanted.align) {
                return Err(format!("{what} {n} is aligned to {align} bytes, expected {}", wanted.align));
            }
        }
        Ok(())
    }

    /// What is known of an argument; nothing where it adapts, as a constant does.
    fn passed(&self, operand: &Operand) -> Option<Passed> {
        match operand {
            Operand::Symbol(Symbol::Variable(id), 0) => {
                let variable = &self.variables[id.0 as usize];
                Some(Passed {
                    bytes: variable.size,
                    element: variable.element,
                    is_array: !variable.dimensions.is_empty(),
                    align: Some(variable.align),
                })
            }
            Operand::Register(id) => {
                let element = self.body.registers[id.0 as usize].ty;
                let bytes = u64::from(element.width().div_ceil(8));
                Some(Passed { bytes, element, is_array: false, align: None })
            }
            _ => None,
        }
    }
}

/// What a call gives as one argument or result.
struct Passed {
    bytes: u64,
    element: Ty,
    is_array: bool,
    /// Of a variable; a register has none.
    align: Option<u64>,
}

/// Whether a value of one type may be passed as one of another; the manual asks for the same type, ptxas takes those that mix
/// in vectors, too.
fn alike(a: Ty, b: Ty) -> bool {
    let untyped = |ty: Ty| ty.kind == Kind::Untyped || ty.lanes > 1;
    a == b || (a.width() == b.width() && (untyped(a) || untyped(b) || (a.is_integer() && b.is_integer())))
}

fn other_kind(span: Span, label: impl Into<String>) -> Diagnostic {
    Diagnostic::error(codes::WRONG_KIND, "wrong kind of operand").label(span, label)
}

fn label_list(list: &Operand, span: Span) -> Result<(), Diagnostic> {
    match list {
        Operand::Vector(labels) if matches!(labels.first(), Some(Operand::Label(_))) => Ok(()),
        _ => Err(other_kind(span, "expected a `.branchtargets` list")),
    }
}
