//! The inputs of a link, one after the other in one text, so that a place tells which input it is in.

use crate::ast;
use crate::check::{self, judge_parsed};
use crate::diag::Diagnostic;
use crate::module::Module;
use crate::parser::parse_behind;
use crate::source::{Source, Span};
use std::collections::BTreeSet;

/// The sources of a link in their order. Places in the diagnostics of a link count through all of them;
/// [`Inputs::locate`] says which source one is in.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    sources: Vec<Source>,
    /// Where each begins.
    starts: Vec<u32>,
}

impl Inputs {
    /// Puts sources behind each other.
    pub(super) fn new(sources: Vec<Source>) -> Inputs {
        let mut end = 0u32;
        let starts = sources.iter().map(|source| {
            let start = end;
            let length = u32::try_from(source.text.len()).unwrap_or(u32::MAX);
            end = end.saturating_add(length).saturating_add(1);
            start
        });
        Inputs { starts: starts.collect(), sources }
    }

    /// Whether the sources together are too long for places to count in 32 bits.
    pub(super) fn are_too_large(&self) -> bool {
        let lengths = self.sources.iter().map(|source| source.text.len() as u64 + 1);
        lengths.sum::<u64>() > u64::from(u32::MAX)
    }

    /// The sources, in the order in which they were given.
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// The number of the source that a place is in, and the place there.
    pub fn locate(&self, span: Span) -> (usize, Span) {
        let number = self.number(span);
        let start = self.starts.get(number).copied().unwrap_or(0);
        (number, Span::new(span.start - start, span.end.max(span.start) - start))
    }

    /// The number of the source that a place is in.
    pub(super) fn number(&self, span: Span) -> usize {
        self.starts.partition_point(|start| *start <= span.start).saturating_sub(1)
    }

    /// What messages call an input.
    pub(super) fn name(&self, number: usize) -> &str {
        self.sources.get(number).map_or("", |source| source.name.as_str())
    }

    /// All texts, each followed by the end of a line.
    fn joined(&self) -> String {
        let mut text = String::with_capacity(self.sources.iter().map(|s| s.text.len() + 1).sum());
        for source in &self.sources {
            text.push_str(&source.text);
            text.push('\n');
        }
        text
    }

    /// Reads and judges each input; those with errors give no module.
    pub(super) fn units(&self, options: check::Options) -> (Vec<Unit>, Vec<Module>, Vec<Diagnostic>) {
        let joined = self.joined();
        let (mut units, mut modules, mut found) = (Vec::new(), Vec::new(), Vec::new());
        for (source, start) in self.sources.iter().zip(&self.starts) {
            let text = &joined[..*start as usize + source.text.len()];
            let shifted = |span: &Span| Span::new(span.start + start, span.end + start);
            let invalid: Vec<Span> = source.invalid.iter().map(shifted).collect();
            let parsed = parse_behind(text, *start as usize, &invalid, false);
            let (file, mut checked) = judge_parsed(parsed, text, options, true);
            // What a module lacks is shown at its beginning.
            for label in checked.diagnostics.iter_mut().flat_map(|d| &mut d.labels) {
                if label.span == Span::default() {
                    label.span = Span::new(*start, *start);
                }
            }
            found.extend(checked.diagnostics);
            units.push(Unit::new(file));
            modules.extend(checked.module);
        }
        (units, modules, found)
    }
}

/// The tree of one input.
pub(super) struct Unit {
    /// The items; each declares one name at most.
    pub items: Vec<ast::Item>,
    /// The items that are left out of the result, by their places.
    pub gone: BTreeSet<usize>,
    pub trivia: Vec<ast::Trivia>,
}

impl Unit {
    fn new(file: ast::File) -> Unit {
        let items = file.items.into_iter().flat_map(single).collect();
        Unit { items, gone: BTreeSet::new(), trivia: file.trivia }
    }
}

/// Declarations of several variables become several declarations, numbered ones with their numbers.
fn single(item: ast::Item) -> Vec<ast::Item> {
    let ast::Item::Variable(mut variable) = item else { return vec![item] };
    let numbered = |d: &ast::Declarator| d.count.is_some() && variable.space.text != "reg";
    if variable.names.len() == 1 && !numbered(&variable.names[0]) {
        return vec![ast::Item::Variable(variable)];
    }
    let mut names = Vec::new();
    for declarator in std::mem::take(&mut variable.names) {
        match declarator.count.as_ref().filter(|_| variable.space.text != "reg") {
            None => names.push(declarator),
            Some(count) => names.extend((0..count.value).map(|k| {
                let text = format!("{}{k}", declarator.name.text).into();
                let name = ast::Name { text, span: declarator.name.span };
                ast::Declarator { name, count: None, ..declarator.clone() }
            })),
        }
    }
    let whole = variable.span;
    let made = names.into_iter().enumerate().map(|(k, declarator)| {
        // Comments belong to the first.
        let span = if k == 0 { whole } else { whole.after() };
        ast::Item::Variable(ast::Variable { names: vec![declarator], span, ..variable.clone() })
    });
    made.collect()
}
