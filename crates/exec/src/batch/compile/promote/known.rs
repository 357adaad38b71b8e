//! Registers that hold one constant, so that addresses in local memory are known.

use crate::batch::compile::analysis::assigned;
use crate::batch::compile::cfg::split;
use crate::batch::compile::liveness::{self, Bits};
use crate::code::{Action, Code, Function, MAX_RESULTS, Op, Source, Target, Transfer};
use margay_isa::{Args, Bits as Value, MAX_SOURCES, Trace};

/// Values of registers that one instruction sets to a constant.
pub(super) struct Known {
    /// By slot: the value, and whether it is an address of the thread's frame or comes from one.
    pub(super) values: Vec<Option<(u64, bool)>>,
    /// By slot, the instruction that sets it.
    writers: Vec<u32>,
    /// By instruction, the block that it is in; by block, the slots that are surely set before it.
    block_of: Vec<u32>,
    firsts: Vec<u32>,
    assigned: Vec<Bits>,
}

impl Known {
    pub(super) fn of(code: &Code) -> Known {
        const NONE: u32 = u32::MAX;
        let mut writers = vec![NONE; code.slots];
        let mut several = vec![false; code.slots];
        for (pc, op) in code.ops.iter().enumerate() {
            liveness::writes(op, &mut |slot| {
                several[slot as usize] |= writers[slot as usize] != NONE || op.guard.is_some();
                writers[slot as usize] = pc as u32;
            });
        }
        let blocks = split(code);
        let mut block_of = vec![NONE; code.ops.len()];
        for (b, block) in blocks.iter().enumerate() {
            block_of[block.first as usize..block.end as usize].fill(b as u32);
        }
        let assigned = assigned(code, &blocks);
        let firsts = blocks.iter().map(|block| block.first).collect();
        let mut known = Known { values: vec![None; code.slots], writers, block_of, firsts, assigned };
        // A constant may be made of others that come later in the text, if seldom.
        for _ in 0..3 {
            let mut changed = false;
            for (pc, op) in code.ops.iter().enumerate() {
                let Some((slot, value)) = known.result(pc as u32, op) else { continue };
                let is_new = !several[slot as usize] && known.values[slot as usize].is_none();
                if is_new {
                    known.values[slot as usize] = Some(value);
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        known
    }

    /// What a source gives to an instruction, if that is known.
    pub(super) fn source(&self, pc: u32, source: &Source) -> Option<(u64, bool)> {
        match source {
            Source::Constant(bits) => u64::try_from(*bits).ok().map(|bits| (bits, false)),
            Source::Frame(offset) => Some((*offset, true)),
            Source::Register { slot, mask } => {
                let (value, is_frame) = self.values[*slot as usize]?;
                self.is_set(pc, *slot).then_some((value & mask, is_frame))
            }
            Source::Wide { .. } | Source::Special { .. } => None,
        }
    }

    /// Whether a slot that has one writer is surely set when an instruction is reached.
    fn is_set(&self, pc: u32, slot: u32) -> bool {
        let (block, writer) = (self.block_of[pc as usize], self.writers[slot as usize]);
        let Some(first) = self.firsts.get(block as usize) else { return false };
        self.assigned[block as usize].has(slot as usize) || (*first..pc).contains(&writer)
    }

    /// The register that an instruction sets to a constant, if it does nothing else.
    pub(super) fn result(&self, pc: u32, op: &Op) -> Option<(u32, (u64, bool))> {
        let (target, value, is_frame) = match &op.action {
            Action::Shift(shift) => {
                let (value, is_frame) = self.source(pc, &shift.0)?;
                (&shift.1, Value::from(value.wrapping_add(shift.2)), is_frame)
            }
            Action::Compute(compute) if compute.sources.len() <= MAX_SOURCES => {
                let [target] = &compute.targets[..] else { return None };
                let (mut args, mut is_frame): (Args, bool) = ([0; MAX_SOURCES], false);
                for (arg, source) in args.iter_mut().zip(&compute.sources) {
                    let (value, of_frame) = self.source(pc, source)?;
                    (*arg, is_frame) = (value.into(), is_frame | of_frame);
                }
                let value = match compute.function {
                    Function::One(f) => f(&compute.inst, &args),
                    Function::Stages(f) => f(&compute.inst, &args, &mut Trace::off()),
                    Function::Many(f) => {
                        let mut results = [0; MAX_RESULTS];
                        f(&compute.inst, &args, &mut results[..1]);
                        results[0]
                    }
                };
                (target, value, is_frame)
            }
            _ => return None,
        };
        match target {
            Target::Register { slot, spread, mask } if op.guard.is_none() => {
                let value = (((value as u64) << spread) as i64 >> spread) as u64 & mask;
                Some((*slot, (value, is_frame)))
            }
            _ => None,
        }
    }

    /// The address of an access, if it is known.
    pub(super) fn address<T>(&self, pc: u32, transfer: &Transfer<T>) -> Option<u64> {
        let (base, _) = self.source(pc, &transfer.address)?;
        Some(base.wrapping_add(transfer.offset) & transfer.mask)
    }
}
