//! Which threads take part in a step: found once, before its loops.

use crate::batch::lanes::{Place, Scan};
use crate::batch::plan::Move;
use crate::batch::run::Cta;
use crate::batch::run::found::{Found, Home};
use crate::memory::Access;
use margay_isa::WARP;
use margay_isa::uop::Type;
use std::ops::Range;

/// Places in which a step's addresses lie, at most.
const PLACES: usize = 8;

/// The threads that take part.
pub(super) enum Part {
    /// All, so many.
    All(usize),
    /// Some; perhaps none.
    Some(Chosen),
}

/// Some of the threads.
pub(super) struct Chosen {
    /// For every warp, a bit for each of its threads that is one of them.
    pub(super) bits: Vec<u32>,
    count: usize,
}

impl Chosen {
    pub(super) fn new(bits: Vec<u32>) -> Chosen {
        let count = bits.iter().map(|bits| bits.count_ones() as usize).sum();
        Chosen { bits, count }
    }

    /// The threads, in order.
    pub(super) fn threads(&self) -> impl Iterator<Item = usize> {
        self.bits.iter().enumerate().flat_map(|(warp, bits)| {
            let mut bits = *bits;
            std::iter::from_fn(move || {
                let lane = bits.trailing_zeros() as usize;
                bits &= bits.wrapping_sub(1);
                (lane < WARP).then_some(warp * WARP + lane)
            })
        })
    }
}

impl Part {
    pub(super) fn is_empty(&self) -> bool {
        matches!(self, Part::Some(chosen) if chosen.count == 0)
    }

    /// A bit for each of the threads, if they are not more than so many.
    pub(super) fn few(&self, most: usize) -> Option<&[u32]> {
        match self {
            Part::Some(chosen) if chosen.count <= most => Some(&chosen.bits),
            _ => None,
        }
    }

    /// The last one.
    pub(super) fn last(&self) -> Option<usize> {
        match self {
            Part::All(threads) => threads.checked_sub(1),
            Part::Some(chosen) => {
                let warp = chosen.bits.iter().rposition(|bits| *bits != 0)?;
                Some(warp * WARP + chosen.bits[warp].ilog2() as usize)
            }
        }
    }

    /// Carries something out for each thread, as long as it can be done.
    #[inline(always)]
    pub(super) fn try_each(&self, f: impl FnMut(usize) -> Option<()>) -> Option<()> {
        match self {
            Part::All(threads) => (0..*threads).try_for_each(f),
            Part::Some(chosen) => chosen.threads().try_for_each(f),
        }
    }

    /// Carries something out for each thread.
    #[inline(always)]
    pub(super) fn each(&self, f: impl FnMut(usize)) {
        match self {
            Part::All(threads) => (0..*threads).for_each(f),
            Part::Some(chosen) => chosen.threads().for_each(f),
        }
    }
}

impl Cta<'_> {
    /// The threads that run and that a guard lets through.
    pub(super) fn part(&mut self, guard: Option<Place>) -> Part {
        let guard = guard.filter(|guard| guard.stride != 0 || self.lines.u32s(*guard)[0] == 0);
        if guard.is_none() && self.is_full() {
            return Part::All(self.threads);
        }
        let mut bits = std::mem::take(&mut self.chosen);
        let warps = self.threads.div_ceil(WARP);
        bits.clear();
        bits.resize(warps, 0);
        match guard {
            Some(guard) if guard.stride == 0 => {}
            None => bits.copy_from_slice(&self.lines.running()[..warps]),
            Some(guard) => {
                self.lines.bits(guard, &mut bits);
                match self.is_full() {
                    true => cut(&mut bits, self.threads),
                    false => bits.iter_mut().zip(self.lines.running()).for_each(|(bits, on)| *bits &= on),
                }
            }
        }
        let chosen = Chosen::new(bits);
        if chosen.count == self.threads {
            self.chosen = chosen.bits;
            return Part::All(self.threads);
        }
        Part::Some(chosen)
    }

    /// Keeps the room that a part took, for the next.
    pub(super) fn done_with(&mut self, part: Part) {
        if let Part::Some(chosen) = part {
            self.chosen = chosen.bits;
        }
    }

    /// Where the addresses of a part of the threads lie, if it is one place where all of them are allowed, and how they lie.
    /// The part must not be empty.
    pub(super) fn find_together<T>(
        &mut self,
        access: Access,
        moved: &Move<T>,
        addresses: Place,
        part: &Part,
    ) -> Option<(Found, Scan)> {
        let scan = match part {
            _ if addresses.stride == 0 => self.lines.scan(addresses, 1),
            Part::All(threads) => self.lines.scan(addresses, *threads),
            Part::Some(chosen) => self.lines.scan_some(addresses, &chosen.bits),
        };
        if scan.low_bits & u64::from(moved.size - 1) != 0 {
            return None;
        }
        let bytes = (scan.most - scan.least).checked_add(moved.size.into())?;
        let found = self.find(access, moved.area(), scan.least, bytes)?;
        // The heap's blocks are allowed one by one.
        let heap = matches!(found.home, Home::Global(index) if self.job.memory.is_heap(index));
        (!heap || scan.least == scan.most).then_some((found, scan))
    }

    /// The places in which the addresses of a part of the threads lie, each with those of its threads, if they are few and all are
    /// allowed: allocations, shared memory, and what lies together in local memory. The addresses must not be the same in all threads.
    pub(super) fn find_apart<T>(
        &mut self,
        access: Access,
        moved: &Move<T>,
        addresses: Place,
        part: &Part,
    ) -> Option<Vec<(Found, Part)>> {
        let mut rest = match part {
            Part::All(threads) => whole_warps(*threads),
            Part::Some(chosen) => chosen.bits.clone(),
        };
        let mut found = Vec::new();
        while let Some(warp) = rest.iter().position(|bits| *bits != 0) {
            let thread = warp * WARP + rest[warp].trailing_zeros() as usize;
            let one = self.find_one(access, moved, addresses, thread)?;
            let address = self.lines.get(Type::U64, addresses, thread);
            let around = self.around(one, moved.reach, address)?;
            if found.len() == PLACES {
                return None;
            }
            let bits = self.lines.within(addresses, &rest, around.start, around.end - around.start);
            let scan = self.lines.scan_some(addresses, &bits);
            let span = (scan.most - scan.least).checked_add(moved.size.into())?;
            let together = self.find(access, moved.area(), scan.least, span)?;
            if scan.low_bits & u64::from(moved.size - 1) != 0 || together.home != one.home {
                return None;
            }
            rest.iter_mut().zip(&bits).for_each(|(rest, bits)| *rest &= !bits);
            found.push((one, Part::Some(Chosen::new(bits))));
        }
        Some(found)
    }

    /// The addresses around one that lie together with it; none if each is allowed by itself.
    fn around(&self, Found { home, base }: Found, reach: u32, address: u64) -> Option<Range<u64>> {
        let of = |range: Range<u64>| Some(base.wrapping_add(range.start)..base.checked_add(range.end)?);
        match home {
            Home::Global(index) if self.job.memory.is_heap(index) => None,
            Home::Global(index) => of(0..self.job.memory.allocation(index).words.len()),
            Home::Shared => of(0..self.job.ready.frame.shared_bytes),
            Home::Local => {
                let ranges = self.plan.origins.in_memory(reach).iter();
                let mut ranges = ranges.filter_map(|range| of(range.clone()));
                ranges.find(|range| range.contains(&address))
            }
            Home::Param => None,
        }
    }
}

/// A bit for every thread of each warp, where all take part.
pub(super) fn whole_warps(threads: usize) -> Vec<u32> {
    let mut bits = Vec::new();
    set_first(&mut bits, threads, threads.div_ceil(WARP));
    bits
}

/// A bit for every thread of the first ones, and none for the others in so many warps.
pub(super) fn set_first(bits: &mut Vec<u32>, threads: usize, warps: usize) {
    bits.clear();
    bits.resize(threads.div_ceil(WARP), u32::MAX);
    cut(bits, threads);
    bits.resize(warps, 0);
}

/// Clears the bits of the last warp beyond so many threads of all.
fn cut(bits: &mut [u32], threads: usize) {
    if let (rest @ 1.., Some(last)) = (threads % WARP, bits.last_mut()) {
        *last &= !(u32::MAX << rest);
    }
}
