//! Bodies of functions: blocks with their scopes, labels, and code laid out flat.

use super::Checker;
use super::scope::{Entity, ListKind, Scope};
use crate::ast::{self, Block, Name, Statement};
use crate::diag::{Diagnostic, codes};
use crate::module::{
    FunctionId, Instruction, InstructionId, LocationsMaker, Operand, Prototype, Register, Symbol,
};
use crate::source::Span;
use smol_str::SmolStr;
use std::collections::HashMap;

/// The state of the function that is being checked.
#[derive(Default)]
pub(crate) struct Body {
    pub function: Option<FunctionId>,
    pub registers: Vec<Register>,
    pub code: Vec<Instruction>,
    pub spans: Vec<Span>,
    pub locations: LocationsMaker,
    /// Labels by number: the name, and the instruction it stands before.
    pub labels: Vec<(SmolStr, u32)>,
    /// Labels of all its blocks, for hints where one is out of reach.
    all_labels: HashMap<SmolStr, Span>,
    /// Lists of targets by number.
    pub lists: Vec<Vec<Operand>>,
    pub prototypes: Vec<Prototype>,
}

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
        self.block(block);
    }

    /// Checks the statements of a block in the innermost scope.
    fn block(&mut self, block: &Block) {
        self.labels_of(block);
        for statement in &block.statements {
            self.statement(statement);
        }
    }

    /// Labels are visible in the whole of their block, before their place too.
    fn labels_of(&mut self, block: &Block) {
        for statement in &block.statements {
            match statement {
                Statement::Label(name) => {
                    let number = self.body.labels.len() as u32;
                    if self.declare(name, Entity::Label(number)) {
                        self.body.labels.push((name.text.clone(), 0));
                    }
                }
                Statement::Prototype(p) => self.list(&p.label, ListKind::Prototype),
                Statement::CallTargets(t) => self.list(&t.label, ListKind::CallTargets),
                Statement::BranchTargets(t) => self.list(&t.label, ListKind::BranchTargets),
                _ => {}
            }
        }
        for statement in &block.statements {
            match statement {
                Statement::BranchTargets(targets) | Statement::CallTargets(targets) => self.targets(targets),
                Statement::Prototype(prototype) => self.fill_prototype(prototype),
                _ => {}
            }
        }
    }

    fn list(&mut self, label: &Name, kind: ListKind) {
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
            Statement::Pragma(_)
            | Statement::Prototype(_)
            | Statement::CallTargets(_)
            | Statement::BranchTargets(_) => {}
        }
    }

    fn location(&mut self, loc: &ast::Loc) {
        let first = InstructionId(self.body.code.len() as u32);
        let here = place([&loc.file, &loc.line, &loc.column]);
        self.body.locations.begin(first, here, loc.inlined_at.as_ref().map(|at| place(at.each_ref())));
    }

    /// Ends the function: labels become places in its code.
    pub(super) fn finish_body(&mut self) -> Body {
        let mut body = std::mem::take(&mut self.body);
        // Registers of module scope are an error, but later functions may name them all the same.
        self.scopes.iter_mut().for_each(|scope| scope.used.clear());
        let labels: Vec<_> = body.labels.iter().map(|label| InstructionId(label.1)).collect();
        for operand in body.code.iter_mut().flat_map(|instruction| &mut instruction.operands) {
            place_labels(operand, &labels);
        }
        body
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
