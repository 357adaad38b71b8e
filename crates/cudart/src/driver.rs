//! The driver's functions, found by their names in `libcuda.so.1` when the first one is needed.

#![allow(unsafe_code, non_snake_case, clippy::too_many_arguments)]

use crate::door::array::Array3d;
use crate::door::copy::{Copy2d, Copy3d};
use crate::door::interprocess::Handle;
use crate::door::launch::DriverConfig;
use crate::door::node::DriverKernel;
use crate::door::pass::{Place, Pointer, Text};
use crate::door::texture::{DriverResource, DriverView, Sampling};
use crate::errors::{Answer, Code};
use std::ffi::{CStr, c_void};

/// The name by which every program finds the driver.
const NAME: &CStr = c"libcuda.so.1";

/// The driver's library, and its functions as methods. A handle is a number here.
macro_rules! functions {
    ($($(#[$condition:meta])? $name:ident($($argument:ident: $kind:ty),*);)*) => {
        pub struct Driver {
            $($(#[$condition])? $name: unsafe extern "C" fn($($kind),*) -> u32,)*
        }

        impl Driver {
            fn of(library: *mut c_void) -> Result<Driver, String> {
                Ok(Driver { $($(#[$condition])? $name: {
                    let address = symbol(library, stringify!($name))?;
                    // SAFETY: the driver's function of this name takes these arguments, as `cuda.h` declares it.
                    unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn($($kind),*) -> u32>(address) }
                },)* })
            }

            $($(#[$condition])? pub fn $name(&self, $($argument: $kind),*) -> Answer {
                // SAFETY: pointers are C's own, with C's promise, or references to what lives during the call.
                answer(unsafe { (self.$name)($($argument),*) })
            })*
        }
    };
}

functions! {
    cuInit(flags: u32);
    cuDriverGetVersion(version: Place<i32>);
    cuGetProcAddress_v2(name: Text, function: Place<usize>, version: i32, flags: u64, found: &mut u32);
    cuProfilerStart();
    cuProfilerStop();

    cuDeviceGetCount(count: &mut i32);
    cuDeviceGetAttribute(value: &mut i32, attribute: u32, device: i32);
    cuDeviceGetName(name: &mut [u8; 256], bytes: i32, device: i32);
    cuDeviceGetUuid_v2(uuid: &mut [u8; 16], device: i32);
    cuDeviceTotalMem_v2(bytes: &mut usize, device: i32);
    cuDeviceCanAccessPeer(can: Place<i32>, device: i32, peer: i32);
    cuDeviceGetPCIBusId(name: Pointer, bytes: i32, device: i32);
    cuDeviceGetByPCIBusId(device: Place<i32>, name: Text);
    cuDeviceGetDefaultMemPool(pool: Place<usize>, device: i32);
    cuDeviceGetMemPool(pool: Place<usize>, device: i32);
    cuDeviceSetMemPool(device: i32, pool: usize);
    cuDevicePrimaryCtxRetain(context: &mut usize, device: i32);
    cuDevicePrimaryCtxReset_v2(device: i32);
    cuDevicePrimaryCtxSetFlags_v2(device: i32, flags: u32);
    cuDevicePrimaryCtxGetState(device: i32, flags: &mut u32, active: &mut i32);

    cuCtxGetCurrent(context: &mut usize);
    cuCtxSetCurrent(context: usize);
    cuCtxGetDevice(device: &mut i32);
    cuCtxGetId(context: usize, id: &mut u64);
    cuCtxSynchronize();
    cuCtxGetLimit(value: Place<usize>, limit: u32);
    cuCtxSetLimit(limit: u32, value: usize);
    cuCtxGetCacheConfig(config: Place<u32>);
    cuCtxSetCacheConfig(config: u32);
    cuCtxGetSharedMemConfig(config: Place<u32>);
    cuCtxSetSharedMemConfig(config: u32);
    cuCtxGetStreamPriorityRange(least: Place<i32>, greatest: Place<i32>);
    cuCtxResetPersistingL2Cache();

    cuModuleLoadData(module: &mut usize, image: Pointer);
    cuModuleUnload(module: usize);
    cuModuleGetFunction(function: &mut usize, module: usize, name: Text);
    cuModuleGetGlobal_v2(address: &mut u64, bytes: &mut usize, module: usize, name: Text);
    cuLinkCreate_v2(count: u32, options: Pointer, values: Pointer, link: &mut usize);
    cuLinkAddData_v2(link: usize, kind: u32, data: Pointer, bytes: usize, name: Text, count: u32, options: Pointer, values: Pointer);
    cuLinkComplete(link: usize, image: &mut Pointer, bytes: &mut usize);
    cuLinkDestroy(link: usize);
    cuLibraryLoadData(
        library: Place<usize>, code: Pointer, options: Pointer, values: Pointer, count: u32,
        library_options: Pointer, library_values: Pointer, library_count: u32
    );
    cuLibraryLoadFromFile(
        library: Place<usize>, path: Text, options: Pointer, values: Pointer, count: u32,
        library_options: Pointer, library_values: Pointer, library_count: u32
    );
    cuLibraryUnload(library: usize);
    cuLibraryGetKernel(kernel: Place<usize>, library: usize, name: Text);
    cuLibraryGetGlobal(address: Place<u64>, bytes: Place<usize>, library: usize, name: Text);
    cuLibraryGetKernelCount(count: Place<u32>, library: usize);
    cuLibraryEnumerateKernels(kernels: Place<usize>, count: u32, library: usize);
    cuKernelSetAttribute(attribute: u32, value: i32, kernel: usize, device: i32);

    cuFuncGetAttribute(value: &mut i32, attribute: u32, function: usize);
    cuFuncSetAttribute(function: usize, attribute: u32, value: i32);
    cuFuncSetCacheConfig(function: usize, config: u32);
    cuFuncSetSharedMemConfig(function: usize, config: u32);
    cuFuncGetName(name: Place<usize>, function: usize);
    cuFuncGetParamInfo(function: usize, index: usize, offset: Place<usize>, bytes: Place<usize>);
    #[cfg(major = "13")]
    cuFuncGetParamCount(function: usize, count: Place<usize>);
    cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks: Place<i32>, function: usize, threads: i32, shared_bytes: usize, flags: u32
    );
    cuOccupancyAvailableDynamicSMemPerBlock(bytes: Place<usize>, function: usize, blocks: i32, threads: i32);
    cuOccupancyMaxPotentialClusterSize(size: Place<i32>, function: usize, config: &DriverConfig);
    cuOccupancyMaxActiveClusters(count: Place<i32>, function: usize, config: &DriverConfig);
    cuLaunchKernel(
        function: usize, grid_x: u32, grid_y: u32, grid_z: u32, block_x: u32, block_y: u32, block_z: u32,
        shared_bytes: u32, stream: usize, values: Pointer, extra: Pointer
    );
    cuLaunchCooperativeKernel(
        function: usize, grid_x: u32, grid_y: u32, grid_z: u32, block_x: u32, block_y: u32, block_z: u32,
        shared_bytes: u32, stream: usize, values: Pointer
    );
    cuLaunchKernelEx(config: &DriverConfig, function: usize, values: Pointer, extra: Pointer);
    cuLaunchHostFunc(stream: usize, function: Pointer, data: Pointer);

    cuMemAlloc_v2(address: Place<u64>, bytes: usize);
    cuMemAllocPitch_v2(address: &mut u64, pitch: &mut usize, width: usize, height: usize, element: u32);
    cuMemAllocManaged(address: Place<u64>, bytes: usize, flags: u32);
    cuMemFree_v2(address: u64);
    cuMemHostAlloc(address: Place<u64>, bytes: usize, flags: u32);
    cuMemFreeHost(address: Pointer);
    cuMemHostRegister_v2(start: Pointer, bytes: usize, flags: u32);
    cuMemHostUnregister(start: Pointer);
    cuMemHostGetDevicePointer_v2(address: Place<u64>, host: Pointer, flags: u32);
    cuMemHostGetFlags(flags: Place<u32>, host: Pointer);
    cuMemGetInfo_v2(free: Place<usize>, total: Place<usize>);
    #[cfg(major = "12")]
    cuMemAdvise(address: u64, bytes: usize, advice: u32, device: i32);
    cuMemAdvise_v2(address: u64, bytes: usize, advice: u32, location: u64);
    #[cfg(major = "12")]
    cuMemPrefetchAsync(address: u64, bytes: usize, device: i32, stream: usize);
    cuMemPrefetchAsync_v2(address: u64, bytes: usize, location: u64, flags: u32, stream: usize);
    cuMemAllocAsync(address: Place<u64>, bytes: usize, stream: usize);
    cuMemAllocFromPoolAsync(address: Place<u64>, bytes: usize, pool: usize, stream: usize);
    cuMemFreeAsync(address: u64, stream: usize);
    cuMemPoolCreate(pool: Place<usize>, properties: Pointer);
    cuMemPoolDestroy(pool: usize);
    cuMemPoolTrimTo(pool: usize, bytes: usize);
    cuMemPoolGetAttribute(pool: usize, attribute: u32, value: Pointer);
    cuMemPoolSetAttribute(pool: usize, attribute: u32, value: Pointer);
    cuMemPoolGetAccess(flags: Place<u32>, pool: usize, location: Pointer);
    cuMemPoolSetAccess(pool: usize, list: Pointer, count: usize);
    cuArray3DCreate_v2(array: Place<usize>, wanted: &Array3d);
    cuArray3DGetDescriptor_v2(told: &mut Array3d, array: usize);
    cuArrayDestroy(array: usize);
    cuArrayGetMemoryRequirements(to: Pointer, array: usize, device: i32);
    cuMipmappedArrayCreate(array: Place<usize>, wanted: &Array3d, levels: u32);
    cuMipmappedArrayGetLevel(array: &mut usize, mipmapped: usize, level: u32);
    cuMipmappedArrayDestroy(array: usize);
    cuMipmappedArrayGetMemoryRequirements(to: Pointer, array: usize, device: i32);
    cuDeviceGetTexture1DLinearMaxWidth(width: Place<usize>, format: u32, channels: u32, device: i32);
    cuTexObjectCreate(texture: Place<u64>, resource: &DriverResource, sampling: &Sampling, view: Option<&DriverView>);
    cuTexObjectDestroy(texture: u64);
    cuTexObjectGetResourceDesc(told: &mut DriverResource, texture: u64);
    cuTexObjectGetTextureDesc(told: &mut Sampling, texture: u64);
    cuTexObjectGetResourceViewDesc(told: &mut DriverView, texture: u64);
    cuSurfObjectCreate(surface: Place<u64>, resource: &DriverResource);
    cuSurfObjectDestroy(surface: u64);
    cuSurfObjectGetResourceDesc(told: &mut DriverResource, surface: u64);
    cuPointerGetAttribute(value: &mut u64, attribute: u32, address: u64);

    cuMemcpyAsync(to: Pointer, from: Pointer, bytes: usize, stream: usize);
    cuMemcpyHtoDAsync_v2(to: Pointer, from: Pointer, bytes: usize, stream: usize);
    cuMemcpyDtoHAsync_v2(to: Pointer, from: Pointer, bytes: usize, stream: usize);
    cuMemcpyDtoDAsync_v2(to: Pointer, from: Pointer, bytes: usize, stream: usize);
    cuMemcpy2DAsync_v2(what: &Copy2d, stream: usize);
    cuMemcpy3DAsync_v2(what: &Copy3d, stream: usize);
    cuMemcpyHtoAAsync_v2(array: usize, offset: usize, from: Pointer, bytes: usize, stream: usize);
    cuMemcpyAtoHAsync_v2(to: Pointer, array: usize, offset: usize, bytes: usize, stream: usize);
    cuMemcpyAtoA_v2(to: usize, to_offset: usize, from: usize, from_offset: usize, bytes: usize);
    cuMemsetD8Async(address: u64, value: u8, count: usize, stream: usize);
    cuMemsetD2D8Async(address: u64, pitch: usize, value: u8, width: usize, height: usize, stream: usize);

    cuStreamCreateWithPriority(stream: Place<usize>, flags: u32, priority: i32);
    cuStreamDestroy_v2(stream: usize);
    cuStreamSynchronize(stream: usize);
    cuStreamQuery(stream: usize);
    cuStreamWaitEvent(stream: usize, event: usize, flags: u32);
    cuStreamAddCallback(stream: usize, function: Pointer, data: Pointer, flags: u32);
    cuStreamAttachMemAsync(stream: usize, address: u64, bytes: usize, flags: u32);
    cuStreamGetPriority(stream: usize, priority: Place<i32>);
    cuStreamGetFlags(stream: usize, flags: Place<u32>);
    cuStreamGetId(stream: usize, id: Place<u64>);
    cuStreamGetDevice(stream: usize, device: Place<i32>);
    cuStreamIsCapturing(stream: usize, status: Place<u32>);
    #[cfg(major = "12")]
    cuStreamGetCaptureInfo_v2(
        stream: usize, status: Place<u32>, id: Place<u64>, graph: Place<usize>, nodes: Place<usize>, count: Place<usize>
    );
    cuStreamGetCaptureInfo_v3(
        stream: usize, status: Place<u32>, id: Place<u64>, graph: Place<usize>, nodes: Place<usize>, edges: Place<usize>,
        count: Place<usize>
    );
    cuEventCreate(event: Place<usize>, flags: u32);
    cuEventDestroy_v2(event: usize);
    cuEventRecordWithFlags(event: usize, stream: usize, flags: u32);
    cuEventQuery(event: usize);
    cuEventSynchronize(event: usize);
    cuEventElapsedTime(milliseconds: Place<f32>, start: usize, end: usize);

    cuIpcGetMemHandle(handle: Place<Handle>, address: u64);
    cuIpcOpenMemHandle_v2(address: Place<u64>, handle: Handle, flags: u32);
    cuIpcCloseMemHandle(address: u64);
    cuIpcGetEventHandle(handle: Place<Handle>, event: usize);
    cuIpcOpenEventHandle(event: Place<usize>, handle: Handle);

    cuGraphCreate(graph: Place<usize>, flags: u32);
    cuGraphDestroy(graph: usize);
    cuGraphClone(copy: Place<usize>, graph: usize);
    cuGraphNodeFindInClone(node: Place<usize>, original: usize, copy: usize);
    cuGraphDestroyNode(node: usize);
    cuGraphNodeGetType(node: usize, kind: Place<u32>);
    cuGraphGetNodes(graph: usize, nodes: Place<usize>, count: Place<usize>);
    cuGraphGetRootNodes(graph: usize, nodes: Place<usize>, count: Place<usize>);
    cuGraphDebugDotPrint(graph: usize, path: Text, flags: u32);
    cuGraphInstantiateWithFlags(executable: Place<usize>, graph: usize, flags: u64);
    cuGraphInstantiateWithParams(executable: Place<usize>, graph: usize, parameters: Pointer);
    cuGraphExecDestroy(executable: usize);
    cuGraphExecGetFlags(executable: usize, flags: Place<u64>);
    cuGraphExecUpdate_v2(executable: usize, graph: usize, info: Pointer);
    cuGraphUpload(executable: usize, stream: usize);
    cuGraphLaunch(executable: usize, stream: usize);
    cuGraphNodeSetEnabled(executable: usize, node: usize, is_enabled: u32);
    cuGraphNodeGetEnabled(executable: usize, node: usize, is_enabled: Place<u32>);
    cuDeviceGetGraphMemAttribute(device: i32, attribute: u32, value: Pointer);
    cuDeviceSetGraphMemAttribute(device: i32, attribute: u32, value: Pointer);
    cuDeviceGraphMemTrim(device: i32);
    cuUserObjectCreate(object: Place<usize>, data: Pointer, destroy: Pointer, count: u32, flags: u32);
    cuUserObjectRetain(object: usize, count: u32);
    cuUserObjectRelease(object: usize, count: u32);
    cuGraphRetainUserObject(graph: usize, object: usize, count: u32, flags: u32);
    cuGraphReleaseUserObject(graph: usize, object: usize, count: u32);
    cuStreamBeginCapture_v2(stream: usize, mode: u32);
    cuStreamBeginCaptureToGraph(
        stream: usize, graph: usize, after: Pointer, edges: Pointer, count: usize, mode: u32
    );
    cuStreamEndCapture(stream: usize, graph: Place<usize>);
    cuThreadExchangeStreamCaptureMode(mode: Place<u32>);
    cuGraphGetEdges_v2(
        graph: usize, from: Place<usize>, to: Place<usize>, edges: Pointer, count: Place<usize>
    );
    cuGraphNodeGetDependencies_v2(node: usize, nodes: Place<usize>, edges: Pointer, count: Place<usize>);
    cuGraphNodeGetDependentNodes_v2(node: usize, nodes: Place<usize>, edges: Pointer, count: Place<usize>);
    cuGraphAddDependencies_v2(graph: usize, from: Pointer, to: Pointer, edges: Pointer, count: usize);
    cuGraphRemoveDependencies_v2(graph: usize, from: Pointer, to: Pointer, edges: Pointer, count: usize);
    cuStreamUpdateCaptureDependencies_v2(
        stream: usize, nodes: Pointer, edges: Pointer, count: usize, flags: u32
    );
    #[cfg(major = "13")]
    cuLogsRegisterCallback(function: Pointer, data: Pointer, handle: Place<usize>);
    #[cfg(major = "13")]
    cuLogsUnregisterCallback(handle: usize);
    #[cfg(major = "13")]
    cuLogsCurrent(iterator: Place<u32>, flags: u32);
    #[cfg(major = "13")]
    cuLogsDumpToFile(iterator: Place<u32>, path: Text, flags: u32);
    #[cfg(major = "13")]
    cuLogsDumpToMemory(iterator: Place<u32>, buffer: Pointer, size: Place<usize>, flags: u32);
    #[cfg(major = "13")]
    cuGraphNodeGetContainingGraph(node: usize, graph: Place<usize>);
    #[cfg(major = "13")]
    cuGraphNodeGetLocalId(node: usize, id: Place<u32>);
    #[cfg(major = "13")]
    cuGraphNodeGetToolsId(node: usize, id: Place<u64>);
    #[cfg(major = "13")]
    cuGraphGetId(graph: usize, id: Place<u32>);
    #[cfg(major = "13")]
    cuGraphExecGetId(executable: usize, id: Place<u32>);
    cuGraphKernelNodeSetAttribute(node: usize, attribute: u32, value: Pointer);
    cuGraphKernelNodeGetAttribute(node: usize, attribute: u32, value: Pointer);
    cuGraphKernelNodeCopyAttributes(to: usize, from: usize);
    cuGraphMemsetNodeGetParams(node: usize, parameters: Pointer);
    cuGraphMemsetNodeSetParams(node: usize, parameters: Pointer);
    cuGraphAddHostNode(node: Place<usize>, graph: usize, after: Pointer, count: usize, parameters: Pointer);
    cuGraphHostNodeGetParams(node: usize, parameters: Pointer);
    cuGraphHostNodeSetParams(node: usize, parameters: Pointer);
    cuGraphExecHostNodeSetParams(executable: usize, node: usize, parameters: Pointer);
    cuGraphAddChildGraphNode(node: Place<usize>, graph: usize, after: Pointer, count: usize, child: usize);
    cuGraphChildGraphNodeGetGraph(node: usize, graph: Place<usize>);
    cuGraphExecChildGraphNodeSetParams(executable: usize, node: usize, child: usize);
    cuGraphAddEmptyNode(node: Place<usize>, graph: usize, after: Pointer, count: usize);
    cuGraphAddEventRecordNode(node: Place<usize>, graph: usize, after: Pointer, count: usize, event: usize);
    cuGraphEventRecordNodeGetEvent(node: usize, event: Place<usize>);
    cuGraphEventRecordNodeSetEvent(node: usize, event: usize);
    cuGraphExecEventRecordNodeSetEvent(executable: usize, node: usize, event: usize);
    cuGraphAddEventWaitNode(node: Place<usize>, graph: usize, after: Pointer, count: usize, event: usize);
    cuGraphEventWaitNodeGetEvent(node: usize, event: Place<usize>);
    cuGraphEventWaitNodeSetEvent(node: usize, event: usize);
    cuGraphExecEventWaitNodeSetEvent(executable: usize, node: usize, event: usize);
    cuGraphAddMemAllocNode(
        node: Place<usize>, graph: usize, after: Pointer, count: usize, parameters: Pointer
    );
    cuGraphMemAllocNodeGetParams(node: usize, parameters: Pointer);
    cuGraphAddMemFreeNode(node: Place<usize>, graph: usize, after: Pointer, count: usize, address: u64);
    cuGraphMemFreeNodeGetParams(node: usize, address: Pointer);
    cuGraphAddKernelNode_v2(
        node: Place<usize>, graph: usize, after: Pointer, count: usize, kernel: &DriverKernel
    );
    cuGraphKernelNodeSetParams_v2(node: usize, kernel: &DriverKernel);
    cuGraphKernelNodeGetParams_v2(node: usize, kernel: &mut DriverKernel);
    cuGraphExecKernelNodeSetParams_v2(executable: usize, node: usize, kernel: &DriverKernel);
    cuGraphAddMemcpyNode(
        node: Place<usize>, graph: usize, after: Pointer, count: usize, copy: &Copy3d, context: usize
    );
    cuGraphMemcpyNodeSetParams(node: usize, copy: &Copy3d);
    cuGraphMemcpyNodeGetParams(node: usize, copy: &mut Copy3d);
    cuGraphExecMemcpyNodeSetParams(executable: usize, node: usize, copy: &Copy3d, context: usize);
    cuGraphAddMemsetNode(
        node: Place<usize>, graph: usize, after: Pointer, count: usize, parameters: Pointer, context: usize
    );
    cuGraphExecMemsetNodeSetParams(executable: usize, node: usize, parameters: Pointer, context: usize);
    cuGraphAddNode_v2(
        node: Place<usize>, graph: usize, after: Pointer, edges: Pointer, count: usize, parameters: Pointer
    );
    cuGraphNodeSetParams(node: usize, parameters: Pointer);
    cuGraphExecNodeSetParams(executable: usize, node: usize, parameters: Pointer);
}

fn answer(code: u32) -> Answer {
    if code == Code::SUCCESS.0 { Ok(()) } else { Err(Code(code)) }
}

/// Finds the driver. It stays for as long as the process does.
pub fn find() -> Result<Driver, String> {
    // SAFETY: the name ends with a zero byte; what loading runs is the driver's own.
    let library = unsafe { libc::dlopen(NAME.as_ptr(), libc::RTLD_NOW) };
    if library.is_null() { Err(why()) } else { Driver::of(library) }
}

fn symbol(library: *mut c_void, name: &str) -> Result<*mut c_void, String> {
    let text = std::ffi::CString::new(name).map_err(|_| why())?;
    // SAFETY: the library is loaded, and the name ends with a zero byte.
    let address = unsafe { libc::dlsym(library, text.as_ptr()) };
    if address.is_null() { Err(format!("it has no `{name}`")) } else { Ok(address) }
}

/// What the loader said last.
fn why() -> String {
    // SAFETY: what it gives is null or a text, which stays until the thread loads something else.
    let said = unsafe { libc::dlerror() };
    if said.is_null() {
        return "no reason is known".into();
    }
    // SAFETY: as above.
    unsafe { CStr::from_ptr(said) }.to_string_lossy().into_owned()
}
