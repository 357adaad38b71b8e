//! Columns part by part through a kernel, on all cores: lent to it where they lie, or copied if that is not as it wants them.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use margay_exec::memory::{LENT_ALIGNMENT, Lending};
use margay_exec::{
    Argument, Error, Launch, LaunchError, Lookout, Memory, Trap, TrapKind, cores, parameter_block,
};
use margay_front::Span;

use super::kernel::Kernel;
use super::{Column, Input, Options, Snippet};
use crate::problem::Problem;

/// Elements that are computed together: few enough for copies of their columns to stay in a core's cache.
pub const PART: usize = 1 << 15;

/// Parts that a worker takes at a time at most: so many that results lie in large pages of its own. The system clears a page when it
/// is first written, while whoever else writes to that page waits.
const STRETCH: usize = 16;

/// How long one worker works alone before it calls the others: about as long as it takes to start them.
const ALONE: Duration = Duration::from_micros(60);

/// Threads of a block: as many as there may be, but not many more than there are elements.
fn block(count: usize) -> usize {
    count.clamp(32, 1024).next_power_of_two()
}

/// Why columns could not be computed.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// The columns do not fit the snippet.
    Call(Problem),
    /// The snippet went wrong.
    Stopped(Box<Stopped>),
    /// [`Options::cancel`] was set.
    Cancelled,
}

/// How a snippet went wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct Stopped {
    /// What happened, as one phrase.
    pub message: String,
    /// The element on which it happened: the first, if it happened on several.
    pub element: usize,
    /// Where in the snippet's text.
    pub span: Option<Span>,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Call(problem) => problem.fmt(f),
            Failure::Stopped(stopped) => write!(f, "{}; element {}", stopped.message, stopped.element),
            Failure::Cancelled => f.write_str("interrupted"),
        }
    }
}

impl std::error::Error for Failure {}

impl From<LaunchError> for Failure {
    fn from(error: LaunchError) -> Failure {
        Failure::Call(Problem { message: error.message, help: error.help })
    }
}

/// Some elements behind each other.
struct Part<'a> {
    start: usize,
    count: usize,
    outputs: Vec<&'a mut [u8]>,
}

/// What the workers share.
struct Work<'a> {
    snippet: &'a Snippet,
    kernel: &'a Kernel,
    inputs: &'a [Input<'a>],
    options: &'a Options<'a>,
    /// Threads of a block.
    block: usize,
    /// The earliest failure, and the element at which its part begins.
    failed: Mutex<Option<(usize, Failure)>>,
    has_failed: AtomicBool,
    done: Mutex<u64>,
}

/// Computes the outputs of `count` elements, at least one.
pub fn run(
    snippet: &Snippet,
    kernel: &Kernel,
    count: usize,
    inputs: &[Input],
    outputs: &mut [&mut [u8]],
    options: &Options,
) -> Result<(), Failure> {
    let workers = match options.workers {
        0 => cores(),
        n => n,
    };
    let block = block(count);
    let work = Work {
        snippet,
        kernel,
        inputs,
        options,
        block,
        failed: Mutex::default(),
        has_failed: AtomicBool::new(false),
        done: Mutex::default(),
    };
    let parts = parts(&snippet.outputs, count, outputs, if kernel.whole { block } else { 1 });
    let workers = workers.min(count.div_ceil(PART));
    let queue = Mutex::new(Queue { parts, left: count.div_ceil(PART), workers });
    Lookout::new(options.look).with_others(
        workers - 1,
        |lookout, call| work.lead(&queue, lookout, call),
        || work.carry_out(&queue),
    );
    let failed = work.failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    failed.map_or(Ok(()), |(_, failure)| Err(failure))
}

/// The outputs cut into parts, those with the first elements first: all of whole units but for the last, which has less than
/// one.
fn parts<'a>(
    columns: &'a [Column],
    count: usize,
    outputs: &'a mut [&mut [u8]],
    unit: usize,
) -> impl Iterator<Item = Part<'a>> {
    let mut rest: Vec<&mut [u8]> = outputs.iter_mut().map(|output| &mut **output).collect();
    let whole = count - count % unit;
    let remainder = (whole < count).then_some((whole, count - whole));
    let starts = (0..whole).step_by(PART).map(move |start| (start, PART.min(whole - start)));
    starts.chain(remainder).map(move |(start, count)| {
        let cut = |(left, column): (&mut &'a mut [u8], &Column)| {
            let (part, behind) = std::mem::take(left).split_at_mut(count * column.bytes());
            *left = behind;
            part
        };
        Part { start, count, outputs: rest.iter_mut().zip(columns).map(cut).collect() }
    })
}

/// The parts that nobody has taken.
struct Queue<P> {
    parts: P,
    /// About how many there are.
    left: usize,
    workers: usize,
}

impl<'a, P: Iterator<Item = Part<'a>>> Queue<P> {
    /// The next of them, for one worker: fewer towards the end, so that all end at about the same time.
    fn stretch(&mut self) -> VecDeque<Part<'a>> {
        let count = (self.left / (4 * self.workers)).clamp(1, STRETCH);
        self.left = self.left.saturating_sub(count);
        self.parts.by_ref().take(count).collect()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'i> Work<'i> {
    /// Computes parts for a short time, then calls others if some are left, and goes on.
    fn lead<'p>(
        &self,
        queue: &Mutex<Queue<impl Iterator<Item = Part<'p>>>>,
        lookout: &mut Lookout,
        call: &dyn Fn(),
    ) {
        let mut worker = Worker { look: self.options.look, ..Worker::new(self.snippet) };
        let mut taken = VecDeque::new();
        let begun = Instant::now();
        while begun.elapsed() < ALONE {
            if !self.go_on(queue, &mut taken, &mut worker) {
                return;
            }
        }
        call();
        while self.go_on(queue, &mut taken, &mut worker) {
            lookout.look();
        }
    }

    /// Computes parts until there are no more.
    fn carry_out<'p>(&self, queue: &Mutex<Queue<impl Iterator<Item = Part<'p>>>>) {
        let (mut worker, mut taken) = (Worker::new(self.snippet), VecDeque::new());
        while self.go_on(queue, &mut taken, &mut worker) {}
    }

    /// Computes the next part of those that a worker has taken, or takes some first. Whether others may follow: after a failure
    /// only such as lie before it, since the first one counts.
    fn go_on<'p>(
        &self,
        queue: &Mutex<Queue<impl Iterator<Item = Part<'p>>>>,
        taken: &mut VecDeque<Part<'p>>,
        worker: &mut Worker<'i>,
    ) -> bool {
        let has_failed = self.has_failed.load(Ordering::Relaxed);
        if taken.is_empty() && !has_failed {
            *taken = lock(queue).stretch();
        }
        let counts =
            |part: &Part| !has_failed || lock(&self.failed).as_ref().is_none_or(|(at, _)| part.start < *at);
        let Some(mut part) = taken.pop_front().filter(counts) else { return false };
        if let Err(failure) = self.compute(&mut part, worker) {
            self.fail(part.start, failure);
            return false;
        }
        if let Some(tell) = self.options.progress {
            let mut done = lock(&self.done);
            *done += part.count as u64;
            tell(*done);
        }
        true
    }

    fn fail(&self, start: usize, failure: Failure) {
        self.has_failed.store(true, Ordering::Relaxed);
        let mut failed = lock(&self.failed);
        if failed.as_ref().is_none_or(|(other, _)| start < *other) {
            *failed = Some((start, failure));
        }
    }

    fn compute(&self, part: &mut Part, worker: &mut Worker) -> Result<(), Failure> {
        if self.options.cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
            return Err(Failure::Cancelled);
        }
        let mut memory = Lending::new(64);
        let count = if self.kernel.whole { part.count.next_multiple_of(self.block) } else { part.count };
        let in_place = |bytes: &[u8]| count == part.count && can_be_lent(bytes);
        let mut arguments = Vec::with_capacity(1 + self.inputs.len() + part.outputs.len());
        arguments.push(Argument::from(count as u32));
        let inputs = self.snippet.inputs.iter().zip(self.inputs).zip(&mut worker.inputs);
        for ((column, input), room) in inputs {
            arguments.push(match input {
                Input::Same(value) => Argument::Bytes(value.to_le_bytes()[..column.bytes()].to_vec()),
                Input::Each(bytes) => {
                    let bytes = &bytes[part.start * column.bytes()..][..part.count * column.bytes()];
                    let lent = if in_place(bytes) { bytes } else { room.with(bytes, count, column.bytes()) };
                    Argument::Address(memory.lend(lent, format!("input `{}`", column.name))?)
                }
            });
        }
        let outputs = self.snippet.outputs.iter().zip(&mut part.outputs).zip(&mut worker.outputs);
        for ((column, bytes), room) in outputs {
            let lent = if in_place(bytes) { &mut **bytes } else { room.of(count * column.bytes()) };
            arguments.push(Argument::Address(memory.lend_mut(lent, format!("output `{}`", column.name))?));
        }
        self.launch(part.start, count, &memory, &arguments, worker.look)?;
        for (bytes, room) in part.outputs.iter_mut().zip(&mut worker.outputs) {
            if !in_place(bytes) {
                bytes.copy_from_slice(room.of(bytes.len()));
            }
        }
        Ok(())
    }

    fn launch(
        &self,
        start: usize,
        count: usize,
        memory: &Memory,
        arguments: &[Argument],
        look: Option<&(dyn Fn() + Sync)>,
    ) -> Result<(), Failure> {
        let Kernel { program, entry, .. } = self.kernel;
        let launch = Launch {
            grid: (count.div_ceil(self.block) as u32).into(),
            block: (self.block as u32).into(),
            parameters: parameter_block(program.module().function(*entry), 64, arguments)?,
            engine: self.options.engine,
            simd: self.options.simd,
            semantics: self.options.semantics,
            max_steps: self.options.max_steps,
            workers: 1,
            cancel: self.options.cancel,
            look,
            ..Launch::new(*entry)
        };
        match launch.run(program, memory) {
            Ok(_) => Ok(()),
            Err(Error::Launch(error)) => Err(error.into()),
            Err(Error::Trap(trap)) => Err(self.stopped(start, &trap)),
        }
    }

    fn stopped(&self, start: usize, trap: &Trap) -> Failure {
        if trap.kind == TrapKind::Cancelled {
            return Failure::Cancelled;
        }
        let element = start + trap.block.x as usize * self.block + trap.thread.x as usize;
        let span = self.kernel.origin(&self.snippet.piece, trap.instruction.0 as usize);
        Failure::Stopped(Box::new(Stopped { message: trap.kind.to_string(), element, span }))
    }
}

/// What a worker has for itself.
struct Worker<'a> {
    /// Room for copies of columns that cannot be lent.
    inputs: Vec<Room>,
    outputs: Vec<Room>,
    look: Option<&'a (dyn Fn() + Sync)>,
}

impl<'a> Worker<'a> {
    fn new(snippet: &Snippet) -> Worker<'a> {
        let rooms = |columns: &[Column]| columns.iter().map(|_| Room::default()).collect();
        Worker { inputs: rooms(&snippet.inputs), outputs: rooms(&snippet.outputs), look: None }
    }
}

fn can_be_lent(bytes: &[u8]) -> bool {
    (bytes.as_ptr().addr() as u64).is_multiple_of(LENT_ALIGNMENT)
}

/// Bytes that can be lent.
#[derive(Default)]
struct Room(Vec<u8>);

impl Room {
    /// So many of them, with whatever they held.
    fn of(&mut self, bytes: usize) -> &mut [u8] {
        let alignment = LENT_ALIGNMENT as usize;
        if self.0.len() < bytes + alignment {
            self.0.resize(bytes + alignment, 0);
        }
        let skipped = self.0.as_ptr().addr().wrapping_neg() % alignment;
        &mut self.0[skipped..skipped + bytes]
    }

    /// A copy of at least one element, and the last of them once more for each that there are less than `count`.
    fn with(&mut self, elements: &[u8], count: usize, size: usize) -> &[u8] {
        let room = self.of(count * size);
        let (copy, more) = room.split_at_mut(elements.len());
        copy.copy_from_slice(elements);
        more.chunks_exact_mut(size).for_each(|one| one.copy_from_slice(&elements[elements.len() - size..]));
        room
    }
}
