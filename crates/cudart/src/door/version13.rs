//! Functions that version 12 has in another form, or not at all.

use super::device::properties;
use super::pass::{Place, Pointer, Room};
use super::{Status, call};
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
