//! The items of what is linked, each name declared before it is used and defined once.

use super::debug;
use super::header::Header;
use super::inputs::Unit;
use super::names::{Kind, Names};
use super::rename::number;
use super::resolve::Resolved;
use crate::ast::{self, Item, Trivia, TriviaKind, Word};
use crate::print::{Piece, item_span};
use smol_str::SmolStr;
use std::collections::{BTreeMap, HashSet};

/// What the items are put together from.
pub(super) struct Assembly<'a> {
    pub units: &'a [Unit],
    pub names: &'a [Names<'a>],
    pub resolved: &'a BTreeMap<SmolStr, Resolved>,
    /// The input whose debug data is kept.
    pub keeper: usize,
    declared: HashSet<SmolStr>,
    pragmas: HashSet<String>,
}

impl<'a> Assembly<'a> {
    pub fn new(
        units: &'a [Unit],
        names: &'a [Names<'a>],
        resolved: &'a BTreeMap<SmolStr, Resolved>,
        keeper: usize,
    ) -> Assembly<'a> {
        Assembly { units, names, resolved, keeper, declared: HashSet::new(), pragmas: HashSet::new() }
    }

    /// All of it, in the order of the inputs.
    pub fn pieces(mut self, header: Header) -> Vec<Piece> {
        let plain = |item| Piece { before: Vec::new(), item, within: Vec::new() };
        let mut all: Vec<Piece> = header.items.into_iter().map(plain).collect();
        let mut last = Vec::new();
        for (number, unit) in self.units.iter().enumerate() {
            let mut comments = comments(unit);
            for (index, item) in unit.items.iter().enumerate() {
                let within = std::mem::take(&mut comments[index]);
                if unit.gone.contains(&index) {
                    continue;
                }
                if matches!(item, Item::Version(_) | Item::Target(_) | Item::AddressSize(_)) {
                    // The first input says what the file is.
                    if let Some(first) = all.first_mut().filter(|_| number == 0) {
                        first.before.extend(within);
                    }
                } else if let Some((item, is_whole)) = self.item(number, index, item) {
                    let within = if is_whole { within } else { Vec::new() };
                    let piece = Piece { before: Vec::new(), item, within };
                    let late = debug::goes_last(&piece.item, number == self.keeper);
                    if late { &mut last } else { &mut all }.push(piece);
                }
            }
        }
        all.append(&mut last);
        all
    }

    /// What becomes of an item, and whether its comments belong to that.
    fn item(&mut self, unit: usize, index: usize, item: &Item) -> Option<(Item, bool)> {
        let name = match item {
            Item::Function(function) => &function.name.text,
            Item::Variable(variable) => &variable.names.first()?.name.text,
            Item::Alias(alias) => {
                let counts = self.resolved.get(&alias.name.text);
                let stays = counts
                    .is_none_or(|r| r.unit == unit && r.definition.and_then(|d| d.alias) == Some(index));
                return stays.then(|| (item.clone(), true));
            }
            Item::Pragma(pragma) => {
                let mut pragma = pragma.clone();
                pragma.texts.retain(|text| self.pragmas.insert(text.text.clone()));
                return (!pragma.texts.is_empty()).then_some((Item::Pragma(pragma), true));
            }
            _ => return Some((item.clone(), true)),
        };
        let Some(resolved) = self.resolved.get(name).copied() else { return Some((item.clone(), true)) };
        let counts = resolved.definition.filter(|d| resolved.unit == unit && d.item == index);
        if counts.is_some_and(|definition| definition.alias.is_none()) {
            self.declared.insert(name.clone());
            return Some((self.definition(name, resolved, item), true));
        }
        let used = self.names[unit].all.get(name).is_some_and(|declared| declared.used.is_some());
        if !(used || counts.is_some()) || !self.declared.insert(name.clone()) {
            return None;
        }
        let from = resolved.definition.map_or(self.names[resolved.unit].all[name].item, |d| d.item);
        let is_itself = resolved.unit == unit && from == index;
        let made = self.declaration(name, resolved, &self.units[resolved.unit].items[from]);
        Some((made, is_itself))
    }

    /// The linkage that the declarations of the input that counts agree on.
    fn linkage(&self, name: &str, resolved: Resolved) -> Option<Word> {
        self.names[resolved.unit].shared(name)?.word.clone()
    }

    fn definition(&self, name: &str, resolved: Resolved, item: &Item) -> Item {
        match item {
            Item::Function(function) => {
                let linkage = function.linkage.clone().or_else(|| self.linkage(name, resolved));
                Item::Function(ast::Function { linkage, ..function.clone() })
            }
            Item::Variable(variable) => Item::Variable(self.aligned(name, resolved, variable)),
            other => other.clone(),
        }
    }

    /// The variable with the greatest alignment that any declaration asks for.
    fn aligned(&self, name: &str, resolved: Resolved, variable: &ast::Variable) -> ast::Variable {
        let mut variable = variable.clone();
        let own = self.names[resolved.unit].variable(name).map_or(0, |v| v.align);
        if resolved.align > own {
            variable.align = Some(number(resolved.align, variable.span));
        }
        variable
    }

    /// A declaration of what another item defines, or of what nobody does.
    fn declaration(&self, name: &str, resolved: Resolved, item: &Item) -> Item {
        match item {
            Item::Function(function) => {
                let is_kernel = self.names[resolved.unit].all[name].kind == Kind::Kernel;
                let mut function = ast::Function { body: None, ..function.clone() };
                function.directives.retain(|directive| !is_kernel && directive.word.text != "pragma");
                if resolved.definition.is_some() {
                    function.linkage = self.linkage(name, resolved);
                }
                Item::Function(function)
            }
            Item::Variable(variable) => {
                let mut variable = self.aligned(name, resolved, variable);
                let span = variable.span.before();
                variable.linkage = Some(Word { text: SmolStr::new_static("extern"), span });
                variable.names.iter_mut().for_each(|declarator| declarator.initializer = None);
                Item::Variable(variable)
            }
            other => other.clone(),
        }
    }
}

/// The comments of each item: those before its end, and those that follow it on its line. The last item has the rest.
fn comments(unit: &Unit) -> Vec<Vec<Trivia>> {
    let mut left = unit.trivia.iter().peekable();
    let mut all: Vec<Vec<Trivia>> = Vec::with_capacity(unit.items.len());
    for item in &unit.items {
        let end = item_span(item).end;
        let mut own = Vec::new();
        while let Some(trivia) = left.next_if(|t| t.span.start < end) {
            own.push(trivia.clone());
        }
        let follows = |t: &&Trivia| !t.own_line && matches!(t.kind, TriviaKind::Comment(_));
        while let Some(trivia) = left.next_if(follows) {
            own.push(trivia.clone());
        }
        all.push(own);
    }
    if let Some(own) = all.last_mut() {
        own.extend(left.cloned());
    }
    all
}
