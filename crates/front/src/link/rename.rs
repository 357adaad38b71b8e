//! New names for what no other module sees, where an earlier input has something of the same name.

use super::inputs::{Inputs, Unit};
use super::names::{Kind, Names};
use super::resolve::Resolved;
use super::walk::{Role, Visitor, walk};
use crate::ast::{BinaryOp, Expr, ExprKind, Integer, Name, Offset, OffsetValue, OperandKind, Sum};
use crate::check::scope::{self, Entity, Scope};
use crate::diag::{Diagnostic, Sink, codes};
use crate::lexer::Lexer;
use crate::module::VariableId;
use crate::source::Span;
use crate::token::Kind as Token;
use smol_str::SmolStr;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// What changes in one input.
#[derive(Default)]
pub(super) struct Plan {
    /// Names of the module.
    pub names: HashMap<SmolStr, SmolStr>,
    /// Ranges of registers by their prefix: the new prefix, and how many there are.
    pub ranges: HashMap<SmolStr, (SmolStr, u32)>,
    /// Labels inside of functions.
    pub labels: HashMap<SmolStr, SmolStr>,
    /// Labels of debug data.
    pub debug: HashMap<SmolStr, SmolStr>,
    /// Arrays whose definition has elements of another size: how many bytes an element has here.
    pub elements: HashMap<SmolStr, u64>,
}

/// Makes names that no input has.
pub(super) struct Fresh<'a> {
    inputs: &'a Inputs,
    /// All names of all inputs; read when the first new name is wanted.
    taken: Option<BTreeSet<SmolStr>>,
}

impl<'a> Fresh<'a> {
    pub fn new(inputs: &'a Inputs) -> Fresh<'a> {
        Fresh { inputs, taken: None }
    }

    /// A name like `name` for something of input `unit`: `name$b` for the second one. No name of any input begins so, and it ends
    /// with no digit: no range of registers holds it, and it may itself be the prefix of one.
    pub fn name(&mut self, name: &str, unit: usize) -> SmolStr {
        let taken = self.taken.get_or_insert_with(|| all_names(self.inputs));
        let mut made = format!("{name}${}", letters(unit));
        while taken.range(SmolStr::from(&made)..).next().is_some_and(|next| next.starts_with(&made)) {
            made.push('_');
        }
        let made = SmolStr::from(made);
        taken.insert(made.clone());
        made
    }
}

/// `a`, `b`, …, `z`, `aa`, `ab`, …
fn letters(mut number: usize) -> String {
    let mut all = Vec::new();
    loop {
        all.push(b'a' + (number % 26) as u8);
        match number / 26 {
            0 => break,
            left => number = left - 1,
        }
    }
    all.iter().rev().map(|letter| *letter as char).collect()
}

fn all_names(inputs: &Inputs) -> BTreeSet<SmolStr> {
    let mut names = BTreeSet::new();
    for source in inputs.sources() {
        let mut lexer = Lexer::new(&source.text);
        loop {
            let token = lexer.next_token();
            match token.kind {
                Token::End => break,
                Token::Name => drop(names.insert(SmolStr::from(&source.text[token.span.range()]))),
                _ => {}
            }
        }
    }
    names
}

/// Plans new names for private ones that collide with a shared one or with an earlier input's.
pub(super) fn private(names: &[Names], plans: &mut [Plan], fresh: &mut Fresh, found: &mut Sink) {
    let declared = |span: Span| scope::Declared { entity: Entity::Variable(VariableId(0)), span };
    let mut taken = Scope::default();
    for (name, one) in names.iter().flat_map(|names| &names.all).filter(|(_, one)| !one.private) {
        taken.declare(name, declared(one.span));
    }
    for (unit, (names, plan)) in names.iter().zip(plans).enumerate() {
        for (name, one) in names.all.iter().filter(|(_, one)| one.private) {
            let other = match one.count {
                Some(count) => taken.declare_range(name, count, declared(one.span)),
                None => taken.declare(name, declared(one.span)),
            };
            let Some(other) = other else { continue };
            let new = fresh.name(name, unit);
            if one.kind == Kind::Kernel {
                found.push(renamed_kernel(name, &new, one.span, other.span));
            }
            match one.count {
                Some(count) => drop(plan.ranges.insert(name.clone(), (new, count))),
                None => drop(plan.names.insert(name.clone(), new)),
            }
        }
    }
}

fn renamed_kernel(name: &str, new: &str, span: Span, other: Span) -> Diagnostic {
    let message = format!("kernel `{name}` is called `{new}` in the result");
    let diagnostic = Diagnostic::warning(codes::LINK_RENAMED, message);
    let diagnostic = diagnostic.label(span, "not `.visible`, so it may be renamed");
    diagnostic.label(other, "this keeps the name").help("give one of them another name")
}

/// Plans new names for labels of debug data that several inputs have, and for labels of functions that the debug data of
/// another input refers to.
pub(super) fn debug(units: &mut [Unit], names: &[Names], plans: &mut [Plan], fresh: &mut Fresh) {
    let seen: Vec<Labels> = units.iter_mut().map(Labels::of).collect();
    let mut taken: HashSet<&SmolStr> = HashSet::new();
    for (unit, labels) in seen.iter().enumerate() {
        for label in &labels.declared {
            if !taken.insert(label) {
                plans[unit].debug.insert(label.clone(), fresh.name(label, unit));
            }
        }
    }
    for (unit, labels) in seen.iter().enumerate() {
        let unknown =
            |label: &&SmolStr| !labels.declared.contains(*label) && !names[unit].all.contains_key(*label);
        for label in labels.used.iter().filter(unknown) {
            for other in (0..seen.len()).filter(|other| *other != unit && seen[*other].inside.contains(label))
            {
                let new = || fresh.name(label, other);
                plans[other].labels.entry(label.clone()).or_insert_with(new);
            }
        }
    }
}

/// Plans other ways to write elements of arrays, where the definition counts by elements of another size.
pub(super) fn elements(names: &[Names], resolved: &BTreeMap<SmolStr, Resolved>, plans: &mut [Plan]) {
    for (name, resolved) in resolved {
        let bytes = |unit: usize| {
            let variable = names[unit].variable(name).filter(|_| names[unit].shared(name).is_some())?;
            Some(u64::from(variable.element.width() / 8 * variable.vector))
        };
        for (unit, plan) in plans.iter_mut().enumerate() {
            if let Some(own) = bytes(unit).filter(|own| bytes(resolved.unit) != Some(*own)) {
                plan.elements.insert(name.clone(), own);
            }
        }
    }
}

/// The labels of an input.
#[derive(Default)]
struct Labels {
    /// Of debug data.
    declared: BTreeSet<SmolStr>,
    /// What debug data and `.loc` refer to.
    used: BTreeSet<SmolStr>,
    /// Of functions.
    inside: BTreeSet<SmolStr>,
}

impl Labels {
    fn of(unit: &mut Unit) -> Labels {
        let mut labels = Labels::default();
        let Unit { items, gone, .. } = unit;
        for (_, item) in items.iter_mut().enumerate().filter(|(index, _)| !gone.contains(index)) {
            walk(item, &mut labels);
            if let crate::ast::Item::Section(section) = item {
                labels.declared.extend(section.lines.iter().filter_map(|line| match line {
                    crate::ast::SectionLine::Label(name) => Some(name.text.clone()),
                    crate::ast::SectionLine::Data { .. } => None,
                }));
            }
        }
        labels
    }
}

impl Visitor for Labels {
    fn name(&mut self, role: Role, name: &mut Name) {
        match role {
            Role::Debug => drop(self.used.insert(name.text.clone())),
            Role::Label => drop(self.inside.insert(name.text.clone())),
            Role::Declared | Role::Used => {}
        }
    }
}

impl Plan {
    /// Carries the plan out.
    pub fn apply(&mut self, unit: &mut Unit) {
        let nothing = self.names.is_empty() && self.ranges.is_empty() && self.labels.is_empty();
        if nothing && self.debug.is_empty() && self.elements.is_empty() {
            return;
        }
        unit.items.iter_mut().for_each(|item| walk(item, self));
    }

    fn of_module(&self, name: &str) -> Option<SmolStr> {
        self.names.get(name).cloned().or_else(|| self.numbered(name))
    }

    /// The new name of a register of a range.
    fn numbered(&self, name: &str) -> Option<SmolStr> {
        if self.ranges.is_empty() {
            return None;
        }
        if let Some((new, _)) = self.ranges.get(name) {
            return Some(new.clone());
        }
        scope::splits(name).find_map(|(prefix, number)| {
            let (new, count) = self.ranges.get(prefix)?;
            (number < u64::from(*count)).then(|| SmolStr::from(format!("{new}{number}")))
        })
    }
}

impl Visitor for Plan {
    fn name(&mut self, role: Role, name: &mut Name) {
        let new = match role {
            Role::Declared | Role::Used => self.of_module(&name.text),
            Role::Label => self.labels.get(&name.text).cloned(),
            Role::Debug => self.debug.get(&name.text).cloned().or_else(|| self.of_module(&name.text)),
        };
        if let Some(new) = new {
            name.text = new;
        }
    }

    /// `x[2]` becomes `x+2*4`.
    fn element(&mut self, operand: &mut OperandKind) {
        let OperandKind::Index(name, index) = operand else { return };
        let (Some(bytes), OperandKind::Constant(value)) = (self.elements.get(&name.text), &index.kind) else {
            return;
        };
        let span = index.span;
        let expr = |kind| Box::new(Expr { kind, span });
        let factor = ExprKind::Integer(number(*bytes, span));
        let inner = expr(ExprKind::Paren(value.clone()));
        let product = ExprKind::Binary(BinaryOp::Mul, inner, expr(factor));
        let value = OffsetValue::Constant(Expr { kind: product, span });
        let offsets = vec![Offset { minus: false, value, span }];
        *operand = OperandKind::Sum(Sum { base: name.clone(), offsets });
    }
}

/// A number as it is written in the tree.
pub(super) fn number(value: u64, span: Span) -> Integer {
    Integer { value, unsigned: false, wrapped: false, text: value.to_string().into(), span }
}
