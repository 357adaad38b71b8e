//! Which register slots instructions read and write, and which values blocks still need.

use crate::batch::compile::cfg::{Block, Exit};
use crate::code::{Action, Callee, Code, Op, Purpose, Source, Spot, Target};

/// Calls `f` with every slot that a source reads.
pub(crate) fn source(source: &Source, f: &mut impl FnMut(u32)) {
    match source {
        Source::Register { slot, .. } => f(*slot),
        Source::Wide { slot } => {
            f(*slot);
            f(slot + 1);
        }
        Source::Constant(_) | Source::Frame(_) | Source::Special { .. } => {}
    }
}

/// Calls `f` with every slot that a target writes.
pub(crate) fn target(target: &Target, f: &mut impl FnMut(u32)) {
    match target {
        Target::Sink => {}
        Target::Register { slot, .. } => f(*slot),
        Target::Wide { slot, .. } => {
            f(*slot);
            f(slot + 1);
        }
    }
}

/// Calls `f` with every slot that an instruction reads, its guard included.
pub(crate) fn reads(op: &Op, f: &mut impl FnMut(u32)) {
    if let Some(guard) = op.guard {
        f(guard.slot);
    }
    match &op.action {
        Action::Compute(compute) => compute.sources.iter().for_each(|s| source(s, f)),
        Action::Load(load) => source(&load.address, f),
        Action::Store(store) => {
            source(&store.address, f);
            store.elements.iter().for_each(|s| source(s, f));
        }
        Action::StoreSome(store) => {
            source(&store.address, f);
            store.elements.iter().flatten().for_each(|s| source(s, f));
        }
        Action::Atomic(atomic) => {
            source(&atomic.place.address, f);
            atomic.sources.iter().for_each(|s| source(s, f));
        }
        Action::Collective(together) => {
            together.place.iter().for_each(|place| source(&place.address, f));
            together.sources.iter().for_each(|s| source(s, f));
        }
        Action::Shift(both) | Action::Equals(both) => source(&both.0, f),
        Action::TestSpace(test) => source(&test.0, f),
        Action::TestFrames(test) => [&test.address, &test.distance].into_iter().for_each(|s| source(s, f)),
        Action::Copy(copy) => {
            source(&copy.to.address, f);
            source(&copy.from.address, f);
            copy.read.iter().for_each(|s| source(s, f));
        }
        Action::MapToCta(map) => {
            source(&map.0, f);
            source(&map.1, f);
        }
        Action::TellCta(tell) => source(&tell.0, f),
        Action::Bulk(bulk) => bulk.sources().for_each(|s| source(s, f)),
        Action::Tensor(op) => op.step.sources().into_iter().for_each(|s| source(s, f)),
        Action::Texture(step) => step.sources().for_each(|s| source(s, f)),
        Action::Object(step) => step.sources().into_iter().for_each(|s| source(s, f)),
        Action::RestoreStack(from) => source(from, f),
        Action::Allocate(allocate) => source(&allocate.1, f),
        Action::BranchIndexed(branch) => source(&branch.0, f),
        Action::Call(call) => {
            call.arguments.iter().filter_map(Spot::source).for_each(|s| source(s, f));
            if let Callee::At(address, _) = &call.callee {
                source(address, f);
            }
        }
        Action::Barrier(barrier) => {
            source(&barrier.id, f);
            barrier.count.iter().for_each(|s| source(s, f));
            if let Purpose::Reduce(reduce) = &barrier.purpose {
                source(&reduce.predicate, f);
            }
        }
        Action::SaveStack(_)
        | Action::Branch(_)
        | Action::Return
        | Action::Exit
        | Action::Trap(_)
        | Action::Fence(_)
        | Action::Gate(_)
        | Action::CommitCopies(_)
        | Action::AwaitCopies(..)
        | Action::Nothing => {}
    }
}

/// Calls `f` with every slot that an instruction writes.
pub(crate) fn writes(op: &Op, f: &mut impl FnMut(u32)) {
    match &op.action {
        Action::Compute(compute) => compute.targets.iter().for_each(|t| target(t, f)),
        Action::Load(load) => load.elements.iter().for_each(|t| target(t, f)),
        Action::Atomic(atomic) => atomic.targets.iter().for_each(|t| target(t, f)),
        Action::Collective(together) => together.targets.iter().for_each(|t| target(t, f)),
        Action::Shift(both) | Action::Equals(both) => target(&both.1, f),
        Action::TestSpace(test) => target(&test.1, f),
        Action::TestFrames(test) => target(&test.target, f),
        Action::SaveStack(to) => target(to, f),
        Action::Allocate(allocate) => target(&allocate.0, f),
        Action::Call(call) => call.results.iter().for_each(|spot| {
            if let Spot::Value { target: to, .. } = spot {
                target(to, f);
            }
        }),
        Action::Barrier(barrier) => {
            if let Purpose::Reduce(reduce) = &barrier.purpose {
                target(&reduce.target, f);
            }
        }
        Action::MapToCta(map) => target(&map.2, f),
        Action::TellCta(tell) => target(&tell.1, f),
        Action::Texture(step) => step.targets.iter().for_each(|t| target(t, f)),
        Action::Object(step) => step.target().into_iter().for_each(|t| target(t, f)),
        Action::Store(_)
        | Action::StoreSome(_)
        | Action::Copy(_)
        | Action::Bulk(_)
        | Action::Tensor(_)
        | Action::RestoreStack(_)
        | Action::Branch(_)
        | Action::BranchIndexed(_)
        | Action::Return
        | Action::Exit
        | Action::Trap(_)
        | Action::Fence(_)
        | Action::Gate(_)
        | Action::CommitCopies(_)
        | Action::AwaitCopies(..)
        | Action::Nothing => {}
    }
}

/// Calls `f` with every slot that instructions of a stretch set in all threads that come to them.
pub(crate) fn sets(code: &Code, stretch: std::ops::Range<u32>, f: &mut impl FnMut(u32)) {
    for op in &code.ops[stretch.start as usize..stretch.end as usize] {
        if op.guard.is_none() {
            writes(op, f);
        }
    }
}

/// A set of small numbers.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Bits(Vec<u64>);

impl Bits {
    /// The empty set of numbers below `count`.
    pub(crate) fn new(count: usize) -> Bits {
        Bits(vec![0; count.div_ceil(64)])
    }

    pub(crate) fn has(&self, k: usize) -> bool {
        self.0[k / 64] >> (k % 64) & 1 == 1
    }

    pub(crate) fn put(&mut self, k: usize) {
        self.0[k / 64] |= 1 << (k % 64);
    }

    /// Takes away all that another has not; whether that changed anything.
    pub(crate) fn keep(&mut self, other: &Bits) -> bool {
        let mut changed = false;
        for (word, kept) in self.0.iter_mut().zip(&other.0) {
            changed |= *word & !kept != 0;
            *word &= kept;
        }
        changed
    }

    /// Takes all of another away.
    pub(crate) fn cut(&mut self, other: &Bits) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, gone)| *word &= !gone);
    }

    /// Adds all of another; whether that changed anything.
    pub(crate) fn join(&mut self, other: &Bits) -> bool {
        let mut changed = false;
        for (word, new) in self.0.iter_mut().zip(&other.0) {
            changed |= new & !*word != 0;
            *word |= new;
        }
        changed
    }

    /// Its numbers, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> {
        self.0.iter().enumerate().flat_map(|(k, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let bit = rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    64 * k + bit
                })
            })
        })
    }
}

/// For every block that `split` gave, the slots whose values it needs from before it, wherever it goes on.
pub(crate) fn live(code: &Code, blocks: &[Block]) -> Vec<Bits> {
    let slots = code.slots;
    // What a block reads before it writes, and what it surely writes.
    let (mut needs, mut gives) = (Vec::new(), Vec::new());
    for block in blocks {
        let (mut need, mut give) = (Bits::new(slots), Bits::new(slots));
        let end = match block.exit {
            // The instruction that is handed over counts too, and a barrier that threads wait at.
            Exit::Bailout(_) | Exit::Barrier(_) => block.first + 1,
            Exit::Go(_) | Exit::Branch { .. } | Exit::Indexed { .. } | Exit::End => block.end,
        };
        for pc in block.first..end {
            let op = &code.ops[pc as usize];
            let mut read = |slot: u32| {
                if !give.has(slot as usize) {
                    need.put(slot as usize);
                }
            };
            reads(op, &mut read);
            code.also_read(pc).iter().for_each(|slot| read(*slot));
            match op.guard {
                None => writes(op, &mut |slot| give.put(slot as usize)),
                // The old value stays in threads that leave the instruction out.
                Some(_) => writes(op, &mut read),
            }
        }
        // The guard of an instruction that is handed over is read before its block.
        if let Exit::Branch { guard, .. } = &block.exit
            && !give.has(guard.slot as usize)
        {
            need.put(guard.slot as usize);
        }
        needs.push(need);
        gives.push(give);
    }
    let after = |block: &Block, f: &mut dyn FnMut(usize)| {
        block.exit.each(&mut *f);
        if let Exit::Bailout(then) = &block.exit {
            then.iter().for_each(|next| f(*next));
        }
    };
    let mut live = needs;
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); blocks.len()];
    for (b, block) in blocks.iter().enumerate() {
        after(block, &mut |next| before[next].push(b));
    }
    let mut open: Vec<usize> = (0..blocks.len()).collect();
    let mut queued = vec![true; blocks.len()];
    while let Some(b) = open.pop() {
        queued[b] = false;
        let mut out = Bits::new(slots);
        after(&blocks[b], &mut |next| {
            out.join(&live[next]);
        });
        out.cut(&gives[b]);
        if live[b].join(&out) {
            for previous in &before[b] {
                if !std::mem::replace(&mut queued[*previous], true) {
                    open.push(*previous);
                }
            }
        }
    }
    live
}
