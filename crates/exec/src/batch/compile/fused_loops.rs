//! Which steps of a block may be one pass over the threads: loads of elements that may be strided, operations, and exchanges of values
//! within warps.
//!
//! What is uniform or affine is computed first, then all else in one pass. So a fused loop ends where that
//! would change what an operation before it reads.

use crate::batch::lanes::{Fused, FusedStore, Item, Place, VectorOp, What, Work, can_be_compiled};
use crate::batch::plan::{Address, AffineOp, AffinePlace, FusedLoop, Move, Step};
use foldhash::HashSet;
use margay_front::module::Space;
use margay_isa::uop::Op;
use std::ops::Range;

/// Loads of a fused loop, or stores of a pass that stores, at most.
const MOST_ACCESSES: usize = 64;

/// Operations that take so long that they are better off in a pass of their own: beside exchanges, whose rounds are whole warps, there
/// would be too few registers for them.
const HEAVY: usize = 64;

/// What steps are made of.
pub(super) struct Parts<'a> {
    pub(super) vector_ops: &'a [VectorOp],
    pub(super) affine_ops: &'a [AffineOp],
    pub(super) affine_values: &'a [AffinePlace],
}

/// The steps that may be one pass, in their order; whether passes may store must be said.
pub(super) fn fused_loops(steps: &[Step], parts: &Parts, may_store: bool) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    while from < steps.len() {
        let end = from + before_copies(&steps[from..from + stretch(&steps[from..], parts)]);
        let known = found.len();
        for part in apart(&steps[from..end], parts) {
            let part = from + part.start..from + part.end;
            let joins = |wanted: fn(&Step) -> bool| steps[part.clone()].iter().any(wanted);
            let gains = |step: &Step| match step {
                Step::Load(load) => is_late(load),
                Step::Collective(_) => true,
                _ => false,
            };
            if joins(gains) && joins(|step| matches!(step, Step::Vector(_))) {
                found.push(part);
            }
        }
        let stores = if found.len() == known && may_store { store_pass(&steps[from..], parts) } else { 0 };
        if stores > 0 {
            found.push(from..from + stores);
        }
        from = end.max(from + stores).max(from + 1);
    }
    found
}

/// How many of the first steps may be a pass that stores: operations, and two stores at least. It loads nothing, so no thread reads what
/// another one stores.
fn store_pass(steps: &[Step], parts: &Parts) -> usize {
    let (mut reads, mut aimed) = (HashSet::default(), HashSet::default());
    // The lines of values that an operation may write to memory by itself.
    let mut aims: HashSet<u32> = HashSet::default();
    let (mut stores, mut end) = (0, 0);
    for (k, step) in steps.iter().enumerate() {
        let changes = |place: &Place| reads.contains(&place.line);
        let fits = match step {
            Step::Vector(range) => {
                let vector_ops = &parts.vector_ops[range.start as usize..range.end as usize];
                reads.extend(vector_ops.iter().flat_map(operands).map(|place| place.line));
                aims.extend(vector_ops.iter().map(|op| op.to).filter(|to| to.is_lent()).map(|to| to.line));
                let is_apart = |op: &VectorOp| operands(op).iter().all(|place| !place.is_lent());
                vector_ops.iter().all(|op| can_be_compiled(op.what) && is_apart(op))
            }
            Step::Scalar(vector_op) => !changes(&vector_op.to),
            Step::Materialize(id) => !changes(&parts.affine_values[*id as usize].place),
            Step::AffineOps(range) => {
                let ops = &parts.affine_ops[range.start as usize..range.end as usize];
                ops.iter().all(|op| !changes(&parts.affine_values[op.to as usize].place))
            }
            Step::Aim(store) => {
                aimed.insert(store.pc);
                true
            }
            // The first one may have been made by an operation before it.
            Step::Store(store) => {
                let is_own = !aims.contains(&store.elements[0].line) || aimed.contains(&store.pc);
                k > 0 && is_own && is_late_store(store)
            }
            _ => false,
        };
        if !fits {
            break;
        }
        if let Step::Store(store) = step {
            reads.insert(store.elements[0].line);
            (stores, end) = (stores + 1, k + 1);
        }
        if stores == MOST_ACCESSES {
            break;
        }
    }
    let computes = steps[..end].iter().any(|step| matches!(step, Step::Vector(_)));
    if stores > 1 && computes { end } else { 0 }
}

/// Whether a store may be part of a pass.
fn is_late_store(store: &Move<Place>) -> bool {
    let space = matches!(store.space, None | Some(Space::Global | Space::Shared));
    let is_plain = store.weak && store.guard.is_none() && store.copied.is_none();
    let is_word = store.elements.len() == 1 && matches!(store.bytes, 4 | 8);
    space && is_plain && is_word && matches!(store.address, Address::Affine(_))
}

/// How many of these steps there are before the first of those loads at their end whose elements are copied: nothing in a pass reads them.
fn before_copies(steps: &[Step]) -> usize {
    let is_copied = |step: &Step| matches!(step, Step::Load(load) if load.copied.is_some());
    let works = |step: &Step| match step {
        Step::Vector(_) | Step::Collective(_) => true,
        Step::Load(load) => is_late(load) && load.copied.is_none(),
        _ => false,
    };
    let behind = steps.iter().rposition(works).map_or(0, |last| last + 1);
    steps[behind..].iter().position(is_copied).map_or(steps.len(), |k| behind + k)
}

/// The parts of steps that may be one pass: where values are exchanged, what takes long is apart from that.
fn apart(steps: &[Step], parts: &Parts) -> Vec<Range<usize>> {
    let weight = |step: &Step| match step {
        Step::Vector(range) => weight(&parts.vector_ops[range.start as usize..range.end as usize]),
        _ => 0,
    };
    let (mut found, mut first) = (Vec::new(), 0);
    // Since the last cut: whether something has been exchanged, and what operations weigh.
    let (mut exchanges, mut weighs) = (false, 0);
    for (k, step) in steps.iter().enumerate() {
        let exchange = matches!(step, Step::Collective(_));
        let heavy = weight(step) > HEAVY;
        if exchange && !exchanges && weighs > HEAVY || heavy && exchanges {
            found.push(first..k);
            (first, exchanges, weighs) = (k, false, 0);
        }
        exchanges |= exchange;
        weighs += weight(step);
    }
    found.push(first..steps.len());
    found
}

/// About how many instructions operations take.
fn weight(vector_ops: &[VectorOp]) -> usize {
    const APPROXIMATE: usize = 32;
    let of = |vector_op: &VectorOp| match vector_op.what {
        What::Op(Op::Approx(_)) => APPROXIMATE,
        _ => 1,
    };
    vector_ops.iter().map(of).sum()
}

/// How many of the first steps may be in one fused loop.
fn stretch(steps: &[Step], parts: &Parts) -> usize {
    // The lines that operations before the pass must not change.
    let mut reads: HashSet<u32> = HashSet::default();
    let mut loads = 0;
    // Whether the pass loads what an operation may write to memory, and whether a barrier must come between. What was loaded before may
    // still be read there, too.
    let (mut may_be_written, mut waits) = (false, false);
    let mut loaded: HashSet<u32> = HashSet::default();
    for (k, step) in steps.iter().enumerate() {
        let changes = |place: &Place| reads.contains(&place.line);
        let fits = match step {
            Step::Vector(range) => {
                let vector_ops = &parts.vector_ops[range.start as usize..range.end as usize];
                vector_ops.iter().all(|vector_op| can_be_compiled(vector_op.what)) && {
                    let read = || vector_ops.iter().flat_map(operands);
                    may_be_written |= read().any(|place| place.is_lent() && !loaded.contains(&place.line));
                    reads.extend(read().map(|place| place.line));
                    true
                }
            }
            Step::Load(load) if is_late(load) => {
                loads += 1;
                loaded.extend(load.elements.iter().flatten().map(|to| to.line));
                may_be_written |= load.space != Some(Space::Shared);
                loads <= MOST_ACCESSES
            }
            Step::Collective(together) if together.choices.is_some() => {
                let from = together.sources[0].low.1;
                may_be_written |= from.is_lent() && !loaded.contains(&from.line);
                reads.insert(from.line);
                true
            }
            Step::Load(load) => {
                let uniform = |to: &Place| to.stride == 0;
                is_early(load) && load.elements.iter().flatten().all(|to| uniform(to) && !changes(to))
            }
            Step::Scalar(vector_op) => !changes(&vector_op.to),
            Step::Materialize(id) => !changes(&parts.affine_values[*id as usize].place),
            Step::AffineOps(range) => {
                let ops = &parts.affine_ops[range.start as usize..range.end as usize];
                ops.iter().all(|op| !changes(&parts.affine_values[op.to as usize].place))
            }
            // What is loaded before a barrier may be loaded when all threads have come to it, if nothing is stored in the pass.
            Step::Barrier { guarded: false, .. } => {
                waits |= may_be_written;
                true
            }
            // It only writes to global memory.
            Step::Aim(_) => !waits,
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
    load.weak && load.guard.is_none() && !matches!(load.address, Address::Periodic(_) | Address::Varying(_))
}

/// Whether a load may be part of the pass, where it may happen more than once.
pub(crate) fn is_late(load: &Move<Option<Place>>) -> bool {
    load.elements.iter().flatten().all(|to| to.stride > 0) && is_plain_load(load)
}

/// The same, but that what is loaded may be the same in all threads.
pub(super) fn is_plain_load(load: &Move<Option<Place>>) -> bool {
    let space = matches!(load.space, None | Some(Space::Global | Space::Shared));
    let is_affine = matches!(load.address, Address::Affine(_) | Address::Uniform(_));
    load.weak && space && is_affine && load.guard.is_none() && matches!(load.bytes, 1 | 2 | 4 | 8)
}

/// The places that an operation reads.
pub(super) fn operands(vector_op: &VectorOp) -> &[Place] {
    match vector_op.what {
        What::Op(op) => &vector_op.from[..op.operands().len()],
        What::Move(_) => &vector_op.from[..1],
    }
}

/// What a fused loop does; `read` says which lines are read after it.
pub(super) fn fused(
    fused_loop: &FusedLoop,
    steps: &[Step],
    vector_ops: &[VectorOp],
    read: &HashSet<u32>,
) -> Fused {
    let (mut items, mut stores) = (Vec::new(), Vec::new());
    let stored = fused_loop.steps.clone().any(|k| matches!(steps[k], Step::Store(_)));
    // Where the pass stores, no operation does so by itself.
    let own = |to: Place| if stored { Place { stride: to.own_stride(), ..to } } else { to };
    for k in fused_loop.steps.clone() {
        match &steps[k] {
            Step::Vector(range) => {
                let vector_ops = &vector_ops[range.start as usize..range.end as usize];
                items.extend(vector_ops.iter().map(|vector_op| Item {
                    work: Work::VectorOp(VectorOp { to: own(vector_op.to), ..*vector_op }),
                    lasts: read.contains(&vector_op.to.line),
                }));
            }
            Step::Load(load) if is_late(load) => {
                let Some((address_group, above)) = fused_loop.address_group(k) else { continue };
                for (element, to) in load.elements.iter().enumerate() {
                    let Some(to) = to else { continue };
                    // Where something reads it later, it does so in its lines.
                    let to = Place { stride: to.own_stride(), ..*to };
                    let at = (above + element as u32 * load.bytes) as i32;
                    let work = Work::Load { load: address_group, at, bytes: load.bytes, to };
                    items.push(Item { work, lasts: read.contains(&to.line) });
                }
            }
            Step::Collective(together) => {
                let (Some(choices), Some(result)) = (together.choices, together.results.first()) else {
                    continue;
                };
                let Some((_, to)) = result.low else { continue };
                let work = Work::Exchange { choices, from: together.sources[0].low.1, to };
                items.push(Item { work, lasts: read.contains(&to.line) });
            }
            Step::Store(store) => stores.push(FusedStore {
                after: items.len(),
                source: fused_loop.address_groups.len() + stores.len(),
                bytes: store.bytes,
                from: store.elements[0],
            }),
            _ => {}
        }
    }
    Fused { items, stores, turns: false }
}
