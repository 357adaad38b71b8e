//! Devices: how many, what they are, and each other's memory.

use super::pass::{In, Place, Pointer, Room, Text};
use super::{Status, started};
use crate::errors::Code;
use crate::properties;

#[unsafe(no_mangle)]
pub extern "C" fn cudaGetDeviceCount(count: Place<i32>) -> Status {
    started(|runtime| {
        let mut found = 0;
        runtime.driver.cuDeviceGetCount(&mut found)?;
        count.give(found)?;
        if found == 0 { Err(Code::NO_DEVICE) } else { Ok(()) }
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceGetAttribute(value: Place<i32>, attribute: u32, device: i32) -> Status {
    started(|runtime| {
        runtime.check(device)?;
        value.give(runtime.attribute(attribute, device)?)
    })
}

/// Gives the properties of a device by a layout of `cudaDeviceProp`.
pub(super) fn properties(to: Room, device: i32, layout: &properties::Layout) -> Status {
    started(|runtime| {
        runtime.check(device)?;
        to.give(&properties::read(runtime, device, layout)?)
    })
}

/// The first device that has what is asked for is the only kind there is.
#[unsafe(no_mangle)]
pub extern "C" fn cudaChooseDevice(device: Place<i32>, wanted: In<u8>) -> Status {
    started(|runtime| {
        runtime.check(0)?;
        wanted.read()?;
        device.give(0)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceCanAccessPeer(can: Place<i32>, device: i32, peer: i32) -> Status {
    started(|runtime| {
        runtime.check(device)?;
        runtime.check(peer)?;
        runtime.driver.cuDeviceCanAccessPeer(can, device, peer)
    })
}

/// There is no other device.
#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceEnablePeerAccess(peer: i32, _flags: u32) -> Status {
    started(|runtime| runtime.check(peer).and(Err(Code::INVALID_DEVICE)))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceDisablePeerAccess(peer: i32) -> Status {
    started(|runtime| runtime.check(peer).and(Err(Code::PEER_ACCESS_NOT_ENABLED)))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceGetPCIBusId(name: Pointer, bytes: i32, device: i32) -> Status {
    started(|runtime| {
        runtime.check(device)?;
        runtime.driver.cuDeviceGetPCIBusId(name, bytes, device)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceGetByPCIBusId(device: Place<i32>, name: Text) -> Status {
    started(|runtime| runtime.driver.cuDeviceGetByPCIBusId(device, name))
}
