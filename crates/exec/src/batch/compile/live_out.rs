//! Which operations' results are read after the run of operations that they are in.
//!
//! What is read in the run alone need not be stored where registers hold it meanwhile. Registers' homes count as read at a
//! block's end, and by whatever may hand over to the golden engine.

use crate::batch::compile::fused_loops::{fused, operands};
use crate::batch::lanes::{Fused, Item, Place, RunKind, VectorOp, Work};
use crate::batch::plan::{
    Address, Block, Collective, Exit, FusedLoop, Home, Move, OnePass, Source, Step, Taken,
};
use foldhash::HashSet;
use std::ops::Range;

/// Bytes of a thread in a mask.
const MASK_BYTES: u32 = 4;

/// Bytes of a thread that an atomic operation touches beside the lines: addresses, what was in memory, and what is there now.
const ATOMIC_BYTES: u32 = 32;

/// The runs of operations of some blocks, and of what is done before them.
pub(super) fn lasting<'a>(
    vector_ops: &'a [VectorOp],
    prologue: &[Step],
    blocks: &[Block],
    homes: &[Home],
) -> Lasting<'a> {
    let number = |block: &Block| block.fused_loops.len() + usize::from(one_pass(block).is_some());
    let nothing = || Fused { items: Vec::new(), stores: Vec::new(), turns: false };
    let mut lasting = Lasting {
        vector_ops,
        homes: homes.iter().filter_map(line_of).collect(),
        runs: Vec::new(),
        fused_loops: std::iter::repeat_with(nothing).take(blocks.iter().map(number).sum()).collect(),
        lasts: vec![true; vector_ops.len()],
        between: HashSet::default(),
        bytes_between: 0,
    };
    for step in prologue {
        lasting.runs.extend(run_of(step).map(|run| (run, RunKind::Alone)));
    }
    for block in blocks {
        lasting.block(block);
    }
    lasting
}

/// The pass that takes all turns of a block, if one does.
fn one_pass(block: &Block) -> Option<&OnePass> {
    match &block.turn_loop.as_ref()?.taken {
        Taken::AtOnce(one_pass) => Some(one_pass),
        Taken::ByBlocks(_) => None,
    }
}

/// What is known of runs.
pub(super) struct Lasting<'a> {
    vector_ops: &'a [VectorOp],
    /// The lines of registers' homes.
    homes: HashSet<u32>,
    pub(super) runs: Vec<(Range<u32>, RunKind)>,
    /// What fused loops do, by their numbers.
    pub(super) fused_loops: Vec<Fused>,
    /// Whether each operation's result is read after its run.
    pub(super) lasts: Vec<bool>,
    /// The places of values that go from run to run in the block at hand.
    between: HashSet<Place>,
    /// The most bytes of a thread that any block works on: these, masks, and what steps keep aside.
    pub(super) bytes_between: u32,
}

impl Lasting<'_> {
    /// Notes the places that something done in one pass reads from before it, or leaves behind.
    fn note_between(&mut self, items: &[Item]) {
        let mut written = HashSet::default();
        for item in items {
            let operands = item.operands().into_iter().map(|(place, _)| place);
            self.between.extend(operands.filter(|place| !written.contains(&place.line) && !place.is_lent()));
            if item.lasts && !item.to().is_lent() {
                self.between.insert(item.to());
            }
            written.insert(item.to().line);
        }
    }

    fn block(&mut self, block: &Block) {
        let mut read = self.homes.clone();
        match &block.exit {
            Exit::Branch { by, test, .. } => {
                read.insert(by.line);
                if let Some(test) = test {
                    self.steps(&test.steps, &mut read, block, &[]);
                }
            }
            Exit::Indexed { index, .. } => {
                read.insert(index.line);
            }
            Exit::Go(_) | Exit::Barrier(_) | Exit::Wait(_) | Exit::End | Exit::Bailout => {}
        }
        self.steps(&block.steps, &mut read, block, &block.fused_loops);
        if let Some(self_loop) = &block.self_loop {
            let own = [self_loop.running.line, self_loop.turns.line];
            for k in self_loop.run.start as usize..self_loop.run.end as usize {
                let line = self.vector_ops[k].to.line;
                self.lasts[k] = own.contains(&line) || self.homes.contains(&line);
            }
            self.runs.push((self_loop.run.clone(), RunKind::SelfLoop));
        }
        if let Some(one_pass) = one_pass(block) {
            let homes = &self.homes;
            let item = |work: &Work| {
                let to = work.to();
                let is_left = || one_pass.results.iter().any(|result| result.left.line == to.line);
                let lasts = if to.stride > 0 { homes.contains(&to.line) } else { is_left() };
                Item { work: *work, lasts }
            };
            let items = one_pass.works.iter().map(item).collect();
            self.fused_loops[one_pass.number as usize] = Fused { items, stores: Vec::new(), turns: true };
        }
        let values: u32 = self.between.drain().map(|place| 4 * u32::from(place.stride)).sum();
        // Where threads part at every turn, the mask of those that run is made anew; batches were measured with room for four.
        let parts = matches!(block.exit, Exit::Branch { uniform: false, test: None, .. });
        let masks = if parts { 4 * MASK_BYTES } else { 0 };
        let atomics = block.steps.iter().any(|step| matches!(step, Step::Atomic(_)));
        let aside = if atomics { ATOMIC_BYTES } else { 0 };
        self.bytes_between = self.bytes_between.max(values + masks + aside);
    }

    /// From the last step to the first: what is read from each on.
    fn steps(&mut self, steps: &[Step], read: &mut HashSet<u32>, block: &Block, fused_loops: &[FusedLoop]) {
        for (k, step) in steps.iter().enumerate().rev() {
            let fused_loop = fused_loops.iter().find(|fused_loop| fused_loop.steps.contains(&k));
            if let Some(fused_loop) = fused_loop.filter(|fused_loop| fused_loop.steps.end == k + 1) {
                let fused = fused(fused_loop, steps, self.vector_ops, read);
                self.note_between(&fused.items);
                self.between.extend(fused.stores.iter().map(|store| store.from));
                self.fused_loops[fused_loop.number as usize] = fused;
            }
            if let Some(run) = run_of(step) {
                for k in (run.start as usize..run.end as usize).rev() {
                    let vector_op = &self.vector_ops[k];
                    self.lasts[k] = read.contains(&vector_op.to.line);
                }
                if fused_loop.is_none() {
                    let vector_ops = run.start as usize..run.end as usize;
                    let items = vector_ops
                        .map(|k| Item { work: Work::VectorOp(self.vector_ops[k]), lasts: self.lasts[k] });
                    let items: Vec<Item> = items.collect();
                    self.note_between(&items);
                }
                // Within the run, from its end to its begin: the last writer of a place is who leaves it behind.
                for k in (run.start as usize..run.end as usize).rev() {
                    let vector_op = &self.vector_ops[k];
                    read.remove(&vector_op.to.line);
                    read.extend(operands(vector_op).iter().map(|place| place.line));
                }
                let kind = if fused_loop.is_some() { RunKind::Part } else { RunKind::Alone };
                self.runs.push((run, kind));
                continue;
            }
            overwritten(step, &mut |place| {
                read.remove(&place.line);
            });
            reads(step, &mut |place| {
                read.insert(place.line);
            });
            if let Some(pc) = hands_over(step) {
                read.extend(&self.homes);
                let needed = block.sets.iter().filter(|set| (set.from..=set.until).contains(&pc));
                read.extend(needed.filter_map(|set| line_of(&set.home)));
            }
        }
    }
}

fn run_of(step: &Step) -> Option<Range<u32>> {
    match step {
        Step::Vector(run) => Some(run.clone()),
        _ => None,
    }
}

fn line_of(home: &Home) -> Option<u32> {
    match home {
        Home::At(_, place) => Some(place.line),
        // Affine values are no operation's results.
        Home::Affine(_) | Home::Nowhere | Home::Const(_) => None,
    }
}

/// The instruction that the golden engine may go on with in a step's place.
fn hands_over(step: &Step) -> Option<u32> {
    match step {
        Step::Load(load) => Some(load.pc),
        Step::Store(store) => Some(store.pc),
        Step::Atomic(atomic) => Some(atomic.place.pc),
        Step::Collective(together) => Some(together.pc),
        Step::Products(products) => Some(products.each[0].pc),
        Step::Barrier { pc, .. } | Step::Reduce { pc, .. } => Some(*pc),
        Step::Print(print) => Some(print.pc),
        Step::Vector(_)
        | Step::Scalar(_)
        | Step::Materialize(_)
        | Step::AffineOps(_)
        | Step::PeriodicOps(_)
        | Step::Aim(_)
        | Step::PerThread(_)
        | Step::TestSpace(_)
        | Step::Deferred { .. } => None,
    }
}

/// The places in which a step leaves nothing of what threads that run had there.
fn overwritten(step: &Step, written: &mut dyn FnMut(Place)) {
    match step {
        Step::Load(load) if load.guard.is_none() => load.elements.iter().flatten().copied().for_each(written),
        Step::Collective(together) if together.guard.is_none() && together.choices.is_some() => {
            together.results.iter().filter_map(|result| result.low).for_each(|(_, place)| written(place));
        }
        _ => {}
    }
}

/// The places that a step reads; affine values are no operation's results.
fn reads(step: &Step, read: &mut dyn FnMut(Place)) {
    fn moved<T>(moved: &Move<T>, read: &mut dyn FnMut(Place)) {
        moved.guard.into_iter().for_each(&mut *read);
        if let Address::Uniform(place) | Address::Varying(place) = moved.address {
            read(place);
        }
    }
    fn sources(sources: &[Source], read: &mut dyn FnMut(Place)) {
        for source in sources {
            read(source.low.1);
            source.high.iter().for_each(|(_, place)| read(*place));
        }
    }
    fn collective(together: &Collective, read: &mut dyn FnMut(Place)) {
        together.guard.into_iter().for_each(&mut *read);
        sources(&together.sources, read);
    }
    match step {
        Step::Vector(_)
        | Step::Materialize(_)
        | Step::AffineOps(_)
        | Step::PeriodicOps(_)
        | Step::Barrier { .. } => {}
        Step::Scalar(vector_op) => vector_op.from.into_iter().for_each(read),
        Step::Load(load) => moved(load, read),
        Step::Aim(store) | Step::Store(store) => {
            moved(store, read);
            store.elements.iter().for_each(|place| read(*place));
        }
        Step::Atomic(atomic) => {
            moved(&atomic.place, read);
            sources(&atomic.sources, read);
        }
        Step::PerThread(each) => sources(&each.sources, read),
        Step::Collective(together) => collective(together, read),
        Step::Products(products) => products.each.iter().for_each(|each| collective(each, read)),
        Step::Reduce { predicate, .. } | Step::Deferred { predicate, .. } => read(*predicate),
        Step::TestSpace(test) => read(test.address.low.1),
        Step::Print(print) => {
            print.guard.into_iter().for_each(&mut *read);
            [&print.format, &print.arguments].into_iter().for_each(|source| read(source.low.1));
        }
    }
}
