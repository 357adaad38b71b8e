//! Contexts.

use super::device::check;
use super::pass::{Host, Out};
use super::primary::FLAGS;
use super::{Status, call, synchronised};
use crate::context::{Context, current_handle, pop, push, set_current};
use crate::driver::Driver;
use crate::failed::{Answer, Failed};
use crate::results::Code;
use crate::stream::PRIORITIES;
use std::sync::PoisonError;
use std::sync::atomic::Ordering::Relaxed;

/// Limits by their numbers in `cuda.h`, and what they are where nobody has set them.
const LIMITS: &[(u32, u64)] = &[(0, 1024), (1, 1 << 20), (2, 8 << 20), (5, 128), (6, 0)];
/// The limit of a thread's stack.
const STACK: u32 = 0;

fn create(driver: &Driver, context: &Out<usize>, flags: u32, device: i32) -> Answer {
    check(device)?;
    if flags & !FLAGS != 0 || context.is_null() {
        return Err(Code::INVALID_VALUE.into());
    }
    let made = driver.handles.make(|handle| Context::new(handle, handle, flags, driver.setting.sticky));
    push(made.handle)?;
    context.give(made.handle)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuCtxCreate_v2(context: Out<usize>, flags: u32, device: i32) -> Status {
    call(|driver| create(driver, &context, flags, device))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuCtxCreate_v3(
    context: Out<usize>,
    _affinity: Host,
    count: i32,
    flags: u32,
    device: i32,
) -> Status {
    call(|driver| {
        if count != 0 {
            return Err(Failed::because(
                Code::NOT_SUPPORTED,
                "contexts on some of the multiprocessors are not supported",
            ));
        }
        create(driver, &context, flags, device)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuCtxCreate_v4(context: Out<usize>, parameters: Host, flags: u32, device: i32) -> Status {
    call(|driver| {
        if parameters.address() != 0 {
            return Err(Failed::because(Code::NOT_SUPPORTED, "contexts with parameters are not supported"));
        }
        create(driver, &context, flags, device)
    })
}

fn destroy(driver: &Driver, handle: usize) -> Answer {
    if handle == driver.primary().handle {
        return Err(Code::INVALID_CONTEXT.into());
    }
    driver.handles.take::<Context>(handle)?;
    if current_handle() == handle {
        pop()?;
    }
    driver.clear(handle)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuCtxDestroy_v2(context: usize) -> Status {
    call(|driver| destroy(driver, context))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuCtxDetach(context: usize) -> Status {
    call(|driver| destroy(driver, context))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuCtxPushCurrent_v2(context: usize) -> Status {
    call(|driver| {
        driver.handles.find::<Context>(context)?;
        push(context)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuCtxPopCurrent_v2(context: Out<usize>) -> Status {
    call(|_| {
        let popped = pop()?;
        context.offer(popped);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuCtxSetCurrent(context: usize) -> Status {
    call(|driver| {
        if context != 0 {
            driver.handles.find::<Context>(context)?;
        }
        set_current(context)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuCtxGetCurrent(context: Out<usize>) -> Status {
    call(|_| context.give(current_handle()))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuCtxGetDevice(device: Out<i32>) -> Status {
    call(|driver| driver.current().and_then(|_| device.give(0)))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuCtxGetDevice_v2(device: Out<i32>, context: usize) -> Status {
    call(|driver| given_or_current(driver, context).and_then(|_| device.give(0)))
}

/// A context that is named, or the current one for 0.
fn given_or_current(driver: &Driver, context: usize) -> Answer<std::sync::Arc<Context>> {
    if context == 0 { driver.current() } else { driver.handles.find(context) }
}

#[unsafe(no_mangle)]
pub extern "C" fn cuCtxGetId(context: usize, id: Out<u64>) -> Status {
    call(|driver| id.give(given_or_current(driver, context)?.number as u64))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuCtxGetApiVersion(context: usize, version: Out<u32>) -> Status {
    call(|driver| given_or_current(driver, context).and_then(|_| version.give(3020)))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuCtxSynchronize() -> Status {
    call(|driver| {
        driver.captures.forbid_unsafe()?;
        synchronised(driver);
        driver.settled().map(|_| ())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuCtxSynchronize_v2(context: usize) -> Status {
    call(|driver| {
        driver.captures.forbid_unsafe()?;
        synchronised(driver);
        given_or_current(driver, context)?.settle()
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuCtxGetFlags(flags: Out<u32>) -> Status {
    call(|driver| flags.give(driver.current()?.flags.load(Relaxed)))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuCtxSetFlags(flags: u32) -> Status {
    call(|driver| {
        let context = driver.current()?;
        if flags & !FLAGS != 0 {
            return Err(Code::INVALID_VALUE.into());
        }
        context.set(&context.flags, flags);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuCtxGetStreamPriorityRange(least: Out<i32>, greatest: Out<i32>) -> Status {
    call(|driver| {
        driver.current()?;
        least.offer(PRIORITIES.0);
        greatest.offer(PRIORITIES.1);
        Ok(())
    })
}

fn usual_limit(limit: u32) -> Answer<u64> {
    let found = LIMITS.iter().find(|(number, _)| *number == limit);
    found.map(|(_, usual)| *usual).ok_or(Failed::from(Code::UNSUPPORTED_LIMIT))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuCtxGetLimit(value: Out<usize>, limit: u32) -> Status {
    call(|driver| {
        let context = driver.current()?;
        let usual = usual_limit(limit)?;
        let limits = context.limits.lock().unwrap_or_else(PoisonError::into_inner);
        value.give(limits.get(&limit).copied().unwrap_or(usual) as usize)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuCtxSetLimit(limit: u32, value: usize) -> Status {
    call(|driver| {
        let context = driver.current()?;
        usual_limit(limit)?;
        if limit == STACK && value > 512 << 10 {
            return Err(Code::INVALID_VALUE.into());
        }
        context.limits.lock().unwrap_or_else(PoisonError::into_inner).insert(limit, value as u64);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuCtxGetCacheConfig(config: Out<u32>) -> Status {
    call(|driver| config.give(driver.current()?.cache.load(Relaxed)))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuCtxSetCacheConfig(config: u32) -> Status {
    call(|driver| {
        let context = driver.current()?;
        context.set(&context.cache, config);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuCtxGetSharedMemConfig(config: Out<u32>) -> Status {
    call(|driver| config.give(driver.current()?.banks.load(Relaxed)))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuCtxSetSharedMemConfig(config: u32) -> Status {
    call(|driver| {
        let context = driver.current()?;
        context.set(&context.banks, config);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuCtxResetPersistingL2Cache() -> Status {
    call(|driver| driver.current().map(|_| ()))
}
