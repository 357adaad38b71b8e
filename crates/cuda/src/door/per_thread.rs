//! Functions where streams are each thread's own: the same as the others. Made from `names.tsv` by `tests/names.rs`: do not edit.

#![cfg_attr(rustfmt, rustfmt::skip)]

use super::Status;
use super::layout::{Config, Copy2d, Copy3d, EdgeData, Instantiate};
use super::pass::{Address, Host, HostFunction, In, Out, Text};
use super::stream::Callback;
use std::ffi::c_void;

#[unsafe(no_mangle)]
pub extern "C" fn cuEventRecord_ptsz(event: usize, stream: usize) -> Status {
    super::event::cuEventRecord(event, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuEventRecordWithFlags_ptsz(event: usize, stream: usize, flags: u32) -> Status {
    super::event::cuEventRecordWithFlags(event, stream, flags)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGetProcAddress_v2_ptsz(name: Text, function: Out<*const c_void>, version: i32, flags: u64, status: Out<u32>) -> Status {
    super::init::cuGetProcAddress_v2(name, function, version, flags, status)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphInstantiateWithParams_ptsz(executable: Out<usize>, graph: usize, parameters: Out<Instantiate>) -> Status {
    super::executable::cuGraphInstantiateWithParams(executable, graph, parameters)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphLaunch_ptsz(executable: usize, stream: usize) -> Status {
    super::executable::cuGraphLaunch(executable, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphUpload_ptsz(executable: usize, stream: usize) -> Status {
    super::executable::cuGraphUpload(executable, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuLaunchCooperativeKernel_ptsz(function: usize, grid_x: u32, grid_y: u32, grid_z: u32, block_x: u32, block_y: u32, block_z: u32, shared_bytes: u32, stream: usize, values: In<Host>) -> Status {
    super::launch::cuLaunchCooperativeKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream, values)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuLaunchHostFunc_ptsz(stream: usize, function: Option<HostFunction>, data: usize) -> Status {
    super::launch::cuLaunchHostFunc(stream, function, data)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuLaunchHostFunc_v2_ptsz(stream: usize, function: Option<HostFunction>, data: usize, mode: u32) -> Status {
    super::launch::cuLaunchHostFunc_v2(stream, function, data, mode)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuLaunchKernel_ptsz(function: usize, grid_x: u32, grid_y: u32, grid_z: u32, block_x: u32, block_y: u32, block_z: u32, shared_bytes: u32, stream: usize, values: In<Host>, extra: In<Host>) -> Status {
    super::launch::cuLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream, values, extra)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuLaunchKernelEx_ptsz(config: In<Config>, function: usize, values: In<Host>, extra: In<Host>) -> Status {
    super::launch::cuLaunchKernelEx(config, function, values, extra)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemAllocAsync_ptsz(address: Out<u64>, bytes: usize, stream: usize) -> Status {
    super::pool::cuMemAllocAsync(address, bytes, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemAllocFromPoolAsync_ptsz(address: Out<u64>, bytes: usize, pool: usize, stream: usize) -> Status {
    super::pool::cuMemAllocFromPoolAsync(address, bytes, pool, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemFreeAsync_ptsz(address: u64, stream: usize) -> Status {
    super::pool::cuMemFreeAsync(address, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemPrefetchAsync_ptsz(address: u64, bytes: usize, device: i32, stream: usize) -> Status {
    super::memory::cuMemPrefetchAsync(address, bytes, device, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemPrefetchAsync_v2_ptsz(address: u64, bytes: usize, location: u64, flags: u32, stream: usize) -> Status {
    super::memory::cuMemPrefetchAsync_v2(address, bytes, location, flags, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpy_ptds(to: Address, from: Address, bytes: usize) -> Status {
    super::copy::cuMemcpy(to, from, bytes)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpy2D_v2_ptds(what: In<Copy2d>) -> Status {
    super::copy::cuMemcpy2D_v2(what)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpy2DAsync_v2_ptsz(what: In<Copy2d>, stream: usize) -> Status {
    super::copy::cuMemcpy2DAsync_v2(what, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpy2DUnaligned_v2_ptds(what: In<Copy2d>) -> Status {
    super::copy::cuMemcpy2DUnaligned_v2(what)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpy3D_v2_ptds(what: In<Copy3d>) -> Status {
    super::copy::cuMemcpy3D_v2(what)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpy3DAsync_v2_ptsz(what: In<Copy3d>, stream: usize) -> Status {
    super::copy::cuMemcpy3DAsync_v2(what, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpy3DPeer_ptds(what: In<Copy3d>) -> Status {
    super::array_copy::cuMemcpy3DPeer(what)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpy3DPeerAsync_ptsz(what: In<Copy3d>, stream: usize) -> Status {
    super::array_copy::cuMemcpy3DPeerAsync(what, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpyAsync_ptsz(to: Address, from: Address, bytes: usize, stream: usize) -> Status {
    super::copy::cuMemcpyAsync(to, from, bytes, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpyAtoA_v2_ptds(to: usize, to_offset: usize, from: usize, from_offset: usize, bytes: usize) -> Status {
    super::array_copy::cuMemcpyAtoA_v2(to, to_offset, from, from_offset, bytes)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpyAtoD_v2_ptds(to: u64, array: usize, offset: usize, bytes: usize) -> Status {
    super::array_copy::cuMemcpyAtoD_v2(to, array, offset, bytes)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpyAtoH_v2_ptds(to: Host, array: usize, offset: usize, bytes: usize) -> Status {
    super::array_copy::cuMemcpyAtoH_v2(to, array, offset, bytes)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpyAtoHAsync_v2_ptsz(to: Host, array: usize, offset: usize, bytes: usize, stream: usize) -> Status {
    super::array_copy::cuMemcpyAtoHAsync_v2(to, array, offset, bytes, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpyDtoA_v2_ptds(array: usize, offset: usize, from: u64, bytes: usize) -> Status {
    super::array_copy::cuMemcpyDtoA_v2(array, offset, from, bytes)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpyDtoD_v2_ptds(to: u64, from: u64, bytes: usize) -> Status {
    super::copy::cuMemcpyDtoD_v2(to, from, bytes)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpyDtoDAsync_v2_ptsz(to: u64, from: u64, bytes: usize, stream: usize) -> Status {
    super::copy::cuMemcpyDtoDAsync_v2(to, from, bytes, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpyDtoH_v2_ptds(to: Host, from: u64, bytes: usize) -> Status {
    super::copy::cuMemcpyDtoH_v2(to, from, bytes)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpyDtoHAsync_v2_ptsz(to: Host, from: u64, bytes: usize, stream: usize) -> Status {
    super::copy::cuMemcpyDtoHAsync_v2(to, from, bytes, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpyHtoA_v2_ptds(array: usize, offset: usize, from: Host, bytes: usize) -> Status {
    super::array_copy::cuMemcpyHtoA_v2(array, offset, from, bytes)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpyHtoAAsync_v2_ptsz(array: usize, offset: usize, from: Host, bytes: usize, stream: usize) -> Status {
    super::array_copy::cuMemcpyHtoAAsync_v2(array, offset, from, bytes, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpyHtoD_v2_ptds(to: u64, from: Host, bytes: usize) -> Status {
    super::copy::cuMemcpyHtoD_v2(to, from, bytes)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpyHtoDAsync_v2_ptsz(to: u64, from: Host, bytes: usize, stream: usize) -> Status {
    super::copy::cuMemcpyHtoDAsync_v2(to, from, bytes, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpyPeer_ptds(to: u64, to_context: usize, from: u64, from_context: usize, bytes: usize) -> Status {
    super::copy::cuMemcpyPeer(to, to_context, from, from_context, bytes)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemcpyPeerAsync_ptsz(to: u64, to_context: usize, from: u64, from_context: usize, bytes: usize, stream: usize) -> Status {
    super::copy::cuMemcpyPeerAsync(to, to_context, from, from_context, bytes, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemsetD16_v2_ptds(address: u64, value: u16, count: usize) -> Status {
    super::memset::cuMemsetD16_v2(address, value, count)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemsetD16Async_ptsz(address: u64, value: u16, count: usize, stream: usize) -> Status {
    super::memset::cuMemsetD16Async(address, value, count, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemsetD2D16_v2_ptds(address: u64, pitch: usize, value: u16, width: usize, height: usize) -> Status {
    super::memset::cuMemsetD2D16_v2(address, pitch, value, width, height)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemsetD2D16Async_ptsz(address: u64, pitch: usize, value: u16, width: usize, height: usize, stream: usize) -> Status {
    super::memset::cuMemsetD2D16Async(address, pitch, value, width, height, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemsetD2D32_v2_ptds(address: u64, pitch: usize, value: u32, width: usize, height: usize) -> Status {
    super::memset::cuMemsetD2D32_v2(address, pitch, value, width, height)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemsetD2D32Async_ptsz(address: u64, pitch: usize, value: u32, width: usize, height: usize, stream: usize) -> Status {
    super::memset::cuMemsetD2D32Async(address, pitch, value, width, height, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemsetD2D8_v2_ptds(address: u64, pitch: usize, value: u8, width: usize, height: usize) -> Status {
    super::memset::cuMemsetD2D8_v2(address, pitch, value, width, height)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemsetD2D8Async_ptsz(address: u64, pitch: usize, value: u8, width: usize, height: usize, stream: usize) -> Status {
    super::memset::cuMemsetD2D8Async(address, pitch, value, width, height, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemsetD32_v2_ptds(address: u64, value: u32, count: usize) -> Status {
    super::memset::cuMemsetD32_v2(address, value, count)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemsetD32Async_ptsz(address: u64, value: u32, count: usize, stream: usize) -> Status {
    super::memset::cuMemsetD32Async(address, value, count, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemsetD8_v2_ptds(address: u64, value: u8, count: usize) -> Status {
    super::memset::cuMemsetD8_v2(address, value, count)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemsetD8Async_ptsz(address: u64, value: u8, count: usize, stream: usize) -> Status {
    super::memset::cuMemsetD8Async(address, value, count, stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamAddCallback_ptsz(stream: usize, callback: Option<Callback>, data: usize, flags: u32) -> Status {
    super::stream::cuStreamAddCallback(stream, callback, data, flags)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamAttachMemAsync_ptsz(stream: usize, address: u64, bytes: usize, flags: u32) -> Status {
    super::stream::cuStreamAttachMemAsync(stream, address, bytes, flags)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamBeginCapture_ptsz(stream: usize) -> Status {
    super::capture::cuStreamBeginCapture(stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamBeginCapture_v2_ptsz(stream: usize, mode: u32) -> Status {
    super::capture::cuStreamBeginCapture_v2(stream, mode)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamBeginCaptureToGraph_ptsz(stream: usize, graph: usize, after: In<usize>, data: In<EdgeData>, count: usize, mode: u32) -> Status {
    super::capture::cuStreamBeginCaptureToGraph(stream, graph, after, data, count, mode)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamEndCapture_ptsz(stream: usize, graph: Out<usize>) -> Status {
    super::capture::cuStreamEndCapture(stream, graph)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamGetCaptureInfo_ptsz(stream: usize, status: Out<u32>, id: Out<u64>) -> Status {
    super::capture::cuStreamGetCaptureInfo(stream, status, id)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamGetCaptureInfo_v2_ptsz(stream: usize, status: Out<u32>, id: Out<u64>, graph: Out<usize>, nodes: Out<*const usize>, count: Out<usize>) -> Status {
    super::capture::cuStreamGetCaptureInfo_v2(stream, status, id, graph, nodes, count)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamGetCaptureInfo_v3_ptsz(stream: usize, status: Out<u32>, id: Out<u64>, graph: Out<usize>, nodes: Out<*const usize>, data: Out<*const EdgeData>, count: Out<usize>) -> Status {
    super::capture::cuStreamGetCaptureInfo_v3(stream, status, id, graph, nodes, data, count)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamGetCtx_ptsz(stream: usize, context: Out<usize>) -> Status {
    super::stream::cuStreamGetCtx(stream, context)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamGetCtx_v2_ptsz(stream: usize, context: Out<usize>, green: Out<usize>) -> Status {
    super::stream::cuStreamGetCtx_v2(stream, context, green)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamGetDevice_ptsz(stream: usize, device: Out<i32>) -> Status {
    super::stream::cuStreamGetDevice(stream, device)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamGetFlags_ptsz(stream: usize, flags: Out<u32>) -> Status {
    super::stream::cuStreamGetFlags(stream, flags)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamGetId_ptsz(stream: usize, id: Out<u64>) -> Status {
    super::stream::cuStreamGetId(stream, id)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamGetPriority_ptsz(stream: usize, priority: Out<i32>) -> Status {
    super::stream::cuStreamGetPriority(stream, priority)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamIsCapturing_ptsz(stream: usize, status: Out<u32>) -> Status {
    super::capture::cuStreamIsCapturing(stream, status)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamQuery_ptsz(stream: usize) -> Status {
    super::stream::cuStreamQuery(stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamSynchronize_ptsz(stream: usize) -> Status {
    super::stream::cuStreamSynchronize(stream)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamUpdateCaptureDependencies_ptsz(stream: usize, nodes: In<usize>, count: usize, flags: u32) -> Status {
    super::capture::cuStreamUpdateCaptureDependencies(stream, nodes, count, flags)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamUpdateCaptureDependencies_v2_ptsz(stream: usize, nodes: In<usize>, data: In<EdgeData>, count: usize, flags: u32) -> Status {
    super::capture::cuStreamUpdateCaptureDependencies_v2(stream, nodes, data, count, flags)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamWaitEvent_ptsz(stream: usize, event: usize, flags: u32) -> Status {
    super::stream::cuStreamWaitEvent(stream, event, flags)
}
