//! Registers that hold one constant, so that addresses in local memory are known.

use crate::batch::compile::analysis::assigned;
use crate::batch::compile::cfg::split;
use crate::batch::compile::liveness::{self, Bits};
use crate::batch::origins::Origins;
use crate::code::{Action, Code, Compute, Function, MAX_RESULTS, Op, Source, Target};
use margay_isa::uop::{Def, Emit, Int, Op as MicroOp, Type, Val};
use margay_isa::{Args, Bits as Value, MAX_SOURCES, Trace};

/// Values of registers that one instruction sets to a constant. In activations of functions that call themselves, addresses of
/// frames are those of the first activation; in each other one they are as much greater as its frames lie farther on.
pub(in crate::batch::compile) struct Known {
    /// By slot: the value, and whether it is an address of the thread's frame or comes from one.
    pub(in crate::batch::compile) values: Vec<Option<(u64, bool)>>,
    /// By slot, the instruction that sets it.
    writers: Vec<u32>,
    /// By instruction, the block that it is in; by block, the slots that are surely set before it.
    block_of: Vec<u32>,
    firsts: Vec<u32>,
    assigned: Vec<Bits>,
    /// The first instructions of stretches that are, or are not, part of an activation; the first of all are not.
    activations: Vec<u32>,
}

impl Known {
    pub(in crate::batch::compile) fn of(code: &Code, origins: &Origins) -> Known {
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
        let values = vec![None; code.slots];
        let activations = activations(code, origins);
        let mut known = Known { values, writers, block_of, firsts, assigned, activations };
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
    pub(in crate::batch::compile) fn source(&self, pc: u32, source: &Source) -> Option<(u64, bool)> {
        match source {
            Source::Constant(bits) => u64::try_from(*bits).ok().map(|bits| (bits, false)),
            Source::Frame(offset) => Some((*offset, true)),
            Source::Register { slot, mask } => {
                let (value, is_frame) = self.values[*slot as usize]?;
                // Low bits are as much greater as the address is, if they can hold it.
                let holds = *mask >= u64::from(u32::MAX) || !is_frame || !self.is_of_activation(pc);
                (holds && self.is_set(pc, *slot)).then_some((value & mask, is_frame))
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
    pub(in crate::batch::compile) fn result(&self, pc: u32, op: &Op) -> Option<(u32, (u64, bool))> {
        let (target, value, is_frame) = match &op.action {
            Action::Shift(shift) => {
                let (value, is_frame) = self.source(pc, &shift.0)?;
                (&shift.1, Value::from(value.wrapping_add(shift.2)), is_frame)
            }
            Action::Compute(compute) if compute.sources.len() <= MAX_SOURCES => {
                let [target] = &compute.targets[..] else { return None };
                let (mut args, mut frames): (Args, [bool; MAX_SOURCES]) =
                    ([0; MAX_SOURCES], [false; MAX_SOURCES]);
                for (k, source) in compute.sources.iter().enumerate() {
                    let (value, of_frame) = self.source(pc, source)?;
                    (args[k], frames[k]) = (value.into(), of_frame);
                }
                let is_frame = frames.contains(&true);
                if is_frame && self.is_of_activation(pc) && !moves_along(compute, &frames) {
                    return None;
                }
                (target, value(compute, &args), is_frame)
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

    /// Whether an instruction is part of an activation, of which there may be several.
    pub(in crate::batch::compile) fn is_of_activation(&self, pc: u32) -> bool {
        self.activations.partition_point(|first| *first <= pc) % 2 == 1
    }
}

fn value(compute: &Compute, args: &Args) -> Value {
    match compute.function {
        Function::One(f) => f(&compute.inst, args),
        Function::Stages(f) => f(&compute.inst, args, &mut Trace::off()),
        Function::Many(f) => {
            let mut results = [0; MAX_RESULTS];
            f(&compute.inst, args, &mut results[..1]);
            results[0]
        }
    }
}

/// Whether the result is as much greater as the one source is that is an address of a frame: a sum with it, or itself.
fn moves_along(compute: &Compute, frames: &[bool; MAX_SOURCES]) -> bool {
    let given: Vec<(Type, Option<u64>)> = compute.sources.iter().map(|_| (Type::U64, None)).collect();
    let mut emit = Emit::new(&given);
    let narrow = compute.source_bits.iter().chain(&compute.target_bits).all(|bits| *bits == u64::BITS);
    if !narrow || !compute.semantics.is_some_and(|semantics| compute.inst.lower(semantics, &mut emit)) {
        return false;
    }
    // How many times an address is in a value; none if it is something else.
    let mut times: Vec<Option<u32>> = Vec::new();
    for (_, _, def) in emit.values() {
        times.push(match def {
            Def::Source(k) => Some(frames[k].into()),
            Def::Const(_) => Some(0),
            Def::Op(op, operands) => {
                let of = |operand: &Val| times[operand.index()];
                let operands: Option<Vec<u32>> = operands[..op.operands().len()].iter().map(of).collect();
                let sum = operands.map(|operands| operands.iter().sum());
                sum.filter(|sum| *sum == 0 || op == MicroOp::Int64(Int::Add))
            }
        });
    }
    emit.results().first().is_some_and(|result| times[result.index()] == Some(1))
}

fn activations(code: &Code, origins: &Origins) -> Vec<u32> {
    let mut firsts = Vec::new();
    if origins.roots().is_empty() {
        return firsts;
    }
    for pc in 0..code.ops.len() as u32 {
        let is_inside = origins.root_of(origins.of(pc).node).is_some();
        if is_inside != (firsts.len() % 2 == 1) {
            firsts.push(pc);
        }
    }
    firsts
}
