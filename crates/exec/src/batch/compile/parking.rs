//! Instructions at which threads wait while others run: barriers, and looks at barrier objects.

use crate::batch::plan::{BarrierExit, Exit, Number, WaitExit};
use crate::code::{Action, Barrier, Code, ObjectChange, ObjectStep, Phase, Purpose, Source, Wait};

/// What threads do that come to such an instruction. What it names is a constant or a register.
pub(super) fn parking_exit(code: &Code, pc: u32, next: usize) -> Exit {
    let exit = match &code.ops[pc as usize].action {
        Action::Barrier(barrier) => barrier_exit(barrier, next).map(Exit::Barrier),
        Action::Object(step) => wait_exit(step, next).map(Exit::Wait),
        _ => None,
    };
    exit.unwrap_or(Exit::Bailout)
}

fn barrier_exit(barrier: &Barrier, next: usize) -> Option<BarrierExit> {
    let count = match &barrier.count {
        None => None,
        Some(count) => Some(number(count)?),
    };
    let passes = matches!(barrier.purpose, Purpose::Arrive);
    Some(BarrierExit { id: number(&barrier.id)?, count, passes, next })
}

fn wait_exit(step: &ObjectStep, next: usize) -> Option<WaitExit> {
    let ObjectChange::Wait(Wait { phase, .. }) = &step.change else { return None };
    let phase = match phase {
        Phase::State(state) => Phase::State(number(state)?),
        Phase::Parity(parity) => Phase::Parity(number(parity)?),
    };
    let place = &step.place;
    let (space, offset, mask) = (place.space, place.offset, place.mask);
    Some(WaitExit { space, address: number(&place.address)?, offset, mask, phase, next })
}

fn number(source: &Source) -> Option<Number> {
    match source {
        Source::Constant(number) => Some(Number::Constant(*number as u64)),
        Source::Register { slot, mask } => Some(Number::Slot { slot: *slot, mask: *mask }),
        Source::Wide { .. } | Source::Frame(_) | Source::Special { .. } => None,
    }
}
