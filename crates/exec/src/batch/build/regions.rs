//! Which steps of a block may be one pass over the threads: loads of elements that may lie evenly, and operations.
//!
//! What is the same in all threads or grows evenly is computed first, then all else in one pass. So a region ends where that
//! would change what an operation before it reads.

use crate::batch::lanes::{Act, Item, Place, What, Work, can_be_compiled};
use crate::batch::plan::{Address, EvenAct, EvenPlace, Move, Region, Step};
use margay_front::module::Space;
use std::collections::HashSet;
use std::ops::Range;

/// Loads of a region, at most.
const MOST_LOADS: usize = 64;

/// What steps are made of.
pub(super) struct Parts<'a> {
    pub(super) acts: &'a [Act],
    pub(super) even_acts: &'a [EvenAct],
    pub(super) evens: &'a [EvenPlace],
}

/// The steps that may be one pass, in their order.
pub(super) fn regions(steps: &[Step], parts: &Parts) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    while from < steps.len() {
        let end = from + stretch(&steps[from..], parts);
        let joins = |wanted: fn(&Step) -> bool| steps[from..end].iter().any(wanted);
        if joins(|step| matches!(step, Step::Load(load) if is_late(load)))
            && joins(|step| matches!(step, Step::Acts(_)))
        {
            found.push(from..end);
        }
        from = end.max(from + 1);
    }
    found
}

/// How many of the first steps may be in one region.
fn stretch(steps: &[Step], parts: &Parts) -> usize {
    // The lines that operations before the pass must not change.
    let mut reads: HashSet<u32> = HashSet::new();
    let mut loads = 0;
    for (k, step) in steps.iter().enumerate() {
        let changes = |place: &Place| reads.contains(&place.line);
        let fits = match step {
            Step::Acts(range) => {
                let acts = &parts.acts[range.start as usize..range.end as usize];
                acts.iter().all(|act| can_be_compiled(act.what)) && {
                    reads.extend(acts.iter().flat_map(operands).map(|place| place.line));
                    true
                }
            }
            Step::Load(load) if is_late(load) => {
                loads += 1;
                loads <= MOST_LOADS
            }
            Step::Load(load) => {
                let uniform = |to: &Place| to.stride == 0;
                is_early(load) && load.elements.iter().flatten().all(|to| uniform(to) && !changes(to))
            }
            Step::Single(act) => !changes(&act.to),
            Step::Spread(id) => !changes(&parts.evens[*id as usize].place),
            Step::Evens(range) => {
                let acts = &parts.even_acts[range.start as usize..range.end as usize];
                acts.iter().all(|act| !changes(&parts.evens[act.to as usize].place))
            }
            Step::Aim(_) => true,
            _ => false,
        };
        if !fits {
            return k;
        }
    }
    steps.len()
}

/// Whether a load may be done before the pass: nothing orders it behind others, and its address is known by then.
fn is_early(load: &Move<Option<Place>>) -> bool {
    load.weak && load.guard.is_none() && !matches!(load.address, Address::Varying(_))
}

/// Whether a load may be part of the pass, where it may happen more than once.
pub(crate) fn is_late(load: &Move<Option<Place>>) -> bool {
    let space = matches!(load.space, None | Some(Space::Global | Space::Shared));
    let varies = load.elements.iter().flatten().all(|to| to.stride > 0);
    let evenly = matches!(load.address, Address::Even(_) | Address::Uniform(_));
    load.weak && space && varies && evenly && load.guard.is_none() && matches!(load.bytes, 1 | 2 | 4 | 8)
}

/// The places that an operation reads.
pub(super) fn operands(act: &Act) -> &[Place] {
    match act.what {
        What::Op(op) => &act.from[..op.operands().len()],
        What::Move(_) => &act.from[..1],
    }
}

/// The loads and operations of a region; `read` says which lines are read after it.
pub(super) fn items(region: &Region, steps: &[Step], acts: &[Act], read: &HashSet<u32>) -> Vec<Item> {
    let mut items = Vec::new();
    for k in region.steps.clone() {
        match &steps[k] {
            Step::Acts(range) => {
                let acts = &acts[range.start as usize..range.end as usize];
                items.extend(
                    acts.iter().map(|act| Item { work: Work::Act(*act), lasts: read.contains(&act.to.line) }),
                );
            }
            Step::Load(load) if is_late(load) => {
                let Some((family, above)) = region.family(k) else { continue };
                for (element, to) in load.elements.iter().enumerate() {
                    let Some(to) = to else { continue };
                    // Where something reads it later, it does so in its lines.
                    let to = Place { stride: to.own_stride(), ..*to };
                    let at = (above + element as u32 * load.bytes) as i32;
                    let work = Work::Load { load: family, at, bytes: load.bytes, to };
                    items.push(Item { work, lasts: read.contains(&to.line) });
                }
            }
            _ => {}
        }
    }
    items
}
