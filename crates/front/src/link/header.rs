//! `.version`, `.target` and `.address_size` of what is linked.

use super::inputs::Unit;
use crate::ast::{self, Item};
use crate::check::target_named;
use crate::diag::{Diagnostic, Sink, codes};
use crate::module::Module;
use crate::source::Span;
use margay_isa::{Suffix, TARGETS, Target, Version};

/// The directives that a linked module begins with, and where what prevailed was said.
pub(super) struct Header {
    pub items: Vec<Item>,
    pub version: (Version, Span),
    pub target: (Target, Span),
}

/// Options of `.target` that say what instructions of the whole module mean, so that all inputs must agree in them.
const MEANINGS: &[&str] = &["texmode_independent", "map_f64_to_f32"];

/// The highest version and target, where every input may be part of such a module.
pub(super) fn merge(units: &[Unit], modules: &[Module], found: &mut Sink) -> Option<Header> {
    let targets: Vec<(Target, Span)> =
        units.iter().zip(modules).map(|(unit, module)| (module.target(), named(unit))).collect();
    let (highest, at) = *targets.iter().max_by_key(|(target, _)| (target.number, rank(*target)))?;
    let fits = |candidate: Target| targets.iter().all(|(target, _)| within(*target, candidate));
    let same_number = TARGETS.iter().filter(|(target, _)| target.number == highest.number);
    let best = same_number.filter(|(t, _)| fits(*t)).min_by_key(|(t, _)| rank(*t));
    let Some((target, since)) = best else {
        let other = targets.iter().find(|(target, _)| !within(*target, highest)).copied();
        let (other, place) = other.unwrap_or((highest, at));
        let message = format!("modules for {other} and {highest} cannot be linked");
        let why = match other.suffix {
            Suffix::Family => format!("the letter `f` keeps {other} to its family"),
            _ => format!("the letter `a` keeps {other} to that device"),
        };
        let diagnostic = Diagnostic::error(codes::LINK_TARGET, message).label(place, why);
        found.push(diagnostic.label(at, "the highest target").help("compile all modules for one target"));
        return None;
    };
    let (said, newest) = units.iter().zip(modules).max_by_key(|(_, module)| module.version())?;
    let version = newest.version().max(*since);
    let agreed = [agree_in_size(units, found), agree_in_meaning(units, found)];
    agreed.iter().all(|agreed| *agreed).then(|| made(units, said, version, (*target, at)))
}

/// Plain, of a family, of one architecture.
fn rank(target: Target) -> u8 {
    match target.suffix {
        Suffix::Plain => 0,
        Suffix::Family => 1,
        Suffix::Architecture => 2,
    }
}

/// Whether all that `target` has is there in a module for `whole`.
fn within(target: Target, whole: Target) -> bool {
    let has_letter = target.suffix == Suffix::Plain || whole.suffix != Suffix::Plain;
    has_letter && target.assembles_for(whole).is_ok()
}

fn target_items(unit: &Unit) -> impl Iterator<Item = &ast::Name> {
    unit.items.iter().flat_map(|item| match item {
        Item::Target(target) => &target.names[..],
        _ => &[],
    })
}

/// Where an input names its architecture.
fn named(unit: &Unit) -> Span {
    target_items(unit).find(|name| target_named(&name.text).is_some()).map_or(Span::default(), |n| n.span)
}

/// Those that say nothing go with any size: what is written for another one is found when the whole is judged.
fn agree_in_size(units: &[Unit], found: &mut Sink) -> bool {
    let mut said = units.iter().flat_map(|unit| &unit.items).filter_map(|item| match item {
        Item::AddressSize(size) => Some(&size.bits),
        _ => None,
    });
    let Some(first) = said.next() else { return true };
    let Some(other) = said.find(|other| other.value != first.value) else { return true };
    let message = format!("addresses of {} and {} bits cannot be linked", first.value, other.value);
    let diagnostic = Diagnostic::error(codes::LINK_TARGET, message);
    let diagnostic = diagnostic.label(other.span, format!("{} bits here", other.value));
    let diagnostic = diagnostic.label(first.span, format!("{} bits here", first.value));
    found.push(diagnostic.help("say the same in all modules"));
    false
}

fn agree_in_meaning(units: &[Unit], found: &mut Sink) -> bool {
    let mut agreed = true;
    for option in MEANINGS {
        let says = |unit: &Unit| target_items(unit).find(|name| name.text == *option).map(|name| name.span);
        let with = units.iter().find_map(says);
        let without = units.iter().find(|unit| says(unit).is_none());
        if let (Some(with), Some(without)) = (with, without) {
            let message = format!("modules with and without `{option}` cannot be linked");
            let diagnostic = Diagnostic::error(codes::LINK_TARGET, message).label(with, "said here");
            let diagnostic = diagnostic.label(named(without), "not said here");
            found.push(diagnostic.help("it holds for a whole module: say the same in all of them"));
            agreed = false;
        }
    }
    agreed
}

fn made(units: &[Unit], said: &Unit, version: Version, target: (Target, Span)) -> Header {
    let mut items = Vec::new();
    let written = said.items.iter().find_map(|item| match item {
        Item::Version(version) => Some(version.clone()),
        _ => None,
    });
    let mut at = Span::default();
    if let Some(mut item) = written {
        (item.major, item.minor) = (version.major.into(), version.minor.into());
        at = item.number;
        items.push(Item::Version(item));
    }
    let mut names = vec![ast::Name { text: target.0.to_string().into(), span: target.1 }];
    for name in units.iter().flat_map(target_items).filter(|name| target_named(&name.text).is_none()) {
        if names.iter().all(|known| known.text != name.text) {
            names.push(name.clone());
        }
    }
    items.push(Item::Target(ast::Target { names, span: target.1 }));
    let size = units.iter().flat_map(|unit| &unit.items).find(|item| matches!(item, Item::AddressSize(_)));
    items.extend(size.cloned());
    Header { items, version: (version, at), target }
}
