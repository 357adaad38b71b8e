//! Memory and events that processes share.

use super::pass::{Place, Pointer};
use super::{Status, call};

/// `cudaIpcMemHandle_t` and `cudaIpcEventHandle_t`: the driver's own, handed on as they are.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Handle([u8; 64]);

#[unsafe(no_mangle)]
pub extern "C" fn cudaIpcGetMemHandle(handle: Place<Handle>, address: Pointer) -> Status {
    call(|runtime| runtime.driver.cuIpcGetMemHandle(handle, address.address()))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaIpcOpenMemHandle(address: Place<u64>, handle: Handle, flags: u32) -> Status {
    call(|runtime| runtime.driver.cuIpcOpenMemHandle_v2(address, handle, flags))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaIpcCloseMemHandle(address: Pointer) -> Status {
    call(|runtime| runtime.driver.cuIpcCloseMemHandle(address.address()))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaIpcGetEventHandle(handle: Place<Handle>, event: usize) -> Status {
    call(|runtime| runtime.driver.cuIpcGetEventHandle(handle, event))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaIpcOpenEventHandle(event: Place<usize>, handle: Handle) -> Status {
    call(|runtime| runtime.driver.cuIpcOpenEventHandle(event, handle))
}
