//! The golden engine: a block's threads one after the other, each until it waits, ends or has had its turn.

mod access;
mod barrier;
mod lane;
mod special;

use crate::code::Code;
use crate::frame::Frame;
use crate::grid::Dim;
use crate::launch::Budget;
use crate::memory::Memory;
use crate::trap::{Trap, TrapKind};
use barrier::Barriers;
use lane::{Event, Lane};
use margay_front::module::{FunctionId, InstructionId};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Steps that a thread takes before the next one has its turn.
const TURN: u64 = 1024;

/// What all blocks of a launch share.
pub(crate) struct Job<'a> {
    pub(crate) code: Code,
    pub(crate) memory: &'a Memory,
    pub(crate) frame: Frame,
    pub(crate) parameters: Vec<u64>,
    pub(crate) parameter_bytes: u64,
    pub(crate) kernel: &'a str,
    pub(crate) entry: FunctionId,
    pub(crate) grid: Dim,
    pub(crate) block: Dim,
    pub(crate) blocks: u64,
    /// Threads of a block.
    pub(crate) threads: u32,
    pub(crate) dynamic_bytes: u64,
    pub(crate) budget: Option<Budget>,
    pub(crate) cancel: Option<&'a AtomicBool>,
}

impl Job<'_> {
    /// Bytes of storage that a running block needs.
    pub(crate) fn block_bytes(&self) -> u64 {
        let thread = self.code.slots * 8 + local_words(self) * 8;
        self.frame.shared_bytes + u64::from(self.threads) * thread as u64
    }
}

/// One block (CTA) at a time; its storage is used again for the next.
pub(crate) struct Cta<'a> {
    job: &'a Job<'a>,
    threads: Vec<Thread>,
    /// Slots of all threads, thread by thread.
    registers: Vec<u64>,
    shared: Vec<u64>,
    /// Local memory of all threads, thread by thread.
    local: Vec<u64>,
    barriers: Barriers,
    /// Threads that have not ended.
    living: u32,
    /// Steps that the block has taken.
    steps: u64,
    /// The allocation that was used last.
    hint: usize,
}

/// A thread between two turns.
struct Thread {
    id: Dim,
    /// The next instruction.
    pc: u32,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Ready,
    /// At the barrier before `pc`.
    Waiting(u8),
    Ended,
}

impl<'a> Cta<'a> {
    pub(crate) fn new(job: &'a Job<'a>) -> Cta<'a> {
        let count = job.threads as usize;
        let thread = |k| Thread { id: job.block.at(k), pc: 0, state: State::Ready };
        Cta {
            job,
            threads: (0..u64::from(job.threads)).map(thread).collect(),
            registers: vec![0; count * job.code.slots],
            shared: vec![0; job.frame.shared_bytes.div_ceil(8) as usize],
            local: vec![0; count * local_words(job)],
            barriers: Barriers::new(job.threads),
            living: 0,
            steps: 0,
            hint: 0,
        }
    }

    /// Steps of the block that ran last.
    pub(crate) fn steps(&self) -> u64 {
        self.steps
    }

    /// Runs block `index` to its end, or until `abandoned` says that nobody wants it any more.
    pub(crate) fn run(&mut self, index: u64, abandoned: &dyn Fn() -> bool) -> Result<(), Box<Trap>> {
        self.reset();
        let block = self.job.grid.at(index);
        while self.living > 0 {
            let mut moved = false;
            for t in 0..self.threads.len() {
                if self.threads[t].state != State::Ready {
                    continue;
                }
                moved = true;
                self.turn(t, block).map_err(|kind| self.trap(kind, t, block))?;
            }
            if !moved {
                return Err(self.deadlock(block));
            }
            if abandoned() {
                return Ok(());
            }
        }
        Ok(())
    }

    fn reset(&mut self) {
        for thread in &mut self.threads {
            thread.pc = 0;
            thread.state = State::Ready;
        }
        self.registers.fill(0);
        self.shared.fill(0);
        self.local.fill(0);
        self.barriers.reset();
        self.living = self.job.threads;
        self.steps = 0;
    }

    /// Lets a thread run until it waits, ends, or has taken enough steps.
    fn turn(&mut self, t: usize, block: Dim) -> Result<(), TrapKind> {
        let mut left = TURN;
        while left > 0 && self.threads[t].state == State::Ready {
            if self.job.cancel.is_some_and(|cancel| cancel.load(Relaxed)) {
                return Err(TrapKind::Cancelled);
            }
            let granted = match &self.job.budget {
                None => left,
                Some(budget) => budget.take(left).ok_or(TrapKind::StepLimit(budget.limit))?,
            };
            let mut unused = granted;
            let event = self.lane(t, block).run(&mut unused);
            let (pc, event, hint) = event;
            self.threads[t].pc = pc;
            self.hint = hint;
            self.steps += granted - unused;
            left -= granted - unused;
            if let Some(budget) = &self.job.budget {
                budget.settle(unused);
            }
            match event {
                Event::TurnOver => {}
                Event::Ended => {
                    self.threads[t].state = State::Ended;
                    self.living -= 1;
                    for id in self.barriers.open() {
                        self.release(id);
                    }
                }
                Event::Arrived { id, count, waits } => {
                    let id = self.barriers.arrive(t, id, count)?;
                    if waits {
                        self.threads[t].state = State::Waiting(id);
                    }
                    self.release(id);
                }
                Event::Trap(kind) => return Err(*kind),
            }
        }
        Ok(())
    }

    /// Lets the threads at a barrier go on, if it is complete.
    fn release(&mut self, id: u8) {
        let ended = |t: usize| self.threads[t].state == State::Ended;
        if !self.barriers.complete(id, self.job.threads - self.living, ended) {
            return;
        }
        self.barriers.clear(id);
        for thread in self.threads.iter_mut().filter(|t| t.state == State::Waiting(id)) {
            thread.state = State::Ready;
        }
    }

    fn lane(&mut self, t: usize, block: Dim) -> Lane<'_> {
        let job = self.job;
        let (slots, local) = (job.code.slots, local_words(job));
        Lane {
            job,
            block,
            thread: self.threads[t].id,
            index: t as u32,
            pc: self.threads[t].pc,
            registers: &mut self.registers[t * slots..(t + 1) * slots],
            shared: &mut self.shared,
            local: &mut self.local[t * local..(t + 1) * local],
            frame_base: 0,
            clock: self.steps,
            hint: self.hint,
        }
    }

    fn trap(&self, kind: TrapKind, t: usize, block: Dim) -> Box<Trap> {
        let thread = &self.threads[t];
        // A thread that waits stands behind its barrier.
        let at = thread.pc - u32::from(matches!(kind, TrapKind::Barrier(_) | TrapKind::Deadlock(_)));
        Box::new(Trap {
            kind,
            kernel: self.job.kernel.to_string(),
            function: self.job.entry,
            function_name: self.job.kernel.to_string(),
            instruction: InstructionId(at),
            thread: thread.id,
            block,
        })
    }

    /// Every living thread waits, and no barrier is complete.
    fn deadlock(&self, block: Dim) -> Box<Trap> {
        let waiting = self.threads.iter().enumerate().filter_map(|(t, thread)| match thread.state {
            State::Waiting(id) => Some((t, id, InstructionId(thread.pc - 1), thread.id)),
            _ => None,
        });
        let groups = self.barriers.groups(waiting.clone());
        let first = waiting.map(|(t, ..)| t).next().unwrap_or(0);
        self.trap(TrapKind::Deadlock(groups), first, block)
    }
}

fn local_words(job: &Job) -> usize {
    job.frame.local_bytes.div_ceil(8) as usize
}
