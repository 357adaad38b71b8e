/* What the programs here use of NVIDIA's driver interface, declared as its documentation says. */
#ifndef CUDA_H
#define CUDA_H

#include <stddef.h>

typedef unsigned CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUlib_st *CUlibrary;
typedef struct CUkern_st *CUkernel;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUlinkState_st *CUlinkState;
typedef struct CUmemPool_st *CUmemoryPool;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct CUuserObject_st *CUuserObject;
typedef struct CUarray_st *CUarray;
typedef struct CUmipmappedArray_st *CUmipmappedArray;
typedef struct CUtexref_st *CUtexref;
typedef struct CUsurfref_st *CUsurfref;
typedef unsigned long long CUtexObject;
typedef unsigned long long CUsurfObject;
typedef void (*CUlogsCallback)(void *, int, char *, size_t);
typedef struct CUlogsCallbackEntry_st *CUlogsCallbackHandle;
typedef unsigned CUlogIterator;

typedef struct {
    char reserved[64];
} CUipcMemHandle;

typedef struct {
    char reserved[64];
} CUipcEventHandle;

typedef struct {
    unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes;
    CUstream stream;
    void *attributes;
    unsigned count;
} CUlaunchConfig;

typedef struct {
    unsigned id;
    char padding[4];
    unsigned value[16];
} CUlaunchAttribute;

typedef struct {
    size_t srcXInBytes, srcY;
    unsigned srcMemoryType;
    const void *srcHost;
    CUdeviceptr srcDevice;
    void *srcArray;
    size_t srcPitch, dstXInBytes, dstY;
    unsigned dstMemoryType;
    void *dstHost;
    CUdeviceptr dstDevice;
    void *dstArray;
    size_t dstPitch, WidthInBytes, Height;
} CUDA_MEMCPY2D;

typedef struct {
    size_t srcXInBytes, srcY, srcZ, srcLOD;
    unsigned srcMemoryType;
    const void *srcHost;
    CUdeviceptr srcDevice;
    void *srcArray, *reserved0;
    size_t srcPitch, srcHeight, dstXInBytes, dstY, dstZ, dstLOD;
    unsigned dstMemoryType;
    void *dstHost;
    CUdeviceptr dstDevice;
    void *dstArray, *reserved1;
    size_t dstPitch, dstHeight, WidthInBytes, Height, Depth;
} CUDA_MEMCPY3D;

typedef struct {
    size_t Width, Height;
    unsigned Format, NumChannels;
} CUDA_ARRAY_DESCRIPTOR;

typedef struct {
    size_t Width, Height, Depth;
    unsigned Format, NumChannels, Flags;
} CUDA_ARRAY3D_DESCRIPTOR;

typedef struct {
    size_t size, alignment;
    unsigned reserved[4];
} CUDA_ARRAY_MEMORY_REQUIREMENTS;

typedef struct {
    unsigned resType;
    union {
        CUarray array;
        CUmipmappedArray mipmap;
        struct {
            CUdeviceptr devPtr;
            unsigned format, numChannels;
            size_t sizeInBytes;
        } linear;
        struct {
            CUdeviceptr devPtr;
            unsigned format, numChannels;
            size_t width, height, pitchInBytes;
        } pitch2D;
        int reserved[32];
    } res;
    unsigned flags;
} CUDA_RESOURCE_DESC;

typedef struct {
    unsigned addressMode[3], filterMode, flags, maxAnisotropy, mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp, borderColor[4];
    int reserved[12];
} CUDA_TEXTURE_DESC;

typedef struct {
    unsigned format;
    size_t width, height, depth;
    unsigned firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer, reserved[16];
} CUDA_RESOURCE_VIEW_DESC;

typedef struct {
    CUfunction func;
    unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes;
    void **kernelParams, **extra;
    CUkernel kern;
    CUcontext ctx;
} CUDA_KERNEL_NODE_PARAMS;

typedef struct {
    CUdeviceptr dst;
    size_t pitch;
    unsigned value, elementSize;
    size_t width, height;
} CUDA_MEMSET_NODE_PARAMS;

typedef struct {
    void (*fn)(void *);
    void *userData;
} CUDA_HOST_NODE_PARAMS;

typedef struct {
    struct {
        unsigned allocType, handleTypes, location_type;
        int location_id;
        void *win32SecurityAttributes;
        size_t maxSize;
        unsigned char reserved[56];
    } poolProps;
    const void *accessDescs;
    size_t accessDescCount, bytesize;
    CUdeviceptr dptr;
} CUDA_MEM_ALLOC_NODE_PARAMS;

typedef struct {
    unsigned type;
    int reserved0[3];
    union {
        CUDA_KERNEL_NODE_PARAMS kernel;
        CUDA_MEMSET_NODE_PARAMS memset;
        CUDA_HOST_NODE_PARAMS host;
        struct {
            int flags, reserved;
            CUcontext copyCtx;
            CUDA_MEMCPY3D copyParams;
        } memcpy;
        long long reserved1[29];
    };
    long long reserved2;
} CUgraphNodeParams;

typedef struct {
    unsigned result;
    CUgraphNode errorNode, errorFromNode;
} CUgraphExecUpdateResultInfo;

enum {
    CUDA_SUCCESS = 0,
    CUDA_ERROR_INVALID_VALUE = 1,
    CUDA_ERROR_OUT_OF_MEMORY = 2,
    CUDA_ERROR_NOT_INITIALIZED = 3,
    CUDA_ERROR_INVALID_DEVICE = 101,
    CUDA_ERROR_INVALID_IMAGE = 200,
    CUDA_ERROR_INVALID_CONTEXT = 201,
    CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
    CUDA_ERROR_INVALID_PTX = 218,
    CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
    CUDA_ERROR_FILE_NOT_FOUND = 301,
    CUDA_ERROR_OPERATING_SYSTEM = 304,
    CUDA_ERROR_INVALID_HANDLE = 400,
    CUDA_ERROR_ILLEGAL_STATE = 401,
    CUDA_ERROR_NOT_FOUND = 500,
    CUDA_ERROR_ILLEGAL_ADDRESS = 700,
    CUDA_ERROR_CONTEXT_IS_DESTROYED = 709,
    CUDA_ERROR_ASSERT = 710,
    CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED = 712,
    CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED = 713,
    CUDA_ERROR_MISALIGNED_ADDRESS = 716,
    CUDA_ERROR_LAUNCH_FAILED = 719,
    CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE = 720,
    CUDA_ERROR_NOT_SUPPORTED = 801,
    CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED = 900,
    CUDA_ERROR_STREAM_CAPTURE_INVALIDATED = 901,
    CUDA_ERROR_STREAM_CAPTURE_MERGE = 902,
    CUDA_ERROR_STREAM_CAPTURE_UNMATCHED = 903,
    CUDA_ERROR_STREAM_CAPTURE_UNJOINED = 904,
    CUDA_ERROR_STREAM_CAPTURE_ISOLATION = 905,
    CUDA_ERROR_STREAM_CAPTURE_IMPLICIT = 906,
    CUDA_ERROR_CAPTURED_EVENT = 907,
    CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD = 908,
    CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE = 910,
    CUDA_ERROR_INVALID_CLUSTER_SIZE = 912
};

CUresult cuInit(unsigned), cuDriverGetVersion(int *), cuGetErrorName(CUresult, const char **), cuGetErrorString(CUresult, const char **);
CUresult cuGetProcAddress_v2(const char *, void **, int, unsigned long long, unsigned *);
CUresult cuDeviceGet(CUdevice *, int), cuDeviceGetCount(int *), cuDeviceGetName(char *, int, CUdevice);
CUresult cuDeviceGetAttribute(int *, unsigned, CUdevice), cuDeviceTotalMem_v2(size_t *, CUdevice);
CUresult cuDevicePrimaryCtxRetain(CUcontext *, CUdevice), cuDevicePrimaryCtxRelease_v2(CUdevice);
CUresult cuDevicePrimaryCtxReset_v2(CUdevice), cuDevicePrimaryCtxGetState(CUdevice, unsigned *, int *);
CUresult cuCtxCreate_v2(CUcontext *, unsigned, CUdevice), cuCtxDestroy_v2(CUcontext), cuCtxSetCurrent(CUcontext), cuCtxGetCurrent(CUcontext *);
CUresult cuCtxPushCurrent_v2(CUcontext), cuCtxPopCurrent_v2(CUcontext *), cuCtxGetDevice(CUdevice *), cuCtxSynchronize(void);
CUresult cuCtxGetLimit(size_t *, unsigned), cuCtxSetLimit(unsigned, size_t), cuCtxGetStreamPriorityRange(int *, int *);
CUresult cuModuleLoad(CUmodule *, const char *), cuModuleLoadData(CUmodule *, const void *), cuModuleUnload(CUmodule);
CUresult cuModuleLoadDataEx(CUmodule *, const void *, unsigned, unsigned *, void **);
CUresult cuModuleGetFunction(CUfunction *, CUmodule, const char *), cuModuleGetGlobal_v2(CUdeviceptr *, size_t *, CUmodule, const char *);
CUresult cuModuleGetFunctionCount(unsigned *, CUmodule), cuModuleEnumerateFunctions(CUfunction *, unsigned, CUmodule);
CUresult cuLibraryLoadData(CUlibrary *, const void *, unsigned *, void **, unsigned, unsigned *, void **, unsigned);
CUresult cuLibraryUnload(CUlibrary), cuLibraryGetKernel(CUkernel *, CUlibrary, const char *), cuLibraryGetKernelCount(unsigned *, CUlibrary);
CUresult cuKernelGetFunction(CUfunction *, CUkernel), cuKernelGetAttribute(int *, unsigned, CUkernel, CUdevice);
CUresult cuFuncGetAttribute(int *, unsigned, CUfunction), cuFuncSetAttribute(CUfunction, unsigned, int), cuFuncGetName(const char **, CUfunction);
CUresult cuFuncGetParamInfo(CUfunction, size_t, size_t *, size_t *);
CUresult cuLinkCreate_v2(unsigned, unsigned *, void **, CUlinkState *), cuLinkComplete(CUlinkState, void **, size_t *), cuLinkDestroy(CUlinkState);
CUresult cuLinkAddData_v2(CUlinkState, unsigned, void *, size_t, const char *, unsigned, unsigned *, void **);
CUresult cuMemAlloc_v2(CUdeviceptr *, size_t), cuMemFree_v2(CUdeviceptr), cuMemAllocManaged(CUdeviceptr *, size_t, unsigned);
CUresult cuMemAllocPitch_v2(CUdeviceptr *, size_t *, size_t, size_t, unsigned), cuMemGetInfo_v2(size_t *, size_t *);
CUresult cuMemHostAlloc(void **, size_t, unsigned), cuMemFreeHost(void *), cuMemHostGetDevicePointer_v2(CUdeviceptr *, void *, unsigned);
CUresult cuMemHostRegister_v2(void *, size_t, unsigned), cuMemHostUnregister(void *), cuMemGetAddressRange_v2(CUdeviceptr *, size_t *, CUdeviceptr);
CUresult cuMemcpyHtoD_v2(CUdeviceptr, const void *, size_t), cuMemcpyDtoH_v2(void *, CUdeviceptr, size_t);
CUresult cuMemcpyDtoD_v2(CUdeviceptr, CUdeviceptr, size_t), cuMemcpy(CUdeviceptr, CUdeviceptr, size_t);
CUresult cuMemcpyDtoHAsync_v2(void *, CUdeviceptr, size_t, CUstream), cuMemcpy2D_v2(const CUDA_MEMCPY2D *);
CUresult cuMemsetD8_v2(CUdeviceptr, unsigned char, size_t), cuMemsetD16_v2(CUdeviceptr, unsigned short, size_t);
CUresult cuMemsetD32_v2(CUdeviceptr, unsigned, size_t), cuMemsetD2D8_v2(CUdeviceptr, size_t, unsigned char, size_t, size_t);
CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *, CUdevice), cuMemAllocAsync(CUdeviceptr *, size_t, CUstream), cuMemFreeAsync(CUdeviceptr, CUstream);
CUresult cuMemPoolGetAttribute(CUmemoryPool, unsigned, void *), cuMemPoolSetAttribute(CUmemoryPool, unsigned, void *);
typedef struct { unsigned long long opaque[16]; } CUtensorMap;
CUresult cuTensorMapEncodeTiled(void *, unsigned, unsigned, void *, const unsigned long long *, const unsigned long long *, const unsigned *,
                                const unsigned *, unsigned, unsigned, unsigned, unsigned);
CUresult cuTensorMapEncodeIm2col(void *, unsigned, unsigned, void *, const unsigned long long *, const unsigned long long *, const int *,
                                 const int *, unsigned, unsigned, const unsigned *, unsigned, unsigned, unsigned, unsigned);
CUresult cuTensorMapReplaceAddress(void *, void *);
CUresult cuPointerGetAttribute(void *, unsigned, CUdeviceptr), cuPointerGetAttributes(unsigned, unsigned *, void **, CUdeviceptr);
CUresult cuLaunchKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void **, void **);
CUresult cuLaunchKernelEx(const CUlaunchConfig *, CUfunction, void **, void **);
CUresult cuLaunchCooperativeKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void **);
CUresult cuLaunchHostFunc(CUstream, void (*)(void *), void *);
CUresult cuStreamCreate(CUstream *, unsigned), cuStreamDestroy_v2(CUstream), cuStreamSynchronize(CUstream), cuStreamQuery(CUstream);
CUresult cuStreamAddCallback(CUstream, void (*)(CUstream, CUresult, void *), void *, unsigned), cuStreamWaitEvent(CUstream, CUevent, unsigned);
CUresult cuEventCreate(CUevent *, unsigned), cuEventDestroy_v2(CUevent), cuEventRecord(CUevent, CUstream), cuEventSynchronize(CUevent);
CUresult cuEventQuery(CUevent), cuEventElapsedTime(float *, CUevent, CUevent);
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *, CUfunction, int, size_t);
CUresult cuOccupancyMaxPotentialBlockSize(int *, int *, CUfunction, size_t (*)(int), size_t, int);
CUresult cuOccupancyMaxActiveClusters(int *, CUfunction, const CUlaunchConfig *), cuOccupancyMaxPotentialClusterSize(int *, CUfunction, const CUlaunchConfig *);
CUresult cuGraphCreate(CUgraph *, unsigned), cuGraphDestroy(CUgraph), cuGraphClone(CUgraph *, CUgraph), cuGraphNodeFindInClone(CUgraphNode *, CUgraphNode, CUgraph);
CUresult cuGraphGetNodes(CUgraph, CUgraphNode *, size_t *), cuGraphGetRootNodes(CUgraph, CUgraphNode *, size_t *), cuGraphDestroyNode(CUgraphNode);
CUresult cuGraphGetEdges(CUgraph, CUgraphNode *, CUgraphNode *, size_t *), cuGraphNodeGetType(CUgraphNode, unsigned *);
CUresult cuGraphNodeGetDependencies(CUgraphNode, CUgraphNode *, size_t *), cuGraphNodeGetDependentNodes(CUgraphNode, CUgraphNode *, size_t *);
CUresult cuGraphAddDependencies(CUgraph, const CUgraphNode *, const CUgraphNode *, size_t), cuGraphRemoveDependencies(CUgraph, const CUgraphNode *, const CUgraphNode *, size_t);
CUresult cuGraphAddKernelNode_v2(CUgraphNode *, CUgraph, const CUgraphNode *, size_t, const CUDA_KERNEL_NODE_PARAMS *);
CUresult cuGraphAddMemcpyNode(CUgraphNode *, CUgraph, const CUgraphNode *, size_t, const CUDA_MEMCPY3D *, CUcontext);
CUresult cuGraphAddMemsetNode(CUgraphNode *, CUgraph, const CUgraphNode *, size_t, const CUDA_MEMSET_NODE_PARAMS *, CUcontext);
CUresult cuGraphAddHostNode(CUgraphNode *, CUgraph, const CUgraphNode *, size_t, const CUDA_HOST_NODE_PARAMS *);
CUresult cuGraphAddChildGraphNode(CUgraphNode *, CUgraph, const CUgraphNode *, size_t, CUgraph), cuGraphChildGraphNodeGetGraph(CUgraphNode, CUgraph *);
CUresult cuGraphAddEmptyNode(CUgraphNode *, CUgraph, const CUgraphNode *, size_t), cuGraphAddNode(CUgraphNode *, CUgraph, const CUgraphNode *, size_t, CUgraphNodeParams *);
CUresult cuGraphAddEventRecordNode(CUgraphNode *, CUgraph, const CUgraphNode *, size_t, CUevent), cuGraphAddEventWaitNode(CUgraphNode *, CUgraph, const CUgraphNode *, size_t, CUevent);
CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode, CUevent *), cuGraphEventRecordNodeSetEvent(CUgraphNode, CUevent);
CUresult cuGraphAddMemAllocNode(CUgraphNode *, CUgraph, const CUgraphNode *, size_t, CUDA_MEM_ALLOC_NODE_PARAMS *), cuGraphMemAllocNodeGetParams(CUgraphNode, CUDA_MEM_ALLOC_NODE_PARAMS *);
CUresult cuGraphAddMemFreeNode(CUgraphNode *, CUgraph, const CUgraphNode *, size_t, CUdeviceptr), cuGraphMemFreeNodeGetParams(CUgraphNode, CUdeviceptr *);
CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode, CUDA_KERNEL_NODE_PARAMS *), cuGraphKernelNodeSetParams_v2(CUgraphNode, const CUDA_KERNEL_NODE_PARAMS *);
CUresult cuGraphMemcpyNodeGetParams(CUgraphNode, CUDA_MEMCPY3D *), cuGraphMemcpyNodeSetParams(CUgraphNode, const CUDA_MEMCPY3D *);
CUresult cuGraphMemsetNodeGetParams(CUgraphNode, CUDA_MEMSET_NODE_PARAMS *), cuGraphMemsetNodeSetParams(CUgraphNode, const CUDA_MEMSET_NODE_PARAMS *);
CUresult cuGraphHostNodeGetParams(CUgraphNode, CUDA_HOST_NODE_PARAMS *), cuGraphHostNodeSetParams(CUgraphNode, const CUDA_HOST_NODE_PARAMS *);
CUresult cuGraphInstantiateWithFlags(CUgraphExec *, CUgraph, unsigned long long), cuGraphLaunch(CUgraphExec, CUstream), cuGraphUpload(CUgraphExec, CUstream), cuGraphExecDestroy(CUgraphExec);
CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec, CUgraphNode, const CUDA_KERNEL_NODE_PARAMS *), cuGraphExecHostNodeSetParams(CUgraphExec, CUgraphNode, const CUDA_HOST_NODE_PARAMS *);
CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec, CUgraphNode, const CUDA_MEMCPY3D *, CUcontext), cuGraphExecMemsetNodeSetParams(CUgraphExec, CUgraphNode, const CUDA_MEMSET_NODE_PARAMS *, CUcontext);
CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec, CUgraphNode, CUgraph), cuGraphExecUpdate_v2(CUgraphExec, CUgraph, CUgraphExecUpdateResultInfo *);
CUresult cuGraphNodeSetEnabled(CUgraphExec, CUgraphNode, unsigned), cuGraphNodeGetEnabled(CUgraphExec, CUgraphNode, unsigned *), cuGraphDebugDotPrint(CUgraph, const char *, unsigned);
CUresult cuUserObjectCreate(CUuserObject *, void *, void (*)(void *), unsigned, unsigned), cuUserObjectRetain(CUuserObject, unsigned), cuUserObjectRelease(CUuserObject, unsigned);
CUresult cuGraphRetainUserObject(CUgraph, CUuserObject, unsigned, unsigned), cuGraphReleaseUserObject(CUgraph, CUuserObject, unsigned);
CUresult cuDeviceGetGraphMemAttribute(CUdevice, unsigned, void *);
CUresult cuStreamBeginCapture_v2(CUstream, unsigned), cuStreamEndCapture(CUstream, CUgraph *), cuStreamIsCapturing(CUstream, unsigned *);
CUresult cuStreamBeginCaptureToGraph(CUstream, CUgraph, const CUgraphNode *, const void *, size_t, unsigned), cuThreadExchangeStreamCaptureMode(unsigned *);
CUresult cuStreamGetCaptureInfo_v2(CUstream, unsigned *, unsigned long long *, CUgraph *, const CUgraphNode **, size_t *);
CUresult cuStreamUpdateCaptureDependencies(CUstream, CUgraphNode *, size_t, unsigned), cuEventRecordWithFlags(CUevent, CUstream, unsigned);
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr, const void *, size_t, CUstream), cuMemsetD32Async(CUdeviceptr, unsigned, size_t, CUstream);
CUresult cuIpcGetMemHandle(CUipcMemHandle *, CUdeviceptr), cuIpcCloseMemHandle(CUdeviceptr);
CUresult cuIpcOpenMemHandle(CUdeviceptr *, CUipcMemHandle, unsigned), cuIpcOpenMemHandle_v2(CUdeviceptr *, CUipcMemHandle, unsigned);
CUresult cuIpcGetEventHandle(CUipcEventHandle *, CUevent), cuIpcOpenEventHandle(CUevent *, CUipcEventHandle);
CUresult cuArrayGetPlane(CUarray *, CUarray, unsigned);
CUresult cuLogsRegisterCallback(CUlogsCallback, void *, CUlogsCallbackHandle *), cuLogsUnregisterCallback(CUlogsCallbackHandle);
CUresult cuLogsCurrent(CUlogIterator *, unsigned), cuLogsDumpToFile(CUlogIterator *, const char *, unsigned);
CUresult cuLogsDumpToMemory(CUlogIterator *, char *, size_t *, unsigned);
CUresult cuArrayCreate_v2(CUarray *, const CUDA_ARRAY_DESCRIPTOR *), cuArray3DCreate_v2(CUarray *, const CUDA_ARRAY3D_DESCRIPTOR *);
CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *, CUarray), cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *, CUarray);
CUresult cuArrayDestroy(CUarray), cuArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *, CUarray, CUdevice);
CUresult cuMipmappedArrayCreate(CUmipmappedArray *, const CUDA_ARRAY3D_DESCRIPTOR *, unsigned), cuMipmappedArrayDestroy(CUmipmappedArray);
CUresult cuMipmappedArrayGetLevel(CUarray *, CUmipmappedArray, unsigned), cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *);
CUresult cuMipmappedArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *, CUmipmappedArray, CUdevice);
CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t *, unsigned, unsigned, CUdevice);
CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *, CUstream), cuMemcpy3D_v2(const CUDA_MEMCPY3D *), cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *, CUstream);
CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D *), cuMemcpy3DPeerAsync_ptsz(const CUDA_MEMCPY3D *, CUstream);
CUresult cuMemcpyHtoA_v2(CUarray, size_t, const void *, size_t), cuMemcpyAtoH_v2(void *, CUarray, size_t, size_t);
CUresult cuMemcpyHtoAAsync_v2(CUarray, size_t, const void *, size_t, CUstream), cuMemcpyAtoHAsync_v2(void *, CUarray, size_t, size_t, CUstream);
CUresult cuMemcpyDtoA_v2(CUarray, size_t, CUdeviceptr, size_t), cuMemcpyAtoD_v2(CUdeviceptr, CUarray, size_t, size_t);
CUresult cuMemcpyAtoA_v2(CUarray, size_t, CUarray, size_t, size_t), cuMemcpyAtoH_v2_ptds(void *, CUarray, size_t, size_t);
CUresult cuTexObjectCreate(CUtexObject *, const CUDA_RESOURCE_DESC *, const CUDA_TEXTURE_DESC *, const CUDA_RESOURCE_VIEW_DESC *);
CUresult cuTexObjectDestroy(CUtexObject), cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *, CUtexObject);
CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *, CUtexObject), cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *, CUtexObject);
CUresult cuSurfObjectCreate(CUsurfObject *, const CUDA_RESOURCE_DESC *), cuSurfObjectDestroy(CUsurfObject);
CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *, CUsurfObject);
CUresult cuModuleGetTexRef(CUtexref *, CUmodule, const char *), cuModuleGetSurfRef(CUsurfref *, CUmodule, const char *);
CUresult cuTexRefCreate(CUtexref *), cuTexRefDestroy(CUtexref), cuTexRefSetArray(CUtexref, CUarray, unsigned), cuTexRefGetArray(CUarray *, CUtexref);
CUresult cuTexRefSetMipmappedArray(CUtexref, CUmipmappedArray, unsigned), cuTexRefGetMipmappedArray(CUmipmappedArray *, CUtexref);
CUresult cuTexRefSetAddress_v2(size_t *, CUtexref, CUdeviceptr, size_t), cuTexRefGetAddress_v2(CUdeviceptr *, CUtexref);
CUresult cuTexRefSetAddress2D_v3(CUtexref, const CUDA_ARRAY_DESCRIPTOR *, CUdeviceptr, size_t);
CUresult cuTexRefSetFormat(CUtexref, unsigned, int), cuTexRefGetFormat(unsigned *, int *, CUtexref);
CUresult cuTexRefSetAddressMode(CUtexref, int, unsigned), cuTexRefGetAddressMode(unsigned *, CUtexref, int);
CUresult cuTexRefSetFilterMode(CUtexref, unsigned), cuTexRefGetFilterMode(unsigned *, CUtexref);
CUresult cuTexRefSetMipmapFilterMode(CUtexref, unsigned), cuTexRefGetMipmapFilterMode(unsigned *, CUtexref);
CUresult cuTexRefSetMipmapLevelBias(CUtexref, float), cuTexRefGetMipmapLevelBias(float *, CUtexref);
CUresult cuTexRefSetMipmapLevelClamp(CUtexref, float, float), cuTexRefGetMipmapLevelClamp(float *, float *, CUtexref);
CUresult cuTexRefSetMaxAnisotropy(CUtexref, unsigned), cuTexRefGetMaxAnisotropy(int *, CUtexref);
CUresult cuTexRefSetBorderColor(CUtexref, float *), cuTexRefGetBorderColor(float *, CUtexref);
CUresult cuTexRefSetFlags(CUtexref, unsigned), cuTexRefGetFlags(unsigned *, CUtexref);
CUresult cuSurfRefSetArray(CUsurfref, CUarray, unsigned), cuSurfRefGetArray(CUarray *, CUsurfref);

#endif
