//! Allocations that other processes may have, and those of other processes.

use super::lent::lent;
use super::{Grain, Memory, Owner, Region, Ticket, Words};
use crate::error::LaunchError;
use std::io::{self, ErrorKind};

impl Memory {
    /// As [`Memory::alloc`], but no other allocation lies in the same pages, so that other processes may have them: where addresses
    /// are set aside ([`Memory::set_aside`]).
    ///
    /// # Errors
    /// If the device, the host or the address space has no room.
    pub fn alloc_pages(&mut self, bytes: u64, name: impl Into<String>) -> Result<u64, LaunchError> {
        self.place(None, bytes, name.into(), false, Grain::Page)
    }

    /// Lets other processes have the allocation of [`Memory::alloc_pages`] that begins at an address, with what is in it, and says
    /// how they find it: always the same of one allocation. Its address stays, and so do the bytes of those who have it once it is
    /// freed. All of it counts as written for [`crate::Sanitize::init`], for others write to it unseen.
    ///
    /// ```
    /// use margay_exec::Memory;
    /// let mut memory = Memory::host();
    /// // Only Linux grants it.
    /// if memory.set_aside() {
    ///     let own = memory.alloc_pages(8, "own").unwrap();
    ///     let ticket = memory.export(own).unwrap();
    ///     // Another process does this.
    ///     let opened = memory.open(&ticket, "opened").unwrap();
    ///     memory.write(own, &[1, 2, 3]).unwrap();
    ///     assert_eq!(memory.read(opened, 3).unwrap(), [1, 2, 3]);
    ///     assert!(memory.read(opened + 6, 3).is_err());
    /// }
    /// ```
    ///
    /// # Errors
    /// With [`ErrorKind::InvalidInput`] if no allocation of the memory's own begins there, with [`ErrorKind::Unsupported`] if it is in
    /// no pages of its own; with others if the system refuses it. The allocation stays as it is.
    pub fn export(&mut self, address: u64) -> io::Result<Ticket> {
        let found = self.last_from(address).map(|index| &mut self.allocations[index]);
        let found = found.filter(|a| a.region.base == address && !a.freed && a.owner == Owner::Own);
        let found = found.ok_or(ErrorKind::InvalidInput)?;
        let ticket = found.words.export(found.region.bytes)?;
        found.written().set_all(found.region.bytes);
        Ok(ticket)
    }

    /// Memory that another process has exported, under a name for errors, until [`Memory::free`] gives it back here. Kernels of both
    /// may use it at once; atomic operations are single steps among both, those of 16 bytes aside. It counts as written for
    /// [`crate::Sanitize::init`], and not as memory that the device has given.
    ///
    /// # Errors
    /// With [`ErrorKind::NotFound`] if it is no longer there, with [`ErrorKind::Unsupported`] where no addresses are set aside, with
    /// others if the system refuses it.
    pub fn open(&mut self, ticket: &Ticket, name: impl Into<String>) -> io::Result<u64> {
        let reserves = self.reserves.as_mut().ok_or(ErrorKind::Unsupported)?;
        let words = Words::opened(ticket, reserves)?;
        let base = words.start().expose_provenance() as u64;
        let region = Region { name: name.into(), base, bytes: ticket.bytes };
        self.insert(lent(region, words, false, Owner::Process));
        Ok(base)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Access, FaultKind};

    /// Memory with addresses set aside, where the system grants it.
    fn host() -> Option<Memory> {
        let mut memory = Memory::host();
        memory.set_aside().then_some(memory)
    }

    #[test]
    fn what_is_exported_keeps_its_address_its_bytes_and_its_neighbours() {
        let Some(mut memory) = host() else { return };
        let before = memory.alloc(100, "before").unwrap();
        let sizes = [1, 100, 4096, 5000, 3 << 20];
        let all = sizes.map(|bytes| memory.alloc_pages(bytes, "x").unwrap());
        let after = memory.alloc(100, "after").unwrap();
        [before, after].iter().for_each(|at| memory.write(*at, &[9; 100]).unwrap());
        for (at, bytes) in all.into_iter().zip(sizes) {
            memory.write(at + bytes / 2, &[bytes as u8 | 1]).unwrap();
            let wanted = memory.read(at, bytes).unwrap();
            let ticket = memory.export(at).unwrap();
            assert!(memory.export(at).unwrap() == ticket && ticket.bytes == bytes);
            assert!(memory.read(at, bytes).unwrap() == wanted && *memory.view(at, bytes).unwrap() == wanted);
            let opened = memory.open(&ticket, "opened").unwrap();
            assert_eq!(memory.read(opened, bytes).unwrap(), wanted);
            memory.write(opened, &[7]).unwrap();
            assert_eq!(memory.read(at, 1).unwrap(), [7]);
            assert!(memory.check(Access::Write, opened + bytes, 1, 1, &mut 0).is_err());
            assert!(memory.export(opened).is_err(), "it is another's");
        }
        for at in [before, after] {
            assert_eq!(memory.read(at, 100).unwrap(), [9; 100]);
            assert_eq!(memory.export(at).unwrap_err().kind(), ErrorKind::Unsupported);
            assert_eq!(memory.export(at + 1).unwrap_err().kind(), ErrorKind::InvalidInput);
        }
    }

    #[test]
    fn what_was_opened_stays_when_the_owner_frees_it_and_nobody_else_finds_it() {
        let Some(mut memory) = host() else { return };
        let at = memory.alloc_pages(8, "x").unwrap();
        memory.write(at, &[5; 8]).unwrap();
        let left = memory.left(u64::MAX);
        let ticket = memory.export(at).unwrap();
        let opened = memory.open(&ticket, "opened").unwrap();
        memory.free(at).unwrap();
        assert_eq!(memory.check(Access::Read, at, 8, 8, &mut 0).unwrap_err().kind, FaultKind::Freed);
        assert_eq!(memory.read(opened, 8).unwrap(), [5; 8]);
        assert_eq!(memory.open(&ticket, "again").unwrap_err().kind(), ErrorKind::NotFound);
        memory.free(opened).unwrap();
        assert_eq!(memory.check(Access::Read, opened, 8, 8, &mut 0).unwrap_err().kind, FaultKind::Freed);
        assert!(memory.left(u64::MAX) >= left);
    }

    #[test]
    fn tickets_that_were_made_up_open_nothing() {
        let Some(mut memory) = host() else { return };
        let at = memory.alloc_pages(5000, "x").unwrap();
        let good = memory.export(at).unwrap();
        let file = std::fs::File::open("/proc/self/exe").unwrap();
        let wrong = [
            Ticket { number: good.number ^ 1, ..good },
            Ticket { process: u32::MAX, ..good },
            Ticket { file: u32::MAX, ..good },
            Ticket { file: 0, ..good },
            Ticket { file: std::os::fd::AsRawFd::as_raw_fd(&file) as u32, ..good },
            Ticket { bytes: 0, ..good },
            Ticket { bytes: 4096, ..good },
            Ticket { bytes: u64::MAX, ..good },
            Ticket { bytes: 1 << 40, ..good },
        ];
        for ticket in wrong {
            assert_eq!(memory.open(&ticket, "x").unwrap_err().kind(), ErrorKind::NotFound, "{ticket:?}");
        }
        memory.open(&good, "x").unwrap();
    }
}
