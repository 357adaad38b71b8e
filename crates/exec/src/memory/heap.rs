//! The device's heap: what kernels take with `malloc` and give back with `free`.

use super::fault::{Access, Fault, FaultKind, Region};
use margay_front::module::Space;
use std::collections::BTreeMap;
use std::ops::Range;

/// Bytes of the heap, as on a device whose limit nobody has changed.
pub(super) const HEAP_BYTES: u64 = 8 << 20;
/// Addresses of blocks are multiples of this.
const BLOCK_ALIGN: u64 = 16;
/// At least so many bytes are free after a block.
const GUARD: u64 = 16;

/// Which parts of the heap are taken. Places are used again only where no fresh ones are left.
pub(super) struct Heap {
    base: u64,
    /// Blocks that are taken: address and bytes.
    live: BTreeMap<u64, u64>,
    /// Blocks that were given back and whose place has not been used again.
    freed: BTreeMap<u64, u64>,
    /// Where nothing has been taken yet.
    fresh: u64,
    /// No gap between blocks has so many bytes.
    too_many: u64,
}

impl Heap {
    pub(super) fn new(base: u64) -> Heap {
        Heap { base, live: BTreeMap::new(), freed: BTreeMap::new(), fresh: base, too_many: u64::MAX }
    }

    /// The address of so many fresh bytes; none if there is no room, or none are wanted.
    pub(super) fn take(&mut self, bytes: u64) -> Option<u64> {
        if bytes == 0 {
            return None;
        }
        let end = self.base + HEAP_BYTES;
        let fits = |from: u64, to: u64| from <= to && bytes <= to - from;
        let at = if fits(self.fresh, end) {
            let behind = (self.fresh + bytes + GUARD).next_multiple_of(BLOCK_ALIGN);
            std::mem::replace(&mut self.fresh, behind)
        } else if bytes >= self.too_many {
            return None;
        } else {
            let ends = self.live.iter().map(|(at, n)| (at + n + GUARD).next_multiple_of(BLOCK_ALIGN));
            let starts = self.live.keys().map(|at| at.saturating_sub(GUARD)).chain([end]);
            let gap = [self.base].into_iter().chain(ends).zip(starts).find(|(from, to)| fits(*from, *to));
            let Some((at, _)) = gap else {
                self.too_many = bytes;
                return None;
            };
            at
        };
        self.forget(at..at + bytes);
        self.live.insert(at, bytes);
        Some(at)
    }

    /// Gives a block back.
    ///
    /// # Errors
    /// What is wrong, if no taken block begins there.
    pub(super) fn give_back(&mut self, address: u64) -> Result<(), String> {
        if let Some(bytes) = self.live.remove(&address) {
            self.too_many = u64::MAX;
            self.freed.insert(address, bytes);
            return Ok(());
        }
        Err(match self.freed.contains_key(&address) {
            true => format!("double free of {address:#x}"),
            false => format!("free of {address:#x}, which `malloc` did not return"),
        })
    }

    /// Blocks that were given back are no more, as far as they reach into a range: they do not reach into each other.
    fn forget(&mut self, range: Range<u64>) {
        while let Some((at, bytes)) = self.freed.range(..range.end).next_back().map(|(at, n)| (*at, *n))
            && at + bytes > range.start
        {
            self.freed.remove(&at);
        }
    }

    /// The taken block that an address lies in.
    pub(super) fn block(&self, address: u64) -> Option<Region> {
        let (at, bytes) = self.live.range(..=address).next_back()?;
        let block = Region { name: "a block from `malloc`".into(), base: *at, bytes: *bytes };
        Some(block).filter(|block| block.holds(address))
    }

    /// Whether an access lies in one taken block.
    pub(super) fn check(&self, access: Access, address: u64, bytes: u64) -> Result<(), Fault> {
        let before = |blocks: &BTreeMap<u64, u64>| {
            let (at, n) = blocks.range(..=address).next_back()?;
            Some(Region { name: "a block from `malloc`".into(), base: *at, bytes: *n })
        };
        let live = before(&self.live);
        if live.as_ref().is_some_and(|block| block.fits(address, bytes)) {
            return Ok(());
        }
        let fault = Fault::at(Space::Global, access, address, bytes);
        if let Some(block) = before(&self.freed).filter(|block| block.holds(address)) {
            return Err(fault.near(&block).because(FaultKind::Freed));
        }
        Err(match live {
            Some(block) => fault.near(&block).because(FaultKind::OutOfBounds),
            None => fault.because(FaultKind::Unallocated),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_apart_and_come_back_when_the_heap_is_full() {
        let mut heap = Heap::new(0x1000);
        let (a, b) = (heap.take(100).unwrap(), heap.take(1).unwrap());
        assert!(a == 0x1000 && b >= a + 100 + GUARD && b % BLOCK_ALIGN == 0);
        let rest = heap.take(HEAP_BYTES - 1000).unwrap();
        assert_eq!((heap.take(1000), heap.take(0), heap.take(2000)), (None, None, None));
        assert!(heap.take(100).is_some());
        heap.give_back(rest).unwrap();
        assert!(heap.check(Access::Read, rest, 4).unwrap_err().kind == FaultKind::Freed);
        let again = heap.take(5000).unwrap();
        assert!(again > b && heap.check(Access::Write, again + 4996, 4).is_ok());
        assert!(heap.check(Access::Write, again + 4998, 4).is_err());
        assert!(heap.take(u64::MAX).is_none());
    }

    #[test]
    fn only_taken_blocks_are_given_back() {
        let mut heap = Heap::new(0x1000);
        let a = heap.take(8).unwrap();
        assert!(heap.give_back(a + 4).is_err() && heap.give_back(a).is_ok());
        assert!(heap.give_back(a).unwrap_err().contains("double free"));
    }
}
