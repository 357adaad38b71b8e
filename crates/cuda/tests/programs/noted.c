/* Launches of which something is noted, as the environment asks. The first argument says how the program goes on. */
#include "common.h"
#include <sys/wait.h>
#include <unistd.h>

static const char WRONG[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry clash(.param .u64 at) { .reg .b64 %rd; .reg .b32 %r; ld.param.u64 %rd, [at];\n"
    " mov.u32 %r, %tid.x; st.global.u32 [%rd], %r; ret; }\n"
    ".visible .entry fresh(.param .u64 at) { .reg .b64 %rd; .reg .b32 %r; ld.param.u64 %rd, [at];\n"
    " ld.global.u32 %r, [%rd]; st.global.u32 [%rd], %r; ret; }\n";

int main(int count, char **arguments) {
    HOLDS(count >= 2);
    const char *way = arguments[1];
    if (strcmp(way, "wrong") == 0) {
        IS(CUDA_ERROR_INVALID_VALUE, cuInit(0));
        puts("all good");
        return 0;
    }
    CUmodule module = begin(), wrong, again;
    CUdeviceptr data, managed;
    unsigned host[100] = {1}, n = 100, factor = 3, *pinned;
    GOOD(cuModuleLoadData(&wrong, WRONG));
    GOOD(cuMemAlloc_v2(&data, sizeof host));
    void *values[] = {&data, &n, &factor};
    if (strcmp(way, "idle") == 0)
        return 0;
    if (strcmp(way, "findings") == 0) {
        CUfunction clash = kernel(wrong, "clash"), fresh = kernel(wrong, "fresh");
        for (int k = 0; k < 3; k++)
            GOOD(cuLaunchKernel(clash, 1, 1, 1, 2, 1, 1, 0, NULL, values, NULL));
        /* Written by a launch, by a copy, by the program itself: nothing is fresh. */
        GOOD(cuLaunchKernel(fresh, 1, 1, 1, 1, 1, 1, 0, NULL, values, NULL));
        GOOD(cuMemAlloc_v2(&data, 4));
        GOOD(cuMemcpyHtoD_v2(data, host, 4));
        GOOD(cuLaunchKernel(fresh, 1, 1, 1, 1, 1, 1, 0, NULL, values, NULL));
        GOOD(cuMemAllocManaged(&managed, 4, 1));
        *(unsigned *)(size_t)managed = 5;
        void *other[] = {&managed};
        GOOD(cuLaunchKernel(fresh, 1, 1, 1, 1, 1, 1, 0, NULL, other, NULL));
        GOOD(cuMemHostAlloc((void **)&pinned, 4, 0));
        *pinned = 5, managed = (CUdeviceptr)(size_t)pinned;
        GOOD(cuLaunchKernel(fresh, 1, 1, 1, 1, 1, 1, 0, NULL, other, NULL));
        GOOD(cuMemAlloc_v2(&data, 4));
        GOOD(cuLaunchKernel(fresh, 1, 1, 1, 1, 1, 1, 0, NULL, values, NULL));
        GOOD(cuCtxSynchronize());
        puts("all good");
        return 0;
    }
    /* Three launches of one kernel, one of them from another copy of the module, and one that is stopped. */
    GOOD(cuMemcpyHtoD_v2(data, host, sizeof host));
    GOOD(cuModuleLoadData(&again, KERNELS));
    for (int k = 0; k < 3; k++)
        GOOD(cuLaunchKernel(kernel(k ? module : again, "scale"), 4, 1, 1, 32, 1, 1, 0, NULL, values, NULL));
    GOOD(cuModuleUnload(again));
    GOOD(cuLaunchKernel(kernel(wrong, "clash"), 1, 1, 1, 2, 1, 1, 0, NULL, values, NULL));
    data = 8;
    GOOD(cuLaunchKernel(kernel(module, "read"), 1, 1, 1, 1, 1, 1, 0, NULL, values, NULL));
    IS(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
    if (strcmp(way, "killed") == 0)
        _exit(0);
    if (strcmp(way, "forked") == 0) {
        /* Another process that ends has noted nothing. */
        remove(arguments[2]);
        int child = fork(), status;
        if (child == 0)
            exit(0);
        HOLDS(waitpid(child, &status, 0) == child && status == 0);
        HOLDS(access(arguments[2], F_OK) != 0);
        GOOD(cuLaunchKernel(kernel(module, "count"), 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    }
    puts("all good");
    return 0;
}
