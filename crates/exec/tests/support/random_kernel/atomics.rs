//! Atomic operations: on sums that all threads change, in any order and without looking; on a thread's own memory with
//! the old value kept.

use super::forms::{self, Family, Given};
use super::memory;
use super::writer::{Place, Writer};
use margay_isa::{Inst, Slot, Word};

/// Bytes of a sum.
pub const SUM: usize = 8;
/// Sums in global and in shared memory.
pub const GLOBAL: usize = 16;
pub const SHARED: usize = 8;

/// What is done to each sum: one kind of operation, whose order shows nowhere.
#[derive(Default)]
pub struct Sums {
    global: [Option<Kind>; GLOBAL],
    shared: [Option<Kind>; SHARED],
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Kind {
    operation: Word,
    ty: Word,
    /// The source of operations that wrap around, which must be the same in all.
    bound: Option<u64>,
}

pub fn sum(w: &mut Writer, place: &Place) {
    if place.in_function {
        return;
    }
    let weak = w.traits.weak;
    let drawn = forms::draw(&mut w.random, Family::Atomic, |inst| {
        let wraps = matches!(inst[Slot::Op2], Word::Inc | Word::Dec);
        // Sums of floating-point numbers are rounded each time, vectors of them are longer than a sum here.
        let exact = inst.ty(Slot::Type).is_integer();
        let changes = exact && inst[Slot::Op2] != Word::Cas && inst[Slot::Op2] != Word::Exch;
        // Atomic among the threads of a block alone is not enough for what all blocks change.
        let narrow = matches!(inst[Slot::Scope], Word::Cta | Word::Cluster);
        let global = matches!(inst[Slot::Space], Word::Global | Word::Absent);
        inst.ty(Slot::Type).width() <= 64
            && changes
            && !(narrow && global)
            && !(weak && (wraps || forms::is_ordered(inst)))
    });
    let Some(inst) = drawn else { return };
    let shared = !matches!(inst[Slot::Space], Word::Global | Word::Absent);
    let Some(address) = cell_for(w, &inst, shared) else { return };
    let (address, kind) = address;
    let bound = kind.bound.map(|bound| bound.to_string());
    let given = Given {
        address: &address,
        destination: (inst.opcode() == "atom").then_some("_"),
        b: bound.as_deref(),
        ..Given::default()
    };
    if let Some(text) = forms::statement(&mut w.random, &inst, given) {
        w.feature(if shared { "shared sums" } else { "global sums" });
        w.guarded(text);
    }
}

/// A sum for the form: one that has seen only its kind of operation.
fn cell_for(w: &mut Writer, inst: &Inst, shared: bool) -> Option<(String, Kind)> {
    let wraps = matches!(inst[Slot::Op2], Word::Inc | Word::Dec);
    let wanted = Kind { operation: inst[Slot::Op2], ty: inst[Slot::Type], bound: None };
    let same = |kind: &Kind| (kind.operation, kind.ty) == (wanted.operation, wanted.ty);
    let first = w.sums.global.iter().flatten().next().copied();
    if w.traits.weak && !shared && first.is_some_and(|first| !same(&first)) {
        return None;
    }
    let bound = wraps.then(|| w.random.below(1000) as u64);
    let cells: &mut [Option<Kind>] = if shared { &mut w.sums.shared } else { &mut w.sums.global };
    let start = w.random.below(cells.len());
    let order = (start..cells.len()).chain(0..start);
    let k = { order }.find(|k| cells[*k].is_none_or(|kind| same(&kind)))?;
    let kind = *cells[k].get_or_insert(Kind { bound, ..wanted });
    let base = if shared { "sums" } else { "%acc" };
    Some((format!("{base}+{}", k * SUM), kind))
}

/// An atomic operation on what the thread has to itself.
pub fn private(w: &mut Writer, place: &Place) {
    let weak = w.traits.weak;
    let shared = |inst: &Inst| !matches!(inst[Slot::Space], Word::Global | Word::Absent);
    let drawn = forms::draw(&mut w.random, Family::Atomic, |inst| match shared(inst) {
        true => !place.in_function && place.writes_shared,
        false => !weak,
    });
    let Some(inst) = drawn else { return };
    let bytes = forms::bytes(&inst);
    let address = if shared(&inst) { memory::cell(w, bytes) } else { memory::own(w, bytes, place) };
    if let Some(text) =
        forms::statement(&mut w.random, &inst, Given { address: &address, ..Given::default() })
    {
        w.feature("private atomics");
        w.guarded(text);
    }
}
