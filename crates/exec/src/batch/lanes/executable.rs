//! Memory that holds machine code: written first, and then only read and executed.

use memmap2::{Mmap, MmapMut};

/// Whether the system lets a process have memory with code.
pub(super) fn is_allowed() -> bool {
    MmapMut::map_anon(1).and_then(MmapMut::make_exec).is_ok()
}

/// Memory with code; none if the system does not allow it.
pub(super) fn executable(bytes: &[u8]) -> Option<Mmap> {
    let mut memory = MmapMut::map_anon(bytes.len().max(1)).ok()?;
    memory[..bytes.len()].copy_from_slice(bytes);
    memory.make_exec().ok()
}
