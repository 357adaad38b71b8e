/* As much of CUDA's runtime interface as programs here use: declarations of our own, and expectations. */
#ifndef RUNTIME_H
#define RUNTIME_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned Error;
typedef void *Stream;
typedef void *Event;
typedef struct {
    unsigned x, y, z;
} Dim3;
typedef struct {
    size_t width, height, depth;
} Extent;
typedef struct {
    void *ptr;
    size_t pitch, xsize, ysize;
} Pitched;
typedef struct {
    size_t x, y, z;
} Position;
typedef struct {
    void *srcArray;
    Position srcPos;
    Pitched srcPtr;
    void *dstArray;
    Position dstPos;
    Pitched dstPtr;
    Extent extent;
    int kind;
} Copy3D;
typedef struct {
    void *func;
    Dim3 grid, block;
    unsigned shared;
    void **kernelParams, **extra;
} KernelNode;
typedef struct {
    void *dst;
    size_t pitch;
    unsigned value, elementSize;
    size_t width, height;
} FillNode;
typedef struct {
    unsigned kind, reserved[3];
    union {
        KernelNode kernel;
        FillNode fill;
        struct {
            unsigned long long flags[2];
            Copy3D copy;
        } copy;
        long long room[29];
    };
    long long reserved2;
} AnyNode;
typedef struct {
    unsigned type;
    int device;
    void *devicePointer, *hostPointer;
    long reserved[8];
} PointerAttributes;
typedef struct {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes, rest[24];
} FunctionAttributes;
typedef struct {
    Dim3 grid, block;
    size_t shared;
    Stream stream;
    void *attributes;
    unsigned count;
} LaunchConfig;
typedef struct {
    char name[256];
    unsigned char uuid[16];
    char luid[8];
    unsigned luidDeviceNodeMask;
    size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize;
    size_t memPitch;
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
#if MAJOR == 12
    int clockRate;
#endif
    size_t totalConstMem;
    int major, minor;
    size_t textureAlignment, texturePitchAlignment;
#if MAJOR == 12
    int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory, computeMode, maxTexture1D,
        maxTexture1DMipmap, maxTexture1DLinear;
#else
    int multiProcessorCount, integrated, canMapHostMemory, maxTexture1D, maxTexture1DMipmap;
#endif
    int maxTexture2D[2], maxTexture2DMipmap[2], maxTexture2DLinear[3], maxTexture2DGather[2], maxTexture3D[3], maxTexture3DAlt[3],
        maxTextureCubemap, maxTexture1DLayered[2], maxTexture2DLayered[3], maxTextureCubemapLayered[2], maxSurface1D, maxSurface2D[2],
        maxSurface3D[3], maxSurface1DLayered[2], maxSurface2DLayered[3], maxSurfaceCubemap, maxSurfaceCubemapLayered[2];
    size_t surfaceAlignment;
    int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount, unifiedAddressing;
#if MAJOR == 12
    int memoryClockRate;
#endif
    int memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize, maxThreadsPerMultiProcessor, streamPrioritiesSupported,
        globalL1CacheSupported, localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported;
#if MAJOR == 12
    int singleToDoublePrecisionPerfRatio;
#endif
    int pageableMemoryAccess, concurrentManagedAccess, computePreemptionSupported, canUseHostPointerForRegisteredMem, cooperativeLaunch;
#if MAJOR == 12
    int cooperativeMultiDeviceLaunch;
#endif
    size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, maxBlocksPerMultiProcessor, accessPolicyMaxWindowSize;
    size_t reservedSharedMemPerBlock;
    int hostRegisterSupported, sparseCudaArraySupported, hostRegisterReadOnlySupported, timelineSemaphoreInteropSupported,
        memoryPoolsSupported, gpuDirectRDMASupported;
    unsigned gpuDirectRDMAFlushWritesOptions;
    int gpuDirectRDMAWritesOrdering;
    unsigned memoryPoolSupportedHandleTypes;
    int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch, unifiedFunctionPointers;
#if MAJOR == 12
    int reserved[63];
#else
    int deviceNumaConfig, deviceNumaId, mpsEnabled, hostNumaId;
    unsigned gpuPciDeviceID, gpuPciSubsystemID;
    int hostNumaMultinodeIpcSupported, reserved[56];
#endif
} Properties;

enum { HostToHost, ToDevice, ToHost = 2, OnDevice = 3, Default = 4 };

void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **);
void __cudaUnregisterFatBinary(void **);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *, void *, void *, int *);
void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int);
void __cudaRegisterManagedVar(void **, void **, char *, const char *, int, size_t, int, int);
char __cudaInitModule(void **);
unsigned __cudaPushCallConfiguration(Dim3, Dim3, size_t, void *);
Error __cudaPopCallConfiguration(Dim3 *, Dim3 *, size_t *, void *);
Error __cudaGetKernel(void **, const void *);
Error __cudaLaunchKernel(void *, Dim3, Dim3, void **, size_t, Stream);
Error cudaLaunchKernel(const void *, Dim3, Dim3, void **, size_t, Stream);
Error cudaLaunchKernel_ptsz(const void *, Dim3, Dim3, void **, size_t, Stream);
Error cudaLaunchKernelExC(const LaunchConfig *, const void *, void **);
Error cudaLaunchCooperativeKernel(const void *, Dim3, Dim3, void **, size_t, Stream);
Error cudaLaunchHostFunc(Stream, void (*)(void *), void *);
Error cudaMalloc(void *, size_t);
Error cudaMallocManaged(void *, size_t, unsigned);
Error cudaMallocPitch(void *, size_t *, size_t, size_t);
Error cudaMalloc3D(Pitched *, Extent);
Error cudaMallocHost(void *, size_t);
Error cudaHostAlloc(void *, size_t, unsigned);
Error cudaHostRegister(void *, size_t, unsigned);
Error cudaHostUnregister(void *);
Error cudaHostGetDevicePointer(void *, void *, unsigned);
Error cudaMallocAsync(void *, size_t, Stream);
Error cudaFreeAsync(void *, Stream);
Error cudaFree(void *);
Error cudaFreeHost(void *);
Error cudaMemGetInfo(size_t *, size_t *);
Error cudaMemcpy(void *, const void *, size_t, int);
Error cudaMemcpy_ptds(void *, const void *, size_t, int);
Error cudaMemcpyAsync(void *, const void *, size_t, int, Stream);
Error cudaMemcpy2D(void *, size_t, const void *, size_t, size_t, size_t, int);
Error cudaMemcpy3D(const Copy3D *);
Error cudaMemcpyToSymbol(const void *, const void *, size_t, size_t, int);
Error cudaMemcpyFromSymbol(void *, const void *, size_t, size_t, int);
Error cudaMemcpyToSymbolAsync(const void *, const void *, size_t, size_t, int, Stream);
Error cudaGetSymbolAddress(void **, const void *);
Error cudaGetSymbolSize(size_t *, const void *);
Error cudaMemset(void *, int, size_t);
Error cudaMemsetAsync(void *, int, size_t, Stream);
Error cudaMemset2D(void *, size_t, int, size_t, size_t);
Error cudaMemset3D(Pitched, int, Extent);
Error cudaPointerGetAttributes(PointerAttributes *, const void *);
Error cudaStreamCreate(Stream *);
Error cudaStreamCreateWithFlags(Stream *, unsigned);
Error cudaStreamDestroy(Stream);
Error cudaStreamSynchronize(Stream);
Error cudaStreamQuery(Stream);
Error cudaStreamWaitEvent(Stream, Event, unsigned);
Error cudaStreamAddCallback(Stream, void (*)(Stream, Error, void *), void *, unsigned);
Error cudaStreamBeginCapture(Stream, int);
Error cudaStreamIsCapturing(Stream, int *);
Error cudaEventCreate(Event *);
Error cudaEventCreateWithFlags(Event *, unsigned);
Error cudaEventDestroy(Event);
Error cudaEventRecord(Event, Stream);
Error cudaEventQuery(Event);
Error cudaEventSynchronize(Event);
Error cudaEventElapsedTime(float *, Event, Event);
typedef struct {
    char reserved[64];
} Handle;

Error cudaIpcGetMemHandle(Handle *, void *);
Error cudaIpcOpenMemHandle(void **, Handle, unsigned);
Error cudaIpcCloseMemHandle(void *);
Error cudaIpcGetEventHandle(Handle *, Event);
Error cudaIpcOpenEventHandle(Event *, Handle);
Error cudaDeviceSynchronize(void);
Error cudaDeviceReset(void);
Error cudaGetDeviceCount(int *);
Error cudaGetDevice(int *);
Error cudaSetDevice(int);
Error cudaDeviceGetAttribute(int *, int, int);
#if MAJOR == 12
#define cudaGetDeviceProperties cudaGetDeviceProperties_v2
#endif
Error cudaGetDeviceProperties(Properties *, int);
Error cudaGetLastError(void);
Error cudaPeekAtLastError(void);
const char *cudaGetErrorName(Error);
const char *cudaGetErrorString(Error);
Error cudaRuntimeGetVersion(int *);
Error cudaDriverGetVersion(int *);
Error cudaFuncGetAttributes(FunctionAttributes *, const void *);
Error cudaFuncSetAttribute(const void *, int, int);
Error cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *, const void *, int, size_t);
Error cudaGetDriverEntryPoint(const char *, void **, unsigned long long, int *);
Error cudaGetFuncBySymbol(void **, const void *);
typedef void *Graph;
typedef void *Node;
typedef void *Ready;
Error cudaGraphCreate(Graph *, unsigned), cudaGraphDestroy(Graph), cudaGraphGetNodes(Graph, Node *, size_t *);
Error cudaGraphAddKernelNode(Node *, Graph, const Node *, size_t, const KernelNode *), cudaGraphKernelNodeGetParams(Node, KernelNode *);
Error cudaGraphAddMemcpyNode(Node *, Graph, const Node *, size_t, const Copy3D *), cudaGraphMemcpyNodeGetParams(Node, Copy3D *);
Error cudaGraphAddMemcpyNode1D(Node *, Graph, const Node *, size_t, void *, const void *, size_t, int);
Error cudaGraphAddMemcpyNodeToSymbol(Node *, Graph, const Node *, size_t, const void *, const void *, size_t, size_t, int);
Error cudaGraphAddMemcpyNodeFromSymbol(Node *, Graph, const Node *, size_t, void *, const void *, size_t, size_t, int);
Error cudaGraphAddMemsetNode(Node *, Graph, const Node *, size_t, const FillNode *), cudaGraphExecKernelNodeSetParams(Ready, Node, const KernelNode *);
#if MAJOR == 12
Error cudaGraphAddNode_v2(Node *, Graph, const Node *, const void *, size_t, AnyNode *), cudaGraphNodeGetDependencies_v2(Node, Node *, void *, size_t *);
#define cudaGraphAddNode cudaGraphAddNode_v2
#define cudaGraphNodeGetDependencies cudaGraphNodeGetDependencies_v2
#else
Error cudaGraphAddNode(Node *, Graph, const Node *, const void *, size_t, AnyNode *), cudaGraphNodeGetDependencies(Node, Node *, void *, size_t *);
#endif
Error cudaGraphExecNodeSetParams(Ready, Node, AnyNode *), cudaGraphInstantiate(Ready *, Graph, unsigned long long), cudaGraphLaunch(Ready, Stream);
Error cudaGraphLaunch_ptsz(Ready, Stream), cudaGraphExecDestroy(Ready), cudaStreamBeginCapture(Stream, int), cudaStreamEndCapture(Stream, Graph *);
Error cudaArrayGetPlane(void *, void *, unsigned);

/* Functions of the driver, which lies beside it. */
Error cuCtxGetCurrent(void **);
Error cuCtxCreate_v2(void **, unsigned, int);
Error cuCtxDestroy_v2(void *);
Error cuCtxPopCurrent_v2(void **);
Error cuDevicePrimaryCtxReset_v2(int);
Error cuMemAlloc_v2(void *, size_t);
Error cuMemFree_v2(void *);

#define IS(wanted, call)                                                                                                 \
    do {                                                                                                                 \
        unsigned is_status = (call);                                                                                     \
        if (is_status != (wanted)) {                                                                                     \
            printf("%s:%d: %s gives %u, not %u\n", __FILE__, __LINE__, #call, is_status, (unsigned)(wanted));            \
            exit(1);                                                                                                     \
        }                                                                                                                \
    } while (0)
#define GOOD(call) IS(0, call)
#define HOLDS(claim)                                                                                                     \
    do {                                                                                                                 \
        if (!(claim)) {                                                                                                  \
            printf("%s:%d: %s does not hold\n", __FILE__, __LINE__, #claim);                                             \
            exit(1);                                                                                                     \
        }                                                                                                                \
    } while (0)

#endif
