//! Instructions as values and steps.

use crate::batch::compile::ir::{
    Access, Atomic, BlockIr, Collective, Context, Memory, Operand, Outcome, PerThread, Step, ValueId,
};
use crate::batch::compile::liveness;
use crate::code::{
    Action, Compute, Copied, Deed, ObjectStep, Purpose, Source, Spot, TextureStep, Transfer, Update,
};
use margay_front::module::Space;
use margay_isa::uop::{Cmp, Def, Emit, Int, Logic, Op, Type};
use margay_isa::{Inst, Semantics, Whole};
use std::sync::Arc;

impl BlockIr {
    pub(super) fn instruction(&mut self, context: &Context, pc: u32) {
        self.pc = pc;
        let op = &context.code.ops[pc as usize];
        if matches!(op.action, Action::Branch(_) | Action::BranchIndexed(_) | Action::Return | Action::Exit) {
            return;
        }
        let guard = op.guard.map(|guard| self.guard_value(context, guard));
        // Everything that the instruction reads is needed up to here, whatever becomes of it.
        let mut read = std::mem::take(&mut self.room);
        read.clear();
        liveness::reads(op, &mut |slot| read.push(self.slot(context, slot)));
        context.code.also_read(pc).iter().for_each(|slot| read.push(self.slot(context, *slot)));
        let steps = self.steps.len();
        self.action(context, guard, pc);
        // A step that hands over comes behind what computes its address, which must not take a register's place.
        if self.steps.len() > steps {
            let last = self.items.len() as u32 - 1;
            read.iter().for_each(|node| self.read[*node as usize] = last);
        }
        self.room = read;
    }

    fn action(&mut self, context: &Context, guard: Option<ValueId>, pc: u32) {
        let op = &context.code.ops[pc as usize];
        match &op.action {
            Action::Compute(compute) => self.compute(context, guard, pc, compute),
            Action::Shift(shift) => {
                let (source, target, difference) = &**shift;
                let from = self.number(context, source, 64);
                let difference = self.constant(Type::U64, *difference);
                let sum = self.op(Op::Int64(Int::Add), &[from, difference]);
                self.write(context, guard, target, sum, 64);
            }
            Action::Equals(equals) => {
                let (source, target, wanted) = &**equals;
                let from = self.number(context, source, 64);
                let wanted = self.constant(Type::U64, *wanted);
                let same = self.op(Op::Cmp64(Cmp::Eq), &[from, wanted]);
                self.write(context, guard, target, same, 1);
            }
            Action::TestSpace(test) => {
                let (source, target, space, _) = &**test;
                let address = self.number(context, source, 64);
                let lies = match space {
                    Space::Global | Space::Const => {
                        let (to, is_global) = (self.fresh(Type::Pred), *space == Space::Global);
                        self.step(guard, pc, Step::TestSpace { is_global, address, to });
                        to
                    }
                    Space::Shared | Space::Local | Space::Param => self.lies_in(context, address, *space),
                };
                self.write(context, guard, target, lies, 1);
            }
            Action::TestFrames(test) => {
                let lies = self.lies_in_frames(context, test);
                self.write(context, guard, &test.target, lies, 1);
            }
            Action::Load(load) => {
                let access = self.access(context, load);
                let ty = if access.bytes == 8 { Type::U64 } else { Type::U32 };
                let halves = if load.bytes == 16 { 2 } else { 1 };
                let nodes: Vec<ValueId> = (0..load.elements.len() * halves).map(|_| self.fresh(ty)).collect();
                nodes.iter().for_each(|node| self.know_element(*node, access.bytes));
                self.step(guard, pc, Step::Load(access, nodes.clone()));
                for (target, nodes) in load.elements.iter().zip(nodes.chunks(halves)) {
                    match nodes {
                        [node] => self.write(context, guard, target, *node, 8 * load.bytes),
                        _ => self.write_outcome(context, guard, target, Outcome::Two(nodes[0], nodes[1])),
                    }
                }
            }
            Action::Store(store) => {
                let access = self.access(context, store);
                let ty = if access.bytes == 8 { Type::U64 } else { Type::U32 };
                let mut nodes = Vec::new();
                for source in &store.elements {
                    match self.bits(context, source) {
                        Operand::One(node) => {
                            nodes.push(self.cast(node, ty));
                            if store.bytes == 16 {
                                nodes.push(self.constant(ty, 0));
                            }
                        }
                        Operand::Two(low, high) => {
                            nodes.push(low);
                            if store.bytes == 16 {
                                nodes.push(high);
                            }
                        }
                    }
                }
                self.step(guard, pc, Step::Store(access, nodes));
            }
            Action::Atomic(atomic) => {
                let access = self.access(context, &atomic.place);
                let sources = atomic.sources.iter().map(|s| self.bits(context, s)).collect();
                let olds: Vec<Outcome> = atomic.targets.iter().map(|target| self.outcome(target)).collect();
                let (inst, update) = (atomic.inst, Update::Page(atomic.function));
                let access = Access { size: atomic.place.size() as u32, bytes: atomic.place.bytes, ..access };
                let step = Atomic { inst, update, access, sources, olds: olds.clone() };
                self.step(guard, pc, Step::Atomic(Box::new(step)));
                for (target, old) in atomic.targets.iter().zip(olds) {
                    self.write_outcome(context, guard, target, old);
                }
            }
            Action::Object(step) => self.object(context, guard, pc, step),
            Action::Bulk(bulk) => {
                let place = bulk.object.as_ref().unwrap_or(&bulk.to);
                let sources = bulk.sources().collect();
                self.copied(context, (guard, pc), Copied::Bulk(bulk.clone()), (bulk.inst, place), sources);
            }
            Action::Tensor(op) => {
                let (place, sources) = (op.step.place(), op.step.sources());
                self.copied(context, (guard, pc), Copied::Tensor(op.clone()), (op.inst, place), sources);
            }
            Action::Texture(texture) => self.texture(context, (guard, pc), texture),
            Action::Collective(together)
                if let Deed::Warpgroup(product) = &together.deed
                    && matches!(product.product(), Whole::Product(_)) =>
            {
                self.warpgroup(context, (guard, pc), together, product);
            }
            Action::Collective(together) => {
                let mut sources: Vec<Operand> =
                    together.sources.iter().map(|s| self.bits(context, s)).collect();
                let memory = together.place.as_ref().map(|place| {
                    sources.push(Operand::One(self.access(context, place).address));
                    Memory { space: place.space, mask: place.mask }
                });
                let results: Vec<Outcome> = together.targets.iter().map(|t| self.narrow_outcome(t)).collect();
                let (inst, deed, members) = (together.inst, together.deed.clone(), together.members);
                let gather = inst.gather(context.semantics);
                let step =
                    Collective { inst, deed, gather, sources, results: results.clone(), members, memory };
                self.step(guard, pc, Step::Collective(Box::new(step)));
                for (target, outcome) in together.targets.iter().zip(results) {
                    self.write_outcome(context, guard, target, outcome);
                }
            }
            Action::Barrier(barrier) => match &barrier.purpose {
                Purpose::Reduce(reduce) => {
                    let predicate = self.number(context, &reduce.predicate, 1);
                    let wanted = self.constant(Type::Pred, u64::from(reduce.holds_if == 0));
                    let predicate = self.op(Op::Pred(Logic::Xor), &[predicate, wanted]);
                    let to = self.fresh(Type::U32);
                    let operation = reduce.operation;
                    self.step(guard, pc, Step::Reduce { operation, predicate, to });
                    self.write(context, guard, &reduce.target, to, 32);
                }
                Purpose::Arrive | Purpose::Wait => self.step(guard, pc, Step::Barrier),
            },
            Action::Call(call) => {
                // Other engines make the rest.
                let Some(given) = call.printing() else { return };
                let [format, arguments] = given.map(|source| self.number(context, source, 64));
                let to = self.fresh(Type::U32);
                self.step(guard, pc, Step::Print { format, arguments, to });
                if let Some(Spot::Value { target, .. }) = call.results.first() {
                    self.write(context, guard, target, to, 32);
                }
            }
            // Other engines carry these out, or they are the block's end.
            Action::Copy(_)
            | Action::Gate(_)
            | Action::MapToCta(_)
            | Action::TellCta(_)
            | Action::StoreSome(_)
            | Action::SaveStack(_)
            | Action::RestoreStack(_)
            | Action::Allocate(_)
            | Action::Branch(_)
            | Action::BranchIndexed(_)
            | Action::Return
            | Action::Exit
            | Action::Trap(_)
            | Action::Fence(_)
            | Action::CommitCopies(_)
            | Action::AwaitCopies(..)
            | Action::Nothing => {}
        }
    }

    /// Copies that a thread begins; `place` is one that it changes.
    fn copied(
        &mut self,
        context: &Context,
        (guard, pc): (Option<ValueId>, u32),
        copied: Copied,
        (inst, place): (Inst, &Transfer<()>),
        sources: Vec<&Source>,
    ) {
        let access = self.access(context, place);
        let sources = sources.into_iter().map(|source| self.bits(context, source)).collect();
        let step = Atomic { inst, update: Update::Copied(copied), access, sources, olds: Vec::new() };
        self.step(guard, pc, Step::Atomic(Box::new(step)));
    }

    /// What a thread does with a texture or a surface; the address is the handle.
    fn texture(
        &mut self,
        context: &Context,
        (guard, pc): (Option<ValueId>, u32),
        texture: &Arc<TextureStep>,
    ) {
        let access = self.access(context, &texture.handle);
        let sampler =
            texture.sampler.iter().map(|sampler| Operand::One(self.access(context, sampler).address));
        let mut sources: Vec<Operand> = sampler.collect();
        sources.extend(texture.given.iter().map(|source| self.bits(context, source)));
        let olds: Vec<Outcome> = texture.targets.iter().map(|target| self.narrow_outcome(target)).collect();
        let (inst, update) = (texture.inst, Update::Texture(texture.clone()));
        let step = Atomic { inst, update, access, sources, olds: olds.clone() };
        self.step(guard, pc, Step::Atomic(Box::new(step)));
        for (target, old) in texture.targets.iter().zip(olds) {
            self.write_outcome(context, guard, target, old);
        }
    }

    fn object(&mut self, context: &Context, guard: Option<ValueId>, pc: u32, step: &ObjectStep) {
        // A look is the block's end.
        let Some(change) = step.change.change() else { return };
        let access = self.access(context, &step.place);
        let sources = step.change.numbers().into_iter().map(|s| self.bits(context, s)).collect();
        let olds: Vec<Outcome> = step.target().iter().map(|target| self.outcome(target)).collect();
        let update = Update::Object(change);
        let object = Atomic { inst: step.inst, update, access, sources, olds: olds.clone() };
        self.step(guard, pc, Step::Atomic(Box::new(object)));
        for (target, old) in step.target().into_iter().zip(olds) {
            self.write_outcome(context, guard, target, old);
        }
    }

    fn access<T>(&mut self, context: &Context, transfer: &Transfer<T>) -> Access {
        let address = if transfer.mask == u64::from(u32::MAX) {
            // Cut to 32 bits, the sum is the same in 32 bits; so it stays even where it was.
            let base = self.number(context, &transfer.address, 32);
            let offset = self.constant(Type::U32, transfer.offset);
            let sum = self.op(Op::Int32(Int::Add), &[base, offset]);
            self.cast(sum, Type::U64)
        } else {
            let base = self.number(context, &transfer.address, 64);
            let offset = self.constant(Type::U64, transfer.offset);
            let sum = self.op(Op::Int64(Int::Add), &[base, offset]);
            let mask = self.constant(Type::U64, transfer.mask);
            if transfer.mask == u64::MAX { sum } else { self.op(Op::Int64(Int::And), &[sum, mask]) }
        };
        let size = transfer.bytes * transfer.elements.len().max(1) as u32;
        let is_weak = !transfer.strength.strong;
        Access { space: transfer.space, address, bytes: transfer.bytes.min(8), size, is_weak }
    }

    fn compute(&mut self, context: &Context, guard: Option<ValueId>, pc: u32, compute: &Compute) {
        let narrow = compute.source_bits.iter().chain(&compute.target_bits).all(|bits| *bits <= 64);
        if let Some(semantics) = compute.semantics.filter(|_| narrow)
            && self.lowered(context, guard, compute, semantics)
        {
            return;
        }
        let sources = compute.sources.iter().map(|s| self.bits(context, s)).collect();
        let results: Vec<Outcome> = compute.targets.iter().map(|t| self.outcome(t)).collect();
        let (inst, function) = (compute.inst, compute.function);
        self.step(
            guard,
            pc,
            Step::PerThread(Box::new(PerThread { inst, function, sources, results: results.clone() })),
        );
        for ((target, outcome), bits) in compute.targets.iter().zip(results).zip(&compute.target_bits) {
            match outcome {
                Outcome::One(node) => self.write(context, guard, target, node, *bits),
                other => self.write_outcome(context, guard, target, other),
            }
        }
    }

    /// Adds the instruction as micro-ops; `false` if it has none.
    fn lowered(
        &mut self,
        context: &Context,
        guard: Option<ValueId>,
        compute: &Compute,
        semantics: Semantics,
    ) -> bool {
        let sources: Vec<ValueId> = compute
            .sources
            .iter()
            .zip(&compute.source_bits)
            .map(|(source, bits)| self.number(context, source, *bits))
            .collect();
        let given: Vec<(Type, Option<u64>)> =
            sources.iter().map(|node| (self.ty(*node), self.known_bits(*node))).collect();
        let mut emit = Emit::new(&given);
        if !compute.inst.lower(semantics, &mut emit) {
            return false;
        }
        // By value of the lowering.
        let mut wanted = vec![false; emit.count()];
        let mut nodes: Vec<ValueId> = vec![0; emit.count()];
        let mut needed: Vec<_> = emit.results().to_vec();
        while let Some(val) = needed.pop() {
            if !std::mem::replace(&mut wanted[val.index()], true)
                && let Def::Op(op, operands) = emit.def(val)
            {
                needed.extend(&operands[..op.operands().len()]);
            }
        }
        for (val, ty, def) in emit.values().filter(|(val, ..)| wanted[val.index()]) {
            let node = match def {
                Def::Source(k) => sources[k],
                Def::Const(bits) => self.constant(ty, bits),
                Def::Op(op, operands) => {
                    // A lowering's values come before what is made of them.
                    let operands = operands.map(|operand| nodes[operand.index()]);
                    self.op(op, &operands[..op.operands().len()])
                }
            };
            nodes[val.index()] = node;
        }
        let results = emit.results();
        // One result may have several targets.
        for (k, (target, bits)) in compute.targets.iter().zip(&compute.target_bits).enumerate() {
            if let Some(val) = results.get(k).or(results.first()) {
                self.write(context, guard, target, nodes[val.index()], *bits);
            }
        }
        true
    }

    fn lies_in(&mut self, context: &Context, address: ValueId, space: Space) -> ValueId {
        let layout = context.layout;
        let window = match space {
            Space::Shared => layout.shared,
            Space::Local => layout.local,
            // Memory tells of the others.
            Space::Param | Space::Const | Space::Global => layout.param,
        };
        let base = self.constant(Type::U64, window.base);
        let offset = self.op(Op::Int64(Int::Sub), &[address, base]);
        let bytes = self.constant(Type::U64, crate::memory::Window::BYTES);
        self.op(Op::Cmp64(Cmp::LtU), &[offset, bytes])
    }
}
