//! Self-loops: blocks that only compute and branch to themselves, which may go round without the engine.
//!
//! The operations of such a block, once more, become a run of their own: under a mask of the threads that still go round instead of
//! that of those that run, with operations that count turns and say who goes round again. Nothing that the block
//! does can be seen by another thread, so each group of threads may go round as often as it needs to.

use crate::batch::compile::places::Use;
use crate::batch::compile::{Builder, fused_loops::operands};
use crate::batch::lanes::{Place, VectorOp, What, can_be_compiled};
use crate::batch::plan::{Exit, SelfLoop, Step};
use foldhash::HashSet;
use margay_isa::uop::{Int, Logic, Op, Type};

/// The places that the self-loops of a kernel share.
#[derive(Clone, Copy)]
pub(super) struct Shared {
    running: Place,
    turns: Place,
}

impl Builder<'_> {
    /// What makes a block with these steps a self-loop, if it is one.
    pub(super) fn self_loop(&mut self, b: usize, steps: &[Step], exit: &Exit) -> Option<SelfLoop> {
        let Exit::Branch { by, uniform: false, test: None, yes, no } = *exit else { return None };
        if (yes == b) == (no == b) || !self.fits_self_loop(steps) {
            return None;
        }
        let Shared { running, turns } = self.shared_by_self_loops();
        let own = |place: Place| if place == self.active { running } else { place };
        let ops = steps.iter().filter_map(|step| match step {
            Step::Vector(range) => Some(range.start as usize..range.end as usize),
            _ => None,
        });
        let mut vector_ops: Vec<VectorOp> = ops.flat_map(|range| self.vector_ops[range].to_vec()).collect();
        vector_ops.iter_mut().for_each(|op| op.from = op.from.map(own));
        let mut add = |op: Op, to: Place, a: Place, b: Place| {
            vector_ops.push(VectorOp { what: What::Op(op), to, from: [a, b, b] });
        };
        // What holds is all ones: as a number, 1 less than nothing.
        add(Op::Int32(Int::Sub), turns, turns, running);
        let again = if yes == b { Logic::And } else { Logic::AndNot };
        add(Op::Pred(again), running, running, by);
        let first = self.vector_ops.len() as u32;
        self.vector_ops.extend(vector_ops);
        Some(SelfLoop { run: first..self.vector_ops.len() as u32, running, turns })
    }

    /// Whether a block with these steps may go round by itself: there is nothing but operations, which the machine has code for, and what
    /// gives the same each time.
    fn fits_self_loop(&self, steps: &[Step]) -> bool {
        let (mut read, mut set) = (HashSet::default(), HashSet::default());
        steps.iter().all(|step| match step {
            Step::Vector(range) => {
                let ops = &self.vector_ops[range.start as usize..range.end as usize];
                read.extend(ops.iter().flat_map(operands).map(|place| place.line));
                ops.iter().all(|op| can_be_compiled(op.what))
            }
            Step::Materialize(_) => true,
            Step::Scalar(op) => {
                read.extend(operands(op).iter().map(|place| place.line));
                !read.contains(&op.to.line) && set.insert(op.to.line)
            }
            _ => false,
        })
    }

    fn shared_by_self_loops(&mut self) -> Shared {
        if let Some(shared) = self.self_loops {
            return shared;
        }
        let running = self.fresh(Type::Pred, Use::Affine);
        let turns = self.fresh(Type::U32, Use::Affine);
        *self.self_loops.insert(Shared { running, turns })
    }
}
