//! A device: memory that several host threads and several modules use.

use crate::failure::Failure;
use margay_exec::Memory;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Memory of a device. Launches share it; what changes its allocations waits for them.
#[derive(Clone)]
pub struct Device(Arc<RwLock<Memory>>);

impl Device {
    /// A device whose modules have addresses of so many bits.
    pub fn new(address_bits: u32) -> Result<Device, Failure> {
        match address_bits {
            32 | 64 => Ok(Device(Arc::new(RwLock::new(Memory::new(address_bits))))),
            _ => Err(Failure::wrong_call(format!("addresses have 32 or 64 bits, not `{address_bits}`"))),
        }
    }

    /// The memory, for launches and reading.
    pub fn shared(&self) -> RwLockReadGuard<'_, Memory> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The memory, for one alone.
    pub fn alone(&self) -> RwLockWriteGuard<'_, Memory> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}
