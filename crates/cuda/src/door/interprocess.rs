//! Memory and events that processes share.

use super::pass::Out;
use super::{Status, call};
use crate::event::Event;
use crate::interprocess::Handle;
use crate::results::Code;

/// The flag without which memory of another process is not opened: other devices are reached when they are needed.
const LAZY_PEERS: u32 = 1;

#[unsafe(no_mangle)]
pub extern "C" fn cuIpcGetMemHandle(handle: Out<Handle>, address: u64) -> Status {
    call(|driver| {
        driver.captures.forbid_unsafe()?;
        driver.current()?;
        if handle.is_null() {
            return Err(Code::INVALID_VALUE.into());
        }
        handle.give(driver.export(address)?)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuIpcOpenMemHandle(address: Out<u64>, handle: Handle, flags: u32) -> Status {
    call(|driver| {
        driver.captures.forbid_unsafe()?;
        let context = driver.current()?.handle;
        if address.is_null() || flags != LAZY_PEERS {
            return Err(Code::INVALID_VALUE.into());
        }
        address.give(driver.open(&handle, context)?)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuIpcOpenMemHandle_v2(address: Out<u64>, handle: Handle, flags: u32) -> Status {
    cuIpcOpenMemHandle(address, handle, flags)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuIpcCloseMemHandle(address: u64) -> Status {
    call(|driver| {
        driver.captures.forbid_unsafe()?;
        driver.current()?;
        driver.close(address)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuIpcGetEventHandle(handle: Out<Handle>, event: usize) -> Status {
    call(|driver| {
        let event = driver.handles.find::<Event>(event)?;
        if handle.is_null() {
            return Err(Code::INVALID_VALUE.into());
        }
        handle.give(driver.export_event(&event)?)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuIpcOpenEventHandle(event: Out<usize>, handle: Handle) -> Status {
    call(|driver| {
        let context = driver.current()?.handle;
        if event.is_null() {
            return Err(Code::INVALID_VALUE.into());
        }
        event.give(driver.open_event(&handle, context)?)
    })
}
