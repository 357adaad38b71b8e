//! The device.

use super::pass::{Host, Out, Text};
use super::{Status, call};
use crate::device::{self, BUS};
use crate::failed::{Answer, Failed};
use crate::results::Code;

/// A device is known by its number; there is one.
pub(super) fn check(device: i32) -> Answer {
    if device == 0 { Ok(()) } else { Err(Code::INVALID_DEVICE.into()) }
}

#[unsafe(no_mangle)]
pub extern "C" fn cuDeviceGet(device: Out<i32>, ordinal: i32) -> Status {
    call(|_| check(ordinal).and_then(|()| device.give(0)))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuDeviceGetCount(count: Out<i32>) -> Status {
    call(|_| count.give(1))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuDeviceGetName(mut name: Host, room: i32, device: i32) -> Status {
    call(|driver| {
        check(device)?;
        let room = u64::try_from(room).map_err(|_| Failed::from(Code::INVALID_VALUE))?;
        name.give_text(&driver.device.name, room).map(|_| ())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuDeviceGetUuid(uuid: Out<[u8; 16]>, device: i32) -> Status {
    call(|_| check(device).and_then(|()| uuid.give(device::UUID)))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuDeviceGetUuid_v2(uuid: Out<[u8; 16]>, device: i32) -> Status {
    cuDeviceGetUuid(uuid, device)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuDeviceTotalMem_v2(bytes: Out<usize>, device: i32) -> Status {
    call(|driver| check(device).and_then(|()| bytes.give(driver.device.memory_bytes as usize)))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuDeviceGetAttribute(value: Out<i32>, number: u32, device: i32) -> Status {
    call(|driver| {
        check(device)?;
        let found = driver.device.attribute(number).ok_or(Failed::from(Code::INVALID_VALUE))?;
        value.give(found.cast_signed())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuDeviceComputeCapability(major: Out<i32>, minor: Out<i32>, device: i32) -> Status {
    call(|driver| {
        check(device)?;
        major.give(driver.device.major.cast_signed())?;
        minor.give(driver.device.minor.cast_signed())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuDeviceGetPCIBusId(mut id: Host, room: i32, device: i32) -> Status {
    call(|_| {
        check(device)?;
        let room = u64::try_from(room).map_err(|_| Failed::from(Code::INVALID_VALUE))?;
        id.give_text(BUS, room).map(|_| ())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuDeviceGetByPCIBusId(device: Out<i32>, id: Text) -> Status {
    call(|_| {
        let known = id.get()?.eq_ignore_ascii_case(BUS);
        if known { device.give(0) } else { Err(Code::INVALID_DEVICE.into()) }
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuDeviceCanAccessPeer(can: Out<i32>, device: i32, peer: i32) -> Status {
    call(|_| {
        check(device)?;
        check(peer)?;
        can.give(0)
    })
}
