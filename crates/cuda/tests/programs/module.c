/* Modules, libraries, kernels and their attributes, links, images. */
#include "common.h"

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
    GOOD(cuModuleUnload(module));
    IS(CUDA_ERROR_INVALID_HANDLE, cuModuleUnload(module));
    puts("all good");
    return 0;
}
