/* What a compiler makes of a program with kernels: a fat binary of PTX, the host's functions and variables that stand for what is in it,
 * their registration before `main`, and a function of the host that launches each kernel. */
#ifndef COMPILED_H
#define COMPILED_H

#include "runtime.h"

static const char HEAD[] = ".version 8.0\n.target sm_80\n.address_size 64\n";
static const char KERNELS[] =
    ".visible .const .u32 factor = 3;\n.visible .global .u32 counter;\n.visible .global .attribute(.managed) .u32 shared_by_both = 7;\n"
    /* data[i] = data[i] * factor for i < n, and counts */
    ".visible .entry scale(.param .u64 data, .param .u32 n) {\n"
    " .reg .b64 %rd<3>; .reg .b32 %r<9>; .reg .pred %p;\n"
    " ld.param.u64 %rd1, [data]; ld.param.u32 %r1, [n]; ld.const.u32 %r2, [factor];\n"
    " mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x; mad.lo.u32 %r6, %r3, %r4, %r5;\n"
    " setp.ge.u32 %p, %r6, %r1; @%p bra end; mul.wide.u32 %rd2, %r6, 4; add.s64 %rd1, %rd1, %rd2;\n"
    " ld.global.u32 %r7, [%rd1]; mul.lo.u32 %r7, %r7, %r2; st.global.u32 [%rd1], %r7;\n"
    " atom.global.add.u32 %r8, [counter], 1;\nend: ret; }\n"
    ".visible .entry twice() { .reg .b32 %r; ld.global.u32 %r, [shared_by_both]; add.u32 %r, %r, %r; st.global.u32 [shared_by_both], %r; ret; }\n"
    ".visible .entry read(.param .u64 at) { .reg .b64 %rd; .reg .b32 %r; ld.param.u64 %rd, [at];\n"
    " ld.global.u32 %r, [%rd]; st.global.u32 [%rd], %r; ret; }\n"
    /* blocks wait for each other as compiled code does: {word, word of the next block} for each block */
    ".visible .entry meet(.param .u64 out) {\n"
    " .reg .b32 %r<11>; .reg .b64 %rd<5>; .reg .pred %p;\n"
    " mov.u32 %r1, %envreg1; mov.u32 %r2, %envreg2; mov.b64 %rd1, {%r2, %r1};\n"
    " ld.param.u64 %rd2, [out]; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %nctaid.x; setp.eq.u64 %p, %rd1, 0; @%p ret;\n"
    " mul.wide.u32 %rd3, %r3, 8; add.s64 %rd3, %rd3, %rd2; add.u32 %r5, %r3, 1; st.global.u32 [%rd3], %r5; membar.gl;\n"
    " setp.eq.u32 %p, %r3, 0; sub.u32 %r6, 0x80000001, %r4; selp.b32 %r6, %r6, 1, %p; atom.add.u32 %r7, [%rd1+4], %r6;\n"
    "wait: ld.volatile.u32 %r8, [%rd1+4]; xor.b32 %r8, %r8, %r7; setp.ge.s32 %p, %r8, 0; @%p bra wait; membar.gl;\n"
    " rem.u32 %r9, %r5, %r4; mul.wide.u32 %rd4, %r9, 8; add.s64 %rd4, %rd4, %rd2; ld.volatile.global.u32 %r10, [%rd4];\n"
    " st.global.u32 [%rd3+4], %r10; ret; }\n"
    ".extern .shared .align 4 .b8 dynamic[];\n"
    ".visible .entry large() { .reg .b32 %r; ld.shared.u32 %r, [dynamic+49152]; ret; }\n";

/* The structure that stands for a fat binary in programs, and the head of one, with that of its only entry. */
typedef struct {
    unsigned magic, version;
    const void *data;
    void *list;
} Wrapper;
typedef struct {
    unsigned magic;
    unsigned short version, header;
    uint64_t bytes;
    unsigned short kind, entry_version;
    unsigned entry_header;
    uint64_t entry_bytes;
    unsigned packed, options;
    unsigned short minor, major;
    unsigned arch;
    uint64_t name[2], flags, source, unpacked;
    char text[8192];
} Fat;

static inline void fat(Fat *fat, const char *head, const char *text) {
    memset(fat, 0, sizeof *fat);
    size_t bytes = (snprintf(fat->text, sizeof fat->text, "%s%s", head, text) + 8) & ~(size_t)7;
    fat->magic = 0xba55ed50, fat->version = 1, fat->header = 16;
    fat->kind = 1, fat->entry_version = 0x101, fat->entry_header = offsetof(Fat, text) - offsetof(Fat, kind);
    fat->entry_bytes = bytes, fat->arch = 80, fat->minor = 0, fat->major = 8;
    fat->bytes = fat->entry_header + bytes;
}

static Fat binary;
static Wrapper wrapper = {0x466243b1, 1, &binary, NULL};
static void **handle;
static unsigned factor, counter, *shared_by_both;
static void *managed_pointer;

static void launch(const void *function, void **values) {
    static void *kernel;
    Dim3 grid, block;
    size_t shared;
    Stream stream;
    if (__cudaGetKernel(&kernel, function) == 0 && __cudaPopCallConfiguration(&grid, &block, &shared, &stream) == 0) {
        __cudaLaunchKernel(kernel, grid, block, values, shared, stream);
    }
}
static void scale(unsigned *data, unsigned n) { launch((void *)scale, (void *[]){&data, &n}); }
static void twice(void) { launch((void *)twice, NULL); }
static void read_at(void *at) { launch((void *)read_at, (void *[]){&at}); }
static void meet(void *out) { launch((void *)meet, (void *[]){&out}); }
static void large(void) { launch((void *)large, NULL); }
static void missing(void) { launch((void *)missing, NULL); }

/* As `kernel<<<grid, block, shared, stream>>>` before the call. */
static unsigned with(unsigned grid, unsigned block, size_t shared, Stream stream) {
    return __cudaPushCallConfiguration((Dim3){grid, 1, 1}, (Dim3){block, 1, 1}, shared, stream);
}

static void unregister(void) { __cudaUnregisterFatBinary(handle); }

static void function(const void *host, const char *name) {
    __cudaRegisterFunction(handle, host, (char *)name, name, -1, NULL, NULL, NULL, NULL, NULL);
}

__attribute__((constructor)) static void before_main(void) {
    fat(&binary, HEAD, KERNELS);
    handle = __cudaRegisterFatBinary(&wrapper);
    function((void *)scale, "scale");
    function((void *)twice, "twice");
    function((void *)read_at, "read");
    function((void *)large, "large");
    function((void *)meet, "meet");
    function((void *)missing, "missing");
    __cudaRegisterVar(handle, (char *)&factor, (char *)"factor", "factor", 0, 4, 1, 0);
    __cudaRegisterVar(handle, (char *)&counter, (char *)"counter", "counter", 0, 4, 0, 0);
    __cudaRegisterManagedVar(handle, &managed_pointer, (char *)"shared_by_both", "shared_by_both", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
    atexit(unregister);
}

#endif
