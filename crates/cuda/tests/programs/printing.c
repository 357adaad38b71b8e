/* A kernel prints between what the program prints, and what goes wrong is told on standard error. */
#include "common.h"

static const char PRINTS[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".extern .func (.param .b32 r) vprintf (.param .b64 format, .param .b64 list);\n"
    ".global .align 1 .b8 text[4] = {104, 105, 10, 0};\n"
    ".visible .entry k() { .reg .b64 %rd; .reg .b32 %r; mov.u64 %rd, text; cvta.global.u64 %rd, %rd;\n"
    " { .param .b64 a; .param .b64 b; .param .b32 c; st.param.b64 [a], %rd; st.param.b64 [b], 0;\n"
    " call.uni (c), vprintf, (a, b); ld.param.b32 %r, [c]; } ret; }\n";

int main(void) {
    CUmodule module = begin(), prints;
    CUdeviceptr nowhere = 8;
    void *values[] = {&nowhere};
    GOOD(cuModuleLoadData(&prints, PRINTS));
    printf("before\n");
    GOOD(cuLaunchKernel(kernel(prints, "k"), 2, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    GOOD(cuLaunchKernel(kernel(module, "read"), 1, 1, 1, 1, 1, 1, 0, NULL, values, NULL));
    printf("after\n");
    return 0;
}
