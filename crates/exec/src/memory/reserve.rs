//! Ranges of the process's addresses that are set aside for device memory: an address is given again only when all others have been.

#![allow(unsafe_code)]

use super::shared::{SharedFile, page};
use super::{ALIGNMENT, Memory};
use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Where the first range begins if nobody else has mapped anything there, so that addresses repeat from run to run.
const WANTED: usize = 0x7000_0000_0000;
/// The size of a range, unless more is wanted at once: the first of these that the system grants.
const SIZES: [usize; 2] = [1 << 30, 1 << 28];
/// The most that all ranges have together.
const ALL: usize = 1 << 40;
/// Bytes after an allocation that belong to none: as many as it has, but no more than this.
const MOST_GUARD: usize = 1 << 20;

/// What an allocation begins at a multiple of, and lies apart from others by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Grain {
    /// [`ALIGNMENT`] bytes.
    Small,
    /// The system's pages: no other allocation lies in its own.
    Page,
}

impl Grain {
    fn bytes(self) -> usize {
        match self {
            Grain::Small => ALIGNMENT as usize,
            Grain::Page => page(),
        }
    }
}

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
    /// Where pieces begin that other processes may have, and the bytes of their pages.
    shared: BTreeMap<usize, usize>,
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
    pub(super) fn take(&mut self, bytes: u64, grain: Grain) -> Option<(*mut u8, Arc<Reserve>)> {
        let fresh = self.0.last().and_then(|last| Some((last.take(bytes, grain, false)?, last.clone())));
        fresh.or_else(|| self.take_new(bytes, grain)).or_else(|| self.take_again(bytes, grain))
    }

    fn take_new(&mut self, bytes: u64, grain: Grain) -> Option<(*mut u8, Arc<Reserve>)> {
        let new = self.grow(usize::try_from(bytes).ok()?.checked_mul(2)?.checked_add(LARGEST_PAGE)?)?;
        Some((new.take(bytes, grain, false)?, new))
    }

    fn take_again(&mut self, bytes: u64, grain: Grain) -> Option<(*mut u8, Arc<Reserve>)> {
        self.0.iter().find_map(|range| Some((range.take(bytes, grain, true)?, range.clone())))
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

    /// So many zero bytes: after all that was given, or where some was given back.
    fn take(&self, bytes: u64, grain: Grain, again: bool) -> Option<*mut u8> {
        let own = usize::try_from(bytes).ok()?.max(1).checked_next_multiple_of(ALIGNMENT as usize)?;
        let whole = own.checked_add(own.min(MOST_GUARD))?.checked_next_multiple_of(grain.bytes())?;
        let mut taken = self.taken();
        let found = taken.room(taken.next, self.bytes, whole, grain);
        let at = found.or_else(|| if again { taken.room(0, self.bytes, whole, grain) } else { None })?;
        taken.pieces.insert(at, whole);
        taken.next = at + whole;
        Some(std::ptr::with_exposed_provenance_mut(self.start + at))
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets what begins there, of so many bytes, lie in a file that other processes can map.
    ///
    /// # Errors
    /// If others lie in the same pages, or the system refuses it. The bytes stay.
    ///
    /// # Safety
    /// [`Reserve::take`] has given it, and nobody uses it meanwhile.
    pub(super) unsafe fn share(&self, start: *mut u8, bytes: u64) -> io::Result<SharedFile> {
        let mut taken = self.taken();
        let at = start.addr() - self.start;
        let whole = taken.pieces.get(&at).copied().unwrap_or(0);
        let has_pages = |bytes: usize| bytes.is_multiple_of(page());
        if !has_pages(at) || !has_pages(whole) || whole == 0 {
            return Err(ErrorKind::Unsupported.into());
        }
        let file = SharedFile::new(bytes)?;
        taken.shared.insert(at, file.pages());
        // SAFETY: the caller's promise; the pages are the piece's alone, and belong to the range.
        unsafe { file.take_over(start) }?;
        Ok(file)
    }

    /// Lets a file of another process lie there.
    ///
    /// # Safety
    /// [`Reserve::take`] has given as many bytes as the file has with [`Grain::Page`], and nobody uses them yet.
    pub(super) unsafe fn open(&self, start: *mut u8, file: &SharedFile) -> io::Result<()> {
        self.taken().shared.insert(start.addr() - self.start, file.pages());
        // SAFETY: the caller's promise.
        unsafe { file.map(start) }
    }

    /// Takes back what begins there.
    ///
    /// # Safety
    /// [`Reserve::take`] has given it, and nobody uses it any more.
    pub(super) unsafe fn give_back(&self, start: *mut u8) {
        let mut taken = self.taken();
        let at = start.addr() - self.start;
        if let Some(bytes) = taken.shared.remove(&at) {
            // SAFETY: these pages lie in the range, and are nobody's now in this process.
            let is_new = unsafe { system::renew(start, bytes) };
            if !is_new {
                // Other processes still have the pages: the addresses are not given again.
                return;
            }
        }
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
    fn room(&self, from: usize, end: usize, bytes: usize, grain: Grain) -> Option<usize> {
        let before = self.pieces.range(..from).next_back().map_or(0, |(at, bytes)| at + bytes);
        let mut at = from.max(before).next_multiple_of(grain.bytes());
        for (piece, taken) in self.pieces.range(from..) {
            if at.checked_add(bytes)? <= *piece {
                break;
            }
            at = (piece + taken).next_multiple_of(grain.bytes());
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
    use libc::{MADV_DONTNEED, MAP_ANONYMOUS, MAP_FAILED, MAP_FIXED, MAP_FIXED_NOREPLACE, MAP_NORESERVE};
    use libc::{MAP_PRIVATE, PROT_READ, PROT_WRITE, madvise, mmap, munmap};
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
        let page = super::page();
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

    /// Puts zeros in the place of a file's pages, which others may have. Whether the system grants it.
    ///
    /// # Safety
    /// They must lie in what was mapped, and be nobody's.
    pub(super) unsafe fn renew(start: *mut u8, bytes: usize) -> bool {
        let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
        // SAFETY: the caller's promise.
        unsafe { mmap(start.cast(), bytes, PROT_READ | PROT_WRITE, flags, -1, 0) != MAP_FAILED }
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
    /// There is nothing to renew.
    pub(super) unsafe fn renew(_: *mut u8, _: usize) -> bool {
        true
    }

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
        let pieces = [(0usize, 100usize), (200, 100), (350, 50)];
        let pieces = pieces.map(|(at, bytes)| (at << 8, bytes << 8)).into();
        let taken = Taken { pieces, ..Taken::default() };
        let room = |from: usize, bytes: usize| {
            let at = taken.room(from << 8, 1000 << 8, bytes.saturating_mul(256), Grain::Small)?;
            Some(at >> 8)
        };
        assert_eq!(
            [room(0, 100), room(0, 101), room(120, 80), room(120, 81)].map(Option::unwrap),
            [100, 400, 120, 400]
        );
        assert_eq!((room(250, 50), room(360, 600), room(360, 601)), (Some(300), Some(400), None));
        assert_eq!((room(999, 1), room(999, 2), room(0, usize::MAX)), (Some(999), None, None));
        let whole = taken.room(1, 1 << 20, page(), Grain::Page).unwrap();
        assert!(whole.is_multiple_of(page()) && whole >= 100 << 8, "{whole}");
    }

    #[test]
    fn what_is_given_back_is_cleared_as_far_as_it_is_free() {
        let taken = Taken { pieces: [(0x100, 0x100), (0x9_0000, 0x100)].into(), ..Taken::default() };
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
            let start = reserve.take(size, Grain::Small, true).unwrap();
            assert!(reserve.take(size * 2, Grain::Small, true).is_none());
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
        let (a, range) = reserves.take(size, Grain::Small).unwrap();
        // SAFETY: taken above, and not used any more.
        unsafe { range.give_back(a) };
        let (b, other) = reserves.take(size, Grain::Small).unwrap();
        assert!(a != b && !Arc::ptr_eq(&range, &other) && reserves.0.len() == 2);
        assert!(reserves.take(1 << 50, Grain::Small).is_none());
        reserves.0.truncate(1);
        assert_eq!(reserves.take_again(size, Grain::Small).unwrap().0, a);
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
