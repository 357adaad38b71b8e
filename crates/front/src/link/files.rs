//! Numbers of source files: `.file` says each name once, and every `.loc` says the number that its file has now.

use super::inputs::Unit;
use super::rename::number;
use crate::ast::{Block, FileEntry, Integer, Item, Loc, Statement};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What a `.file` says beside its number.
type File = (String, Vec<u64>);

/// Numbers the files of all inputs anew; those of the input `first`, whose debug data may name them too, keep theirs.
pub(super) fn renumber(units: &mut [Unit], first: usize) {
    let mut known: HashMap<File, u64> = HashMap::new();
    let mut taken: BTreeSet<u64> = BTreeSet::new();
    let order = std::iter::once(first).chain((0..units.len()).filter(|unit| *unit != first));
    for unit in order {
        let mut new: BTreeMap<u64, u64> = BTreeMap::from([(0, 0)]);
        let Unit { items, gone, .. } = &mut units[unit];
        for (index, item) in items.iter_mut().enumerate() {
            if let Item::FileEntry(entry) = item {
                if !entry_stays(entry, unit == first, &mut known, &mut taken, &mut new) {
                    gone.insert(index);
                }
                write(&mut entry.index, &new);
            }
        }
        for item in items {
            each_loc(item, &mut |loc| {
                let files =
                    std::iter::once(&mut loc.file).chain(loc.inlined_at.iter_mut().map(|at| &mut at[0]));
                for file in files {
                    // A file without a name must not get one.
                    new.entry(file.value).or_insert_with(|| free(file.value, &mut taken));
                    write(file, &new);
                }
            });
        }
    }
}

/// Finds the number of a file; whether its name has not been said yet.
fn entry_stays(
    entry: &FileEntry,
    keeps: bool,
    known: &mut HashMap<File, u64>,
    taken: &mut BTreeSet<u64>,
    new: &mut BTreeMap<u64, u64>,
) -> bool {
    let file = (entry.name.text.clone(), entry.extra.iter().map(|number| number.value).collect());
    let old = entry.index.value;
    if keeps {
        taken.insert(old);
        known.entry(file).or_insert(old);
        new.insert(old, old);
        return true;
    }
    let before = known.get(&file).copied();
    let number = before.unwrap_or_else(|| free(old, taken));
    known.insert(file, number);
    new.insert(old, number);
    before.is_none()
}

/// The number itself if nobody has it, else the next one that is free.
fn free(wanted: u64, taken: &mut BTreeSet<u64>) -> u64 {
    if taken.insert(wanted) {
        return wanted;
    }
    let next = taken.last().map_or(1, |last| last.saturating_add(1));
    let next =
        if next > u64::from(u32::MAX) { (1..).find(|n| !taken.contains(n)).unwrap_or(next) } else { next };
    taken.insert(next);
    next
}

fn write(integer: &mut Integer, new: &BTreeMap<u64, u64>) {
    if let Some(value) = new.get(&integer.value).filter(|value| **value != integer.value) {
        *integer = number(*value, integer.span);
    }
}

fn each_loc(item: &mut Item, visit: &mut dyn FnMut(&mut Loc)) {
    match item {
        Item::Loc(loc) => visit(loc),
        Item::Function(function) => function.body.iter_mut().for_each(|body| in_block(body, visit)),
        _ => {}
    }
}

fn in_block(block: &mut Block, visit: &mut dyn FnMut(&mut Loc)) {
    for statement in &mut block.statements {
        match statement {
            Statement::Loc(loc) => visit(loc),
            Statement::Block(block) => in_block(block, visit),
            _ => {}
        }
    }
}
