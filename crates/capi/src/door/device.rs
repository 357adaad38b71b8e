//! Devices and their memory.

use super::{call, pass};
use crate::device::Device;
use crate::failure::Failure;
use std::ffi::{c_char, c_int, c_void};

/// Makes a device whose modules have addresses of `address_bits` bits: 64 or 32. Several threads may use it at once.
///
/// # Safety
/// `device` must have room for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn margay_device_new(address_bits: u32, device: *mut *mut Device) -> c_int {
    call(|| {
        // SAFETY: `device` has room for one, or is null.
        unsafe {
            pass::give("device", device, std::ptr::null_mut())?;
            pass::give("device", device, Box::into_raw(Box::new(Device::new(address_bits)?)))
        }
    })
}

/// Says how many bytes of memory a device has. Otherwise it has most of what the machine has free when it is first asked for much.
/// Allocations and variables of modules count, not what is lent. Those that are there stay, even if they have more.
///
/// # Safety
/// `device` must be one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn margay_device_set_memory(device: *const Device, bytes: u64) -> c_int {
    call(|| {
        // SAFETY: `device` points to one that lives, or is null.
        let device = unsafe { pass::handle("device", device) }?;
        device.alone().set_size(bytes);
        Ok(())
    })
}

/// Frees a device; null is none. Its memory stays until the modules on it are freed too.
///
/// # Safety
/// It must come from `margay_device_new`, and no other call use it any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn margay_device_free(device: *mut Device) {
    if !device.is_null() {
        call(|| {
            // SAFETY: the caller's promise: it was made by `Box::into_raw`.
            drop(unsafe { Box::from_raw(device) });
            Ok(())
        });
    }
}

/// Allocates zeroed memory; `name` is what errors call it, or null. Addresses are the device's own, and each is given once: one that
/// was freed is never another's.
///
/// # Safety
/// `device` must be one, `name` null or end with a zero byte, `address` have room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn margay_alloc(
    device: *const Device,
    bytes: u64,
    name: *const c_char,
    address: *mut u64,
) -> c_int {
    call(|| {
        // SAFETY: `device` points to one that lives, or is null.
        unsafe {
            let (device, name) = (pass::handle("device", device)?, pass::name("name", name)?);
            pass::give("address", address, 0)?;
            let given = device.alone().alloc(bytes, name.unwrap_or("an allocation"))?;
            pass::give("address", address, given)
        }
    })
}

/// Lends the host's own bytes to the device, until `margay_free`: kernels use them in place, and nothing beside them. They
/// begin at a multiple of 16. Kernels may not write to them where `read_only` is not 0.
///
/// # Safety
/// `device` must be one, `name` null or end with a zero byte, `address` have room. So many bytes must be there until they are given
/// back or the device and its modules are freed; while a launch uses them, nobody else writes them, nor uses what it writes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn margay_lend(
    device: *const Device,
    start: *mut c_void,
    bytes: u64,
    name: *const c_char,
    read_only: c_int,
    address: *mut u64,
) -> c_int {
    call(|| {
        // SAFETY: `device` points to one that lives, or is null.
        unsafe {
            let (device, name) = (pass::handle("device", device)?, pass::name("name", name)?);
            pass::give("address", address, 0)?;
            if start.is_null() && bytes > 0 {
                return Err(Failure::wrong_call("`start` is null"));
            }
            let name = name.unwrap_or("lent memory");
            let given = device.alone().lend(start.cast(), bytes, name, read_only != 0)?;
            pass::give("address", address, given)
        }
    })
}

/// Gives an allocation or lent bytes back. Kernels that use the address later are stopped.
///
/// # Safety
/// `device` must be one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn margay_free(device: *const Device, address: u64) -> c_int {
    call(|| {
        // SAFETY: `device` points to one that lives, or is null.
        let device = unsafe { pass::handle("device", device) }?;
        Ok(device.alone().free(address)?)
    })
}

/// Copies bytes to the device, into constant memory too.
///
/// # Safety
/// `device` must be one, `from` have so many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn margay_write(
    device: *const Device,
    address: u64,
    from: *const c_void,
    bytes: u64,
) -> c_int {
    call(|| {
        // SAFETY: `device` points to one that lives, or is null.
        let (device, from) = unsafe { (pass::handle("device", device)?, pass::bytes("from", from, bytes)?) };
        Ok(device.alone().write(address, from)?)
    })
}

/// Copies bytes from the device.
///
/// # Safety
/// `device` must be one, `to` have room for so many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn margay_read(
    device: *const Device,
    address: u64,
    to: *mut c_void,
    bytes: u64,
) -> c_int {
    call(|| {
        // SAFETY: `device` points to one that lives, or is null.
        let device = unsafe { pass::handle("device", device) }?;
        // SAFETY: so many bytes are at `to`, which nobody else uses, or it is null.
        let to = unsafe { pass::bytes_mut("to", to, bytes) }?;
        Ok(device.shared().read_into(address, to)?)
    })
}
