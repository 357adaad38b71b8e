/* Contexts: the stack of each thread, the primary context, what goes with a context. */
#include "common.h"
#include <pthread.h>

static void *other(void *given) {
    CUcontext context;
    GOOD(cuCtxGetCurrent(&context));
    HOLDS(context == NULL);
    GOOD(cuCtxSetCurrent(given));
    return NULL;
}

int main(void) {
    CUcontext primary, again, own, found;
    CUdevice device;
    CUdeviceptr address;
    CUstream stream;
    unsigned flags;
    int active;
    size_t limit;
    pthread_t thread;
    GOOD(cuInit(0));
    IS(CUDA_ERROR_INVALID_CONTEXT, cuCtxGetDevice(&device));
    IS(CUDA_ERROR_INVALID_CONTEXT, cuMemAlloc_v2(&address, 4));
    IS(CUDA_ERROR_INVALID_CONTEXT, cuCtxPopCurrent_v2(&found));
    IS(CUDA_ERROR_INVALID_CONTEXT, cuDevicePrimaryCtxRelease_v2(0));
    GOOD(cuDevicePrimaryCtxGetState(0, &flags, &active));
    HOLDS(!active);
    GOOD(cuDevicePrimaryCtxRetain(&primary, 0));
    GOOD(cuDevicePrimaryCtxRetain(&again, 0));
    HOLDS(primary == again);
    GOOD(cuCtxPushCurrent_v2(primary));
    GOOD(cuMemAlloc_v2(&address, 4));
    GOOD(cuCtxCreate_v2(&own, 0, 0));
    GOOD(cuCtxGetCurrent(&found));
    HOLDS(found == own);
    GOOD(cuStreamCreate(&stream, 0));
    GOOD(cuCtxSetLimit(1, 1 << 21));
    GOOD(cuCtxGetLimit(&limit, 1));
    HOLDS(limit == 1 << 21);
    GOOD(cuCtxDestroy_v2(own));
    IS(CUDA_ERROR_INVALID_HANDLE, cuStreamSynchronize(stream));
    IS(CUDA_ERROR_INVALID_CONTEXT, cuCtxSetCurrent(own));
    GOOD(cuCtxGetCurrent(&found));
    HOLDS(found == primary);
    HOLDS(pthread_create(&thread, NULL, other, primary) == 0 && pthread_join(thread, NULL) == 0);

    GOOD(cuDevicePrimaryCtxRelease_v2(0));
    GOOD(cuMemsetD8_v2(address, 1, 4));
    GOOD(cuDevicePrimaryCtxRelease_v2(0));
    IS(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuMemsetD8_v2(address, 1, 4));
    GOOD(cuDevicePrimaryCtxRetain(&primary, 0));
    HOLDS(primary == again);
    /* What went with it is gone. */
    IS(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2(address));
    GOOD(cuMemAlloc_v2(&address, 4));
    GOOD(cuDevicePrimaryCtxReset_v2(0));
    IS(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2(address));
    GOOD(cuCtxPopCurrent_v2(&found));
    HOLDS(found == primary);
    IS(CUDA_ERROR_INVALID_CONTEXT, cuCtxPopCurrent_v2(NULL));
    puts("all good");
    return 0;
}
