//! Looking names up, and saying what is near where one is not found.

use super::Checker;
use super::scope::{Declared, Entity, RegisterType, Scope};
use crate::ast::{self, Name};
use crate::diag::{Code, Diagnostic, codes};
use crate::module::{Register, RegisterId};
use crate::source::Span;
use margay_isa::special::{self, Special};
use smol_str::SmolStr;
use std::collections::HashMap;

/// With so many names a misspelt one is compared at most.
const MAX_COMPARED: usize = 50_000;

/// The names of a module's scope and where each is first declared.
pub(super) fn ahead(file: &ast::File) -> HashMap<SmolStr, Span> {
    let mut names = HashMap::new();
    for item in &file.items {
        match item {
            ast::Item::Variable(v) => {
                for declarator in &v.names {
                    names.entry(declarator.name.text.clone()).or_insert(declarator.name.span);
                }
            }
            ast::Item::Function(f) => {
                names.entry(f.name.text.clone()).or_insert(f.name.span);
            }
            _ => {}
        }
    }
    names
}

impl Entity {
    /// What it is, with its article.
    pub(super) fn describe(self) -> &'static str {
        match self {
            Entity::Register(_) => "a register",
            Entity::Variable(_) => "a variable",
            Entity::Function(_) => "a function",
            Entity::Label(_) => "a label",
            Entity::List(..) => "a list of targets",
        }
    }
}

/// Registers that are used and lie beyond a range.
#[derive(Debug)]
pub(super) struct Beyond {
    /// The first of them in the text.
    first: Name,
    prefix: SmolStr,
    count: u32,
    declared: Span,
    /// The greatest number of any.
    greatest: u64,
}

impl Checker {
    /// The innermost declaration of a name, with the number of its scope.
    pub(super) fn lookup(&self, name: &str) -> Option<(usize, Declared)> {
        (0..self.scopes.len()).rev().find_map(|k| Some((k, self.scopes[k].find(name)?)))
    }

    /// What a name stands for, with the number of its scope: [`lookup`](Self::lookup), fast for registers that were used before.
    pub(super) fn entity(&self, name: &str) -> Option<(usize, Entity)> {
        let in_scope = |(k, scope): (usize, &Scope)| match scope.used.get(name) {
            Some(id) => {
                let element = self.body.registers[id.0 as usize].ty;
                Some((k, Entity::Register(RegisterType { element, vector: 1 })))
            }
            None => scope.find(name).map(|declared| (k, declared.entity)),
        };
        self.scopes.iter().enumerate().rev().find_map(in_scope)
    }

    /// The register `name` of scope `k`, made when it is first used.
    pub(super) fn register(&mut self, k: usize, name: &str, ty: RegisterType) -> RegisterId {
        if let Some(id) = self.scopes[k].used.get(name) {
            return *id;
        }
        let id = RegisterId(self.body.registers.len() as u32);
        self.body.registers.push(Register { name: name.into(), ty: ty.element, shared: k == 0 });
        self.scopes[k].used.insert(name.into(), id);
        // Other functions may write a register of module scope.
        if let (0, Some(function)) = (k, self.body.function) {
            self.of_module.entry(function).or_default().insert(id);
        }
        id
    }

    /// Declares a name in the innermost scope, unless it is taken there.
    pub(super) fn declare(&mut self, name: &Name, entity: Entity) -> bool {
        let declared = Declared { entity, span: name.span };
        if Special::is_name(&name.text) {
            let message = format!("`{}` is the name of a special register", name.text);
            self.error(codes::DUPLICATE, name.span, message, "choose another name");
            return false;
        }
        let Some(scope) = self.scopes.last_mut() else { return false };
        match scope.declare(&name.text, declared) {
            None => true,
            Some(other) => {
                self.duplicate(name, other);
                false
            }
        }
    }

    /// Reports a name that is taken.
    pub(super) fn duplicate(&mut self, name: &Name, other: Declared) {
        let message = format!("`{}` is declared twice in the same scope", name.text);
        let diagnostic = Diagnostic::error(codes::DUPLICATE, message).label(name.span, "declared again here");
        let label = format!("declared here as {}", other.entity.describe());
        self.report(diagnostic.label(other.span, label).help("rename one of them"));
    }

    /// Reports a name that nothing declares; `what` says what it should be.
    pub(super) fn undefined(&mut self, what: &str, name: &Name) {
        let text = &name.text;
        let beyond = self.scopes.iter().rev().find_map(|scope| scope.beyond_range(text));
        if let Some((prefix, count, span, number)) = beyond {
            let first = || Beyond { first: name.clone(), prefix, count, declared: span, greatest: number };
            let known = self.beyond.entry(span.start).or_insert_with(first);
            known.greatest = known.greatest.max(number);
            return;
        }
        let diagnostic = self.undefined_as(codes::UNDEFINED, what, name);
        if let Some(span) = self.declared_later(name).or_else(|| self.ahead.get(text).copied()) {
            let diagnostic = diagnostic.label(span, "it is declared here, further down");
            self.report(diagnostic.help("move the declaration before the first use"));
            return;
        }
        let help = self.near_name(text).map(|nearest| format!("did you mean `{nearest}`?"));
        self.report(Diagnostic { help, ..diagnostic });
    }

    /// Says of each range beyond which registers are used how many it needs.
    pub(super) fn report_beyond_ranges(&mut self) {
        for Beyond { first, prefix, count, declared, greatest } in
            std::mem::take(&mut self.beyond).into_values()
        {
            let label = match count {
                0 => format!("`{prefix}<0>` has no registers"),
                _ => format!("the last register of `{prefix}<{count}>` is `{prefix}{}`", count - 1),
            };
            let diagnostic = self.undefined_as(codes::UNDEFINED, "register", &first).label(declared, label);
            self.report(match greatest < u64::from(u32::MAX) {
                true => diagnostic.help(format!("write `{prefix}<{}>`", greatest + 1)),
                false => diagnostic.help("use another register"),
            });
        }
    }

    fn undefined_as(&self, code: Code, what: &str, name: &Name) -> Diagnostic {
        let message = format!("{what} `{}` is not declared", name.text);
        Diagnostic::error(code, message).label(name.span, "no declaration of this name is visible here")
    }

    fn near_name(&mut self, text: &str) -> Option<SmolStr> {
        if !self.may_suggest() {
            return None;
        }
        if let Some(register) = special::meant(text) {
            return Some(SmolStr::new_static(register));
        }
        let with_percent = SmolStr::from(format!("%{text}"));
        if self.lookup(&with_percent).is_some() || Special::is_name(&with_percent) {
            return Some(with_percent);
        }
        let visible = self.scopes.iter().rev().flat_map(|scope| scope.names_near(text));
        let declared = visible.chain(self.ahead.keys().cloned()).take(MAX_COMPARED);
        crate::suggest::nearest(text, declared.chain(Special::names().map(SmolStr::new_static)))
    }

    /// Whether one more misspelt word may be compared with all that might be meant; counts it.
    pub(super) fn may_suggest(&mut self) -> bool {
        let left = self.suggestions.checked_sub(1);
        self.suggestions = left.unwrap_or(0);
        left.is_some()
    }
}
