//! From a run of operations to machine instructions: which values it reads, computes, and leaves behind.

use crate::batch::lanes::jit::coalesce_gathers::quads;
use crate::batch::lanes::jit::fold::{Loads, fold};
use crate::batch::lanes::jit::legalize::legalize;
use crate::batch::lanes::jit::load::load;
use crate::batch::lanes::jit::lowering::{Lowering, Run};
use crate::batch::lanes::jit::machine::Body;
use crate::batch::lanes::jit::operate::operate;
use crate::batch::lanes::{FusedStore, Item, Place, What, Work, width};
use foldhash::{HashMap, HashSet};
use margay_isa::uop::{Op, Type};

/// Lines that 31 bits of distance reach, with room for the groups of a round.
const MOST_LINES: u32 = 1 << 24;

/// The machine instructions of a run; none if its places overlap in a way that is not understood.
pub(super) fn select(run: &Run) -> Option<Body> {
    are_apart(run.items).then_some(())?;
    let mut selection = selected(run, HashSet::default())?;
    // What turns leave raw they may begin with as well, if they read it as numbers alone: what the first one finds may be any bits.
    let mut raw = selection.turns.as_ref().map(|around| around.raw.clone()).unwrap_or_default();
    while !raw.is_empty() {
        let mut tried = selected(run, raw.clone())?;
        tried.body.drop_unused();
        let bits = tried.read_as_bits();
        if bits.is_empty() {
            selection = tried;
            break;
        }
        raw.retain(|line| !bits.contains(line));
    }
    selection.body.drop_unused();
    quads(&mut selection.body);
    let mut body = if run.machine.has_masks { selection.body } else { legalize(selection.body)? };
    fold(&mut body, Loads::Moving);
    Some(body)
}

/// The same before anything is left out or joined. Some places are known to be floating-point results at the end of a turn.
fn selected<'a>(run: &'a Run, raw: HashSet<u32>) -> Option<Lowering<'a>> {
    let (fresh_reads, last_reads) = first_reads(run.items, run.stores);
    let mut selection = Lowering::new(run, fresh_reads, raw);
    let last_writes: HashMap<u32, usize> =
        run.items.iter().enumerate().map(|(k, item)| (item.to().line, k)).collect();
    // By the item behind which they can be stored: results wait until what lay in their place has been read.
    let mut pending: HashMap<usize, Vec<Place>> = HashMap::default();
    stores_after(&mut selection, 0)?;
    for (k, item) in run.items.iter().enumerate() {
        let to = item.to();
        let value = match &item.work {
            Work::VectorOp(vector_op) => match vector_op.what {
                What::Op(Op::Select(ty)) if run.full == Some(vector_op.from[0].line) => {
                    selection.value(ty, vector_op.from[1])
                }
                What::Op(op) => operate(&mut selection, op, vector_op.from)?,
                What::Move(ty) => selection.value(ty, vector_op.from[0]),
            },
            Work::Load { load: number, at, bytes, .. } => {
                load(&mut selection, *number, &run.patterns[*number], *at, *bytes)?
            }
            Work::Exchange { choices, from, .. } => selection.exchanged(choices, *from),
        };
        selection.values.insert(to.line, value);
        stores_after(&mut selection, k + 1)?;
        if item.lasts && !run.takes_turns() && last_writes.get(&to.line) == Some(&k) {
            let until = last_reads.get(&to.line).map_or(k, |last| k.max(*last));
            pending.entry(until).or_default().push(to);
        }
        for place in pending.remove(&k).unwrap_or_default() {
            selection.store(place);
        }
    }
    selection.end_turn()?;
    Some(selection)
}

/// Adds the stores that come after so many items.
fn stores_after(selection: &mut Lowering, items: usize) -> Option<()> {
    let run = selection.run;
    let mut stores = run.stores.iter().filter(|store| store.after == items);
    stores.try_for_each(|store| selection.store_elements(store, &run.patterns[store.source]))
}

/// Whether places that begin at the same line are equally long, and none is farther than instructions reach.
fn are_apart(items: &[Item]) -> bool {
    let mut widths: HashMap<u32, u8> = HashMap::default();
    let mut fits = |place: Place, ty: Type| {
        place.line < MOST_LINES && *widths.entry(place.line).or_insert(width(ty)) == width(ty)
    };
    items.iter().all(|item| {
        let operands = item.operands();
        let (to, ty) = (item.to(), item.result());
        fits(to, ty) && operands.into_iter().all(|(place, ty)| fits(place, ty))
    })
}

/// How often each place is read before it is written, and by which item last, by first lines.
fn first_reads(items: &[Item], stores: &[FusedStore]) -> (HashMap<u32, u32>, HashMap<u32, usize>) {
    let (mut reads, mut last) = (HashMap::default(), HashMap::default());
    let mut written = HashSet::default();
    for store in stores {
        let writes = |item: &Item| item.to().line == store.from.line;
        if !items[..store.after].iter().any(writes) {
            *reads.entry(store.from.line).or_insert(0) += 1;
        }
    }
    for (k, item) in items.iter().enumerate() {
        for (place, _) in item.operands() {
            if !written.contains(&place.line) {
                *reads.entry(place.line).or_insert(0) += 1;
                last.insert(place.line, k);
            }
        }
        written.insert(item.to().line);
    }
    (reads, last)
}
