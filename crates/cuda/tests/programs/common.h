/* What all programs here begin with: expectations, and a module of kernels. */
#ifndef COMMON_H
#define COMMON_H

#include "cuda.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IS(wanted, call)                                                                                                 \
    do {                                                                                                                 \
        unsigned is_status = (call);                                                                                     \
        if (is_status != (wanted)) {                                                                                     \
            printf("%s:%d: %s gives %u, not %u\n", __FILE__, __LINE__, #call, is_status, (unsigned)(wanted));            \
            exit(1);                                                                                                     \
        }                                                                                                                \
    } while (0)
#define GOOD(call) IS(CUDA_SUCCESS, call)
#define HOLDS(claim)                                                                                                     \
    do {                                                                                                                 \
        if (!(claim)) {                                                                                                  \
            printf("%s:%d: %s does not hold\n", __FILE__, __LINE__, #claim);                                             \
            exit(1);                                                                                                     \
        }                                                                                                                \
    } while (0)

static const char KERNELS[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .global .u32 counter = 5;\n.visible .const .u32 table[4] = {1, 2, 3, 4};\n"
    /* data[i] = data[i] * factor for i < n */
    ".visible .entry scale(.param .u64 data, .param .u32 n, .param .u32 factor) {\n"
    " .reg .b64 %rd<3>; .reg .b32 %r<8>; .reg .pred %p;\n"
    " ld.param.u64 %rd1, [data]; ld.param.u32 %r1, [n]; ld.param.u32 %r2, [factor];\n"
    " mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x; mad.lo.u32 %r6, %r3, %r4, %r5;\n"
    " setp.ge.u32 %p, %r6, %r1; @%p bra end; mul.wide.u32 %rd2, %r6, 4; add.s64 %rd1, %rd1, %rd2;\n"
    " ld.global.u32 %r7, [%rd1]; mul.lo.u32 %r7, %r7, %r2; st.global.u32 [%rd1], %r7;\nend: ret; }\n"
    ".visible .entry count() { .reg .b32 %r<2>; atom.global.add.u32 %r1, [counter], 1; ret; }\n"
    ".visible .entry shaped(.param .u64 unused) .reqntid 64, 1, 1 { .shared .b8 room[4096]; .local .b8 own[40];\n"
    " .reg .b32 %r<2>; ld.shared.u32 %r1, [room]; st.local.u32 [own], %r1; ret; }\n"
    ".visible .entry read(.param .u64 at) { .reg .b64 %rd; .reg .b32 %r; ld.param.u64 %rd, [at];\n"
    " ld.global.u32 %r, [%rd]; st.global.u32 [%rd], %r; ret; }\n"
    ".visible .entry stop() { trap; }\n"
    ".extern .shared .align 4 .b8 dynamic[];\n"
    ".visible .entry large() { .reg .b32 %r; ld.shared.u32 %r, [dynamic+49152]; ret; }\n";

/* The primary context made current, with the module of the kernels. */
static inline CUmodule begin(void) {
    CUcontext context;
    CUmodule module;
    GOOD(cuInit(0));
    GOOD(cuDevicePrimaryCtxRetain(&context, 0));
    GOOD(cuCtxSetCurrent(context));
    GOOD(cuModuleLoadData(&module, KERNELS));
    return module;
}

static inline CUfunction kernel(CUmodule module, const char *name) {
    CUfunction function;
    GOOD(cuModuleGetFunction(&function, module, name));
    return function;
}

#endif
