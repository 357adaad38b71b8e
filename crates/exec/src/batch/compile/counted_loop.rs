//! Counted loops: blocks that branch to themselves while affine or uniform values say so, and whose addresses grow alike from turn to
//! turn.
//!
//! What changes from turn to turn is registers to which each turn adds the same. So the turns are one more axis of affine values: how many
//! there are and where all of their elements lie is found once.

use crate::batch::affine::AffineDef;
use crate::batch::compile::Builder;
use crate::batch::compile::fused_loops::{is_late, operands};
use crate::batch::lanes::{Place, VectorOp};
use crate::batch::plan::{
    Address, AddressGroup, AffineId, AffineOp, BaseAddress, Carried, CountedLoop, Exit, FusedLoop, Grows,
    Growth, Operand, Preheader, Step,
};
use foldhash::{HashMap, HashSet};
use margay_isa::uop::AffineRule;
use std::ops::Range;

impl Builder<'_> {
    /// What makes a block with these steps a counted loop, if it is one.
    pub(super) fn counted_loop(
        &self,
        b: usize,
        steps: &[Step],
        exit: &Exit,
        fused_loops: &[FusedLoop],
    ) -> Option<CountedLoop> {
        let (by, test, yes, no) = match exit {
            Exit::Branch { uniform: false, test: Some(test), yes, no, .. } => (None, Some(test), yes, no),
            Exit::Branch { uniform: true, by, yes, no, .. } => (Some(by), None, yes, no),
            _ => return None,
        };
        let ([fused_loop], true) = (fused_loops, (*yes == b) != (*no == b)) else { return None };
        let fits = steps.iter().enumerate().all(|(k, step)| match step {
            Step::AffineOps(_) | Step::Scalar(_) => true,
            Step::Vector(_) | Step::Aim(_) => fused_loop.steps.contains(&k),
            Step::Load(load) => fused_loop.steps.contains(&k) && is_late(load),
            Step::Store(store) => {
                k >= fused_loop.steps.end
                    && store.guard.is_none()
                    && matches!(store.address, Address::Affine(_))
            }
            _ => false,
        });
        let scalars: Vec<VectorOp> = steps
            .iter()
            .filter_map(|step| match step {
                Step::Scalar(scalar) => Some(*scalar),
                _ => None,
            })
            .collect();
        let counts: HashSet<u32> = scalars.iter().map(|scalar| scalar.to.line).collect();
        let decides = by.is_none_or(|by| counts.contains(&by.line));
        if !fits || !decides || fused_loop.exchanges || self.reads_any(steps, fused_loop, &counts) {
            return None;
        }
        let tested = test.iter().flat_map(|test| test.operands);
        if tested
            .clone()
            .any(|operand| matches!(operand, Operand::Uniform(_, at) if counts.contains(&at.line)))
        {
            return None;
        }
        let grows = self.grows(&events(steps, fused_loop), tested)?;
        (!grows.carried.is_empty()).then_some(CountedLoop { grows, scalars })
    }

    /// What turns do with affine values, if what each begins with and changes grows alike; the last operands are tested after each.
    pub(super) fn grows(&self, events: &[Event], tested: impl Iterator<Item = Operand>) -> Option<Grows> {
        let op = |number: u32| &self.affine_ops[number as usize];
        let ops = events.iter().flat_map(|event| match event {
            Event::Ops(numbers) => numbers.clone(),
            Event::Reads(_) => 0..0,
        });
        let mut writes: HashMap<AffineId, Vec<&AffineOp>> = HashMap::default();
        ops.map(op).for_each(|op| writes.entry(op.to).or_default().push(op));
        let (mut written, mut fixed, mut carried) = (HashSet::default(), HashSet::default(), Vec::new());
        // What is read before this turn has set it is what the turn before has left.
        let mut read = |id: AffineId, written: &HashSet<AffineId>| {
            if written.contains(&id) {
                return Some(());
            }
            let Some(writers) = writes.get(&id) else {
                fixed.insert(id);
                return Some(());
            };
            if !carried.iter().any(|known: &Carried| known.value == id) {
                carried.push(grown(id, writers, &writes)?);
            }
            Some(())
        };
        for event in events {
            match event {
                Event::Reads(id) => read(*id, &written)?,
                Event::Ops(numbers) => {
                    for op in numbers.clone().map(op) {
                        if let AffineDef::Op(_) = op.def {
                            op.from.iter().try_for_each(|id| read(*id, &written))?;
                        }
                        written.insert(op.to);
                    }
                }
            }
        }
        let tested = tested.filter_map(|operand| match operand {
            Operand::Affine(id) => Some(id),
            Operand::Const(_) | Operand::Uniform(..) => None,
        });
        // What is tested is what this turn has left.
        fixed.extend(tested.filter(|id| !writes.contains_key(id)));
        let mut fixed: Vec<AffineId> = fixed.into_iter().collect();
        fixed.sort_unstable();
        let mut sets: Vec<AffineId> = writes.keys().copied().collect();
        sets.sort_unstable();
        Some(Grows { carried, fixed, sets })
    }

    /// Whether anything but the operations on values that are the same in all threads reads some of these lines.
    fn reads_any(&self, steps: &[Step], fused_loop: &FusedLoop, lines: &HashSet<u32>) -> bool {
        let has = |place: &Place| lines.contains(&place.line);
        let roots = |group: &AddressGroup| matches!(group.root, BaseAddress::Uniform(place) if has(&place));
        let read = |step: &Step| match step {
            Step::Vector(range) => {
                let vector_ops = &self.vector_ops[range.start as usize..range.end as usize];
                vector_ops.iter().flat_map(operands).any(has)
            }
            Step::AffineOps(range) => {
                let ops = &self.affine_ops[range.start as usize..range.end as usize];
                ops.iter().any(|op| matches!(op.def, AffineDef::Uniform(_, place) if has(&place)))
            }
            Step::Load(load) => matches!(load.address, Address::Uniform(place) if has(&place)),
            Step::Store(store) | Step::Aim(store) => store.elements.iter().any(has),
            _ => false,
        };
        steps.iter().any(read) || fused_loop.address_groups.iter().any(roots)
    }
}

/// Something that concerns affine values.
pub(super) enum Event {
    /// Operations that are not deferred.
    Ops(Range<u32>),
    /// A value is the root of addresses of loads, or the address of a store.
    Reads(AffineId),
}

/// What a turn does with affine values, in order; what is deferred is found without being computed.
fn events(steps: &[Step], fused_loop: &FusedLoop) -> Vec<Event> {
    let others = |steps: &[Step]| -> Vec<Event> {
        let event = |step: &Step| match step {
            Step::AffineOps(numbers) => Some(Event::Ops(numbers.clone())),
            Step::Store(store) => match store.address {
                Address::Affine(id) => Some(Event::Reads(id)),
                Address::Uniform(_) | Address::Periodic(_) | Address::Varying(_) => None,
            },
            _ => None,
        };
        steps.iter().filter_map(event).collect()
    };
    let mut events = others(&steps[..fused_loop.steps.start]);
    events.extend(fused_loop.preheader.iter().filter_map(|preheader| match preheader {
        Preheader::AffineOps(numbers) => Some(Event::Ops(numbers.clone())),
        Preheader::Find(group) => fused_loop.address_groups[*group].root.id().map(Event::Reads),
        Preheader::Step(_) | Preheader::FindStore(_) => None,
    }));
    events.extend(others(&steps[fused_loop.steps.end..]));
    events
}

/// By how much a value grows in each turn, if that is always the same.
fn grown(
    value: AffineId,
    writers: &[&AffineOp],
    writes: &HashMap<AffineId, Vec<&AffineOp>>,
) -> Option<Carried> {
    let mut writer = *writers.first().filter(|_| writers.len() == 1)?;
    // What it is set to may have been computed before, for something else, too.
    if matches!(writer.def, AffineDef::Op(AffineRule::Same)) {
        let [before] = writes.get(&writer.from[0])?[..] else { return None };
        writer = Some(before).filter(|before| before.ty == writer.ty)?;
    }
    let (by, falls) = match writer.def {
        AffineDef::Op(AffineRule::Sum) if writer.from[0] == value => (writer.from[1], false),
        AffineDef::Op(AffineRule::Sum) if writer.from[1] == value => (writer.from[0], false),
        AffineDef::Op(AffineRule::Difference) if writer.from[0] == value => (writer.from[1], true),
        _ => return None,
    };
    let by = match writes.get(&by).map(Vec::as_slice) {
        None => Growth::Affine(by),
        Some([AffineOp { def: AffineDef::Uniform(ty, place), .. }]) => Growth::Uniform(*ty, *place),
        Some(_) => return None,
    };
    Some(Carried { value, by, falls })
}
