//! Registers that are read before they are written, noticed while a thread runs.

use super::lane::Lane;
use crate::batch::compile::liveness;
use crate::code::{Action, Callee, Compute, Deed, Function, MAX_RESULTS, Op, Source, Target};
use margay_isa::{Args, Bits, Trace};

impl Lane<'_> {
    /// Tells of registers that an instruction reads and nothing has written, and notes those that it writes.
    #[cold]
    #[inline(never)]
    pub(super) fn judge_registers(&mut self, op: &Op) {
        if let Some(guard) = op.guard {
            self.judge(guard.slot, None);
            if self.stack.registers[self.stack.frame.registers + guard.slot as usize] != guard.runs_if {
                return;
            }
        }
        let mut unwritten = Vec::new();
        let guard = op.guard.map(|guard| guard.slot);
        liveness::reads(op, &mut |slot| {
            if !self.stack.is_written(slot) && guard != Some(slot) && !unwritten.contains(&slot) {
                unwritten.push(slot);
            }
        });
        if let Action::Collective(together) = &op.action
            && let Deed::Warpgroup(product) = &together.deed
            && !product.adds(self.read(&together.sources[product.sums() + product.scale_d()]) as u64)
        {
            // D is written and nothing else.
            let others = &together.sources[product.sums()..];
            unwritten.retain(|slot| others.iter().any(|from| reads(from, *slot)));
        }
        for slot in unwritten {
            let compute = match &op.action {
                Action::Compute(compute) => Some(&**compute),
                _ => None,
            };
            self.judge(slot, compute);
        }
        // What a function gives back is written when it returns.
        let returns = matches!(&op.action, Action::Call(call) if !matches!(call.callee, Callee::Provided(_)));
        if !returns {
            liveness::writes(op, &mut |slot| self.stack.set_written(slot, true));
        }
    }

    fn judge(&mut self, slot: u32, compute: Option<&Compute>) {
        if self.stack.is_written(slot) || compute.is_some_and(|compute| !self.shows(compute, slot)) {
            return;
        }
        let reader = (self.stack.function, self.stack.pc, self.index);
        let job = self.job;
        if let Some(watch) = &mut self.watch {
            watch.unwritten(job, reader, slot);
        }
    }

    /// Whether the results of a computation depend on a register, the others being what they are.
    fn shows(&self, compute: &Compute, slot: u32) -> bool {
        let args = self.sources(&compute.sources);
        let asked: Vec<usize> =
            (0..compute.sources.len()).filter(|k| reads(&compute.sources[*k], slot)).collect();
        let near = args.iter().flat_map(|value| [*value, value.wrapping_add(1), value.wrapping_sub(1)]);
        let bits = (0..Bits::BITS).map(|k| 1 << k);
        let first = results(compute, &args);
        near.chain([0, Bits::MAX]).chain(bits).any(|value| {
            let mut other = args;
            asked.iter().for_each(|k| other[*k] = cut(&compute.sources[*k], value));
            results(compute, &other) != first
        })
    }

    /// Whether what a source reads is written.
    pub(super) fn is_written(&self, from: &Source) -> bool {
        let mut written = true;
        liveness::source(from, &mut |slot| written &= self.stack.is_written(slot));
        written
    }

    /// Notes whether a target is written.
    pub(super) fn set_written(&mut self, to: &Target, written: bool) {
        liveness::target(to, &mut |slot| self.stack.set_written(slot, written));
    }
}

/// Whether a source reads a slot.
fn reads(source: &Source, slot: u32) -> bool {
    let mut reads = false;
    liveness::source(source, &mut |read| reads |= read == slot);
    reads
}

/// A value as a source can give it.
fn cut(source: &Source, value: Bits) -> Bits {
    match source {
        Source::Register { mask, .. } => value & Bits::from(*mask),
        _ => value,
    }
}

/// The results that are kept, as they are written.
fn results(compute: &Compute, args: &Args) -> [Bits; MAX_RESULTS] {
    let mut results = [0; MAX_RESULTS];
    match compute.function {
        Function::One(f) => results[..compute.targets.len()].fill(f(&compute.inst, args)),
        Function::Stages(f) => {
            results[..compute.targets.len()].fill(f(&compute.inst, args, &mut Trace::off()));
        }
        Function::Many(f) => f(&compute.inst, args, &mut results[..compute.targets.len()]),
    }
    for (result, target) in results.iter_mut().zip(&compute.targets) {
        match target {
            Target::Sink => *result = 0,
            Target::Register { mask, .. } => *result &= Bits::from(*mask),
            Target::Wide { mask, .. } => *result &= mask,
        }
    }
    results
}
