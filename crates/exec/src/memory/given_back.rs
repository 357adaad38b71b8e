//! Giving memory back. The latest that was is remembered, so that a later use is told as one.

use super::{Addresses, Allocation, Memory, Owner, Words};
use crate::error::LaunchError;
use std::collections::BTreeSet;

/// So many allocations that were given back are remembered at least.
pub(super) const REMEMBERED: usize = 1024;

impl Memory {
    /// Gives an allocation or lent bytes back. An address of margay's own is never used again, so that later uses are
    /// noticed; the host's may be.
    ///
    /// # Errors
    /// If no living allocation begins at the address.
    pub fn free(&mut self, address: u64) -> Result<(), LaunchError> {
        let found = self.last_from(address);
        let is_one = |a: &Allocation| a.region.base == address && !a.freed && a.owner != Owner::Anybody;
        let Some(index) = found.filter(|k| is_one(&self.allocations[*k])) else {
            return Err(LaunchError::new(format!("no allocation begins at {address:#x}")));
        };
        if self.is_heap(index) {
            return Err(LaunchError::new(format!("the device's heap at {address:#x} cannot be freed")));
        }
        if self.allocations[index].owner == Owner::Own {
            self.used -= self.allocations[index].region.bytes;
        }
        self.change(|all| {
            all[index].freed = true;
            all[index].words = Words::default();
        });
        self.given_back.push_back(address);
        self.forget();
        Ok(())
    }

    /// Forgets the older half of what was given back, once that is much.
    fn forget(&mut self) {
        if self.given_back.len() < 2 * REMEMBERED {
            return;
        }
        let mut old: BTreeSet<u64> = self.given_back.drain(..REMEMBERED).collect();
        // What comes next lies after the last one, so that no address is given twice.
        let last = self.last_own().map(|last| last.region.base);
        if let Some(last) = last.filter(|last| !self.has_host_addresses() && old.remove(last)) {
            self.given_back.push_back(last);
        }
        self.change(|all| all.retain(|a| !a.freed || !old.contains(&a.region.base)));
    }

    /// Gives back what was allocated or lent last, from the allocation that begins at an address on, and uses these addresses
    /// again: for memory that is lent anew for every launch, so that any number of them find room, at the same addresses.
    ///
    /// ```
    /// use margay_exec::Memory;
    /// let mut memory = Memory::new(64);
    /// let kept = memory.alloc(8, "kept").unwrap();
    /// let lent = memory.alloc(8, "lent").unwrap();
    /// memory.rewind(lent).unwrap();
    /// assert!(memory.read(lent, 1).is_err() && memory.read(kept, 1).is_ok());
    /// assert_eq!(memory.alloc(8, "lent again").unwrap(), lent);
    /// ```
    ///
    /// # Errors
    /// If addresses are those of the host, if no allocation begins there, or the device's heap is among those given back.
    pub fn rewind(&mut self, address: u64) -> Result<(), LaunchError> {
        let found = self.last_from(address).filter(|k| self.allocations[*k].region.base == address);
        let heap = self.heap_index();
        let Some(index) =
            found.filter(|k| self.addresses == Addresses::Own && heap.is_none_or(|heap| heap < *k))
        else {
            return Err(LaunchError::new(format!("what was allocated from {address:#x} on cannot be freed")));
        };
        let own = self.allocations[index..].iter().filter(|a| a.owner == Owner::Own && !a.freed);
        self.used -= own.map(|a| a.region.bytes).sum::<u64>();
        self.allocations.truncate(index);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::tests::{kind, two};
    use crate::memory::{Access, FaultKind};

    #[test]
    fn a_freed_allocation_is_remembered() {
        let (mut memory, a, b) = two();
        memory.free(a).unwrap();
        assert_eq!(kind(&memory, Access::Read, a + 4, 4), Some(FaultKind::Freed));
        assert!(memory.free(a).is_err() && memory.free(b + 1).is_err());
        assert!(memory.alloc(1, "c").unwrap() > b);
    }

    #[test]
    fn a_million_allocations_that_were_given_back_take_no_room_and_no_address_is_given_twice() {
        let mut memory = Memory::new(64);
        let kept = memory.alloc(8, "kept").unwrap();
        let mut last = kept;
        for round in 0..500_000 {
            let pair = ["a", "b"].map(|name| memory.alloc(8, name).unwrap());
            assert!(last < pair[0] && pair[0] < pair[1]);
            last = pair[1];
            // Every other time the last one is the older one in the list of what was given back.
            for k in [0, 1] {
                memory.free(pair[(k + round) % 2]).unwrap();
            }
            assert!(
                memory.allocations.len() <= 2 * REMEMBERED + 1
                    && memory.given_back.len() < 2 * REMEMBERED + 1
            );
        }
        assert_eq!(kind(&memory, Access::Read, last, 8), Some(FaultKind::Freed));
        memory.write(kept, &[1; 8]).unwrap();
    }
}
