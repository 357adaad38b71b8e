//! The driver of a process: its one device, the device's memory, and all that programs have made.

mod allocation;
mod array;
mod capture;
mod context;
mod copy;
mod executable;
mod graph;
mod interprocess;
mod launch;
mod module;
mod reference;
mod runtime;
mod stream;
mod texture;
mod transfer;
mod work;

use crate::account::Account;
use crate::capture::Captures;
use crate::context::Primary;
use crate::device::Device;
use crate::failed::{Answer, Failed};
use crate::handles::Handles;
use crate::interprocess::AllOpened;
use crate::places::Places;
use crate::pool::Pool;
use crate::reserved::AllReserved;
use crate::results::Code;
use crate::runtime::Workspace;
use crate::setting::Setting;
use crate::texture::Objects;
use margay_exec::Memory;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// The version of CUDA whose functions are here.
pub const VERSION: i32 = 13050;

/// All of it.
pub struct Driver {
    pub setting: Setting,
    pub account: Account,
    pub device: Device,
    pub handles: Handles,
    /// The handle of the pool that allocations come from where none is named.
    pub pool: AtomicUsize,
    pub default_pool: Arc<Pool>,
    pub workspace: Workspace,
    pub captures: Captures,
    pub reserved: AllReserved,
    pub opened: AllOpened,
    /// Textures and surfaces.
    pub objects: Objects,
    /// The process that it belongs to: one that is forked off has none.
    process: u32,
    memory: RwLock<Memory>,
    places: Mutex<Places>,
    primary: Mutex<Primary>,
}

static DRIVER: OnceLock<Driver> = OnceLock::new();

/// Initialises the driver, unless that has been done: with what gives kernels all memory of the process if the environment asks for
/// that, and what has the end of the process watched.
pub fn initialise(open_memory: impl FnOnce() -> Memory, watch_exit: impl FnOnce()) -> Answer {
    if DRIVER.get().is_none() {
        let made = Driver::new(open_memory)?;
        // Another thread may have been faster; then its driver is as good.
        if DRIVER.set(made).is_ok() {
            watch_exit();
        }
    }
    driver().map(|_| ())
}

/// The driver, if this process has initialised it.
pub fn driver() -> Answer<&'static Driver> {
    let driver = DRIVER.get().ok_or(Failed::from(Code::NOT_INITIALIZED))?;
    if driver.process != std::process::id() {
        let text =
            "margay: this process was forked off one that uses CUDA; initialise CUDA after `fork` only\n";
        return Err(Failed { code: Code::NOT_INITIALIZED, text: text.into() });
    }
    Ok(driver)
}

impl Driver {
    fn new(open_memory: impl FnOnce() -> Memory) -> Answer<Driver> {
        let setting = Setting::read()?;
        let account = Account::new(&setting)?;
        let mut memory = match setting.open {
            true => open_memory(),
            false => Memory::host(),
        };
        memory.set_aside();
        let handles = Handles::new();
        let default_pool = handles.make(Pool::new);
        let primary = Primary { handle: handles.number(), flags: 0, count: 0 };
        Ok(Driver {
            account,
            device: Device::new(&setting, memory.size()),
            pool: AtomicUsize::new(default_pool.handle),
            default_pool,
            workspace: Workspace::default(),
            captures: Captures::default(),
            reserved: AllReserved::default(),
            opened: AllOpened::default(),
            objects: Objects::default(),
            process: std::process::id(),
            memory: RwLock::new(memory),
            places: Mutex::default(),
            primary: Mutex::new(primary),
            handles,
            setting,
        })
    }

    /// The memory, for launches and reading.
    pub fn memory(&self) -> RwLockReadGuard<'_, Memory> {
        self.memory.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The memory, for one alone: launches have ended.
    pub fn memory_alone(&self) -> RwLockWriteGuard<'_, Memory> {
        self.memory.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes bytes to the device, at once also while kernels run: they may wait for it.
    pub fn write(&self, address: u64, bytes: &[u8]) -> Answer {
        match self.memory.try_write() {
            Ok(mut memory) => Ok(memory.write(address, bytes)?),
            Err(_) => Ok(self.memory().write_beside(address, bytes)?),
        }
    }

    pub fn places(&self) -> MutexGuard<'_, Places> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn primary(&self) -> MutexGuard<'_, Primary> {
        self.primary.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The pool that allocations come from where none is named.
    pub fn current_pool(&self) -> Arc<Pool> {
        self.handles.find(self.pool.load(Relaxed)).unwrap_or_else(|_| self.default_pool.clone())
    }
}
