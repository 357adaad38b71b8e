//! Which definition each name that several modules share stands for, and what is wrong if none or too many are there.

use super::Options;
use super::inputs::{Inputs, Unit};
use super::names::{Declared, Definition, Kind, Names, Strength};
use super::signature;
use crate::ast::{self, Item};
use crate::diag::{Diagnostic, Sink, codes};
use crate::source::Span;
use crate::suggest;
use smol_str::SmolStr;
use std::collections::BTreeMap;

/// With so many names a missing one is compared at most: each missing one is compared with all.
const MAX_COMPARED: usize = 10_000;

/// What the inputs make of one shared name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resolved {
    /// The input whose definition counts, and it; without one, the input whose declaration does.
    pub unit: usize,
    pub definition: Option<Definition>,
    /// The greatest alignment that any declaration asks for, in bytes; variables alone have it.
    pub align: u64,
}

/// What there is to look at for one link.
pub(super) struct Link<'a> {
    pub inputs: &'a Inputs,
    pub units: &'a [Unit],
    pub names: &'a [Names<'a>],
    pub options: Options,
}

impl Link<'_> {
    /// Every shared name with what it stands for; names in error are left out.
    pub fn resolve(&self, found: &mut Sink) -> BTreeMap<SmolStr, Resolved> {
        let mut shared: BTreeMap<&SmolStr, Vec<usize>> = BTreeMap::new();
        for (unit, names) in self.names.iter().enumerate() {
            for (name, _) in names.all.iter().filter(|(_, declared)| !declared.private) {
                shared.entry(name).or_default().push(unit);
            }
        }
        let one =
            |(name, units): (&SmolStr, Vec<usize>)| Some((name.clone(), self.one(name, &units, found)?));
        shared.into_iter().filter_map(one).collect()
    }

    fn declared(&self, unit: usize, name: &str) -> &Declared {
        &self.names[unit].all[name]
    }

    fn one(&self, name: &SmolStr, units: &[usize], found: &mut Sink) -> Option<Resolved> {
        let declared = |unit: usize| self.declared(unit, name);
        let first = declared(units[0]);
        if let Some(other) = units.iter().map(|u| declared(*u)).find(|other| other.kind != first.kind) {
            let message = format!("`{name}` is not the same in all inputs");
            let diagnostic = Diagnostic::error(codes::LINK_KIND, message);
            let diagnostic = diagnostic.label(other.span, format!("{} here", other.kind.describe()));
            let diagnostic = diagnostic.label(first.span, format!("{} here", first.kind.describe()));
            found.push(diagnostic.help("rename one of them"));
            return None;
        }
        let defined = units.iter().filter_map(|u| Some((*u, declared(*u).definition?)));
        let winner = self.winner(name, &defined.collect::<Vec<_>>(), found)?;
        let (unit, definition) = match winner {
            Some((unit, definition)) => (unit, Some(definition)),
            None => (self.undefined(name, units, found)?, None),
        };
        let known = found.errors();
        units.iter().for_each(|other| self.compare(name, *other, unit, found));
        let sizes = units.iter().filter_map(|u| Some(self.names[*u].variable(name)?.align));
        let align = sizes.max().unwrap_or(1);
        (found.errors() == known).then_some(Resolved { unit, definition, align })
    }

    /// The definition that counts: the strong one, else the first weak one, else the greatest common one. Nothing comes back
    /// if there are two strong ones.
    fn winner(
        &self,
        name: &SmolStr,
        all: &[(usize, Definition)],
        found: &mut Sink,
    ) -> Option<Option<(usize, Definition)>> {
        let of = |strength: Strength| all.iter().filter(move |(_, d)| d.strength == strength).copied();
        let mut strong = of(Strength::Strong);
        let first = strong.next();
        if let (Some((first, a)), Some((second, b))) = (first, strong.next()) {
            let message = format!("`{name}` is defined in two inputs");
            let diagnostic = Diagnostic::error(codes::LINK_DUPLICATE, message);
            let diagnostic = diagnostic.label(self.place(second, b, name), "defined again here");
            let diagnostic = diagnostic.label(self.place(first, a, name), "defined here first");
            found.push(diagnostic.help("keep one of them, or make it private or `.weak`"));
            return None;
        }
        let size = |unit: usize| self.names[unit].variable(name).map_or(0, |variable| variable.size);
        // Of equal ones the first, as with weak ones.
        let greatest = || of(Strength::Common).rev().max_by_key(|(unit, _)| size(*unit));
        Some(first.or_else(|| of(Strength::Weak).next()).or_else(greatest))
    }

    /// Where a definition gives its name.
    fn place(&self, unit: usize, definition: Definition, name: &str) -> Span {
        let item = definition.alias.unwrap_or(definition.item);
        match &self.units[unit].items[item] {
            Item::Function(function) => function.name.span,
            Item::Alias(alias) => alias.name.span,
            Item::Variable(variable) => variable.names.first().map_or(variable.span, |d| d.name.span),
            _ => self.declared(unit, name).span,
        }
    }

    /// The input whose declaration of an undefined name counts; reports the name if it may not be undefined.
    fn undefined(&self, name: &SmolStr, units: &[usize], found: &mut Sink) -> Option<usize> {
        let used = units.iter().find(|unit| self.declared(**unit, name).used.is_some());
        let unit = *used.unwrap_or(&units[0]);
        let declared = self.declared(unit, name);
        let dynamic = |u: &usize| self.names[*u].variable(name).is_some_and(|v| v.size == 0);
        let shared = |u: &usize| {
            self.names[*u].variable(name).is_some_and(|v| v.space == crate::module::Space::Shared)
        };
        let needed = match declared.kind {
            Kind::Variable => !units.iter().all(|u| dynamic(u) && shared(u)),
            _ => used.is_some() && !units.iter().any(|u| self.declared(*u, name).provided),
        };
        if !needed || self.options.allow_undefined {
            return Some(unit);
        }
        let what = if self.units.len() == 1 {
            "is declared, but not defined"
        } else {
            "is not defined in any input"
        };
        let mut diagnostic = Diagnostic::error(codes::LINK_UNDEFINED, format!("`{name}` {what}"));
        if let Some(used) = declared.used {
            diagnostic = diagnostic.label(used, "the first use");
        }
        diagnostic = diagnostic.label(declared.span, "declared here");
        found.push(self.with_hint(diagnostic, name));
        None
    }

    /// Who may be meant by a name that nobody defines.
    fn with_hint(&self, diagnostic: Diagnostic, name: &SmolStr) -> Diagnostic {
        let hidden = self.names.iter().enumerate().find_map(|(unit, names)| {
            let declared = names.all.get(name).filter(|declared| declared.private)?;
            Some((unit, declared.span))
        });
        if let Some((unit, span)) = hidden {
            let diagnostic = diagnostic.label(span, "no other module sees this one");
            return diagnostic.help(format!("write `.visible` before it in `{}`", self.inputs.name(unit)));
        }
        let defined = self.names.iter().flat_map(|names| &names.all);
        let defined = defined.filter(|(_, d)| !d.private && d.definition.is_some()).map(|(other, _)| other);
        let few = self.names.iter().map(|names| names.all.len()).sum::<usize>() < MAX_COMPARED;
        match suggest::nearest(name, defined.filter(|_| few)) {
            Some(nearest) => diagnostic.help(format!("did you mean `{nearest}`?")),
            None => diagnostic.help("add the module that defines it to the inputs"),
        }
    }

    fn ast(&self, unit: usize, name: &str) -> Option<&ast::Variable> {
        let declared = self.declared(unit, name);
        match &self.units[unit].items[declared.definition.map_or(declared.item, |definition| definition.item)]
        {
            Item::Variable(variable) => Some(variable),
            _ => None,
        }
    }

    /// Reports a declaration of `unit` that does not match the one that counts.
    fn compare(&self, name: &SmolStr, unit: usize, counts: usize, found: &mut Sink) {
        if unit == counts {
            return;
        }
        let (here, there) = (self.declared(unit, name), self.declared(counts, name));
        let both = [unit, counts];
        let differ = match here.kind {
            // Nobody calls them from another module.
            Kind::Kernel => None,
            _ if here.kind == Kind::Function && here.used.is_none() && here.definition.is_none() => None,
            Kind::Function => match both.map(|u| self.names[u].function(name)) {
                [Some(first), Some(second)] => signature::functions(first, second),
                _ => None,
            },
            Kind::Variable | Kind::Register => {
                let common = |d: &Declared| d.definition.is_some_and(|d| d.strength == Strength::Common);
                let sized = !(common(here) && common(there));
                match both.map(|u| self.names[u].variable(name).zip(self.ast(u, name))) {
                    [Some(first), Some(second)] => signature::variables(first, second, sized),
                    _ => None,
                }
            }
        };
        if let Some((first, second)) = differ {
            let message = format!("declarations of `{name}` do not match");
            let diagnostic = Diagnostic::error(codes::LINK_MISMATCH, message).label(here.span, first);
            let diagnostic = diagnostic.label(there.span, second);
            found.push(diagnostic.help("declare it alike in all modules"));
        }
        self.compare_return(name, unit, counts, found);
    }

    /// Warns of a function that returns where a caller was told that it does not.
    fn compare_return(&self, name: &SmolStr, unit: usize, counts: usize, found: &mut Sink) {
        let [here, there] = [unit, counts].map(|u| self.names[u].function(name));
        let (Some(here), Some(there)) = (here, there) else { return };
        if here.performance.noreturn && !there.performance.noreturn {
            let message = format!("`{name}` is declared `.noreturn`, but may return");
            let diagnostic = Diagnostic::warning(codes::LINK_MISMATCH, message);
            let diagnostic = diagnostic.label(here.span, "said to return never");
            let diagnostic = diagnostic.label(there.span, "not `.noreturn` here");
            found.push(
                diagnostic.help("code after a call may have been left out: say the same in both modules"),
            );
        }
    }
}
