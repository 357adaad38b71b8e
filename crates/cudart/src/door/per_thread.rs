//! Functions where streams are each thread's own: the same as the others. Made from `names.tsv` by `tests/names.rs`: do not edit.

#![cfg_attr(rustfmt, rustfmt::skip)]

use super::Status;
use super::copy::{Parameters3d, PeerParameters3d};
use super::launch::Config;
use super::memory::{Extent, Pitched};
use super::pass::{Extent3, In, Place, Pointer, Text};

#[unsafe(no_mangle)]
pub extern "C" fn __cudaLaunchKernel_ptsz(kernel: usize, grid: Extent3, block: Extent3, values: Pointer, shared_bytes: usize, stream: usize) -> Status {
    super::launch::__cudaLaunchKernel(kernel, grid, block, values, shared_bytes, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaEventRecordWithFlags_ptsz(event: usize, stream: usize, flags: u32) -> Status {
    super::event::cudaEventRecordWithFlags(event, stream, flags)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaEventRecord_ptsz(event: usize, stream: usize) -> Status {
    super::event::cudaEventRecord(event, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaFreeAsync_ptsz(address: Pointer, stream: usize) -> Status {
    super::pool::cudaFreeAsync(address, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGetDriverEntryPointByVersion_ptsz(name: Text, function: Place<usize>, version: u32, flags: u64, status: Place<u32>) -> Status {
    super::library::cudaGetDriverEntryPointByVersion(name, function, version, flags, status)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGetDriverEntryPoint_ptsz(name: Text, function: Place<usize>, flags: u64, status: Place<u32>) -> Status {
    super::library::cudaGetDriverEntryPoint(name, function, flags, status)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphInstantiateWithParams_ptsz(executable: Place<usize>, graph: usize, parameters: Pointer) -> Status {
    super::graph::cudaGraphInstantiateWithParams(executable, graph, parameters)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphLaunch_ptsz(executable: usize, stream: usize) -> Status {
    super::graph::cudaGraphLaunch(executable, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphUpload_ptsz(executable: usize, stream: usize) -> Status {
    super::graph::cudaGraphUpload(executable, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaLaunchCooperativeKernel_ptsz(host: usize, grid: Extent3, block: Extent3, values: Pointer, shared_bytes: usize, stream: usize) -> Status {
    super::launch::cudaLaunchCooperativeKernel(host, grid, block, values, shared_bytes, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaLaunchHostFunc_ptsz(stream: usize, function: Pointer, data: Pointer) -> Status {
    super::stream::cudaLaunchHostFunc(stream, function, data)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaLaunchKernelExC_ptsz(config: In<Config>, host: usize, values: Pointer) -> Status {
    super::launch::cudaLaunchKernelExC(config, host, values)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaLaunchKernel_ptsz(host: usize, grid: Extent3, block: Extent3, values: Pointer, shared_bytes: usize, stream: usize) -> Status {
    super::launch::cudaLaunchKernel(host, grid, block, values, shared_bytes, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMallocAsync_ptsz(address: Place<u64>, bytes: usize, stream: usize) -> Status {
    super::pool::cudaMallocAsync(address, bytes, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMallocFromPoolAsync_ptsz(address: Place<u64>, bytes: usize, pool: usize, stream: usize) -> Status {
    super::pool::cudaMallocFromPoolAsync(address, bytes, pool, stream)
}

#[cfg(major = "12")]
#[unsafe(no_mangle)]
pub extern "C" fn cudaMemPrefetchAsync_ptsz(address: Pointer, bytes: usize, device: i32, stream: usize) -> Status {
    super::version12::cudaMemPrefetchAsync(address, bytes, device, stream)
}

#[cfg(major = "12")]
#[unsafe(no_mangle)]
pub extern "C" fn cudaMemPrefetchAsync_v2_ptsz(address: Pointer, bytes: usize, location: u64, flags: u32, stream: usize) -> Status {
    super::version12::cudaMemPrefetchAsync_v2(address, bytes, location, flags, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpy2DArrayToArray_ptds(to: usize, to_x: usize, to_y: usize, from: usize, from_x: usize, from_y: usize, width: usize, height: usize, kind: u32) -> Status {
    super::array_copy::cudaMemcpy2DArrayToArray(to, to_x, to_y, from, from_x, from_y, width, height, kind)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpy2DAsync_ptsz(to: Pointer, to_pitch: usize, from: Pointer, from_pitch: usize, width: usize, height: usize, kind: u32, stream: usize) -> Status {
    super::copy::cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpy2DFromArrayAsync_ptsz(to: Pointer, pitch: usize, from: usize, x: usize, y: usize, width: usize, height: usize, kind: u32, stream: usize) -> Status {
    super::array_copy::cudaMemcpy2DFromArrayAsync(to, pitch, from, x, y, width, height, kind, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpy2DFromArray_ptds(to: Pointer, pitch: usize, from: usize, x: usize, y: usize, width: usize, height: usize, kind: u32) -> Status {
    super::array_copy::cudaMemcpy2DFromArray(to, pitch, from, x, y, width, height, kind)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpy2DToArrayAsync_ptsz(to: usize, x: usize, y: usize, from: Pointer, pitch: usize, width: usize, height: usize, kind: u32, stream: usize) -> Status {
    super::array_copy::cudaMemcpy2DToArrayAsync(to, x, y, from, pitch, width, height, kind, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpy2DToArray_ptds(to: usize, x: usize, y: usize, from: Pointer, pitch: usize, width: usize, height: usize, kind: u32) -> Status {
    super::array_copy::cudaMemcpy2DToArray(to, x, y, from, pitch, width, height, kind)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpy2D_ptds(to: Pointer, to_pitch: usize, from: Pointer, from_pitch: usize, width: usize, height: usize, kind: u32) -> Status {
    super::copy::cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpy3DAsync_ptsz(parameters: In<Parameters3d>, stream: usize) -> Status {
    super::copy::cudaMemcpy3DAsync(parameters, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpy3DPeerAsync_ptsz(parameters: In<PeerParameters3d>, stream: usize) -> Status {
    super::copy::cudaMemcpy3DPeerAsync(parameters, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpy3DPeer_ptds(parameters: In<PeerParameters3d>) -> Status {
    super::copy::cudaMemcpy3DPeer(parameters)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpy3D_ptds(parameters: In<Parameters3d>) -> Status {
    super::copy::cudaMemcpy3D(parameters)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpyArrayToArray_ptds(to: usize, to_x: usize, to_y: usize, from: usize, from_x: usize, from_y: usize, bytes: usize, kind: u32) -> Status {
    super::array_copy::cudaMemcpyArrayToArray(to, to_x, to_y, from, from_x, from_y, bytes, kind)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpyAsync_ptsz(to: Pointer, from: Pointer, bytes: usize, kind: u32, stream: usize) -> Status {
    super::copy::cudaMemcpyAsync(to, from, bytes, kind, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpyFromArrayAsync_ptsz(to: Pointer, from: usize, x: usize, y: usize, bytes: usize, kind: u32, stream: usize) -> Status {
    super::array_copy::cudaMemcpyFromArrayAsync(to, from, x, y, bytes, kind, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpyFromArray_ptds(to: Pointer, from: usize, x: usize, y: usize, bytes: usize, kind: u32) -> Status {
    super::array_copy::cudaMemcpyFromArray(to, from, x, y, bytes, kind)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpyFromSymbolAsync_ptsz(to: Pointer, symbol: usize, bytes: usize, offset: usize, kind: u32, stream: usize) -> Status {
    super::symbol::cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpyFromSymbol_ptds(to: Pointer, symbol: usize, bytes: usize, offset: usize, kind: u32) -> Status {
    super::symbol::cudaMemcpyFromSymbol(to, symbol, bytes, offset, kind)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpyToArrayAsync_ptsz(to: usize, x: usize, y: usize, from: Pointer, bytes: usize, kind: u32, stream: usize) -> Status {
    super::array_copy::cudaMemcpyToArrayAsync(to, x, y, from, bytes, kind, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpyToArray_ptds(to: usize, x: usize, y: usize, from: Pointer, bytes: usize, kind: u32) -> Status {
    super::array_copy::cudaMemcpyToArray(to, x, y, from, bytes, kind)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpyToSymbolAsync_ptsz(symbol: usize, from: Pointer, bytes: usize, offset: usize, kind: u32, stream: usize) -> Status {
    super::symbol::cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpyToSymbol_ptds(symbol: usize, from: Pointer, bytes: usize, offset: usize, kind: u32) -> Status {
    super::symbol::cudaMemcpyToSymbol(symbol, from, bytes, offset, kind)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpy_ptds(to: Pointer, from: Pointer, bytes: usize, kind: u32) -> Status {
    super::copy::cudaMemcpy(to, from, bytes, kind)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemset2DAsync_ptsz(address: Pointer, pitch: usize, value: i32, width: usize, height: usize, stream: usize) -> Status {
    super::memset::cudaMemset2DAsync(address, pitch, value, width, height, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemset2D_ptds(address: Pointer, pitch: usize, value: i32, width: usize, height: usize) -> Status {
    super::memset::cudaMemset2D(address, pitch, value, width, height)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemset3DAsync_ptsz(to: Pitched, value: i32, extent: Extent, stream: usize) -> Status {
    super::memset::cudaMemset3DAsync(to, value, extent, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemset3D_ptds(to: Pitched, value: i32, extent: Extent) -> Status {
    super::memset::cudaMemset3D(to, value, extent)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemsetAsync_ptsz(address: Pointer, value: i32, bytes: usize, stream: usize) -> Status {
    super::memset::cudaMemsetAsync(address, value, bytes, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemset_ptds(address: Pointer, value: i32, bytes: usize) -> Status {
    super::memset::cudaMemset(address, value, bytes)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamAddCallback_ptsz(stream: usize, function: Pointer, data: Pointer, flags: u32) -> Status {
    super::stream::cudaStreamAddCallback(stream, function, data, flags)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamAttachMemAsync_ptsz(stream: usize, address: Pointer, bytes: usize, flags: u32) -> Status {
    super::stream::cudaStreamAttachMemAsync(stream, address, bytes, flags)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamBeginCaptureToGraph_ptsz(stream: usize, graph: usize, after: Pointer, edges: Pointer, count: usize, mode: u32) -> Status {
    super::capture::cudaStreamBeginCaptureToGraph(stream, graph, after, edges, count, mode)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamBeginCapture_ptsz(stream: usize, mode: u32) -> Status {
    super::capture::cudaStreamBeginCapture(stream, mode)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamEndCapture_ptsz(stream: usize, graph: Place<usize>) -> Status {
    super::capture::cudaStreamEndCapture(stream, graph)
}

#[cfg(major = "12")]
#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamGetCaptureInfo_ptsz(stream: usize, status: Place<u32>, id: Place<u64>) -> Status {
    super::version12::cudaStreamGetCaptureInfo(stream, status, id)
}

#[cfg(major = "12")]
#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamGetCaptureInfo_v2_ptsz(stream: usize, status: Place<u32>, id: Place<u64>, graph: Place<usize>, nodes: Place<usize>, count: Place<usize>) -> Status {
    super::version12::cudaStreamGetCaptureInfo_v2(stream, status, id, graph, nodes, count)
}

#[cfg(major = "12")]
#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamGetCaptureInfo_v3_ptsz(stream: usize, status: Place<u32>, id: Place<u64>, graph: Place<usize>, nodes: Place<usize>, edges: Place<usize>, count: Place<usize>) -> Status {
    super::version12::cudaStreamGetCaptureInfo_v3(stream, status, id, graph, nodes, edges, count)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamGetDevice_ptsz(stream: usize, device: Place<i32>) -> Status {
    super::stream::cudaStreamGetDevice(stream, device)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamGetFlags_ptsz(stream: usize, flags: Place<u32>) -> Status {
    super::stream::cudaStreamGetFlags(stream, flags)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamGetId_ptsz(stream: usize, id: Place<u64>) -> Status {
    super::stream::cudaStreamGetId(stream, id)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamGetPriority_ptsz(stream: usize, priority: Place<i32>) -> Status {
    super::stream::cudaStreamGetPriority(stream, priority)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamIsCapturing_ptsz(stream: usize, status: Place<u32>) -> Status {
    super::stream::cudaStreamIsCapturing(stream, status)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamQuery_ptsz(stream: usize) -> Status {
    super::stream::cudaStreamQuery(stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamSynchronize_ptsz(stream: usize) -> Status {
    super::stream::cudaStreamSynchronize(stream)
}

#[cfg(major = "12")]
#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamUpdateCaptureDependencies_ptsz(stream: usize, nodes: Pointer, count: usize, flags: u32) -> Status {
    super::version12::cudaStreamUpdateCaptureDependencies(stream, nodes, count, flags)
}

#[cfg(major = "12")]
#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamUpdateCaptureDependencies_v2_ptsz(stream: usize, nodes: Pointer, edges: Pointer, count: usize, flags: u32) -> Status {
    super::version12::cudaStreamUpdateCaptureDependencies_v2(stream, nodes, edges, count, flags)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamWaitEvent_ptsz(stream: usize, event: usize, flags: u32) -> Status {
    super::stream::cudaStreamWaitEvent(stream, event, flags)
}

#[cfg(major = "13")]
#[unsafe(no_mangle)]
pub extern "C" fn cudaLaunchHostFunc_v2_ptsz(stream: usize, function: Pointer, data: Pointer, mode: u32) -> Status {
    super::version13::cudaLaunchHostFunc_v2(stream, function, data, mode)
}

#[cfg(major = "13")]
#[unsafe(no_mangle)]
pub extern "C" fn cudaMemPrefetchAsync_ptsz(address: Pointer, bytes: usize, location: u64, flags: u32, stream: usize) -> Status {
    super::version13::cudaMemPrefetchAsync(address, bytes, location, flags, stream)
}

#[cfg(major = "13")]
#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamGetCaptureInfo_ptsz(stream: usize, status: Place<u32>, id: Place<u64>, graph: Place<usize>, nodes: Place<usize>, edges: Place<usize>, count: Place<usize>) -> Status {
    super::version13::cudaStreamGetCaptureInfo(stream, status, id, graph, nodes, edges, count)
}

#[cfg(major = "13")]
#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamUpdateCaptureDependencies_ptsz(stream: usize, nodes: Pointer, edges: Pointer, count: usize, flags: u32) -> Status {
    super::version13::cudaStreamUpdateCaptureDependencies(stream, nodes, edges, count, flags)
}
