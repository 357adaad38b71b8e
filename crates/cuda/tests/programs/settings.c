/* What the environment chooses: the first argument says what is expected of it. */
#include "common.h"

int main(int count, char **arguments) {
    int major, minor;
    unsigned status = cuInit(0), *own = calloc(16, 4), n = 16, factor = 3;
    HOLDS(count == 2);
    if (strcmp(arguments[1], "wrong") == 0) {
        IS(CUDA_ERROR_INVALID_VALUE, status);
        puts("all good");
        return 0;
    }
    CUmodule module = begin();
    GOOD(cuDeviceGetAttribute(&major, 75, 0));
    GOOD(cuDeviceGetAttribute(&minor, 76, 0));
    int is_hopper = strcmp(arguments[1], "hopper") == 0;
    HOLDS(10 * major + minor == (is_hopper ? 90 : 80));
    IS(is_hopper ? CUDA_SUCCESS : CUDA_ERROR_INVALID_PTX,
       cuModuleLoadData(&module, ".version 8.0\n.target sm_90a\n.address_size 64\n"));
    module = begin();

    CUdeviceptr at = (CUdeviceptr)(size_t)own;
    void *values[] = {&at, &n, &factor};
    own[15] = 5;
    GOOD(cuLaunchKernel(kernel(module, "scale"), 1, 1, 1, 32, 1, 1, 0, NULL, values, NULL));
    if (strcmp(arguments[1], "open") == 0) {
        GOOD(cuCtxSynchronize());
        HOLDS(own[15] == 15);
    } else {
        IS(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
        IS(strcmp(arguments[1], "sticky") == 0 ? CUDA_ERROR_ILLEGAL_ADDRESS : CUDA_SUCCESS, cuCtxSynchronize());
        IS(strcmp(arguments[1], "sticky") == 0 ? CUDA_ERROR_ILLEGAL_ADDRESS : CUDA_SUCCESS, cuMemAlloc_v2(&at, 4));
        HOLDS(own[15] == 5);
    }
    free(own);
    puts("all good");
    return 0;
}
