//! What the host reads and writes of a device's memory, and what is noted of who has written it.

use super::{Access, Allocation, Fault, Memory, Owner};
use std::borrow::Cow;

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
        self.allocations.iter().for_each(|allocation| allocation.written().set_all(allocation.region.bytes));
    }
}
