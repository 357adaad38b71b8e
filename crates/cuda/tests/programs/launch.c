/* Launches in every way, how they go wrong, streams, events, functions of the host, occupancy. */
#include "common.h"
#include <unistd.h>

static int called;

static void host_function(void *data) { called += *(int *)data; }
static void callback(CUstream stream, CUresult status, void *data) { called += stream != NULL && status == 0 ? *(int *)data : 0; }
static size_t bytes_of(int threads) { return 16 * (size_t)threads; }

int main(void) {
    CUmodule module = begin();
    CUfunction scale = kernel(module, "scale");
    CUdeviceptr data;
    CUstream stream;
    CUevent start, end;
    unsigned host[100], n = 100, factor = 3;
    int blocks, threads, ten = 10;
    float milliseconds;
    GOOD(cuMemAlloc_v2(&data, sizeof host));
    GOOD(cuMemsetD32_v2(data, 2, 100));
    GOOD(cuStreamCreate(&stream, 1));
    GOOD(cuEventCreate(&start, 0));
    GOOD(cuEventCreate(&end, 0));
    IS(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&milliseconds, start, end));
    GOOD(cuEventRecord(start, stream));

    void *values[] = {&data, &n, &factor};
    GOOD(cuLaunchKernel(scale, 4, 1, 1, 32, 1, 1, 0, stream, values, NULL));
    struct {
        CUdeviceptr data;
        unsigned n, factor;
    } packed = {data, 50, 5};
    size_t size = sizeof packed;
    void *extra[] = {(void *)1, &packed, (void *)2, &size, (void *)0};
    GOOD(cuLaunchKernel(scale, 4, 1, 1, 32, 1, 1, 0, stream, NULL, extra));
    IS(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(scale, 4, 1, 1, 32, 1, 1, 0, stream, values, extra));
    size = 12;
    IS(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(scale, 4, 1, 1, 32, 1, 1, 0, stream, NULL, extra));
    CUlaunchAttribute attribute = {2, {0}, {1}};
    CUlaunchConfig config = {4, 1, 1, 32, 1, 1, 0, stream, &attribute, 1};
    GOOD(cuLaunchKernelEx(&config, scale, values, NULL));
    attribute.id = 4, attribute.value[0] = 1, attribute.value[1] = 1, attribute.value[2] = 1;
    GOOD(cuLaunchKernelEx(&config, scale, values, NULL));
    attribute.value[0] = 2;
    IS(CUDA_ERROR_NOT_SUPPORTED, cuLaunchKernelEx(&config, scale, values, NULL));
    GOOD(cuLaunchCooperativeKernel(scale, 4, 1, 1, 32, 1, 1, 0, stream, values));
    IS(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, cuLaunchCooperativeKernel(scale, 100000, 1, 1, 32, 1, 1, 0, stream, values));
    GOOD(cuMemcpyDtoH_v2(host, data, sizeof host));
    HOLDS(host[0] == 2 * 3 * 5 * 3 * 3 * 3 && host[99] == 2 * 3 * 3 * 3 * 3);

    IS(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(scale, 0, 1, 1, 32, 1, 1, 0, stream, values, NULL));
    IS(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(scale, 1, 1, 1, 1025, 1, 1, 0, stream, values, NULL));
    IS(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(kernel(module, "shaped"), 1, 1, 1, 32, 1, 1, 0, NULL, values, NULL));
    IS(CUDA_ERROR_INVALID_HANDLE, cuLaunchKernel((CUfunction)values, 1, 1, 1, 1, 1, 1, 0, NULL, values, NULL));
    IS(CUDA_ERROR_INVALID_HANDLE, cuLaunchKernel(scale, 1, 1, 1, 1, 1, 1, 0, (CUstream)values, values, NULL));
    CUfunction large = kernel(module, "large");
    IS(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(large, 1, 1, 1, 1, 1, 1, 50000, NULL, NULL, NULL));
    GOOD(cuFuncSetAttribute(large, 8, 50000));
    GOOD(cuLaunchKernel(large, 1, 1, 1, 1, 1, 1, 50000, NULL, NULL, NULL));
    GOOD(cuCtxSynchronize());

    /* What goes wrong is answered once, by the next call that waits. */
    GOOD(cuLaunchKernel(kernel(module, "stop"), 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL));
    IS(CUDA_ERROR_LAUNCH_FAILED, cuStreamSynchronize(stream));
    GOOD(cuStreamSynchronize(stream));
    CUdeviceptr odd = data + 2;
    void *misaligned[] = {&odd};
    GOOD(cuLaunchKernel(kernel(module, "read"), 1, 1, 1, 1, 1, 1, 0, stream, misaligned, NULL));
    IS(CUDA_ERROR_MISALIGNED_ADDRESS, cuMemcpyDtoH_v2(host, data, 4));
    GOOD(cuMemcpyDtoH_v2(host, data, 4));

    GOOD(cuLaunchHostFunc(stream, host_function, &ten));
    GOOD(cuStreamAddCallback(stream, callback, &ten, 0));
    HOLDS(called == 20);
    usleep(20000);
    GOOD(cuEventRecord(end, stream));
    GOOD(cuEventSynchronize(end));
    GOOD(cuEventQuery(end));
    GOOD(cuStreamWaitEvent(stream, end, 0));
    GOOD(cuStreamQuery(stream));
    GOOD(cuEventElapsedTime(&milliseconds, start, end));
    HOLDS(milliseconds >= 20);
    GOOD(cuEventDestroy_v2(start));
    IS(CUDA_ERROR_INVALID_HANDLE, cuEventRecord(start, stream));

    GOOD(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale, 1024, 0));
    HOLDS(blocks == 2);
    GOOD(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale, 32, 40000));
    HOLDS(blocks == 4);
    IS(CUDA_ERROR_INVALID_VALUE, cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale, 0, 0));
    GOOD(cuOccupancyMaxPotentialBlockSize(&blocks, &threads, scale, bytes_of, 0, 512));
    HOLDS(threads == 512 && blocks % 108 == 0);
    GOOD(cuStreamDestroy_v2(stream));
    IS(CUDA_ERROR_INVALID_HANDLE, cuStreamDestroy_v2(stream));
    puts("all good");
    return 0;
}
