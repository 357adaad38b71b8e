//! Functions that version 12 has in another form, or not at all.

use super::device::properties;
use super::node;
use super::pass::{Place, Pointer, Room, Text};
use super::{Status, call, started};
use crate::properties::LAYOUT;

#[unsafe(no_mangle)]
pub extern "C" fn cudaGetDeviceProperties(to: Room, device: i32) -> Status {
    properties(to, device, &LAYOUT)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemAdvise(address: Pointer, bytes: usize, advice: u32, location: u64) -> Status {
    call(|runtime| runtime.driver.cuMemAdvise_v2(address.address(), bytes, advice, location))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemPrefetchAsync(
    address: Pointer,
    bytes: usize,
    location: u64,
    flags: u32,
    stream: usize,
) -> Status {
    call(|runtime| runtime.driver.cuMemPrefetchAsync_v2(address.address(), bytes, location, flags, stream))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamGetCaptureInfo(
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
pub extern "C" fn cudaFuncGetParamCount(host: usize, count: Place<usize>) -> Status {
    call(|runtime| runtime.driver.cuFuncGetParamCount(runtime.function(host)?, count))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaLaunchHostFunc_v2(
    stream: usize,
    function: Pointer,
    data: Pointer,
    _mode: u32,
) -> Status {
    super::stream::cudaLaunchHostFunc(stream, function, data)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphGetEdges(
    graph: usize,
    from: Place<usize>,
    to: Place<usize>,
    edges: Pointer,
    count: Place<usize>,
) -> Status {
    call(|runtime| runtime.driver.cuGraphGetEdges_v2(graph, from, to, edges, count))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphNodeGetDependencies(
    node: usize,
    nodes: Place<usize>,
    edges: Pointer,
    count: Place<usize>,
) -> Status {
    call(|runtime| runtime.driver.cuGraphNodeGetDependencies_v2(node, nodes, edges, count))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphNodeGetDependentNodes(
    node: usize,
    nodes: Place<usize>,
    edges: Pointer,
    count: Place<usize>,
) -> Status {
    call(|runtime| runtime.driver.cuGraphNodeGetDependentNodes_v2(node, nodes, edges, count))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphAddDependencies(
    graph: usize,
    from: Pointer,
    to: Pointer,
    edges: Pointer,
    count: usize,
) -> Status {
    call(|runtime| runtime.driver.cuGraphAddDependencies_v2(graph, from, to, edges, count))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphRemoveDependencies(
    graph: usize,
    from: Pointer,
    to: Pointer,
    edges: Pointer,
    count: usize,
) -> Status {
    call(|runtime| runtime.driver.cuGraphRemoveDependencies_v2(graph, from, to, edges, count))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamUpdateCaptureDependencies(
    stream: usize,
    nodes: Pointer,
    edges: Pointer,
    count: usize,
    flags: u32,
) -> Status {
    call(|runtime| runtime.driver.cuStreamUpdateCaptureDependencies_v2(stream, nodes, edges, count, flags))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphNodeGetContainingGraph(node: usize, graph: Place<usize>) -> Status {
    call(|runtime| runtime.driver.cuGraphNodeGetContainingGraph(node, graph))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphNodeGetLocalId(node: usize, id: Place<u32>) -> Status {
    call(|runtime| runtime.driver.cuGraphNodeGetLocalId(node, id))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphNodeGetToolsId(node: usize, id: Place<u64>) -> Status {
    call(|runtime| runtime.driver.cuGraphNodeGetToolsId(node, id))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphGetId(graph: usize, id: Place<u32>) -> Status {
    call(|runtime| runtime.driver.cuGraphGetId(graph, id))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphExecGetId(executable: usize, id: Place<u32>) -> Status {
    call(|runtime| runtime.driver.cuGraphExecGetId(executable, id))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphAddNode(
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
pub extern "C" fn cudaLogsRegisterCallback(function: Pointer, data: Pointer, handle: Place<usize>) -> Status {
    started(|runtime| runtime.driver.cuLogsRegisterCallback(function, data, handle))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaLogsUnregisterCallback(handle: usize) -> Status {
    started(|runtime| runtime.driver.cuLogsUnregisterCallback(handle))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaLogsCurrent(iterator: Place<u32>, flags: u32) -> Status {
    started(|runtime| runtime.driver.cuLogsCurrent(iterator, flags))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaLogsDumpToFile(iterator: Place<u32>, path: Text, flags: u32) -> Status {
    started(|runtime| runtime.driver.cuLogsDumpToFile(iterator, path, flags))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaLogsDumpToMemory(
    iterator: Place<u32>,
    buffer: Pointer,
    size: Place<usize>,
    flags: u32,
) -> Status {
    started(|runtime| runtime.driver.cuLogsDumpToMemory(iterator, buffer, size, flags))
}
