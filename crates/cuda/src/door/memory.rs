//! Allocating and freeing memory of the device, of the host and of both; registering memory of the program.

use super::device::check;
use super::pass::{Host, Out};
use super::{Status, call};
use crate::failed::Failed;
use crate::places::{Kind, Place};
use crate::results::Code;

/// Flags of `cuMemAllocManaged`: to all streams, to the host, to one stream.
const ATTACH: std::ops::RangeInclusive<u32> = 1..=2;
/// Flags of memory of the host.
const HOST_FLAGS: u32 = 7;
const REGISTER_FLAGS: u32 = 15;
/// The flag of registered memory that kernels only read.
const READ_ONLY: u32 = 8;
/// What rows of `cuMemAllocPitch` begin at multiples of.
const PITCH: usize = 512;

#[unsafe(no_mangle)]
pub extern "C" fn cuMemAlloc_v2(address: Out<u64>, bytes: usize) -> Status {
    call(|driver| {
        driver.captures.forbid_unsafe()?;
        let context = driver.current()?.handle;
        address.give(driver.allocate(bytes as u64, Kind::Device, context)?)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemAllocPitch_v2(
    address: Out<u64>,
    pitch: Out<usize>,
    width: usize,
    height: usize,
    element: u32,
) -> Status {
    call(|driver| {
        driver.captures.forbid_unsafe()?;
        let context = driver.current()?.handle;
        if ![4, 8, 16].contains(&element) || width == 0 || height == 0 {
            return Err(Code::INVALID_VALUE.into());
        }
        let row = width.checked_next_multiple_of(PITCH);
        let bytes = row.and_then(|row| row.checked_mul(height)).ok_or(Failed::from(Code::OUT_OF_MEMORY))?;
        address.give(driver.allocate(bytes as u64, Kind::Device, context)?)?;
        pitch.give(row.unwrap_or(0))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemAllocManaged(address: Out<u64>, bytes: usize, flags: u32) -> Status {
    call(|driver| {
        driver.captures.forbid_unsafe()?;
        let context = driver.current()?.handle;
        if !ATTACH.contains(&flags) {
            return Err(Code::INVALID_VALUE.into());
        }
        address.give(driver.allocate(bytes as u64, Kind::Managed, context)?)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemFree_v2(address: u64) -> Status {
    call(|driver| {
        driver.captures.forbid_unsafe()?;
        driver.settled()?;
        if address == 0 {
            return Ok(());
        }
        driver.free(address, Kind::is_device)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemHostAlloc(address: Out<u64>, bytes: usize, flags: u32) -> Status {
    call(|driver| {
        let context = driver.current()?.handle;
        if flags & !HOST_FLAGS != 0 {
            return Err(Code::INVALID_VALUE.into());
        }
        address.give(driver.allocate(bytes as u64, Kind::Host(flags), context)?)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemAllocHost_v2(address: Out<u64>, bytes: usize) -> Status {
    cuMemHostAlloc(address, bytes, 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemFreeHost(address: u64) -> Status {
    call(|driver| {
        driver.current()?;
        driver.free(address, |kind| matches!(kind, Kind::Host(_)))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemHostRegister_v2(start: Host, bytes: usize, flags: u32) -> Status {
    call(|driver| {
        let context = driver.current()?.handle;
        let (at, bytes) = (start.address(), bytes as u64);
        if at == 0 || bytes == 0 || flags & !REGISTER_FLAGS != 0 {
            return Err(Code::INVALID_VALUE.into());
        }
        let last = at.checked_add(bytes - 1).ok_or(Failed::from(Code::INVALID_VALUE))?;
        let known = |at| driver.places().around(at).is_some();
        if known(at) || known(last) {
            return Err(Code::HOST_MEMORY_ALREADY_REGISTERED.into());
        }
        let id = driver.places().next_id();
        let (name, read_only) = (format!("registered memory {id}"), flags & READ_ONLY != 0);
        // SAFETY: C's promise: the bytes are there until they are unregistered.
        let lent = unsafe { driver.memory_alone().lend(start.start(), bytes, name, read_only) };
        lent.map_err(|error| Failed { code: Code::HOST_MEMORY_ALREADY_REGISTERED, ..error.into() })?;
        driver.places().put(at, Place { bytes, kind: Kind::Registered(flags), context, id });
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemHostUnregister(start: Host) -> Status {
    call(|driver| {
        driver.current()?;
        let is_one = driver
            .places()
            .at(start.address())
            .is_some_and(|place| matches!(place.kind, Kind::Registered(_)));
        if !is_one {
            return Err(Code::HOST_MEMORY_NOT_REGISTERED.into());
        }
        driver.free(start.address(), |kind| matches!(kind, Kind::Registered(_)))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemHostGetDevicePointer_v2(address: Out<u64>, host: Host, flags: u32) -> Status {
    call(|driver| {
        driver.current()?;
        let place = driver.places().around(host.address());
        let is_host = place.is_some_and(|(_, place)| place.kind.is_host());
        if flags != 0 || !is_host {
            return Err(Code::INVALID_VALUE.into());
        }
        address.give(host.address())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemHostGetFlags(flags: Out<u32>, host: Host) -> Status {
    call(|driver| {
        let place = driver.places().around(host.address()).map(|(_, place)| place.kind);
        match place {
            Some(Kind::Host(set) | Kind::Registered(set)) => flags.give(set),
            _ => Err(Code::INVALID_VALUE.into()),
        }
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemGetInfo_v2(free: Out<usize>, total: Out<usize>) -> Status {
    call(|driver| {
        driver.current()?;
        let memory = driver.memory();
        let all = driver.device.memory_bytes;
        free.give(memory.left(all) as usize)?;
        total.give(all as usize)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemGetAddressRange_v2(base: Out<u64>, bytes: Out<usize>, address: u64) -> Status {
    call(|driver| {
        driver.current()?;
        let (start, place) = driver.places().around(address).ok_or(Failed::from(Code::NOT_FOUND))?;
        base.offer(start);
        bytes.offer(place.bytes as usize);
        Ok(())
    })
}

/// Advice and wishes about managed memory, which lies where all reach it.
fn advised(address: u64, bytes: usize) -> Status {
    call(|driver| {
        driver.current()?;
        Ok(driver.memory().readable(address, bytes as u64)?)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemAdvise(address: u64, bytes: usize, _advice: u32, device: i32) -> Status {
    // Minus one is the host.
    if device != -1 && check(device).is_err() { Code::INVALID_DEVICE.0 } else { advised(address, bytes) }
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemAdvise_v2(address: u64, bytes: usize, _advice: u32, _location: u64) -> Status {
    advised(address, bytes)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemPrefetchAsync(address: u64, bytes: usize, device: i32, _stream: usize) -> Status {
    cuMemAdvise(address, bytes, 0, device)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemPrefetchAsync_v2(
    address: u64,
    bytes: usize,
    _location: u64,
    _flags: u32,
    _stream: usize,
) -> Status {
    advised(address, bytes)
}
