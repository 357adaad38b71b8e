//! Predicates that are tested more than once, so that what one test tells holds at another.

use super::uses::{self, Use};
use super::ways::Fact;
use crate::module::{Function, Guard, Instruction, Operand, RegisterId};
use margay_isa::{Args, Kind, MAX_SOURCES, Semantics};
use std::collections::HashMap;
use std::ops::Range;

/// The predicates of a function.
pub(super) struct Predicates {
    /// Those that have always the value of another, or its opposite.
    twins: HashMap<RegisterId, Twin>,
    /// How many instructions have each as their guard, twins counted together.
    tests: HashMap<RegisterId, u32>,
    /// The instructions that write each, in order.
    writes: HashMap<RegisterId, Vec<u32>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Twin {
    of: RegisterId,
    opposite: bool,
}

impl Predicates {
    pub(super) fn of(function: &Function) -> Predicates {
        let mut writes: HashMap<RegisterId, Vec<u32>> = HashMap::new();
        let mut related: HashMap<RegisterId, Vec<Twin>> = HashMap::new();
        let is_predicate = |id: RegisterId| function.registers[id.0 as usize].ty.kind == Kind::Predicate;
        for (at, instruction) in (0..).zip(&function.code) {
            uses::each(instruction, &mut |role, id| {
                if role != Use::Read && is_predicate(id) {
                    writes.entry(id).or_default().push(at);
                }
            });
            if let Some((id, twin)) = relation(instruction, is_predicate) {
                related.entry(id).or_default().push(twin);
            }
        }
        // One that is computed from the other follows it late: only where neither changes again they always agree.
        related.retain(|id, twins| {
            let together = writes.get(id) == writes.get(&twins[0].of);
            let once = |id: &RegisterId| writes.get(id).is_some_and(|writes| writes.len() == 1);
            twins.iter().all(|twin| *twin == twins[0])
                && writes.get(id).is_some_and(|writes| writes.len() == twins.len())
                && (together || (once(id) && once(&twins[0].of)))
        });
        let twins = related.into_iter().map(|(id, twins)| (id, twins[0])).collect();
        let mut predicates = Predicates { twins, tests: HashMap::new(), writes };
        for guard in function.code.iter().filter_map(|instruction| instruction.guard) {
            let fact = predicates.named(guard);
            *predicates.tests.entry(fact.predicate).or_default() += 1;
        }
        predicates
    }

    /// What holds where an instruction with this guard is carried out; none if nothing else depends on it.
    pub(super) fn fact(&self, guard: Guard) -> Option<Fact> {
        let fact = self.named(guard);
        Some(fact).filter(|fact| self.tests.get(&fact.predicate).is_some_and(|tests| *tests > 1))
    }

    /// Whether one of these instructions writes a predicate.
    pub(super) fn is_written(&self, predicate: RegisterId, within: Range<u32>) -> bool {
        let Some(writes) = self.writes.get(&predicate) else { return false };
        writes.get(writes.partition_point(|at| *at < within.start)).is_some_and(|at| *at < within.end)
    }

    fn named(&self, guard: Guard) -> Fact {
        let mut fact = Fact { predicate: guard.register, value: !guard.negated };
        // A chain of twins has no circle that matters: a few steps are enough for what is written.
        for _ in 0..4 {
            let Some(twin) = self.twins.get(&fact.predicate) else { break };
            fact = Fact { predicate: twin.of, value: fact.value != twin.opposite };
        }
        fact
    }
}

/// The register that an instruction makes equal or opposite to another, which it reads or writes too.
fn relation(
    instruction: &Instruction,
    is_predicate: impl Fn(RegisterId) -> bool,
) -> Option<(RegisterId, Twin)> {
    let inst = &*instruction.inst;
    let mut sources = Vec::new();
    let mut results = Vec::new();
    let unguarded = Instruction { guard: None, ..instruction.clone() };
    uses::each(&unguarded, &mut |role, id| match role {
        Use::Read if is_predicate(id) => sources.push(id),
        Use::Write if is_predicate(id) => results.push(id),
        _ => {}
    });
    match (sources.as_slice(), results.as_slice()) {
        // Of a comparison: what holds, and that it does not.
        ([], [first, second]) if first != second && matches!(instruction.operands[0], Operand::Pair(..)) => {
            Some((*second, Twin { of: *first, opposite: true }))
        }
        ([source], [result]) if source != result && instruction.operands.len() == 2 => {
            let value = |bit| {
                let mut args: Args = [0; MAX_SOURCES];
                args[0] = bit;
                let mut results = [0];
                inst.compute(Semantics::Manual, &args, &mut results).then_some(results[0] & 1)
            };
            let (if_false, if_true) = (value(0)?, value(1)?);
            (if_false != if_true).then_some((*result, Twin { of: *source, opposite: if_false == 1 }))
        }
        _ => None,
    }
}
