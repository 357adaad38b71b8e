//! What an instruction names, to be changed: its guard, its sources and its targets.

use super::{
    Action, Arrive, Callee, Guard, ObjectChange, ObjectStep, Op, Phase, Purpose, Source, Spot, Target, Wait,
};
use std::sync::Arc;

/// Something that an instruction names.
pub(crate) enum Named<'o> {
    Guard(&'o mut Guard),
    Source(&'o mut Source),
    Target(&'o mut Target),
}

impl Op {
    /// Lets a branch go where the instructions are now that it went to: `first` gives, for each, the first that it became.
    pub(crate) fn retarget(&mut self, first: &[u32]) {
        match &mut self.action {
            Action::Branch(target) => *target = first[*target as usize],
            Action::BranchIndexed(branch) => {
                branch.1.iter_mut().for_each(|target| *target = first[*target as usize]);
            }
            _ => {}
        }
    }

    /// Calls `f` with everything that names a register or the thread's frame.
    pub(crate) fn each_named(&mut self, f: &mut dyn FnMut(Named)) {
        if let Some(guard) = &mut self.guard {
            f(Named::Guard(guard));
        }
        match &mut self.action {
            Action::Compute(compute) => {
                compute.sources.iter_mut().for_each(|source| f(Named::Source(source)));
                compute.targets.iter_mut().for_each(|target| f(Named::Target(target)));
            }
            Action::Load(load) => {
                f(Named::Source(&mut load.address));
                load.elements.iter_mut().for_each(|target| f(Named::Target(target)));
            }
            Action::Store(store) => {
                f(Named::Source(&mut store.address));
                store.elements.iter_mut().for_each(|source| f(Named::Source(source)));
            }
            Action::StoreSome(store) => {
                f(Named::Source(&mut store.address));
                store.elements.iter_mut().flatten().for_each(|source| f(Named::Source(source)));
            }
            Action::Atomic(atomic) => {
                f(Named::Source(&mut atomic.place.address));
                atomic.sources.iter_mut().for_each(|source| f(Named::Source(source)));
                atomic.targets.iter_mut().for_each(|target| f(Named::Target(target)));
            }
            Action::Collective(together) => {
                together.place.iter_mut().for_each(|place| f(Named::Source(&mut place.address)));
                together.sources.iter_mut().for_each(|source| f(Named::Source(source)));
                together.targets.iter_mut().for_each(|target| f(Named::Target(target)));
            }
            Action::Shift(both) | Action::Equals(both) => {
                f(Named::Source(&mut both.0));
                f(Named::Target(&mut both.1));
            }
            Action::TestSpace(test) => {
                f(Named::Source(&mut test.0));
                f(Named::Target(&mut test.1));
            }
            Action::TestFrames(test) => {
                f(Named::Source(&mut test.address));
                f(Named::Source(&mut test.distance));
                f(Named::Target(&mut test.target));
            }
            Action::Copy(copy) => {
                f(Named::Source(&mut copy.to.address));
                f(Named::Source(&mut copy.from.address));
                copy.read.iter_mut().for_each(|source| f(Named::Source(source)));
            }
            Action::Bulk(bulk) => {
                let bulk = Arc::make_mut(bulk);
                let object = bulk.object.as_mut().map(|object| &mut object.address);
                let more = object.into_iter().chain(&mut bulk.mask).chain(&mut bulk.blocks);
                [&mut bulk.to.address, &mut bulk.from.address, &mut bulk.size]
                    .into_iter()
                    .chain(more)
                    .for_each(|source| f(Named::Source(source)));
            }
            Action::Tensor(step) => {
                Arc::make_mut(step)
                    .step
                    .sources_mut()
                    .into_iter()
                    .for_each(|source| f(Named::Source(source)));
            }
            Action::Texture(step) => {
                let step = Arc::make_mut(step);
                step.sources_mut().for_each(|source| f(Named::Source(source)));
                step.targets.iter_mut().for_each(|target| f(Named::Target(target)));
            }
            Action::Object(step) => object(step, f),
            Action::MapToCta(map) => {
                f(Named::Source(&mut map.0));
                f(Named::Source(&mut map.1));
                f(Named::Target(&mut map.2));
            }
            Action::TellCta(tell) => {
                f(Named::Source(&mut tell.0));
                f(Named::Target(&mut tell.1));
            }
            Action::SaveStack(target) => f(Named::Target(target)),
            Action::RestoreStack(source) => f(Named::Source(source)),
            Action::Allocate(allocate) => {
                f(Named::Target(&mut allocate.0));
                f(Named::Source(&mut allocate.1));
            }
            Action::BranchIndexed(branch) => f(Named::Source(&mut branch.0)),
            Action::Call(call) => {
                call.arguments.iter_mut().chain(&mut call.results).for_each(|spot| spot.each_named(f));
                if let Callee::At(address, _) = &mut call.callee {
                    f(Named::Source(address));
                }
            }
            Action::Barrier(barrier) => {
                f(Named::Source(&mut barrier.id));
                barrier.count.iter_mut().for_each(|source| f(Named::Source(source)));
                if let Purpose::Reduce(reduce) = &mut barrier.purpose {
                    f(Named::Source(&mut reduce.predicate));
                    f(Named::Target(&mut reduce.target));
                }
            }
            Action::Branch(_)
            | Action::Return
            | Action::Exit
            | Action::Trap(_)
            | Action::Fence(_)
            | Action::Gate(_)
            | Action::CommitCopies(_)
            | Action::AwaitCopies(..)
            | Action::Nothing => {}
        }
    }
}

impl Spot {
    /// Calls `f` with what names a register.
    pub(crate) fn each_named(&mut self, f: &mut dyn FnMut(Named)) {
        if let Spot::Value { source, target, .. } = self {
            f(Named::Source(source));
            f(Named::Target(target));
        }
    }
}

fn object(step: &mut ObjectStep, f: &mut dyn FnMut(Named)) {
    f(Named::Source(&mut step.place.address));
    step.blocks.iter_mut().for_each(|source| f(Named::Source(source)));
    match &mut step.change {
        ObjectChange::Make(from) | ObjectChange::Expect(from) | ObjectChange::Complete(from) => {
            f(Named::Source(from));
        }
        ObjectChange::Arrive(Arrive { count, bytes, target, .. }) => {
            count.iter_mut().chain(bytes).for_each(|source| f(Named::Source(source)));
            f(Named::Target(target));
        }
        ObjectChange::Wait(Wait { phase: Phase::State(from) | Phase::Parity(from), target, .. }) => {
            f(Named::Source(from));
            f(Named::Target(target));
        }
        ObjectChange::End | ObjectChange::Copies { .. } => {}
    }
}
