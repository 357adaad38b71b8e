//! What the runtime library adds to the driver: a context for whoever has none, and the error that a thread saw last.

use crate::driver::Driver;
use crate::errors::{Answer, Code};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock, PoisonError};

/// The driver, once it is initialised, and the devices' primary contexts that are retained here.
pub struct Runtime {
    pub driver: Driver,
    primaries: Mutex<BTreeMap<i32, usize>>,
}

thread_local! {
    /// The error that a call of this thread answered last.
    static LAST: Cell<Code> = const { Cell::new(Code::SUCCESS) };
    /// The device that this thread has chosen.
    static DEVICE: Cell<i32> = const { Cell::new(0) };
}

/// Notes an error for `cudaGetLastError`. A thread that is ending asks no more.
pub fn note(code: Code) {
    let _ = LAST.try_with(|last| last.set(code));
}

/// The error that was noted last.
pub fn last() -> Code {
    LAST.try_with(Cell::get).unwrap_or(Code::SUCCESS)
}

/// The runtime of the process, its driver initialised.
pub fn runtime() -> Answer<&'static Runtime> {
    static RUNTIME: OnceLock<Result<Runtime, Code>> = OnceLock::new();
    let made = RUNTIME.get_or_init(|| {
        let driver = crate::driver::find().map_err(|why| {
            crate::door::tell(&format!("margay: the driver, `libcuda.so.1`, cannot be used: {why}\n"));
            Code::INSUFFICIENT_DRIVER
        })?;
        driver.cuInit(0)?;
        Ok(Runtime { driver, primaries: Mutex::default() })
    });
    made.as_ref().map_err(|code| *code)
}

impl Runtime {
    /// The thread's current context; where it has none, that is the primary one of its device.
    pub fn context(&self) -> Answer<usize> {
        let mut context = 0;
        self.driver.cuCtxGetCurrent(&mut context)?;
        if context == 0 {
            context = self.primary(DEVICE.get())?;
            self.driver.cuCtxSetCurrent(context)?;
        }
        Ok(context)
    }

    /// A device's primary context, which is retained once.
    fn primary(&self, device: i32) -> Answer<usize> {
        let mut primaries = self.primaries.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(context) = primaries.get(&device) {
            return Ok(*context);
        }
        let mut context = 0;
        self.driver.cuDevicePrimaryCtxRetain(&mut context, device)?;
        primaries.insert(device, context);
        Ok(context)
    }

    /// The device that the thread uses.
    pub fn device(&self) -> Answer<i32> {
        let (mut context, mut device) = (0, DEVICE.get());
        self.driver.cuCtxGetCurrent(&mut context)?;
        if context != 0 {
            self.driver.cuCtxGetDevice(&mut device)?;
        }
        Ok(device)
    }

    /// Lets the thread use a device.
    pub fn choose(&self, device: i32) -> Answer {
        self.check(device)?;
        let context = self.primary(device)?;
        self.driver.cuCtxSetCurrent(context)?;
        DEVICE.set(device);
        Ok(())
    }

    /// Whether there is a device of a number.
    pub fn check(&self, device: i32) -> Answer {
        let mut count = 0;
        self.driver.cuDeviceGetCount(&mut count)?;
        if (0..count).contains(&device) { Ok(()) } else { Err(Code::INVALID_DEVICE) }
    }

    /// An attribute of a device.
    pub fn attribute(&self, attribute: u32, device: i32) -> Answer<i32> {
        let mut value = 0;
        self.driver.cuDeviceGetAttribute(&mut value, attribute, device)?;
        Ok(value)
    }
}
