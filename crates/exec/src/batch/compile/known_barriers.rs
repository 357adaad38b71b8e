//! Barriers that are plainer than they are written: their number lies in a register that never holds anything but 0, as code that is
//! not optimised passes it, or they are for as many threads as the block has.

use crate::batch::compile::liveness::{Bits as Slots, writes};
use crate::batch::compile::request::CompileRequest;
use crate::code::{Action, Barrier, Code, Compute, Function, MAX_RESULTS, Op, Source};
use margay_isa::{Args, Bits, MAX_SOURCES, WARP};

/// The code with 0 in the place of such registers, and no count that is all threads; none if there is no such barrier.
pub(super) fn known_barriers(request: &CompileRequest) -> Option<Code> {
    let all = Bits::from(request.threads.next_multiple_of(WARP as u32));
    let by_register = |barrier: &Barrier| matches!(barrier.id, Source::Register { .. });
    let counts_all =
        |barrier: &Barrier| matches!(barrier.count, Some(Source::Constant(count)) if count == all);
    let asks = |op: &Op| matches!(&op.action, Action::Barrier(b) if by_register(b) || counts_all(b));
    if !request.code.ops.iter().any(asks) {
        return None;
    }
    let set = set_slots(request.code);
    let mut code = request.code.clone();
    for op in &mut code.ops {
        let Action::Barrier(barrier) = &mut op.action else { continue };
        if by_register(barrier) && is_zero(&barrier.id, &set) {
            barrier.id = Source::Constant(0);
        }
        if counts_all(barrier) {
            barrier.count = None;
        }
    }
    Some(code)
}

/// The slots that are set to something else than 0, as which all begin.
fn set_slots(code: &Code) -> Slots {
    let mut set = Slots::new(code.slots);
    loop {
        let mut more = Vec::new();
        for op in code.ops.iter().filter(|op| !sets_zero(op, &set)) {
            writes(op, &mut |slot| more.push(slot as usize));
        }
        more.retain(|slot| !set.has(*slot));
        if more.is_empty() {
            return set;
        }
        more.into_iter().for_each(|slot| set.put(slot));
    }
}

fn is_zero(source: &Source, set: &Slots) -> bool {
    match source {
        Source::Constant(bits) => *bits == 0,
        Source::Register { slot, .. } => !set.has(*slot as usize),
        _ => false,
    }
}

/// Whether all that an instruction sets is 0.
fn sets_zero(op: &Op, set: &Slots) -> bool {
    match &op.action {
        Action::Shift(shift) => is_zero(&shift.0, set) && shift.2 == 0,
        Action::Compute(compute) => {
            compute.sources.iter().all(|source| is_zero(source, set)) && keeps_zero(compute)
        }
        _ => false,
    }
}

/// Whether an instruction makes nothing but 0 of nothing but 0.
fn keeps_zero(compute: &Compute) -> bool {
    let args: Args = [0; MAX_SOURCES];
    match compute.function {
        Function::One(function) => function(&compute.inst, &args) == 0,
        Function::Many(function) => {
            let mut results = [0; MAX_RESULTS];
            function(&compute.inst, &args, &mut results[..compute.targets.len()]);
            results.iter().all(|result| *result == 0)
        }
        Function::Stages(_) => false,
    }
}
