//! A product of a warpgroup as what is read from shared memory, and products of a warp.

use super::{BlockIr, Collective, Context, Operand, Outcome, Step, ValueId};
use crate::code::{Deed, Members, Source, Together};
use margay_isa::Warpgroup;
use margay_isa::uop::{Int, Logic, Op, Type};
use std::sync::Arc;

impl BlockIr {
    /// The step that reads may fail. Those that multiply come after it, for the same lanes, and do not: so D is changed by all or by none.
    pub(super) fn warpgroup(
        &mut self,
        context: &Context,
        at: (Option<ValueId>, u32),
        together: &Together,
        product: &Arc<Warpgroup>,
    ) {
        let (sums, rest) = together.sources.split_at(product.sums());
        let sources = rest.iter().map(|source| self.bits(context, source)).collect();
        let (of_a, of_block) = product.factors();
        let read = of_a + product.blocks() * of_block;
        let factors = self.whole_warp(at, together, Deed::Factors(product.clone()), sources, read);
        let (shared, of_b) = factors.split_at(of_a);
        let a = if of_a > 0 { shared.to_vec() } else { self.a_in_registers(context, rest, product) };
        let adds = self.adds(context, rest, product);
        let none = self.constant(Type::U32, 0);
        let each = product.sums_of_block();
        let blocks = of_b.chunks(of_block).zip(sums.chunks(each)).zip(together.targets.chunks(each));
        for ((b, sums), targets) in blocks {
            let sums: Vec<ValueId> = sums.iter().map(|sum| self.number(context, sum, 32)).collect();
            let sums = sums.into_iter().map(|sum| self.op(Op::Select(Type::U32), &[adds, sum, none]));
            let sums: Vec<ValueId> = sums.collect();
            let sources = a.iter().chain(b).chain(&sums).map(|node| Operand::One(*node)).collect();
            let deed = Deed::Whole(product.product().clone());
            let results = self.whole_warp(at, together, deed, sources, each);
            for (target, result) in targets.iter().zip(results) {
                self.write_outcome(context, at.0, target, Outcome::One(result));
            }
        }
    }

    /// A step of whole warps that gives so many words.
    fn whole_warp(
        &mut self,
        (guard, pc): (Option<ValueId>, u32),
        together: &Together,
        deed: Deed,
        sources: Vec<Operand>,
        count: usize,
    ) -> Vec<ValueId> {
        let words: Vec<ValueId> = (0..count).map(|_| self.fresh(Type::U32)).collect();
        let results = words.iter().map(|word| Outcome::One(*word)).collect();
        let (inst, members) = (together.inst, Members::All);
        let step = Collective { inst, deed, gather: None, sources, results, members, memory: None };
        self.step(guard, pc, Step::Collective(Box::new(step)));
        words
    }

    /// The registers of A, negated if an operand says so.
    fn a_in_registers(&mut self, context: &Context, rest: &[Source], product: &Warpgroup) -> Vec<ValueId> {
        let signs = match product.scale_a().map(|k| &rest[k]) {
            Some(Source::Constant(scale)) => product.signs(*scale as u64),
            _ => 0,
        };
        let signs = self.constant(Type::U32, signs);
        let registers: Vec<ValueId> =
            rest[..A_REGISTERS].iter().map(|source| self.number(context, source, 32)).collect();
        registers.into_iter().map(|a| self.op(Op::Int32(Int::Xor), &[signs, a])).collect()
    }

    /// Whether D is added.
    fn adds(&mut self, context: &Context, rest: &[Source], product: &Warpgroup) -> ValueId {
        let scale = self.number(context, &rest[product.scale_d()], 1);
        let inverted = self.constant(Type::Pred, u64::from(!product.adds(1)));
        self.op(Op::Pred(Logic::Xor), &[scale, inverted])
    }
}

/// Registers of a warp's part of A.
const A_REGISTERS: usize = 4;
