//! Device memory: allocations at addresses of margay's own, every access checked.
//!
//! A device address is no host address. Allocations lie in one region ([`Layout::global`]) in the order in which
//! they were made, 256-byte aligned, with at least the larger neighbour's size left free between two of them; addresses
//! are never used twice, unless asked for ([`Memory::rewind`]). So runs repeat to the bit, addresses included, and a pointer that leaves its buffer by less than
//! the buffer's size meets nothing. Allocations may also be lent by the host ([`Memory::lend`]), and there is memory in
//! which device addresses are host addresses ([`Memory::host`]).

mod aligned;
mod bulk;
mod contents;
mod export;
mod fault;
mod fours;
mod gather;
mod given_back;
mod grid;
mod heap;
mod layout;
mod lent;
mod machine;
mod masked;
mod reserve;
mod rows;
mod share;
mod shared;
mod size;
mod vectors;
mod warps;
mod words;
mod written;

pub(crate) use aligned::AlignedWords;
pub(crate) use bulk::Bulk;
pub use fault::{Access, Fault, FaultKind, Nearest, Region};
pub(crate) use fault::{DYNAMIC_SHARED, holds};
pub(crate) use gather::{ROW, Word};
pub(crate) use grid::Grid;
pub use layout::{Layout, Window};
pub use lent::{LENT_ALIGNMENT, Lending};
pub(crate) use rows::RowCopies;
pub use shared::{SharedCount, Ticket};
pub(crate) use warps::{LaneOffsets, WarpPlaces};
pub(crate) use words::{Private, Words, wide_step};
pub(crate) use written::Written;

use crate::error::LaunchError;
use heap::{HEAP_BYTES, Heap};
use margay_front::module::Space;
use margay_isa::texture::TextureDescriptor;
use reserve::{Grain, Reserves};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};

/// Device addresses of allocations are multiples of this.
pub const ALIGNMENT: u64 = 256;
/// At least so many bytes are free between two allocations.
const LEAST_GUARD: u64 = 4096;
/// The most bytes that a device can have.
const ADDRESSABLE: u64 = 1 << 38;

/// Memory of a device: what kernels reach through the global and constant spaces.
///
/// ```
/// use margay_exec::Memory;
/// let mut memory = Memory::new(64);
/// let a = memory.alloc(8, "a").unwrap();
/// memory.write(a, &[1, 2, 3, 4, 5, 6, 7, 8]).unwrap();
/// assert_eq!(memory.read(a + 2, 3).unwrap(), [3, 4, 5]);
/// assert_eq!(a, memory.layout().global.start);
/// assert!(memory.read(a + 6, 3).is_err());
/// ```
pub struct Memory {
    layout: Layout,
    addresses: Addresses,
    /// In the order of their addresses.
    allocations: Vec<Allocation>,
    /// Where allocations begin of which something may not be written yet, and others: launches that nobody watches look at
    /// these alone.
    fresh: Mutex<Vec<u64>>,
    /// Bytes of those that have not been given back.
    used: u64,
    /// Bytes that the device has, where that was said.
    size: Option<u64>,
    /// What kernels take for themselves, and the allocation that it lies in.
    heap: Option<(usize, Arc<Mutex<Heap>>)>,
    /// Where allocations come to lie among addresses of the host, if that is told.
    reserves: Option<Reserves>,
    /// Addresses that were given back and are remembered, the oldest first.
    given_back: VecDeque<u64>,
}

/// What device addresses are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Addresses {
    /// Places of margay's own.
    Own,
    /// Addresses of the host.
    Host {
        /// Whether what is in no allocation is memory too: that of the whole process.
        open: bool,
    },
}

/// Whose bytes an allocation has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Owner {
    /// The memory.
    Own,
    /// The caller, who has lent them.
    Lent,
    /// Another process, which has exported them.
    Process,
    /// Whoever it may be: what lies between allocations of open memory.
    Anybody,
}

/// Some bytes of device memory.
pub(crate) struct Allocation {
    pub(crate) region: Region,
    pub(crate) read_only: bool,
    pub(crate) words: Words,
    /// The device address of the first of the words: that of the region, or less than a word before it.
    pub(crate) origin: u64,
    owner: Owner,
    /// Which bytes the host or a launch has written.
    written: Arc<Mutex<Written>>,
    freed: bool,
}

impl Memory {
    /// Empty memory of a device whose modules have addresses of so many bits (32 or 64).
    pub fn new(address_size: u32) -> Memory {
        Memory {
            layout: Layout::of(address_size),
            addresses: Addresses::Own,
            allocations: Vec::new(),
            fresh: Mutex::default(),
            used: 0,
            size: None,
            heap: None,
            reserves: None,
            given_back: VecDeque::new(),
        }
    }

    /// Where things lie in the address space.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Zeroed memory of so many bytes; `name` is what errors call it (`argument 2`). Returns its address.
    ///
    /// # Errors
    /// If the device, the host or the address space has no room.
    pub fn alloc(&mut self, bytes: u64, name: impl Into<String>) -> Result<u64, LaunchError> {
        self.place(None, bytes, name.into(), false, Grain::Small)
    }

    /// Describes a texture, a surface or a sampler, and gives its handle: what a kernel's parameter of type
    /// `cudaTextureObject_t` gets.
    ///
    /// ```
    /// use margay_exec::Memory;
    /// use margay_isa::Handle;
    /// use margay_isa::texture::{ChannelFormat, SamplerState, Texels, TextureDescriptor};
    ///
    /// let mut memory = Memory::new(64);
    /// let pixels = memory.alloc(4 * 640 * 480, "pixels")?;
    /// let texels = Texels::plane(pixels, 640, 480, ChannelFormat::U8, 4);
    /// let sampler = SamplerState { is_linear: true, reads_fractions: true, ..SamplerState::default() };
    /// let picture = TextureDescriptor { kind: Handle::Texture, texels, sampler };
    /// let handle = memory.alloc_texture(&picture, "picture")?;
    /// # assert_eq!(memory.read(handle, 128).unwrap(), picture.to_bytes());
    /// # Ok::<(), margay_exec::LaunchError>(())
    /// ```
    ///
    /// # Errors
    /// There is no room.
    pub fn alloc_texture(
        &mut self,
        texture: &TextureDescriptor,
        name: impl Into<String>,
    ) -> Result<u64, LaunchError> {
        let handle = self.alloc_read_only(TextureDescriptor::BYTES as u64, name)?;
        let written = self.write(handle, &texture.to_bytes());
        written.map(|()| handle).map_err(|fault| LaunchError::new(fault.to_string()))
    }

    /// As [`Memory::alloc`], but kernels may not write to it; [`Memory::write`] does.
    ///
    /// # Errors
    /// If the device, the host or the address space has no room.
    pub fn alloc_read_only(&mut self, bytes: u64, name: impl Into<String>) -> Result<u64, LaunchError> {
        self.place(None, bytes, name.into(), true, Grain::Small)
    }

    /// Allocates where it is said, or where the next allocation comes to lie.
    fn place(
        &mut self,
        at: Option<u64>,
        bytes: u64,
        name: String,
        read_only: bool,
        grain: Grain,
    ) -> Result<u64, LaunchError> {
        if self.left(bytes) < bytes {
            return Err(self.no_room(bytes, &name));
        }
        let placed = match self.addresses {
            Addresses::Own => at.or_else(|| self.next(bytes)).zip(Words::zeroed(bytes)),
            Addresses::Host { .. } => {
                let reserves = self.reserves.as_mut();
                let reserved = reserves.and_then(|reserves| Words::reserved(bytes, reserves, grain));
                let words = reserved.or_else(|| Words::guarded(bytes, LEAST_GUARD));
                words.map(|words| (words.start().expose_provenance() as u64, words))
            }
        };
        let (base, words) = placed.ok_or_else(|| self.no_room(bytes, &name))?;
        let region = Region { name, base, bytes };
        self.insert(Allocation {
            region,
            read_only,
            words,
            origin: base,
            owner: Owner::Own,
            written: Arc::default(),
            freed: false,
        });
        self.used += bytes;
        Ok(base)
    }

    /// Where an allocation of so many bytes comes to lie among margay's own addresses.
    fn next(&self, bytes: u64) -> Option<u64> {
        let global = &self.layout.global;
        let base = match self.last_own() {
            None => global.start,
            Some(last) => {
                let guard = last.region.bytes.max(bytes).max(LEAST_GUARD);
                (last.region.end().checked_add(guard)?).checked_next_multiple_of(ALIGNMENT)?
            }
        };
        let end = base.checked_add(bytes).filter(|end| *end <= global.end)?;
        let before = self.last_from(end).map(|k| &self.allocations[k].region);
        before.is_none_or(|region| region.end() <= base).then_some(base)
    }

    /// The last allocation whose place nobody has chosen.
    fn last_own(&self) -> Option<&Allocation> {
        let Layout { global, chosen, .. } = &self.layout;
        let inside = chosen.start < global.end;
        let is_own = |a: &&Allocation| a.region.base < chosen.start || inside && a.owner == Owner::Own;
        self.allocations.iter().rfind(is_own)
    }

    /// Adds an allocation in the order of addresses. What has been given back there is forgotten.
    fn insert(&mut self, allocation: Allocation) {
        self.note_fresh(allocation.region.base);
        if self.allocations.last().is_none_or(|last| last.region.base < allocation.region.base)
            && self.addresses == Addresses::Own
        {
            return self.allocations.push(allocation);
        }
        let (base, end) = (allocation.region.base, allocation.region.end());
        self.change(|all| {
            let from = all.partition_point(|a| a.region.end() <= base && a.region.base < base);
            let to = from + all[from..].partition_point(|a| a.region.base < end);
            let mut kept: Vec<_> = all.drain(from..to).filter(|a| !a.freed).collect();
            kept.insert(kept.partition_point(|a| a.region.base <= base), allocation);
            all.splice(from..from, kept);
        });
    }

    /// Changes which allocations there are. The heap keeps its place among them, and open memory its gaps.
    fn change(&mut self, change: impl FnOnce(&mut Vec<Allocation>)) {
        let heap = self.heap.as_ref().map(|(heap, _)| self.allocations[*heap].region.base);
        change(&mut self.allocations);
        if self.addresses == (Addresses::Host { open: true }) {
            self.fill_gaps();
        }
        if let (Some((index, _)), Some(base)) = (&mut self.heap, heap) {
            *index = self.allocations.partition_point(|a| a.region.base < base);
        }
    }

    /// Makes the heap of the device's `malloc`, unless there is one.
    pub(crate) fn make_heap(&mut self) -> Result<(), LaunchError> {
        if self.heap.is_none() {
            let base = self.alloc(HEAP_BYTES, "the device's heap")?;
            let index = self.last_from(base).unwrap_or(0);
            self.heap = Some((index, Arc::new(Mutex::new(Heap::new(base)))));
        }
        Ok(())
    }

    fn heap(&self) -> Option<MutexGuard<'_, Heap>> {
        let (_, heap) = self.heap.as_ref()?;
        Some(heap.lock().unwrap_or_else(|poison| poison.into_inner()))
    }

    /// What `malloc` gives: the address of so many bytes of the heap, or 0.
    pub(crate) fn take(&self, bytes: u64) -> u64 {
        self.heap().and_then(|mut heap| heap.take(bytes)).unwrap_or(0)
    }

    /// What `free` does.
    pub(crate) fn give_back(&self, address: u64) -> Result<(), String> {
        match self.heap() {
            Some(mut heap) if address != 0 => heap.give_back(address),
            _ => Ok(()),
        }
    }

    /// Whether an access that lies in an allocation is to memory that the kernel has taken, where that allocation is the
    /// heap.
    #[inline]
    pub(crate) fn check_heap(&self, index: usize, access: Access, at: u64, bytes: u64) -> Result<(), Fault> {
        match &self.heap {
            Some((heap, _)) if *heap == index => {
                self.heap().map_or(Ok(()), |heap| heap.check(access, at, bytes))
            }
            _ => Ok(()),
        }
    }

    /// The memory that an address belongs to: a taken block of the heap, or an allocation.
    pub(crate) fn around(&self, address: u64) -> Option<Region> {
        let index = self.last_from(address)?;
        let block = match &self.heap {
            Some((heap, _)) if *heap == index => self.heap().and_then(|heap| heap.block(address)),
            _ => None,
        };
        Some(block.unwrap_or_else(|| self.allocations[index].region.clone()))
    }

    /// The index of the heap's allocation.
    pub(crate) fn heap_index(&self) -> Option<usize> {
        self.heap.as_ref().map(|(index, _)| *index)
    }

    /// The allocation that begins at an address: what errors call it, and its bytes.
    pub fn region(&self, address: u64) -> Option<&Region> {
        let found = &self.allocations[self.last_from(address)?];
        (found.region.base == address && !found.freed).then_some(&found.region)
    }

    /// Whether an address lies in constant memory.
    pub(crate) fn is_constant(&self, address: u64) -> bool {
        let found = self.last_from(address).map(|k| &self.allocations[k]);
        found.is_some_and(|a| a.is_constant() && !a.freed && a.region.holds(address))
    }

    /// Whether an allocation is the heap, of which kernels may use only what they have taken.
    pub(crate) fn is_heap(&self, index: usize) -> bool {
        self.heap.as_ref().is_some_and(|(heap, _)| *heap == index)
    }

    pub(crate) fn allocation(&self, index: usize) -> &Allocation {
        &self.allocations[index]
    }

    /// The index of the allocation that an access lies in. `hint` is an index that is tried first and kept up to date.
    #[inline]
    pub(crate) fn check(
        &self,
        access: Access,
        address: u64,
        bytes: u64,
        alignment: u64,
        hint: &mut usize,
    ) -> Result<usize, Fault> {
        if let Some(a) = self.allocations.get(*hint)
            && a.fits(access, address, bytes, alignment)
        {
            return Ok(*hint);
        }
        *hint = self.last_from(address).unwrap_or(0);
        match self.allocations.get(*hint) {
            Some(a) if a.fits(access, address, bytes, alignment) => Ok(*hint),
            _ => Err(self.fault(access, address, bytes, alignment)),
        }
    }

    /// What to take from addresses in an allocation, if some bytes lie in it and may be used so, and it is not the heap.
    #[inline]
    pub(crate) fn origin_of(&self, index: usize, access: Access, address: u64, bytes: u64) -> Option<u64> {
        let found = self.allocations.get(index).filter(|a| a.fits(access, address, bytes, 1));
        found.filter(|_| !self.is_heap(index)).map(|a| a.origin)
    }

    /// The last allocation that begins at or before an address.
    fn last_from(&self, address: u64) -> Option<usize> {
        self.allocations.partition_point(|a| a.region.base <= address).checked_sub(1)
    }

    /// Why an access is refused.
    #[cold]
    fn fault(&self, access: Access, address: u64, bytes: u64, alignment: u64) -> Fault {
        let before = self.last_from(address);
        let after = before.map_or(0, |k| k + 1);
        let near = [before.and_then(|k| self.allocations.get(k)), self.allocations.get(after)];
        let near = near.into_iter().flatten();
        // A gap of open memory is nothing to be near to.
        let near = near.filter(|a| a.owner != Owner::Anybody || a.region.holds(address));
        let near = near.min_by_key(|a| a.region.distance(address));
        let fault = Fault::at(Space::Global, access, address, bytes);
        let fault = match near {
            Some(a) => fault.near(&a.region),
            None => fault,
        };
        let locked = |a: &Allocation| if a.is_constant() { FaultKind::ReadOnly } else { FaultKind::Locked };
        fault.because(match near {
            _ if address < Layout::NULL_PAGE => FaultKind::Null,
            None => FaultKind::Unallocated,
            Some(a) if a.freed && a.region.holds(address) => FaultKind::Freed,
            Some(a) => a.region.refusal(address, bytes, alignment).unwrap_or_else(|| locked(a)),
        })
    }
}

impl Allocation {
    /// Which of its bytes are written; others that ask wait.
    pub(crate) fn written(&self) -> MutexGuard<'_, Written> {
        self.written.lock().unwrap_or_else(|poison| poison.into_inner())
    }

    /// Whether it is constant memory, as PTX calls it.
    #[inline]
    pub(crate) fn is_constant(&self) -> bool {
        self.read_only && self.owner == Owner::Own
    }

    #[inline]
    fn fits(&self, access: Access, address: u64, bytes: u64, alignment: u64) -> bool {
        self.region.fits(address, bytes)
            && address & (alignment - 1) == 0
            && !(self.read_only && access != Access::Read)
            && !self.freed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn two() -> (Memory, u64, u64) {
        let mut memory = Memory::new(64);
        let a = memory.alloc(100, "argument 1").unwrap();
        let b = memory.alloc(100_000, "argument 2").unwrap();
        (memory, a, b)
    }

    pub(super) fn kind(memory: &Memory, access: Access, address: u64, bytes: u64) -> Option<FaultKind> {
        memory.check(access, address, bytes, bytes, &mut 0).err().map(|f| f.kind)
    }

    #[test]
    fn addresses_repeat_and_leave_room_for_the_larger_neighbour() {
        let (_, a, b) = two();
        assert_eq!((a, b), {
            let (_, a, b) = two();
            (a, b)
        });
        assert!(a % ALIGNMENT == 0 && b % ALIGNMENT == 0 && b - (a + 100) >= 100_000);
    }

    #[test]
    fn every_access_inside_is_allowed_and_every_one_outside_refused() {
        let (memory, a, _) = two();
        for at in 0..200 {
            let wanted = (at + 4 > 100).then_some(FaultKind::OutOfBounds);
            let wanted = wanted.or((at % 4 != 0).then_some(FaultKind::Misaligned(4)));
            assert_eq!(kind(&memory, Access::Read, a + at, 4), wanted, "{at}");
        }
        assert_eq!(kind(&memory, Access::Read, a - 4, 4), Some(FaultKind::OutOfBounds));
        assert_eq!(kind(&memory, Access::Read, 16, 4), Some(FaultKind::Null));
        assert_eq!(kind(&memory, Access::Read, u64::MAX - 3, 4), Some(FaultKind::Unallocated));
        assert_eq!(kind(&memory, Access::Read, u64::MAX, 1), Some(FaultKind::Unallocated));
    }

    #[test]
    fn a_fault_names_the_nearest_allocation_and_the_distance() {
        let (memory, a, b) = two();
        let fault = memory.read(a + 108, 4).unwrap_err();
        assert_eq!(
            fault.to_string(),
            "out of bounds: read of 4 bytes at 0x70000000006c, 8 bytes past the end of argument 1 \
             (100 bytes at 0x700000000000)"
        );
        let fault = memory.read(b - 16, 4).unwrap_err();
        assert!(fault.to_string().contains("16 bytes before the start of argument 2"), "{fault}");
        let fault = memory.read(b + 99_998, 4).unwrap_err();
        assert!(fault.to_string().contains("the last 2 of them past the end of argument 2"), "{fault}");
    }

    #[test]
    fn constants_are_written_by_the_host_only() {
        let mut memory = Memory::new(64);
        let c = memory.alloc_read_only(8, "`c`").unwrap();
        memory.write(c, &[7; 8]).unwrap();
        assert_eq!(kind(&memory, Access::Read, c, 8), None);
        assert_eq!(kind(&memory, Access::Write, c, 8), Some(FaultKind::ReadOnly));
    }

    #[test]
    fn an_empty_allocation_has_an_address_but_no_bytes() {
        let mut memory = Memory::new(64);
        let a = memory.alloc(0, "nothing").unwrap();
        assert!(memory.read(a, 0).unwrap().is_empty());
        assert_eq!(kind(&memory, Access::Read, a, 1), Some(FaultKind::OutOfBounds));
    }

    #[test]
    fn what_the_host_cannot_hold_is_an_error() {
        let mut memory = Memory::new(64);
        assert!(memory.alloc(u64::MAX, "x").is_err() && memory.alloc(ADDRESSABLE + 1, "x").is_err());
        assert!(Memory::new(32).alloc(1 << 32, "x").is_err());
    }
}
