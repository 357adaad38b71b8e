//! Device addresses of arrays: each lives as long as its array, in all modules of the process, and is never given again.
//!
//! Arrays that share memory share addresses: a *block* is the memory of the array that owns it, and a view lies in its
//! owner's block. Nothing is told to this when an array ends: weak references say which are alive, at each launch.
//! What only running launches still refer to counts as ended. While the lock is held nothing is done that could run Python code,
//! which may want the lock too.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use margay::exec::memory::Layout;
use numpy::PyUntypedArray;
use pyo3::prelude::*;
use pyo3::types::{PyWeakrefMethods, PyWeakrefReference};

use crate::array::{Bytes, base, extent};
use crate::held::{Held, Kept};

/// Addresses are multiples of this where the host's are.
const ALIGNMENT: u64 = 256;
/// At least so many bytes are free between two blocks.
const LEAST_GUARD: u64 = 4096;
/// So many addresses that have ended are remembered one by one.
const REMEMBERED: usize = 4096;

/// Where the host has some bytes.
type Span = Range<usize>;

/// Bytes that a launch may reach.
pub struct Reached {
    pub span: Span,
    pub read_only: bool,
    /// The device's address of the first of them.
    pub address: u64,
}

/// What a launch may reach, which stays alive as long as this does, and its arguments.
pub struct Reach {
    pub all: Vec<Reached>,
    launch: u64,
}

impl Drop for Reach {
    fn drop(&mut self) {
        let kept = known().running.remove(&self.launch);
        // What ends with this may run Python code, which may want the lock.
        drop(kept);
    }
}

/// All addresses that there are.
static KNOWN: Mutex<Known> =
    Mutex::new(Known { blocks: BTreeMap::new(), spaces: [None, None], launch: 0, running: BTreeMap::new() });

struct Known {
    /// By the host address of the first byte; no two overlap.
    blocks: BTreeMap<usize, Block>,
    /// Addresses of 64 bits and of 32.
    spaces: [Option<Space>; 2],
    /// Counts launches.
    launch: u64,
    /// What the launches that run keep alive.
    running: BTreeMap<u64, Kept>,
}

/// Memory that arrays share.
struct Block {
    end: usize,
    /// Where it begins in each space, once it has an address there.
    bases: [Option<u64>; 2],
    /// The arrays that own the memory.
    owners: Vec<Py<PyWeakrefReference>>,
    /// Arrays that have an address, each with its span.
    arrays: Vec<(Py<PyWeakrefReference>, Span)>,
    /// Spans whose addresses last as long as the block, and whether they are only read.
    lasting: Vec<(Span, bool)>,
    /// The launch that has used it, which keeps it until the next.
    launch: u64,
}

/// Addresses of so many bits.
struct Space {
    range: Range<u64>,
    next: u64,
    /// Bytes of the block that was placed last.
    last: u64,
    /// Whether all addresses have been given once.
    used_up: bool,
    /// Addresses whose arrays have ended, the latest at the end.
    ended: VecDeque<Range<u64>>,
    /// Below this, others have ended too.
    older: u64,
}

impl Space {
    fn new(address_size: u32) -> Space {
        let range = Layout::of(address_size).chosen;
        Space {
            next: range.start,
            older: range.start,
            last: 0,
            used_up: false,
            ended: VecDeque::new(),
            range,
        }
    }

    /// Where a block of so many bytes comes to lie, after the one before; once all addresses have been given, where none of
    /// these lies.
    fn take(&mut self, bytes: u64, taken: impl Fn() -> Vec<Range<u64>>) -> Option<u64> {
        let guard = self.last.max(bytes).max(LEAST_GUARD);
        let base = self.next.checked_add(guard)?.checked_next_multiple_of(ALIGNMENT)?;
        self.used_up |= base.checked_add(bytes).is_none_or(|end| end > self.range.end);
        let base = if self.used_up { self.gap(bytes, taken())? } else { base };
        (self.next, self.last) = (base + bytes, bytes);
        if self.used_up {
            self.ended.retain(|range| range.end <= base || base + bytes <= range.start);
        }
        Some(base)
    }

    /// Where so many bytes fit between these.
    fn gap(&self, bytes: u64, mut taken: Vec<Range<u64>>) -> Option<u64> {
        taken.sort_by_key(|range| range.start);
        let ends = taken.iter().map(|range| range.end + LEAST_GUARD);
        let starts = taken.iter().map(|range| range.start.saturating_sub(LEAST_GUARD));
        let gaps = [self.range.start].into_iter().chain(ends).zip(starts.chain([self.range.end]));
        let mut gaps = gaps.map(|(from, to)| (from.next_multiple_of(ALIGNMENT), to));
        Some(gaps.find(|(from, to)| from.checked_add(bytes).is_some_and(|end| end <= *to))?.0)
    }

    fn end(&mut self, range: Range<u64>) {
        self.ended.push_back(range);
        if self.ended.len() > REMEMBERED
            && let Some(oldest) = self.ended.pop_front()
        {
            self.older = self.older.max(oldest.end);
        }
    }
}

impl Block {
    fn address(&self, start: usize, of: usize, space: usize) -> Option<u64> {
        Some(self.bases[space]? + (of - start) as u64)
    }

    /// Whether an array that owns the memory is alive, and has it still.
    fn is_alive(&self, py: Python, start: usize, held: &Held) -> bool {
        let whole = start..self.end;
        let mut owners = self.owners.iter().filter_map(|owner| owned(py, owner, &whole));
        owners.any(|(owner, _)| held.is_wanted(&owner))
    }
}

/// The array that owns memory within a span, if it is alive.
fn owned<'py>(
    py: Python<'py>,
    owner: &Py<PyWeakrefReference>,
    within: &Span,
) -> Option<(Bound<'py, PyAny>, Span)> {
    let array = owner.bind(py).upgrade()?;
    let span = extent(array.cast::<PyUntypedArray>().ok()?);
    (within.start <= span.start && span.end <= within.end).then_some((array, span))
}

fn index(address_size: u32) -> usize {
    usize::from(address_size == 32)
}

fn known() -> MutexGuard<'static, Known> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Gives arguments their addresses, and finds what else kernels may reach: every array alive that has one.
pub fn reach(py: Python, arguments: &[&Bytes], address_size: u32) -> PyResult<Option<Reach>> {
    let mut news = Vec::with_capacity(arguments.len());
    for bytes in arguments {
        news.push(if known().has(py, bytes) { None } else { New::of(py, bytes)? });
    }
    let space = index(address_size);
    let mut known = known();
    known.launch += 1;
    known.forget(py);
    for (bytes, new) in arguments.iter().zip(news) {
        if known.place(py, bytes, new, space).is_none() {
            return Ok(None);
        }
    }
    Ok(known.reached(py, arguments, space))
}

/// The address of an array, which lasts as long as the memory that it is a view of.
pub fn lasting(py: Python, bytes: &Bytes) -> PyResult<Option<u64>> {
    let new = if known().has(py, bytes) { None } else { New::of(py, bytes)? };
    let mut known = known();
    known.forget(py);
    let space = index(64);
    let Some(address) = known.place(py, bytes, new, space) else { return Ok(None) };
    if let Some((_, block)) = known.around(&bytes.span()) {
        let (mut span, read_only) = (bytes.span(), bytes.is_read_only());
        // Those that touch or overlap become one.
        block.lasting.retain(|(other, other_read_only)| {
            let apart = other.end < span.start || span.end < other.start || *other_read_only != read_only;
            if !apart {
                span = span.start.min(other.start)..span.end.max(other.end);
            }
            apart
        });
        block.lasting.push((span, read_only));
    }
    Ok(Some(address))
}

/// The addresses of an array that has ended, if this was one of them.
pub fn ended(address: u64, address_size: u32) -> Option<Range<u64>> {
    let known = known();
    let space = known.spaces[index(address_size)].as_ref()?;
    let found = space.ended.iter().rfind(|range| range.contains(&address)).cloned();
    found.or_else(|| (space.range.start..space.older).contains(&address).then_some(address..address))
}

/// What is remembered of an array that is not known yet.
struct New {
    array: Option<Py<PyWeakrefReference>>,
    owner: Option<Py<PyWeakrefReference>>,
    /// The memory of the owner.
    span: Span,
}

impl New {
    fn of(py: Python, bytes: &Bytes) -> PyResult<Option<New>> {
        let Some(array) = bytes.array(py) else {
            return Ok(Some(New { array: None, owner: None, span: bytes.span() }));
        };
        let owner = owner(&array);
        let weak = |array: &Bound<PyUntypedArray>| PyWeakrefReference::new(array).map(Bound::unbind);
        let (whole, span) = (extent(&owner), bytes.span());
        let span = whole.start.min(span.start)..whole.end.max(span.end);
        Ok(Some(New { array: Some(weak(&array)?), owner: Some(weak(&owner)?), span }))
    }
}

/// The array whose memory another one is a view of, or the array itself.
fn owner<'py>(array: &Bound<'py, PyUntypedArray>) -> Bound<'py, PyUntypedArray> {
    let mut owner = array.clone();
    while let Some(Ok(base)) = base(&owner).map(Bound::cast_into) {
        owner = base;
    }
    owner
}

impl Known {
    /// The block that holds some bytes, and where it begins.
    fn around(&mut self, span: &Span) -> Option<(usize, &mut Block)> {
        let (start, block) = self.blocks.range_mut(..=span.start).next_back()?;
        // What is empty may lie at the end.
        let begins = span.start < block.end || span.is_empty();
        (begins && span.end <= block.end).then_some((*start, block))
    }

    /// Whether an array is known with these very bytes.
    fn has(&mut self, py: Python, bytes: &Bytes) -> bool {
        let (span, Some(array)) = (bytes.span(), bytes.array(py)) else { return false };
        let Some((_, block)) = self.around(&span) else { return false };
        let same = |known: &Py<PyWeakrefReference>| known.bind(py).upgrade().is_some_and(|a| a.is(&array));
        block.arrays.iter().any(|(known, at)| *at == span && same(known))
    }

    /// Forgets arrays that have ended, or have other memory now.
    fn forget(&mut self, py: Python) {
        let (launch, spaces) = (self.launch, &mut self.spaces);
        let held = Held::of(py, self.running.values());
        self.blocks.retain(|start, block| {
            let mut end = |block: &Block, span: &Span| {
                for (space, base) in spaces.iter_mut().zip(block.bases) {
                    if let (Some(space), Some(base)) = (space, base) {
                        let from = base + (span.start - start) as u64;
                        space.end(from..from + span.len() as u64);
                    }
                }
            };
            let has_ended = |(array, span): &mut (Py<PyWeakrefReference>, Span)| {
                let array = array.bind(py).upgrade().filter(|array| held.is_wanted(array));
                !array.is_some_and(|a| a.cast::<PyUntypedArray>().is_ok_and(|a| extent(a) == *span))
            };
            // Nothing is moved and no memory taken where all are alive, as most are.
            let gone: Vec<_> = block.arrays.extract_if(.., has_ended).collect();
            gone.iter().for_each(|(_, span)| end(block, span));
            if block.is_alive(py, *start, &held) || block.launch == launch {
                return true;
            }
            end(block, &(*start..block.end));
            false
        });
    }

    /// The address of an array, which is given if it has none.
    fn place(&mut self, py: Python, bytes: &Bytes, new: Option<New>, space: usize) -> Option<u64> {
        let (span, launch) = (bytes.span(), self.launch);
        if self.around(&span).is_none() {
            self.add(new.as_ref().map_or(span.clone(), |new| new.span.clone()));
        }
        self.give_base(&span, space)?;
        let (start, block) = self.around(&span)?;
        block.launch = launch;
        if let Some(New { array, owner, .. }) = new {
            // One of each array is enough.
            let known = |weak: &Py<PyWeakrefReference>, other: &Py<PyWeakrefReference>| {
                let (a, b) = (weak.bind(py).upgrade(), other.bind(py).upgrade());
                a.zip(b).is_some_and(|(a, b)| a.is(&b))
            };
            let whole = start..block.end;
            block.owners.retain(|other| owned(py, other, &whole).is_some());
            if let Some(owner) = owner.filter(|owner| !block.owners.iter().any(|other| known(owner, other))) {
                block.owners.push(owner);
            }
            if let Some(array) = array {
                block.arrays.push((array, span.clone()));
            }
        }
        block.address(start, span.start, space)
    }

    /// Adds a block. One that overlaps others takes their place: memory that no array of NumPy's owns can grow so.
    fn add(&mut self, span: Span) {
        // Even what is empty has a place.
        let end = span.end.max(span.start + 1);
        let before = self.blocks.range(..end).rev();
        let old: Vec<usize> =
            before.take_while(|(_, block)| span.start < block.end).map(|(at, _)| *at).collect();
        let mut block = Block {
            end,
            bases: [None; 2],
            owners: Vec::new(),
            arrays: Vec::new(),
            lasting: Vec::new(),
            launch: self.launch,
        };
        let mut start = span.start;
        for (at, mut old) in old.into_iter().filter_map(|at| Some((at, self.blocks.remove(&at)?))) {
            for (space, base) in self.spaces.iter_mut().zip(old.bases) {
                if let (Some(space), Some(base)) = (space, base) {
                    space.end(base..base + (old.end - at) as u64);
                }
            }
            (start, block.end) = (start.min(at), block.end.max(old.end));
            block.owners.append(&mut old.owners);
            block.arrays.append(&mut old.arrays);
            block.lasting.append(&mut old.lasting);
        }
        self.blocks.insert(start, block);
    }

    /// Gives the block that holds some bytes its place in a space.
    fn give_base(&mut self, span: &Span, space: usize) -> Option<()> {
        let (start, block) = self.around(span)?;
        if block.bases[space].is_some() {
            return Some(());
        }
        let bytes = (block.end - start) as u64;
        let others = &self.blocks;
        let taken = || {
            let ranges = others.iter().filter_map(|(start, block)| {
                let base = block.bases[space]?;
                Some(base..base + (block.end - start) as u64)
            });
            ranges.collect()
        };
        let size = if space == 0 { 64 } else { 32 };
        let base = self.spaces[space].get_or_insert_with(|| Space::new(size)).take(bytes, taken)?;
        self.around(span)?.1.bases[space] = Some(base);
        Some(())
    }

    /// Everything that has an address and is alive, the arguments too.
    fn reached(&mut self, py: Python, arguments: &[&Bytes], space: usize) -> Option<Reach> {
        let (mut all, mut kept) = (Vec::with_capacity(arguments.len()), Vec::new());
        for bytes in arguments {
            let (span, read_only) = (bytes.span(), bytes.is_read_only());
            let (start, block) = self.around(&span)?;
            let address = block.address(start, span.start, space)?;
            all.push(Reached { span, read_only, address });
        }
        for (start, block) in &self.blocks {
            if block.bases[space].is_none() {
                continue;
            }
            let mut add = |array: Bound<PyAny>, span: &Span, read_only: bool| {
                let read_only =
                    read_only || array.cast::<PyUntypedArray>().is_ok_and(crate::array::is_read_only);
                let address = block.address(*start, span.start, space).unwrap_or(0);
                all.push(Reached { span: span.clone(), read_only, address });
                kept.push(array.unbind());
            };
            for (array, span) in &block.arrays {
                if let Some(array) = array.bind(py).upgrade()
                    && !arguments.iter().any(|bytes| bytes.is_of(&array))
                {
                    add(array, span, false);
                }
            }
            for (span, read_only) in &block.lasting {
                let whole = *start..block.end;
                let owners = block.owners.iter().filter_map(|owner| owned(py, owner, &whole));
                let mut owners = owners.filter(|(_, of)| of.start <= span.start && span.end <= of.end);
                if let Some((owner, _)) = owners.next() {
                    add(owner, span, *read_only);
                }
            }
        }
        self.running.insert(self.launch, kept);
        Some(Reach { all, launch: self.launch })
    }
}
