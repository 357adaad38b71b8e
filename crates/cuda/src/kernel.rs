//! Kernels, and what programs set and ask of them.

use crate::cluster::{Clusters, MUST_BE_SET};
use crate::device::{BLOCK_THREADS, Device, SHARED};
use crate::failed::{Answer, Failed};
use crate::module::Module;
use crate::results::Code;
use margay_exec::{Footprint, footprint};
use margay_front::module::{Function, FunctionId};
use std::ffi::CString;
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Once, OnceLock};

/// A kernel of a loaded module.
pub struct Kernel {
    pub handle: usize,
    pub module: Arc<Module>,
    pub id: FunctionId,
    pub name: CString,
    /// Whether the lines were told that a device computes otherwise.
    pub warned: Once,
    /// Bytes of dynamic shared memory that launches may ask for; by default what is left of a block's usual ones.
    most_dynamic: AtomicI32,
    /// How much of the first cache is to be shared memory.
    carveout: AtomicI32,
    /// The block of launches that do not say one.
    pub block: [AtomicU32; 3],
    pub clusters: Clusters,
    footprint: OnceLock<Footprint>,
}

/// Attributes by their numbers in `cuda.h`.
const MOST_THREADS: u32 = 0;
const SHARED_BYTES: u32 = 1;
const CONST_BYTES: u32 = 2;
const LOCAL_BYTES: u32 = 3;
const REGISTERS: u32 = 4;
const PTX_VERSION: u32 = 5;
const BINARY_VERSION: u32 = 6;
const MOST_DYNAMIC: u32 = 8;
const CARVEOUT: u32 = 9;
const ATTRIBUTES: u32 = 16;

impl Kernel {
    pub fn new(handle: usize, module: Arc<Module>, id: FunctionId) -> Kernel {
        let name = CString::new(module.program.module().function(id).name.as_str()).unwrap_or_default();
        Kernel {
            handle,
            module,
            id,
            name,
            warned: Once::new(),
            most_dynamic: AtomicI32::new(-1),
            carveout: AtomicI32::new(-1),
            block: [1, 1, 1].map(AtomicU32::new),
            clusters: Clusters::default(),
            footprint: OnceLock::new(),
        }
    }

    pub fn function(&self) -> &Function {
        self.module.program.module().function(self.id)
    }

    /// What it uses.
    pub fn footprint(&self) -> Answer<Footprint> {
        if let Some(known) = self.footprint.get() {
            return Ok(*known);
        }
        let found = footprint(&self.module.program, self.id)?;
        Ok(*self.footprint.get_or_init(|| found))
    }

    /// The most threads that a block of it may have.
    pub fn most_threads(&self) -> u32 {
        let performance = &self.function().performance;
        let shape = performance.reqntid.or(performance.maxntid);
        shape.map_or(BLOCK_THREADS, |shape| shape.into_iter().fold(1, u32::saturating_mul).min(BLOCK_THREADS))
    }

    /// Bytes of dynamic shared memory that a launch may ask for.
    pub fn most_dynamic(&self) -> Answer<u32> {
        let set = self.most_dynamic.load(Relaxed);
        let left = || Ok(u64::from(SHARED).saturating_sub(self.footprint()?.shared_bytes) as u32);
        u32::try_from(set).map_or_else(|_| left(), Ok)
    }

    /// An attribute by its number.
    pub fn attribute(&self, number: u32, device: &Device) -> Answer<i32> {
        let used = self.footprint()?;
        let version = self.module.program.module().version();
        let value = match number {
            MOST_THREADS => u64::from(self.most_threads()),
            SHARED_BYTES => used.shared_bytes,
            CONST_BYTES => used.const_bytes,
            LOCAL_BYTES => used.local_bytes,
            REGISTERS => used.registers.into(),
            PTX_VERSION => u64::from(10 * version.major + version.minor),
            BINARY_VERSION => u64::from(10 * device.major + device.minor),
            MOST_DYNAMIC => self.most_dynamic()?.into(),
            CARVEOUT => return Ok(self.carveout.load(Relaxed)),
            other @ MUST_BE_SET..ATTRIBUTES => self.cluster_attribute(other).into(),
            other if (0..ATTRIBUTES).contains(&other) => 0,
            _ => return Err(Code::INVALID_VALUE.into()),
        };
        Ok(i32::try_from(value).unwrap_or(i32::MAX))
    }

    /// Sets an attribute.
    pub fn set_attribute(&self, number: u32, value: i32, device: &Device) -> Answer {
        match number {
            MOST_DYNAMIC => {
                let room =
                    u64::from(device.arch.shared_of_block).saturating_sub(self.footprint()?.shared_bytes);
                if u64::try_from(value).is_ok_and(|value| value <= room) {
                    self.most_dynamic.store(value, Relaxed);
                    return Ok(());
                }
                let text = format!(
                    "kernel `{}` can have {room} bytes of dynamic shared memory on this device, not {value}",
                    self.name.to_string_lossy()
                );
                Err(Failed::because(Code::INVALID_VALUE, text))
            }
            CARVEOUT if (-1..=100).contains(&value) => {
                self.carveout.store(value, Relaxed);
                Ok(())
            }
            MUST_BE_SET..ATTRIBUTES => {
                let value = u32::try_from(value).map_err(|_| Failed::from(Code::INVALID_VALUE))?;
                self.set_cluster_attribute(number, value)
            }
            _ => Err(Code::INVALID_VALUE.into()),
        }
    }

    /// How many blocks of it a multiprocessor has room for.
    pub fn resident(&self, device: &Device, threads: u32, dynamic: u64) -> Answer<u32> {
        let used = self.footprint()?;
        if threads > self.most_threads() {
            return Ok(0);
        }
        Ok(device.resident(threads, used.registers, used.shared_bytes.saturating_add(dynamic)))
    }
}
