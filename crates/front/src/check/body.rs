//! Bodies of functions: blocks with their scopes, labels, and code laid out flat.

use super::Checker;
use super::scope::{Entity, ListKind, Scope, splits};
use super::state::Body;
use crate::ast::{self, Block, Name, Statement};
use crate::diag::{Diagnostic, codes};
use crate::module::{Address, Base, InstructionId, Operand, Space, Symbol, VariableId};
use crate::source::Span;
use margay_isa::{Effect, Floor, Meaning, Role, Semantics};
use std::collections::HashSet;

/// From where on functions are called by their address (manual, sections 9.7.12.5 and 11.4).
pub(super) const INDIRECT_CALLS: Floor = Floor::new(2, 1, 20);
const INDIRECT_BRANCHES: Floor = Floor::new(6, 0, 30);

impl Checker {
    /// Checks a whole body.
    pub(super) fn body(&mut self, block: &Block) {
        let mut pending = vec![block];
        while let Some(block) = pending.pop() {
            for statement in &block.statements {
                match statement {
                    Statement::Block(inner) => pending.push(inner),
                    Statement::Label(name) => {
                        self.body.all_labels.insert(name.text.clone(), name.span);
                    }
                    _ => {}
                }
            }
        }
        for statement in &block.statements {
            let Statement::Variable(variable) = statement else { continue };
            for ast::Declarator { name, count, .. } in &variable.names {
                let count = count.as_ref().map(|count| count.value);
                self.body.declared.entry(name.text.clone()).or_insert((count, name.span));
            }
        }
        self.block(block);
        self.results_of_calls();
    }

    /// Where the function declares a name further down than here.
    pub(super) fn declared_later(&self, name: &Name) -> Option<Span> {
        let whole = self.body.declared.get(&name.text).filter(|(count, _)| count.is_none());
        let numbered = || {
            splits(&name.text).find_map(|(prefix, number)| {
                self.body.declared.get(prefix).filter(|(count, _)| count.is_some_and(|count| number < count))
            })
        };
        let (_, span) = whole.or_else(numbered)?;
        (span.start > name.span.start).then_some(*span)
    }

    /// Checks the statements of a block in the innermost scope.
    fn block(&mut self, block: &Block) {
        self.labels_of(block);
        for statement in &block.statements {
            self.statement(statement);
        }
    }

    /// Labels are visible in the whole of their block, before their place too; lists of targets only behind it.
    fn labels_of(&mut self, block: &Block) {
        for statement in &block.statements {
            let Statement::Label(name) = statement else { continue };
            let number = self.body.labels.len() as u32;
            if self.declare(name, Entity::Label(number)) {
                self.body.labels.push((name.text.clone(), 0));
            }
        }
    }

    fn list(&mut self, label: &Name, kind: ListKind) {
        let (what, floor) = match kind {
            ListKind::Prototype => (".callprototype", INDIRECT_CALLS),
            ListKind::CallTargets => (".calltargets", INDIRECT_CALLS),
            ListKind::BranchTargets => (".branchtargets", INDIRECT_BRANCHES),
        };
        self.need(what, floor, label.span);
        let number = self.body.lists.len() as u32;
        if self.declare(label, Entity::List(kind, number)) {
            self.body.lists.push(Vec::new());
        }
    }

    fn fill_prototype(&mut self, ast: &ast::Prototype) {
        let made = self.prototype(ast);
        let declared = self.scopes.last().and_then(|scope| scope.find(&ast.label.text)).map(|d| d.entity);
        if let Some(Entity::List(ListKind::Prototype, number)) = declared {
            let place = self.body.prototypes.len() as u32;
            self.body.prototypes.push(made);
            self.body.lists[number as usize] = vec![Operand::Prototype(place)];
        }
    }

    /// Resolves the names in a list of targets.
    fn targets(&mut self, targets: &ast::Targets) {
        let Some((_, declared)) = self.lookup(&targets.label.text) else { return };
        let Entity::List(kind, number) = declared.entity else { return };
        let mut operands = Vec::new();
        for name in &targets.names {
            match (kind, self.lookup(&name.text).map(|(_, d)| d.entity)) {
                (ListKind::BranchTargets, Some(Entity::Label(label))) => {
                    operands.push(Operand::Label(InstructionId(label)));
                }
                (ListKind::CallTargets, Some(Entity::Function(id))) => {
                    operands.push(Operand::Symbol(Symbol::Function(id), 0));
                }
                (ListKind::CallTargets, None) => self.undefined("function", name),
                (_, None) => self.undefined_label(name),
                (_, Some(other)) => {
                    let wanted = if kind == ListKind::CallTargets { "a function" } else { "a label" };
                    self.wrong_kind(name, other, wanted);
                }
            }
        }
        self.body.lists[number as usize] = operands;
    }

    /// Reports a label that is not visible here; it may exist in another block.
    pub(super) fn undefined_label(&mut self, name: &Name) {
        let Some(span) = self.body.all_labels.get(&name.text).copied() else {
            return self.undefined("label", name);
        };
        let message = format!("label `{}` is in another block", name.text);
        let diagnostic = Diagnostic::error(codes::LABEL_OUT_OF_REACH, message);
        let diagnostic = diagnostic.label(name.span, "not visible here").label(span, "it is declared here");
        self.report(diagnostic.help("a label is visible in its own block and the blocks inside it"));
    }

    /// Reports a name that stands for something else than is wanted here.
    pub(super) fn wrong_kind(&mut self, name: &Name, found: Entity, wanted: &str) {
        let message = format!("`{}` is {}, not {wanted}", name.text, found.describe());
        self.error(codes::WRONG_KIND, name.span, message, format!("expected {wanted}"));
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Block(block) => {
                self.scopes.push(Scope::default());
                self.block(block);
                self.scopes.pop();
            }
            Statement::Label(name) => {
                let found = self.scopes.last().and_then(|scope| scope.find(&name.text));
                if let Some(Entity::Label(number)) = found.map(|d| d.entity) {
                    self.body.labels[number as usize].1 = self.body.code.len() as u32;
                }
            }
            Statement::Instruction(instruction) => {
                if let Some(checked) = self.instruction(instruction) {
                    self.body.code.push(checked);
                    self.body.spans.push(instruction.span);
                }
            }
            Statement::Variable(variable) => self.variable(variable),
            Statement::Loc(loc) => self.location(loc),
            Statement::Pragma(pragma) => self.pragma_inside(pragma),
            Statement::Prototype(prototype) => {
                self.list(&prototype.label, ListKind::Prototype);
                self.fill_prototype(prototype);
            }
            Statement::CallTargets(targets) => {
                self.list(&targets.label, ListKind::CallTargets);
                self.targets(targets);
            }
            Statement::BranchTargets(targets) => {
                self.list(&targets.label, ListKind::BranchTargets);
                self.targets(targets);
            }
        }
    }

    fn location(&mut self, loc: &ast::Loc) {
        let first = InstructionId(self.body.code.len() as u32);
        let here = place([&loc.file, &loc.line, &loc.column]);
        self.body.locations.begin(first, here, loc.inlined_at.as_ref().map(|at| place(at.each_ref())));
    }

    /// Results are read behind the call that gives them: a variable in `.param` that no call of the function fills is never read.
    fn results_of_calls(&mut self) {
        let mut given = HashSet::new();
        let mut read = Vec::new();
        for (instruction, span) in self.body.code.iter().zip(&self.body.spans) {
            let inst = &*instruction.inst;
            let (calls, loads) = match inst.meaning(Semantics::Manual) {
                Meaning::Effect(effect) => (effect == Effect::Call, effect == Effect::Load),
                _ => continue,
            };
            if !(calls || loads) {
                continue;
            }
            for (template, operand) in inst.line().operands.iter().zip(&instruction.operands) {
                let written = inst.page().operand(template.name).is_some_and(|o| o.role == Role::Destination);
                match operand {
                    Operand::Vector(items) if calls && written => {
                        given.extend(items.iter().filter_map(variable));
                    }
                    Operand::Address(Address { base: Base::Variable(id), .. }) if loads => {
                        read.push((*id, *span))
                    }
                    _ => {}
                }
            }
        }
        let heads: HashSet<_> = self.body.passed.iter().copied().collect();
        for (id, span) in read {
            let found = &self.variables[id.0 as usize];
            let local = found.space == Space::Param && found.owner.is_some() && !heads.contains(&id);
            if local && !given.contains(&id) && self.environment.judged {
                let message = format!("`{}` is read, but no call returns it", found.name);
                let declared = found.span;
                let diagnostic = Diagnostic::error(codes::CALL, message).label(span, "read here");
                let diagnostic = diagnostic.label(declared, "declared here, for a call");
                self.report(diagnostic.help("name it among the results of a call: `call (x), f;`"));
                given.insert(id);
            }
        }
    }

    /// Ends the function: labels become places in its code.
    pub(super) fn finish_body(&mut self) -> Body {
        let mut body = std::mem::take(&mut self.body);
        // Registers of module scope are numbered anew in every function that names them.
        self.scopes.iter_mut().for_each(|scope| scope.used.clear());
        let labels: Vec<_> = body.labels.iter().map(|label| InstructionId(label.1)).collect();
        for operand in body.code.iter_mut().flat_map(|instruction| &mut instruction.operands) {
            place_labels(operand, &labels);
        }
        body
    }
}

fn variable(operand: &Operand) -> Option<VariableId> {
    match operand {
        Operand::Symbol(Symbol::Variable(id), _) => Some(*id),
        _ => None,
    }
}

fn place_labels(operand: &mut Operand, labels: &[InstructionId]) {
    match operand {
        Operand::Label(label) => *label = labels[label.0 as usize],
        Operand::Vector(items) => items.iter_mut().for_each(|item| place_labels(item, labels)),
        _ => {}
    }
}

/// File, line and column. Numbers that no file has become 0, which stands for unknown.
fn place(numbers: [&ast::Integer; 3]) -> [u32; 3] {
    numbers.map(|integer| u32::try_from(integer.value).unwrap_or(0))
}
