//! Runs of operations as machine code: one pass over the threads for all of a run, with values in registers.
//!
//! A run is what lies between two steps that reach outside the lines. It becomes a function that takes a group of threads
//! after the other, loads what the run reads, carries out its operations, and stores what is read after it. The code is for
//! AVX-512; operations for which there are no instructions stay with the handlers.

mod allocate;
mod encode;
mod interleave;
mod machine;
mod operate;
mod select;

use super::{Act, Line, Scope, UNIT};
use encode::{Function, Text};
use machine::Pointer;
use memmap2::{Mmap, MmapMut};
pub(crate) use operate::is_known;
use select::{Run, select};
use std::collections::HashMap;
use std::ops::Range;

/// Pointers that a function may take.
const MOST_POINTERS: usize = 10;

/// What a plan's operations became.
pub(super) struct Compiled {
    text: Mmap,
    /// By the first operation of a run.
    functions: Vec<Option<Entry>>,
}

struct Entry {
    start: u32,
    pointers: Vec<Pointer>,
}

/// What is compiled: operations, the runs that they are carried out in, whether their results are read after those runs, and
/// the constants at places that are the same in all threads, by their lines.
pub(super) struct Source<'a> {
    pub(super) acts: &'a [Act],
    pub(super) runs: &'a [Range<u32>],
    pub(super) lasts: &'a [bool],
    pub(super) constants: &'a HashMap<u32, u64>,
}

/// Whether the system lets a process have memory with code.
pub(super) fn is_allowed() -> bool {
    MmapMut::map_anon(1).and_then(MmapMut::make_exec).is_ok()
}

/// The machine code for runs; none if there is none, or the system does not allow memory with code.
pub(super) fn compile(source: &Source) -> Option<Compiled> {
    let mut text = Text::new();
    let mut functions: Vec<Option<Entry>> = source.acts.iter().map(|_| None).collect();
    for run in source.runs {
        let range = run.start as usize..run.end as usize;
        let (acts, lasts) = (&source.acts[range.clone()], &source.lasts[range]);
        let Some(body) = select(&Run { acts, lasts, constants: source.constants }) else { continue };
        let (body, groups) = interleave::interleave(body);
        let allocated = allocate::allocate(&body);
        let function = Function {
            groups,
            kinds: &body.kinds,
            constants: &body.constants,
            pointers: &body.pointers,
            allocated: &allocated,
        };
        if let Some(start) = text.add(&function) {
            functions[run.start as usize] = Some(Entry { start, pointers: body.pointers });
        }
    }
    let bytes = text.bytes();
    let mut memory = MmapMut::map_anon(bytes.len().max(1)).ok()?;
    memory[..bytes.len()].copy_from_slice(&bytes);
    Some(Compiled { text: memory.make_exec().ok()?, functions })
}

/// A compiled run: the lines, pointers to what may be elsewhere, and the first and the last byte of the threads' first lines.
type Pass = unsafe extern "sysv64" fn(*mut Line, *const *const Line, u64, u64);

impl Compiled {
    /// Whether a run has code.
    #[cfg(test)]
    pub(super) fn has(&self, first: u32) -> bool {
        matches!(self.functions.get(first as usize), Some(Some(_)))
    }

    /// Carries out a run for the units in which threads run; `false` if it has no code.
    ///
    /// # Safety
    /// The machine must have the instructions of [`Simd::Jit`](super::Simd::Jit), and the lines must be those that the
    /// operations have been checked for, for all groups of the units; values in memory must reach as far as the lines.
    pub(super) unsafe fn run(&self, lines: &mut [Line], scope: Scope, first: u32) -> bool {
        let Some(Some(entry)) = self.functions.get(first as usize) else { return false };
        let lines = lines.as_mut_ptr();
        let mut pointers = [std::ptr::null::<Line>(); MOST_POINTERS];
        for (slot, pointer) in pointers.iter_mut().zip(&entry.pointers) {
            let there = match pointer.written {
                true => scope.aimed.cast_const(),
                false => scope.lent[pointer.line as usize],
            };
            *slot = if there.is_null() { lines.wrapping_add(pointer.line as usize) } else { there };
        }
        let start = &self.text[entry.start as usize..];
        // SAFETY: a function begins there, as `compile` has recorded.
        let pass = unsafe { std::mem::transmute::<*const u8, Pass>(start.as_ptr()) };
        for (first, count) in scope.units.iter().filter(|(_, count)| *count > 0) {
            let at = |unit: u32| u64::from(unit) * (UNIT * size_of::<Line>()) as u64;
            // SAFETY: the caller's promise: what the function reads and writes lies where the checked operations do.
            unsafe { pass(lines, pointers.as_ptr(), at(*first), at(*first + *count)) };
        }
        true
    }
}
