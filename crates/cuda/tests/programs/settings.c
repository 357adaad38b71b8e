/* What the environment chooses: the first argument says what is expected of it. */
#include "common.h"

/* 1 - 1 + 2^-25: an adder with 24 fraction bits loses the last term, Hopper's with 25 does not. */
static const char PRODUCT[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry product(.param .u64 out) {\n"
    " .reg .b64 %rd; .reg .b32 %r<4>; .reg .f32 %f<5>; .reg .pred %p;\n"
    " ld.param.u64 %rd, [out]; mov.u32 %r1, %laneid; and.b32 %r1, %r1, 3; setp.eq.u32 %p, %r1, 0;\n"
    " selp.b32 %r2, 0x0c003c00, 0, %p; selp.b32 %r3, 0x08003c00, 0, %p; mov.b32 %r1, 0; mov.f32 %f0, 0fbf800000;\n"
    " mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r2, %r1, %r1, %r1}, {%r3, %r1},\n"
    "  {%f0, %f0, %f0, %f0};\n st.global.f32 [%rd], %f1; ret; }\n";

static const char SUMS[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry sums(.param .u64 to) {\n"
    " .reg .u64 %rd; .reg .f32 %f<4>; ld.param.u64 %rd, [to]; mov.f32 %f1, 0f3F800800; mul.f32 %f2, %f1, %f1;\n"
    " sub.f32 %f3, %f2, 0f3F801000; st.global.f32 [%rd], %f3; ret; }\n";

/* What a device keeps of a difference in the carry flag is 1 if nothing was borrowed; the manual's borrow is 0 then. */
static const char CARRY[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry carry(.param .u64 to) {\n"
    " .reg .u64 %rd; .reg .u32 %r<3>; ld.param.u64 %rd, [to]; ld.global.u32 %r1, [%rd]; sub.cc.u32 %r2, %r1, 5;\n"
    " addc.u32 %r2, 0, 0; st.global.u32 [%rd], %r2; ret; }\n";

/* The word that a kernel writes where 7 was. */
static unsigned written(const char *text, const char *name) {
    CUmodule module;
    CUdeviceptr at;
    unsigned result = 7;
    begin();
    GOOD(cuModuleLoadData(&module, text));
    GOOD(cuMemAlloc_v2(&at, 4));
    GOOD(cuMemcpyHtoD_v2(at, &result, 4));
    void *values[] = {&at};
    GOOD(cuLaunchKernel(kernel(module, name), 1, 1, 1, 1, 1, 1, 0, NULL, values, NULL));
    GOOD(cuMemcpyDtoH_v2(&result, at, 4));
    return result;
}

int main(int count, char **arguments) {
    int major, minor;
    unsigned status = cuInit(0), *own = calloc(16, 4), n = 16, factor = 3;
    HOLDS(count == 2);
    if (strcmp(arguments[1], "wrong") == 0) {
        IS(CUDA_ERROR_INVALID_VALUE, status);
        puts("all good");
        return 0;
    }
    /* What a product is that was subtracted from: 0 if it was rounded first. */
    if (strcmp(arguments[1], "rounded") == 0 || strcmp(arguments[1], "contracted") == 0) {
        HOLDS(written(SUMS, "sums") == (strcmp(arguments[1], "rounded") == 0 ? 0 : 0x33800000));
        puts("all good");
        return 0;
    }
    if (strcmp(arguments[1], "device") == 0 || strcmp(arguments[1], "manual") == 0) {
        HOLDS(written(CARRY, "carry") == (strcmp(arguments[1], "device") == 0));
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
    CUdeviceptr sum;
    void *result[] = {&sum};
    unsigned bits;
    GOOD(cuModuleLoadData(&module, PRODUCT));
    GOOD(cuMemAlloc_v2(&sum, 4));
    GOOD(cuLaunchKernel(kernel(module, "product"), 1, 1, 1, 32, 1, 1, 0, NULL, result, NULL));
    GOOD(cuMemcpyDtoH_v2(&bits, sum, 4));
    HOLDS(bits == (is_hopper ? 0x33000000 : 0));
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
