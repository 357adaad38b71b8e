//! Allocation in the order of a stream, and pools.

use super::pass::{Place, Pointer};
use super::{Status, call};

#[unsafe(no_mangle)]
pub extern "C" fn cudaMallocAsync(address: Place<u64>, bytes: usize, stream: usize) -> Status {
    call(|runtime| runtime.driver.cuMemAllocAsync(address, bytes, stream))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMallocFromPoolAsync(
    address: Place<u64>,
    bytes: usize,
    pool: usize,
    stream: usize,
) -> Status {
    call(|runtime| runtime.driver.cuMemAllocFromPoolAsync(address, bytes, pool, stream))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaFreeAsync(address: Pointer, stream: usize) -> Status {
    call(|runtime| runtime.driver.cuMemFreeAsync(address.address(), stream))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceGetDefaultMemPool(pool: Place<usize>, device: i32) -> Status {
    call(|runtime| runtime.driver.cuDeviceGetDefaultMemPool(pool, device))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceGetMemPool(pool: Place<usize>, device: i32) -> Status {
    call(|runtime| runtime.driver.cuDeviceGetMemPool(pool, device))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceSetMemPool(device: i32, pool: usize) -> Status {
    call(|runtime| runtime.driver.cuDeviceSetMemPool(device, pool))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemPoolCreate(pool: Place<usize>, properties: Pointer) -> Status {
    call(|runtime| runtime.driver.cuMemPoolCreate(pool, properties))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemPoolDestroy(pool: usize) -> Status {
    call(|runtime| runtime.driver.cuMemPoolDestroy(pool))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemPoolTrimTo(pool: usize, bytes: usize) -> Status {
    call(|runtime| runtime.driver.cuMemPoolTrimTo(pool, bytes))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemPoolGetAttribute(pool: usize, attribute: u32, value: Pointer) -> Status {
    call(|runtime| runtime.driver.cuMemPoolGetAttribute(pool, attribute, value))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemPoolSetAttribute(pool: usize, attribute: u32, value: Pointer) -> Status {
    call(|runtime| runtime.driver.cuMemPoolSetAttribute(pool, attribute, value))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemPoolGetAccess(flags: Place<u32>, pool: usize, location: Pointer) -> Status {
    call(|runtime| runtime.driver.cuMemPoolGetAccess(flags, pool, location))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemPoolSetAccess(pool: usize, list: Pointer, count: usize) -> Status {
    call(|runtime| runtime.driver.cuMemPoolSetAccess(pool, list, count))
}
