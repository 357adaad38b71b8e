//! Debug data of several inputs: one keeps all of it, the others their strings.
//!
//! Debug data counts bytes from the starts of its sections (`.b32 .debug_abbrev`), so that sections of two inputs cannot simply
//! stand behind each other; strings can, since labels lead to them.

use super::inputs::{Inputs, Unit};
use crate::ast::Item;
use crate::diag::{Diagnostic, Sink, codes};
use crate::source::Span;

/// The section of strings, which the names of inlined functions are in (`.loc … function_name`).
const STRINGS: &str = "debug_str";

fn is_strings(item: &Item) -> bool {
    matches!(item, Item::Section(section) if section.name.text == STRINGS)
}

/// Where an item holds debug data other than strings.
fn data(item: &Item) -> Option<Span> {
    match item {
        Item::Section(section) if section.name.text != STRINGS => Some(section.name.span),
        Item::Dwarf(line) => Some(line.span),
        _ => None,
    }
}

/// The number of the input whose debug data is kept: the first one that has any.
pub(super) fn keeper(units: &[Unit]) -> usize {
    units.iter().position(|unit| unit.items.iter().any(|item| data(item).is_some())).unwrap_or(0)
}

/// Leaves out what cannot be kept, and says so.
pub(super) fn drop_others(inputs: &Inputs, units: &mut [Unit], keeper: usize, found: &mut Sink) {
    for unit in units.iter_mut().enumerate().filter(|(number, _)| *number != keeper).map(|(_, unit)| unit) {
        let Some(first) = unit.items.iter().find_map(data) else { continue };
        let message = format!("debug data of `{}` is left out", inputs.name(inputs.number(first)));
        let diagnostic = Diagnostic::note(codes::LINK_DEBUG, message).label(first, "the first of it");
        let help =
            format!("the result has the debug data of `{}`; source lines are kept", inputs.name(keeper));
        found.push(diagnostic.help(help));
        let left_out = unit.items.iter().enumerate().filter(|(_, item)| data(item).is_some());
        unit.gone.extend(left_out.map(|(index, _)| index));
    }
}

/// Whether an item goes to the end: strings behind those of the input whose data may count bytes from their start.
pub(super) fn goes_last(item: &Item, is_keeper: bool) -> bool {
    !is_keeper && is_strings(item)
}
