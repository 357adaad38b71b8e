//! Functions that version 13 has in another form, or no more.

use super::context::{
    cudaDeviceGetCacheConfig, cudaDeviceGetLimit, cudaDeviceReset, cudaDeviceSetCacheConfig,
    cudaDeviceSetLimit, cudaDeviceSynchronize,
};
use super::device::properties;
use super::pass::{Place, Pointer, Room};
use super::{Status, call};
use crate::properties::{FIRST_LAYOUT, LAYOUT};

/// The structure as version 11 has it.
#[unsafe(no_mangle)]
pub extern "C" fn cudaGetDeviceProperties(to: Room, device: i32) -> Status {
    properties(to, device, &FIRST_LAYOUT)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGetDeviceProperties_v2(to: Room, device: i32) -> Status {
    properties(to, device, &LAYOUT)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaEventElapsedTime_v2(milliseconds: Place<f32>, start: usize, end: usize) -> Status {
    super::event::cudaEventElapsedTime(milliseconds, start, end)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemAdvise(address: Pointer, bytes: usize, advice: u32, device: i32) -> Status {
    call(|runtime| runtime.driver.cuMemAdvise(address.address(), bytes, advice, device))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemAdvise_v2(address: Pointer, bytes: usize, advice: u32, location: u64) -> Status {
    call(|runtime| runtime.driver.cuMemAdvise_v2(address.address(), bytes, advice, location))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemPrefetchAsync(address: Pointer, bytes: usize, device: i32, stream: usize) -> Status {
    call(|runtime| runtime.driver.cuMemPrefetchAsync(address.address(), bytes, device, stream))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemPrefetchAsync_v2(
    address: Pointer,
    bytes: usize,
    location: u64,
    flags: u32,
    stream: usize,
) -> Status {
    call(|runtime| runtime.driver.cuMemPrefetchAsync_v2(address.address(), bytes, location, flags, stream))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamGetCaptureInfo(stream: usize, status: Place<u32>, id: Place<u64>) -> Status {
    let nowhere = Place::NOWHERE;
    cudaStreamGetCaptureInfo_v2(stream, status, id, nowhere, nowhere, nowhere)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamGetCaptureInfo_v2(
    stream: usize,
    status: Place<u32>,
    id: Place<u64>,
    graph: Place<usize>,
    nodes: Place<usize>,
    count: Place<usize>,
) -> Status {
    call(|runtime| runtime.driver.cuStreamGetCaptureInfo_v2(stream, status, id, graph, nodes, count))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamGetCaptureInfo_v3(
    stream: usize,
    status: Place<u32>,
    id: Place<u64>,
    graph: Place<usize>,
    nodes: Place<usize>,
    edges: Place<usize>,
    count: Place<usize>,
) -> Status {
    call(|runtime| runtime.driver.cuStreamGetCaptureInfo_v3(stream, status, id, graph, nodes, edges, count))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaThreadExit() -> Status {
    cudaDeviceReset()
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaThreadSynchronize() -> Status {
    cudaDeviceSynchronize()
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaThreadGetLimit(value: Place<usize>, limit: u32) -> Status {
    cudaDeviceGetLimit(value, limit)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaThreadSetLimit(limit: u32, value: usize) -> Status {
    cudaDeviceSetLimit(limit, value)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaThreadGetCacheConfig(config: Place<u32>) -> Status {
    cudaDeviceGetCacheConfig(config)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaThreadSetCacheConfig(config: u32) -> Status {
    cudaDeviceSetCacheConfig(config)
}
