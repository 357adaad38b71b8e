//! A block of threads at work: block after block of the plan, all threads that are there at once.

mod access;
mod activation;
mod affine;
mod atomic;
mod bailout;
mod barrier;
mod barriers;
mod collective;
mod copied;
mod copies;
mod count;
mod counted_loop;
mod divergence;
mod few;
mod found;
mod fused_loop;
mod local_row;
mod masked;
mod object;
mod part;
mod per_thread;
mod periodic;
pub(super) mod pool;
mod print;
mod profile;
mod rooms;
mod self_loop;
mod space_test;
mod strided;
mod sums;
mod tensor_memory;
mod texture;
mod tiled_loop;
mod turn_count;
mod turn_loop;
mod vectors;
mod warpgroup;
mod whole;

use crate::batch::affine::{AffineValue, Patterns};
use crate::batch::lanes::{Lines, Place, Source as LoadSource, VectorOp, What};
use crate::batch::plan::{Block, Exit, Plan, Source, Step, Target};
use crate::batch::run::barriers::Barriers;
use crate::batch::run::rooms::{AffineRegister, FoundStore, Left, Room, RowCopy, TurnLoops, Turns};
use crate::golden::{self, special};
use crate::launch::Job;
use crate::memory::AlignedWords;
use crate::output::Output;
use crate::profile::Tally;
use crate::tensor_memory::TensorMemory;
use crate::trap::Trap;
use margay_isa::special::SpecialValue;
use margay_isa::uop::{Type, eval};
use margay_isa::{Bits, WARP};
use std::sync::atomic::Ordering::Relaxed;

/// So many blocks are run while threads wait before it is taken for waiting for each other, where that may be.
pub(super) const STALL_LIMIT: u32 = 1 << 8;
/// The same in a grid whose blocks wait for each other: then threads mostly wait for one that waits for other blocks (CTAs), which
/// have their turn each time that so many blocks have run.
pub(super) const GRID_STALL_LIMIT: u32 = 1 << 14;
const GRID_TURN: u32 = 1 << 3;
/// So many blocks are run while all others have come to a barrier before it is taken for waiting for other blocks (CTAs), which then
/// have their turn each time that so many more have run.
const ALONE_LIMIT: u32 = 1 << 8;
const ALONE_TURN: u32 = 1 << 5;

/// Some blocks (CTAs) at a time, often one; their storage is used again for the next.
pub(crate) struct Cta<'a> {
    pub(super) job: &'a Job<'a>,
    pub(super) plan: &'a Plan,
    /// The first block that runs, and how many do.
    pub(super) index: u64,
    pub(super) count: u64,
    /// Threads of these blocks together.
    pub(super) threads: usize,
    pub(super) lines: Lines<'a>,
    affine_values: Vec<AffineRegister>,
    /// What lanes have of those that are periodic.
    patterns: Box<Patterns>,
    /// Shared memory, block (CTA) after block.
    pub(super) shared: AlignedWords,
    /// Local memory: for every 8 bytes of a thread's, the words of all threads.
    pub(super) local: AlignedWords,
    /// The block of the plan that is next.
    pub(super) at: usize,
    /// Threads that are in the mask of those that run.
    pub(super) active: usize,
    /// Threads that wait, by the block where they do: the first first, then those at barriers.
    pub(super) pending: Vec<Pending>,
    /// Room for such bits.
    pub(super) pool: Vec<Vec<u32>>,
    /// Who has come to the barriers.
    barriers: Barriers,
    /// By block (CTA), once any has used it.
    tensor_memories: Vec<TensorMemory>,
    /// Blocks that have run while the same threads waited.
    pub(super) patience: u32,
    /// Blocks that have run while threads waited before a barrier for others to come.
    pub(super) held_for: u32,
    /// Whether the turn ended because they seem to wait for other blocks (CTAs).
    waits: bool,
    /// How many blocks have been run while all others had come to a barrier.
    alone: u32,
    pub(super) steps: u64,
    /// Steps of the block at hand that it turns out not to take, while they are held.
    unused: Option<u64>,
    /// Of the operations that the block skips, so many have been executed late where they were needed.
    pub(super) rematerialized: usize,
    pub(super) hint: usize,
    /// For every load and store, the allocation that it found last.
    pub(super) hints: Vec<usize>,
    /// Where the loads of a fused loop find their elements: the address and the memory.
    pub(super) late: Vec<AffineValue>,
    pub(super) sources: Vec<LoadSource>,
    /// Where it stores.
    stores: Vec<FoundStore>,
    /// Whether the next store has been made by an operation.
    pub(super) aimed: bool,
    /// Elements of loads that stores will copy.
    left: Vec<Left>,
    /// Room for their addresses.
    address_rooms: Vec<Vec<u64>>,
    /// Copies that are sunk into a pass, and whether those that come are.
    sunk: Vec<RowCopy>,
    sinks: bool,
    /// Whether the prologue could not be carried out.
    broken: bool,
    /// Room for which threads take part in a step, a bit each, and for what was in memory before it.
    pub(super) chosen: Vec<u32>,
    pub(super) olds: Vec<u64>,
    /// Room for what whole warps move.
    room: Room,
    /// Turns of a counted loop that are looked at as one; else 1.
    turns: u32,
    turns_room: Turns,
    turn_loops: TurnLoops,
    /// What is the same in all threads, by lines, in the turns that are looked at as one, if it grows alike from turn to turn.
    turn_uniforms: Vec<(u32, Option<AffineValue>)>,
    /// Room for addresses in the shared memory of several blocks.
    pub(super) addresses: Vec<u64>,
    /// What each of the blocks has printed, if they can.
    outputs: Vec<Output>,
    /// The engine that goes on with each of the blocks, and whether it does.
    pub(super) golden: Vec<golden::Cluster<'a>>,
    pub(super) handed: bool,
    /// The block that the golden engine runs, of those.
    pub(super) current: usize,
    /// What the launch is counted with, if it is.
    pub(super) tally: Option<Box<Tally<'a>>>,
}

pub(super) struct Pending {
    pub(super) block: usize,
    /// Whether they wait at the barrier there, or before it, for others: they stand behind all that can go on.
    pub(super) came: bool,
    pub(super) count: usize,
    /// For every warp, a bit for each of its threads that waits here.
    pub(super) bits: Vec<u32>,
}

/// The golden engine must go on, with this instruction.
pub(super) struct Bailout {
    pub(super) pc: u32,
}

impl<'a> Cta<'a> {
    pub(crate) fn new(job: &'a Job<'a>, plan: &'a Plan) -> Cta<'a> {
        let pool = plan.pool.take();
        let is_fresh = pool.is_none();
        let mut lines = Lines::new(&plan.vector_ops, job.simd, pool);
        for (ty, place, bits) in plan.constants.iter().filter(|_| is_fresh) {
            lines.set(*ty, *place, 0, *bits);
        }
        let own = u64::from(job.threads);
        let threads = (own * u64::from(plan.batch_size)) as usize;
        for (ty, place, value) in plan.specials.iter().filter(|(_, place, _)| is_fresh || place.stride == 0) {
            for t in 0..if place.stride == 0 { 1 } else { threads } {
                let (thread, index) = (job.block.at(t as u64 % own), (t as u64 % own) as u32);
                let bits = special(job, *value, job.grid.at(0), thread, index, 0);
                lines.set(*ty, *place, t, bits);
            }
        }
        let nothing = AffineRegister {
            affine: AffineValue::uniform(0),
            is_affine: true,
            pattern: None,
            is_materialized: false,
        };
        let mut affine_values = vec![nothing; plan.affine_values.len()];
        for (id, bits) in &plan.affine_constants {
            affine_values[*id as usize].affine = AffineValue::uniform(*bits);
        }
        for (id, value) in &plan.places {
            let [x, y, z] = match value {
                SpecialValue::Tid(axis) => plan.axes.steps[usize::from(*axis)],
                SpecialValue::Laneid => plan.axes.lane(),
                _ => continue,
            };
            affine_values[*id as usize].affine = AffineValue { base: 0, steps: [x, y, z, 0] };
        }
        let shared_words = job.ready.frame.shared_bytes.div_ceil(8) as usize;
        let local_words = plan.origins.local_bytes().div_ceil(8) as usize;
        let mut cta = Cta {
            job,
            plan,
            index: 0,
            count: 1,
            threads: job.threads as usize,
            lines,
            affine_values,
            patterns: plan.patterns.take().unwrap_or_else(|| Box::new(Patterns::new())),
            shared: AlignedWords::zeroed(plan.batch_size as usize, shared_words),
            local: AlignedWords::zeroed(1, local_words * threads),
            at: 0,
            active: 0,
            pending: Vec::new(),
            pool: Vec::new(),
            barriers: Barriers::default(),
            tensor_memories: Vec::new(),
            patience: 0,
            held_for: 0,
            waits: false,
            alone: 0,
            steps: 0,
            unused: None,
            rematerialized: 0,
            hint: 0,
            hints: vec![0; plan.sites as usize],
            late: Vec::new(),
            sources: Vec::new(),
            stores: Vec::new(),
            aimed: false,
            left: Vec::new(),
            address_rooms: Vec::new(),
            sunk: Vec::new(),
            sinks: false,
            broken: false,
            chosen: Vec::new(),
            olds: Vec::new(),
            room: Room::default(),
            turns: 1,
            turns_room: Turns::default(),
            turn_loops: TurnLoops::default(),
            turn_uniforms: Vec::new(),
            addresses: Vec::new(),
            outputs: Vec::new(),
            golden: Vec::new(),
            handed: false,
            current: 0,
            tally: Tally::of(job.profile.as_ref(), job.counted()),
        };
        // Its steps are for all threads.
        cta.active = cta.threads;
        let has_room = plan.origins.stack_bytes() <= job.storage.stack_limit;
        cta.broken = !has_room || plan.prologue.iter().any(|step| cta.step(step).is_err());
        cta
    }

    /// The first block that runs, or ran last.
    pub(crate) fn index(&self) -> u64 {
        self.index
    }

    /// How many blocks run together.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// The block that ends with a trap, if one does.
    pub(crate) fn current(&self) -> u64 {
        self.index + self.current as u64
    }

    /// Steps of these blocks.
    pub(crate) fn steps(&self) -> u64 {
        let golden = self.golden.iter().take(self.count as usize).map(|golden| golden.steps());
        if self.handed { golden.sum() } else { self.steps }
    }

    /// Whether the golden engine goes on with these blocks.
    pub(crate) fn was_handed_over(&self) -> bool {
        self.handed
    }

    /// What a block printed, by its number among those that ran together.
    pub(crate) fn printed(&mut self, member: u64) -> Vec<u8> {
        match (self.golden.get_mut(member as usize), self.outputs.get_mut(member as usize)) {
            (Some(golden), _) if self.handed => golden.printed(0),
            (_, Some(output)) => output.take(),
            _ => Vec::new(),
        }
    }

    /// Whether these blocks may have printed.
    pub(crate) fn may_have_printed(&self) -> bool {
        self.handed || self.plan.prints
    }

    /// Makes ready for `count` blocks from `index` on.
    pub(crate) fn start(&mut self, index: u64, count: u64) {
        (self.index, self.count) = (index, count);
        self.threads = (count * u64::from(self.job.threads)) as usize;
        self.clear_memory();
        let plan = self.plan;
        for (ty, place, value) in plan.specials.iter().filter(|(.., value)| tells_blocks_apart(*value)) {
            for t in 0..if place.stride == 0 { 1 } else { self.threads } {
                let block = self.job.grid.at(index + t as u64 / u64::from(self.job.threads));
                let bits = special(self.job, *value, block, self.job.block.at(0), 0, 0);
                self.lines.set(*ty, *place, t, bits);
            }
        }
        for (ty, place) in &plan.zero {
            match ty {
                Type::U64 => self.lines.u64s_mut(*place).fill(0),
                Type::Pred | Type::U32 => self.lines.u32s_mut(*place).fill(0),
            }
        }
        for id in &plan.zero_affines {
            self.affine_values[*id as usize] = AffineRegister {
                affine: AffineValue::uniform(0),
                is_affine: true,
                pattern: None,
                is_materialized: false,
            };
        }
        for (id, value) in &plan.places {
            if let SpecialValue::Ctaid(axis) = value {
                self.place_blocks(*id, *axis);
            }
        }
        self.pool.extend(self.pending.drain(..).map(|pending| pending.bits));
        self.active = self.threads;
        let mut bits = self.pool.pop().unwrap_or_default();
        part::set_first(&mut bits, self.threads, self.lines.running().len());
        let before = self.run_those(bits);
        self.pool.push(before);
        self.at = 0;
        self.left.clear();
        self.turn_loops.begin();
        self.outputs.clear();
        self.outputs.resize_with(if plan.prints { count as usize } else { 0 }, Output::default);
        self.barriers.begin(plan.parks, count, self.job.threads);
        (self.patience, self.held_for) = (0, 0);
        self.steps = 0;
        self.handed = false;
        self.current = 0;
    }

    /// Whether the turn ended early, for others to do what is waited for.
    pub(crate) fn waits(&self) -> bool {
        self.waits
    }

    /// Goes on with the blocks until they end, have taken at least so many steps more, seem to wait for others, or `abandoned`
    /// says that nobody wants them any more. Whether they have ended.
    pub(crate) fn advance(&mut self, steps: u64, abandoned: &dyn Fn() -> bool) -> Result<bool, Box<Trap>> {
        let end = self.steps().saturating_add(steps);
        // Looked at first, and then now and then: turns of many threads take few blocks each.
        let mut runs = u32::from(u8::MAX);
        self.waits = false;
        while !self.handed {
            if self.active == 0 {
                return Ok(true);
            }
            runs = runs.wrapping_add(1);
            if runs.is_multiple_of(256) && (abandoned() || self.is_cancelled()) {
                if self.is_cancelled() {
                    self.hand_over(self.plan.blocks[self.at].first, None);
                    break;
                }
                return Ok(true);
            }
            if self.steps >= end || self.waits {
                return Ok(false);
            }
            self.block();
        }
        let mut left = end.saturating_sub(self.steps());
        while self.current < self.count as usize {
            let golden = &mut self.golden[self.current];
            let before = golden.steps();
            if left == 0 || !golden.advance(left, abandoned)? {
                return Ok(false);
            }
            left = left.saturating_sub(golden.steps() - before);
            if self.current + 1 == self.count as usize {
                break;
            }
            self.current += 1;
        }
        Ok(true)
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.job.cancel.is_some_and(|cancel| cancel.load(Relaxed))
    }

    /// Runs the next block of the plan.
    fn block(&mut self) {
        let plan = self.plan;
        let block = &plan.blocks[self.at];
        if block.meets && self.others_can_come() {
            return self.wait_for_others();
        }
        #[cfg(debug_assertions)]
        self.judge_pending(block);
        if block.reads_mask {
            self.lines.update_mask(plan.active);
        }
        if let Some(self_loop) = &block.self_loop
            && self.may_go_round()
        {
            return self.self_loop(block, self_loop);
        }
        if let Some(turn_loop) = &block.turn_loop
            && !self.counts_barriers(&block.steps)
            && self.turn_loop(block, turn_loop)
        {
            return;
        }
        let has_gone_round =
            block.counted_loop.as_ref().is_some_and(|counted| self.counted_loop(block, counted));
        if !has_gone_round && !self.account(block) {
            return self.hand_over(block.first, None);
        }
        let done = match self.tally {
            _ if has_gone_round => Ok(()),
            _ if self.broken => Err(Bailout { pc: block.first }),
            None => self.block_steps(block),
            Some(_) => self.profiled(block),
        };
        if let Err(Bailout { pc }) = done {
            self.hand_over(pc, Some(block));
            return self.settle();
        }
        self.settle();
        match &block.exit {
            Exit::Go(next) => self.go(*next),
            Exit::End => self.end(),
            Exit::Barrier(barrier) => self.come_to_barrier(barrier),
            Exit::Wait(wait) => self.come_to_wait(wait),
            Exit::Bailout => self.hand_over(block.first, None),
            Exit::Branch { by, uniform, test, yes, no } => {
                let all = match uniform {
                    true => Some(self.lines.get(Type::Pred, *by, 0) == 1),
                    false => test.as_ref().and_then(|test| self.known(test)),
                };
                if let Some(tally) = self.tally.as_mut().filter(|_| all == Some(true)) {
                    tally.take(self.at, self.active);
                }
                match all {
                    Some(taken) => self.go(if taken { *yes } else { *no }),
                    None => self.branch_by_test(*by, test.as_deref(), *yes, *no),
                }
            }
            Exit::Indexed { index, blocks, beyond } => self.indexed(*index, blocks, *beyond),
        }
        if self.others_wait_too_long() {
            return self.hand_over(plan.blocks[self.at].first, None);
        }
        self.lose_patience();
    }

    /// A block's steps, fused loops in one pass where that can be.
    fn block_steps(&mut self, block: &Block) -> Result<(), Bailout> {
        let mut at = 0;
        self.rematerialized = 0;
        let fused_loops = if self.lines.may_if_convert() { &block.fused_loops[..] } else { &[] };
        for fused_loop in fused_loops {
            let copies_from = fused_loop.copies_from.max(at);
            block.steps[at..copies_from].iter().try_for_each(|step| self.step(step))?;
            self.sinking(&block.steps[copies_from..fused_loop.steps.start])?;
            self.fused_loop(block, fused_loop)?;
            at = fused_loop.steps.end;
        }
        block.steps[at..].iter().try_for_each(|step| self.step(step))
    }

    #[inline]
    pub(super) fn is_running(&self, thread: usize) -> bool {
        self.lines.running()[thread / WARP] >> (thread % WARP) & 1 == 1
    }

    /// How many threads run, and of how many.
    pub(super) fn is_full(&self) -> bool {
        self.active == self.threads
    }

    pub(super) fn step(&mut self, step: &Step) -> Result<(), Bailout> {
        match step {
            Step::Vector(range) => self.lines.run(range.clone()),
            Step::Scalar(vector_op) => self.single(vector_op),
            Step::Materialize(id) => self.materialize(*id),
            Step::AffineOps(range) => self.affine_ops(range.clone()),
            Step::PeriodicOps(range) => self.periodic_ops(range.clone()),
            Step::Load(load) => return self.load(load),
            Step::Aim(store) => self.aim(store),
            Step::Store(_) if std::mem::take(&mut self.aimed) => self.lines.aim_at_lines(),
            Step::Store(store) => return self.store(store),
            Step::Atomic(atomic) => return self.atomic(atomic),
            Step::PerThread(each) => self.each(each),
            Step::Collective(together) => return self.together(together),
            Step::Products(products) => return self.products(products),
            Step::Deferred { predicate, instructions } => self.deferred(*predicate, *instructions),
            Step::Print(print) => return self.print(print),
            Step::TestSpace(test) => self.test_space(test),
            Step::Barrier { pc, guarded } => {
                if *guarded || !self.have_come() {
                    return Err(Bailout { pc: *pc });
                }
                self.pass_barrier();
            }
            Step::Reduce { pc, guarded, operation, predicate, to } => {
                if *guarded || !self.have_come() || self.barriers.are_open() {
                    return Err(Bailout { pc: *pc });
                }
                for member in 0..self.count as usize {
                    let result = self.counted(member, *operation, *predicate);
                    if let Some(to) = to {
                        self.set_in(member, Type::U32, *to, result);
                    }
                }
                self.pass_barrier();
            }
        }
        Ok(())
    }

    /// An operation on values that are the same in all threads.
    fn single(&mut self, vector_op: &VectorOp) {
        let (ty, bits) = Self::single_of(vector_op, |ty, place| self.lines.get(ty, place, 0));
        self.lines.set(ty, vector_op.to, 0, bits);
    }

    /// Its result, where operands have these values.
    #[inline]
    fn single_of(vector_op: &VectorOp, value: impl Fn(Type, Place) -> u64) -> (Type, u64) {
        match vector_op.what {
            What::Move(ty) => (ty, value(ty, vector_op.from[0])),
            What::Op(op) => {
                let (facts, mut operands) = (op.facts(), [0; 3]);
                for ((bits, place), ty) in operands.iter_mut().zip(vector_op.from).zip(facts.operands) {
                    *bits = value(*ty, place);
                }
                (facts.result, eval(op, operands))
            }
        }
    }

    /// Sets a value in all threads of a block.
    fn set_in(&mut self, member: usize, ty: Type, place: Place, bits: u64) {
        if place.stride == 0 {
            return self.set_all(ty, place, bits);
        }
        let own = self.job.threads as usize;
        (member * own..(member + 1) * own).for_each(|t| self.lines.set(ty, place, t, bits));
    }

    /// Sets a value in all threads.
    pub(super) fn set_all(&mut self, ty: Type, place: Place, bits: u64) {
        match ty {
            Type::Pred => self.lines.u32s_mut(place).fill(if bits & 1 == 1 { u32::MAX } else { 0 }),
            Type::U32 => self.lines.u32s_mut(place).fill(bits as u32),
            Type::U64 => self.lines.u64s_mut(place).fill(bits),
        }
    }

    pub(super) fn read(&self, source: &Source, thread: usize) -> Bits {
        let (ty, place) = source.low;
        let low = Bits::from(self.lines.get(ty, place, thread));
        match source.high {
            Some((ty, place)) => Bits::from(self.lines.get(ty, place, thread)) << 64 | low,
            None => low,
        }
    }

    pub(super) fn write(&mut self, target: &Target, thread: usize, bits: Bits) {
        if let Some((ty, place)) = target.low {
            self.lines.set(ty, place, thread, bits as u64);
        }
        if let Some((ty, place)) = target.high {
            self.lines.set(ty, place, thread, (bits >> 64) as u64);
        }
    }
}

/// Whether a special register may differ from block to block.
fn tells_blocks_apart(value: SpecialValue) -> bool {
    matches!(value, SpecialValue::Ctaid(_) | SpecialValue::Clusterid(_) | SpecialValue::Smid)
}

impl Drop for Cta<'_> {
    fn drop(&mut self) {
        self.plan.pool.keep(self.lines.take_storage());
        self.plan.patterns.keep(std::mem::replace(&mut self.patterns, Box::new(Patterns::new())));
    }
}
