/* A program as `nvcc -cudart shared` makes it: launches, variables of the device, memory, streams and events; and how things go wrong. */
#include "compiled.h"
#include <pthread.h>
#include <unistd.h>

static int called;
static void host_function(void *data) { called += *(int *)data; }
static void callback(Stream stream, Error error, void *data) { called += stream != NULL && error == 0 ? *(int *)data : 0; }

static void launches(void) {
    unsigned host[100], three = 5, count = 1, *data;
    for (unsigned k = 0; k < 100; k++) host[k] = k;
    GOOD(cudaMalloc(&data, sizeof host));
    GOOD(cudaMemcpy(data, host, sizeof host, ToDevice));
    HOLDS(with(4, 32, 0, NULL) == 0);
    scale(data, 100);
    GOOD(cudaGetLastError());
    GOOD(cudaMemcpyToSymbol(&factor, &three, sizeof three, 0, ToDevice));
    void *values[] = {&data, &(unsigned){50}};
    GOOD(cudaLaunchKernel((void *)scale, (Dim3){2, 1, 1}, (Dim3){32, 1, 1}, values, 0, NULL));
    GOOD(cudaLaunchKernel_ptsz((void *)scale, (Dim3){2, 1, 1}, (Dim3){32, 1, 1}, values, 0, NULL));
    GOOD(cudaLaunchCooperativeKernel((void *)scale, (Dim3){2, 1, 1}, (Dim3){32, 1, 1}, values, 0, NULL));
    LaunchConfig config = {{2, 1, 1}, {32, 1, 1}, 0, NULL, NULL, 0};
    GOOD(cudaLaunchKernelExC(&config, (void *)scale, values));
    void *function;
    GOOD(cudaGetFuncBySymbol(&function, (void *)scale));
    GOOD(cudaLaunchKernel(function, (Dim3){2, 1, 1}, (Dim3){32, 1, 1}, values, 0, NULL));
    GOOD(cudaDeviceSynchronize());
    GOOD(cudaMemcpy_ptds(host, data, sizeof host, ToHost));
    for (unsigned k = 0; k < 100; k++) HOLDS(host[k] == 3 * k * (k < 50 ? 5 * 5 * 5 * 5 * 5 : 1));
    GOOD(cudaMemcpyFromSymbol(&count, &counter, sizeof count, 0, ToHost));
    HOLDS(count == 100 + 5 * 50);
    GOOD(cudaFree(data));
}

static void symbols(void) {
    void *address;
    size_t bytes;
    unsigned value = 0;
    GOOD(cudaGetSymbolAddress(&address, &counter));
    GOOD(cudaGetSymbolSize(&bytes, &counter));
    HOLDS(bytes == 4);
    GOOD(cudaMemset(address, 1, 4));
    GOOD(cudaMemcpyFromSymbol(&value, &counter, 2, 2, Default));
    HOLDS(value == 0x0101);
    GOOD(cudaMemcpyToSymbolAsync(&counter, &value, 4, 0, Default, NULL));
    IS(1, cudaMemcpyFromSymbol(&value, &counter, 4, 1, ToHost));
    IS(21, cudaMemcpyFromSymbol(&value, &counter, 4, 0, ToDevice));
    IS(13, cudaMemcpyToSymbol(&called, &value, 4, 0, ToDevice));
    /* A managed variable is one pointer for both. */
    HOLDS(__cudaInitModule(handle) == 1);
    shared_by_both = managed_pointer;
    HOLDS(*shared_by_both == 7);
    *shared_by_both = 20;
    HOLDS(with(1, 1, 0, NULL) == 0);
    twice();
    GOOD(cudaDeviceSynchronize());
    HOLDS(*shared_by_both == 40);
    GOOD(cudaMemcpyFromSymbol(&value, shared_by_both, 4, 0, ToHost));
    HOLDS(value == 40);
    IS(13, cudaGetLastError());
}

static void grids(void) {
    unsigned host[8] = {0}, *out, blocks = 4;
    GOOD(cudaMalloc(&out, sizeof host));
    for (int again = 0; again < 3; again++) {
        GOOD(cudaMemset(out, 0, sizeof host));
        GOOD(cudaLaunchCooperativeKernel((void *)meet, (Dim3){blocks, 1, 1}, (Dim3){1, 1, 1}, (void *[]){&out}, 0, NULL));
        GOOD(cudaMemcpy(host, out, sizeof host, ToHost));
        for (unsigned k = 0; k < blocks; k++) HOLDS(host[2 * k] == k + 1 && host[2 * k + 1] == (k + 1) % blocks + 1);
    }
    /* Blocks of other grids have nothing to wait by. */
    GOOD(cudaMemset(out, 0, sizeof host));
    HOLDS(with(blocks, 1, 0, NULL) == 0);
    meet(out);
    GOOD(cudaMemcpy(host, out, sizeof host, ToHost));
    HOLDS(host[0] == 0 && host[7] == 0);
    GOOD(cudaFree(out));
}

static void memory(void) {
    unsigned char host[64], *data, *pinned, *managed, own[64];
    size_t pitch, left, all;
    PointerAttributes attributes;
    GOOD(cudaMalloc(&data, 0));
    HOLDS(data == NULL);
    GOOD(cudaFree(data));
    GOOD(cudaFreeHost(NULL));
    IS(1, cudaFree(host));
    IS(2, cudaMalloc(&data, (size_t)1 << 60));
    GOOD(cudaMemGetInfo(&left, &all));
    HOLDS(left <= all && all > 0);
    GOOD(cudaMallocPitch(&data, &pitch, 10, 4));
    HOLDS(pitch % 512 == 0);
    GOOD(cudaMemset2D(data, pitch, 9, 10, 4));
    memset(host, 1, sizeof host);
    GOOD(cudaMemcpy2D(host, 16, data, pitch, 10, 4, ToHost));
    HOLDS(host[0] == 9 && host[9] == 9 && host[10] == 1 && host[48] == 9 && host[58] == 1);
    IS(12, cudaMemcpy2D(host, 8, data, pitch, 10, 4, ToHost));
    IS(21, cudaMemcpy(host, data, 4, 5));
    GOOD(cudaPointerGetAttributes(&attributes, data + 3));
    HOLDS(attributes.type == 2 && attributes.device == 0 && attributes.devicePointer == data + 3);
    GOOD(cudaFree(data));
    Pitched box;
    GOOD(cudaMalloc3D(&box, (Extent){8, 2, 3}));
    HOLDS(box.xsize == 8 && box.ysize == 2);
    GOOD(cudaMemset3D(box, 4, (Extent){8, 2, 3}));
    Copy3D copy = {.srcPtr = box, .dstPtr = {host, 8, 8, 2}, .extent = {8, 2, 3}, .kind = ToHost};
    GOOD(cudaMemcpy3D(&copy));
    HOLDS(host[0] == 4 && host[47] == 4 && host[48] == 9);
    GOOD(cudaFree(box.ptr));
    GOOD(cudaHostAlloc(&pinned, 64, 2));
    GOOD(cudaHostGetDevicePointer(&data, pinned, 0));
    HOLDS(data == pinned);
    GOOD(cudaPointerGetAttributes(&attributes, pinned));
    HOLDS(attributes.type == 1 && attributes.hostPointer == pinned);
    GOOD(cudaMallocManaged(&managed, 64, 1));
    GOOD(cudaPointerGetAttributes(&attributes, managed));
    HOLDS(attributes.type == 3);
    GOOD(cudaPointerGetAttributes(&attributes, shared_by_both));
    HOLDS(attributes.type == 3 && attributes.hostPointer == shared_by_both);
    GOOD(cudaPointerGetAttributes(&attributes, own));
    HOLDS(attributes.type == 0 && attributes.hostPointer == own && attributes.devicePointer == NULL);
    memset(pinned, 5, 64);
    GOOD(cudaMemcpy(managed, pinned, 64, Default));
    GOOD(cudaMemcpy(own, managed, 64, Default));
    HOLDS(managed[63] == 5 && own[63] == 5);
    GOOD(cudaHostRegister(own, sizeof own, 0));
    GOOD(cudaHostUnregister(own));
    GOOD(cudaFreeHost(pinned));
    GOOD(cudaFree(managed));
}

static void streams(void) {
    Stream stream;
    Event start, end;
    float milliseconds = -1;
    int ten = 10, capturing = 1;
    unsigned *data, host = 0;
    GOOD(cudaStreamCreate(&stream));
    GOOD(cudaEventCreate(&start));
    GOOD(cudaEventCreateWithFlags(&end, 0));
    IS(400, cudaEventElapsedTime(&milliseconds, start, end));
    GOOD(cudaEventRecord(start, stream));
    GOOD(cudaMallocAsync(&data, 4, stream));
    GOOD(cudaMemsetAsync(data, 0, 4, stream));
    GOOD(cudaLaunchHostFunc(stream, host_function, &ten));
    GOOD(cudaStreamAddCallback(stream, callback, &ten, 0));
    GOOD(cudaMemcpyAsync(&host, data, 4, ToHost, stream));
    GOOD(cudaFreeAsync(data, stream));
    GOOD(cudaEventRecord(end, stream));
    GOOD(cudaStreamWaitEvent(NULL, end, 0));
    GOOD(cudaStreamQuery(stream));
    GOOD(cudaEventQuery(end));
    GOOD(cudaEventSynchronize(end));
    GOOD(cudaStreamSynchronize(stream));
    GOOD(cudaEventElapsedTime(&milliseconds, start, end));
    HOLDS(milliseconds >= 0 && called == 20);
    GOOD(cudaStreamIsCapturing(stream, &capturing));
    HOLDS(capturing == 0);
    GOOD(cudaEventDestroy(start));
    GOOD(cudaEventDestroy(end));
    GOOD(cudaStreamDestroy(stream));
    IS(400, cudaStreamSynchronize(stream));
}

static void device(void) {
    int count, number = 7, value, blocks, runtime, driver, found = 9;
    Properties properties;
    FunctionAttributes attributes;
    GOOD(cudaGetDeviceCount(&count));
    GOOD(cudaGetDevice(&number));
    HOLDS(count == 1 && number == 0);
    IS(101, cudaSetDevice(1));
    GOOD(cudaSetDevice(0));
    memset(&properties, 0xee, sizeof properties);
    GOOD(cudaGetDeviceProperties(&properties, 0));
    HOLDS(properties.name[0] && properties.major == 8 && properties.minor == 0 && properties.warpSize == 32);
    HOLDS(properties.maxThreadsDim[2] == 64 && properties.maxGridSize[0] == 2147483647 && properties.totalConstMem == 65536);
    HOLDS(properties.textureAlignment == 512 && properties.surfaceAlignment == 512 && properties.concurrentKernels == 1);
    HOLDS(properties.maxTexture2DGather[0] == 32768 && properties.maxSurfaceCubemapLayered[1] == 2046);
    HOLDS(properties.l2CacheSize == 41943040 && properties.managedMemory == 1 && properties.cooperativeLaunch == 1);
    HOLDS(properties.reservedSharedMemPerBlock == 1024 && properties.memoryPoolsSupported == 1);
    HOLDS(properties.unifiedFunctionPointers == 1 && properties.clusterLaunch == 0 && properties.reserved[0] == 0);
    GOOD(cudaDeviceGetAttribute(&value, 97, 0));
    HOLDS((size_t)value == properties.sharedMemPerBlockOptin);
    IS(101, cudaDeviceGetAttribute(&value, 97, 1));
    GOOD(cudaRuntimeGetVersion(&runtime));
    GOOD(cudaDriverGetVersion(&driver));
    HOLDS(runtime / 1000 == MAJOR && driver >= runtime);
    GOOD(cudaFuncGetAttributes(&attributes, (void *)large));
    HOLDS(attributes.ptxVersion == 80 && attributes.maxThreadsPerBlock == 1024 && attributes.maxDynamicSharedSizeBytes == 49152);
    GOOD(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (void *)scale, 128, 0));
    HOLDS(blocks > 0);
    void *entry = NULL;
    GOOD(cudaGetDriverEntryPoint("cuMemAlloc", &entry, 0, &found));
    HOLDS(entry == (void *)cuMemAlloc_v2 && found == 0);
    GOOD(cudaGetDriverEntryPoint("cuNothing", &entry, 0, &found));
    HOLDS(entry == NULL && found == 1);
}

static void errors(void) {
    void *values[] = {&(void *){0}};
    GOOD(cudaGetLastError());
    /* What is wrong with a launch. */
    HOLDS(with(1, 1025, 0, NULL) == 0);
    twice();
    IS(9, cudaPeekAtLastError());
    IS(9, cudaGetLastError());
    GOOD(cudaGetLastError());
    IS(9, cudaLaunchKernel((void *)twice, (Dim3){0, 1, 1}, (Dim3){1, 1, 1}, NULL, 0, NULL));
    IS(9, cudaLaunchKernel((void *)twice, (Dim3){1, 65536, 1}, (Dim3){1, 1, 1}, NULL, 0, NULL));
    IS(1, cudaLaunchKernel((void *)large, (Dim3){1, 1, 1}, (Dim3){1, 1, 1}, NULL, 50000, NULL));
    GOOD(cudaFuncSetAttribute((void *)large, 8, 50000));
    GOOD(cudaLaunchKernel((void *)large, (Dim3){1, 1, 1}, (Dim3){1, 1, 1}, NULL, 50000, NULL));
    IS(98, cudaLaunchKernel((void *)errors, (Dim3){1, 1, 1}, (Dim3){1, 1, 1}, NULL, 0, NULL));
    IS(98, cudaLaunchKernel((void *)missing, (Dim3){1, 1, 1}, (Dim3){1, 1, 1}, NULL, 0, NULL));
    IS(400, cudaLaunchKernel((void *)twice, (Dim3){1, 1, 1}, (Dim3){1, 1, 1}, NULL, 0, (Stream)values));
    Dim3 extent;
    size_t bytes;
    IS(52, __cudaPopCallConfiguration(&extent, &extent, &bytes, values));
    HOLDS(cudaGetLastError() == 52);
    /* What a kernel does wrong is told by the next call that waits for it. */
    HOLDS(with(1, 1, 0, NULL) == 0);
    read_at((void *)8);
    GOOD(cudaGetLastError());
    IS(700, cudaDeviceSynchronize());
    IS(700, cudaGetLastError());
    GOOD(cudaDeviceSynchronize());
    HOLDS(!strcmp(cudaGetErrorName(700), "cudaErrorIllegalAddress") && !strcmp(cudaGetErrorString(0), "no error"));
    HOLDS(!strcmp(cudaGetErrorName(12345), "unrecognized error code"));
    IS(801, cudaArrayGetPlane(values, NULL, 0));
    IS(900, cudaStreamBeginCapture(NULL, 0));
    IS(900, cudaGetLastError());
}

/* A program that uses the driver's interface, too, has the same context and memory; and code is in each context that uses it. */
static void both_interfaces(void) {
    void *context, *other;
    unsigned *data, value = 6, two = 2;
    GOOD(cuCtxGetCurrent(&context));
    HOLDS(context != NULL);
    GOOD(cuMemAlloc_v2(&data, 4));
    GOOD(cudaMemcpyToSymbol(&factor, &two, 4, 0, ToDevice));
    GOOD(cudaMemcpy(data, &value, 4, ToDevice));
    HOLDS(with(1, 1, 0, NULL) == 0);
    scale(data, 1);
    GOOD(cudaMemcpy(&value, data, 4, ToHost));
    HOLDS(value == 12);
    GOOD(cuMemFree_v2(data));
    GOOD(cuCtxCreate_v2(&other, 0, 0));
    GOOD(cudaMemcpyFromSymbol(&value, &factor, 4, 0, ToHost));
    HOLDS(value == 3);
    GOOD(cuCtxDestroy_v2(other));
    GOOD(cudaMemcpyFromSymbol(&value, &factor, 4, 0, ToHost));
    HOLDS(value == 2);
    /* A fresh context has fresh code. */
    GOOD(cudaDeviceReset());
    GOOD(cudaMemcpyFromSymbol(&value, &factor, 4, 0, ToHost));
    HOLDS(value == 3);
    GOOD(cudaMemcpyToSymbol(&factor, &two, 4, 0, ToDevice));
    GOOD(cuDevicePrimaryCtxReset_v2(0));
    GOOD(cudaMemcpyFromSymbol(&value, &factor, 4, 0, ToHost));
    HOLDS(value == 3);
}

/* Threads have errors and configurations of their own, and one context. */
static void *thread(void *into) {
    unsigned *data, value = 5;
    GOOD(cudaMalloc(&data, 4));
    GOOD(cudaMemcpy(data, &value, 4, ToDevice));
    for (int k = 0; k < 100; k++) {
        HOLDS(with(1, 1, 0, NULL) == 0);
        scale(data, 0);
        IS(1, cudaFree(&value));
        IS(1, cudaGetLastError());
    }
    HOLDS(with(1, 1, 0, NULL) == 0);
    scale(data, 1);
    GOOD(cudaMemcpy(into, data, 4, ToHost));
    GOOD(cudaFree(data));
    return NULL;
}

/* Two fat binaries that are linked when one of them is used, and code that is no PTX. */
static Fat parts[2];
static const void *list[] = {&parts[0], &parts[1], NULL};
static Wrapper linked = {0x466243b1, 2, NULL, list};
static void linked_kernel(void) {}
static void linked_binaries(void) {
    unsigned *data, value = 0;
    fat(&parts[0], HEAD, ".extern .func (.reg .u32 r) f();\n.visible .entry k(.param .u64 to) { .reg .b64 %rd; .reg .b32 %r;\n"
                         " ld.param.u64 %rd, [to]; call (%r), f; st.global.u32 [%rd], %r; ret; }\n");
    fat(&parts[1], HEAD, ".visible .func (.reg .u32 r) f() { mov.u32 r, 42; ret; }\n");
    void **second = __cudaRegisterFatBinary(&linked);
    __cudaRegisterFunction(second, (char *)linked_kernel, (char *)"k", "k", -1, NULL, NULL, NULL, NULL, NULL);
    GOOD(cudaMalloc(&data, 4));
    GOOD(cudaLaunchKernel((void *)linked_kernel, (Dim3){1, 1, 1}, (Dim3){1, 1, 1}, (void *[]){&data}, 0, NULL));
    GOOD(cudaMemcpy(&value, data, 4, ToHost));
    HOLDS(value == 42);
    __cudaUnregisterFatBinary(second);
    IS(98, cudaLaunchKernel((void *)linked_kernel, (Dim3){1, 1, 1}, (Dim3){1, 1, 1}, (void *[]){&data}, 0, NULL));
    linked.version = 1, linked.data = &parts[0], parts[0].kind = 2;
    second = __cudaRegisterFatBinary(&linked);
    __cudaRegisterFunction(second, (char *)linked_kernel, (char *)"k", "k", -1, NULL, NULL, NULL, NULL, NULL);
    IS(209, cudaLaunchKernel((void *)linked_kernel, (Dim3){1, 1, 1}, (Dim3){1, 1, 1}, (void *[]){&data}, 0, NULL));
    __cudaUnregisterFatBinary(second);
    GOOD(cudaFree(data));
}

/* Graphs: what a stream is given in a capture, and nodes of the kinds whose structures the driver has otherwise. */
static void graphs(void) {
    Graph graph;
    Ready ready;
    Stream stream;
    Node nodes[8], before;
    size_t count = 8;
    unsigned *data, host[4] = {1, 2, 3, 4}, back[4] = {0}, n = 4, factors[] = {5, 7}, told;
    GOOD(cudaMalloc(&data, sizeof host));
    void *values[] = {&data, &n};
    GOOD(cudaStreamCreateWithFlags(&stream, 1));
    GOOD(cudaStreamBeginCapture(stream, 0));
    GOOD(cudaMemcpyToSymbolAsync(&factor, &factors[0], 4, 0, ToDevice, stream));
    GOOD(cudaMemcpyAsync(data, host, sizeof host, ToDevice, stream));
    GOOD(cudaLaunchKernel((void *)scale, (Dim3){1, 1, 1}, (Dim3){32, 1, 1}, values, 0, stream));
    GOOD(cudaMemcpyAsync(back, data, sizeof back, ToHost, stream));
    IS(900, cudaStreamSynchronize(stream));
    IS(901, cudaStreamEndCapture(stream, &graph));
    HOLDS(cudaGetLastError() == 901);
    GOOD(cudaStreamBeginCapture(stream, 0));
    GOOD(cudaMemcpyToSymbolAsync(&factor, &factors[0], 4, 0, ToDevice, stream));
    GOOD(cudaMemcpyAsync(data, host, sizeof host, ToDevice, stream));
    GOOD(cudaLaunchKernel((void *)scale, (Dim3){1, 1, 1}, (Dim3){32, 1, 1}, values, 0, stream));
    GOOD(cudaMemcpyAsync(back, data, sizeof back, ToHost, stream));
    GOOD(cudaStreamEndCapture(stream, &graph));
    GOOD(cudaGraphGetNodes(graph, nodes, &count));
    HOLDS(count == 4 && back[3] == 0);
    GOOD(cudaGraphInstantiate(&ready, graph, 0));
    GOOD(cudaGraphLaunch(ready, stream));
    GOOD(cudaStreamSynchronize(stream));
    HOLDS(back[0] == 5 && back[3] == 20);
    KernelNode kernel;
    GOOD(cudaGraphKernelNodeGetParams(nodes[2], &kernel));
    HOLDS(kernel.block.x == 32 && *(unsigned *)kernel.kernelParams[1] == 4);
    n = 2, kernel.kernelParams = values, kernel.func = (void *)scale;
    GOOD(cudaGraphExecKernelNodeSetParams(ready, nodes[2], &kernel));
    GOOD(cudaGraphLaunch_ptsz(ready, stream));
    HOLDS(back[0] == 5 && back[3] == 4);
    Copy3D copy;
    GOOD(cudaGraphMemcpyNodeGetParams(nodes[3], &copy));
    HOLDS(copy.kind == ToHost && copy.srcPtr.ptr == data && copy.dstPtr.ptr == back && copy.extent.width == sizeof back);
    GOOD(cudaGraphExecDestroy(ready));
    GOOD(cudaGraphDestroy(graph));

    GOOD(cudaGraphCreate(&graph, 0));
    FillNode fill = {data, 0, 3, 4, 4, 1};
    GOOD(cudaGraphAddMemsetNode(&nodes[0], graph, NULL, 0, &fill));
    GOOD(cudaGraphAddMemcpyNodeToSymbol(&nodes[1], graph, nodes, 1, &factor, &factors[1], 4, 0, ToDevice));
    AnyNode any = {.kind = 0, .kernel = {(void *)scale, {1, 1, 1}, {32, 1, 1}, 0, values, NULL}};
    GOOD(cudaGraphAddNode(&nodes[2], graph, &nodes[1], NULL, 1, &any));
    copy.srcPtr.ptr = data, copy.dstPtr.ptr = back;
    GOOD(cudaGraphAddMemcpyNode(&nodes[3], graph, &nodes[2], 1, &copy));
    GOOD(cudaGraphAddMemcpyNodeFromSymbol(&nodes[4], graph, &nodes[2], 1, &told, &factor, 4, 0, ToHost));
    GOOD(cudaGraphAddMemcpyNode1D(&nodes[5], graph, &nodes[3], 1, &host[3], &back[0], 4, HostToHost));
    AnyNode any_fill = {.kind = 2, .fill = fill}, any_copy = {.kind = 1, .copy = {{0, 0}, copy}};
    count = 1;
    GOOD(cudaGraphNodeGetDependencies(nodes[5], &before, NULL, &count));
    HOLDS(count == 1 && before == nodes[3]);
    GOOD(cudaGraphInstantiate(&ready, graph, 0));
    GOOD(cudaGraphLaunch(ready, NULL));
    HOLDS(back[0] == 21 && back[1] == 21 && back[2] == 3 && told == 7 && host[3] == 21);
    any_fill.fill.value = 4, any_copy.copy.copy.dstPtr.ptr = host;
    GOOD(cudaGraphExecNodeSetParams(ready, nodes[0], &any_fill));
    GOOD(cudaGraphExecNodeSetParams(ready, nodes[3], &any_copy));
    any.kernel.block.x = 1;
    GOOD(cudaGraphExecNodeSetParams(ready, nodes[2], &any));
    GOOD(cudaGraphLaunch(ready, NULL));
    HOLDS(host[0] == 28 && host[1] == 4 && host[2] == 4 && host[3] == 21);
    GOOD(cudaGraphExecDestroy(ready));
    GOOD(cudaGraphDestroy(graph));
    GOOD(cudaStreamDestroy(stream));
    GOOD(cudaFree(data));
}

/* What two processes do with these is the driver's, and judged there. */
static void handles(void) {
    void *data, *opened;
    Event event, other;
    Handle memory, again, handle;
    GOOD(cudaMalloc(&data, 100));
    GOOD(cudaIpcGetMemHandle(&memory, data));
    GOOD(cudaIpcGetMemHandle(&again, data));
    HOLDS(memcmp(&memory, &again, sizeof memory) == 0);
    IS(201, cudaIpcOpenMemHandle(&opened, memory, 1));
    IS(1, cudaIpcOpenMemHandle(&opened, memory, 0));
    IS(1, cudaIpcCloseMemHandle(data));
    GOOD(cudaEventCreateWithFlags(&event, 6));
    GOOD(cudaIpcGetEventHandle(&handle, event));
    IS(201, cudaIpcOpenEventHandle(&other, handle));
    IS(1, cudaIpcOpenEventHandle(&other, memory));
    GOOD(cudaEventDestroy(event));
    GOOD(cudaFree(data));
}

int main(void) {
    launches();
    symbols();
    grids();
    memory();
    streams();
    graphs();
    handles();
    device();
    cudaGetLastError();
    errors();
    both_interfaces();
    unsigned values[2];
    pthread_t threads[2];
    for (int k = 0; k < 2; k++) pthread_create(&threads[k], NULL, thread, &values[k]);
    for (int k = 0; k < 2; k++) pthread_join(threads[k], NULL);
    HOLDS(values[0] == 15 && values[1] == 15);
    linked_binaries();
    puts("all good");
    return 0;
}
