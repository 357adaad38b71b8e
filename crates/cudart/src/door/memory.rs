//! Memory of the device and of the host, and what lies at an address.

use super::pass::{Place, Pointer};
use super::{Status, call};
use crate::errors::{Answer, Code};
use crate::runtime::Runtime;

/// `cudaExtent`: bytes, rows, layers.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Extent {
    pub width: usize,
    pub height: usize,
    pub depth: usize,
}

/// `cudaPitchedPtr`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Pitched {
    pub address: u64,
    pub pitch: usize,
    pub width: usize,
    pub height: usize,
}

/// Nothing is at null, and the driver allocates no nothing.
fn unless_nothing(address: Place<u64>, bytes: usize, allocate: impl FnOnce() -> Answer) -> Answer {
    if bytes == 0 { address.give(0) } else { allocate() }
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMalloc(address: Place<u64>, bytes: usize) -> Status {
    call(|runtime| unless_nothing(address, bytes, || runtime.driver.cuMemAlloc_v2(address, bytes)))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaFree(address: Pointer) -> Status {
    call(|runtime| match address.is_null() {
        true => Ok(()),
        false => runtime.driver.cuMemFree_v2(address.address()),
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMallocManaged(address: Place<u64>, bytes: usize, flags: u32) -> Status {
    call(|runtime| runtime.driver.cuMemAllocManaged(address, bytes, flags))
}

/// The bytes of an element for which rows are aligned.
const ELEMENT: u32 = 16;

fn pitched(runtime: &Runtime, width: usize, height: usize) -> Answer<(u64, usize)> {
    let (mut address, mut pitch) = (0, 0);
    if width > 0 && height > 0 {
        runtime.driver.cuMemAllocPitch_v2(&mut address, &mut pitch, width, height, ELEMENT)?;
    }
    Ok((address, pitch))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMallocPitch(
    address: Place<u64>,
    pitch: Place<usize>,
    width: usize,
    height: usize,
) -> Status {
    call(|runtime| {
        let (at, row) = pitched(runtime, width, height)?;
        address.give(at)?;
        pitch.give(row)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMalloc3D(to: Place<Pitched>, extent: Extent) -> Status {
    call(|runtime| {
        let Extent { width, height, depth } = extent;
        let rows = height.checked_mul(depth).ok_or(Code::INVALID_VALUE)?;
        let (address, pitch) = pitched(runtime, width, rows)?;
        to.give(Pitched { address, pitch, width, height })
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaHostAlloc(address: Place<u64>, bytes: usize, flags: u32) -> Status {
    call(|runtime| unless_nothing(address, bytes, || runtime.driver.cuMemHostAlloc(address, bytes, flags)))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMallocHost(address: Place<u64>, bytes: usize) -> Status {
    cudaHostAlloc(address, bytes, 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaFreeHost(address: Pointer) -> Status {
    call(|runtime| match address.is_null() {
        true => Ok(()),
        false => runtime.driver.cuMemFreeHost(address),
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaHostRegister(start: Pointer, bytes: usize, flags: u32) -> Status {
    call(|runtime| runtime.driver.cuMemHostRegister_v2(start, bytes, flags))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaHostUnregister(start: Pointer) -> Status {
    call(|runtime| runtime.driver.cuMemHostUnregister(start))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaHostGetDevicePointer(address: Place<u64>, host: Pointer, flags: u32) -> Status {
    call(|runtime| runtime.driver.cuMemHostGetDevicePointer_v2(address, host, flags))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaHostGetFlags(flags: Place<u32>, host: Pointer) -> Status {
    call(|runtime| runtime.driver.cuMemHostGetFlags(flags, host))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemGetInfo(free: Place<usize>, total: Place<usize>) -> Status {
    call(|runtime| runtime.driver.cuMemGetInfo_v2(free, total))
}

/// `cudaPointerAttributes`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Attributes {
    kind: u32,
    device: i32,
    device_address: u64,
    host_address: u64,
    #[cfg(major = "13")]
    reserved: [u64; 8],
}

/// Kinds of memory: none that the driver knows, the host's, the device's, both's.
const UNREGISTERED: u32 = 0;
const MANAGED: u32 = 3;
/// Attributes of the driver, by their numbers in `cuda.h`.
const KIND: u32 = 2;
const DEVICE_ADDRESS: u32 = 3;
const HOST_ADDRESS: u32 = 4;
const IS_MANAGED: u32 = 8;
const ORDINAL: u32 = 9;
/// The device of what belongs to none.
const NO_DEVICE: i32 = -2;

#[unsafe(no_mangle)]
pub extern "C" fn cudaPointerGetAttributes(to: Place<Attributes>, address: Pointer) -> Status {
    call(|runtime| {
        // The driver writes as many bytes as an attribute has; all begin with the lowest.
        let read = |number| {
            let mut value = 0;
            runtime.driver.cuPointerGetAttribute(&mut value, number, address.address()).map(|()| value)
        };
        let mut found = Attributes {
            kind: UNREGISTERED,
            device: NO_DEVICE,
            device_address: 0,
            host_address: address.address(),
            #[cfg(major = "13")]
            reserved: [0; 8],
        };
        if let Ok(kind) = read(KIND) {
            let is_managed = read(IS_MANAGED)? != 0;
            found.kind = if is_managed { MANAGED } else { kind as u32 };
            found.device = read(ORDINAL)? as i32;
            found.device_address = read(DEVICE_ADDRESS).unwrap_or(0);
            found.host_address = read(HOST_ADDRESS).unwrap_or(0);
        }
        to.give(found)
    })
}
