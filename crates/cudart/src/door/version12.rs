//! Functions that version 13 has in another form, or no more.

use super::context::{
    cudaDeviceGetCacheConfig, cudaDeviceGetLimit, cudaDeviceReset, cudaDeviceSetCacheConfig,
    cudaDeviceSetLimit, cudaDeviceSynchronize,
};
use super::device::properties;
use super::node;
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

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphGetEdges_v2(
    graph: usize,
    from: Place<usize>,
    to: Place<usize>,
    edges: Pointer,
    count: Place<usize>,
) -> Status {
    call(|runtime| runtime.driver.cuGraphGetEdges_v2(graph, from, to, edges, count))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphGetEdges(
    graph: usize,
    from: Place<usize>,
    to: Place<usize>,
    count: Place<usize>,
) -> Status {
    cudaGraphGetEdges_v2(graph, from, to, Pointer::NULL, count)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphNodeGetDependencies_v2(
    node: usize,
    nodes: Place<usize>,
    edges: Pointer,
    count: Place<usize>,
) -> Status {
    call(|runtime| runtime.driver.cuGraphNodeGetDependencies_v2(node, nodes, edges, count))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphNodeGetDependencies(
    node: usize,
    nodes: Place<usize>,
    count: Place<usize>,
) -> Status {
    cudaGraphNodeGetDependencies_v2(node, nodes, Pointer::NULL, count)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphNodeGetDependentNodes_v2(
    node: usize,
    nodes: Place<usize>,
    edges: Pointer,
    count: Place<usize>,
) -> Status {
    call(|runtime| runtime.driver.cuGraphNodeGetDependentNodes_v2(node, nodes, edges, count))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphNodeGetDependentNodes(
    node: usize,
    nodes: Place<usize>,
    count: Place<usize>,
) -> Status {
    cudaGraphNodeGetDependentNodes_v2(node, nodes, Pointer::NULL, count)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphAddDependencies_v2(
    graph: usize,
    from: Pointer,
    to: Pointer,
    edges: Pointer,
    count: usize,
) -> Status {
    call(|runtime| runtime.driver.cuGraphAddDependencies_v2(graph, from, to, edges, count))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphAddDependencies(graph: usize, from: Pointer, to: Pointer, count: usize) -> Status {
    cudaGraphAddDependencies_v2(graph, from, to, Pointer::NULL, count)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphRemoveDependencies_v2(
    graph: usize,
    from: Pointer,
    to: Pointer,
    edges: Pointer,
    count: usize,
) -> Status {
    call(|runtime| runtime.driver.cuGraphRemoveDependencies_v2(graph, from, to, edges, count))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphRemoveDependencies(
    graph: usize,
    from: Pointer,
    to: Pointer,
    count: usize,
) -> Status {
    cudaGraphRemoveDependencies_v2(graph, from, to, Pointer::NULL, count)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamUpdateCaptureDependencies_v2(
    stream: usize,
    nodes: Pointer,
    edges: Pointer,
    count: usize,
    flags: u32,
) -> Status {
    call(|runtime| runtime.driver.cuStreamUpdateCaptureDependencies_v2(stream, nodes, edges, count, flags))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamUpdateCaptureDependencies(
    stream: usize,
    nodes: Pointer,
    count: usize,
    flags: u32,
) -> Status {
    cudaStreamUpdateCaptureDependencies_v2(stream, nodes, Pointer::NULL, count, flags)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphAddNode_v2(
    node: Place<usize>,
    graph: usize,
    after: Pointer,
    edges: Pointer,
    count: usize,
    parameters: Pointer,
) -> Status {
    call(|runtime| node::add(runtime, node, graph, after, edges, count, parameters))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphAddNode(
    node: Place<usize>,
    graph: usize,
    after: Pointer,
    count: usize,
    parameters: Pointer,
) -> Status {
    cudaGraphAddNode_v2(node, graph, after, Pointer::NULL, count, parameters)
}
