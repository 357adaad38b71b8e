//! Registers of many threads at once, and micro-ops carried out on them.
//!
//! A value of 32 bits has a line of 16 threads, one line after the other; a value of 64 bits has two lines for the same
//! threads. Predicates are lines of 32-bit masks: all ones or 0. A value that is the same in all threads has the lines of
//! one group only, all alike, and is read with a stride of 0: so the same handlers serve both.

#![allow(unsafe_code)]
#![cfg_attr(
    not(target_arch = "x86_64"),
    allow(dead_code, unused_unsafe, reason = "handlers and tiles of other levels are for x86-64")
)]

mod blocks;
mod environment;
mod executable;
mod fused_loop;
mod handlers;
mod held;
mod jit;
mod level;
mod offsets;
mod pair;
mod place;
mod portable;
mod products;
mod ramp;
mod runs;
mod scan;
mod scope;
#[cfg(target_arch = "x86_64")]
mod tiles;
mod vector_op;
mod vector_ops;
mod warps;
#[cfg(target_arch = "x86_64")]
mod x86;

pub(crate) use environment::DefaultEnvironment;
pub(crate) use fused_loop::{Geometry, Item, PassInput, Source, TileInput, TurnsOf, Work};
pub(crate) use level::Level;
pub use level::Simd;
pub(crate) use pair::LanesMut;
pub(crate) use place::{GROUP, Line, Place, UNIT, width};
pub(crate) use portable::Scan;
pub(crate) use products::{ProductOp, ProductRoom};
pub(crate) use runs::{Fused, FusedStore, MachineStage, RunKind, Runs};
pub(crate) use vector_op::{VectorOp, What};
pub(crate) use vector_ops::{VectorOps, can_be_compiled};

use crate::memory::Bulk;
use handlers::Handler;
use margay_isa::WARP;
use margay_isa::uop::Type;
use scope::{Row, Rows, scope};
use std::ops::Range;
use vector_ops::check;

/// Lines that were in use, and are kept for the next launch with what they hold.
pub(crate) struct Storage {
    lines: Vec<Line>,
    lent: Vec<*const Line>,
    /// Of which threads the mask in the lines was made, a bit each for every warp.
    masked: Vec<u32>,
}

// SAFETY: no pointer is left in it: `Lines::take_storage` clears them.
unsafe impl Send for Storage {}

impl Storage {
    /// One of so many lines, all zero, for so many groups of threads.
    pub(crate) fn new(lines: usize, groups: usize) -> Storage {
        let masked = vec![0; groups * GROUP / WARP];
        Storage { lines: bytemuck::zeroed_vec(lines), lent: vec![std::ptr::null(); lines], masked }
    }

    /// How many lines it has.
    #[cfg(test)]
    pub(crate) fn lines(&self) -> usize {
        self.lines.len()
    }
}

/// Lines, the groups that each value has, and the operations that are carried out on them.
pub(crate) struct Lines<'a> {
    lines: Vec<Line>,
    groups: usize,
    /// The level of the handlers.
    level: Level,
    vector_ops: &'a [VectorOp],
    handlers: &'a [Handler],
    runs: Option<&'a Runs>,
    compiled: Option<&'a jit::Compiled>,
    /// The code that each fused loop ran with last.
    variants: Vec<Option<std::sync::Arc<jit::Variant>>>,
    /// Room for pointers that code is given.
    table: Vec<*const u8>,
    /// For every line at which a lent place begins, where in memory its value is; null if it is in the lines.
    lent: Vec<*const Line>,
    /// Whether some place was lent.
    has_lent: bool,
    /// The same for the place that an operation writes to memory.
    aimed: *mut Line,
    /// Where each CTA has a row of memory there.
    rows: Option<Rows>,
    /// The units in which threads run, as stretches; what the others hold of values that do not last is of no concern.
    units: Vec<(u32, u32)>,
    /// For every warp, a bit for each of its threads that runs.
    running: Vec<u32>,
    /// The same of those that the mask has been made of.
    masked: Vec<u32>,
    memory: std::marker::PhantomData<Bulk<'a>>,
}

impl<'a> Lines<'a> {
    /// Lines for some operations: those of an earlier launch that had the same, or zero ones.
    ///
    /// # Panics
    /// If the storage is another size.
    pub(crate) fn new(vector_ops: &'a VectorOps, simd: Simd, storage: Option<Storage>) -> Lines<'a> {
        let (count, groups) = (vector_ops.lines, vector_ops.groups);
        let Storage { lines, lent, masked } = storage.unwrap_or_else(|| Storage::new(count, groups));
        let warps = groups * GROUP / WARP;
        assert!(lines.len() == count && lent.len() == count && masked.len() == warps);
        Lines {
            lines,
            groups,
            // A level that the machine lacks must not be run, whoever asks for it.
            level: Level::of(simd),
            vector_ops: &vector_ops.vector_ops,
            handlers: &vector_ops.handlers,
            runs: Some(&vector_ops.runs),
            compiled: vector_ops.compiled(simd),
            variants: vec![None; vector_ops.runs.fused_loops.len()],
            table: Vec::new(),
            lent,
            aimed: std::ptr::null_mut(),
            rows: None,
            has_lent: false,
            units: vec![(0, (groups / UNIT) as u32)],
            running: vec![0; warps],
            masked,
            memory: std::marker::PhantomData,
        }
    }

    /// What may be kept for the next launch; nothing can be done with the lines any more.
    pub(crate) fn take_storage(&mut self) -> Storage {
        let mut lent = std::mem::take(&mut self.lent);
        if self.has_lent {
            lent.fill(std::ptr::null());
        }
        (self.vector_ops, self.handlers) = (&[], &[]);
        self.runs = None;
        self.compiled = None;
        self.groups = 0;
        Storage { lines: std::mem::take(&mut self.lines), lent, masked: std::mem::take(&mut self.masked) }
    }

    /// The level of the handlers.
    pub(crate) fn level(&self) -> Level {
        self.level
    }

    /// For every warp, a bit for each of its threads that runs.
    pub(crate) fn running(&self) -> &[u32] {
        &self.running
    }

    /// Carries out some of the operations, one after the other, in the units in which threads run.
    pub(crate) fn run(&mut self, range: Range<u32>) {
        match self.rows {
            None => self.run_in(range, None),
            Some(rows) => (0..rows.ctas).for_each(|cta| self.run_in(range.clone(), Some(rows.row(cta)))),
        }
    }

    /// The same, or for one CTA whose results go to a row of memory.
    fn run_in(&mut self, range: Range<u32>, row: Option<Row>) {
        let scope = scope(&self.units, &self.lent, self.aimed, row.as_ref());
        if let (Some(compiled), Some(runs)) = (self.compiled, self.runs) {
            // SAFETY: only a machine with the level has compiled code, and `VectorOps::new` has checked the operations that it
            // was made of for just these lines and groups.
            if unsafe {
                compiled.run((self.vector_ops, runs), &mut self.lines, scope, &mut self.table, range.start)
            } {
                return;
            }
        }
        let range = range.start as usize..range.end as usize;
        let lines = self.lines.as_mut_ptr();
        for (vector_op, handler) in self.vector_ops[range.clone()].iter().zip(&self.handlers[range]) {
            // SAFETY: `Lines::new` has made sure that the machine has the level, and `VectorOps::new` has checked the operations
            // and their handlers for just these lines and groups; `lend` and `aim`, how far memory reaches.
            unsafe { handler.run(self.level, lines, &scope, vector_op) };
        }
    }

    /// Carries out a self-loop's operations again and again, each group of threads for itself, until none of it goes round any more
    /// or so many turns have been taken; `false` if there is no code for that, and nothing is done.
    pub(crate) fn run_self_loop(&mut self, range: Range<u32>, turns: u32) -> bool {
        if let Some(compiled) = self.compiled {
            let scope = scope(&self.units, &self.lent, self.aimed, None);
            // SAFETY: as in `run`.
            return unsafe {
                compiled.run_self_loop(&mut self.lines, scope, &mut self.table, range.start, turns)
            };
        }
        false
    }

    /// Whether fused loops may be carried out in one pass.
    pub(crate) fn may_if_convert(&self) -> bool {
        self.compiled.is_some()
    }

    /// Carries out a fused loop for the first threads, with its loads' elements where they have been found; `false` if it cannot
    /// be one pass, and nothing is done. Whether all of these threads run must be said, and how many turns they take, if it takes turns.
    pub(crate) fn run_fused_loop(
        &mut self,
        fused_loop: u32,
        input: PassInput,
        (threads, all_run): (usize, bool),
    ) -> bool {
        if let (Some(compiled), Some(runs)) = (self.compiled, self.runs) {
            let last = &mut self.variants[fused_loop as usize];
            let PassInput { sources, copies, turns } = input;
            let Some(variant) = compiled.fused_loop(runs, fused_loop, last, sources, (threads, all_run))
            else {
                return false;
            };
            // Code that takes turns reads how many there are.
            assert!(
                runs.fused_loops[fused_loop as usize].turns == turns.is_some()
                    && turns.is_none_or(|turns| turns.count > 0 && turns.moves.len() == sources.len())
            );
            let mut copies = copies;
            if self.rows.is_some() {
                // SAFETY: as below. A row may be one that is copied for a later block.
                copies.iter().for_each(|copies| unsafe { copies.carry_out() });
                copies = &[];
            }
            let input = PassInput { copies, ..input };
            let scope = scope::Scope { rows: self.rows, ..scope(&self.units, &self.lent, self.aimed, None) };
            // SAFETY: as in `run`; a source's elements lie inside for all threads, and turns, that it was made for, and what copies
            // were found in is there as long as that.
            unsafe { variant.run(&mut self.lines, scope, &mut self.table, input, threads) };
            return true;
        }
        false
    }

    /// Carries out so many turns of a tiled loop for the first threads, which all run, block (CTA) after block of so many threads;
    /// `false` if a pass has no code for that, and nothing is done.
    pub(crate) fn run_tiled_loop(
        &mut self,
        tiles: &[TileInput],
        turns: u32,
        (threads, own): (usize, usize),
    ) -> bool {
        if let (Some(compiled), Some(runs)) = (self.compiled, self.runs) {
            let mut passes = Vec::with_capacity(tiles.len());
            for tile in tiles {
                let last = &mut self.variants[tile.fused_loop as usize];
                let takes_turns = runs.fused_loops[tile.fused_loop as usize].turns;
                assert!(!takes_turns && tile.moves.len() == tile.sources.len());
                if compiled.fused_loop(runs, tile.fused_loop, last, tile.sources, (threads, true)).is_none() {
                    return false;
                }
                passes.extend(last.clone().map(|variant| (variant, *tile)));
            }
            let scope = scope(&self.units, &self.lent, self.aimed, None);
            // SAFETY: as in `run`; a source's elements lie inside for all threads and turns that it was made for, and what copies were
            // found in is there as long as that.
            return unsafe { jit::run_tiled_loop(&passes, &mut self.lines, scope, turns, (threads, own)) };
        }
        false
    }

    /// Lets a place's value be read where it is in memory, `at` bytes from its start, instead of being copied; `false` if
    /// memory does not reach as far as the lines do. Until then, and from `take_back` on, the lines hold it.
    ///
    /// A kernel that races may see such a value change between two of its uses.
    pub(crate) fn lend(&mut self, place: Place, memory: Bulk<'a>, at: u64, ty: Type) -> bool {
        let bytes = (self.groups * usize::from(width(ty)) * size_of::<Line>()) as u64;
        match memory.stretch(at, bytes) {
            Some(start) if place.step() > 0 => {
                self.lent[place.line as usize] = start.cast();
                self.has_lent = true;
                true
            }
            _ => false,
        }
    }

    /// Lets a place's value be read in its lines.
    pub(crate) fn take_back(&mut self, place: Place) {
        self.lent[place.line as usize] = std::ptr::null();
    }

    /// Lets the next operation whose result may go to memory write it there, `at` bytes from the start, and nowhere else;
    /// `false` if memory does not reach as far as the lines do. The value must be for all threads of all groups.
    ///
    /// What the operation reads may be lent by the same memory: a thread's own value is read before it is written, and
    /// others' only where a kernel races.
    pub(crate) fn aim(&mut self, memory: Bulk<'a>, at: u64, ty: Type) -> bool {
        self.rows = None;
        let bytes = (self.groups * usize::from(width(ty)) * size_of::<Line>()) as u64;
        match memory.stretch(at, bytes) {
            Some(start) => self.aimed = start.cast_mut().cast(),
            None => self.aimed = std::ptr::null_mut(),
        }
        !self.aimed.is_null()
    }

    /// The same where the results of each CTA, of so many threads, go to a row of memory, that far from the one before. All threads
    /// of all groups must run, and CTAs be whole units.
    pub(crate) fn aim_at_rows(
        &mut self,
        memory: Bulk<'a>,
        at: u64,
        step: i64,
        ty: Type,
        threads: usize,
    ) -> bool {
        self.aim_at_lines();
        let ctas = (self.groups * GROUP / threads) as u32;
        let bytes = (threads / GROUP * usize::from(width(ty)) * size_of::<Line>()) as u64;
        let row = |cta: u32| memory.stretch(at.checked_add_signed(step.checked_mul(cta.into())?)?, bytes);
        let (Some(start), true) = (row(0), (0..ctas).all(|cta| row(cta).is_some())) else { return false };
        self.aimed = start.cast_mut().cast();
        self.rows = Some(Rows {
            start: self.aimed,
            ctas,
            step: step.wrapping_sub_unsigned(bytes),
            units: (threads / (UNIT * GROUP)) as u32,
        });
        true
    }

    /// Lets results go to the lines again.
    pub(crate) fn aim_at_lines(&mut self) {
        self.rows = None;
        self.aimed = std::ptr::null_mut();
    }

    /// Carries out another operation, for all threads.
    ///
    /// # Panics
    /// If it reaches outside.
    pub(crate) fn run_one(&mut self, vector_op: &VectorOp) {
        let handler = check(vector_op, self.lines.len(), self.groups);
        let units = [(0, (self.groups / UNIT) as u32)];
        let scope = scope(&units, &self.lent, self.aimed, None);
        // SAFETY: as in `run`, and just checked.
        unsafe { handler.run(self.level, self.lines.as_mut_ptr(), &scope, vector_op) };
    }

    /// What is known of the 64-bit values of the first threads, at least one.
    pub(crate) fn scan(&self, place: Place, threads: usize) -> Scan {
        let values = &self.u64s(place)[..threads];
        // SAFETY: as in `run`.
        unsafe {
            match self.level.simd() {
                #[cfg(target_arch = "x86_64")]
                Simd::Avx512 => x86::scan_avx512(values),
                #[cfg(target_arch = "x86_64")]
                Simd::Avx2 => x86::scan_avx2(values),
                _ => portable::scan(values, portable::limits),
            }
        }
    }

    /// The lines of a place that is read and of one that is written.
    ///
    /// # Panics
    /// If they are not apart.
    pub(crate) fn apart(
        &mut self,
        from: Place,
        wide: usize,
        to: Place,
        other: usize,
    ) -> (&[Line], &mut [Line]) {
        let span = |place: Place, width: usize| {
            let groups = if place.stride == 0 { 1 } else { self.groups };
            let first = place.line as usize;
            first..first + groups * width
        };
        let spans = [span(from, wide), span(to, other)];
        match self.lines.get_disjoint_mut(spans) {
            Ok([from, to]) => (from, to),
            Err(_) => panic!("{from:?} and {to:?} share lines"),
        }
    }

    /// The lines of several places that are written, each value so many lines wide; none if places share lines.
    pub(crate) fn many_mut<const N: usize>(
        &mut self,
        places: [Place; N],
        width: usize,
    ) -> Option<[&mut [Line]; N]> {
        let length = self.groups * width;
        let spans = places.map(|place| place.line as usize..place.line as usize + length);
        let varies = places.iter().all(|place| place.stride > 0);
        self.lines.get_disjoint_mut(spans).ok().filter(|_| varies)
    }

    /// The 32-bit values, or the masks, of a place, thread by thread.
    pub(crate) fn u32s(&self, place: Place) -> &[u32] {
        bytemuck::cast_slice(self.span(place, 1))
    }

    /// The same, to be written.
    pub(crate) fn u32s_mut(&mut self, place: Place) -> &mut [u32] {
        bytemuck::cast_slice_mut(self.span_mut(place, 1))
    }

    /// The 64-bit values of a place, thread by thread.
    pub(crate) fn u64s(&self, place: Place) -> &[u64] {
        bytemuck::cast_slice(self.span(place, 2))
    }

    /// The same, to be written.
    pub(crate) fn u64s_mut(&mut self, place: Place) -> &mut [u64] {
        bytemuck::cast_slice_mut(self.span_mut(place, 2))
    }

    /// A thread's value as bits: predicates as 0 or 1.
    #[inline]
    pub(crate) fn get(&self, ty: Type, place: Place, thread: usize) -> u64 {
        let thread = if place.stride == 0 { 0 } else { thread };
        if place.is_lent() && !self.lent[place.line as usize].is_null() {
            return self.get_lent(ty, place, thread);
        }
        match ty {
            Type::Pred => u64::from(self.u32s(place)[thread] & 1),
            Type::U32 => u64::from(self.u32s(place)[thread]),
            Type::U64 => self.u64s(place)[thread],
        }
    }

    /// A thread's value where memory lends it.
    #[cold]
    fn get_lent(&self, ty: Type, place: Place, thread: usize) -> u64 {
        assert!(thread < self.groups * GROUP);
        let start = self.lent[place.line as usize];
        // SAFETY: `lend` has made sure that memory reaches as far as the lines do.
        unsafe {
            match ty {
                Type::Pred | Type::U32 => u64::from(start.cast::<u32>().add(thread).read_unaligned()),
                Type::U64 => start.cast::<u64>().add(thread).read_unaligned(),
            }
        }
    }

    /// Sets a thread's value; where the place is the same for all threads, theirs.
    #[inline]
    pub(crate) fn set(&mut self, ty: Type, place: Place, thread: usize, bits: u64) {
        let range = if place.stride == 0 { 0..GROUP } else { thread..thread + 1 };
        match ty {
            Type::Pred => self.u32s_mut(place)[range].fill(if bits & 1 == 0 { 0 } else { u32::MAX }),
            Type::U32 => self.u32s_mut(place)[range].fill(bits as u32),
            Type::U64 => self.u64s_mut(place)[range].fill(bits),
        }
    }

    fn span(&self, place: Place, width: usize) -> &[Line] {
        let groups = if place.stride == 0 { 1 } else { self.groups };
        &self.lines[place.line as usize..][..groups * width]
    }

    fn span_mut(&mut self, place: Place, width: usize) -> &mut [Line] {
        let groups = if place.stride == 0 { 1 } else { self.groups };
        &mut self.lines[place.line as usize..][..groups * width]
    }
}

#[cfg(test)]
mod random_runs;
#[cfg(test)]
mod tests;
