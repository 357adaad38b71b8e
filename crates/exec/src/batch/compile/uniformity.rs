//! Which values are the same in all threads, which are affine, and which are anything.
//!
//! A register counts by all its values together. Threads part at a branch whose predicate is not the same in all of them;
//! from then on some wait while others run. A register that is set while threads wait that need what it held before
//! cannot be the same in all threads, whatever it is set to.

use crate::batch::compile::axes::{Axes, low_bits};
use crate::batch::compile::cfg::{Block, Exit};
use crate::batch::compile::ir::{BlockIr, Step, ValueDef, ValueId};
use crate::batch::compile::liveness::Bits;
use crate::code::Update;
use margay_front::module::Space;
use margay_isa::WARP;
use margay_isa::special::SpecialValue;
use margay_isa::uop::{AffineRule, Int, Op};
use std::collections::BTreeSet;

/// How a value differs from thread to thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Uniformity {
    /// The same in all threads that run.
    Uniform,
    /// A base, plus the thread's place along each axis times a step.
    Affine,
    /// Anything in each lane, but in every warp the same, plus the warp's place along each axis times a step.
    Periodic,
    /// Anything.
    Varying,
}

/// The uniformities of a kernel's registers and values.
pub(crate) struct Uniformities {
    /// How threads lie, and how many CTAs run together, which then differ.
    pub(crate) axes: (Axes, u32),
    /// By slot.
    pub(crate) slots: Vec<Uniformity>,
    /// By block and value.
    pub(crate) values: Vec<Vec<Uniformity>>,
    /// For every block, those at which threads may wait while it runs.
    pub(crate) pending: Vec<Bits>,
    /// For every block, whether it has a barrier that all threads of a block (CTA) meet at.
    pub(crate) meets: Vec<bool>,
    /// For every block, whether threads that come to it do nothing any more but end.
    pub(crate) only_ends: Vec<bool>,
    /// For every block, the registers that it must leave as they are in threads that wait.
    pub(crate) kept: Vec<Vec<u32>>,
    /// By block and value, whether addresses alone need it, if such may be periodic.
    only_addresses: Option<Vec<Vec<bool>>>,
}

/// Finds the uniformities. `live` are the slots that each block needs from before it.
/// `axes` says how threads lie, and how many CTAs run together; `only_addresses` what addresses alone need, if such values may be periodic.
pub(crate) fn uniformities(
    blocks: &[Block],
    irs: &[BlockIr],
    live: &[Bits],
    slots: usize,
    axes: (Axes, u32),
    only_addresses: Option<Vec<Vec<bool>>>,
) -> Uniformities {
    let mut found = Uniformities {
        axes,
        slots: vec![Uniformity::Uniform; slots],
        values: irs.iter().map(|ir| vec![Uniformity::Uniform; ir.values.len()]).collect(),
        pending: Vec::new(),
        meets: irs.iter().map(meets).collect(),
        only_ends: (0..blocks.len()).map(|b| only_ends(blocks, irs, b)).collect(),
        kept: Vec::new(),
        only_addresses,
    };
    loop {
        settle(irs, &mut found);
        found.pending = pending(blocks, irs, &found.values, (&found.meets, &found.only_ends));
        found.kept = kept(irs, live, &found.pending);
        let mut changed = false;
        for slot in found.kept.iter().flatten() {
            let uniformity = &mut found.slots[*slot as usize];
            changed |= *uniformity != Uniformity::Varying;
            *uniformity = Uniformity::Varying;
        }
        if !changed {
            return found;
        }
    }
}

/// Values from registers, registers from values, until nothing changes.
fn settle(irs: &[BlockIr], found: &mut Uniformities) {
    loop {
        let mut changed = false;
        for (b, (ir, values)) in irs.iter().zip(&mut found.values).enumerate() {
            for node in 0..ir.values.len() {
                let may_repeat = found.only_addresses.as_ref().is_some_and(|only| only[b][node]);
                values[node] =
                    uniformity(ir, node as ValueId, values, &found.slots, (found.axes, may_repeat));
            }
            for (slot, node) in &ir.last {
                let (uniformity, new) = (&mut found.slots[*slot as usize], values[*node as usize]);
                if new > *uniformity {
                    *uniformity = new;
                    changed = true;
                }
            }
        }
        if !changed {
            return;
        }
    }
}

fn uniformity(
    ir: &BlockIr,
    node: ValueId,
    values: &[Uniformity],
    slots: &[Uniformity],
    (axes, may_repeat): ((Axes, u32), bool),
) -> Uniformity {
    let together = axes.1 > 1;
    let of = |node: ValueId| values[node as usize];
    match ir.values[node as usize].from {
        ValueDef::Const(_) => Uniformity::Uniform,
        ValueDef::Slot(slot) => slots[slot as usize],
        ValueDef::Special(special) => special_uniformity(special, axes),
        ValueDef::Op(op, operands) => {
            let uniformities = operands.map(of);
            let of_operands = &uniformities[..op.operands().len()];
            match operation(op, of_operands) {
                Uniformity::Uniform => Uniformity::Uniform,
                Uniformity::Affine if keeps_affine(ir, op, &operands, axes) => Uniformity::Affine,
                _ if may_repeat && repeats(ir, (op, operands), of_operands, axes) => Uniformity::Periodic,
                _ => Uniformity::Varying,
            }
        }
        ValueDef::Step(step) => match &ir.steps[step as usize].step {
            Step::Load(access, _) => match access.space {
                Some(Space::Local) | None => Uniformity::Varying,
                // Each block has its own.
                Some(Space::Shared) if together => Uniformity::Varying,
                Some(_) if of(access.address) == Uniformity::Uniform => Uniformity::Uniform,
                Some(_) => Uniformity::Varying,
            },
            Step::PerThread(each) => {
                let mut most = Uniformity::Uniform;
                each.sources.iter().for_each(|source| source.each(|node| most = most.max(of(node))));
                if most == Uniformity::Uniform { Uniformity::Uniform } else { Uniformity::Varying }
            }
            Step::TestSpace { address, .. } if of(*address) == Uniformity::Uniform => Uniformity::Uniform,
            Step::Reduce { .. } if together => Uniformity::Varying,
            Step::Reduce { .. } => Uniformity::Uniform,
            Step::Store(..)
            | Step::Atomic(_)
            | Step::Collective(_)
            | Step::Barrier
            | Step::Print { .. }
            | Step::TestSpace { .. } => Uniformity::Varying,
        },
    }
}

fn special_uniformity(special: SpecialValue, (axes, batch_size): (Axes, u32)) -> Uniformity {
    let together = batch_size > 1;
    match special {
        SpecialValue::Tid(_) => Uniformity::Affine,
        SpecialValue::Laneid if axes.divide(WARP.trailing_zeros(), batch_size) => Uniformity::Affine,
        SpecialValue::Ctaid(_) if together => Uniformity::Affine,
        SpecialValue::Smid | SpecialValue::Clusterid(_) if together => Uniformity::Varying,
        SpecialValue::Laneid
        | SpecialValue::Warpid
        | SpecialValue::LanemaskEq
        | SpecialValue::LanemaskLe
        | SpecialValue::LanemaskLt
        | SpecialValue::LanemaskGe
        | SpecialValue::LanemaskGt => Uniformity::Varying,
        _ => Uniformity::Uniform,
    }
}

fn operation(op: Op, operands: &[Uniformity]) -> Uniformity {
    use Uniformity::{Affine, Uniform, Varying};
    let most = operands.iter().copied().max().unwrap_or(Uniform);
    if most != Affine {
        return most;
    }
    let is_affine = match op.affine() {
        AffineRule::Never | AffineRule::Bitwise | AffineRule::Comparison | AffineRule::SignedField { .. } => {
            false
        }
        AffineRule::Same
        | AffineRule::Sum
        | AffineRule::Difference
        | AffineRule::SumOfThree
        | AffineRule::Widened { .. } => true,
        AffineRule::Product | AffineRule::ProductSum | AffineRule::WideProduct { .. } => {
            operands[0] == Uniform || operands[1] == Uniform
        }
        AffineRule::Shift => operands[1] == Uniform,
        AffineRule::Choice => operands[0] == Uniform,
        AffineRule::Field { .. } => true,
        AffineRule::Mask => operands.contains(&Uniform),
        AffineRule::ShiftOfPositive => operands[1] == Uniform,
    };
    if is_affine { Affine } else { Varying }
}

/// Whether an operation that parts low bits from the others mostly has affine results: if axes end there, or if nothing but zeros is
/// left, as of the sign of what has none.
fn keeps_affine(ir: &BlockIr, op: Op, operands: &[ValueId; 3], (axes, batch_size): (Axes, u32)) -> bool {
    let parts =
        matches!(op.affine(), AffineRule::Mask | AffineRule::Field { .. } | AffineRule::ShiftOfPositive);
    let is_sign = |op: Op, operands: &[ValueId; 3]| {
        matches!(op, Op::Int32(Int::Sar) if ir.known_bits(operands[1]) == Some(31))
            || matches!(op, Op::Int64(Int::Sar) if ir.known_bits(operands[1]) == Some(63))
    };
    let of_sign = matches!(ir.values[operands[0] as usize].from, ValueDef::Op(op, of) if is_sign(op, &of));
    if !parts || of_sign || is_sign(op, operands) {
        return true;
    }
    let mut any = false;
    let all = low_bits(op, &|k| ir.known_bits(operands[k])).all(|bits| {
        any = true;
        axes.divide(bits, batch_size)
    });
    any && all
}

/// Whether an operation whose result is not affine mostly has one that is periodic.
fn repeats(
    ir: &BlockIr,
    (op, operands): (Op, [ValueId; 3]),
    uniformities: &[Uniformity],
    (axes, batch_size): (Axes, u32),
) -> bool {
    use Uniformity::{Affine, Uniform, Varying};
    // What is beyond a warp's lanes differs from warp to warp.
    let ends_within = |k: usize| {
        let divides = |bits: u32| bits <= WARP.trailing_zeros() || axes.divide(bits, batch_size);
        !ir.is_place(operands[k]) || low_bits(op, &|k| ir.known_bits(operands[k])).all(divides)
    };
    let takes = match op.affine() {
        AffineRule::Never => false,
        AffineRule::Product | AffineRule::ProductSum | AffineRule::WideProduct { .. } => {
            uniformities[0] == Uniform || uniformities[1] == Uniform
        }
        AffineRule::Shift => uniformities[1] == Uniform,
        AffineRule::ShiftOfPositive => uniformities[1] == Uniform && ends_within(0),
        AffineRule::Choice => uniformities[0] != Affine,
        // Affine values mostly differ from warp to warp.
        AffineRule::Comparison => !uniformities.contains(&Affine),
        AffineRule::Field { .. } => ends_within(0),
        AffineRule::SignedField { at, length } => {
            !ir.is_place(operands[0]) || u32::from(at + length) <= WARP.trailing_zeros()
        }
        AffineRule::Mask => ends_within(0) && ends_within(1),
        AffineRule::Same
        | AffineRule::Sum
        | AffineRule::Difference
        | AffineRule::SumOfThree
        | AffineRule::Widened { .. }
        | AffineRule::Bitwise => true,
    };
    takes && !uniformities.contains(&Varying)
}

/// Whether threads may part after a block.
fn parts(block: &Block, ir: &BlockIr, values: &[Uniformity]) -> bool {
    !matches!(block.exit, Exit::Go(_) | Exit::Barrier(_))
        && ir.decides.is_some_and(|node| values[node as usize] != Uniformity::Uniform)
}

/// The blocks at which threads may wait while a block runs. Those that run are always at the first block at which any
/// are, so that others wait at later ones only, but for those that wait at a barrier, or before one for others to come: they are
/// parked there, whatever runs.
fn pending(
    blocks: &[Block],
    irs: &[BlockIr],
    values: &[Vec<Uniformity>],
    (meets, only_ends): (&[bool], &[bool]),
) -> Vec<Bits> {
    let mut found = Found {
        later: vec![Bits::new(blocks.len()); blocks.len()],
        parked: vec![Bits::new(blocks.len()); blocks.len()],
        open: BTreeSet::from([0]),
        seen: Bits::new(blocks.len()),
    };
    while let Some(b) = found.open.pop_first() {
        found.seen.put(b);
        let mut next = Vec::new();
        blocks[b].exit.each(|to| next.push(to));
        next.sort_unstable();
        next.dedup();
        // Each goal alone with those that wait already, or all at once.
        let goals = match parts(&blocks[b], &irs[b], &values[b]) {
            true => vec![next],
            false if next.is_empty() => vec![Vec::new()],
            false => next.into_iter().map(|to| vec![to]).collect(),
        };
        let at_barrier = matches!(blocks[b].exit, Exit::Barrier(_));
        let mut parked = found.parked[b].clone();
        // Threads wait before a barrier for all while others that may come to it can go on.
        if meets[b] && found.later[b].iter().any(|other| !only_ends[other]) {
            let mut parked = parked.clone();
            parked.put(b);
            found.go_on(found.later[b].clone(), &parked, meets);
        }
        if at_barrier {
            parked.put(b);
        }
        // Who comes to a barrier, changes a barrier object or ends may let those go on that wait at any.
        let mut released = Vec::new();
        if at_barrier || wakes(&irs[b]) || matches!(blocks[b].exit, Exit::End) {
            parked.iter().filter(|k| !meets[*k]).for_each(|k| blocks[k].exit.each(|to| released.push(to)));
        }
        for goal in goals {
            let mut ready = found.later[b].clone();
            goal.iter().chain(&released).for_each(|to| ready.put(*to));
            found.go_on(ready, &parked, meets);
        }
    }
    found.later.iter_mut().zip(&found.parked).for_each(|(later, parked)| {
        later.join(parked);
    });
    found.later
}

/// Where threads may wait, by the block that runs.
struct Found {
    /// The later blocks at which they do until it is those blocks' turn.
    later: Vec<Bits>,
    /// Those at barriers.
    parked: Vec<Bits>,
    /// Blocks to look at, for the first time or again.
    open: BTreeSet<usize>,
    seen: Bits,
}

impl Found {
    /// Any of the threads that are ready may be next while others are parked; where none is, those that wait before a barrier.
    fn go_on(&mut self, ready: Bits, parked: &Bits, meets: &[bool]) {
        let blocks = meets.len();
        let mut behind = Bits::new(blocks);
        let ready: Vec<usize> = ready.iter().collect();
        for runs in ready.into_iter().rev() {
            self.add(runs, &behind, parked);
            behind.put(runs);
        }
        for runs in parked.iter().filter(|k| meets[*k]) {
            let mut others = Bits::new(blocks);
            parked.iter().filter(|k| *k != runs).for_each(|k| others.put(k));
            self.add(runs, &Bits::new(blocks), &others);
        }
    }

    fn add(&mut self, runs: usize, later: &Bits, parked: &Bits) {
        if self.later[runs].join(later) | self.parked[runs].join(parked) || !self.seen.has(runs) {
            self.open.insert(runs);
        }
    }
}

/// Whether a block has a barrier that all threads of a block (CTA) meet at.
fn meets(ir: &BlockIr) -> bool {
    ir.steps.iter().any(|step| matches!(step.step, Step::Barrier | Step::Reduce { .. }))
}

/// Whether the first thing that a block does, other than to compute and to load, is to come to such a barrier.
pub(super) fn only_meets(ir: &BlockIr) -> bool {
    let is_silent =
        |step: &Step| matches!(step, Step::Load(..) | Step::TestSpace { .. } | Step::PerThread(_));
    let first = ir.steps.iter().find(|step| !is_silent(&step.step));
    first.is_some_and(|first| {
        first.guard.is_none() && matches!(first.step, Step::Barrier | Step::Reduce { .. })
    })
}

/// Whether a block changes barrier objects; copies may, which they count.
fn wakes(ir: &BlockIr) -> bool {
    let is_object =
        |step: &Step| matches!(step, Step::Atomic(atomic) if !matches!(atomic.update, Update::Page(_)));
    ir.steps.iter().any(|step| is_object(&step.step))
}

/// Whether threads that come to a block do nothing any more but end.
fn only_ends(blocks: &[Block], irs: &[BlockIr], mut b: usize) -> bool {
    for _ in 0..blocks.len() {
        match blocks[b].exit {
            _ if !irs[b].steps.is_empty() => return false,
            Exit::End => return true,
            Exit::Go(next) => b = next,
            _ => return false,
        }
    }
    false
}

/// The registers that blocks set while threads wait that need what they held.
fn kept(irs: &[BlockIr], live: &[Bits], pending: &[Bits]) -> Vec<Vec<u32>> {
    let kept = |(ir, pending): (&BlockIr, &Bits)| {
        let needed = |slot: &u32| pending.iter().any(|other| live[other].has(*slot as usize));
        let mut slots: Vec<u32> = ir.last.keys().copied().filter(needed).collect();
        slots.sort_unstable();
        slots
    };
    irs.iter().zip(pending).map(kept).collect()
}
