//! Ranges of the process's addresses that are set aside for device memory: an address is given again only when all others have been.

#![allow(unsafe_code)]

use super::{ALIGNMENT, Memory};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// Where the first range begins if nobody else has mapped anything there, so that addresses repeat from run to run.
const WANTED: usize = 0x7000_0000_0000;
/// The size of a range, unless more is wanted at once: the first of these that the system grants.
const SIZES: [usize; 2] = [1 << 30, 1 << 28];
/// The most that all ranges have together.
const ALL: usize = 1 << 40;
/// Bytes after an allocation that belong to none: as many as it has, but no more than this.
const MOST_GUARD: usize = 1 << 20;

/// No system's pages are larger.
const LARGEST_PAGE: usize = 1 << 16;

/// All ranges, the latest last.
#[derive(Default)]
pub(super) struct Reserves(Vec<Arc<Reserve>>);

/// A range. What is not taken has no memory behind it.
pub(super) struct Reserve {
    start: usize,
    bytes: usize,
    taken: Mutex<Taken>,
}

/// What is taken of it, as distances from its start.
#[derive(Default)]
struct Taken {
    /// Where the search for room goes on.
    next: usize,
    /// Begin, and bytes with those after it that belong to none.
    pieces: BTreeMap<usize, usize>,
}

impl Memory {
    /// Sets addresses of the process aside for what is allocated from now on, where device addresses are those of the host:
    /// allocations follow each other there, and an address that was given back is not used again soon, so that later uses
    /// are noticed. They begin at `0x7000_0000_0000` unless something lies there. Whether the system grants it.
    ///
    /// ```
    /// use margay_exec::Memory;
    /// let mut memory = Memory::host();
    /// if memory.set_aside() {
    ///     let first = memory.alloc(8, "first").unwrap();
    ///     memory.free(first).unwrap();
    ///     assert_ne!(memory.alloc(8, "second").unwrap(), first);
    /// }
    /// ```
    pub fn set_aside(&mut self) -> bool {
        let reserves = self.reserves.get_or_insert_default();
        let granted = !reserves.0.is_empty() || reserves.grow(0).is_some();
        granted && self.has_host_addresses()
    }
}

impl Reserves {
    /// So many zero bytes, at addresses that were never given if there are any.
    pub(super) fn take(&mut self, bytes: u64) -> Option<(*mut u8, Arc<Reserve>)> {
        let fresh = self.0.last().and_then(|last| Some((last.take(bytes, false)?, last.clone())));
        fresh.or_else(|| self.take_new(bytes)).or_else(|| self.take_again(bytes))
    }

    fn take_new(&mut self, bytes: u64) -> Option<(*mut u8, Arc<Reserve>)> {
        let new = self.grow(usize::try_from(bytes).ok()?.checked_mul(2)?)?;
        Some((new.take(bytes, false)?, new))
    }

    fn take_again(&mut self, bytes: u64) -> Option<(*mut u8, Arc<Reserve>)> {
        self.0.iter().find_map(|range| Some((range.take(bytes, true)?, range.clone())))
    }

    /// One range more, with so many bytes at least, after the last one if nothing lies there.
    fn grow(&mut self, least: usize) -> Option<Arc<Reserve>> {
        let so_far: usize = self.0.iter().map(|range| range.bytes).sum();
        let wanted = self.0.last().map_or(WANTED, |last| last.start + last.bytes);
        let sizes =
            SIZES.into_iter().map(|size| size.max(least)).filter(|size| *size <= ALL - so_far.min(ALL));
        let new = Arc::new(sizes.into_iter().find_map(|size| Reserve::of(wanted, size))?);
        self.0.push(new.clone());
        Some(new)
    }
}

impl Reserve {
    fn of(wanted: usize, bytes: usize) -> Option<Reserve> {
        let bytes = bytes.checked_next_multiple_of(LARGEST_PAGE)?;
        let start = system::map(wanted, bytes)?;
        Some(Reserve { start, bytes, taken: Mutex::default() })
    }

    /// So many zero bytes, at a multiple of [`ALIGNMENT`]: after all that was given, or where some was given back.
    fn take(&self, bytes: u64, again: bool) -> Option<*mut u8> {
        let own = usize::try_from(bytes).ok()?.max(1).checked_next_multiple_of(ALIGNMENT as usize)?;
        let whole = own.checked_add(own.min(MOST_GUARD))?;
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let found = taken.room(taken.next, self.bytes, whole);
        let at = found.or_else(|| if again { taken.room(0, self.bytes, whole) } else { None })?;
        taken.pieces.insert(at, whole);
        taken.next = at + whole;
        Some(std::ptr::with_exposed_provenance_mut(self.start + at))
    }

    /// Takes back what begins there.
    ///
    /// # Safety
    /// [`Reserve::take`] has given it, and nobody uses it any more.
    pub(super) unsafe fn give_back(&self, start: *mut u8) {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let at = start.addr() - self.start;
        if let Some(bytes) = taken.pieces.remove(&at) {
            let free = taken.free_around(at, bytes, self.bytes);
            let start = std::ptr::with_exposed_provenance_mut(self.start + free.start);
            // SAFETY: these bytes lie in the range, and are nobody's now.
            unsafe { system::clear(start, free.len()) };
        }
    }
}

impl Taken {
    /// Where so many bytes in a row are free, from some place on.
    fn room(&self, from: usize, end: usize, bytes: usize) -> Option<usize> {
        let before = self.pieces.range(..from).next_back().map_or(0, |(at, bytes)| at + bytes);
        let mut at = from.max(before);
        for (piece, taken) in self.pieces.range(from..) {
            if at.checked_add(bytes)? <= *piece {
                break;
            }
            at = piece + taken;
        }
        (at.checked_add(bytes)? <= end).then_some(at)
    }
}

impl Taken {
    /// What is free around a piece that was given back, as far as it may share pages with others.
    fn free_around(&self, at: usize, bytes: usize, whole: usize) -> Range<usize> {
        let before = self.pieces.range(..at).next_back().map_or(0, |(at, bytes)| at + bytes);
        let after = self.pieces.range(at..).next().map_or(whole, |(at, _)| *at);
        before.max(at / LARGEST_PAGE * LARGEST_PAGE)..after.min((at + bytes).next_multiple_of(LARGEST_PAGE))
    }
}

impl Drop for Reserve {
    fn drop(&mut self) {
        // SAFETY: mapped by `new`; whoever has a piece of it keeps it alive.
        unsafe { system::unmap(self.start, self.bytes) }
    }
}

/// What the system does for it.
#[cfg(target_os = "linux")]
mod system {
    use libc::{MADV_DONTNEED, MAP_ANONYMOUS, MAP_FAILED, MAP_FIXED_NOREPLACE, MAP_NORESERVE, MAP_PRIVATE};
    use libc::{PROT_READ, PROT_WRITE, madvise, mmap, munmap};
    use std::ptr::{null_mut, with_exposed_provenance_mut};

    /// Addresses with zeros behind them, memory only where they are used: the wanted ones, or others.
    pub(super) fn map(wanted: usize, bytes: usize) -> Option<usize> {
        let anywhere = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
        let map = |at, flags| {
            // SAFETY: a new mapping, that replaces none.
            let start = unsafe { mmap(at, bytes, PROT_READ | PROT_WRITE, flags, -1, 0) };
            (start != MAP_FAILED).then(|| start.expose_provenance())
        };
        let fixed = map(with_exposed_provenance_mut(wanted), anywhere | MAP_FIXED_NOREPLACE);
        fixed.or_else(|| map(null_mut(), anywhere))
    }

    /// Makes bytes zero again, and gives the memory behind whole pages back.
    ///
    /// # Safety
    /// They must lie in what was mapped, and be nobody's.
    pub(super) unsafe fn clear(start: *mut u8, bytes: usize) {
        // SAFETY: it only reads a number.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(1 << 16);
        let skip = (start.addr().next_multiple_of(page) - start.addr()).min(bytes);
        let whole = (bytes - skip) / page * page;
        // SAFETY: the caller's promise; the parts lie within the bytes, and whole pages of them are no one else's.
        unsafe {
            start.write_bytes(0, skip);
            let pages = start.add(skip);
            if whole > 0 && madvise(pages.cast(), whole, MADV_DONTNEED) != 0 {
                pages.write_bytes(0, whole);
            }
            pages.add(whole).write_bytes(0, bytes - skip - whole);
        }
    }

    /// # Safety
    /// [`map`] has given it, and nobody uses it any more.
    pub(super) unsafe fn unmap(start: usize, bytes: usize) {
        // SAFETY: the caller's promise.
        unsafe { munmap(with_exposed_provenance_mut(start), bytes) };
    }
}

/// Other systems grant none.
#[cfg(not(target_os = "linux"))]
mod system {
    pub(super) fn map(_: usize, _: usize) -> Option<usize> {
        None
    }

    /// # Safety
    /// There is nothing to clear.
    pub(super) unsafe fn clear(_: *mut u8, _: usize) {}

    /// # Safety
    /// There is nothing to unmap.
    pub(super) unsafe fn unmap(_: usize, _: usize) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Access, FaultKind};

    #[test]
    fn room_is_found_between_pieces_and_after_them() {
        let pieces = [(0, 100), (200, 100), (350, 50)].into();
        let taken = Taken { next: 0, pieces };
        let room = |from, bytes| taken.room(from, 1000, bytes);
        assert_eq!(
            [room(0, 100), room(0, 101), room(120, 80), room(120, 81)].map(Option::unwrap),
            [100, 400, 120, 400]
        );
        assert_eq!((room(250, 50), room(360, 600), room(360, 601)), (Some(300), Some(400), None));
        assert_eq!((room(999, 1), room(999, 2), room(0, usize::MAX)), (Some(999), None, None));
    }

    #[test]
    fn what_is_given_back_is_cleared_as_far_as_it_is_free() {
        let taken = Taken { next: 0, pieces: [(0x100, 0x100), (0x9_0000, 0x100)].into() };
        assert_eq!(taken.free_around(0x300, 0x100, 1 << 20), 0x200..0x1_0000);
        assert_eq!(taken.free_around(0x5_1000, 0x1_0000, 1 << 20), 0x5_0000..0x7_0000);
        assert_eq!(taken.free_around(0x8_f000, 0x100, 1 << 20), 0x8_0000..0x9_0000);
        assert_eq!(taken.free_around(0x9_0200, 0x100, 0x9_1000), 0x9_0100..0x9_1000);
    }

    #[test]
    fn stale_addresses_are_noticed_and_what_is_given_again_is_zero() {
        let mut memory = Memory::host();
        if !memory.set_aside() {
            return;
        }
        let mut seen = BTreeMap::new();
        for k in 0..5_000u64 {
            let at = memory.alloc(1 + k % 9_000, "x").unwrap();
            assert!(seen.insert(at, k).is_none() && at.is_multiple_of(ALIGNMENT));
            memory.write(at, &[7; 1]).unwrap();
            memory.free(at).unwrap();
            let fault = memory.read(at, 1).unwrap_err();
            assert_eq!(fault.kind, FaultKind::Freed);
        }
        assert!(
            memory.allocations.len() < 2 * super::super::given_back::REMEMBERED + 1,
            "what is remembered does not grow"
        );
        let reserve = Reserve::of(WANTED, 1 << 20).unwrap();
        let size = 300 << 10;
        for _ in 0..10 {
            let start = reserve.take(size, true).unwrap();
            assert!(reserve.take(size * 2, true).is_none());
            // SAFETY: just taken.
            let bytes = unsafe { std::slice::from_raw_parts_mut(start, size as usize) };
            assert!(bytes.iter().all(|byte| *byte == 0));
            bytes.fill(0xa5);
            // SAFETY: taken above, and not used any more.
            unsafe { reserve.give_back(start) };
        }
    }

    #[test]
    fn another_range_comes_after_the_first_and_addresses_are_used_again_only_then() {
        let Some(first) = Reserve::of(WANTED, 1 << 20).map(Arc::new) else { return };
        let mut reserves = Reserves(vec![first]);
        let size = 400 << 10;
        let (a, range) = reserves.take(size).unwrap();
        // SAFETY: taken above, and not used any more.
        unsafe { range.give_back(a) };
        let (b, other) = reserves.take(size).unwrap();
        assert!(a != b && !Arc::ptr_eq(&range, &other) && reserves.0.len() == 2);
        assert!(reserves.take(1 << 50).is_none());
        reserves.0.truncate(1);
        assert_eq!(reserves.take_again(size).unwrap().0, a);
    }

    #[test]
    fn neighbours_keep_what_they_have() {
        let mut memory = Memory::host();
        if !memory.set_aside() {
            return;
        }
        let all: Vec<u64> = (0..50).map(|k| memory.alloc(100 * k + 1, "x").unwrap()).collect();
        all.iter().enumerate().for_each(|(k, at)| memory.write(*at, &vec![k as u8; 100 * k + 1]).unwrap());
        all.iter().step_by(2).for_each(|at| memory.free(*at).unwrap());
        for (k, at) in all.iter().enumerate().skip(1).step_by(2) {
            assert_eq!(memory.read(*at, 100 * k as u64 + 1).unwrap(), vec![k as u8; 100 * k + 1]);
            assert!(memory.check(Access::Read, at + 100 * k as u64 + 1, 1, 1, &mut 0).is_err());
        }
    }
}
