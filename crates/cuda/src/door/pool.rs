//! Memory pools, and allocations in the order of streams.

use super::device::check;
use super::layout::{Access, Location, Properties};
use super::pass::{Host, In, Out};
use super::{Status, call};
use crate::driver::Driver;
use crate::failed::{Answer, Failed};
use crate::places::Kind;
use crate::pool::{Account, Pool};
use crate::results::Code;
use crate::work::Work;
use std::sync::atomic::Ordering::Relaxed;

impl Properties {
    /// Of memory that stays where it is, on the device.
    pub const PINNED: Properties =
        Properties { kind: 1, handle_types: 0, location: Location { kind: DEVICE, id: 0 } };
}

/// The location that is a device.
const DEVICE: u32 = 1;
/// Reading and writing.
const READ_WRITE: u32 = 3;

#[unsafe(no_mangle)]
pub extern "C" fn cuDeviceGetDefaultMemPool(pool: Out<usize>, device: i32) -> Status {
    call(|driver| check(device).and_then(|()| pool.give(driver.default_pool.handle)))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuDeviceGetMemPool(pool: Out<usize>, device: i32) -> Status {
    call(|driver| check(device).and_then(|()| pool.give(driver.current_pool().handle)))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuDeviceSetMemPool(device: i32, pool: usize) -> Status {
    call(|driver| {
        check(device)?;
        driver.pool.store(driver.handles.find::<Pool>(pool)?.handle, Relaxed);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemPoolCreate(pool: Out<usize>, properties: In<Properties>) -> Status {
    call(|driver| {
        let wanted = properties.read()?;
        if wanted.location.kind != DEVICE {
            return Err(Failed::because(Code::NOT_SUPPORTED, "memory pools of the host are not supported"));
        }
        check(wanted.location.id)?;
        if wanted.handle_types != 0 {
            return Err(Failed::because(
                Code::NOT_SUPPORTED,
                "memory pools for several processes are not supported",
            ));
        }
        pool.give(driver.handles.make(Pool::new).handle)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemPoolDestroy(pool: usize) -> Status {
    call(|driver| {
        if pool == driver.default_pool.handle {
            return Err(Code::INVALID_VALUE.into());
        }
        driver.handles.take::<Pool>(pool).map(|_| ())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemPoolTrimTo(pool: usize, _bytes: usize) -> Status {
    call(|driver| driver.handles.find::<Pool>(pool).map(|_| ()))
}

/// A pool's attribute of a number: whether it has four bytes, and its value.
fn attribute(account: &Account, number: u32) -> Option<(bool, u64)> {
    Some(match number {
        1..=3 => (true, account.reuse[number as usize - 1].into()),
        4 => (false, account.threshold),
        5 => (false, account.used),
        6 => (false, account.most_reserved),
        7 => (false, account.used),
        8 => (false, account.most_used),
        _ => return None,
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemPoolGetAttribute(pool: usize, number: u32, mut to: Host) -> Status {
    call(|driver| {
        let pool = driver.handles.find::<Pool>(pool)?;
        let (short, value) = attribute(&pool.account(), number).ok_or(Failed::from(Code::INVALID_VALUE))?;
        let bytes = if short { 4 } else { 8 };
        to.bytes_mut(0, bytes)?.copy_from_slice(&value.to_le_bytes()[..bytes as usize]);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemPoolSetAttribute(pool: usize, number: u32, from: Host) -> Status {
    call(|driver| {
        let pool = driver.handles.find::<Pool>(pool)?;
        let mut account = pool.account();
        let zero = || {
            if u64::from_le_bytes(from.field(0)?) == 0 {
                Ok(())
            } else {
                Err(Failed::from(Code::INVALID_VALUE))
            }
        };
        match number {
            1..=3 => account.reuse[number as usize - 1] = u32::from_le_bytes(from.field(0)?),
            4 => account.threshold = u64::from_le_bytes(from.field(0)?),
            // The most so far can only be forgotten.
            6 => {
                zero()?;
                account.most_reserved = account.used;
            }
            8 => {
                zero()?;
                account.most_used = account.used;
            }
            _ => return Err(Code::INVALID_VALUE.into()),
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemPoolSetAccess(pool: usize, access: In<Access>, count: usize) -> Status {
    call(|driver| {
        driver.handles.find::<Pool>(pool)?;
        for access in access.all(count)? {
            check(access.location.id)?;
            if access.location.kind != DEVICE || access.flags != READ_WRITE {
                // The device that a pool is on always reaches it.
                return Err(Code::INVALID_VALUE.into());
            }
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemPoolGetAccess(flags: Out<u32>, pool: usize, location: In<Location>) -> Status {
    call(|driver| {
        driver.handles.find::<Pool>(pool)?;
        let location = location.read()?;
        check(location.id)?;
        flags.give(if location.kind == DEVICE { READ_WRITE } else { 0 })
    })
}

fn allocate(driver: &Driver, address: &Out<u64>, bytes: usize, pool: usize, stream: usize) -> Answer {
    let to = driver.stream(stream)?;
    let context = to.context;
    driver.current()?;
    if to.is_capturing() {
        let mut reserved = 0;
        driver.give(stream, || {
            let memory = driver.reserve(bytes as u64, context)?;
            reserved = memory.address;
            Ok(Work::Allocate(memory))
        })?;
        return address.give(reserved);
    }
    address.give(driver.allocate(bytes as u64, Kind::Pooled(pool), context)?)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemAllocAsync(address: Out<u64>, bytes: usize, stream: usize) -> Status {
    call(|driver| allocate(driver, &address, bytes, driver.current_pool().handle, stream))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemAllocFromPoolAsync(
    address: Out<u64>,
    bytes: usize,
    pool: usize,
    stream: usize,
) -> Status {
    call(|driver| {
        let pool = driver.handles.find::<Pool>(pool)?;
        allocate(driver, &address, bytes, pool.handle, stream)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemFreeAsync(address: u64, stream: usize) -> Status {
    call(|driver| {
        if driver.stream(stream)?.is_capturing() {
            return driver.give(stream, || driver.reserved.check(address).map(|()| Work::Free(address)));
        }
        driver.free(address, Kind::is_device)
    })
}
