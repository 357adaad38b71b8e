//! Every function of `cuda.h`: its address, and those that are not here. Made from `names.tsv` by `tests/names.rs`: do not edit.

#![cfg_attr(rustfmt, rustfmt::skip)]

use super::copy::{Copy2d, Copy3d};
use super::launch::{Config, HostFunction};
use super::pass::{Address, Host, In, Out, Text};
use super::stream::Callback;
use super::{Status, not_supported};
use std::ffi::c_void;

/// A function by name.
pub struct Name {
    pub symbol: &'static str,
    /// The version of CUDA from which it stands behind its plain name.
    pub since: u32,
    pub address: *const c_void,
}

impl Name {
    /// The name without what tells versions apart; that of a function for streams of each thread's own is none's.
    pub fn plain(&self) -> &'static str {
        match self.symbol.rsplit_once("_v") {
            Some((plain, number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => plain,
            _ => self.symbol,
        }
    }
}

/// A function that is in scope, or at a path.
macro_rules! name {
    ($since:literal, $symbol:ident) => {
        Name { symbol: stringify!($symbol), since: $since, address: $symbol as *const c_void }
    };
    ($since:literal, super::$module:ident::$symbol:ident) => {
        Name { symbol: stringify!($symbol), since: $since, address: super::$module::$symbol as *const c_void }
    };
}

/// Functions that only say so.
macro_rules! not_here {
    ($($symbol:ident)*) => {
        $(#[unsafe(no_mangle)]
        pub extern "C" fn $symbol() -> Status {
            not_supported(stringify!($symbol))
        })*
    };
}

/// All of them.
pub const NAMES: &[Name] = &[
    name!(2000, cuArray3DCreate),
    name!(3020, cuArray3DCreate_v2),
    name!(2000, cuArray3DGetDescriptor),
    name!(3020, cuArray3DGetDescriptor_v2),
    name!(2000, cuArrayCreate),
    name!(3020, cuArrayCreate_v2),
    name!(2000, cuArrayDestroy),
    name!(2000, cuArrayGetDescriptor),
    name!(3020, cuArrayGetDescriptor_v2),
    name!(11060, cuArrayGetMemoryRequirements),
    name!(11020, cuArrayGetPlane),
    name!(11010, cuArrayGetSparseProperties),
    name!(13040, cuCheckpointOperationComplete),
    name!(12080, cuCheckpointProcessCheckpoint),
    name!(12080, cuCheckpointProcessGetRestoreThreadId),
    name!(12080, cuCheckpointProcessGetState),
    name!(12080, cuCheckpointProcessLock),
    name!(12080, cuCheckpointProcessRestore),
    name!(12080, cuCheckpointProcessUnlock),
    name!(13020, cuCoredumpDeregisterCompleteCallback),
    name!(13020, cuCoredumpDeregisterStartCallback),
    name!(12010, cuCoredumpGetAttribute),
    name!(12010, cuCoredumpGetAttributeGlobal),
    name!(13020, cuCoredumpRegisterCompleteCallback),
    name!(13020, cuCoredumpRegisterStartCallback),
    name!(12010, cuCoredumpSetAttribute),
    name!(12010, cuCoredumpSetAttributeGlobal),
    name!(2000, cuCtxAttach),
    name!(2000, cuCtxCreate),
    name!(3020, super::context::cuCtxCreate_v2),
    name!(11040, super::context::cuCtxCreate_v3),
    name!(12050, super::context::cuCtxCreate_v4),
    name!(2000, cuCtxDestroy),
    name!(4000, super::context::cuCtxDestroy_v2),
    name!(2000, super::context::cuCtxDetach),
    name!(4000, cuCtxDisablePeerAccess),
    name!(4000, cuCtxEnablePeerAccess),
    name!(12040, cuCtxFromGreenCtx),
    name!(3020, super::context::cuCtxGetApiVersion),
    name!(3020, super::context::cuCtxGetCacheConfig),
    name!(4000, super::context::cuCtxGetCurrent),
    name!(12040, cuCtxGetDevResource),
    name!(2000, super::context::cuCtxGetDevice),
    name!(13000, super::context::cuCtxGetDevice_v2),
    name!(11040, cuCtxGetExecAffinity),
    name!(7000, super::context::cuCtxGetFlags),
    name!(12000, super::context::cuCtxGetId),
    name!(3010, super::context::cuCtxGetLimit),
    name!(4020, super::context::cuCtxGetSharedMemConfig),
    name!(5050, super::context::cuCtxGetStreamPriorityRange),
    name!(2000, cuCtxPopCurrent),
    name!(4000, super::context::cuCtxPopCurrent_v2),
    name!(2000, cuCtxPushCurrent),
    name!(4000, super::context::cuCtxPushCurrent_v2),
    name!(12050, cuCtxRecordEvent),
    name!(11000, super::context::cuCtxResetPersistingL2Cache),
    name!(3020, super::context::cuCtxSetCacheConfig),
    name!(4000, super::context::cuCtxSetCurrent),
    name!(12010, super::context::cuCtxSetFlags),
    name!(3010, super::context::cuCtxSetLimit),
    name!(4020, super::context::cuCtxSetSharedMemConfig),
    name!(2000, super::context::cuCtxSynchronize),
    name!(13000, super::context::cuCtxSynchronize_v2),
    name!(12050, cuCtxWaitEvent),
    name!(10000, cuDestroyExternalMemory),
    name!(10000, cuDestroyExternalSemaphore),
    name!(12040, cuDevResourceGenerateDesc),
    name!(13010, cuDevSmResourceSplit),
    name!(12040, cuDevSmResourceSplitByCount),
    name!(4000, super::device::cuDeviceCanAccessPeer),
    name!(2000, super::device::cuDeviceComputeCapability),
    name!(2000, super::device::cuDeviceGet),
    name!(2000, super::device::cuDeviceGetAttribute),
    name!(4010, super::device::cuDeviceGetByPCIBusId),
    name!(13040, cuDeviceGetCliqueCount),
    name!(13040, cuDeviceGetCliqueInfo),
    name!(2000, super::device::cuDeviceGetCount),
    name!(11020, super::pool::cuDeviceGetDefaultMemPool),
    name!(12040, cuDeviceGetDevResource),
    name!(11040, cuDeviceGetExecAffinitySupport),
    name!(13040, cuDeviceGetFabricClusterUuid),
    name!(11040, cuDeviceGetGraphMemAttribute),
    name!(13000, cuDeviceGetHostAtomicCapabilities),
    name!(10000, cuDeviceGetLuid),
    name!(11020, super::pool::cuDeviceGetMemPool),
    name!(2000, super::device::cuDeviceGetName),
    name!(10020, cuDeviceGetNvSciSyncAttributes),
    name!(13000, cuDeviceGetP2PAtomicCapabilities),
    name!(8000, cuDeviceGetP2PAttribute),
    name!(4010, super::device::cuDeviceGetPCIBusId),
    name!(2000, cuDeviceGetProperties),
    name!(11010, cuDeviceGetTexture1DLinearMaxWidth),
    name!(9020, super::device::cuDeviceGetUuid),
    name!(11040, super::device::cuDeviceGetUuid_v2),
    name!(11040, cuDeviceGraphMemTrim),
    name!(7000, super::primary::cuDevicePrimaryCtxGetState),
    name!(7000, cuDevicePrimaryCtxRelease),
    name!(11000, super::primary::cuDevicePrimaryCtxRelease_v2),
    name!(7000, cuDevicePrimaryCtxReset),
    name!(11000, super::primary::cuDevicePrimaryCtxReset_v2),
    name!(7000, super::primary::cuDevicePrimaryCtxRetain),
    name!(7000, cuDevicePrimaryCtxSetFlags),
    name!(11000, super::primary::cuDevicePrimaryCtxSetFlags_v2),
    name!(12040, cuDeviceRegisterAsyncNotification),
    name!(11040, cuDeviceSetGraphMemAttribute),
    name!(11020, super::pool::cuDeviceSetMemPool),
    name!(2000, cuDeviceTotalMem),
    name!(3020, super::device::cuDeviceTotalMem_v2),
    name!(12040, cuDeviceUnregisterAsyncNotification),
    name!(2020, super::init::cuDriverGetVersion),
    name!(2000, super::event::cuEventCreate),
    name!(2000, cuEventDestroy),
    name!(4000, super::event::cuEventDestroy_v2),
    name!(2000, super::event::cuEventElapsedTime),
    name!(12080, super::event::cuEventElapsedTime_v2),
    name!(2000, super::event::cuEventQuery),
    name!(2000, super::event::cuEventRecord),
    name!(7000, cuEventRecord_ptsz),
    name!(11010, super::event::cuEventRecordWithFlags),
    name!(11010, cuEventRecordWithFlags_ptsz),
    name!(2000, super::event::cuEventSynchronize),
    name!(10000, cuExternalMemoryGetMappedBuffer),
    name!(10000, cuExternalMemoryGetMappedMipmappedArray),
    name!(13050, cuFabricCpyBatchAsync),
    name!(13050, cuFabricCpyBatchAsync_ptsz),
    name!(11030, cuFlushGPUDirectRDMAWrites),
    name!(2020, super::kernel::cuFuncGetAttribute),
    name!(11000, super::kernel::cuFuncGetModule),
    name!(12030, super::kernel::cuFuncGetName),
    name!(13020, super::kernel::cuFuncGetParamCount),
    name!(12040, super::kernel::cuFuncGetParamInfo),
    name!(12040, super::kernel::cuFuncIsLoaded),
    name!(12040, super::kernel::cuFuncLoad),
    name!(9000, super::kernel::cuFuncSetAttribute),
    name!(2000, super::kernel::cuFuncSetBlockShape),
    name!(3000, super::kernel::cuFuncSetCacheConfig),
    name!(4020, super::kernel::cuFuncSetSharedMemConfig),
    name!(2000, cuFuncSetSharedSize),
    name!(6000, super::init::cuGetErrorName),
    name!(6000, super::init::cuGetErrorString),
    name!(3000, super::init::cuGetExportTable),
    name!(11030, super::init::cuGetProcAddress),
    name!(12000, super::init::cuGetProcAddress_v2),
    name!(12000, cuGetProcAddress_v2_ptsz),
    name!(11070, cuGraphAddBatchMemOpNode),
    name!(10000, cuGraphAddChildGraphNode),
    name!(10000, cuGraphAddDependencies),
    name!(12030, cuGraphAddDependencies_v2),
    name!(10000, cuGraphAddEmptyNode),
    name!(11010, cuGraphAddEventRecordNode),
    name!(11010, cuGraphAddEventWaitNode),
    name!(11020, cuGraphAddExternalSemaphoresSignalNode),
    name!(11020, cuGraphAddExternalSemaphoresWaitNode),
    name!(10000, cuGraphAddHostNode),
    name!(10000, cuGraphAddKernelNode),
    name!(12000, cuGraphAddKernelNode_v2),
    name!(11040, cuGraphAddMemAllocNode),
    name!(11040, cuGraphAddMemFreeNode),
    name!(10000, cuGraphAddMemcpyNode),
    name!(10000, cuGraphAddMemsetNode),
    name!(12020, cuGraphAddNode),
    name!(12030, cuGraphAddNode_v2),
    name!(13040, cuGraphAddNode_v3),
    name!(11070, cuGraphBatchMemOpNodeGetParams),
    name!(11070, cuGraphBatchMemOpNodeSetParams),
    name!(10000, cuGraphChildGraphNodeGetGraph),
    name!(10000, cuGraphClone),
    name!(12030, cuGraphConditionalHandleCreate),
    name!(10000, cuGraphCreate),
    name!(11030, cuGraphDebugDotPrint),
    name!(10000, cuGraphDestroy),
    name!(10000, cuGraphDestroyNode),
    name!(11010, cuGraphEventRecordNodeGetEvent),
    name!(11010, cuGraphEventRecordNodeSetEvent),
    name!(11010, cuGraphEventWaitNodeGetEvent),
    name!(11010, cuGraphEventWaitNodeSetEvent),
    name!(11070, cuGraphExecBatchMemOpNodeSetParams),
    name!(11010, cuGraphExecChildGraphNodeSetParams),
    name!(10000, cuGraphExecDestroy),
    name!(11010, cuGraphExecEventRecordNodeSetEvent),
    name!(11010, cuGraphExecEventWaitNodeSetEvent),
    name!(11020, cuGraphExecExternalSemaphoresSignalNodeSetParams),
    name!(11020, cuGraphExecExternalSemaphoresWaitNodeSetParams),
    name!(12000, cuGraphExecGetFlags),
    name!(13010, cuGraphExecGetId),
    name!(10020, cuGraphExecHostNodeSetParams),
    name!(10010, cuGraphExecKernelNodeSetParams),
    name!(12000, cuGraphExecKernelNodeSetParams_v2),
    name!(10020, cuGraphExecMemcpyNodeSetParams),
    name!(10020, cuGraphExecMemsetNodeSetParams),
    name!(12020, cuGraphExecNodeSetParams),
    name!(10020, cuGraphExecUpdate),
    name!(12000, cuGraphExecUpdate_v2),
    name!(11020, cuGraphExternalSemaphoresSignalNodeGetParams),
    name!(11020, cuGraphExternalSemaphoresSignalNodeSetParams),
    name!(11020, cuGraphExternalSemaphoresWaitNodeGetParams),
    name!(11020, cuGraphExternalSemaphoresWaitNodeSetParams),
    name!(10000, cuGraphGetEdges),
    name!(12030, cuGraphGetEdges_v2),
    name!(13010, cuGraphGetId),
    name!(10000, cuGraphGetNodes),
    name!(10000, cuGraphGetRootNodes),
    name!(10000, cuGraphHostNodeGetParams),
    name!(10000, cuGraphHostNodeSetParams),
    name!(10000, cuGraphInstantiate),
    name!(11000, cuGraphInstantiate_v2),
    name!(11040, cuGraphInstantiateWithFlags),
    name!(12000, cuGraphInstantiateWithParams),
    name!(12000, cuGraphInstantiateWithParams_ptsz),
    name!(11000, cuGraphKernelNodeCopyAttributes),
    name!(11000, cuGraphKernelNodeGetAttribute),
    name!(10000, cuGraphKernelNodeGetParams),
    name!(12000, cuGraphKernelNodeGetParams_v2),
    name!(11000, cuGraphKernelNodeSetAttribute),
    name!(10000, cuGraphKernelNodeSetParams),
    name!(12000, cuGraphKernelNodeSetParams_v2),
    name!(10000, cuGraphLaunch),
    name!(10000, cuGraphLaunch_ptsz),
    name!(11040, cuGraphMemAllocNodeGetParams),
    name!(11040, cuGraphMemFreeNodeGetParams),
    name!(10000, cuGraphMemcpyNodeGetParams),
    name!(10000, cuGraphMemcpyNodeSetParams),
    name!(10000, cuGraphMemsetNodeGetParams),
    name!(10000, cuGraphMemsetNodeSetParams),
    name!(10000, cuGraphNodeFindInClone),
    name!(13010, cuGraphNodeGetContainingGraph),
    name!(10000, cuGraphNodeGetDependencies),
    name!(12030, cuGraphNodeGetDependencies_v2),
    name!(10000, cuGraphNodeGetDependentNodes),
    name!(12030, cuGraphNodeGetDependentNodes_v2),
    name!(11060, cuGraphNodeGetEnabled),
    name!(13010, cuGraphNodeGetLocalId),
    name!(13020, cuGraphNodeGetParams),
    name!(13010, cuGraphNodeGetToolsId),
    name!(10000, cuGraphNodeGetType),
    name!(11060, cuGraphNodeSetEnabled),
    name!(12020, cuGraphNodeSetParams),
    name!(13040, cuGraphNodeSetParams_v2),
    name!(11030, cuGraphReleaseUserObject),
    name!(10000, cuGraphRemoveDependencies),
    name!(12030, cuGraphRemoveDependencies_v2),
    name!(11030, cuGraphRetainUserObject),
    name!(11010, cuGraphUpload),
    name!(11010, cuGraphUpload_ptsz),
    name!(3000, cuGraphicsMapResources),
    name!(7000, cuGraphicsMapResources_ptsz),
    name!(5000, cuGraphicsResourceGetMappedMipmappedArray),
    name!(3000, cuGraphicsResourceGetMappedPointer),
    name!(3020, cuGraphicsResourceGetMappedPointer_v2),
    name!(3000, cuGraphicsResourceSetMapFlags),
    name!(6050, cuGraphicsResourceSetMapFlags_v2),
    name!(3000, cuGraphicsSubResourceGetMappedArray),
    name!(3000, cuGraphicsUnmapResources),
    name!(7000, cuGraphicsUnmapResources_ptsz),
    name!(3000, cuGraphicsUnregisterResource),
    name!(12040, cuGreenCtxCreate),
    name!(12040, cuGreenCtxDestroy),
    name!(12040, cuGreenCtxGetDevResource),
    name!(12090, cuGreenCtxGetId),
    name!(12040, cuGreenCtxRecordEvent),
    name!(12050, cuGreenCtxStreamCreate),
    name!(12040, cuGreenCtxWaitEvent),
    name!(10000, cuImportExternalMemory),
    name!(10000, cuImportExternalSemaphore),
    name!(2000, super::init::cuInit),
    name!(4010, cuIpcCloseMemHandle),
    name!(4010, cuIpcGetEventHandle),
    name!(4010, cuIpcGetMemHandle),
    name!(4010, cuIpcOpenEventHandle),
    name!(4010, cuIpcOpenMemHandle),
    name!(11000, cuIpcOpenMemHandle_v2),
    name!(12000, super::kernel::cuKernelGetAttribute),
    name!(12000, super::library::cuKernelGetFunction),
    name!(12050, super::library::cuKernelGetLibrary),
    name!(12030, super::kernel::cuKernelGetName),
    name!(13020, super::kernel::cuKernelGetParamCount),
    name!(12040, super::kernel::cuKernelGetParamInfo),
    name!(12000, super::kernel::cuKernelSetAttribute),
    name!(12000, super::kernel::cuKernelSetCacheConfig),
    name!(2000, cuLaunch),
    name!(9000, super::launch::cuLaunchCooperativeKernel),
    name!(9000, cuLaunchCooperativeKernel_ptsz),
    name!(9000, cuLaunchCooperativeKernelMultiDevice),
    name!(2000, super::launch::cuLaunchGrid),
    name!(2000, cuLaunchGridAsync),
    name!(10000, super::launch::cuLaunchHostFunc),
    name!(13010, super::launch::cuLaunchHostFunc_v2),
    name!(10000, cuLaunchHostFunc_ptsz),
    name!(13010, cuLaunchHostFunc_v2_ptsz),
    name!(4000, super::launch::cuLaunchKernel),
    name!(7000, cuLaunchKernel_ptsz),
    name!(11060, super::launch::cuLaunchKernelEx),
    name!(11060, cuLaunchKernelEx_ptsz),
    name!(12040, super::library::cuLibraryEnumerateKernels),
    name!(12000, super::library::cuLibraryGetGlobal),
    name!(12000, super::library::cuLibraryGetKernel),
    name!(12040, super::library::cuLibraryGetKernelCount),
    name!(12000, cuLibraryGetManaged),
    name!(12000, super::library::cuLibraryGetModule),
    name!(12000, cuLibraryGetUnifiedFunction),
    name!(12000, super::library::cuLibraryLoadData),
    name!(12000, super::library::cuLibraryLoadFromFile),
    name!(12000, super::library::cuLibraryUnload),
    name!(5050, cuLinkAddData),
    name!(6050, super::link::cuLinkAddData_v2),
    name!(5050, cuLinkAddFile),
    name!(6050, super::link::cuLinkAddFile_v2),
    name!(5050, super::link::cuLinkComplete),
    name!(5050, cuLinkCreate),
    name!(6050, super::link::cuLinkCreate_v2),
    name!(5050, super::link::cuLinkDestroy),
    name!(13030, cuLogicalEndpointAddDevice),
    name!(13030, cuLogicalEndpointBindAddr),
    name!(13030, cuLogicalEndpointBindMem),
    name!(13030, cuLogicalEndpointCreate),
    name!(13030, cuLogicalEndpointDestroy),
    name!(13030, cuLogicalEndpointExport),
    name!(13030, cuLogicalEndpointGetLimits),
    name!(13030, cuLogicalEndpointIdRelease),
    name!(13030, cuLogicalEndpointIdReserve),
    name!(13030, cuLogicalEndpointImport),
    name!(13030, cuLogicalEndpointQuery),
    name!(13030, cuLogicalEndpointUnbind),
    name!(12090, cuLogsCurrent),
    name!(12090, cuLogsDumpToFile),
    name!(12090, cuLogsDumpToMemory),
    name!(12090, cuLogsRegisterCallback),
    name!(12090, cuLogsUnregisterCallback),
    name!(10020, cuMemAddressFree),
    name!(10020, cuMemAddressReserve),
    name!(8000, super::memory::cuMemAdvise),
    name!(12020, super::memory::cuMemAdvise_v2),
    name!(2000, cuMemAlloc),
    name!(3020, super::memory::cuMemAlloc_v2),
    name!(11020, super::pool::cuMemAllocAsync),
    name!(11020, cuMemAllocAsync_ptsz),
    name!(11020, super::pool::cuMemAllocFromPoolAsync),
    name!(11020, cuMemAllocFromPoolAsync_ptsz),
    name!(2000, cuMemAllocHost),
    name!(3020, super::memory::cuMemAllocHost_v2),
    name!(6000, super::memory::cuMemAllocManaged),
    name!(2000, cuMemAllocPitch),
    name!(3020, super::memory::cuMemAllocPitch_v2),
    name!(12060, cuMemBatchDecompressAsync),
    name!(12060, cuMemBatchDecompressAsync_ptsz),
    name!(10020, cuMemCreate),
    name!(13000, cuMemDiscardAndPrefetchBatchAsync),
    name!(13000, cuMemDiscardAndPrefetchBatchAsync_ptsz),
    name!(13000, cuMemDiscardBatchAsync),
    name!(13000, cuMemDiscardBatchAsync_ptsz),
    name!(10020, cuMemExportToShareableHandle),
    name!(2000, cuMemFree),
    name!(3020, super::memory::cuMemFree_v2),
    name!(11020, super::pool::cuMemFreeAsync),
    name!(11020, cuMemFreeAsync_ptsz),
    name!(2000, super::memory::cuMemFreeHost),
    name!(10020, cuMemGetAccess),
    name!(2000, cuMemGetAddressRange),
    name!(3020, super::memory::cuMemGetAddressRange_v2),
    name!(10020, cuMemGetAllocationGranularity),
    name!(10020, cuMemGetAllocationPropertiesFromHandle),
    name!(13000, cuMemGetDefaultMemPool),
    name!(11070, cuMemGetHandleForAddressRange),
    name!(2000, cuMemGetInfo),
    name!(3020, super::memory::cuMemGetInfo_v2),
    name!(13040, cuMemGetLocationInfo),
    name!(13000, cuMemGetMemPool),
    name!(2020, super::memory::cuMemHostAlloc),
    name!(2020, cuMemHostGetDevicePointer),
    name!(3020, super::memory::cuMemHostGetDevicePointer_v2),
    name!(2030, super::memory::cuMemHostGetFlags),
    name!(4000, cuMemHostRegister),
    name!(6050, super::memory::cuMemHostRegister_v2),
    name!(4000, super::memory::cuMemHostUnregister),
    name!(10020, cuMemImportFromShareableHandle),
    name!(10020, cuMemMap),
    name!(11010, cuMemMapArrayAsync),
    name!(11010, cuMemMapArrayAsync_ptsz),
    name!(11020, super::pool::cuMemPoolCreate),
    name!(11020, super::pool::cuMemPoolDestroy),
    name!(11020, cuMemPoolExportPointer),
    name!(11020, cuMemPoolExportToShareableHandle),
    name!(11020, super::pool::cuMemPoolGetAccess),
    name!(11020, super::pool::cuMemPoolGetAttribute),
    name!(11020, cuMemPoolImportFromShareableHandle),
    name!(11020, cuMemPoolImportPointer),
    name!(11020, super::pool::cuMemPoolSetAccess),
    name!(11020, super::pool::cuMemPoolSetAttribute),
    name!(11020, super::pool::cuMemPoolTrimTo),
    name!(8000, super::memory::cuMemPrefetchAsync),
    name!(12020, super::memory::cuMemPrefetchAsync_v2),
    name!(8000, cuMemPrefetchAsync_ptsz),
    name!(12020, cuMemPrefetchAsync_v2_ptsz),
    name!(13000, cuMemPrefetchBatchAsync),
    name!(13000, cuMemPrefetchBatchAsync_ptsz),
    name!(8000, cuMemRangeGetAttribute),
    name!(8000, cuMemRangeGetAttributes),
    name!(10020, cuMemRelease),
    name!(11000, cuMemRetainAllocationHandle),
    name!(10020, cuMemSetAccess),
    name!(13000, cuMemSetMemPool),
    name!(10020, cuMemUnmap),
    name!(4000, super::copy::cuMemcpy),
    name!(7000, cuMemcpy_ptds),
    name!(2000, cuMemcpy2D),
    name!(3020, super::copy::cuMemcpy2D_v2),
    name!(7000, cuMemcpy2D_v2_ptds),
    name!(2000, cuMemcpy2DAsync),
    name!(3020, super::copy::cuMemcpy2DAsync_v2),
    name!(7000, cuMemcpy2DAsync_v2_ptsz),
    name!(2000, cuMemcpy2DUnaligned),
    name!(3020, super::copy::cuMemcpy2DUnaligned_v2),
    name!(7000, cuMemcpy2DUnaligned_v2_ptds),
    name!(2000, cuMemcpy3D),
    name!(3020, super::copy::cuMemcpy3D_v2),
    name!(7000, cuMemcpy3D_v2_ptds),
    name!(2000, cuMemcpy3DAsync),
    name!(3020, super::copy::cuMemcpy3DAsync_v2),
    name!(7000, cuMemcpy3DAsync_v2_ptsz),
    name!(12080, cuMemcpy3DBatchAsync),
    name!(13000, cuMemcpy3DBatchAsync_v2),
    name!(12080, cuMemcpy3DBatchAsync_ptsz),
    name!(13000, cuMemcpy3DBatchAsync_v2_ptsz),
    name!(4000, cuMemcpy3DPeer),
    name!(7000, cuMemcpy3DPeer_ptds),
    name!(4000, cuMemcpy3DPeerAsync),
    name!(7000, cuMemcpy3DPeerAsync_ptsz),
    name!(13020, cuMemcpy3DWithAttributesAsync),
    name!(13020, cuMemcpy3DWithAttributesAsync_ptsz),
    name!(4000, super::copy::cuMemcpyAsync),
    name!(7000, cuMemcpyAsync_ptsz),
    name!(2000, cuMemcpyAtoA),
    name!(3020, cuMemcpyAtoA_v2),
    name!(7000, cuMemcpyAtoA_v2_ptds),
    name!(2000, cuMemcpyAtoD),
    name!(3020, cuMemcpyAtoD_v2),
    name!(7000, cuMemcpyAtoD_v2_ptds),
    name!(2000, cuMemcpyAtoH),
    name!(3020, cuMemcpyAtoH_v2),
    name!(7000, cuMemcpyAtoH_v2_ptds),
    name!(2000, cuMemcpyAtoHAsync),
    name!(3020, cuMemcpyAtoHAsync_v2),
    name!(7000, cuMemcpyAtoHAsync_v2_ptsz),
    name!(12080, cuMemcpyBatchAsync),
    name!(13000, cuMemcpyBatchAsync_v2),
    name!(12080, cuMemcpyBatchAsync_ptsz),
    name!(13000, cuMemcpyBatchAsync_v2_ptsz),
    name!(2000, cuMemcpyDtoA),
    name!(3020, cuMemcpyDtoA_v2),
    name!(7000, cuMemcpyDtoA_v2_ptds),
    name!(2000, cuMemcpyDtoD),
    name!(3020, super::copy::cuMemcpyDtoD_v2),
    name!(7000, cuMemcpyDtoD_v2_ptds),
    name!(3000, cuMemcpyDtoDAsync),
    name!(3020, super::copy::cuMemcpyDtoDAsync_v2),
    name!(7000, cuMemcpyDtoDAsync_v2_ptsz),
    name!(2000, cuMemcpyDtoH),
    name!(3020, super::copy::cuMemcpyDtoH_v2),
    name!(7000, cuMemcpyDtoH_v2_ptds),
    name!(2000, cuMemcpyDtoHAsync),
    name!(3020, super::copy::cuMemcpyDtoHAsync_v2),
    name!(7000, cuMemcpyDtoHAsync_v2_ptsz),
    name!(2000, cuMemcpyHtoA),
    name!(3020, cuMemcpyHtoA_v2),
    name!(7000, cuMemcpyHtoA_v2_ptds),
    name!(2000, cuMemcpyHtoAAsync),
    name!(3020, cuMemcpyHtoAAsync_v2),
    name!(7000, cuMemcpyHtoAAsync_v2_ptsz),
    name!(2000, cuMemcpyHtoD),
    name!(3020, super::copy::cuMemcpyHtoD_v2),
    name!(7000, cuMemcpyHtoD_v2_ptds),
    name!(2000, cuMemcpyHtoDAsync),
    name!(3020, super::copy::cuMemcpyHtoDAsync_v2),
    name!(7000, cuMemcpyHtoDAsync_v2_ptsz),
    name!(4000, super::copy::cuMemcpyPeer),
    name!(7000, cuMemcpyPeer_ptds),
    name!(4000, super::copy::cuMemcpyPeerAsync),
    name!(7000, cuMemcpyPeerAsync_ptsz),
    name!(13020, cuMemcpyWithAttributesAsync),
    name!(13020, cuMemcpyWithAttributesAsync_ptsz),
    name!(2000, cuMemsetD16),
    name!(3020, super::memset::cuMemsetD16_v2),
    name!(7000, cuMemsetD16_v2_ptds),
    name!(3020, super::memset::cuMemsetD16Async),
    name!(7000, cuMemsetD16Async_ptsz),
    name!(2000, cuMemsetD2D16),
    name!(3020, super::memset::cuMemsetD2D16_v2),
    name!(7000, cuMemsetD2D16_v2_ptds),
    name!(3020, cuMemsetD2D16Async),
    name!(7000, cuMemsetD2D16Async_ptsz),
    name!(2000, cuMemsetD2D32),
    name!(3020, super::memset::cuMemsetD2D32_v2),
    name!(7000, cuMemsetD2D32_v2_ptds),
    name!(3020, cuMemsetD2D32Async),
    name!(7000, cuMemsetD2D32Async_ptsz),
    name!(2000, cuMemsetD2D8),
    name!(3020, super::memset::cuMemsetD2D8_v2),
    name!(7000, cuMemsetD2D8_v2_ptds),
    name!(3020, cuMemsetD2D8Async),
    name!(7000, cuMemsetD2D8Async_ptsz),
    name!(2000, cuMemsetD32),
    name!(3020, super::memset::cuMemsetD32_v2),
    name!(7000, cuMemsetD32_v2_ptds),
    name!(3020, super::memset::cuMemsetD32Async),
    name!(7000, cuMemsetD32Async_ptsz),
    name!(2000, cuMemsetD8),
    name!(3020, super::memset::cuMemsetD8_v2),
    name!(7000, cuMemsetD8_v2_ptds),
    name!(3020, super::memset::cuMemsetD8Async),
    name!(7000, cuMemsetD8Async_ptsz),
    name!(5000, cuMipmappedArrayCreate),
    name!(5000, cuMipmappedArrayDestroy),
    name!(5000, cuMipmappedArrayGetLevel),
    name!(11060, cuMipmappedArrayGetMemoryRequirements),
    name!(11010, cuMipmappedArrayGetSparseProperties),
    name!(12040, super::module::cuModuleEnumerateFunctions),
    name!(2000, super::module::cuModuleGetFunction),
    name!(12040, super::module::cuModuleGetFunctionCount),
    name!(2000, cuModuleGetGlobal),
    name!(3020, super::module::cuModuleGetGlobal_v2),
    name!(11070, super::module::cuModuleGetLoadingMode),
    name!(3000, cuModuleGetSurfRef),
    name!(2000, cuModuleGetTexRef),
    name!(2000, super::module::cuModuleLoad),
    name!(2000, super::module::cuModuleLoadData),
    name!(2010, super::module::cuModuleLoadDataEx),
    name!(2000, super::module::cuModuleLoadFatBinary),
    name!(2000, super::module::cuModuleUnload),
    name!(12010, cuMulticastAddDevice),
    name!(12010, cuMulticastBindAddr),
    name!(13010, cuMulticastBindAddr_v2),
    name!(12010, cuMulticastBindMem),
    name!(13010, cuMulticastBindMem_v2),
    name!(12010, cuMulticastCreate),
    name!(12010, cuMulticastGetGranularity),
    name!(12010, cuMulticastUnbind),
    name!(10020, super::occupancy::cuOccupancyAvailableDynamicSMemPerBlock),
    name!(6050, super::occupancy::cuOccupancyMaxActiveBlocksPerMultiprocessor),
    name!(7000, super::occupancy::cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags),
    name!(11070, super::occupancy::cuOccupancyMaxActiveClusters),
    name!(6050, super::occupancy::cuOccupancyMaxPotentialBlockSize),
    name!(7000, super::occupancy::cuOccupancyMaxPotentialBlockSizeWithFlags),
    name!(11070, cuOccupancyMaxPotentialClusterSize),
    name!(2000, cuParamSetSize),
    name!(2000, cuParamSetTexRef),
    name!(2000, cuParamSetf),
    name!(2000, cuParamSeti),
    name!(2000, cuParamSetv),
    name!(4000, super::pointer::cuPointerGetAttribute),
    name!(7000, super::pointer::cuPointerGetAttributes),
    name!(6000, super::pointer::cuPointerSetAttribute),
    name!(4000, cuProfilerInitialize),
    name!(4000, super::init::cuProfilerStart),
    name!(4000, super::init::cuProfilerStop),
    name!(10000, cuSignalExternalSemaphoresAsync),
    name!(10000, cuSignalExternalSemaphoresAsync_ptsz),
    name!(5000, super::stream::cuStreamAddCallback),
    name!(7000, cuStreamAddCallback_ptsz),
    name!(6000, super::stream::cuStreamAttachMemAsync),
    name!(7000, cuStreamAttachMemAsync_ptsz),
    name!(8000, cuStreamBatchMemOp),
    name!(11070, cuStreamBatchMemOp_v2),
    name!(8000, cuStreamBatchMemOp_ptsz),
    name!(11070, cuStreamBatchMemOp_v2_ptsz),
    name!(10000, cuStreamBeginCapture),
    name!(10010, cuStreamBeginCapture_v2),
    name!(10000, cuStreamBeginCapture_ptsz),
    name!(10010, cuStreamBeginCapture_v2_ptsz),
    name!(13010, cuStreamBeginCaptureToCig),
    name!(13010, cuStreamBeginCaptureToCig_ptsz),
    name!(12030, cuStreamBeginCaptureToGraph),
    name!(12030, cuStreamBeginCaptureToGraph_ptsz),
    name!(13030, cuStreamBeginRecaptureToGraph),
    name!(13030, cuStreamBeginRecaptureToGraph_ptsz),
    name!(11000, cuStreamCopyAttributes),
    name!(11000, cuStreamCopyAttributes_ptsz),
    name!(2000, super::stream::cuStreamCreate),
    name!(5050, super::stream::cuStreamCreateWithPriority),
    name!(2000, cuStreamDestroy),
    name!(4000, super::stream::cuStreamDestroy_v2),
    name!(10000, cuStreamEndCapture),
    name!(10000, cuStreamEndCapture_ptsz),
    name!(13010, cuStreamEndCaptureToCig),
    name!(13010, cuStreamEndCaptureToCig_ptsz),
    name!(11000, cuStreamGetAttribute),
    name!(11000, cuStreamGetAttribute_ptsz),
    name!(10010, cuStreamGetCaptureInfo),
    name!(11030, super::stream::cuStreamGetCaptureInfo_v2),
    name!(12030, super::stream::cuStreamGetCaptureInfo_v3),
    name!(10010, cuStreamGetCaptureInfo_ptsz),
    name!(11030, cuStreamGetCaptureInfo_v2_ptsz),
    name!(12030, cuStreamGetCaptureInfo_v3_ptsz),
    name!(9020, super::stream::cuStreamGetCtx),
    name!(12050, super::stream::cuStreamGetCtx_v2),
    name!(9020, cuStreamGetCtx_ptsz),
    name!(12050, cuStreamGetCtx_v2_ptsz),
    name!(13010, cuStreamGetDevResource),
    name!(13010, cuStreamGetDevResource_ptsz),
    name!(12080, super::stream::cuStreamGetDevice),
    name!(12080, cuStreamGetDevice_ptsz),
    name!(5050, super::stream::cuStreamGetFlags),
    name!(7000, cuStreamGetFlags_ptsz),
    name!(12040, cuStreamGetGreenCtx),
    name!(12000, super::stream::cuStreamGetId),
    name!(12000, cuStreamGetId_ptsz),
    name!(5050, super::stream::cuStreamGetPriority),
    name!(7000, cuStreamGetPriority_ptsz),
    name!(10000, super::stream::cuStreamIsCapturing),
    name!(10000, cuStreamIsCapturing_ptsz),
    name!(2000, super::stream::cuStreamQuery),
    name!(7000, cuStreamQuery_ptsz),
    name!(11000, cuStreamSetAttribute),
    name!(11000, cuStreamSetAttribute_ptsz),
    name!(2000, super::stream::cuStreamSynchronize),
    name!(7000, cuStreamSynchronize_ptsz),
    name!(11030, cuStreamUpdateCaptureDependencies),
    name!(12030, cuStreamUpdateCaptureDependencies_v2),
    name!(11030, cuStreamUpdateCaptureDependencies_ptsz),
    name!(12030, cuStreamUpdateCaptureDependencies_v2_ptsz),
    name!(3020, super::stream::cuStreamWaitEvent),
    name!(7000, cuStreamWaitEvent_ptsz),
    name!(8000, cuStreamWaitValue32),
    name!(11070, cuStreamWaitValue32_v2),
    name!(8000, cuStreamWaitValue32_ptsz),
    name!(11070, cuStreamWaitValue32_v2_ptsz),
    name!(9000, cuStreamWaitValue64),
    name!(11070, cuStreamWaitValue64_v2),
    name!(9000, cuStreamWaitValue64_ptsz),
    name!(11070, cuStreamWaitValue64_v2_ptsz),
    name!(8000, cuStreamWriteValue32),
    name!(11070, cuStreamWriteValue32_v2),
    name!(8000, cuStreamWriteValue32_ptsz),
    name!(11070, cuStreamWriteValue32_v2_ptsz),
    name!(9000, cuStreamWriteValue64),
    name!(11070, cuStreamWriteValue64_v2),
    name!(9000, cuStreamWriteValue64_ptsz),
    name!(11070, cuStreamWriteValue64_v2_ptsz),
    name!(5000, cuSurfObjectCreate),
    name!(5000, cuSurfObjectDestroy),
    name!(5000, cuSurfObjectGetResourceDesc),
    name!(3000, cuSurfRefGetArray),
    name!(3000, cuSurfRefSetArray),
    name!(12000, cuTensorMapEncodeIm2col),
    name!(12080, cuTensorMapEncodeIm2colWide),
    name!(12000, cuTensorMapEncodeTiled),
    name!(12000, cuTensorMapReplaceAddress),
    name!(13050, cuTensorMapSetAllocationClass),
    name!(5000, cuTexObjectCreate),
    name!(5000, cuTexObjectDestroy),
    name!(5000, cuTexObjectGetResourceDesc),
    name!(5000, cuTexObjectGetResourceViewDesc),
    name!(5000, cuTexObjectGetTextureDesc),
    name!(2000, cuTexRefCreate),
    name!(2000, cuTexRefDestroy),
    name!(2000, cuTexRefGetAddress),
    name!(3020, cuTexRefGetAddress_v2),
    name!(2000, cuTexRefGetAddressMode),
    name!(2000, cuTexRefGetArray),
    name!(8000, cuTexRefGetBorderColor),
    name!(2000, cuTexRefGetFilterMode),
    name!(2000, cuTexRefGetFlags),
    name!(2000, cuTexRefGetFormat),
    name!(5000, cuTexRefGetMaxAnisotropy),
    name!(5000, cuTexRefGetMipmapFilterMode),
    name!(5000, cuTexRefGetMipmapLevelBias),
    name!(5000, cuTexRefGetMipmapLevelClamp),
    name!(5000, cuTexRefGetMipmappedArray),
    name!(2000, cuTexRefSetAddress),
    name!(3020, cuTexRefSetAddress_v2),
    name!(2020, cuTexRefSetAddress2D),
    name!(3020, cuTexRefSetAddress2D_v2),
    name!(4010, cuTexRefSetAddress2D_v3),
    name!(2000, cuTexRefSetAddressMode),
    name!(2000, cuTexRefSetArray),
    name!(8000, cuTexRefSetBorderColor),
    name!(2000, cuTexRefSetFilterMode),
    name!(2000, cuTexRefSetFlags),
    name!(2000, cuTexRefSetFormat),
    name!(5000, cuTexRefSetMaxAnisotropy),
    name!(5000, cuTexRefSetMipmapFilterMode),
    name!(5000, cuTexRefSetMipmapLevelBias),
    name!(5000, cuTexRefSetMipmapLevelClamp),
    name!(5000, cuTexRefSetMipmappedArray),
    name!(10010, cuThreadExchangeStreamCaptureMode),
    name!(11030, cuUserObjectCreate),
    name!(11030, cuUserObjectRelease),
    name!(11030, cuUserObjectRetain),
    name!(10000, cuWaitExternalSemaphoresAsync),
    name!(10000, cuWaitExternalSemaphoresAsync_ptsz),
];

not_here! {
    cuArray3DCreate cuArray3DCreate_v2 cuArray3DGetDescriptor cuArray3DGetDescriptor_v2 cuArrayCreate
    cuArrayCreate_v2 cuArrayDestroy cuArrayGetDescriptor cuArrayGetDescriptor_v2 cuArrayGetMemoryRequirements
    cuArrayGetPlane cuArrayGetSparseProperties cuCheckpointOperationComplete cuCheckpointProcessCheckpoint
    cuCheckpointProcessGetRestoreThreadId cuCheckpointProcessGetState cuCheckpointProcessLock
    cuCheckpointProcessRestore cuCheckpointProcessUnlock cuCoredumpDeregisterCompleteCallback
    cuCoredumpDeregisterStartCallback cuCoredumpGetAttribute cuCoredumpGetAttributeGlobal
    cuCoredumpRegisterCompleteCallback cuCoredumpRegisterStartCallback cuCoredumpSetAttribute
    cuCoredumpSetAttributeGlobal cuCtxAttach cuCtxCreate cuCtxDestroy cuCtxDisablePeerAccess cuCtxEnablePeerAccess
    cuCtxFromGreenCtx cuCtxGetDevResource cuCtxGetExecAffinity cuCtxPopCurrent cuCtxPushCurrent cuCtxRecordEvent
    cuCtxWaitEvent cuDestroyExternalMemory cuDestroyExternalSemaphore cuDevResourceGenerateDesc
    cuDevSmResourceSplit cuDevSmResourceSplitByCount cuDeviceGetCliqueCount cuDeviceGetCliqueInfo
    cuDeviceGetDevResource cuDeviceGetExecAffinitySupport cuDeviceGetFabricClusterUuid
    cuDeviceGetGraphMemAttribute cuDeviceGetHostAtomicCapabilities cuDeviceGetLuid cuDeviceGetNvSciSyncAttributes
    cuDeviceGetP2PAtomicCapabilities cuDeviceGetP2PAttribute cuDeviceGetProperties
    cuDeviceGetTexture1DLinearMaxWidth cuDeviceGraphMemTrim cuDevicePrimaryCtxRelease cuDevicePrimaryCtxReset
    cuDevicePrimaryCtxSetFlags cuDeviceRegisterAsyncNotification cuDeviceSetGraphMemAttribute cuDeviceTotalMem
    cuDeviceUnregisterAsyncNotification cuEventDestroy cuExternalMemoryGetMappedBuffer
    cuExternalMemoryGetMappedMipmappedArray cuFabricCpyBatchAsync cuFabricCpyBatchAsync_ptsz
    cuFlushGPUDirectRDMAWrites cuFuncSetSharedSize cuGraphAddBatchMemOpNode cuGraphAddChildGraphNode
    cuGraphAddDependencies cuGraphAddDependencies_v2 cuGraphAddEmptyNode cuGraphAddEventRecordNode
    cuGraphAddEventWaitNode cuGraphAddExternalSemaphoresSignalNode cuGraphAddExternalSemaphoresWaitNode
    cuGraphAddHostNode cuGraphAddKernelNode cuGraphAddKernelNode_v2 cuGraphAddMemAllocNode cuGraphAddMemFreeNode
    cuGraphAddMemcpyNode cuGraphAddMemsetNode cuGraphAddNode cuGraphAddNode_v2 cuGraphAddNode_v3
    cuGraphBatchMemOpNodeGetParams cuGraphBatchMemOpNodeSetParams cuGraphChildGraphNodeGetGraph cuGraphClone
    cuGraphConditionalHandleCreate cuGraphCreate cuGraphDebugDotPrint cuGraphDestroy cuGraphDestroyNode
    cuGraphEventRecordNodeGetEvent cuGraphEventRecordNodeSetEvent cuGraphEventWaitNodeGetEvent
    cuGraphEventWaitNodeSetEvent cuGraphExecBatchMemOpNodeSetParams cuGraphExecChildGraphNodeSetParams
    cuGraphExecDestroy cuGraphExecEventRecordNodeSetEvent cuGraphExecEventWaitNodeSetEvent
    cuGraphExecExternalSemaphoresSignalNodeSetParams cuGraphExecExternalSemaphoresWaitNodeSetParams
    cuGraphExecGetFlags cuGraphExecGetId cuGraphExecHostNodeSetParams cuGraphExecKernelNodeSetParams
    cuGraphExecKernelNodeSetParams_v2 cuGraphExecMemcpyNodeSetParams cuGraphExecMemsetNodeSetParams
    cuGraphExecNodeSetParams cuGraphExecUpdate cuGraphExecUpdate_v2 cuGraphExternalSemaphoresSignalNodeGetParams
    cuGraphExternalSemaphoresSignalNodeSetParams cuGraphExternalSemaphoresWaitNodeGetParams
    cuGraphExternalSemaphoresWaitNodeSetParams cuGraphGetEdges cuGraphGetEdges_v2 cuGraphGetId cuGraphGetNodes
    cuGraphGetRootNodes cuGraphHostNodeGetParams cuGraphHostNodeSetParams cuGraphInstantiate cuGraphInstantiate_v2
    cuGraphInstantiateWithFlags cuGraphInstantiateWithParams cuGraphInstantiateWithParams_ptsz
    cuGraphKernelNodeCopyAttributes cuGraphKernelNodeGetAttribute cuGraphKernelNodeGetParams
    cuGraphKernelNodeGetParams_v2 cuGraphKernelNodeSetAttribute cuGraphKernelNodeSetParams
    cuGraphKernelNodeSetParams_v2 cuGraphLaunch cuGraphLaunch_ptsz cuGraphMemAllocNodeGetParams
    cuGraphMemFreeNodeGetParams cuGraphMemcpyNodeGetParams cuGraphMemcpyNodeSetParams cuGraphMemsetNodeGetParams
    cuGraphMemsetNodeSetParams cuGraphNodeFindInClone cuGraphNodeGetContainingGraph cuGraphNodeGetDependencies
    cuGraphNodeGetDependencies_v2 cuGraphNodeGetDependentNodes cuGraphNodeGetDependentNodes_v2
    cuGraphNodeGetEnabled cuGraphNodeGetLocalId cuGraphNodeGetParams cuGraphNodeGetToolsId cuGraphNodeGetType
    cuGraphNodeSetEnabled cuGraphNodeSetParams cuGraphNodeSetParams_v2 cuGraphReleaseUserObject
    cuGraphRemoveDependencies cuGraphRemoveDependencies_v2 cuGraphRetainUserObject cuGraphUpload
    cuGraphUpload_ptsz cuGraphicsMapResources cuGraphicsMapResources_ptsz
    cuGraphicsResourceGetMappedMipmappedArray cuGraphicsResourceGetMappedPointer
    cuGraphicsResourceGetMappedPointer_v2 cuGraphicsResourceSetMapFlags cuGraphicsResourceSetMapFlags_v2
    cuGraphicsSubResourceGetMappedArray cuGraphicsUnmapResources cuGraphicsUnmapResources_ptsz
    cuGraphicsUnregisterResource cuGreenCtxCreate cuGreenCtxDestroy cuGreenCtxGetDevResource cuGreenCtxGetId
    cuGreenCtxRecordEvent cuGreenCtxStreamCreate cuGreenCtxWaitEvent cuImportExternalMemory
    cuImportExternalSemaphore cuIpcCloseMemHandle cuIpcGetEventHandle cuIpcGetMemHandle cuIpcOpenEventHandle
    cuIpcOpenMemHandle cuIpcOpenMemHandle_v2 cuLaunch cuLaunchCooperativeKernelMultiDevice cuLaunchGridAsync
    cuLibraryGetManaged cuLibraryGetUnifiedFunction cuLinkAddData cuLinkAddFile cuLinkCreate
    cuLogicalEndpointAddDevice cuLogicalEndpointBindAddr cuLogicalEndpointBindMem cuLogicalEndpointCreate
    cuLogicalEndpointDestroy cuLogicalEndpointExport cuLogicalEndpointGetLimits cuLogicalEndpointIdRelease
    cuLogicalEndpointIdReserve cuLogicalEndpointImport cuLogicalEndpointQuery cuLogicalEndpointUnbind
    cuLogsCurrent cuLogsDumpToFile cuLogsDumpToMemory cuLogsRegisterCallback cuLogsUnregisterCallback
    cuMemAddressFree cuMemAddressReserve cuMemAlloc cuMemAllocHost cuMemAllocPitch cuMemBatchDecompressAsync
    cuMemBatchDecompressAsync_ptsz cuMemCreate cuMemDiscardAndPrefetchBatchAsync
    cuMemDiscardAndPrefetchBatchAsync_ptsz cuMemDiscardBatchAsync cuMemDiscardBatchAsync_ptsz
    cuMemExportToShareableHandle cuMemFree cuMemGetAccess cuMemGetAddressRange cuMemGetAllocationGranularity
    cuMemGetAllocationPropertiesFromHandle cuMemGetDefaultMemPool cuMemGetHandleForAddressRange cuMemGetInfo
    cuMemGetLocationInfo cuMemGetMemPool cuMemHostGetDevicePointer cuMemHostRegister
    cuMemImportFromShareableHandle cuMemMap cuMemMapArrayAsync cuMemMapArrayAsync_ptsz cuMemPoolExportPointer
    cuMemPoolExportToShareableHandle cuMemPoolImportFromShareableHandle cuMemPoolImportPointer
    cuMemPrefetchBatchAsync cuMemPrefetchBatchAsync_ptsz cuMemRangeGetAttribute cuMemRangeGetAttributes
    cuMemRelease cuMemRetainAllocationHandle cuMemSetAccess cuMemSetMemPool cuMemUnmap cuMemcpy2D cuMemcpy2DAsync
    cuMemcpy2DUnaligned cuMemcpy3D cuMemcpy3DAsync cuMemcpy3DBatchAsync cuMemcpy3DBatchAsync_v2
    cuMemcpy3DBatchAsync_ptsz cuMemcpy3DBatchAsync_v2_ptsz cuMemcpy3DPeer cuMemcpy3DPeer_ptds cuMemcpy3DPeerAsync
    cuMemcpy3DPeerAsync_ptsz cuMemcpy3DWithAttributesAsync cuMemcpy3DWithAttributesAsync_ptsz cuMemcpyAtoA
    cuMemcpyAtoA_v2 cuMemcpyAtoA_v2_ptds cuMemcpyAtoD cuMemcpyAtoD_v2 cuMemcpyAtoD_v2_ptds cuMemcpyAtoH
    cuMemcpyAtoH_v2 cuMemcpyAtoH_v2_ptds cuMemcpyAtoHAsync cuMemcpyAtoHAsync_v2 cuMemcpyAtoHAsync_v2_ptsz
    cuMemcpyBatchAsync cuMemcpyBatchAsync_v2 cuMemcpyBatchAsync_ptsz cuMemcpyBatchAsync_v2_ptsz cuMemcpyDtoA
    cuMemcpyDtoA_v2 cuMemcpyDtoA_v2_ptds cuMemcpyDtoD cuMemcpyDtoDAsync cuMemcpyDtoH cuMemcpyDtoHAsync
    cuMemcpyHtoA cuMemcpyHtoA_v2 cuMemcpyHtoA_v2_ptds cuMemcpyHtoAAsync cuMemcpyHtoAAsync_v2
    cuMemcpyHtoAAsync_v2_ptsz cuMemcpyHtoD cuMemcpyHtoDAsync cuMemcpyWithAttributesAsync
    cuMemcpyWithAttributesAsync_ptsz cuMemsetD16 cuMemsetD2D16 cuMemsetD2D16Async cuMemsetD2D16Async_ptsz
    cuMemsetD2D32 cuMemsetD2D32Async cuMemsetD2D32Async_ptsz cuMemsetD2D8 cuMemsetD2D8Async cuMemsetD2D8Async_ptsz
    cuMemsetD32 cuMemsetD8 cuMipmappedArrayCreate cuMipmappedArrayDestroy cuMipmappedArrayGetLevel
    cuMipmappedArrayGetMemoryRequirements cuMipmappedArrayGetSparseProperties cuModuleGetGlobal cuModuleGetSurfRef
    cuModuleGetTexRef cuMulticastAddDevice cuMulticastBindAddr cuMulticastBindAddr_v2 cuMulticastBindMem
    cuMulticastBindMem_v2 cuMulticastCreate cuMulticastGetGranularity cuMulticastUnbind
    cuOccupancyMaxPotentialClusterSize cuParamSetSize cuParamSetTexRef cuParamSetf cuParamSeti cuParamSetv
    cuProfilerInitialize cuSignalExternalSemaphoresAsync cuSignalExternalSemaphoresAsync_ptsz cuStreamBatchMemOp
    cuStreamBatchMemOp_v2 cuStreamBatchMemOp_ptsz cuStreamBatchMemOp_v2_ptsz cuStreamBeginCapture
    cuStreamBeginCapture_v2 cuStreamBeginCapture_ptsz cuStreamBeginCapture_v2_ptsz cuStreamBeginCaptureToCig
    cuStreamBeginCaptureToCig_ptsz cuStreamBeginCaptureToGraph cuStreamBeginCaptureToGraph_ptsz
    cuStreamBeginRecaptureToGraph cuStreamBeginRecaptureToGraph_ptsz cuStreamCopyAttributes
    cuStreamCopyAttributes_ptsz cuStreamDestroy cuStreamEndCapture cuStreamEndCapture_ptsz cuStreamEndCaptureToCig
    cuStreamEndCaptureToCig_ptsz cuStreamGetAttribute cuStreamGetAttribute_ptsz cuStreamGetCaptureInfo
    cuStreamGetCaptureInfo_ptsz cuStreamGetDevResource cuStreamGetDevResource_ptsz cuStreamGetGreenCtx
    cuStreamSetAttribute cuStreamSetAttribute_ptsz cuStreamUpdateCaptureDependencies
    cuStreamUpdateCaptureDependencies_v2 cuStreamUpdateCaptureDependencies_ptsz
    cuStreamUpdateCaptureDependencies_v2_ptsz cuStreamWaitValue32 cuStreamWaitValue32_v2 cuStreamWaitValue32_ptsz
    cuStreamWaitValue32_v2_ptsz cuStreamWaitValue64 cuStreamWaitValue64_v2 cuStreamWaitValue64_ptsz
    cuStreamWaitValue64_v2_ptsz cuStreamWriteValue32 cuStreamWriteValue32_v2 cuStreamWriteValue32_ptsz
    cuStreamWriteValue32_v2_ptsz cuStreamWriteValue64 cuStreamWriteValue64_v2 cuStreamWriteValue64_ptsz
    cuStreamWriteValue64_v2_ptsz cuSurfObjectCreate cuSurfObjectDestroy cuSurfObjectGetResourceDesc
    cuSurfRefGetArray cuSurfRefSetArray cuTensorMapEncodeIm2col cuTensorMapEncodeIm2colWide cuTensorMapEncodeTiled
    cuTensorMapReplaceAddress cuTensorMapSetAllocationClass cuTexObjectCreate cuTexObjectDestroy
    cuTexObjectGetResourceDesc cuTexObjectGetResourceViewDesc cuTexObjectGetTextureDesc cuTexRefCreate
    cuTexRefDestroy cuTexRefGetAddress cuTexRefGetAddress_v2 cuTexRefGetAddressMode cuTexRefGetArray
    cuTexRefGetBorderColor cuTexRefGetFilterMode cuTexRefGetFlags cuTexRefGetFormat cuTexRefGetMaxAnisotropy
    cuTexRefGetMipmapFilterMode cuTexRefGetMipmapLevelBias cuTexRefGetMipmapLevelClamp cuTexRefGetMipmappedArray
    cuTexRefSetAddress cuTexRefSetAddress_v2 cuTexRefSetAddress2D cuTexRefSetAddress2D_v2 cuTexRefSetAddress2D_v3
    cuTexRefSetAddressMode cuTexRefSetArray cuTexRefSetBorderColor cuTexRefSetFilterMode cuTexRefSetFlags
    cuTexRefSetFormat cuTexRefSetMaxAnisotropy cuTexRefSetMipmapFilterMode cuTexRefSetMipmapLevelBias
    cuTexRefSetMipmapLevelClamp cuTexRefSetMipmappedArray cuThreadExchangeStreamCaptureMode cuUserObjectCreate
    cuUserObjectRelease cuUserObjectRetain cuWaitExternalSemaphoresAsync cuWaitExternalSemaphoresAsync_ptsz
}

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
pub extern "C" fn cuMemcpyAsync_ptsz(to: Address, from: Address, bytes: usize, stream: usize) -> Status {
    super::copy::cuMemcpyAsync(to, from, bytes, stream)
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
pub extern "C" fn cuMemsetD2D32_v2_ptds(address: u64, pitch: usize, value: u32, width: usize, height: usize) -> Status {
    super::memset::cuMemsetD2D32_v2(address, pitch, value, width, height)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemsetD2D8_v2_ptds(address: u64, pitch: usize, value: u8, width: usize, height: usize) -> Status {
    super::memset::cuMemsetD2D8_v2(address, pitch, value, width, height)
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
pub extern "C" fn cuStreamGetCaptureInfo_v2_ptsz(stream: usize, status: Out<u32>, id: Out<u64>, graph: Host, dependencies: Host, count: Host) -> Status {
    super::stream::cuStreamGetCaptureInfo_v2(stream, status, id, graph, dependencies, count)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamGetCaptureInfo_v3_ptsz(stream: usize, status: Out<u32>, id: Out<u64>, graph: Host, dependencies: Host, edges: Host, count: Host) -> Status {
    super::stream::cuStreamGetCaptureInfo_v3(stream, status, id, graph, dependencies, edges, count)
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
    super::stream::cuStreamIsCapturing(stream, status)
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
pub extern "C" fn cuStreamWaitEvent_ptsz(stream: usize, event: usize, flags: u32) -> Status {
    super::stream::cuStreamWaitEvent(stream, event, flags)
}
