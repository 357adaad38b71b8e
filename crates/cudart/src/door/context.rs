//! The thread's device and its context: which it is, waiting for it, what it is set to.

use super::pass::{In, Place};
use super::{Status, bare, call, started};
use crate::errors::Code;
use crate::runtime::runtime;

#[unsafe(no_mangle)]
pub extern "C" fn cudaSetDevice(device: i32) -> Status {
    started(|runtime| runtime.choose(device))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGetDevice(device: Place<i32>) -> Status {
    started(|runtime| device.give(runtime.device()?))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaInitDevice(device: i32, device_flags: u32, flags: u32) -> Status {
    /// Whether the device's flags are given.
    const WITH_FLAGS: u32 = 1;
    started(|runtime| {
        runtime.check(device)?;
        match flags {
            0 => Ok(()),
            WITH_FLAGS => runtime.driver.cuDevicePrimaryCtxSetFlags_v2(device, device_flags),
            _ => Err(Code::INVALID_VALUE),
        }
    })
}

/// Any device that the list names; the first that is there is the thread's.
#[unsafe(no_mangle)]
pub extern "C" fn cudaSetValidDevices(devices: In<i32>, count: i32) -> Status {
    started(|runtime| {
        let listed = (0..count.max(0) as usize).map(|k| devices.at(k));
        let listed = listed.collect::<Result<Vec<_>, _>>()?;
        listed.iter().try_for_each(|device| runtime.check(*device))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaSetDeviceFlags(flags: u32) -> Status {
    started(|runtime| runtime.driver.cuDevicePrimaryCtxSetFlags_v2(runtime.device()?, flags))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGetDeviceFlags(flags: Place<u32>) -> Status {
    started(|runtime| {
        let (mut set, mut active) = (0, 0);
        runtime.driver.cuDevicePrimaryCtxGetState(runtime.device()?, &mut set, &mut active)?;
        flags.give(set)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceSynchronize() -> Status {
    call(|runtime| runtime.driver.cuCtxSynchronize())
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceReset() -> Status {
    started(|runtime| runtime.driver.cuDevicePrimaryCtxReset_v2(runtime.device()?))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceGetLimit(value: Place<usize>, limit: u32) -> Status {
    call(|runtime| runtime.driver.cuCtxGetLimit(value, limit))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceSetLimit(limit: u32, value: usize) -> Status {
    call(|runtime| runtime.driver.cuCtxSetLimit(limit, value))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceGetCacheConfig(config: Place<u32>) -> Status {
    call(|runtime| runtime.driver.cuCtxGetCacheConfig(config))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceSetCacheConfig(config: u32) -> Status {
    call(|runtime| runtime.driver.cuCtxSetCacheConfig(config))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceGetSharedMemConfig(config: Place<u32>) -> Status {
    call(|runtime| runtime.driver.cuCtxGetSharedMemConfig(config))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceSetSharedMemConfig(config: u32) -> Status {
    call(|runtime| runtime.driver.cuCtxSetSharedMemConfig(config))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceGetStreamPriorityRange(least: Place<i32>, greatest: Place<i32>) -> Status {
    call(|runtime| runtime.driver.cuCtxGetStreamPriorityRange(least, greatest))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaCtxResetPersistingL2Cache() -> Status {
    call(|runtime| runtime.driver.cuCtxResetPersistingL2Cache())
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaProfilerStart() -> Status {
    call(|runtime| runtime.driver.cuProfilerStart())
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaProfilerStop() -> Status {
    call(|runtime| runtime.driver.cuProfilerStop())
}

/// No driver means version 0.
#[unsafe(no_mangle)]
pub extern "C" fn cudaDriverGetVersion(version: Place<i32>) -> Status {
    bare(|| match runtime() {
        Ok(runtime) => runtime.driver.cuDriverGetVersion(version),
        Err(_) => version.give(0),
    })
}
