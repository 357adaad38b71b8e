/* Memory of every kind, copies, fills, pools, pointers. */
#include "common.h"

static void rectangle(CUdeviceptr device, size_t pitch) {
    unsigned char from[6 * 4], to[3 * 2] = {0};
    for (int n = 0; n < 24; n++) from[n] = n;
    CUDA_MEMCPY2D copy = {0};
    copy.srcMemoryType = 1, copy.srcHost = from, copy.srcPitch = 6;
    copy.dstMemoryType = 2, copy.dstDevice = device, copy.dstPitch = pitch;
    copy.WidthInBytes = 6, copy.Height = 4;
    GOOD(cuMemcpy2D_v2(&copy));
    CUDA_MEMCPY2D back = {0};
    back.srcMemoryType = 2, back.srcDevice = device, back.srcPitch = pitch, back.srcXInBytes = 2, back.srcY = 1;
    back.dstMemoryType = 1, back.dstHost = to, back.dstPitch = 3;
    back.WidthInBytes = 3, back.Height = 2;
    GOOD(cuMemcpy2D_v2(&back));
    HOLDS(to[0] == 8 && to[2] == 10 && to[3] == 14 && to[5] == 16);
    back.srcMemoryType = 3;
    IS(CUDA_ERROR_INVALID_HANDLE, cuMemcpy2D_v2(&back));
    back.srcMemoryType = 5;
    IS(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D_v2(&back));
}

int main(void) {
    CUmodule module = begin();
    CUdeviceptr a, b, managed, at, stale;
    size_t bytes, free_bytes, total, pitch;
    unsigned kind, host[64], numbers[] = {2, 9, 12};
    int ordinal;
    void *pinned, *results[] = {&kind, &ordinal, &bytes};
    unsigned long long used, high;
    CUmemoryPool pool;

    IS(CUDA_ERROR_INVALID_VALUE, cuMemAlloc_v2(&a, 0));
    IS(CUDA_ERROR_INVALID_VALUE, cuMemAlloc_v2(NULL, 4));
    IS(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc_v2(&a, (size_t)1 << 50));
    GOOD(cuMemAlloc_v2(&a, 256));
    GOOD(cuMemAlloc_v2(&b, 256));
    HOLDS(a % 256 == 0 && b % 256 == 0 && a != b);
    GOOD(cuMemGetInfo_v2(&free_bytes, &total));
    HOLDS(free_bytes < total);

    for (unsigned n = 0; n < 64; n++) host[n] = n * n;
    GOOD(cuMemcpyHtoD_v2(a, host, 256));
    IS(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD_v2(a + 4, host, 256));
    GOOD(cuMemcpyDtoD_v2(b, a, 256));
    memset(host, 0, sizeof host);
    GOOD(cuMemcpyDtoHAsync_v2(host, b, 256, (CUstream)2));
    HOLDS(host[63] == 63 * 63);
    GOOD(cuMemcpyDtoD_v2(a + 4, a, 252));
    GOOD(cuMemcpy((CUdeviceptr)(size_t)host, a, 8));
    HOLDS(host[0] == 0 && host[1] == 0);
    GOOD(cuMemcpyDtoH_v2(host, a, 256));
    HOLDS(host[63] == 62 * 62);
    GOOD(cuMemsetD32_v2(a, 7, 64));
    GOOD(cuMemsetD16_v2(a + 2, 0x1234, 1));
    GOOD(cuMemsetD8_v2(a + 255, 9, 1));
    IS(CUDA_ERROR_INVALID_VALUE, cuMemsetD32_v2(a + 2, 7, 1));
    IS(CUDA_ERROR_INVALID_VALUE, cuMemsetD8_v2(a, 7, 257));
    GOOD(cuMemcpyDtoH_v2(host, a, 256));
    HOLDS(host[0] == 0x12340007 && host[1] == 7 && host[63] == 0x09000007);

    GOOD(cuMemGetAddressRange_v2(&at, &bytes, a + 100));
    HOLDS(at == a && bytes == 256);
    IS(CUDA_ERROR_NOT_FOUND, cuMemGetAddressRange_v2(&at, &bytes, a + 256));
    IS(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2(a + 4));
    GOOD(cuMemFree_v2(a));
    IS(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2(a));
    IS(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH_v2(host, a, 4));
    GOOD(cuMemFree_v2(0));

    /* What was freed is not given again, and a kernel that uses it is stopped. */
    stale = a;
    for (int n = 0; n < 1000; n++) {
        GOOD(cuMemAlloc_v2(&a, 256));
        HOLDS(a != stale);
        GOOD(cuMemFree_v2(a));
    }
    void *arguments[] = {&stale};
    GOOD(cuLaunchKernel(kernel(module, "read"), 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
    IS(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
    GOOD(cuCtxSynchronize());

    /* The same address on both sides. */
    GOOD(cuMemAllocManaged(&managed, 64, 1));
    ((unsigned *)(size_t)managed)[3] = 5;
    unsigned count = 16, factor = 3;
    void *scaled[] = {&managed, &count, &factor};
    GOOD(cuLaunchKernel(kernel(module, "scale"), 1, 1, 1, 32, 1, 1, 0, NULL, scaled, NULL));
    GOOD(cuCtxSynchronize());
    HOLDS(((unsigned *)(size_t)managed)[3] == 15);
    GOOD(cuMemHostAlloc(&pinned, 64, 2));
    GOOD(cuMemHostGetDevicePointer_v2(&at, pinned, 0));
    HOLDS((void *)(size_t)at == pinned);
    memcpy(pinned, (void *)(size_t)managed, 64);
    scaled[0] = &at;
    GOOD(cuLaunchKernel(kernel(module, "scale"), 1, 1, 1, 32, 1, 1, 0, NULL, scaled, NULL));
    HOLDS(((unsigned *)pinned)[3] == 45);
    unsigned *own = calloc(16, 4);
    own[15] = 11;
    at = (CUdeviceptr)(size_t)own;
    GOOD(cuLaunchKernel(kernel(module, "scale"), 1, 1, 1, 32, 1, 1, 0, NULL, scaled, NULL));
    IS(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
    GOOD(cuMemHostRegister_v2(own, 64, 0));
    IS(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, cuMemHostRegister_v2(own + 4, 4, 0));
    GOOD(cuLaunchKernel(kernel(module, "scale"), 1, 1, 1, 32, 1, 1, 0, NULL, scaled, NULL));
    GOOD(cuCtxSynchronize());
    HOLDS(own[15] == 33);
    GOOD(cuMemHostUnregister(own));
    IS(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, cuMemHostUnregister(own));
    free(own);

    GOOD(cuPointerGetAttribute(&kind, 2, b));
    HOLDS(kind == 2);
    GOOD(cuPointerGetAttribute(&kind, 2, (CUdeviceptr)(size_t)pinned));
    HOLDS(kind == 1);
    GOOD(cuPointerGetAttribute(&kind, 8, managed));
    HOLDS(kind & 1);
    IS(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttribute(&kind, 2, (CUdeviceptr)(size_t)host));
    GOOD(cuPointerGetAttributes(3, numbers, results, b + 8));
    HOLDS(kind == 2 && ordinal == 0 && bytes == 256);
    GOOD(cuPointerGetAttributes(3, numbers, results, (CUdeviceptr)(size_t)host));
    HOLDS(kind == 0 && ordinal == -2);
    GOOD(cuMemFreeHost(pinned));
    IS(CUDA_ERROR_INVALID_VALUE, cuMemFreeHost((void *)(size_t)managed));
    GOOD(cuMemFree_v2(managed));

    GOOD(cuMemAllocPitch_v2(&a, &pitch, 6, 4, 4));
    HOLDS(pitch >= 6 && pitch % 256 == 0);
    rectangle(a, pitch);
    GOOD(cuMemsetD2D8_v2(a, pitch, 1, 6, 4));
    GOOD(cuMemFree_v2(a));

    GOOD(cuDeviceGetDefaultMemPool(&pool, 0));
    GOOD(cuMemAllocAsync(&a, 1000, NULL));
    GOOD(cuMemPoolGetAttribute(pool, 7, &used));
    HOLDS(used == 1000);
    GOOD(cuMemFreeAsync(a, NULL));
    GOOD(cuMemPoolGetAttribute(pool, 7, &used));
    GOOD(cuMemPoolGetAttribute(pool, 8, &high));
    HOLDS(used == 0 && high == 1000);
    used = 77;
    GOOD(cuMemPoolSetAttribute(pool, 4, &used));
    GOOD(cuMemPoolGetAttribute(pool, 4, &high));
    HOLDS(high == 77);
    IS(CUDA_ERROR_INVALID_VALUE, cuMemPoolSetAttribute(pool, 7, &used));
    GOOD(cuMemFree_v2(b));
    puts("all good");
    return 0;
}
