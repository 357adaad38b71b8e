//! Memory that the caller owns: lent to a device at an address of its own, or at the caller's.
//!
//! In memory with host addresses an allocation may begin anywhere, so its words begin at the word around its first byte;
//! what an access may touch is told by the region alone.

#![allow(unsafe_code)]

use super::{Addresses, Allocation, Grain, LEAST_GUARD, Layout, Memory, Owner, Region, Words, Written};
use crate::error::LaunchError;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::{Arc, Mutex};

/// Lent bytes at an address of margay's own begin at a multiple of this in the host: the widest access is as aligned.
pub const LENT_ALIGNMENT: u64 = 16;

/// No process has memory from here on.
const USER_END: u64 = if cfg!(target_arch = "aarch64") { 1 << 48 } else { 1 << 47 };

impl Memory {
    /// Empty memory in which device addresses are addresses of the host, of 64 bits: those of what is allocated and of what
    /// is lent. Everything else is refused, as ever.
    ///
    /// ```
    /// use margay_exec::Memory;
    /// let mut memory = Memory::host();
    /// let mut numbers = [1u32, 2, 3];
    /// let start = numbers.as_mut_ptr().cast();
    /// // SAFETY: the numbers live as long as the memory, and nobody uses them meanwhile.
    /// let address = unsafe { memory.lend(start, 12, "numbers", false) }.unwrap();
    /// assert_eq!(address, start as u64);
    /// assert_eq!(memory.read(address + 4, 4).unwrap(), [2, 0, 0, 0]);
    /// assert!(memory.read(address + 12, 1).is_err());
    /// ```
    pub fn host() -> Memory {
        Memory { layout: Layout::host(), addresses: Addresses::Host { open: false }, ..Memory::new(64) }
    }

    /// Whether device addresses are addresses of the host. Texts of versions before 2.3, which cannot say how many bits an
    /// address has, run in such memory too.
    pub fn has_host_addresses(&self) -> bool {
        self.addresses != Addresses::Own
    }

    /// As [`Memory::host`], but addresses in no allocation are memory too: that of the whole process, unchecked. Only the
    /// page at address 0 and addresses that no process has are refused, and what surrounds allocations of margay's own.
    ///
    /// # Safety
    /// Kernels that run with this memory must use only addresses at which the process has memory, and only as other
    /// code of the process allows: reading what nobody writes meanwhile, writing what nobody uses.
    pub unsafe fn open_host() -> Memory {
        let mut memory = Memory::host();
        memory.addresses = Addresses::Host { open: true };
        memory.change(|_| ());
        memory
    }

    /// Lends bytes of the host to the device, under a name for errors, until [`Memory::free`] gives them back. Kernels
    /// use them in place, to the byte: nothing beside them is touched. The device address is margay's own, or that of the
    /// bytes in memory with host addresses. They count as written for [`crate::Sanitize::init`].
    ///
    /// # Errors
    /// If `start` is not aligned to [`LENT_ALIGNMENT`] bytes and addresses are margay's own, if there is no room, or if
    /// host addresses are lent already, null or none.
    ///
    /// # Safety
    /// Until they are given back or the memory is dropped, so many bytes must be there from `start` on, to be read, and
    /// to be written unless `read_only`. While a launch runs that uses them, nobody else writes what it uses, nor uses
    /// what it writes, other launches aside, and what the host reads and writes by [`Memory`]: those may race.
    pub unsafe fn lend(
        &mut self,
        start: *mut u8,
        bytes: u64,
        name: impl Into<String>,
        read_only: bool,
    ) -> Result<u64, LaunchError> {
        let name = name.into();
        let at = start.expose_provenance() as u64;
        let (base, before) = match self.addresses {
            Addresses::Own => {
                if bytes > 0 && !at.is_multiple_of(LENT_ALIGNMENT) {
                    let message =
                        format!("{name} begins at {at:#x}, which is not a multiple of {LENT_ALIGNMENT}");
                    let help =
                        "copy the bytes to memory aligned to one, or allocate memory and write them to it";
                    return Err(LaunchError::new(message).help(help));
                }
                let room = || LaunchError::new(format!("no room for {bytes} bytes of {name}"));
                (self.next(bytes).ok_or_else(room)?, 0)
            }
            Addresses::Host { .. } => {
                self.check_host_range(at, bytes, &name)?;
                (at, at % 8)
            }
        };
        // SAFETY: the caller's promise; the bytes before the first one are never used, since regions are checked.
        let words = unsafe { Words::lent(start.wrapping_sub(before as usize), bytes + before) };
        self.insert(lent(Region { name, base, bytes }, words, read_only, Owner::Lent));
        Ok(base)
    }

    /// As [`Memory::lend`], at a device address that the caller chooses among [`Layout::chosen`]: for memory that has one address
    /// in many launches, or in many memories.
    ///
    /// # Errors
    /// If the address is not as far from a multiple of [`LENT_ALIGNMENT`] as `start` is, or other memory lies there.
    ///
    /// # Safety
    /// As for [`Memory::lend`].
    pub unsafe fn lend_at(
        &mut self,
        address: u64,
        start: *mut u8,
        bytes: u64,
        name: impl Into<String>,
        read_only: bool,
    ) -> Result<(), LaunchError> {
        let name = name.into();
        let at = start.expose_provenance() as u64;
        if at % LENT_ALIGNMENT != address % LENT_ALIGNMENT {
            return Err(LaunchError::new(format!("{name} at {at:#x} cannot lie at {address:#x}"))
                .help(format!("both must leave the same remainder when divided by {LENT_ALIGNMENT}")));
        }
        self.check_chosen(address, bytes, &name)?;
        let before = at % 8;
        // SAFETY: the caller's promise; the bytes before the first one are never used, since regions are checked.
        let words = unsafe { Words::lent(start.wrapping_sub(before as usize), bytes + before) };
        self.insert(lent(Region { name, base: address, bytes }, words, read_only, Owner::Lent));
        Ok(())
    }

    /// Zeroed memory of its own at a device address that the caller chooses among [`Layout::chosen`].
    ///
    /// # Errors
    /// If other memory lies there, or there is no room.
    pub fn alloc_at(
        &mut self,
        address: u64,
        bytes: u64,
        name: impl Into<String>,
        read_only: bool,
    ) -> Result<(), LaunchError> {
        let name = name.into();
        self.check_chosen(address, bytes, &name)?;
        self.place(Some(address), bytes, name, read_only, Grain::Small).map(|_| ())
    }

    /// Whether memory can lie at a chosen address.
    fn check_chosen(&self, address: u64, bytes: u64, name: &str) -> Result<(), LaunchError> {
        let chosen = &self.layout.chosen;
        let end = address.checked_add(bytes).filter(|end| chosen.start <= address && *end <= chosen.end);
        let before = self.last_from(end.unwrap_or(address)).map(|k| &self.allocations[k]);
        let is_free = before.is_none_or(|a| a.freed || a.region.end() <= address);
        match (self.addresses, end, is_free) {
            (Addresses::Own, Some(_), true) => Ok(()),
            _ => Err(LaunchError::new(format!("no room for {bytes} bytes of {name} at {address:#x}"))),
        }
    }

    /// Whether host addresses can be lent.
    fn check_host_range(&self, at: u64, bytes: u64, name: &str) -> Result<(), LaunchError> {
        let end = at.checked_add(bytes).filter(|end| *end <= USER_END);
        let (true, true, Some(end)) = (at >= Layout::NULL_PAGE, bytes > 0, end) else {
            return Err(LaunchError::new(format!("{bytes} bytes at {at:#x} cannot be lent as {name}")));
        };
        let mut others = self.allocations.iter().filter(|a| !a.freed && a.owner != Owner::Anybody);
        match others.find(|a| a.region.base < end && at < a.region.end()) {
            Some(Allocation { region, .. }) => {
                let (other, base) = (&region.name, region.base);
                let message = format!("{bytes} bytes at {at:#x} of {name} overlap {other} at {base:#x}");
                Err(LaunchError::new(message).help("return that memory first"))
            }
            None => Ok(()),
        }
    }

    /// Makes allocations of all that lies between the others, but for what surrounds margay's own.
    pub(super) fn fill_gaps(&mut self) {
        self.allocations.retain(|a| a.owner != Owner::Anybody && !a.freed);
        let mut gaps = Vec::new();
        let mut from = Layout::NULL_PAGE;
        for allocation in &self.allocations {
            // Opened memory lies among margay's own.
            let is_guarded = matches!(allocation.owner, Owner::Own | Owner::Process);
            let guard = if is_guarded { LEAST_GUARD } else { 0 };
            gaps.push((from, allocation.region.base - guard));
            from = allocation.region.end() + guard;
        }
        gaps.push((from, USER_END));
        for (from, to) in gaps.into_iter().filter(|(from, to)| from < to) {
            let region = Region { name: "memory of the host".into(), base: from, bytes: to - from };
            let start = std::ptr::with_exposed_provenance_mut((from & !7) as usize);
            // SAFETY: whoever opened the memory promises that kernels use only what is there.
            let words = unsafe { Words::lent(start, to - (from & !7)) };
            self.allocations.push(lent(region, words, false, Owner::Anybody));
        }
        self.allocations.sort_by_key(|a| a.region.base);
    }
}

/// Memory of a device with bytes lent to it that are borrowed as long as it lives: kernels use them in place.
///
/// ```
/// use margay_exec::memory::Lending;
/// let (numbers, mut results) = ([1u128, 2], [0u128; 2]);
/// let mut memory = Lending::new(64);
/// let from = memory.lend(bytemuck::bytes_of(&numbers), "numbers").unwrap();
/// let to = memory.lend_mut(bytemuck::bytes_of_mut(&mut results), "results").unwrap();
/// assert_eq!(memory.read(from + 16, 2).unwrap(), [2, 0]);
/// assert!(memory.read(to + 32, 1).is_err());
/// ```
pub struct Lending<'a> {
    memory: Memory,
    lent: PhantomData<&'a mut [u8]>,
}

impl<'a> Lending<'a> {
    /// Memory as [`Memory::new`] has it.
    pub fn new(address_size: u32) -> Lending<'a> {
        Lending { memory: Memory::new(address_size), lent: PhantomData }
    }

    /// Lends bytes to be read, under a name for errors.
    ///
    /// # Errors
    /// If they are not aligned to [`LENT_ALIGNMENT`] bytes, or there is no room.
    pub fn lend(&mut self, bytes: &'a [u8], name: impl Into<String>) -> Result<u64, LaunchError> {
        // SAFETY: they are borrowed for as long as anybody can reach the memory, so that nobody writes them; kernels cannot.
        unsafe { self.memory.lend(bytes.as_ptr().cast_mut(), bytes.len() as u64, name, true) }
    }

    /// Lends bytes to be read and written, under a name for errors.
    ///
    /// # Errors
    /// As [`Lending::lend`].
    pub fn lend_mut(&mut self, bytes: &'a mut [u8], name: impl Into<String>) -> Result<u64, LaunchError> {
        // SAFETY: they are borrowed for as long as anybody can reach the memory, so that nobody else uses them.
        unsafe { self.memory.lend(bytes.as_mut_ptr(), bytes.len() as u64, name, false) }
    }
}

/// What it can do as memory, but for what would take it out of its loans.
impl Deref for Lending<'_> {
    type Target = Memory;

    fn deref(&self) -> &Memory {
        &self.memory
    }
}

/// Bytes that are not margay's own, all of which somebody has written.
pub(super) fn lent(region: Region, words: Words, read_only: bool, owner: Owner) -> Allocation {
    let mut written = Written::default();
    written.set_all(region.bytes);
    let origin = region.end() - words.len();
    Allocation {
        region,
        read_only,
        words,
        origin,
        owner,
        written: Arc::new(Mutex::new(written)),
        freed: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Access, FaultKind};

    fn kind(memory: &Memory, access: Access, address: u64, bytes: u64) -> Option<FaultKind> {
        memory.check(access, address, bytes, bytes, &mut 0).err().map(|f| f.kind)
    }

    /// Memory with so many bytes lent in the middle of the pattern `0xa5`.
    fn lent(mut memory: Memory, bytes: u64, skip: usize) -> (Memory, u64, Box<[u128]>) {
        let mut room = vec![u128::from_le_bytes([0xa5; 16]); 32].into_boxed_slice();
        let start = room.as_mut_ptr().cast::<u8>().wrapping_add(128 + skip);
        // SAFETY: the room lives as long as the memory does.
        let address = unsafe { memory.lend(start, bytes, "lent", false) }.unwrap();
        (memory, address, room)
    }

    #[test]
    fn lent_bytes_are_used_to_the_last_one_and_nothing_beside_them() {
        for (host, bytes) in (1..40).flat_map(|n| [(false, n), (true, n)]) {
            let skip = if host { bytes as usize % 13 } else { 0 };
            let empty = if host { Memory::host() } else { Memory::new(64) };
            let (mut memory, at, room) = lent(empty, bytes, skip);
            for offset in 0..48 {
                for width in [1, 2, 4, 8] {
                    let aligned = (at + offset).is_multiple_of(width);
                    let inside = offset + width <= bytes;
                    let fault = kind(&memory, Access::Write, at + offset, width);
                    assert_eq!(fault.is_none(), aligned && inside, "{width} at {offset} of {bytes}");
                    if fault.is_none() {
                        let index = memory.last_from(at).unwrap();
                        let allocation = &memory.allocations[index];
                        let place = at + offset - allocation.origin;
                        allocation.words.store(place, width as u32, u64::MAX);
                        allocation.words.update(place, width as u32, |old| old & 0x0101_0101_0101_0101);
                    }
                }
            }
            memory.write(at + bytes - 1, &[9]).unwrap();
            let mut wanted = vec![1; bytes as usize];
            wanted[bytes as usize - 1] = 9;
            assert_eq!(memory.read(at, bytes).unwrap(), wanted);
            assert!(memory.write(at, &vec![0; bytes as usize + 1]).is_err());
            drop(memory);
            let all: Vec<u8> = room.iter().flat_map(|word| word.to_ne_bytes()).collect();
            let (before, rest) = all.split_at(128 + skip);
            assert_eq!(rest[..bytes as usize], wanted);
            assert!(before.iter().chain(&rest[bytes as usize..]).all(|byte| *byte == 0xa5));
        }
    }

    #[test]
    fn lent_bytes_lie_where_the_caller_chooses() {
        let mut room = [0u128; 8];
        let start = room.as_mut_ptr().cast::<u8>();
        for size in [32, 64] {
            let mut memory = Memory::new(size);
            let own = memory.alloc(8, "own").unwrap();
            let base = memory.layout().chosen.start;
            // SAFETY: the room outlives the memory.
            let mut lend = |at, skip: usize, bytes| unsafe {
                memory.lend_at(at, start.wrapping_add(skip), bytes, "`x`", false).map_err(|e| e.to_string())
            };
            lend(base + 0x1000, 16, 32).unwrap();
            lend(base + 3, 3, 10).unwrap();
            assert!(lend(base + 0x2001, 0, 8).unwrap_err().contains("cannot lie at"));
            for (at, bytes) in [(base + 0x1010, 4), (base + 0xff0, 17), (own, 4), (u64::MAX - 15, 16)] {
                assert!(lend(at, 0, bytes).unwrap_err().contains("no room for"), "{at:#x}");
            }
            memory.write(base + 4, &[7; 9]).unwrap();
            assert_eq!(kind(&memory, Access::Write, base + 4, 4), None);
            assert_eq!(kind(&memory, Access::Write, base + 12, 2), Some(FaultKind::OutOfBounds));
            assert_eq!(kind(&memory, Access::Write, base + 2, 1), Some(FaultKind::OutOfBounds));
            assert!(memory.alloc(8, "more").unwrap() < base, "own memory goes on below");
            memory.rewind(base + 3).unwrap();
            assert!(memory.read(base + 0x1000, 1).is_err() && memory.read(own, 1).is_ok());
        }
        assert_eq!(room[0].to_le_bytes()[3..14], [0, 7, 7, 7, 7, 7, 7, 7, 7, 7, 0]);
    }

    #[test]
    fn what_is_lent_only_to_be_read_is_written_by_nobody() {
        let mut memory = Memory::new(64);
        static CONSTANTS: u128 = 7;
        let start = (&raw const CONSTANTS).cast_mut().cast();
        // SAFETY: a constant, which is only read.
        let a = unsafe { memory.lend(start, 16, "constants", true) }.unwrap();
        assert_eq!(kind(&memory, Access::Read, a, 8), None);
        assert_eq!(kind(&memory, Access::Write, a, 8), Some(FaultKind::Locked));
        assert_eq!(kind(&memory, Access::Atomic, a, 4), Some(FaultKind::Locked));
        assert_eq!(memory.write(a, &[1]).unwrap_err().kind, FaultKind::Locked);
        assert!(!memory.is_constant(a));
    }

    #[test]
    fn what_is_lent_is_not_shared() {
        let (mut memory, at, _room) = lent(Memory::new(64), 32, 0);
        let own = memory.alloc(8, "own").unwrap();
        let other = memory.share().unwrap();
        assert!(kind(&other, Access::Read, at, 1).is_some());
        assert_eq!(kind(&other, Access::Write, own, 8), None);
    }

    #[test]
    fn own_addresses_want_aligned_bytes_and_host_addresses_free_ones() {
        let mut room = [0u128; 4];
        let start = room.as_mut_ptr().cast::<u8>();
        let mut own = Memory::new(64);
        // SAFETY: the room outlives both memories.
        let lend = |memory: &mut Memory, skip: usize, bytes| unsafe {
            memory.lend(start.wrapping_add(skip), bytes, "`x`", false).map_err(|e| e.to_string())
        };
        assert!(lend(&mut own, 8, 8).unwrap_err().starts_with("`x` begins at 0x"));
        assert_eq!(lend(&mut own, 0, 0).unwrap(), own.layout().global.start);
        assert!(lend(&mut own, 0, 1 << 60).unwrap_err().contains("no room"));
        let mut host = Memory::host();
        let a = lend(&mut host, 16, 16).unwrap();
        for (skip, bytes) in [(0, 17), (16, 1), (31, 2), (8, 32)] {
            assert!(lend(&mut host, skip, bytes).unwrap_err().contains("overlap `x` at 0x"), "{skip}");
        }
        assert!(lend(&mut host, 0, 0).is_err() && lend(&mut host, 0, 1 << 60).is_err());
        let b = lend(&mut host, 3, 13).unwrap();
        assert_eq!((a - b, kind(&host, Access::Read, b + 10, 2)), (13, Some(FaultKind::Misaligned(2))));
        host.free(a).unwrap();
        assert_eq!(kind(&host, Access::Read, a, 1), Some(FaultKind::Freed));
        assert!(host.free(a).is_err());
        assert_eq!(lend(&mut host, 17, 3).unwrap(), a + 1);
        assert_eq!(kind(&host, Access::Read, a + 1, 1), None);
    }

    #[test]
    fn open_memory_is_the_process_but_for_what_surrounds_allocations() {
        // SAFETY: only what is there is used.
        let mut memory = unsafe { Memory::open_host() };
        let mut number = Box::new(5u64);
        let outside = (&raw mut *number).expose_provenance() as u64;
        memory.write(outside, &[6]).unwrap();
        assert_eq!(*number, 6);
        let own = memory.alloc(100, "own").unwrap();
        memory.make_heap().unwrap();
        assert_eq!(kind(&memory, Access::Write, own + 96, 4), None);
        assert_eq!(kind(&memory, Access::Write, own + 100, 4), Some(FaultKind::OutOfBounds));
        assert_eq!(kind(&memory, Access::Write, own - 4, 4), Some(FaultKind::OutOfBounds));
        assert_eq!(kind(&memory, Access::Read, outside, 8), None);
        assert_eq!(kind(&memory, Access::Read, outside + 1, 8), Some(FaultKind::Misaligned(8)));
        assert_eq!(kind(&memory, Access::Read, 16, 4), Some(FaultKind::Null));
        assert_eq!(kind(&memory, Access::Read, u64::MAX - 7, 8), Some(FaultKind::Unallocated));
        assert_eq!(kind(&memory, Access::Read, USER_END - 4, 8), Some(FaultKind::OutOfBounds));
        assert!(memory.free(Layout::NULL_PAGE).is_err(), "a gap is no allocation");
        let block = memory.take(64);
        let heap = memory.heap_index().unwrap();
        assert_eq!(memory.check(Access::Read, block, 8, 8, &mut 0).unwrap(), heap);
        memory.free(own).unwrap();
        let heap = memory.heap_index().unwrap();
        assert_eq!(memory.check(Access::Read, block, 8, 8, &mut 0).unwrap(), heap);
        assert_eq!(kind(&memory, Access::Read, own, 4), None, "anybody may have it now");
    }
}
