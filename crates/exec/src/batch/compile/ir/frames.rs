//! Whether an access is to frames of activations, as values.

use crate::batch::compile::ir::{BlockIr, Context, ValueId};
use crate::code::FrameTest;
use margay_isa::uop::{Cmp, Int, Logic, Op, Type};
use std::ops::Range;

impl BlockIr {
    /// [`FrameTest::holds`].
    pub(super) fn lies_in_frames(&mut self, context: &Context, test: &FrameTest) -> ValueId {
        let address = self.number(context, &test.address, 64);
        let distance = self.number(context, &test.distance, 64);
        let sum = self.with_constant(Int::Add, address, test.offset);
        let cut = self.with_constant(Int::And, sum, test.mask);
        let at = self.with_constant(Int::Sub, cut, test.window);
        let own = self.op(Op::Int64(Int::Sub), &[at, distance]);
        let mut lies = self.lies_in_parts(own, &test.current, test.size);
        if let Some(callers) = &test.callers {
            let beyond = self.with_constant(Int::Sub, at, callers.from);
            let is_before = self.op(Op::Cmp64(Cmp::LtU), &[beyond, distance]);
            let within = self.with_constant(Int::RemU, beyond, callers.step);
            let first = self.with_constant(Int::Add, within, callers.from);
            let in_parts = self.lies_in_parts(first, &callers.parts, test.size);
            let in_callers = self.op(Op::Pred(Logic::And), &[is_before, in_parts]);
            lies = self.op(Op::Pred(Logic::Or), &[lies, in_callers]);
        }
        let odd = self.with_constant(Int::And, at, test.size - 1);
        let zero = self.constant(Type::U64, 0);
        let is_aligned = self.op(Op::Cmp64(Cmp::Eq), &[odd, zero]);
        self.op(Op::Pred(Logic::And), &[lies, is_aligned])
    }

    /// Whether so many bytes from a place on lie in one of some parts.
    fn lies_in_parts(&mut self, at: ValueId, parts: &[Range<u64>], size: u64) -> ValueId {
        let mut lies = self.constant(Type::Pred, 0);
        for part in parts {
            let beyond = self.with_constant(Int::Sub, at, part.start);
            let room = self.constant(Type::U64, part.end - part.start - size + 1);
            let in_part = self.op(Op::Cmp64(Cmp::LtU), &[beyond, room]);
            lies = self.op(Op::Pred(Logic::Or), &[lies, in_part]);
        }
        lies
    }

    fn with_constant(&mut self, int: Int, value: ValueId, constant: u64) -> ValueId {
        let constant = self.constant(Type::U64, constant);
        self.op(Op::Int64(int), &[value, constant])
    }
}
