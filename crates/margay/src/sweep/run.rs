//! A shard computed: chunks of inputs through both sides, compared and hashed, on all cores.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use margay_exec::{Lookout, cores};
use margay_isa::Bits;
use twox_hash::XxHash3_128;

use super::inputs::Inputs;
use super::report::{Difference, Question, Report, hex};
use super::{CHUNK, Options, Side, Sweep};
use crate::snippet::{self, Column, Failure, Input, Stopped};

/// What was found so far.
#[derive(Default)]
struct Found {
    differences: u64,
    first: Vec<Difference>,
    digests: [u128; 2],
}

/// What the workers share.
struct Work<'a> {
    sweep: &'a Sweep<'a>,
    inputs: Inputs<'a>,
    options: &'a Options<'a>,
    end: u64,
    /// The number of the next input that nobody has taken.
    next: AtomicU64,
    ended: AtomicBool,
    done: Mutex<u64>,
    found: Mutex<Found>,
    /// The earliest failure, and the first input of its chunk.
    failed: Mutex<Option<(u64, Failure)>>,
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Computes the inputs from one number to another.
pub fn run(
    sweep: &Sweep,
    question: Question,
    [start, end]: [u64; 2],
    options: &Options,
) -> Result<Report, Failure> {
    let keep = question.keep;
    let work = Work {
        sweep,
        inputs: Inputs::new(&sweep.axes, sweep.random),
        options,
        end,
        next: AtomicU64::new(start),
        ended: AtomicBool::new(false),
        done: Mutex::default(),
        found: Mutex::default(),
        failed: Mutex::default(),
    };
    let workers = match options.workers {
        0 => cores(),
        n => n,
    };
    let others = (end - start).div_ceil(CHUNK).min(workers as u64).saturating_sub(1);
    let lead = |lookout: &mut Lookout, call: &dyn Fn()| {
        call();
        work.carry_out(keep, options.look, lookout);
    };
    let follow = || work.carry_out(keep, None, &mut Lookout::new(None));
    Lookout::new(options.look).with_others(others as usize, lead, follow);
    if let Some((_, failure)) = work.failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(failure);
    }
    let mut found = work.found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.first.sort_by_key(|difference| difference.input);
    found.first.truncate(keep);
    Ok(Report {
        question,
        covered: if start < end { vec![[start, end]] } else { Vec::new() },
        inputs: end - start,
        differences: found.differences,
        first: found.first,
        digests: found.digests.map(hex),
    })
}

/// What a worker has for itself: the columns of its chunk, and what it does now and then.
struct Worker<'a> {
    inputs: Vec<Vec<u8>>,
    outputs: [Vec<Vec<u8>>; 2],
    look: Option<&'a (dyn Fn() + Sync)>,
}

impl Work<'_> {
    fn carry_out(&self, keep: usize, look: Option<&(dyn Fn() + Sync)>, lookout: &mut Lookout) {
        let mut worker = Worker {
            inputs: vec![Vec::new(); self.sweep.axes.len()],
            outputs: [0, 1].map(|_| vec![Vec::new(); self.sweep.outputs.len()]),
            look,
        };
        let mut found = Found::default();
        while !self.ended.load(Ordering::Relaxed) {
            lookout.look();
            let start = self.next.fetch_add(CHUNK, Ordering::Relaxed);
            if start >= self.end {
                break;
            }
            let count = CHUNK.min(self.end - start);
            if let Err(failure) = self.chunk(start, count as usize, &mut worker, &mut found, keep) {
                self.ended.store(true, Ordering::Relaxed);
                let mut failed = lock(&self.failed);
                if failed.as_ref().is_none_or(|(other, _)| start < *other) {
                    *failed = Some((start, failure));
                }
                return;
            }
            let mut done = lock(&self.done);
            *done += count;
            if let Some(tell) = self.options.progress {
                tell(*done);
            }
        }
        let mut all = lock(&self.found);
        all.differences += found.differences;
        all.first.extend(found.first);
        all.digests.iter_mut().zip(found.digests).for_each(|(sum, digest)| *sum = sum.wrapping_add(digest));
    }

    fn chunk(
        &self,
        start: u64,
        count: usize,
        worker: &mut Worker,
        found: &mut Found,
        keep: usize,
    ) -> Result<(), Failure> {
        if self.options.cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
            return Err(Failure::Cancelled);
        }
        self.inputs.fill(start, count, &mut worker.inputs);
        let Worker { inputs, outputs: [a, b], look } = worker;
        for (side, outputs) in self.sweep.sides.iter().zip([&mut *a, &mut *b]) {
            for (bytes, column) in outputs.iter_mut().zip(&self.sweep.outputs) {
                bytes.resize(count * column.bytes(), 0);
            }
            self.compute(side, start, count, inputs, outputs, *look)?;
        }
        let digest = |outputs: &[Vec<u8>]| {
            let one = |(k, bytes): (usize, &Vec<u8>)| {
                XxHash3_128::oneshot_with_seed(start ^ (k as u64).rotate_right(8), bytes)
            };
            outputs.iter().enumerate().map(one).fold(0, u128::wrapping_add)
        };
        let of_a = digest(a);
        let same = a == b;
        let of_b = if same { of_a } else { digest(b) };
        found.digests = [found.digests[0].wrapping_add(of_a), found.digests[1].wrapping_add(of_b)];
        if !same {
            self.compare(start, count, worker, found, keep);
        }
        Ok(())
    }

    fn compute(
        &self,
        side: &Side,
        start: u64,
        count: usize,
        inputs: &[Vec<u8>],
        outputs: &mut [Vec<u8>],
        look: Option<&(dyn Fn() + Sync)>,
    ) -> Result<(), Failure> {
        let mut outputs: Vec<&mut [u8]> = outputs.iter_mut().map(Vec::as_mut_slice).collect();
        match side {
            Side::Snippet(snippet, semantics) => {
                let axis = |column: &Column| {
                    self.sweep.axes.iter().position(|axis| axis.column.name == column.name).unwrap_or(0)
                };
                let inputs: Vec<Input> =
                    snippet.inputs().iter().map(|column| Input::Each(&inputs[axis(column)])).collect();
                let cancel = self.options.cancel;
                let options = snippet::Options {
                    semantics: *semantics,
                    workers: 1,
                    max_steps: self.options.max_steps,
                    cancel,
                    look,
                    ..Default::default()
                };
                let ended = snippet.apply(count, &inputs, &mut outputs, &options);
                ended.map_err(|failure| match failure {
                    Failure::Stopped(stopped) => {
                        let element = start as usize + stopped.element;
                        Failure::Stopped(Box::new(Stopped { element, ..*stopped }))
                    }
                    other => other,
                })
            }
            Side::Function(_, function) => {
                let inputs: Vec<&[u8]> = inputs.iter().map(Vec::as_slice).collect();
                function(count, &inputs, &mut outputs).map_err(Failure::Call)
            }
        }
    }

    /// Counts the elements that differ, and keeps the first.
    fn compare(&self, start: u64, count: usize, worker: &Worker, found: &mut Found, keep: usize) {
        let Worker { inputs, outputs: [a, b], .. } = worker;
        let of = |columns: &[Column], bytes: &[Vec<u8>], k: usize| -> Vec<String> {
            columns
                .iter()
                .zip(bytes)
                .map(|(column, bytes)| text(column, &bytes[k * column.bytes()..]))
                .collect()
        };
        let axes: Vec<Column> = self.sweep.axes.iter().map(|axis| axis.column.clone()).collect();
        let wanted = &self.sweep.outputs;
        let differs = |k: usize| {
            wanted.iter().zip(a.iter().zip(b)).any(|(column, (a, b))| {
                let bytes = k * column.bytes()..(k + 1) * column.bytes();
                a[bytes.clone()] != b[bytes]
            })
        };
        for k in (0..count).filter(|k| differs(*k)) {
            found.differences += 1;
            if found.first.len() < keep {
                found.first.push(Difference {
                    input: start + k as u64,
                    values: of(&axes, inputs, k),
                    a: of(wanted, a, k),
                    b: of(wanted, b, k),
                });
            }
        }
    }
}

/// An element in hex.
fn text(column: &Column, bytes: &[u8]) -> String {
    let bytes = &bytes[..column.bytes()];
    let value = bytes.iter().rev().fold(0, |value: Bits, byte| value << 8 | Bits::from(*byte));
    let digits = column.ty.width().div_ceil(4) as usize;
    format!("0x{value:0digits$x}")
}
