//! Memory that several launches use at once, each with bytes of its own lent to it.

use super::{Allocation, Memory, Owner};
use crate::error::LaunchError;

impl Memory {
    /// The same memory once more: what has been allocated until now is both's, with its bytes, at its addresses, and so is the
    /// device's heap. What is lent is not shared, and what is lent, allocated and freed from now on is not the other's; its
    /// address may be another's there. So launches can run side by side on one memory, each with loans of its own. Each
    /// has as much room as if it were the only one.
    ///
    /// ```
    /// use margay_exec::Memory;
    /// let mut memory = Memory::new(64);
    /// let shared = memory.alloc(8, "shared").unwrap();
    /// let mut other = memory.share().unwrap();
    /// other.write(shared, &[1, 2]).unwrap();
    /// assert_eq!(memory.read(shared, 2).unwrap(), [1, 2]);
    /// let own = other.alloc(8, "own").unwrap();
    /// assert!(memory.read(own, 1).is_err());
    /// ```
    ///
    /// # Errors
    /// If device addresses are those of the host.
    pub fn share(&self) -> Result<Memory, LaunchError> {
        if self.has_host_addresses() {
            return Err(LaunchError::new("memory with addresses of the host cannot be shared"));
        }
        let mut shared = Memory { layout: self.layout.clone(), size: self.size, ..Memory::new(64) };
        let mut heap = None;
        for (index, allocation) in self.allocations.iter().enumerate() {
            let Some(allocation) = allocation.share() else { continue };
            if self.is_heap(index) {
                heap = Some(shared.allocations.len());
            }
            shared.used += allocation.region.bytes;
            shared.note_fresh(allocation.region.base);
            shared.allocations.push(allocation);
        }
        shared.heap = heap.zip(self.heap.as_ref()).map(|(index, (_, heap))| (index, heap.clone()));
        Ok(shared)
    }
}

impl Allocation {
    /// The same bytes once more, if they are the memory's own and have not been given back.
    fn share(&self) -> Option<Allocation> {
        let Allocation { read_only, origin, owner, freed: false, .. } = *self else { return None };
        let words = self.words.share().filter(|_| owner == Owner::Own)?;
        let (region, written) = (self.region.clone(), self.written.clone());
        Some(Allocation { region, read_only, words, origin, owner, written, freed: false })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Access, FaultKind};

    #[test]
    fn what_was_allocated_before_is_shared_and_nothing_else() {
        let mut memory = Memory::new(64);
        let [a, freed] = ["a", "freed"].map(|name| memory.alloc(16, name).unwrap());
        let c = memory.alloc_read_only(8, "c").unwrap();
        memory.make_heap().unwrap();
        memory.free(freed).unwrap();
        let mut other = memory.share().unwrap();
        assert!(other.read(freed, 1).is_err());
        assert_eq!(other.check(Access::Write, c, 8, 8, &mut 0).unwrap_err().kind, FaultKind::ReadOnly);
        memory.write(a, &[1, 2, 3]).unwrap();
        other.write(a + 1, &[4]).unwrap();
        assert_eq!(memory.read(a, 3).unwrap(), [1, 4, 3]);
        assert_eq!(*other.view(a, 3).unwrap(), [1, 4, 3]);
        let (one, two) = (memory.take(8), other.take(8));
        assert!(one != two && memory.give_back(two).is_ok() && other.give_back(two).is_err());
        let heap = other.heap_index().unwrap();
        assert!(other.check_heap(heap, Access::Read, one, 8).is_ok());
        assert!(other.check_heap(heap, Access::Read, two, 8).is_err());
        // It goes on where the other ends, and the other's bytes stay.
        other.free(a).unwrap();
        drop(other);
        assert_eq!(memory.read(a, 3).unwrap(), [1, 4, 3]);
        assert!(Memory::host().share().is_err());
    }

    #[test]
    fn each_has_as_much_room_as_if_it_were_the_only_one() {
        let mut memory = Memory::new(64);
        memory.set_size(1000);
        memory.alloc(300, "a").unwrap();
        let mut others = [memory.share().unwrap(), memory.share().unwrap()];
        for other in &mut others {
            let own = other.alloc(700, "own").unwrap();
            assert!(other.alloc(1, "more").is_err());
            other.rewind(own).unwrap();
            assert_eq!(other.left(1000), 700);
        }
    }
}
