//! Runs of operations as machine code: one pass over the threads for all of a run, with values in registers.
//!
//! A run is what lies between two steps that reach outside the lines; a fused loop is runs with loads between them whose elements
//! are strided. Each becomes a function that takes a group of threads after the other, loads what it reads, carries out its
//! operations, and stores what is read after it. The code is for AVX-512, or is made of that for AVX2, and of that for AArch64; operations for
//! which there are no instructions stay with the handlers.

mod allocate;
mod approximate;
mod bits;
mod carry;
mod coalesce_gathers;
mod compare;
mod divide;
mod encode;
mod exchange;
#[cfg(test)]
mod extensions;
mod floats;
mod fold;
mod integers;
#[cfg(test)]
mod interpret;
mod isel;
mod jam_sets;
mod legalize;
mod load;
mod lowering;
mod machine;
mod nan;
mod neon;
mod operate;
mod packed;
mod pattern;
mod permute;
mod prefetch;
mod print;
mod roots;
mod rounding;
mod schedule;
mod stagger;
mod target;
mod tiled_loop;
mod turns;
mod unroll_and_jam;
mod values;
mod verify;

use crate::batch::affine::AXES;
use crate::batch::inconsistent::inconsistent;
use crate::batch::lanes::executable::{executable, fetch_anew};
use crate::batch::lanes::scope::Scope;
use crate::batch::lanes::{
    Fused, GROUP, Geometry, Item, Line, PassInput, Place, RunKind, Runs, Simd, Source, TurnsOf, UNIT,
    VectorOp, Work,
};
use allocate::{Allocated, Turned, allocate, allocate_turns};
use encode::{Around, Function, Text};
use fold::{Loads, fold};
use isel::select;
use lowering::Run;
use machine::{Instr, Pointer};
use memmap2::Mmap;
pub(crate) use operate::is_known;
use pattern::Pattern;
use prefetch::prefetch;
pub(super) use print::print;
use schedule::schedule;
use std::sync::{Arc, Mutex, OnceLock};
use target::Machine;
pub(super) use tiled_loop::run_tiled_loop;
use unroll_and_jam::{Arranged, MOST, unroll_and_jam};
use verify::{verify, verify_turns};

/// Codes that a fused loop may have, for loads whose elements lie in other ways.
const MOST_VARIANTS: usize = 8;

/// Threads of a unit.
const UNIT_THREADS: usize = UNIT * GROUP;

/// Bytes from thread to thread along each axis, for each load of a fused loop.
type Steps = Vec<[i64; AXES]>;

/// What a plan's operations became.
pub(super) struct Compiled {
    machine: &'static Machine,
    /// Runs that are not part of a fused loop.
    alone: Functions,
    /// The others, which are needed only where a fused loop cannot be one pass.
    parts: OnceLock<Functions>,
    self_loops: Functions,
    /// By fused loop, its codes and those that could not be made.
    fused_loops: Vec<Mutex<Vec<Known>>>,
}

/// A way in which a fused loop's loads find their elements, whether all threads run, and its code for that, if it could be made.
type Known = (Steps, bool, Option<Arc<Variant>>);

/// Functions, by the first operation of a run.
#[derive(Default)]
struct Functions {
    text: Option<Mmap>,
    entries: Vec<Option<Entry>>,
}

struct Entry {
    start: u32,
    /// Bytes of lines that a round is for.
    round: u64,
    pointers: Vec<Pointer>,
}

/// A fused loop's code for loads whose elements lie in a certain way.
pub(super) struct Variant {
    text: Mmap,
    entry: Entry,
    steps: Steps,
    /// Whether it is for all threads, and leaves none as they were.
    all_run: bool,
    patterns: Vec<Pattern>,
    /// Threads of a block, if it goes block by block, and not through all at once.
    own: Option<usize>,
    machine: &'static Machine,
}

/// A compiled run: the lines, pointers to what may be elsewhere (where it takes turns, after them how far each moves from turn to turn, and
/// how many turns there are), the first and the last byte of the threads' first lines, and the first group's place in tables, or how often
/// a self-loop goes round at most.
#[cfg(target_arch = "x86_64")]
type Pass = unsafe extern "sysv64" fn(*mut Line, *const *const u8, u64, u64, u64);
#[cfg(not(target_arch = "x86_64"))]
type Pass = unsafe extern "C" fn(*mut Line, *const *const u8, u64, u64, u64);

/// A run whose instructions have their registers.
struct Assigned {
    arranged: Arranged,
    /// What is done once, before the first round.
    before: Allocated,
    /// A round, or a turn of one.
    round: Allocated,
    /// What is done around the turns of a round, if it takes several.
    around: Option<Around>,
}

/// From operations to instructions on registers; none if there are no instructions for them.
fn assign(run: &Run) -> Option<Assigned> {
    let mut arranged = unroll_and_jam(select(run)?, run.long_rounds);
    fold(&mut arranged.body, Loads::All);
    if !arranged.is_in_order {
        schedule(&mut arranged.body);
    }
    let before = allocated(&arranged, &arranged.body.before)?;
    let (round, around) = match arranged.body.turns {
        Some(_) => {
            let Turned { enter, turn, asking, leave } = allocated_turns(&arranged)?;
            (turn, Some(Around { enter, asking, leave }))
        }
        None => {
            let mut round = allocated(&arranged, &arranged.body.instrs)?;
            prefetch(&arranged.body, &mut round);
            (round, None)
        }
    };
    Some(Assigned { arranged, before, round, around })
}

/// The same for a round that takes many turns.
fn allocated_turns(Arranged { body, slots, .. }: &Arranged) -> Option<Turned> {
    let Some(chosen) = allocate_turns(body, *slots) else {
        inconsistent("a turn reads a register that nothing sets");
        return None;
    };
    if cfg!(debug_assertions)
        && let Err(fault) = verify_turns(body, *slots, &chosen)
    {
        inconsistent(&fault);
        return None;
    }
    Some(chosen)
}

/// Instructions with their registers; none, and a word on it, if they contradict themselves.
fn allocated(arranged: &Arranged, instrs: &[Instr]) -> Option<Allocated> {
    let Arranged { body, slots, .. } = arranged;
    let Some(chosen) = allocate(body, instrs, *slots) else {
        inconsistent("an instruction reads a register that nothing sets");
        return None;
    };
    if cfg!(debug_assertions)
        && let Err(fault) = verify(body, instrs, *slots, &chosen)
    {
        inconsistent(&fault);
        return None;
    }
    Some(chosen)
}

/// Adds a run's function; none if there are no instructions for it.
fn add(text: &mut Text, run: &Run) -> Option<Entry> {
    let Assigned { arranged, before, round, around } = assign(run)?;
    let Arranged { body, groups, .. } = arranged;
    let around = around.as_ref();
    let start = text.add(&Function { body: &body, before: &before, round: &round, around, groups })?;
    let round = (groups * body.machine.bytes) as u64;
    Some(Entry { start, round, pointers: body.pointers })
}

/// Whether the threads of each block are a multiple of those that a round has at most.
fn has_long_rounds(machine: &Machine, geometry: Geometry) -> bool {
    geometry.own().is_multiple_of(MOST * machine.lanes())
}

/// The predicate of the threads for which a run is carried out again, if it is a self-loop.
fn again(kind: RunKind, items: &[Item]) -> Option<Place> {
    items.last().filter(|_| kind == RunKind::SelfLoop).map(Item::to)
}

impl Functions {
    /// The functions of the runs of a kind.
    fn new(machine: &'static Machine, vector_ops: &[VectorOp], runs: &Runs, of: RunKind) -> Functions {
        let mut text = Text::new();
        let mut entries: Vec<Option<Entry>> = vector_ops.iter().map(|_| None).collect();
        for (range, kind) in runs.ranges.iter().filter(|(_, kind)| *kind == of) {
            let range = range.start as usize..range.end as usize;
            let items = vector_ops[range.clone()].iter().zip(&runs.lasts[range.clone()]);
            let items: Vec<Item> = items
                .map(|(vector_op, lasts)| Item { work: Work::VectorOp(*vector_op), lasts: *lasts })
                .collect();
            let constants = &runs.constants;
            let again = again(*kind, &items);
            let run = Run { again, ..Run::new(&items, constants, machine) };
            entries[range.start] = add(&mut text, &run);
        }
        if entries.iter().all(Option::is_none) {
            return Functions::default();
        }
        match executable(&text.bytes()) {
            Some(text) => Functions { text: Some(text), entries },
            None => Functions::default(),
        }
    }
}

impl Variant {
    /// A fused loop's code for all blocks at once, if the loads' elements go on by the same stride from block to block, or block by block.
    fn new(
        machine: &'static Machine,
        fused: &Fused,
        runs: &Runs,
        steps: &Steps,
        all_run: bool,
    ) -> Option<Variant> {
        let own = runs.geometry.own();
        let blocks = runs.geometry.extent[AXES - 1] as usize;
        let patterns = |threads: usize| {
            steps
                .iter()
                .map(|steps| pattern(machine, steps, runs.geometry, threads))
                .collect::<Option<Vec<_>>>()
        };
        let all = patterns(own * blocks).filter(|patterns| patterns.iter().all(Pattern::has_no_table));
        let (patterns, whole) = match all {
            Some(patterns) => (patterns, true),
            None if own.is_multiple_of(UNIT_THREADS) => (patterns(own)?, false),
            None => (patterns(own * blocks)?, true),
        };
        let mut text = Text::new();
        let full = runs.active.filter(|_| all_run);
        let constants = &runs.constants;
        let Fused { items, stores, turns } = fused;
        if !stores.is_empty() && !all_run {
            return None;
        }
        let long_rounds = all_run && has_long_rounds(machine, runs.geometry);
        let one = Run::new(items, constants, machine);
        let run = Run { patterns: &patterns, full, stores, turns: *turns, long_rounds, ..one };
        let entry = add(&mut text, &run)?;
        let text = executable(&text.bytes())?;
        Some(Variant {
            text,
            entry,
            steps: steps.clone(),
            all_run,
            patterns,
            own: if whole { None } else { Some(own) },
            machine,
        })
    }

    /// Carries the fused loop out for the units in which threads run, of the first threads; so many turns of it, if it takes turns. What is to
    /// be copied is copied before, for a block just before its threads come, if it goes block by block: then they find it in the cache. The
    /// table is room for pointers.
    ///
    /// # Safety
    /// As for [`Compiled::run`]; the sources must be those that the code was chosen for, and all elements of all these
    /// threads must lie in memory where they say, in every turn; what copies were found in must be there. There must be turns where the code
    /// takes some, one at least.
    pub(super) unsafe fn run(
        &self,
        lines: &mut [Line],
        scope: Scope,
        table: &mut Vec<*const u8>,
        PassInput { sources, copies, turns }: PassInput,
        threads: usize,
    ) {
        let pass = pass(&self.text, &self.entry);
        let lines = lines.as_mut_ptr();
        let end = (threads / UNIT_THREADS) as u32;
        // Where nothing differs from block to block, all are gone through at once.
        let own = match (self.own, scope.rows) {
            (Some(own), _) => (own / UNIT_THREADS) as u32,
            (None, Some(rows)) => rows.units,
            (None, None) => end,
        };
        // Where all threads run, units are those of all blocks.
        let by_block = self.own.is_some() && self.all_run;
        if !by_block {
            // SAFETY: the caller's promise.
            copies.iter().for_each(|copies| unsafe { copies.carry_out() });
        }
        let in_unit = UNIT * self.machine.in_group() * size_of::<i64>();
        let mut blocks = 0;
        for (first, count) in scope.units.iter() {
            let (mut from, to) = (*first, (*first + *count).min(end));
            if from < to {
                self.point(table, lines, &scope, sources, (from / own, own));
                table.extend(turns.iter().flat_map(|turns| self.entry.of_turns(turns)));
            }
            while from < to {
                let (block, first_of_block) = (from / own, from / own * own);
                let until = to.min(first_of_block + own);
                assert!((at(until) - at(from)).is_multiple_of(self.entry.round), "rounds are whole");
                if by_block && from == first_of_block {
                    // SAFETY: the caller's promise.
                    copies.iter().for_each(|copies| unsafe { copies.carry_out_for(block, 0) });
                    blocks += 1;
                }
                let in_tables = u64::from(from - first_of_block) * in_unit as u64;
                // SAFETY: the caller's promise.
                unsafe { pass(lines, table.as_ptr(), at(from), at(until), in_tables) };
                from = until;
                self.point_to_next(table, &scope, sources, own);
            }
        }
        debug_assert!(
            copies.is_empty() || !by_block || blocks == end / own,
            "copies are made for all blocks"
        );
    }

    /// What the function's pointers point to, for the threads of a block of so many units.
    fn point(
        &self,
        table: &mut Vec<*const u8>,
        lines: *mut Line,
        scope: &Scope,
        sources: &[Source],
        (block, own): (u32, u32),
    ) {
        let aimed = match scope.rows {
            Some(rows) => rows.row(block).aimed,
            None => scope.aimed,
        };
        point(table, &self.entry, lines, &Scope { aimed, ..*scope }, &|load| {
            sources[load].start.wrapping_offset(self.to_next(sources, load, own).wrapping_mul(block as isize))
        });
    }

    /// Has them point to the same for the next block.
    fn point_to_next(&self, table: &mut [*const u8], scope: &Scope, sources: &[Source], own: u32) {
        for (pointer, to) in self.entry.pointers.iter().zip(table) {
            let by = match *pointer {
                Pointer::Load(load) => self.to_next(sources, load, own),
                Pointer::Aimed(_) => scope.rows.map_or(0, |rows| rows.step as isize),
                Pointer::Lent(_) => 0,
            };
            *to = to.wrapping_offset(by);
        }
    }

    /// Bytes from where a load's pointer points for a block of so many units to where it does for the next.
    fn to_next(&self, sources: &[Source], load: usize, own: u32) -> isize {
        if self.own.is_none() {
            return 0;
        }
        // What the function adds for the groups of a block is taken away.
        let deferred = self.patterns[load].vectors() * i64::from(own) * UNIT_BYTES;
        sources[load].steps[AXES - 1].wrapping_sub(deferred) as isize
    }
}

impl Entry {
    /// What the function reads after its pointers where it takes turns: how far each moves from turn to turn, and how many turns there are.
    fn of_turns(&self, TurnsOf { count, moves }: &TurnsOf) -> impl Iterator<Item = *const u8> {
        let by = self.pointers.iter().map(|pointer| match *pointer {
            Pointer::Load(load) => moves[load] as u64,
            Pointer::Lent(_) | Pointer::Aimed(_) => 0,
        });
        by.chain([u64::from(*count)]).map(|number| std::ptr::without_provenance(number as usize))
    }
}

/// Where elements lie, for so many threads; none if groups differ in more than where they begin.
fn pattern(machine: &Machine, steps: &[i64; AXES], geometry: Geometry, threads: usize) -> Option<Pattern> {
    let lanes = machine.lanes();
    let distance = |thread: usize| geometry.distance(steps, thread);
    let (lane, middle) = (distance(1), lanes / 2);
    let half = distance(middle);
    let groups: Vec<i64> = (0..threads).step_by(lanes).map(distance).collect();
    let in_group = |k: usize| {
        let first = if k < middle { 0 } else { half };
        first.wrapping_add(lane.wrapping_mul((k % middle) as i64))
    };
    // Rows of whole groups need no look at each thread.
    let is_alike = geometry.extent[0].is_multiple_of(lanes as u32)
        || (0..threads).all(|t| distance(t) == groups[t / lanes].wrapping_add(in_group(t % lanes)));
    is_alike.then(|| Pattern::new(machine, lane, half, groups))
}

impl Compiled {
    /// The code of a level; none if it is one without.
    pub(super) fn new(simd: Simd, vector_ops: &[VectorOp], runs: &Runs) -> Option<Compiled> {
        Some(Compiled::for_machine(Machine::here(simd)?, vector_ops, runs))
    }

    /// The code for a machine.
    fn for_machine(machine: &'static Machine, vector_ops: &[VectorOp], runs: &Runs) -> Compiled {
        Compiled {
            machine,
            alone: Functions::new(machine, vector_ops, runs, RunKind::Alone),
            parts: OnceLock::new(),
            self_loops: Functions::new(machine, vector_ops, runs, RunKind::SelfLoop),
            fused_loops: runs.fused_loops.iter().map(|_| Mutex::default()).collect(),
        }
    }

    /// Whether a run has code.
    #[cfg(test)]
    pub(super) fn has(&self, first: u32) -> bool {
        matches!(self.alone.entries.get(first as usize), Some(Some(_)))
    }

    /// Carries out a run for the units in which threads run; `false` if it has no code. The table is room for pointers.
    ///
    /// # Safety
    /// The machine must have the instructions of the level that this is code of, the code must be of these operations, and the lines must be those that they have been checked for, for all groups of the units; values in memory must reach
    /// as far as the lines.
    pub(super) unsafe fn run(
        &self,
        (vector_ops, runs): (&[VectorOp], &Runs),
        lines: &mut [Line],
        scope: Scope,
        table: &mut Vec<*const u8>,
        first: u32,
    ) -> bool {
        let of = |functions: &Functions| functions.entries.get(first as usize).is_some_and(Option::is_some);
        let functions = match of(&self.alone) {
            true => &self.alone,
            false => self.parts.get_or_init(|| Functions::new(self.machine, vector_ops, runs, RunKind::Part)),
        };
        let (Some(text), Some(Some(entry))) = (&functions.text, functions.entries.get(first as usize)) else {
            return false;
        };
        let lines = lines.as_mut_ptr();
        point(table, entry, lines, &scope, &|_| std::ptr::null());
        let table = table.as_ptr();
        let pass = pass(text, entry);
        for (first, count) in scope.units.iter().filter(|(_, count)| *count > 0) {
            // SAFETY: the caller's promise: what the function reads and writes lies where the checked operations do.
            unsafe { pass(lines, table, at(*first), at(*first + *count), 0) };
        }
        true
    }

    /// Carries out a self-loop for the units in which threads run, at most so many turns of each group; `false` if it has no code.
    ///
    /// # Safety
    /// As for [`Compiled::run`].
    pub(super) unsafe fn run_self_loop(
        &self,
        lines: &mut [Line],
        scope: Scope,
        table: &mut Vec<*const u8>,
        first: u32,
        turns: u32,
    ) -> bool {
        let functions = &self.self_loops;
        let (Some(text), Some(Some(entry))) = (&functions.text, functions.entries.get(first as usize)) else {
            return false;
        };
        let lines = lines.as_mut_ptr();
        point(table, entry, lines, &scope, &|_| std::ptr::null());
        let table = table.as_ptr();
        let pass = pass(text, entry);
        for (first, count) in scope.units.iter().filter(|(_, count)| *count > 0) {
            // SAFETY: as in `run`; the last argument is how many turns a group may take, one at least.
            unsafe { pass(lines, table, at(*first), at(*first + *count), turns.max(1).into()) };
        }
        true
    }

    /// A fused loop's code for the first threads, which all run or not, if its loads' elements lie so that there is any.
    pub(super) fn fused_loop<'v>(
        &self,
        runs: &Runs,
        fused_loop: u32,
        last: &'v mut Option<Arc<Variant>>,
        sources: &[Source],
        (threads, all_run): (usize, bool),
    ) -> Option<&'v Variant> {
        if !threads.is_multiple_of(UNIT_THREADS) {
            return None;
        }
        let fits = |variant: &Variant| {
            variant.all_run == all_run && variant.steps.iter().eq(sources.iter().map(|source| &source.steps))
        };
        if !last.as_deref().is_some_and(fits) {
            *last = self.variant(runs, fused_loop, sources, all_run);
        }
        last.as_deref()
    }

    fn variant(
        &self,
        runs: &Runs,
        fused_loop: u32,
        sources: &[Source],
        all_run: bool,
    ) -> Option<Arc<Variant>> {
        let mut variants =
            self.fused_loops[fused_loop as usize].lock().unwrap_or_else(|poison| poison.into_inner());
        let known = |(steps, all, _): &&Known| {
            *all == all_run && steps.iter().eq(sources.iter().map(|source| &source.steps))
        };
        if let Some((.., variant)) = variants.iter().find(known) {
            return variant.clone();
        }
        if variants.len() == MOST_VARIANTS {
            return None;
        }
        let steps: Steps = sources.iter().map(|source| source.steps).collect();
        let variant =
            Variant::new(self.machine, &runs.fused_loops[fused_loop as usize], runs, &steps, all_run)
                .map(Arc::new);
        variants.push((steps, all_run, variant.clone()));
        variant
    }
}

/// Bytes of a unit's lines.
const UNIT_BYTES: i64 = (UNIT * size_of::<Line>()) as i64;

/// The first byte of a unit's lines.
fn at(unit: u32) -> u64 {
    u64::from(unit) * UNIT_BYTES as u64
}

/// What a function's pointers point to, one after the other.
fn point(
    table: &mut Vec<*const u8>,
    entry: &Entry,
    lines: *mut Line,
    scope: &Scope,
    source: &dyn Fn(usize) -> *const u8,
) {
    let or_lines = |there: *const Line, line: u32| match there.is_null() {
        true => lines.wrapping_add(line as usize).cast_const().cast(),
        false => there.cast(),
    };
    let pointers = entry.pointers.iter().map(|pointer| match *pointer {
        Pointer::Lent(line) => or_lines(scope.lent[line as usize], line),
        Pointer::Aimed(line) => or_lines(scope.aimed, line),
        Pointer::Load(load) => source(load),
    });
    table.clear();
    table.extend(pointers);
}

/// A function of some code.
fn pass(text: &Mmap, entry: &Entry) -> Pass {
    let start = &text[entry.start as usize..];
    fetch_anew();
    // SAFETY: a function of this type begins there, as was recorded when it was encoded.
    unsafe { std::mem::transmute::<*const u8, Pass>(start.as_ptr()) }
}
