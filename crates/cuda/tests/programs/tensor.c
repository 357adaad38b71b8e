/* Tensor maps: what is refused, and copies of boxes and pixels, on a device that has them (the argument `hopper`) and on one that has none. */
#include "common.h"

static const char COPIES[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".shared .align 128 .b8 room[1024];\n.shared .align 8 .b64 bar;\n"
    /* out[k] = word k of the part of the tensor at (0, x, y, 0), as boxes of two dimensions at (x, y) or as pixels */
#define COPY(name, dimensions, mode, coordinates, offsets)                                                                \
    ".visible .entry " name "(.param .align 64 .b8 map[128], .param .u64 out, .param .u32 x, .param .u32 y, .param .u32 words) {\n" \
    " .reg .b64 %map, %out, %state, %at; .reg .b32 %x, %y, %k, %v, %words; .reg .pred %p;\n"                              \
    " mov.b64 %map, map; cvta.param.u64 %map, %map; ld.param.u64 %out, [out]; ld.param.u32 %x, [x]; ld.param.u32 %y, [y];\n" \
    " ld.param.u32 %words, [words]; shl.b32 %k, %words, 2;\n"                                                             \
    " mbarrier.init.shared.b64 [bar], 1; mbarrier.arrive.expect_tx.shared.b64 %state, [bar], %k;\n"                       \
    " cp.async.bulk.tensor." dimensions ".shared::cluster.global." mode ".mbarrier::complete_tx::bytes [room], [%map, " coordinates "], [bar]" offsets ";\n" \
    "wait: mbarrier.try_wait.shared.b64 %p, [bar], %state; @!%p bra wait;\n mov.u32 %k, 0;\n"                             \
    "show: mov.u64 %at, room; mad.wide.u32 %at, %k, 4, %at; ld.shared.u32 %v, [%at]; mad.wide.u32 %at, %k, 4, %out;\n"    \
    " st.global.u32 [%at], %v; add.u32 %k, %k, 1; setp.lt.u32 %p, %k, %words; @%p bra show; ret; }\n"
    COPY("box", "2d", "tile", "{%x, %y}", "")
    COPY("pixels", "4d", "im2col", "{0, %x, %y, 0}", ", {1, 0}");

enum { U32 = 2, S32 = 3 };

static CUdeviceptr data, out;
static _Alignas(64) CUtensorMap map;
static unsigned host[256];

static void launch(CUfunction function, int x, int y, unsigned words) {
    void *values[] = {&map, &out, &x, &y, &words};
    memset(host, 0xff, sizeof host);
    GOOD(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, values, NULL));
    GOOD(cuMemcpyDtoH_v2(host, out, 4 * words));
}

static unsigned tiled(unsigned rank, CUdeviceptr at, unsigned wide, unsigned long long stride) {
    unsigned long long sizes[] = {8, 4}, strides[] = {stride};
    unsigned box[] = {wide, 2}, steps[] = {1, 1};
    return cuTensorMapEncodeTiled(&map, U32, rank, (void *)at, sizes, strides, box, steps, 0, 0, 0, 0);
}

int main(int count, char **arguments) {
    CUmodule module = begin();
    unsigned numbers[128];
    HOLDS(count == 2);
    GOOD(cuMemAlloc_v2(&data, sizeof numbers));
    GOOD(cuMemAlloc_v2(&out, sizeof host));
    if (strcmp(arguments[1], "hopper") != 0) {
        IS(CUDA_ERROR_NOT_SUPPORTED, tiled(2, data, 4, 32));
        puts("all good");
        return 0;
    }
    for (unsigned k = 0; k < 128; k++)
        numbers[k] = k;
    GOOD(cuMemcpyHtoD_v2(data, numbers, sizeof numbers));
    GOOD(cuModuleLoadData(&module, COPIES));

    /* Four rows of eight words, of which two rows of four are copied; beyond the tensor are zeros. */
    GOOD(tiled(2, data, 4, 32));
    launch(kernel(module, "box"), 2, 1, 8);
    HOLDS(host[0] == 10 && host[3] == 13 && host[4] == 18 && host[7] == 21);
    launch(kernel(module, "box"), 6, 3, 8);
    HOLDS(host[0] == 30 && host[1] == 31 && host[2] == 0 && host[4] == 0 && host[7] == 0);
    GOOD(cuTensorMapReplaceAddress(&map, (void *)(data + 64)));
    launch(kernel(module, "box"), 0, 0, 8);
    HOLDS(host[0] == 16 && host[4] == 24);

    IS(CUDA_ERROR_INVALID_VALUE, tiled(2, data + 4, 4, 32));
    IS(CUDA_ERROR_INVALID_VALUE, tiled(2, data, 3, 32));
    IS(CUDA_ERROR_INVALID_VALUE, tiled(2, data, 0, 32));
    IS(CUDA_ERROR_INVALID_VALUE, tiled(2, data, 4, 24));
    IS(CUDA_ERROR_INVALID_VALUE, tiled(6, data, 4, 32));
    IS(CUDA_ERROR_INVALID_VALUE, cuTensorMapReplaceAddress(&map, (void *)(data + 4)));
    IS(CUDA_ERROR_INVALID_VALUE, cuTensorMapReplaceAddress(NULL, (void *)data));
    IS(CUDA_ERROR_INVALID_VALUE, cuTensorMapEncodeTiled(NULL, U32, 1, (void *)data, NULL, NULL, NULL, NULL, 0, 0, 0, 0));

    /* An image of four by four pixels of four channels, and every second pixel within its first three columns, one column on. */
    unsigned long long sizes[] = {4, 4, 4, 2}, strides[] = {16, 64, 256};
    unsigned steps[] = {1, 2, 1, 1};
    int lower[] = {0, 0}, upper[] = {-1, 0};
    GOOD(cuTensorMapEncodeIm2col(&map, S32, 4, (void *)data, sizes, strides, lower, upper, 4, 4, steps, 0, 0, 0, 0));
    launch(kernel(module, "pixels"), 0, 1, 16);
    HOLDS(host[0] == 20 && host[3] == 23 && host[4] == 28 && host[8] == 36 && host[12] == 44);
    IS(CUDA_ERROR_INVALID_VALUE, cuTensorMapEncodeIm2col(&map, S32, 2, (void *)data, sizes, strides, lower, upper, 4, 4, steps, 0, 0, 0, 0));
    puts("all good");
    return 0;
}
