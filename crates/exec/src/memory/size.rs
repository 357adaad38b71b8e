//! How much memory a device has, and what of it is left.

use super::machine::device_bytes;
use super::{ADDRESSABLE, Memory};
use crate::error::{LaunchError, Refusal};

/// So much every machine has: the system is asked only where more is wanted.
const LITTLE: u64 = 64 << 20;

impl Memory {
    /// Says how many bytes the device has. Otherwise it has most of what the machine, or the control group of the process, has free.
    /// Allocations count, and what running blocks need for their threads; what the host lends does not.
    ///
    /// ```
    /// use margay_exec::Memory;
    /// let mut memory = Memory::new(64);
    /// memory.set_size(1000);
    /// assert!(memory.alloc(900, "a").is_ok());
    /// let error = memory.alloc(200, "b").unwrap_err();
    /// assert_eq!(error.message, "no room for 200 bytes of b");
    /// assert!(error.help.unwrap().starts_with("the device has 1000 bytes, 900 of them in use"));
    /// ```
    pub fn set_size(&mut self, bytes: u64) {
        self.size = Some(bytes.min(ADDRESSABLE));
    }

    /// How many bytes the device has.
    pub fn size(&self) -> u64 {
        self.size.unwrap_or_else(device_bytes)
    }

    /// How many of so many bytes the device has left.
    pub fn left(&self, wanted: u64) -> u64 {
        let little = self.size.is_none() && self.used.saturating_add(wanted) <= LITTLE;
        if little { wanted } else { wanted.min(self.size().saturating_sub(self.used)) }
    }

    /// Refuses what there is no room for; `what` names it.
    pub(crate) fn no_room(&self, bytes: u64, what: &str) -> LaunchError {
        let error = LaunchError::new(format!("no room for {bytes} bytes of {what}")).kind(Refusal::Room);
        if self.left(bytes) == bytes {
            return error.help("the device has so much memory, but the system refuses it");
        }
        let used = if self.used == 0 { String::new() } else { format!(", {} of them in use", self.used) };
        error.help(format!(
            "the device has {} bytes{used}; `--memory` gives it another size (in Python `memory=`, in C \
             `margay_device_set_memory`)",
            self.size()
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_gives_no_more_than_it_has() {
        let mut memory = Memory::new(64);
        memory.set_size(10_000);
        let a = memory.alloc(6_000, "a").unwrap();
        assert_eq!((memory.left(100), memory.left(u64::MAX)), (100, 4_000));
        assert!(memory.alloc(4_001, "b").is_err() && memory.alloc(4_000, "b").is_ok());
        memory.free(a).unwrap();
        assert!(memory.alloc(6_001, "c").is_err() && memory.alloc(6_000, "c").is_ok());
        memory.set_size(0);
        assert_eq!(memory.left(1), 0);
        memory.set_size(u64::MAX);
        assert_eq!(memory.size(), ADDRESSABLE);
    }

    #[test]
    fn a_device_of_no_told_size_has_what_the_machine_has() {
        let mut memory = Memory::new(64);
        assert_eq!(memory.left(1 << 20), 1 << 20);
        assert_eq!(memory.left(u64::MAX), memory.size());
        assert!(memory.alloc(memory.size() + 1, "x").is_err());
    }
}
