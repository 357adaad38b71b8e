//! Columns part by part through a kernel: copied in, computed, copied out, on all cores.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use margay_exec::{Argument, Error, Launch, LaunchError, Memory, Trap, TrapKind, parameter_block};
use margay_front::Span;

use super::kernel::Kernel;
use super::{Column, Input, Options, Snippet};
use crate::problem::Problem;

/// Elements that are computed together: few enough for their columns to stay in a core's cache.
pub const PART: usize = 1 << 15;

/// Threads of a block: as many as there may be, but not many more than there are elements.
fn block(count: usize) -> u32 {
    count.clamp(32, 1024).next_power_of_two() as u32
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
    /// Elements of the largest part.
    largest: usize,
    /// The earliest failure, and the element at which its part begins.
    failed: Mutex<Option<(usize, Failure)>>,
    ended: AtomicBool,
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
    let parts = parts(&snippet.outputs, count, outputs);
    let workers = match options.workers {
        0 => std::thread::available_parallelism().map_or(1, |n| n.get()),
        n => n,
    };
    let workers = workers.min(count.div_ceil(PART));
    let work = Work {
        snippet,
        kernel,
        inputs,
        options,
        largest: count.min(PART),
        failed: Mutex::default(),
        ended: AtomicBool::new(false),
        done: Mutex::default(),
    };
    if workers == 1 {
        work.carry_out(&Mutex::new(parts));
    } else {
        let parts = Mutex::new(parts);
        std::thread::scope(|scope| (0..workers).for_each(|_| drop(scope.spawn(|| work.carry_out(&parts)))));
    }
    let failed = work.failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    failed.map_or(Ok(()), |(_, failure)| Err(failure))
}

/// The outputs cut into parts, those with the first elements first.
fn parts<'a>(
    columns: &'a [Column],
    count: usize,
    outputs: &'a mut [&mut [u8]],
) -> impl Iterator<Item = Part<'a>> {
    let mut rest: Vec<&mut [u8]> = outputs.iter_mut().map(|output| &mut **output).collect();
    (0..count).step_by(PART).map(move |start| {
        let count = PART.min(count - start);
        let cut = |(left, column): (&mut &'a mut [u8], &Column)| {
            let (part, behind) = std::mem::take(left).split_at_mut(count * column.bytes());
            *left = behind;
            part
        };
        Part { start, count, outputs: rest.iter_mut().zip(columns).map(cut).collect() }
    })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Work<'_> {
    /// Takes parts until there are no more.
    fn carry_out<'p>(&self, parts: &Mutex<impl Iterator<Item = Part<'p>>>) {
        let mut place = match self.place() {
            Ok(place) => place,
            Err(failure) => return self.fail(0, failure),
        };
        while !self.ended.load(Ordering::Relaxed) {
            let Some(mut part) = lock(parts).next() else { return };
            if let Err(failure) = self.compute(&mut place, &mut part) {
                return self.fail(part.start, failure);
            }
            let mut done = lock(&self.done);
            *done += part.count as u64;
            if let Some(tell) = self.options.progress {
                tell(*done);
            }
        }
    }

    fn fail(&self, start: usize, failure: Failure) {
        self.ended.store(true, Ordering::Relaxed);
        let mut failed = lock(&self.failed);
        if failed.as_ref().is_none_or(|(other, _)| start < *other) {
            *failed = Some((start, failure));
        }
    }

    /// Memory for the columns of one part, and where in it they lie.
    fn place(&self) -> Result<Place, Failure> {
        let mut memory = Memory::new(64);
        let mut alloc = |column: &Column, what: &str| {
            memory.alloc((self.largest * column.bytes()) as u64, format!("{what} `{}`", column.name))
        };
        let mut inputs = Vec::with_capacity(self.inputs.len());
        for (column, input) in self.snippet.inputs.iter().zip(self.inputs) {
            inputs.push(match input {
                Input::Each(_) => Argument::Address(alloc(column, "input")?),
                Input::Same(value) => Argument::Bytes(value.to_le_bytes()[..column.bytes()].to_vec()),
            });
        }
        let outputs = self.snippet.outputs.iter().map(|column| alloc(column, "output"));
        let outputs = outputs.collect::<Result<Vec<u64>, _>>()?;
        Ok(Place { memory, inputs, outputs })
    }

    fn compute(&self, place: &mut Place, part: &mut Part) -> Result<(), Failure> {
        if self.options.cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
            return Err(Failure::Cancelled);
        }
        let fault = |fault: margay_exec::memory::Fault| Failure::Call(Problem::new(fault.to_string()));
        for ((column, input), argument) in self.snippet.inputs.iter().zip(self.inputs).zip(&place.inputs) {
            if let (Input::Each(bytes), Argument::Address(address)) = (input, argument) {
                let (at, size) = (part.start * column.bytes(), part.count * column.bytes());
                place.memory.write(*address, &bytes[at..at + size]).map_err(fault)?;
            }
        }
        let Kernel { program, entry, .. } = self.kernel;
        let block = block(self.largest);
        let count = Argument::from(part.count as u32);
        let outputs = place.outputs.iter().map(|address| Argument::Address(*address));
        let arguments: Vec<Argument> =
            std::iter::once(count).chain(place.inputs.iter().cloned()).chain(outputs).collect();
        let launch = Launch {
            grid: (part.count as u32).div_ceil(block).into(),
            block: block.into(),
            parameters: parameter_block(program.module().function(*entry), 64, &arguments)?,
            engine: self.options.engine,
            simd: self.options.simd,
            semantics: self.options.semantics,
            max_steps: self.options.max_steps,
            workers: 1,
            cancel: self.options.cancel,
            ..Launch::new(*entry)
        };
        match launch.run(program, &place.memory) {
            Ok(_) => {}
            Err(Error::Launch(error)) => return Err(error.into()),
            Err(Error::Trap(trap)) => return Err(self.stopped(part.start, &trap)),
        }
        for (bytes, address) in part.outputs.iter_mut().zip(&place.outputs) {
            place.memory.read_into(*address, bytes).map_err(fault)?;
        }
        Ok(())
    }

    fn stopped(&self, start: usize, trap: &Trap) -> Failure {
        if trap.kind == TrapKind::Cancelled {
            return Failure::Cancelled;
        }
        let element = start + (trap.block.x * block(self.largest) + trap.thread.x) as usize;
        let span = self.kernel.origin(&self.snippet.piece, trap.instruction.0 as usize);
        Failure::Stopped(Box::new(Stopped { message: trap.kind.to_string(), element, span }))
    }
}

/// Memory of one worker.
struct Place {
    memory: Memory,
    /// Addresses of columns, and values that are the same for all elements.
    inputs: Vec<Argument>,
    outputs: Vec<u64>,
}
