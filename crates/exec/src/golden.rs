//! The golden engine: a block's threads one after the other, each until it waits, ends or has had its turn.

mod access;
mod barrier;
mod bulk;
mod call;
mod cluster;
mod deadlock;
mod distributed;
mod gate;
mod handover;
mod lane;
mod object;
mod observed;
mod runtime;
mod shared;
mod special;
mod stack;
mod tensor;
mod tensor_memory;
mod texture;
mod thread;
mod thread_order;
mod together;
mod unwritten;
mod warpgroup;
mod watched;
mod whole;

use crate::code::{Action, GateStep, Purpose, Target};
use crate::grid::Dim;
use crate::launch::Job;
use crate::output::Output;
use crate::profile::Tally;
use crate::random::Random;
use crate::sanitize::Watch;
use crate::trap::{Caller, Trap, TrapKind};
pub(crate) use barrier::{Arrival, Barriers};
pub(crate) use call::fits;
pub(crate) use cluster::Cluster;
pub(crate) use handover::{Called, Progress, Standing};
use lane::{Event, Lane};
use margay_front::module::{FunctionId, InstructionId};
use margay_isa::{Bits, WARP};
use shared::Shared;
pub(crate) use special::special;
use stack::Stack;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;
use thread::{Begun, Failure, State, Thread, Visit};

/// Bytes of a thread beside its variables and calls.
pub(crate) const THREAD_BYTES: u64 = size_of::<Thread>() as u64 + 96;

/// One block (CTA) at a time, of a cluster; its storage is used again for the next.
struct Cta<'a> {
    job: &'a Job<'a>,
    /// Which block it is, and which one of its cluster.
    index: u64,
    rank: u32,
    threads: Vec<Thread>,
    /// What it shares with the other blocks of its cluster; here while it has its turn.
    shared: Shared,
    barriers: Barriers,
    output: Output,
    /// For every warp, the lanes that have not ended.
    alive: Vec<u32>,
    /// What waiting threads have brought; empty while none has waited.
    visits: Vec<Visit>,
    /// How many threads wait for any others of their warp.
    gathering: usize,
    /// Steps that the block has taken.
    steps: u64,
    /// The allocation that was used last.
    hint: usize,
    /// What the order of its threads is drawn from, if not the default.
    random: Option<Random>,
    /// Instructions of observed threads that wait at them.
    begun: BTreeMap<usize, Begun>,
    /// What watches the launch; here while the block has its turn.
    watch: Option<Box<Watch>>,
    /// What the launch is counted with, if it is.
    tally: Option<Box<Tally<'a>>>,
}

impl<'a> Cta<'a> {
    fn new(job: &'a Job<'a>) -> Cta<'a> {
        let thread = |k| Thread {
            id: job.block.at(k),
            stack: Stack::default(),
            state: State::Ready,
            stood: None,
            arrived: None,
        };
        Cta {
            job,
            index: 0,
            rank: 0,
            threads: (0..u64::from(job.threads)).map(thread).collect(),
            shared: Shared::default(),
            barriers: Barriers::new(job.threads),
            output: Output::default(),
            alive: Vec::new(),
            visits: Vec::new(),
            gathering: 0,
            steps: 0,
            hint: 0,
            random: None,
            begun: BTreeMap::new(),
            watch: None,
            tally: Tally::of(job.profile.as_ref(), job.counted()),
        }
    }

    /// Makes ready for block `index`, which is one of its cluster.
    fn start(&mut self, index: u64, rank: u32) {
        (self.index, self.rank) = (index, rank);
        for thread in &mut self.threads {
            thread.stack.start(self.job);
            thread.state = State::Ready;
            thread.stood = None;
            thread.arrived = None;
        }
        self.barriers.reset();
        let threads = self.threads.len();
        let lanes = |warp: usize| u32::MAX >> (WARP - (threads - warp * WARP).min(WARP));
        self.alive = (0..threads.div_ceil(WARP)).map(lanes).collect();
        self.gathering = 0;
        self.steps = 0;
        self.random = self.job.seed.map(|seed| Random::new(seed, index));
    }

    /// Whether any thread has not ended.
    fn lives(&self) -> bool {
        self.alive.iter().any(|lanes| *lanes != 0)
    }

    /// Lets all threads go on that can; whether any could.
    fn step(&mut self, block: Dim) -> Result<bool, Box<Trap>> {
        let woken = self.look_again(block)? | self.pass_those_at_gate();
        let round = self.round(block)?;
        let waited = round.whole || !round.moved;
        Ok(waited && self.let_gathered_go() || round.moved || woken)
    }

    /// Lets a thread run until it waits, ends, or has taken `left` steps.
    fn turn(&mut self, t: usize, block: Dim, mut left: u64) -> Result<(), Failure> {
        let failed = |kind| Failure::new(t, kind);
        while left > 0 && self.threads[t].state == State::Ready {
            if self.job.cancel.is_some_and(|cancel| cancel.load(Relaxed)) {
                return Err(failed(TrapKind::Cancelled));
            }
            // Who is observed goes step by step.
            let wanted = if self.is_observed(t, block) { 1 } else { left };
            let granted = match &self.job.budget {
                None => wanted,
                Some(budget) => {
                    budget.take(wanted).ok_or_else(|| failed(TrapKind::StepLimit(budget.limit)))?
                }
            };
            let begun = self.is_observed(t, block).then(|| self.begin_step(t, block));
            let mut unused = granted;
            let (stack, event, hint) = self.lane(t, block).run(&mut unused);
            self.threads[t].stack = stack;
            self.hint = hint;
            self.steps += granted - unused;
            left -= granted - unused;
            if let Some(budget) = &self.job.budget {
                budget.settle(unused);
            }
            match (begun, &event) {
                (Some(begun), Event::Arrived(_) | Event::Meets(..) | Event::Asks(_) | Event::AtGate) => {
                    self.begun.insert(t, begun);
                }
                (Some(begun), _) => self.end_step(t, begun),
                (None, _) => {}
            }
            let met = matches!(event, Event::Arrived(_) | Event::Meets(..) | Event::Asks(_) | Event::AtGate);
            match event {
                Event::TurnOver => {}
                Event::Ended => self.end(t)?,
                Event::Arrived(arrival) => self.arrive(t, &arrival).map_err(failed)?,
                Event::Meets(sources, members) => self.meet(t, *sources, members)?,
                Event::Asks(look) => self.ask(t, *look),
                Event::AtGate => {
                    if let Some(step) = self.gate_step(t) {
                        self.come_to_gate(t, step).map_err(failed)?;
                    }
                }
                // Those that wait for it may see no other phase.
                Event::PhaseOver => {
                    self.wake_all(block);
                    return Ok(());
                }
                Event::Trap(kind) => return Err(failed(*kind)),
            }
            // Who comes last to a meeting has no precedence behind it: so it is where the batch engine hands over, and of several
            // threads that fail there the same one is told of.
            if met && self.random.is_none() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Thread `t` is done; nobody waits for it any more.
    fn end(&mut self, t: usize) -> Result<(), Failure> {
        self.threads[t].state = State::Ended;
        self.leave_gate(t);
        let warp = t / WARP;
        self.alive[warp] &= !(1 << (t % WARP));
        for id in self.barriers.open() {
            self.settle(warp, id);
        }
        if !self.visits.is_empty() {
            self.stop_waiting_for_ended(warp)?;
        }
        Ok(())
    }

    fn arrive(&mut self, t: usize, arrival: &Arrival) -> Result<(), TrapKind> {
        let id = self.barriers.come(t / WARP, 1 << (t % WARP), arrival)?;
        self.threads[t].state = State::Barrier { id, passes: arrival.passes };
        self.settle(t / WARP, id);
        Ok(())
    }

    /// Lets a warp arrive at a barrier if it can, and threads go on whom that completes.
    fn settle(&mut self, warp: usize, id: u8) {
        if self.barriers.arrive(warp, id, self.alive[warp]) {
            if self.watch.is_some() {
                self.tell_arrival(warp, id);
            }
            for t in self.lanes_of(warp) {
                if self.threads[t].state == (State::Barrier { id, passes: true }) {
                    self.resume(t, std::iter::empty());
                }
            }
        }
        let Some(tally) = self.barriers.complete(id, &self.alive) else { return };
        if tally.of_all {
            self.output.pass_barrier();
        }
        if self.watch.is_some() {
            self.tell_completion(id, tally.warps, self.barriers.is_for_all(id));
        }
        for warp in (0..self.alive.len()).filter(|warp| tally.warps >> warp & 1 == 1) {
            for t in self.lanes_of(warp) {
                if self.threads[t].state != (State::Barrier { id, passes: false }) {
                    continue;
                }
                let result = match self.action(t) {
                    Some(Action::Barrier(barrier)) => match &barrier.purpose {
                        Purpose::Reduce(reduce) => {
                            Some((&reduce.target, Bits::from(tally.result(reduce.operation))))
                        }
                        Purpose::Arrive | Purpose::Wait => None,
                    },
                    _ => None,
                };
                self.resume(t, result.into_iter());
            }
        }
    }

    /// Lets a waiting thread go on behind its instruction, with these results.
    fn resume<'t>(&mut self, t: usize, results: impl Iterator<Item = (&'t Target, Bits)>) {
        let block = self.job.place(self.index);
        self.threads[t].stack = self.lane(t, block).resume(results);
        self.ready(t);
    }

    /// A thread that has waited is done with its instruction.
    fn ready(&mut self, t: usize) {
        self.threads[t].state = State::Ready;
        if let Some(begun) = self.begun.remove(&t) {
            self.end_step(t, begun);
        }
    }

    /// The threads of a warp.
    fn lanes_of(&self, warp: usize) -> Range<usize> {
        warp * WARP..((warp + 1) * WARP).min(self.threads.len())
    }

    /// The instruction at which a thread stands.
    fn action(&self, t: usize) -> Option<&'a Action> {
        let stack = &self.threads[t].stack;
        let job = self.job;
        let code = job.ready.code.get(stack.function as usize)?.as_ref()?;
        Some(&code.ops.get(stack.pc as usize)?.action)
    }

    /// The step at the cluster's barrier at which a thread stands, if it does.
    fn gate_step(&self, t: usize) -> Option<&'a GateStep> {
        match self.action(t)? {
            Action::Gate(step) => Some(step),
            _ => None,
        }
    }

    fn lane(&mut self, t: usize, block: Dim) -> Lane<'_> {
        Lane {
            job: self.job,
            block,
            rank: self.rank,
            thread: self.threads[t].id,
            index: t as u32,
            stack: std::mem::take(&mut self.threads[t].stack),
            shared: &mut self.shared,
            output: &mut self.output,
            clock: self.steps,
            hint: self.hint,
            watch: self.watch.as_deref_mut(),
            tally: self.tally.as_deref_mut().map(|tally| &mut **tally),
        }
    }

    fn trap(&self, kind: TrapKind, t: usize, block: Dim) -> Box<Trap> {
        let thread = &self.threads[t];
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
            instruction: InstructionId(stack.pc),
            calls: calls.collect(),
            thread: thread.id,
            block,
            printed: String::new(),
            findings: Vec::new(),
        })
    }
}
