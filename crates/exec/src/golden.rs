//! The golden engine: a block's threads one after the other, each until it waits, ends or has had its turn.

mod access;
mod barrier;
mod call;
mod lane;
mod runtime;
mod special;
mod stack;

use crate::code::Code;
use crate::frame::{Frame, LOCAL_LIMIT};
use crate::grid::Dim;
use crate::launch::Budget;
use crate::memory::Memory;
use crate::trap::{Caller, Trap, TrapKind};
use barrier::Barriers;
use lane::{Event, Lane};
use margay_front::module::{FunctionId, InstructionId, Module};
use runtime::Output;
use stack::Stack;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Steps that a thread takes before the next one has its turn.
const TURN: u64 = 1024;

/// What all blocks of a launch share.
pub(crate) struct Job<'a> {
    pub(crate) module: &'a Module,
    /// By function; none for those that the kernel cannot reach.
    pub(crate) code: Vec<Option<Code>>,
    /// Whether a function can be called again before it has returned.
    pub(crate) recursive: bool,
    /// Whether blocks must come one after the other for addresses to repeat.
    pub(crate) takes_memory: bool,
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
        let registers: u64 = self.code.iter().flatten().map(|code| 8 * code.slots as u64).sum();
        let thread = if self.recursive { LOCAL_LIMIT } else { registers + self.frame.stack_bytes() };
        self.frame.shared_bytes + u64::from(self.threads) * thread
    }
}

/// One block (CTA) at a time; its storage is used again for the next.
pub(crate) struct Cta<'a> {
    job: &'a Job<'a>,
    threads: Vec<Thread>,
    shared: Vec<u64>,
    barriers: Barriers,
    output: Output,
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
    stack: Stack,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Ready,
    /// At the barrier before the next instruction.
    Waiting(u8),
    Ended,
}

impl<'a> Cta<'a> {
    pub(crate) fn new(job: &'a Job<'a>) -> Cta<'a> {
        let thread = |k| Thread { id: job.block.at(k), stack: Stack::default(), state: State::Ready };
        Cta {
            job,
            threads: (0..u64::from(job.threads)).map(thread).collect(),
            shared: vec![0; job.frame.shared_bytes.div_ceil(8) as usize],
            barriers: Barriers::new(job.threads),
            output: Output::default(),
            living: 0,
            steps: 0,
            hint: 0,
        }
    }

    /// Steps of the block that ran last.
    pub(crate) fn steps(&self) -> u64 {
        self.steps
    }

    /// What the block printed that ran last.
    pub(crate) fn printed(&mut self) -> Vec<u8> {
        self.output.take()
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
            thread.stack.start(self.job);
            thread.state = State::Ready;
        }
        self.shared.fill(0);
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
            let (stack, event, hint) = self.lane(t, block).run(&mut unused);
            self.threads[t].stack = stack;
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
                    self.output.finish(t);
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
        Lane {
            job: self.job,
            block,
            thread: self.threads[t].id,
            index: t as u32,
            stack: std::mem::take(&mut self.threads[t].stack),
            shared: &mut self.shared,
            output: &mut self.output,
            clock: self.steps,
            hint: self.hint,
        }
    }

    fn trap(&self, kind: TrapKind, t: usize, block: Dim) -> Box<Trap> {
        let thread = &self.threads[t];
        // A thread that waits stands behind its barrier.
        let behind = u32::from(matches!(kind, TrapKind::Barrier(_) | TrapKind::Deadlock(_)));
        let name = |id: u32| self.job.module.functions()[id as usize].name.clone();
        let stack = &thread.stack;
        let calls = stack.calls.iter().rev().map(|call| Caller {
            function: FunctionId(call.function),
            name: name(call.function),
            instruction: InstructionId(call.pc),
        });
        Box::new(Trap {
            kind,
            kernel: self.job.kernel.to_string(),
            function: FunctionId(stack.function),
            function_name: name(stack.function),
            instruction: InstructionId(stack.pc - behind),
            calls: calls.collect(),
            thread: thread.id,
            block,
            printed: String::new(),
        })
    }

    /// Every living thread waits, and no barrier is complete.
    fn deadlock(&self, block: Dim) -> Box<Trap> {
        let waiting = |thread: &Thread| match thread.state {
            State::Waiting(id) => {
                let Stack { function, pc, .. } = thread.stack;
                Some((id, FunctionId(function), InstructionId(pc - 1), thread.id))
            }
            _ => None,
        };
        let groups = self.barriers.groups(self.threads.iter().filter_map(waiting));
        let first = self.threads.iter().position(|thread| waiting(thread).is_some()).unwrap_or(0);
        self.trap(TrapKind::Deadlock(groups), first, block)
    }
}
