//! Barriers at which threads wait while others run: which one it is, and for how many.

use crate::batch::plan::{BarrierExit, BarrierNumber, Exit};
use crate::code::{Action, Code, Purpose, Source};

/// What threads do that come to the barrier `pc`. What such barriers name is a constant or a register.
pub(super) fn barrier_exit(code: &Code, pc: u32, next: usize) -> Exit {
    let Action::Barrier(barrier) = &code.ops[pc as usize].action else { return Exit::Bailout };
    let number = |source: &Source| match source {
        Source::Constant(number) => Some(BarrierNumber::Constant(*number as u32)),
        Source::Register { slot, mask } => Some(BarrierNumber::Slot { slot: *slot, mask: *mask }),
        _ => None,
    };
    let count = match &barrier.count {
        None => Some(None),
        Some(count) => number(count).map(Some),
    };
    let passes = matches!(barrier.purpose, Purpose::Arrive);
    match (number(&barrier.id), count) {
        (Some(id), Some(count)) => Exit::Barrier(BarrierExit { id, count, passes, next }),
        _ => Exit::Bailout,
    }
}
