/* Modules, libraries, kernels and their attributes, links, images. */
#include "common.h"

#define OPEN ".version 8.0\n.target sm_80\n.address_size 64\n.extern .func f();\n.extern .global .u32 x;\n"

/* Blocks of a cooperative grid wait for each other with functions of `libcudadevrt.a`, whose bytes do not matter. */
static void grids_that_wait(void) {
    enum { BLOCKS = 12, THREADS = 40, ALL = BLOCKS * THREADS };
    static const char archive[] = "!<arch>\n";
    /* Each thread adds what its right neighbour wrote before, five times; word 480 has the handle, 481 what waiting gave, then size and rank. */
    static const char waits[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
        ".extern .func (.param .b64 h) cudaCGGetIntrinsicHandle(.param .b32 s);\n"
        ".extern .func (.param .b32 e) cudaCGSynchronize(.param .b64 h, .param .b32 f);\n"
        ".extern .func (.param .b32 e) cudaCGGetSize(.param .b64 t, .param .b64 g, .param .b64 h);\n"
        ".extern .func (.param .b32 e) cudaCGGetRank(.param .b64 t, .param .b64 g, .param .b64 h);\n"
        ".visible .entry k(.param .u64 to, .param .u32 scope) {\n"
        " .reg .b64 %rd<10>; .reg .b32 %r<20>; .reg .pred %p<4>;\n"
        " ld.param.u64 %rd1, [to]; ld.param.u32 %r10, [scope]; cvta.global.u64 %rd9, %rd1; add.u64 %rd9, %rd9, 1928;\n"
        " mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %r1, %r1, 40, %r2; mad.wide.u32 %rd2, %r1, 4, %rd1;\n"
        " add.u32 %r3, %r1, 1; rem.u32 %r3, %r3, 480; mad.wide.u32 %rd3, %r3, 4, %rd1; mov.u32 %r4, %r1;\n"
        " { .param .b32 s; .param .b64 h; st.param.b32 [s], %r10; call.uni (h), cudaCGGetIntrinsicHandle, (s);\n"
        " ld.param.b64 %rd4, [h]; }\n"
        " mov.u32 %r5, 0;\nagain: st.global.u32 [%rd2], %r4;\n"
        " { .param .b64 h; .param .b32 f; .param .b32 e; st.param.b64 [h], %rd4; st.param.b32 [f], 0;\n"
        " call.uni (e), cudaCGSynchronize, (h, f); ld.param.b32 %r6, [e]; }\n"
        " setp.ne.u32 %p1, %r6, 0; @%p1 bra done;\n"
        " ld.global.u32 %r7, [%rd3]; add.u32 %r4, %r4, %r7;\n"
        " { .param .b64 h; .param .b32 f; .param .b32 e; st.param.b64 [h], %rd4; st.param.b32 [f], 0;\n"
        " call.uni (e), cudaCGSynchronize, (h, f); }\n"
        " add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 5; @%p1 bra again; st.global.u32 [%rd2], %r4;\n"
        "done: setp.ne.u32 %p1, %r1, 479; @%p1 bra end; cvt.u32.u64 %r8, %rd4; st.global.u32 [%rd1+1920], %r8;\n"
        " st.global.u32 [%rd1+1924], %r6; setp.ne.u32 %p1, %r6, 0; @%p1 bra end; add.u64 %rd5, %rd9, 4;\n"
        " { .param .b64 t; .param .b64 g; .param .b64 h; .param .b32 e; st.param.b64 [t], %rd9; st.param.b64 [g], %rd5;\n"
        " st.param.b64 [h], %rd4; call.uni (e), cudaCGGetSize, (t, g, h); } add.u64 %rd5, %rd9, 8;\n"
        " { .param .b64 t; .param .b64 g; .param .b64 h; .param .b32 e; st.param.b64 [t], %rd5; st.param.b64 [g], 0;\n"
        " st.param.b64 [h], %rd4; call.uni (e), cudaCGGetRank, (t, g, h); }\nend: ret; }\n";
    CUmodule module;
    CUdeviceptr data;
    unsigned words[ALL + 8], wanted[ALL], next[ALL], scope = 1;
    void *image, *values[] = {&data, &scope};
    size_t bytes;
    CUlinkState link;
    GOOD(cuLinkCreate_v2(0, NULL, NULL, &link));
    IS(CUDA_ERROR_NOT_SUPPORTED, cuLinkAddData_v2(link, 4, (void *)archive, sizeof archive, "libother.a", 0, NULL, NULL));
    IS(CUDA_ERROR_NOT_SUPPORTED, cuLinkAddData_v2(link, 4, (void *)"x", 1, "libcudadevrt.a", 0, NULL, NULL));
    GOOD(cuLinkAddData_v2(link, 1, (void *)waits, sizeof waits, "waits.ptx", 0, NULL, NULL));
    IS(CUDA_ERROR_INVALID_PTX, cuLinkComplete(link, &image, &bytes));
    for (int n = 0; n < 2; n++)
        GOOD(cuLinkAddData_v2(link, 4, (void *)archive, sizeof archive, n ? "/usr/lib/libcudadevrt.a" : "libcudadevrt.a", 0, NULL, NULL));
    GOOD(cuLinkComplete(link, &image, &bytes));
    GOOD(cuModuleLoadData(&module, image));
    GOOD(cuLinkDestroy(link));
    GOOD(cuMemAlloc_v2(&data, sizeof words));
    for (int n = 0; n < ALL; n++) wanted[n] = n;
    for (int round = 0; round < 5; round++) {
        for (int n = 0; n < ALL; n++) next[n] = wanted[n] + wanted[(n + 1) % ALL];
        memcpy(wanted, next, sizeof wanted);
    }
    for (int round = 0; round < 3; round++) {
        GOOD(cuMemsetD32_v2(data, 0, ALL + 8));
        GOOD(cuLaunchCooperativeKernel(kernel(module, "k"), BLOCKS, 1, 1, THREADS, 1, 1, 0, NULL, values));
        GOOD(cuMemcpyDtoH_v2(words, data, sizeof words));
        HOLDS(memcmp(words, wanted, sizeof wanted) == 0);
        HOLDS(words[ALL] == 1 && words[ALL + 1] == 0 && words[ALL + 2] == ALL && words[ALL + 3] == 1 && words[ALL + 4] == ALL - 1);
        /* A grid that is not cooperative has no handle, and nothing waits. */
        GOOD(cuLaunchKernel(kernel(module, "k"), BLOCKS, 1, 1, THREADS, 1, 1, 0, NULL, values, NULL));
        GOOD(cuMemcpyDtoH_v2(words, data, sizeof words));
        HOLDS(words[ALL] == 0 && words[ALL + 1] == 1 && words[7] == 7);
    }
    GOOD(cuMemFree_v2(data));
    GOOD(cuModuleUnload(module));
}

int main(void) {
    CUmodule module = begin(), other;
    CUlibrary library;
    CUkernel k;
    CUfunction function, all[9];
    CUlinkState link;
    CUdeviceptr address;
    size_t bytes, offset;
    unsigned count, words[2];
    int value;
    const char *name;
    void *image;
    char log[400] = "unchanged";
    unsigned options[] = {5, 6, 0};
    void *values[] = {log, (void *)sizeof log, (void *)24};
    unsigned char cubin[64] = "\177ELF\2\1\1";

    IS(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(&function, module, "nothing"));
    IS(CUDA_ERROR_NOT_FOUND, cuModuleGetGlobal_v2(&address, &bytes, module, "nothing"));
    GOOD(cuModuleGetGlobal_v2(&address, &bytes, module, "table"));
    HOLDS(bytes == 16);
    GOOD(cuMemcpyDtoH_v2(words, address + 4, 8));
    HOLDS(words[0] == 2 && words[1] == 3);
    GOOD(cuMemcpyHtoD_v2(address, words, 8));
    IS(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2(address));
    GOOD(cuModuleGetFunctionCount(&count, module));
    HOLDS(count == 6);
    GOOD(cuModuleEnumerateFunctions(all, count, module));
    GOOD(cuFuncGetName(&name, all[1]));
    HOLDS(strcmp(name, "count") == 0 && all[1] == kernel(module, "count"));

    function = kernel(module, "shaped");
    const int wanted[][2] = {{0, 64}, {1, 4096}, {2, 16}, {3, 40}, {5, 80}, {6, 80}, {8, 49152 - 4096}};
    for (size_t n = 0; n < sizeof wanted / sizeof *wanted; n++) {
        GOOD(cuFuncGetAttribute(&value, wanted[n][0], function));
        if (value != wanted[n][1]) {
            printf("attribute %d is %d, not %d\n", wanted[n][0], value, wanted[n][1]);
            return 1;
        }
    }
    GOOD(cuFuncGetAttribute(&value, 4, function));
    HOLDS(value > 0 && value < 256);
    IS(CUDA_ERROR_INVALID_VALUE, cuFuncGetAttribute(&value, 1000, function));
    GOOD(cuFuncSetAttribute(function, 8, 100000));
    IS(CUDA_ERROR_INVALID_VALUE, cuFuncSetAttribute(function, 8, 1000000));
    GOOD(cuFuncGetParamInfo(kernel(module, "scale"), 2, &offset, &bytes));
    HOLDS(offset == 12 && bytes == 4);
    IS(CUDA_ERROR_INVALID_VALUE, cuFuncGetParamInfo(function, 1, &offset, &bytes));

    GOOD(cuLibraryLoadData(&library, KERNELS, NULL, NULL, 0, NULL, NULL, 0));
    GOOD(cuLibraryGetKernelCount(&count, library));
    HOLDS(count == 6);
    GOOD(cuLibraryGetKernel(&k, library, "shaped"));
    GOOD(cuKernelGetAttribute(&value, 1, k, 0));
    HOLDS(value == 4096);
    GOOD(cuKernelGetFunction(&function, k));
    GOOD(cuLibraryUnload(library));
    IS(CUDA_ERROR_INVALID_HANDLE, cuFuncGetAttribute(&value, 1, function));
    IS(CUDA_ERROR_INVALID_HANDLE, cuLibraryUnload(library));

    /* Images that are none. */
    IS(CUDA_ERROR_INVALID_PTX, cuModuleLoadData(&other, ".version 8.0\n.target sm_80\nretn\n"));
    IS(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, cuModuleLoadData(&other, ".version 99.0\n.target sm_80\n.address_size 64\n"));
    IS(CUDA_ERROR_INVALID_PTX, cuModuleLoadData(&other, ".version 1.9\n.target sm_80\n.address_size 64\n"));
    IS(CUDA_ERROR_INVALID_IMAGE, cuModuleLoadData(&other, "no PTX"));
    /* What is defined nowhere, where a kernel uses it. */
    IS(CUDA_ERROR_INVALID_PTX, cuModuleLoadData(&other, OPEN ".visible .entry k() { call f; ret; }\n"));
    IS(CUDA_ERROR_INVALID_PTX, cuModuleLoadData(&other, OPEN ".visible .entry k() { st.global.u32 [x], 1; ret; }\n"));
    GOOD(cuModuleLoadData(&other, OPEN ".visible .entry k() { ret; }\n"));
    GOOD(cuModuleUnload(other));
    IS(CUDA_ERROR_INVALID_IMAGE, cuModuleLoadData(&other, ""));
    IS(CUDA_ERROR_INVALID_PTX, cuModuleLoadData(&other, ".version 8.0\n.target sm_90\n.address_size 64\n"));
    IS(CUDA_ERROR_NO_BINARY_FOR_GPU, cuModuleLoadData(&other, cubin));
    IS(CUDA_ERROR_INVALID_VALUE, cuModuleLoadData(&other, NULL));
    IS(CUDA_ERROR_FILE_NOT_FOUND, cuModuleLoad(&other, "/nothing/here.ptx"));
    IS(CUDA_ERROR_INVALID_PTX, cuModuleLoadDataEx(&other, ".version 8.0\n.target sm_80\nretn\n", 2, options, values));
    HOLDS(strstr(log, "<ptx>:3:1") && (size_t)values[1] == strlen(log) + 1);
    values[1] = (void *)8;
    IS(CUDA_ERROR_INVALID_PTX, cuModuleLoadDataEx(&other, ".version 8.0\n.target sm_80\nretn\n", 2, options, values));
    HOLDS(strlen(log) == 7 && (size_t)values[1] == 8);
    values[1] = (void *)sizeof log;
    GOOD(cuModuleLoadDataEx(&other, KERNELS, 3, options, values));
    HOLDS(log[0] == 0);
    GOOD(cuFuncGetAttribute(&value, 4, kernel(other, "scale")));
    HOLDS(value <= 24);
    GOOD(cuModuleUnload(other));

    GOOD(cuLinkCreate_v2(0, NULL, NULL, &link));
    GOOD(cuLinkAddData_v2(link, 1, (void *)KERNELS, sizeof KERNELS, "kernels.ptx", 0, NULL, NULL));
    IS(CUDA_ERROR_NOT_SUPPORTED, cuLinkAddData_v2(link, 4, (void *)"x", 1, "lib.a", 0, NULL, NULL));
    GOOD(cuLinkComplete(link, &image, &bytes));
    HOLDS(memcmp(image, "MARGAY-PTX 1", 12) == 0);
    GOOD(cuModuleLoadData(&other, image));
    GOOD(cuLinkDestroy(link));
    GOOD(cuModuleGetFunction(&function, other, "count"));
    GOOD(cuModuleUnload(other));

    /* Two inputs, the first of which needs the second. */
    static const char caller[] = ".version 8.0\n.target sm_80\n.address_size 64\n.extern .func (.param .b32 r) seven();\n"
        ".visible .entry k(.param .u64 to) { .reg .b32 %r; .reg .b64 %rd; ld.param.u64 %rd, [to];\n"
        "{ .param .b32 s; call.uni (s), seven, (); ld.param.b32 %r, [s]; } st.global.b32 [%rd], %r; ret; }\n";
    static const char callee[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
        ".visible .func (.param .b32 r) seven() { .reg .b32 %r; mov.b32 %r, 7; st.param.b32 [r], %r; ret; }\n";
    values[1] = (void *)sizeof log;
    GOOD(cuLinkCreate_v2(3, options, values, &link));
    GOOD(cuLinkAddData_v2(link, 1, (void *)caller, sizeof caller, "caller.ptx", 0, NULL, NULL));
    IS(CUDA_ERROR_INVALID_PTX, cuLinkComplete(link, &image, &bytes));
    HOLDS(strstr(log, "caller.ptx") && strstr(log, "`seven`"));
    GOOD(cuLinkAddData_v2(link, 1, (void *)callee, sizeof callee, "callee.ptx", 0, NULL, NULL));
    GOOD(cuLinkComplete(link, &image, &bytes));
    GOOD(cuModuleLoadData(&other, image));
    GOOD(cuLinkDestroy(link));
    GOOD(cuFuncGetAttribute(&value, 4, kernel(other, "k")));
    HOLDS(value <= 24);
    void *to[] = {&address};
    GOOD(cuMemAlloc_v2(&address, 4));
    GOOD(cuLaunchKernel(kernel(other, "k"), 1, 1, 1, 1, 1, 1, 0, NULL, to, NULL));
    GOOD(cuMemcpyDtoH_v2(words, address, 4));
    HOLDS(words[0] == 7);
    GOOD(cuMemFree_v2(address));
    GOOD(cuModuleUnload(other));
    grids_that_wait();
    GOOD(cuModuleUnload(module));
    IS(CUDA_ERROR_INVALID_HANDLE, cuModuleUnload(module));
    puts("all good");
    return 0;
}
