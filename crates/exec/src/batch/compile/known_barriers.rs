//! Barriers whose number lies in a register that never holds anything but 0: code that is not optimised passes it so.

use crate::batch::compile::liveness::{Bits, writes};
use crate::batch::compile::request::CompileRequest;
use crate::code::{Action, Code, Compute, Function, MAX_RESULTS, Op, Source};
use margay_isa::{Args, MAX_SOURCES};

/// The code with 0 in the place of such registers; none if there is no such barrier.
pub(super) fn known_barriers(request: &CompileRequest) -> Option<Code> {
    let asks = |op: &Op| matches!(&op.action, Action::Barrier(b) if matches!(b.id, Source::Register { .. }));
    if !request.code.ops.iter().any(asks) {
        return None;
    }
    let set = set_slots(request.code);
    let mut code = request.code.clone();
    for op in code.ops.iter_mut().filter(|op| asks(op)) {
        if let Action::Barrier(barrier) = &mut op.action
            && is_zero(&barrier.id, &set)
        {
            barrier.id = Source::Constant(0);
        }
    }
    Some(code)
}

/// The slots that are set to something else than 0, as which all begin.
fn set_slots(code: &Code) -> Bits {
    let mut set = Bits::new(code.slots);
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

fn is_zero(source: &Source, set: &Bits) -> bool {
    match source {
        Source::Constant(bits) => *bits == 0,
        Source::Register { slot, .. } => !set.has(*slot as usize),
        _ => false,
    }
}

/// Whether all that an instruction sets is 0.
fn sets_zero(op: &Op, set: &Bits) -> bool {
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
