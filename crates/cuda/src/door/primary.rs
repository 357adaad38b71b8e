//! The primary context.

use super::device::check;
use super::pass::Out;
use super::{Status, call, synchronised};
use crate::results::Code;
use std::sync::atomic::Ordering::Relaxed;

/// Flags that a context may have.
pub(super) const FLAGS: u32 = 0xff;

#[unsafe(no_mangle)]
pub extern "C" fn cuDevicePrimaryCtxRetain(context: Out<usize>, device: i32) -> Status {
    call(|driver| {
        check(device)?;
        if context.is_null() {
            return Err(Code::INVALID_VALUE.into());
        }
        context.give(driver.retain_primary())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuDevicePrimaryCtxRelease_v2(device: i32) -> Status {
    call(|driver| {
        synchronised(driver);
        check(device).and_then(|()| driver.release_primary())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuDevicePrimaryCtxReset_v2(device: i32) -> Status {
    call(|driver| check(device).and_then(|()| driver.reset_primary()))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuDevicePrimaryCtxSetFlags_v2(device: i32, flags: u32) -> Status {
    call(|driver| {
        check(device)?;
        if flags & !FLAGS != 0 {
            return Err(Code::INVALID_VALUE.into());
        }
        let mut primary = driver.primary();
        primary.flags = flags;
        if let Ok(context) = driver.handles.find::<crate::context::Context>(primary.handle) {
            context.flags.store(flags, Relaxed);
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuDevicePrimaryCtxGetState(device: i32, flags: Out<u32>, active: Out<i32>) -> Status {
    call(|driver| {
        check(device)?;
        let primary = driver.primary();
        flags.give(primary.flags)?;
        active.give((primary.count > 0).into())
    })
}
