//! What the host reads and writes of a device's memory, and what is noted of who has written it.

use super::{Access, Allocation, Fault, Memory, Owner};
use std::borrow::Cow;
use std::sync::PoisonError;

impl Memory {
    /// A copy of so many bytes from an address on.
    ///
    /// # Errors
    /// If they do not all lie in one allocation.
    pub fn read(&self, address: u64, bytes: u64) -> Result<Vec<u8>, Fault> {
        let index = self.check(Access::Read, address, bytes, 1, &mut 0)?;
        let allocation = &self.allocations[index];
        Ok(allocation.words.bytes(address - allocation.origin, bytes))
    }

    /// Whether so many bytes from an address on can be read.
    ///
    /// # Errors
    /// If they do not all lie in one allocation.
    pub fn readable(&self, address: u64, bytes: u64) -> Result<(), Fault> {
        self.check(Access::Read, address, bytes, 1, &mut 0).map(|_| ())
    }

    /// The bytes from an address on, without a copy where they are the memory's own and not shared: what nobody has written
    /// stays unused.
    ///
    /// # Errors
    /// If they do not all lie in one allocation.
    pub fn view(&mut self, address: u64, bytes: u64) -> Result<Cow<'_, [u8]>, Fault> {
        let index = self.check(Access::Read, address, bytes, 1, &mut 0)?;
        let Allocation { words, origin, .. } = &mut self.allocations[index];
        let at = address - *origin;
        match words.is_alone() {
            true => Ok(words.own_mut().unwrap_or_default()[at as usize..][..bytes as usize].into()),
            false => Ok(words.bytes(at, bytes).into()),
        }
    }

    /// Copies bytes from an address on, as many as there is room for.
    ///
    /// # Errors
    /// If they do not all lie in one allocation; then nothing is copied.
    pub fn read_into(&self, address: u64, to: &mut [u8]) -> Result<(), Fault> {
        let index = self.check(Access::Read, address, to.len() as u64, 1, &mut 0)?;
        let allocation = &self.allocations[index];
        allocation.words.copy_to(address - allocation.origin, to);
        Ok(())
    }

    /// Writes bytes from an address on, to constant memory too.
    ///
    /// # Errors
    /// If they do not all lie in one allocation, or are lent only to be read.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Fault> {
        let index = self.to_write(address, bytes)?;
        let allocation = &mut self.allocations[index];
        let at = address - allocation.origin;
        match allocation.words.own_mut() {
            Some(own) => own[at as usize..][..bytes.len()].copy_from_slice(bytes),
            None => allocation.words.set_bytes(at, bytes),
        }
        allocation.written().set(address - allocation.region.base, bytes.len() as u64);
        Ok(())
    }

    /// The same while launches may use the memory: a slower copy, which may race with theirs.
    ///
    /// # Errors
    /// As [`Memory::write`].
    pub fn write_beside(&self, address: u64, bytes: &[u8]) -> Result<(), Fault> {
        let allocation = &self.allocations[self.to_write(address, bytes)?];
        allocation.words.set_bytes(address - allocation.origin, bytes);
        allocation.written().set(address - allocation.region.base, bytes.len() as u64);
        Ok(())
    }

    /// The index of the allocation that the host may write bytes to.
    fn to_write(&self, address: u64, bytes: &[u8]) -> Result<usize, Fault> {
        let count = bytes.len() as u64;
        let index = self.check(Access::Read, address, count, 1, &mut 0)?;
        let allocation = &self.allocations[index];
        match allocation.read_only && allocation.owner != Owner::Own {
            true => Err(self.fault(Access::Write, address, count, 1)),
            false => Ok(index),
        }
    }

    /// Counts all of the allocation that an address lies in as written for [`crate::Sanitize::init`]: it is zero where it
    /// has no data.
    pub fn set_written(&self, address: u64) {
        if let Some(index) = self.last_from(address) {
            let allocation = &self.allocations[index];
            allocation.written().set_all(allocation.region.bytes);
        }
    }

    /// Notes that everything may have been written, by a launch that nobody watched.
    pub(crate) fn assume_written(&self) {
        let mut fresh = self.fresh.lock().unwrap_or_else(PoisonError::into_inner);
        // What kernels take of the heap is fresh again each time.
        let heap = self.heap_index().map(|index| self.allocations[index].region.base);
        for base in fresh.drain(..).chain(heap) {
            let end = self.allocations.partition_point(|a| a.region.base <= base);
            let there = self.allocations[..end].iter().rev().take_while(|a| a.region.base == base);
            there.for_each(|allocation| allocation.written().set_all(allocation.region.bytes));
        }
    }

    /// Notes that an allocation begins here of which something is not written. What has been given back is left out from time to
    /// time.
    pub(super) fn note_fresh(&mut self, base: u64) {
        let allocations = &self.allocations;
        let fresh = self.fresh.get_mut().unwrap_or_else(PoisonError::into_inner);
        if fresh.len() > 2 * allocations.len() + 64 {
            fresh.sort_unstable();
            fresh.dedup();
            fresh.retain(|base| {
                let place = allocations.partition_point(|a| a.region.base < *base);
                allocations[place..].iter().take_while(|a| a.region.base == *base).any(|a| !a.freed)
            });
        }
        fresh.push(base);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many bytes of the allocation at an address nobody has written.
    fn missing(memory: &Memory, address: u64) -> u64 {
        let allocation = &memory.allocations[memory.last_from(address).unwrap()];
        allocation.written().missing(0, allocation.region.bytes)
    }

    #[test]
    fn a_launch_that_nobody_watched_may_have_written_what_there_was() {
        for mut memory in [Memory::new(64), Memory::host()] {
            let [a, b] = ["a", "b"].map(|name| memory.alloc(16, name).unwrap());
            memory.write(a, &[1; 4]).unwrap();
            assert_eq!([missing(&memory, a), missing(&memory, b)], [12, 16]);
            memory.assume_written();
            let c = memory.alloc(8, "c").unwrap();
            assert_eq!([a, b, c].map(|address| missing(&memory, address)), [0, 0, 8]);
            memory.free(b).unwrap();
            memory.assume_written();
            assert_eq!(missing(&memory, c), 0);
        }
    }

    #[test]
    fn what_the_heap_gave_is_fresh_until_a_launch_that_nobody_watched() {
        let mut memory = Memory::new(64);
        memory.make_heap().unwrap();
        memory.assume_written();
        let heap = &memory.allocations[memory.heap_index().unwrap()];
        heap.written().clear(32, 8);
        assert_eq!(missing(&memory, heap.region.base), 8);
        memory.assume_written();
        assert_eq!(missing(&memory, heap.region.base), 0);
    }

    #[test]
    fn launches_beside_each_other_know_of_what_is_shared() {
        let mut memory = Memory::new(64);
        let shared = memory.alloc(8, "shared").unwrap();
        let mut other = memory.share().unwrap();
        let own = memory.alloc(8, "own").unwrap();
        other.alloc(8, "another").unwrap();
        other.assume_written();
        assert_eq!([shared, own].map(|address| missing(&memory, address)), [0, 8]);
    }

    #[test]
    fn what_was_given_back_is_not_kept_in_mind() {
        let mut memory = Memory::new(64);
        let kept = memory.alloc(8, "kept").unwrap();
        for _ in 0..10_000 {
            let gone = memory.alloc(8, "gone").unwrap();
            memory.free(gone).unwrap();
        }
        assert!(memory.fresh.lock().unwrap().len() < 2 * memory.allocations.len() + 100);
        memory.assume_written();
        assert_eq!(missing(&memory, kept), 0);
    }
}
