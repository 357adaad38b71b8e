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
    let memory = memory.make_exec().ok()?;
    forget_instructions(&memory);
    Some(memory)
}

/// Has this processor fetch again what it may have fetched before code was written: another one may have written it, and only that one
/// has been told by [`executable`].
#[inline]
pub(super) fn fetch_anew() {
    #[cfg(target_arch = "aarch64")]
    // SAFETY: the instruction changes no register and no memory.
    unsafe {
        std::arch::asm!("isb", options(nostack, preserves_flags));
    }
}

/// Makes a processor that has read instructions from memory before it was written read them again.
#[cfg(target_arch = "aarch64")]
fn forget_instructions(memory: &[u8]) {
    /// The shortest line of a cache that the architecture allows: more often than needed does no harm.
    const LINE: usize = 16;
    let lines = || memory.iter().step_by(LINE).map(std::ptr::from_ref);
    // SAFETY: the instructions act on caches alone, of addresses that are mapped; processes may use them.
    unsafe {
        lines()
            .for_each(|line| std::arch::asm!("dc cvau, {}", in(reg) line, options(nostack, preserves_flags)));
        std::arch::asm!("dsb ish", options(nostack, preserves_flags));
        lines()
            .for_each(|line| std::arch::asm!("ic ivau, {}", in(reg) line, options(nostack, preserves_flags)));
        std::arch::asm!("dsb ish", "isb", options(nostack, preserves_flags));
    }
}

#[cfg(not(target_arch = "aarch64"))]
fn forget_instructions(_: &[u8]) {}
