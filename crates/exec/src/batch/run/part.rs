//! Which threads take part in a step: found once, before its loops.

use crate::batch::lanes::{Place, Scan};
use crate::batch::plan::Move;
use crate::batch::run::access::{Found, Home};
use crate::batch::run::{Cta, WARPS};
use crate::memory::Access;
use margay_isa::WARP;

/// The threads that take part.
pub(super) enum Part {
    /// All, so many.
    All(usize),
    /// Some, in order; perhaps none.
    Some(Vec<u32>),
}

impl Part {
    pub(super) fn is_empty(&self) -> bool {
        matches!(self, Part::Some(threads) if threads.is_empty())
    }

    /// The last one.
    pub(super) fn last(&self) -> Option<usize> {
        match self {
            Part::All(threads) => threads.checked_sub(1),
            Part::Some(threads) => threads.last().map(|t| *t as usize),
        }
    }

    /// Carries something out for each thread, as long as it can be done.
    #[inline(always)]
    pub(super) fn try_each(&self, mut f: impl FnMut(usize) -> Option<()>) -> Option<()> {
        match self {
            Part::All(threads) => (0..*threads).try_for_each(f),
            Part::Some(threads) => threads.iter().try_for_each(|t| f(*t as usize)),
        }
    }

    /// Carries something out for each thread.
    #[inline(always)]
    pub(super) fn each(&self, mut f: impl FnMut(usize)) {
        match self {
            Part::All(threads) => (0..*threads).for_each(f),
            Part::Some(threads) => threads.iter().for_each(|t| f(*t as usize)),
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
        let mut threads = std::mem::take(&mut self.chosen);
        threads.clear();
        if guard.is_none_or(|guard| guard.stride != 0) {
            let warps = self.threads.div_ceil(WARP);
            let (mut active, mut through) = ([0; WARPS], [u32::MAX; WARPS]);
            self.lines.bits(self.plan.active, &mut active[..warps]);
            if let Some(guard) = guard {
                self.lines.bits(guard, &mut through[..warps]);
            }
            for (warp, (active, through)) in active.iter().zip(through).enumerate().take(warps) {
                let mut bits = active & through;
                while bits != 0 {
                    threads.push((warp * WARP) as u32 + bits.trailing_zeros());
                    bits &= bits - 1;
                }
            }
        }
        if threads.len() == self.threads {
            self.chosen = threads;
            return Part::All(self.threads);
        }
        Part::Some(threads)
    }

    /// Keeps the room that a part took, for the next.
    pub(super) fn done_with(&mut self, part: Part) {
        if let Part::Some(threads) = part {
            self.chosen = threads;
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
            Part::Some(threads) => {
                let all = self.lines.u64s(addresses);
                let mut scan =
                    Scan { least: u64::MAX, most: 0, low_bits: 0, step: None, step_of_groups: None };
                for address in threads.iter().map(|t| all[*t as usize]) {
                    scan.least = scan.least.min(address);
                    scan.most = scan.most.max(address);
                    scan.low_bits |= address;
                }
                scan
            }
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
}
