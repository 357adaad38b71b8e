//! What a launch executed, counted: for coverage, and to see what makes a kernel slow.

mod sum;

use crate::batch::{self, Plan};
use crate::code::{Action, Code};
use crate::prepared::PreparedKernel;
use margay_front::module::{FunctionId, InstructionId};
use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What a launch executed.
///
/// Counts of instructions and branches are exact and the same on every engine; the rest is known of the batch engine only.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Profile {
    /// The functions that the kernel can reach, in the order of the module.
    pub functions: Vec<Counted>,
    /// Stretches of instructions without a way in or out in the middle, in the order of functions and instructions.
    pub stretches: Vec<Stretch>,
    /// The kernel's loads, stores and atomic operations that the batch engine carried out, in the order of the text.
    pub accesses: Vec<Accesses>,
    /// Where the golden engine went on, and why.
    pub hand_overs: Vec<HandedOver>,
    /// Time that the golden engine took after that, over all workers.
    pub handed_over_time: Duration,
}

/// What was executed of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counted {
    /// The function.
    pub function: FunctionId,
    /// For every instruction, how often threads came to it, whether its guard held or not.
    pub counts: Vec<u64>,
    /// Its branches, returns and exits that have a guard.
    pub branches: Vec<Branch>,
}

/// A branch with a guard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Branch {
    /// The instruction.
    pub instruction: InstructionId,
    /// How often threads took it.
    pub taken: u64,
    /// How often they did not.
    pub passed: u64,
}

/// Instructions that are always executed one after the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stretch {
    /// The function.
    pub function: FunctionId,
    /// The first instruction.
    pub first: InstructionId,
    /// One behind the last.
    pub end: InstructionId,
    /// How often threads came to it.
    pub threads: u64,
    /// How often the batch engine ran it, for all threads of a block at once.
    pub runs: u64,
    /// Threads that ran then, over all runs.
    pub busy: u64,
    /// Threads that the block has, over all runs: those that wait or have ended are idle lanes.
    pub lanes: u64,
    /// Time that it took, over all workers.
    pub time: Duration,
}

/// The addresses of one instruction, judged warp by warp: accesses by threads in warps in which all threads use one address,
/// in which addresses follow each other without a gap, with a step, or anyhow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Accesses {
    /// The instruction.
    pub instruction: InstructionId,
    /// All threads of the warp use one address.
    pub uniform: u64,
    /// Each thread's bytes lie behind those of the thread before it.
    pub contiguous: u64,
    /// The distance from thread to thread is the same, but another.
    pub strided: u64,
    /// Anything else.
    pub gathered: u64,
    /// Time that it took, over all workers.
    pub time: Duration,
}

/// An instruction before which the golden engine went on with a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HandedOver {
    /// The kernel's instruction.
    pub instruction: InstructionId,
    /// Why.
    pub reason: &'static str,
    /// How often.
    pub blocks: u64,
}

/// How a warp's addresses lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Pattern {
    Uniform,
    Contiguous,
    Strided,
    Gathered,
}

/// Counters of one worker, or of all.
#[derive(Default)]
pub(crate) struct Counters {
    /// By function and instruction. What a block is handed over with is taken back: sums may pass below 0 on the way.
    counts: Vec<Vec<u64>>,
    /// How often a guard held, by function and instruction.
    taken: Vec<Vec<u64>>,
    /// By the plan's blocks: how often, for how many threads, with how many that took the branch at the end, of how many lanes.
    blocks: Vec<[u64; 4]>,
    times: Vec<Duration>,
    /// By the kernel's instruction: threads by pattern.
    accesses: BTreeMap<u32, ([u64; 4], Duration)>,
    hand_overs: BTreeMap<(u32, &'static str), u64>,
    golden: Duration,
    /// What time is taken for since when: a block of the plan, or the golden engine.
    since: Option<(Option<usize>, Instant)>,
}

impl Counters {
    /// Counters for a launch.
    fn new(code: &[Option<Code>], blocks: usize) -> Counters {
        let zeros =
            || code.iter().map(|code| vec![0; code.as_ref().map_or(0, |code| code.ops.len())]).collect();
        Counters {
            counts: zeros(),
            taken: zeros(),
            blocks: vec![[0; 4]; blocks],
            times: vec![Duration::ZERO; blocks],
            ..Counters::default()
        }
    }

    /// A thread came to an instruction.
    #[inline]
    pub(crate) fn count(&mut self, function: u32, pc: u32) {
        let count = &mut self.counts[function as usize][pc as usize];
        *count = count.wrapping_add(1);
    }

    /// Its guard held.
    #[inline]
    pub(crate) fn hold(&mut self, function: u32, pc: u32) {
        self.taken[function as usize][pc as usize] += 1;
    }

    /// So many threads of so many begin with a block of the plan.
    pub(crate) fn enter(&mut self, block: usize, threads: usize, lanes: usize) {
        self.switch(Some(Some(block)));
        self.blocks[block][0] += 1;
        self.blocks[block][1] += threads as u64;
        self.blocks[block][3] += lanes as u64;
    }

    /// So many of the threads that have begun with a block will begin with its instruction again.
    pub(crate) fn leave(&mut self, block: usize, threads: usize) {
        self.blocks[block][1] -= threads as u64;
    }

    /// So many threads take the branch at a block's end.
    pub(crate) fn take(&mut self, block: usize, threads: usize) {
        self.blocks[block][2] += threads as u64;
    }

    /// Time is taken for something else from now on: a block, the golden engine, or nothing.
    pub(crate) fn switch(&mut self, to: Option<Option<usize>>) {
        let now = Instant::now();
        match self.since {
            Some((Some(block), begun)) => self.times[block] += now - begun,
            Some((None, begun)) => self.golden += now - begun,
            None => {}
        }
        self.since = to.map(|what| (what, now));
    }

    /// Threads accessed memory, so many by each pattern, which took so long.
    pub(crate) fn access(&mut self, pc: u32, threads: [u64; 4], time: Duration) {
        let access = self.accesses.entry(pc).or_default();
        access.0.iter_mut().zip(threads).for_each(|(count, more)| *count += more);
        access.1 += time;
    }

    /// The golden engine goes on with some blocks, for a reason; `threads` will do the kernel's instructions of `again`
    /// there.
    pub(crate) fn hand_over(
        &mut self,
        kernel: FunctionId,
        place: (u32, &'static str),
        blocks: u64,
        threads: usize,
        again: std::ops::Range<u32>,
    ) {
        *self.hand_overs.entry(place).or_default() += blocks;
        for count in &mut self.counts[kernel.0 as usize][again.start as usize..again.end as usize] {
            *count = count.wrapping_sub(threads as u64);
        }
        self.switch(Some(None));
    }

    fn add(&mut self, other: &Counters) {
        let all = self.counts.iter_mut().chain(&mut self.taken).flatten();
        for (count, more) in all.zip(other.counts.iter().chain(&other.taken).flatten()) {
            *count = count.wrapping_add(*more);
        }
        let blocks = self.blocks.iter_mut().flatten();
        blocks.zip(other.blocks.iter().flatten()).for_each(|(count, more)| *count += more);
        self.times.iter_mut().zip(&other.times).for_each(|(time, more)| *time += *more);
        for (pc, (threads, time)) in &other.accesses {
            let mine = self.accesses.entry(*pc).or_default();
            mine.0.iter_mut().zip(threads).for_each(|(count, more)| *count += more);
            mine.1 += *time;
        }
        for (place, count) in &other.hand_overs {
            *self.hand_overs.entry(*place).or_default() += count;
        }
        self.golden += other.golden;
    }

    /// What was counted, in the terms of the module.
    fn finish(mut self, of: CountedKernel) -> Profile {
        let (plan, kernel) = (of.plan(), of.entry.0 as usize);
        let mut ran: BTreeMap<u32, [u64; 3]> = BTreeMap::new();
        let mut times: BTreeMap<u32, Duration> = BTreeMap::new();
        if let (Some(plan), Some(code)) = (plan, &of.ready.code[kernel]) {
            for ((block, [runs, threads, taken, lanes]), time) in
                plan.blocks.iter().zip(&self.blocks).zip(&self.times)
            {
                // A barrier that threads wait at has a block of its own.
                let instructions = block.instructions.max(u32::from(block.waits()));
                let end = block.first + instructions;
                for count in &mut self.counts[kernel][block.first as usize..end as usize] {
                    *count = count.wrapping_add(*threads);
                }
                *times.entry(block.first).or_default() += *time;
                if instructions > 0 {
                    ran.insert(block.first, [*runs, *threads, *lanes]);
                    if branches(code, end - 1) {
                        self.taken[kernel][end as usize - 1] += taken;
                        continue;
                    }
                }
                // An instruction that is left to the golden engine where its guard holds: others have passed it.
                if block.branches
                    && let Some(count) = self.counts[kernel].get_mut(end as usize)
                {
                    *count = count.wrapping_add(threads - taken);
                }
            }
        }
        let mut profile = Profile { handed_over_time: self.golden, ..Profile::default() };
        for (f, code) in of.ready.code.iter().enumerate() {
            let Some(code) = code else { continue };
            let function = FunctionId(f as u32);
            let counts = &self.counts[f];
            for range in batch::stretches(code) {
                let [runs, busy, lanes] = match f == kernel {
                    true => ran.get(&range.start).copied().unwrap_or_default(),
                    false => [0; 3],
                };
                let time = times.get(&range.start).copied().filter(|_| f == kernel).unwrap_or_default();
                let (first, end) = (InstructionId(range.start), InstructionId(range.end));
                let threads = counts[range.start as usize];
                profile.stretches.push(Stretch { function, first, end, threads, runs, busy, lanes, time });
            }
            let guarded = (0..code.ops.len() as u32).filter(|pc| branches(code, *pc));
            let branch = |pc: u32| {
                let (count, taken) = (counts[pc as usize], self.taken[f][pc as usize]);
                Branch { instruction: InstructionId(pc), taken, passed: count.saturating_sub(taken) }
            };
            let branches = guarded.map(branch).collect();
            // The return behind the last instruction is nobody's.
            let counts = counts[..counts.len() - 1].to_vec();
            profile.functions.push(Counted { function, counts, branches });
        }
        let access = |(pc, ([uniform, contiguous, strided, gathered], time)): (u32, ([u64; 4], Duration))| {
            let instruction = InstructionId(pc);
            Accesses { instruction, uniform, contiguous, strided, gathered, time }
        };
        profile.accesses = self.accesses.into_iter().map(access).collect();
        let handed = |((pc, reason), blocks): ((u32, &'static str), u64)| HandedOver {
            instruction: InstructionId(pc),
            reason,
            blocks,
        };
        profile.hand_overs = self.hand_overs.into_iter().map(handed).collect();
        profile
    }
}

/// Whether an instruction has a guard that decides where its threads go on.
fn branches(code: &Code, pc: u32) -> bool {
    let op = &code.ops[pc as usize];
    op.guard.is_some() && matches!(op.action, Action::Branch(_) | Action::Return | Action::Exit)
}

/// Counters of all workers of a launch.
pub(crate) struct Collected(Mutex<Counters>);

impl Collected {
    pub(crate) fn new(of: CountedKernel) -> Collected {
        Collected(Mutex::new(of.counters()))
    }

    pub(crate) fn finish(self, of: CountedKernel) -> Profile {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner).finish(of)
    }
}

/// The kernel whose instructions are counted.
#[derive(Clone, Copy)]
pub(crate) struct CountedKernel<'a> {
    pub(crate) ready: &'a PreparedKernel,
    pub(crate) entry: FunctionId,
    /// Whether the batch engine runs it.
    pub(crate) batch: bool,
}

impl<'a> CountedKernel<'a> {
    fn plan(self) -> Option<&'a Plan> {
        self.ready.plan_to_count().filter(|_| self.batch)
    }

    fn counters(self) -> Counters {
        Counters::new(&self.ready.code, self.plan().map_or(0, |plan| plan.blocks.len()))
    }
}

/// The counters of what runs one block after the other, added to the launch's in the end.
pub(crate) struct Tally<'a> {
    counters: Counters,
    to: &'a Collected,
}

impl<'a> Tally<'a> {
    /// Counters, if the launch is to be counted.
    pub(crate) fn of(to: Option<&'a Collected>, of: CountedKernel) -> Option<Box<Tally<'a>>> {
        to.map(|to| Box::new(Tally { counters: of.counters(), to }))
    }
}

impl Deref for Tally<'_> {
    type Target = Counters;

    fn deref(&self) -> &Counters {
        &self.counters
    }
}

impl DerefMut for Tally<'_> {
    fn deref_mut(&mut self) -> &mut Counters {
        &mut self.counters
    }
}

impl Drop for Tally<'_> {
    fn drop(&mut self) {
        self.to.0.lock().unwrap_or_else(PoisonError::into_inner).add(&self.counters);
    }
}
