/* Memory and events that two processes share: one allocates, the other opens what it is told of. */
#include "common.h"
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define LAZY 1
#define COUNT 1500

typedef struct {
    CUipcMemHandle large, small;
    CUipcEventHandle event;
} Handles;

/* What goes to the other process or comes from there. */
static void put(int to, const void *what, size_t bytes) { HOLDS(write(to, what, bytes) == (ssize_t)bytes); }

static void get(int from, void *what, size_t bytes) { HOLDS(read(from, what, bytes) == (ssize_t)bytes); }

static void turn(int other) {
    char word = 0;
    put(other, &word, 1);
}

static void wait_turn(int other) {
    char word;
    get(other, &word, 1);
}

static void scale(CUmodule module, CUdeviceptr data, unsigned n, unsigned factor) {
    void *values[] = {&data, &n, &factor};
    GOOD(cuLaunchKernel(kernel(module, "scale"), (n + 127) / 128, 1, 1, 128, 1, 1, 0, NULL, values, NULL));
    GOOD(cuCtxSynchronize());
}

/* Both processes at once: every thread adds one to the same word. */
#define ADDING_THREADS (64 * 128)
#define ADDING_ROUNDS 20
static void add(CUdeviceptr word) {
    static const char text[] = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry add(.param .u64 at) {\n"
                               " .reg .b64 %rd; .reg .b32 %r; ld.param.u64 %rd, [at]; atom.global.add.u32 %r, [%rd], 1; ret; }\n";
    CUmodule module;
    GOOD(cuModuleLoadData(&module, text));
    void *values[] = {&word};
    for (int round = 0; round < ADDING_ROUNDS; round++)
        GOOD(cuLaunchKernel(kernel(module, "add"), 64, 1, 1, 128, 1, 1, 0, NULL, values, NULL));
    GOOD(cuCtxSynchronize());
}

static int is_unset(CUdeviceptr address) {
    unsigned word;
    return cuMemcpyDtoH_v2(&word, address, 4) == CUDA_ERROR_INVALID_VALUE;
}

/* Handles that nobody gave open nothing, and nothing is looked at that is not shared. */
static void forged(const Handles *good) {
    CUdeviceptr at;
    CUevent event;
    CUipcMemHandle handle;
    CUipcEventHandle other;
    memset(&handle, 0, sizeof handle);
    IS(CUDA_ERROR_INVALID_VALUE, cuIpcOpenMemHandle_v2(&at, handle, LAZY));
    memset(&handle, 0xff, sizeof handle);
    IS(CUDA_ERROR_INVALID_VALUE, cuIpcOpenMemHandle_v2(&at, handle, LAZY));
    memcpy(&handle, &good->event, sizeof handle);
    IS(CUDA_ERROR_INVALID_VALUE, cuIpcOpenMemHandle_v2(&at, handle, LAZY));
    memcpy(&other, &good->large, sizeof other);
    IS(CUDA_ERROR_INVALID_VALUE, cuIpcOpenEventHandle(&event, other));
    /* Another process, another file, another size, another number, something behind. */
    for (unsigned at_byte = 8; at_byte < sizeof handle; at_byte++) {
        for (int bit = 0; bit < 8; bit++) {
            handle = good->large;
            handle.reserved[at_byte] ^= 1 << bit;
            CUresult result = cuIpcOpenMemHandle_v2(&at, handle, LAZY);
            HOLDS(result != CUDA_SUCCESS || (at_byte >= 16 && at_byte < 24));
            /* The last page may be said to be fuller or less full than it is. */
            if (result == CUDA_SUCCESS) GOOD(cuIpcCloseMemHandle(at));
            other = good->event;
            other.reserved[at_byte] ^= 1 << bit;
            HOLDS(cuIpcOpenEventHandle(&event, other) != CUDA_SUCCESS);
        }
    }
}

static void opener(int other) {
    CUmodule module = begin();
    CUcontext primary, second;
    CUdeviceptr large, again, small, base;
    CUevent event, made;
    CUstream stream;
    Handles handles;
    CUipcMemHandle handle;
    CUipcEventHandle event_handle;
    unsigned words[COUNT], flag;
    size_t bytes, free_before, free_after, total;
    float milliseconds;
    GOOD(cuCtxGetCurrent(&primary));
    get(other, &handles, sizeof handles);
    GOOD(cuMemGetInfo_v2(&free_before, &total));

    IS(CUDA_ERROR_INVALID_VALUE, cuIpcOpenMemHandle_v2(NULL, handles.large, LAZY));
    IS(CUDA_ERROR_INVALID_VALUE, cuIpcOpenMemHandle_v2(&large, handles.large, 2));
    GOOD(cuIpcOpenMemHandle_v2(&large, handles.large, LAZY));
    GOOD(cuIpcOpenMemHandle(&small, handles.small, LAZY));
    HOLDS(large != small);
    /* All of it, and nothing behind it. */
    GOOD(cuMemGetAddressRange_v2(&base, &bytes, large + 100));
    HOLDS(base == large && bytes == sizeof words);
    GOOD(cuMemcpyDtoH_v2(words, large, sizeof words));
    for (unsigned n = 0; n < COUNT; n++) HOLDS(words[n] == 7 * n);
    IS(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH_v2(words, large + 4, sizeof words));
    GOOD(cuMemcpyDtoH_v2(words, small, 4));
    HOLDS(words[0] == 11);
    scale(module, large, COUNT, 3);
    void *values[] = {&base};
    base = large + sizeof words;
    GOOD(cuLaunchKernel(kernel(module, "read"), 1, 1, 1, 1, 1, 1, 0, NULL, values, NULL));
    IS(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
    GOOD(cuMemGetInfo_v2(&free_after, &total));

    /* It is the other's to free and to share. */
    IS(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2(large));
    IS(CUDA_ERROR_INVALID_VALUE, cuIpcGetMemHandle(&handle, large));
    GOOD(cuPointerGetAttribute(&flag, 10, large));
    HOLDS(flag == 0);
    GOOD(cuPointerGetAttribute(&flag, 2, large));
    HOLDS(flag == 2);

    /* It is open once, however often, and in one context. */
    GOOD(cuIpcOpenMemHandle_v2(&again, handles.large, LAZY));
    HOLDS(again == large);
    GOOD(cuCtxCreate_v2(&second, 0, 0));
    IS(CUDA_ERROR_INVALID_CONTEXT, cuIpcOpenMemHandle_v2(&again, handles.large, LAZY));
    GOOD(cuCtxDestroy_v2(second));
    GOOD(cuCtxSetCurrent(primary));
    GOOD(cuIpcCloseMemHandle(large));
    GOOD(cuMemcpyDtoH_v2(words, large, 4));
    GOOD(cuIpcCloseMemHandle(large));
    HOLDS(is_unset(large));
    IS(CUDA_ERROR_INVALID_VALUE, cuIpcCloseMemHandle(large));
    IS(CUDA_ERROR_INVALID_VALUE, cuIpcCloseMemHandle(small + 4));
    GOOD(cuMemAlloc_v2(&base, 4));
    IS(CUDA_ERROR_INVALID_VALUE, cuIpcCloseMemHandle(base));
    GOOD(cuIpcOpenMemHandle_v2(&large, handles.large, LAZY));

    /* An event of the other process. */
    IS(CUDA_ERROR_INVALID_VALUE, cuIpcOpenEventHandle(NULL, handles.event));
    GOOD(cuIpcOpenEventHandle(&event, handles.event));
    GOOD(cuStreamCreate(&stream, 0));
    GOOD(cuEventQuery(event));
    GOOD(cuEventSynchronize(event));
    GOOD(cuStreamWaitEvent(stream, event, 0));
    GOOD(cuEventRecord(event, stream));
    GOOD(cuEventCreate(&made, 0));
    GOOD(cuEventRecord(made, stream));
    IS(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&milliseconds, made, event));
    IS(CUDA_ERROR_INVALID_VALUE, cuIpcGetEventHandle(&event_handle, event));
    turn(other);
    wait_turn(other);
    GOOD(cuStreamWaitEvent(stream, event, 0));
    GOOD(cuEventSynchronize(event));
    GOOD(cuMemcpyDtoH_v2(words, large, sizeof words));
    for (unsigned n = 0; n < COUNT; n++) HOLDS(words[n] == 42 * n);
    forged(&handles);
    turn(other);
    add(small);
    turn(other);
    wait_turn(other);

    /* The owner frees it: what is open stays, and nobody opens it any more. */
    turn(other);
    wait_turn(other);
    GOOD(cuMemcpyDtoH_v2(words, large, sizeof words));
    for (unsigned n = 0; n < COUNT; n++) HOLDS(words[n] == 42 * n);
    scale(module, large, COUNT, 2);
    GOOD(cuIpcCloseMemHandle(large));
    IS(CUDA_ERROR_INVALID_HANDLE, cuIpcOpenMemHandle_v2(&again, handles.large, LAZY));
    IS(CUDA_ERROR_INVALID_HANDLE, cuIpcOpenEventHandle(&made, handles.event));
    GOOD(cuEventQuery(event));
    GOOD(cuEventDestroy_v2(event));
    /* What is open ends with its context. */
    GOOD(cuDevicePrimaryCtxReset_v2(0));
    HOLDS(is_unset(small));
    IS(CUDA_ERROR_INVALID_VALUE, cuIpcCloseMemHandle(small));
}

static void owner(int other) {
    CUmodule module = begin();
    CUdeviceptr large, small, neighbour, at, managed;
    CUipcMemHandle handle;
    CUipcEventHandle event_handle;
    CUevent event;
    CUmemoryPool pool;
    Handles handles;
    unsigned words[COUNT], flag;
    size_t bytes;
    void *pinned;
    int is_supported;

    GOOD(cuDeviceGetAttribute(&is_supported, 125, 0));
    HOLDS(is_supported == 1);
    GOOD(cuMemAlloc_v2(&large, sizeof words));
    GOOD(cuMemAlloc_v2(&small, 4));
    GOOD(cuMemAlloc_v2(&neighbour, 4));
    for (unsigned n = 0; n < COUNT; n++) words[n] = 7 * n;
    GOOD(cuMemcpyHtoD_v2(large, words, sizeof words));
    GOOD(cuMemsetD32_v2(small, 11, 1));
    GOOD(cuMemsetD32_v2(neighbour, 13, 1));
    GOOD(cuPointerGetAttribute(&flag, 10, large));
    HOLDS(flag == 1);

    /* Only memory of cuMemAlloc, as a whole. */
    IS(CUDA_ERROR_INVALID_VALUE, cuIpcGetMemHandle(NULL, large));
    IS(CUDA_ERROR_INVALID_VALUE, cuIpcGetMemHandle(&handle, 0));
    IS(CUDA_ERROR_INVALID_VALUE, cuIpcGetMemHandle(&handle, large + sizeof words));
    GOOD(cuMemAllocManaged(&managed, 4, 1));
    IS(CUDA_ERROR_INVALID_VALUE, cuIpcGetMemHandle(&handle, managed));
    GOOD(cuMemHostAlloc(&pinned, 4, 0));
    IS(CUDA_ERROR_INVALID_VALUE, cuIpcGetMemHandle(&handle, (CUdeviceptr)(size_t)pinned));
    GOOD(cuDeviceGetDefaultMemPool(&pool, 0));
    GOOD(cuMemAllocAsync(&at, 4, NULL));
    IS(CUDA_ERROR_INVALID_VALUE, cuIpcGetMemHandle(&handle, at));
    GOOD(cuModuleGetGlobal_v2(&at, &bytes, module, "counter"));
    IS(CUDA_ERROR_INVALID_VALUE, cuIpcGetMemHandle(&handle, at));
    memset(&handles, 0, sizeof handles);
    GOOD(cuIpcGetMemHandle(&handles.large, large));
    GOOD(cuIpcGetMemHandle(&handle, large + 8));
    HOLDS(memcmp(&handle, &handles.large, sizeof handle) == 0);
    GOOD(cuIpcGetMemHandle(&handles.small, small));
    HOLDS(memcmp(&handles.small, &handles.large, sizeof handle) != 0);
    GOOD(cuMemcpyDtoH_v2(words, large, sizeof words));
    for (unsigned n = 0; n < COUNT; n++) HOLDS(words[n] == 7 * n);
    IS(CUDA_ERROR_INVALID_CONTEXT, cuIpcOpenMemHandle_v2(&at, handles.large, LAZY));
    IS(CUDA_ERROR_INVALID_VALUE, cuIpcCloseMemHandle(large));

    IS(CUDA_ERROR_INVALID_VALUE, cuEventCreate(&event, 4));
    GOOD(cuEventCreate(&event, 2));
    IS(CUDA_ERROR_INVALID_VALUE, cuIpcGetEventHandle(&event_handle, event));
    GOOD(cuEventDestroy_v2(event));
    IS(CUDA_ERROR_INVALID_HANDLE, cuIpcGetEventHandle(&event_handle, event));
    GOOD(cuEventCreate(&event, 6));
    IS(CUDA_ERROR_INVALID_VALUE, cuIpcGetEventHandle(NULL, event));
    GOOD(cuIpcGetEventHandle(&handles.event, event));
    GOOD(cuIpcGetEventHandle(&event_handle, event));
    HOLDS(memcmp(&event_handle, &handles.event, sizeof event_handle) == 0);
    CUevent own;
    IS(CUDA_ERROR_INVALID_CONTEXT, cuIpcOpenEventHandle(&own, handles.event));

    put(other, &handles, sizeof handles);
    wait_turn(other);
    GOOD(cuEventSynchronize(event));
    GOOD(cuMemcpyDtoH_v2(words, large, sizeof words));
    for (unsigned n = 0; n < COUNT; n++) HOLDS(words[n] == 21 * n);
    scale(module, large, COUNT, 2);
    GOOD(cuEventRecord(event, NULL));
    turn(other);
    wait_turn(other);
    add(small);
    wait_turn(other);
    GOOD(cuMemcpyDtoH_v2(words, small, 4));
    HOLDS(words[0] == 11 + 2 * ADDING_THREADS * ADDING_ROUNDS);
    turn(other);
    wait_turn(other);

    GOOD(cuMemFree_v2(large));
    HOLDS(is_unset(large));
    GOOD(cuEventDestroy_v2(event));
    /* What comes after it is fresh, and is told apart. */
    GOOD(cuMemAlloc_v2(&at, sizeof words));
    GOOD(cuIpcGetMemHandle(&handle, at));
    HOLDS(memcmp(&handle, &handles.large, sizeof handle) != 0);
    GOOD(cuMemcpyDtoH_v2(words, at, sizeof words));
    for (unsigned n = 0; n < COUNT; n++) HOLDS(words[n] == 0);
    turn(other);
    GOOD(cuMemcpyDtoH_v2(words, neighbour, 4));
    HOLDS(words[0] == 13);
}

int main(void) {
    int ends[2], status;
    HOLDS(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    /* Before CUDA is initialised: each process has its own. */
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        opener(ends[1]);
        return 0;
    }
    close(ends[1]);
    owner(ends[0]);
    HOLDS(waitpid(child, &status, 0) == child && status == 0);
    printf("all good\n");
    return 0;
}
