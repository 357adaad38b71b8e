/* Arrays of every shape, their levels, copies from and to them, and what is refused. */
#include "common.h"

enum { U8 = 0x01, U16 = 0x02, F32 = 0x20, LAYERED = 1, SURFACE = 2, CUBEMAP = 4, GATHER = 8 };
enum { HOST = 1, DEVICE = 2, ARRAY = 3, UNIFIED = 4 };

static CUDA_ARRAY3D_DESCRIPTOR described(size_t width, size_t height, size_t depth, unsigned format, unsigned channels, unsigned flags) {
    return (CUDA_ARRAY3D_DESCRIPTOR){width, height, depth, format, channels, flags};
}

static CUarray made(CUDA_ARRAY3D_DESCRIPTOR wanted) {
    CUarray array;
    CUDA_ARRAY3D_DESCRIPTOR found;
    GOOD(cuArray3DCreate_v2(&array, &wanted));
    memset(&found, 0xff, sizeof found);
    GOOD(cuArray3DGetDescriptor_v2(&found, array));
    HOLDS(memcmp(&found, &wanted, offsetof(CUDA_ARRAY3D_DESCRIPTOR, Flags) + 4) == 0);
    return array;
}

static size_t room(void) {
    size_t left, all;
    GOOD(cuMemGetInfo_v2(&left, &all));
    return left;
}

/* What an array is made of, and how much memory it takes until it is destroyed. */
static void creation(void) {
    CUarray array;
    CUDA_ARRAY_DESCRIPTOR flat = {40, 10, U8, 4}, found;
    CUDA_ARRAY3D_DESCRIPTOR deep;
    CUDA_ARRAY_MEMORY_REQUIREMENTS wants;
    size_t before = room(), width;

    GOOD(cuArrayCreate_v2(&array, &flat));
    HOLDS(before - room() >= 1600);
    GOOD(cuArrayGetDescriptor_v2(&found, array));
    HOLDS(found.Width == 40 && found.Height == 10 && found.Format == U8 && found.NumChannels == 4);
    GOOD(cuArray3DGetDescriptor_v2(&deep, array));
    HOLDS(deep.Width == 40 && deep.Height == 10 && deep.Depth == 0 && deep.Flags == 0);
    GOOD(cuArrayGetMemoryRequirements(&wants, array, 0));
    HOLDS(wants.size == 1600 && wants.alignment == 512);
    IS(CUDA_ERROR_INVALID_DEVICE, cuArrayGetMemoryRequirements(&wants, array, 1));
    IS(CUDA_ERROR_INVALID_VALUE, cuArrayGetDescriptor_v2(NULL, array));
    GOOD(cuArrayDestroy(array));
    HOLDS(room() == before);
    IS(CUDA_ERROR_INVALID_HANDLE, cuArrayDestroy(array));
    IS(CUDA_ERROR_INVALID_HANDLE, cuArrayGetDescriptor_v2(&found, array));
    IS(CUDA_ERROR_INVALID_HANDLE, cuArrayGetDescriptor_v2(&found, NULL));
    IS(CUDA_ERROR_INVALID_HANDLE, cuArrayDestroy((CUarray)&flat));

    CUDA_ARRAY3D_DESCRIPTOR good[] = {
        {7, 0, 0, F32, 1, 0}, {7, 5, 0, U16, 2, SURFACE | GATHER}, {7, 5, 3, U8, 1, 0}, {7, 0, 3, U8, 1, LAYERED},
        {7, 5, 3, F32, 4, LAYERED | SURFACE}, {7, 7, 6, F32, 1, CUBEMAP}, {7, 7, 12, F32, 1, CUBEMAP | LAYERED},
    };
    for (unsigned k = 0; k < sizeof good / sizeof *good; k++) GOOD(cuArrayDestroy(made(good[k])));
    struct {
        unsigned code;
        CUDA_ARRAY3D_DESCRIPTOR wanted;
    } bad[] = {
        {CUDA_ERROR_INVALID_VALUE, {0, 0, 0, F32, 1, 0}},
        {CUDA_ERROR_INVALID_VALUE, {7, 0, 3, F32, 1, 0}},
        {CUDA_ERROR_INVALID_VALUE, {7, 5, 0, F32, 3, 0}},
        {CUDA_ERROR_INVALID_VALUE, {7, 5, 0, F32, 0, 0}},
        {CUDA_ERROR_INVALID_VALUE, {7, 5, 0, 0x77, 1, 0}},
        {CUDA_ERROR_INVALID_VALUE, {7, 5, 0, F32, 1, LAYERED}},
        {CUDA_ERROR_INVALID_VALUE, {7, 5, 6, F32, 1, CUBEMAP}},
        {CUDA_ERROR_INVALID_VALUE, {7, 7, 7, F32, 1, CUBEMAP | LAYERED}},
        {CUDA_ERROR_INVALID_VALUE, {7, 0, 0, F32, 1, GATHER}},
        {CUDA_ERROR_INVALID_VALUE, {131073, 1, 0, F32, 1, 0}},
        {CUDA_ERROR_INVALID_VALUE, {32769, 0, 0, F32, 1, SURFACE}},
        {CUDA_ERROR_INVALID_VALUE, {-1, -1, -1, F32, 4, 0}},
        {CUDA_ERROR_INVALID_VALUE, {7, 5, 0, F32, 1, 0x200}},
        {CUDA_ERROR_OUT_OF_MEMORY, {16384, 16384, 16384, F32, 4, 0}},
        {CUDA_ERROR_NOT_SUPPORTED, {7, 5, 0, 0xc2, 4, 0}},
        {CUDA_ERROR_NOT_SUPPORTED, {7, 5, 0, 0xb0, 1, 0}},
        {CUDA_ERROR_NOT_SUPPORTED, {7, 5, 0, F32, 1, 0x10}},
        {CUDA_ERROR_NOT_SUPPORTED, {7, 5, 0, F32, 1, 0x40}},
        {CUDA_ERROR_NOT_SUPPORTED, {7, 5, 0, F32, 1, 0x80}},
    };
    for (unsigned k = 0; k < sizeof bad / sizeof *bad; k++) IS(bad[k].code, cuArray3DCreate_v2(&array, &bad[k].wanted));
    IS(CUDA_ERROR_INVALID_VALUE, cuArray3DCreate_v2(NULL, good));
    IS(CUDA_ERROR_INVALID_VALUE, cuArray3DCreate_v2(&array, NULL));
    IS(CUDA_ERROR_INVALID_VALUE, cuArrayCreate_v2(&array, NULL));
    HOLDS(room() == before);
    GOOD(cuDeviceGetTexture1DLinearMaxWidth(&width, F32, 4, 0));
    HOLDS(width == 1 << 28);
    IS(CUDA_ERROR_INVALID_VALUE, cuDeviceGetTexture1DLinearMaxWidth(&width, F32, 3, 0));
    IS(CUDA_ERROR_NOT_SUPPORTED, cuArrayGetPlane(&array, array, 0));
}

/* Rectangles between the host, the device and arrays, and how they may not lie. */
static void rectangles(CUdeviceptr device) {
    unsigned short from[8 * 4], to[8 * 4] = {0};
    CUarray array = made(described(8, 4, 0, U16, 1, 0)), other = made(described(4, 4, 0, U16, 2, 0));
    for (unsigned k = 0; k < 32; k++) from[k] = k;
    CUDA_MEMCPY2D in = {0}, out = {0};
    in.srcMemoryType = HOST, in.srcHost = from, in.srcPitch = 16;
    in.dstMemoryType = ARRAY, in.dstArray = array;
    in.WidthInBytes = 16, in.Height = 4;
    GOOD(cuMemcpy2D_v2(&in));
    out.srcMemoryType = ARRAY, out.srcArray = array, out.srcXInBytes = 4, out.srcY = 1;
    out.dstMemoryType = HOST, out.dstHost = to, out.dstPitch = 6;
    out.WidthInBytes = 6, out.Height = 3;
    GOOD(cuMemcpy2DAsync_v2(&out, (CUstream)2));
    HOLDS(to[0] == 10 && to[2] == 12 && to[3] == 18 && to[8] == 28 && to[9] == 0);
    /* From array to array, whose texels have another size; and to memory of the device. */
    CUDA_MEMCPY2D across = out;
    across.dstMemoryType = ARRAY, across.dstArray = other, across.dstXInBytes = 8, across.WidthInBytes = 8, across.dstY = 1;
    GOOD(cuMemcpy2DUnaligned_v2(&across));
    across.srcArray = other, across.dstMemoryType = DEVICE, across.dstDevice = device, across.dstPitch = 32;
    across.srcXInBytes = 8, across.dstXInBytes = 0, across.dstY = 0;
    GOOD(cuMemcpy2D_v2(&across));
    GOOD(cuMemcpyDtoH_v2(to, device + 64, 8));
    HOLDS(to[0] == 26 && to[3] == 29);

    CUDA_MEMCPY2D wrong = in;
    wrong.dstXInBytes = 2;
    IS(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D_v2(&wrong));
    wrong = in, wrong.dstY = 1;
    IS(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D_v2(&wrong));
    wrong = in, wrong.dstXInBytes = (size_t)-2;
    IS(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D_v2(&wrong));
    wrong = in, wrong.dstXInBytes = 1, wrong.WidthInBytes = 2;
    IS(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D_v2(&wrong));
    wrong = in, wrong.WidthInBytes = 3;
    IS(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D_v2(&wrong));
    wrong = in, wrong.srcHost = NULL;
    IS(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D_v2(&wrong));
    wrong = in, wrong.dstMemoryType = 5;
    IS(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D_v2(&wrong));
    wrong = in, wrong.dstArray = NULL;
    IS(CUDA_ERROR_INVALID_HANDLE, cuMemcpy2D_v2(&wrong));
    GOOD(cuArrayDestroy(array));
    GOOD(cuArrayDestroy(other));
    IS(CUDA_ERROR_INVALID_HANDLE, cuMemcpy2D_v2(&in));
}

/* Boxes of planes and of layers. */
static void boxes(void) {
    unsigned char from[5 * 4 * 3], to[2 * 2 * 2];
    for (unsigned k = 0; k < sizeof from; k++) from[k] = k;
    CUDA_ARRAY3D_DESCRIPTOR shapes[] = {{5, 4, 3, U8, 1, 0}, {5, 4, 3, U8, 1, LAYERED}, {5, 0, 3, U8, 1, LAYERED}};
    for (unsigned k = 0; k < 3; k++) {
        CUarray array = made(shapes[k]);
        unsigned rows = shapes[k].Height == 0 ? 1 : 4;
        CUDA_MEMCPY3D in = {0}, out = {0};
        in.srcMemoryType = HOST, in.srcHost = from, in.srcPitch = 5, in.srcHeight = rows;
        in.dstMemoryType = ARRAY, in.dstArray = array;
        in.WidthInBytes = 5, in.Height = rows, in.Depth = 3;
        GOOD(cuMemcpy3D_v2(&in));
        out.srcMemoryType = ARRAY, out.srcArray = array, out.srcXInBytes = 3, out.srcY = rows / 2, out.srcZ = 1;
        out.dstMemoryType = UNIFIED, out.dstDevice = (CUdeviceptr)(size_t)to, out.dstPitch = 2, out.dstHeight = rows / 2 + rows % 2;
        out.WidthInBytes = 2, out.Height = rows == 1 ? 1 : 2, out.Depth = 2;
        memset(to, 0, sizeof to);
        GOOD(cuMemcpy3DAsync_v2(&out, NULL));
        unsigned last = rows == 1 ? 3 : 7;
        HOLDS(to[0] == 5 * rows + 5 * (rows / 2) + 3 && to[last] == from[(2 * rows + rows - 1) * 5 + 4]);
        memset(to, 0, sizeof to);
        GOOD(cuMemcpy3DPeer(&out));
        GOOD(cuMemcpy3DPeerAsync_ptsz(&out, NULL));
        HOLDS(to[0] == 5 * rows + 5 * (rows / 2) + 3);
        out.srcZ = 2;
        IS(CUDA_ERROR_INVALID_VALUE, cuMemcpy3D_v2(&out));
        out.srcZ = (size_t)-1;
        IS(CUDA_ERROR_INVALID_VALUE, cuMemcpy3D_v2(&out));
        GOOD(cuArrayDestroy(array));
    }
}

/* Bytes one row after the other. */
static void lines(CUdeviceptr device) {
    float from[16], to[16] = {0};
    CUarray line = made(described(16, 0, 0, F32, 1, 0)), plane = made(described(4, 4, 0, F32, 1, 0));
    CUarray wide = made(described(4, 0, 0, F32, 4, 0));
    for (unsigned k = 0; k < 16; k++) from[k] = k;
    GOOD(cuMemcpyHtoA_v2(line, 0, from, 64));
    GOOD(cuMemcpyAtoA_v2(plane, 16, line, 0, 48));
    GOOD(cuMemcpyAtoD_v2(device, plane, 16, 32));
    GOOD(cuMemcpyDtoA_v2(line, 32, device, 32));
    GOOD(cuMemcpyAtoH_v2(to, line, 28, 36));
    HOLDS(to[0] == 7 && to[1] == 0 && to[8] == 7);
    GOOD(cuMemcpyHtoAAsync_v2(plane, 60, from + 9, 4, NULL));
    GOOD(cuMemcpyAtoHAsync_v2(to, plane, 56, 8, NULL));
    HOLDS(to[0] == 10 && to[1] == 9);
    GOOD(cuMemcpyAtoH_v2_ptds(to, plane, 60, 4));
    GOOD(cuMemcpyAtoH_v2(to, plane, 64, 0));
    IS(CUDA_ERROR_INVALID_VALUE, cuMemcpyAtoH_v2(to, plane, 64, 1));
    IS(CUDA_ERROR_INVALID_VALUE, cuMemcpyAtoH_v2(to, plane, (size_t)-1, 4));
    IS(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoA_v2(plane, 32, from, 36));
    IS(CUDA_ERROR_INVALID_VALUE, cuMemcpyAtoH_v2(NULL, plane, 0, 4));
    IS(CUDA_ERROR_INVALID_VALUE, cuMemcpyAtoD_v2(16, plane, 0, 4));
    IS(CUDA_ERROR_INVALID_VALUE, cuMemcpyAtoA_v2(wide, 0, line, 0, 16));
    IS(CUDA_ERROR_INVALID_VALUE, cuMemcpyAtoA_v2(plane, 0, line, 0, 6));
    GOOD(cuArrayDestroy(line));
    IS(CUDA_ERROR_INVALID_HANDLE, cuMemcpyHtoA_v2(line, 0, from, 64));
    IS(CUDA_ERROR_INVALID_HANDLE, cuMemcpyAtoA_v2(plane, 0, line, 0, 4));
    GOOD(cuArrayDestroy(plane));
    GOOD(cuArrayDestroy(wide));
}

/* Levels are arrays without memory of their own. */
static void levels(void) {
    CUmipmappedArray pyramid, one;
    CUarray level, again;
    CUDA_ARRAY3D_DESCRIPTOR wanted = described(40, 10, 0, U8, 4, SURFACE), found;
    CUDA_ARRAY_MEMORY_REQUIREMENTS wants;
    unsigned from[4] = {1, 2, 3, 4}, to[4];
    size_t before = room();
    GOOD(cuMipmappedArrayCreate(&pyramid, &wanted, 3));
    GOOD(cuMipmappedArrayGetMemoryRequirements(&wants, pyramid, 0));
    HOLDS(wants.size == 4 * (400 + 100 + 20) && wants.alignment == 512);
    GOOD(cuMipmappedArrayGetLevel(&level, pyramid, 2));
    GOOD(cuMipmappedArrayGetLevel(&again, pyramid, 2));
    HOLDS(level == again);
    GOOD(cuArray3DGetDescriptor_v2(&found, level));
    HOLDS(found.Width == 10 && found.Height == 2 && found.Depth == 0 && found.NumChannels == 4 && found.Flags == SURFACE);
    GOOD(cuMemcpyHtoA_v2(level, 64, from, 16));
    GOOD(cuMemcpyAtoH_v2(to, level, 64, 16));
    HOLDS(memcmp(from, to, 16) == 0);
    IS(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoA_v2(level, 68, from, 16));
    IS(CUDA_ERROR_INVALID_VALUE, cuMipmappedArrayGetLevel(&level, pyramid, 3));
    IS(CUDA_ERROR_INVALID_VALUE, cuMipmappedArrayGetLevel(NULL, pyramid, 0));
    IS(CUDA_ERROR_INVALID_HANDLE, cuArrayDestroy(level));
    IS(CUDA_ERROR_INVALID_HANDLE, cuArrayDestroy((CUarray)pyramid));
    IS(CUDA_ERROR_INVALID_HANDLE, cuMipmappedArrayDestroy((CUmipmappedArray)level));
    GOOD(cuMipmappedArrayDestroy(pyramid));
    IS(CUDA_ERROR_INVALID_HANDLE, cuArray3DGetDescriptor_v2(&found, level));
    IS(CUDA_ERROR_INVALID_HANDLE, cuMipmappedArrayGetLevel(&level, pyramid, 0));
    IS(CUDA_ERROR_INVALID_HANDLE, cuMipmappedArrayDestroy(pyramid));
    HOLDS(room() == before);
    /* There are no more of them than the size allows, and one at least. */
    GOOD(cuMipmappedArrayCreate(&one, &wanted, 100));
    GOOD(cuMipmappedArrayGetLevel(&level, one, 5));
    IS(CUDA_ERROR_INVALID_VALUE, cuMipmappedArrayGetLevel(&level, one, 6));
    GOOD(cuMipmappedArrayDestroy(one));
    GOOD(cuMipmappedArrayCreate(&one, &wanted, 0));
    GOOD(cuMipmappedArrayDestroy(one));
    wanted.Width = 32769;
    IS(CUDA_ERROR_INVALID_VALUE, cuMipmappedArrayCreate(&one, &wanted, 2));
    IS(CUDA_ERROR_INVALID_VALUE, cuMipmappedArrayCreate(&one, NULL, 2));
}

/* Copies as nodes of graphs, of which some are captured. */
static void graphs(void) {
    unsigned from[8] = {1, 2, 3, 4, 5, 6, 7, 8}, to[8] = {0};
    CUarray array = made(described(4, 2, 0, F32, 1, 0));
    CUgraph graph;
    CUgraphNode node;
    CUgraphExec executable;
    CUstream stream;
    CUDA_MEMCPY3D in = {0}, found;
    in.srcMemoryType = HOST, in.srcHost = from, in.srcPitch = 16;
    in.dstMemoryType = ARRAY, in.dstArray = array;
    in.WidthInBytes = 16, in.Height = 2, in.Depth = 1;
    GOOD(cuStreamCreate(&stream, 1));
    GOOD(cuStreamBeginCapture_v2(stream, 0));
    GOOD(cuMemcpyAtoHAsync_v2(to, array, 0, 32, stream));
    GOOD(cuStreamEndCapture(stream, &graph));
    GOOD(cuGraphAddMemcpyNode(&node, graph, NULL, 0, &in, NULL));
    GOOD(cuGraphMemcpyNodeGetParams(node, &found));
    HOLDS(found.dstArray == array && found.dstMemoryType == ARRAY);
    in.dstY = 1;
    IS(CUDA_ERROR_INVALID_VALUE, cuGraphMemcpyNodeSetParams(node, &in));
    CUgraphNode last[1], first[1] = {node};
    size_t count = 1;
    GOOD(cuGraphGetRootNodes(graph, last, &count));
    HOLDS(last[0] != node);
    GOOD(cuGraphAddDependencies(graph, first, last, 1));
    GOOD(cuGraphInstantiateWithFlags(&executable, graph, 0));
    HOLDS(to[7] == 0);
    GOOD(cuGraphLaunch(executable, stream));
    GOOD(cuStreamSynchronize(stream));
    HOLDS(memcmp(from, to, sizeof to) == 0);
    GOOD(cuArrayDestroy(array));
    IS(CUDA_ERROR_INVALID_HANDLE, cuGraphLaunch(executable, stream));
    GOOD(cuGraphExecDestroy(executable));
    GOOD(cuGraphDestroy(graph));
    GOOD(cuStreamDestroy_v2(stream));
}

/* What goes with a context goes when it ends. */
static void contexts(void) {
    CUcontext context;
    CUmipmappedArray pyramid;
    CUarray array, level;
    CUDA_ARRAY3D_DESCRIPTOR wanted = described(64, 64, 0, F32, 4, 0), found;
    size_t before = room();
    GOOD(cuCtxCreate_v2(&context, 0, 0));
    array = made(wanted);
    GOOD(cuMipmappedArrayCreate(&pyramid, &wanted, 2));
    GOOD(cuMipmappedArrayGetLevel(&level, pyramid, 1));
    HOLDS(room() < before);
    GOOD(cuCtxDestroy_v2(context));
    HOLDS(room() == before);
    IS(CUDA_ERROR_INVALID_HANDLE, cuArray3DGetDescriptor_v2(&found, array));
    IS(CUDA_ERROR_INVALID_HANDLE, cuArray3DGetDescriptor_v2(&found, level));
    IS(CUDA_ERROR_INVALID_HANDLE, cuMipmappedArrayDestroy(pyramid));
    GOOD(cuCtxSetCurrent(NULL));
    IS(CUDA_ERROR_INVALID_CONTEXT, cuArray3DCreate_v2(&array, &wanted));
    IS(CUDA_ERROR_INVALID_CONTEXT, cuMipmappedArrayCreate(&pyramid, &wanted, 2));
}

int main(void) {
    CUdeviceptr device;
    CUarray array;
    CUDA_ARRAY3D_DESCRIPTOR wanted = described(1, 0, 0, F32, 1, 0);
    IS(CUDA_ERROR_NOT_INITIALIZED, cuArray3DCreate_v2(&array, &wanted));
    begin();
    GOOD(cuMemAlloc_v2(&device, 4096));
    creation();
    rectangles(device);
    boxes();
    lines(device);
    levels();
    graphs();
    GOOD(cuMemFree_v2(device));
    contexts();
    puts("all good");
    return 0;
}
