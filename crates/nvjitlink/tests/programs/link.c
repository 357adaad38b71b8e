/* Links by the functions of nvJitLink.h; `MAJOR` is the version whose names the library has. */
#define _GNU_SOURCE
#include "../../../cuda/tests/programs/common.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>

typedef struct nvJitLink *Handle;
unsigned nvJitLinkCreate(Handle *, uint32_t, const char **);
unsigned nvJitLinkDestroy(Handle *);
unsigned nvJitLinkAddData(Handle, int, const void *, size_t, const char *);
unsigned nvJitLinkAddFile(Handle, int, const char *);
unsigned nvJitLinkComplete(Handle);
unsigned nvJitLinkGetLinkedCubinSize(Handle, size_t *);
unsigned nvJitLinkGetLinkedCubin(Handle, void *);
unsigned nvJitLinkGetLinkedPtxSize(Handle, size_t *);
unsigned nvJitLinkGetLinkedPtx(Handle, char *);
unsigned nvJitLinkGetErrorLogSize(Handle, size_t *);
unsigned nvJitLinkGetErrorLog(Handle, char *);
unsigned nvJitLinkGetInfoLogSize(Handle, size_t *);
unsigned nvJitLinkGetInfoLog(Handle, char *);
unsigned nvJitLinkVersion(unsigned *, unsigned *);

enum { UNRECOGNIZED_OPTION = 1, MISSING_ARCH, INVALID_INPUT, PTX_COMPILE, INTERNAL = 6, UNRECOGNIZED_INPUT = 8 };
/* What version 12 calls an invalid input. */
#define LATER(code) (MAJOR == 12 ? INVALID_INPUT : (code))
#define NULL_INPUT LATER(10)
#define INCOMPATIBLE_OPTIONS LATER(11)
#define INCORRECT_INPUT_TYPE LATER(12)
enum { CUBIN = 1, PTX, LTO_IR, FAT_BINARY, OBJECT, LIBRARY, INDEX, ANY = 10 };

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"
static const char CALLER[] = HEAD
    ".extern .func (.param .b32 r) twice(.param .b32 a);\n"
    ".visible .entry k(.param .u64 to, .param .u32 n) {\n .reg .b64 %rd; .reg .b32 %r<3>;\n"
    " ld.param.u64 %rd, [to]; ld.param.u32 %r1, [n];\n"
    " { .param .b32 a; .param .b32 r; st.param.b32 [a], %r1; call.uni (r), twice, (a); ld.param.b32 %r2, [r]; }\n"
    " st.global.u32 [%rd], %r2; ret; }\n";
static const char CALLED[] = HEAD
    ".visible .func (.param .b32 r) twice(.param .b32 a) { .reg .b32 %r; ld.param.b32 %r, [a]; add.u32 %r, %r, %r;\n"
    " st.param.b32 [r], %r; ret; }\n";

static Handle created(unsigned wanted, const char *first, const char *second, const char *third) {
    const char *options[] = {first, second, third};
    Handle handle;
    IS(wanted, nvJitLinkCreate(&handle, !!first + !!second + !!third, options));
    HOLDS(handle != NULL);
    return handle;
}

/* Whether the log of errors says something; it is nothing at all where nothing was wrong. */
static int says(Handle handle, const char *what) {
    char log[4096];
    size_t bytes;
    GOOD(nvJitLinkGetErrorLogSize(handle, &bytes));
    HOLDS(bytes <= sizeof log);
    GOOD(nvJitLinkGetErrorLog(handle, log));
    if (bytes == 0) return what == NULL;
    HOLDS(strlen(log) + 1 == bytes);
    if (what != NULL && strstr(log, what) == NULL) printf("%s\n", log);
    return what != NULL && strstr(log, what) != NULL;
}

static void destroyed(Handle handle) {
    GOOD(nvJitLinkDestroy(&handle));
    HOLDS(handle == NULL);
}

static void options(void) {
    Handle handle = created(MISSING_ARCH, NULL, NULL, NULL);
    HOLDS(says(handle, "no device is given"));
    IS(INVALID_INPUT, nvJitLinkAddData(handle, PTX, CALLED, sizeof CALLED, "f.ptx"));
    IS(INVALID_INPUT, nvJitLinkComplete(handle));
    destroyed(handle);
    destroyed(created(CUDA_SUCCESS, "-arch=sm_80", "-O3", "-lineinfo"));
    handle = created(UNRECOGNIZED_OPTION, "-arch=sm_80", "-bogus", NULL);
    HOLDS(says(handle, "`-bogus`"));
    destroyed(handle);
    destroyed(created(INCOMPATIBLE_OPTIONS, "-arch=sm_80", "-ptx", NULL));
    destroyed(created(INCOMPATIBLE_OPTIONS, "-arch=compute_80", NULL, NULL));
    IS(NULL_INPUT, nvJitLinkCreate(NULL, 0, NULL));
    IS(NULL_INPUT, nvJitLinkCreate(&handle, 1, NULL));
    handle = NULL;
    IS(NULL_INPUT, nvJitLinkDestroy(&handle));
    IS(NULL_INPUT, nvJitLinkDestroy(NULL));
    IS(NULL_INPUT, nvJitLinkComplete(NULL));
    handle = (Handle)(uintptr_t)0x1234;
    IS(INVALID_INPUT, nvJitLinkComplete(handle));
    IS(INVALID_INPUT, nvJitLinkDestroy(&handle));
}

/* Links both, as data or as a file, and computes with what comes of it. */
static void runs(int file) {
    CUmodule module;
    CUdeviceptr data;
    unsigned number = 21, result = 0;
    void *values[] = {&data, &number};
    Handle handle = created(CUDA_SUCCESS, "-arch=sm_80", "-maxrregcount=32", NULL);
    size_t bytes, same;
    IS(INTERNAL, nvJitLinkGetLinkedCubinSize(handle, &bytes));
    GOOD(nvJitLinkAddData(handle, ANY, CALLER, sizeof CALLER, NULL));
    if (file) {
        FILE *out = fopen("f.ptx", "wb");
        HOLDS(out && fwrite(CALLED, 1, sizeof CALLED - 1, out) == sizeof CALLED - 1 && fclose(out) == 0);
        GOOD(nvJitLinkAddFile(handle, PTX, "f.ptx"));
    } else
        GOOD(nvJitLinkAddData(handle, PTX, CALLED, sizeof CALLED - 1, "f.ptx"));
    GOOD(nvJitLinkComplete(handle));
    GOOD(nvJitLinkComplete(handle));
    GOOD(nvJitLinkGetLinkedCubinSize(handle, &bytes));
    char *image = malloc(bytes);
    GOOD(nvJitLinkGetLinkedCubin(handle, image));
    IS(INVALID_INPUT, nvJitLinkGetLinkedPtxSize(handle, &same));
    HOLDS(says(handle, NULL));
    GOOD(nvJitLinkGetInfoLogSize(handle, &same));
    HOLDS(same == 0);
    GOOD(nvJitLinkGetInfoLog(handle, NULL));
    destroyed(handle);

    GOOD(cuModuleLoadData(&module, image));
    GOOD(cuMemAlloc_v2(&data, sizeof result));
    GOOD(cuLaunchKernel(kernel(module, "k"), 1, 1, 1, 1, 1, 1, 0, NULL, values, NULL));
    GOOD(cuMemcpyDtoH_v2(&result, data, sizeof result));
    HOLDS(result == 42);
    GOOD(cuMemFree_v2(data));
    GOOD(cuModuleUnload(module));

    /* What was linked may be linked again. */
    handle = created(CUDA_SUCCESS, "-arch=sm_80", NULL, NULL);
    GOOD(nvJitLinkAddData(handle, CUBIN, image, bytes, "linked"));
    GOOD(nvJitLinkComplete(handle));
    destroyed(handle);
    free(image);
}

static void ptx(void) {
    Handle handle = created(CUDA_SUCCESS, "-arch=compute_80", "-lto", "-ptx");
    size_t bytes;
    GOOD(nvJitLinkAddData(handle, PTX, CALLER, sizeof CALLER, "k.ptx"));
    GOOD(nvJitLinkAddData(handle, PTX, CALLED, sizeof CALLED, "f.ptx"));
    GOOD(nvJitLinkComplete(handle));
    GOOD(nvJitLinkGetLinkedPtxSize(handle, &bytes));
    char *text = malloc(bytes);
    GOOD(nvJitLinkGetLinkedPtx(handle, text));
    HOLDS(strlen(text) + 1 == bytes && strstr(text, ".func") && strstr(text, ".entry k"));
    IS(INTERNAL, nvJitLinkGetLinkedCubinSize(handle, &bytes));
    free(text);
    destroyed(handle);
}

/* An input that is refused, and what the log says. */
static void refused(unsigned wanted, int kind, const void *data, size_t bytes, const char *log) {
    Handle handle = created(CUDA_SUCCESS, "-arch=sm_80", NULL, NULL);
    IS(wanted, nvJitLinkAddData(handle, kind, data, bytes, "this one"));
    HOLDS(says(handle, log));
    destroyed(handle);
}

static void inputs(void) {
    static const char lto[] = "\xed" "CN\x7f\1", elf[] = "\177ELF\2\1", archive[] = "!<arch>\n", later[] = ".version 8.0\n.target sm_90\n";
    static const char wrong[] = HEAD ".visible .entry k() { retn; }\n";
    refused(UNRECOGNIZED_INPUT, LTO_IR, lto, sizeof lto, "`this one` is LTO-IR");
    refused(UNRECOGNIZED_INPUT, ANY, lto, sizeof lto, "`this one` is LTO-IR");
    refused(UNRECOGNIZED_INPUT, CUBIN, elf, sizeof elf, "machine code");
    refused(UNRECOGNIZED_INPUT, OBJECT, elf, sizeof elf, "an object or a library");
    refused(UNRECOGNIZED_INPUT, LIBRARY, archive, sizeof archive, "an object or a library");
    refused(INCORRECT_INPUT_TYPE, INDEX, CALLED, sizeof CALLED, "of the kind 7");
    refused(INCORRECT_INPUT_TYPE, 99, CALLED, sizeof CALLED, "of the kind 99");
    refused(INCORRECT_INPUT_TYPE, FAT_BINARY, "\x50\xed\x55\xba", 4, "the fat binary is damaged");
    refused(PTX_COMPILE, PTX, wrong, sizeof wrong, "unknown instruction `retn`");
    refused(PTX_COMPILE, PTX, later, sizeof later, "link with `-arch=sm_90`");
    refused(INVALID_INPUT, PTX, CALLED, 0, "is empty");
    refused(NULL_INPUT, PTX, NULL, 5, NULL);

    Handle handle = created(CUDA_SUCCESS, "-arch=sm_80", NULL, NULL);
    IS(INVALID_INPUT, nvJitLinkAddFile(handle, PTX, "nowhere.ptx"));
    HOLDS(says(handle, "`nowhere.ptx` cannot be read"));
    IS(NULL_INPUT, nvJitLinkAddFile(handle, PTX, NULL));
    IS(INVALID_INPUT, nvJitLinkComplete(handle));
    GOOD(nvJitLinkAddData(handle, LIBRARY, archive, sizeof archive, "/usr/lib/libcudadevrt.a"));
    IS(INVALID_INPUT, nvJitLinkComplete(handle));
    GOOD(nvJitLinkAddData(handle, PTX, CALLER, sizeof CALLER, "k.ptx"));
    IS(INTERNAL, nvJitLinkComplete(handle));
    HOLDS(says(handle, "`twice` is not defined in any input"));
    /* What was missing may still come. */
    GOOD(nvJitLinkAddData(handle, PTX, CALLED, sizeof CALLED, "f.ptx"));
    GOOD(nvJitLinkComplete(handle));
    destroyed(handle);

    handle = created(CUDA_SUCCESS, "-arch=sm_80", NULL, NULL);
    GOOD(nvJitLinkAddData(handle, PTX, CALLED, sizeof CALLED, "f.ptx"));
    GOOD(nvJitLinkAddData(handle, PTX, CALLED, sizeof CALLED, "g.ptx"));
    IS(INTERNAL, nvJitLinkComplete(handle));
    HOLDS(says(handle, "`twice`"));
    destroyed(handle);
}

/* Every name that programs are linked with is there, and none of the other version. */
static void names(void) {
    static const char *const all[] = {"Create", "Destroy", "AddData", "AddFile", "Complete", "GetLinkedCubinSize", "GetLinkedCubin",
        "GetLinkedPtxSize", "GetLinkedPtx", "GetErrorLogSize", "GetErrorLog", "GetInfoLogSize", "GetInfoLog",
        "GetLinkedLTOIRSize", "GetLinkedLTOIR"};
    const int count = MAJOR == 12 ? 13 : 15, versions = MAJOR == 12 ? 10 : 6;
    unsigned major, minor;
    char name[80];
    for (int k = 0; k < count; k++)
        for (int version = -1; version <= versions; version++) {
            snprintf(name, sizeof name, "%snvJitLink%s", version < 0 ? "" : "__", all[k]);
            if (version >= 0) sprintf(name + strlen(name), "_%d_%d", MAJOR, version);
            HOLDS((dlsym(RTLD_DEFAULT, name) != NULL) == (version < versions));
        }
    GOOD(nvJitLinkVersion(&major, &minor));
    /* numba-cuda hands LTO-IR to later ones. */
    HOLDS(major == 12 && minor == 2);
    IS(NULL_INPUT, nvJitLinkVersion(NULL, &minor));
    unsigned (*create)(Handle *, uint32_t, const char **);
    snprintf(name, sizeof name, "__nvJitLinkCreate_%d_3", MAJOR);
    *(void **)&create = dlsym(RTLD_DEFAULT, name);
    const char *given[] = {"-arch=sm_80"};
    Handle handle;
    GOOD(create(&handle, 1, given));
    destroyed(handle);
}

static void *many(void *nothing) {
    for (int k = 0; k < 20; k++) ptx();
    return nothing;
}

int main(void) {
    pthread_t threads[2];
    begin();
    options();
    runs(0);
    runs(1);
    ptx();
    inputs();
    names();
    for (int k = 0; k < 2; k++) HOLDS(pthread_create(&threads[k], NULL, many, NULL) == 0);
    for (int k = 0; k < 2; k++) HOLDS(pthread_join(threads[k], NULL) == 0);
    puts("all good");
    return 0;
}
