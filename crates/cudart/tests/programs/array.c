/* Arrays, copies from and to them, textures and surfaces by the runtime library. */
#include "array.h"

enum { SIGNED = 0, UNSIGNED = 1, FLOAT = 2 };
enum { LAYERED = 1, SURFACE = 2, CUBEMAP = 4 };
enum { ARRAY = 0, MIPMAPPED = 1, LINEAR = 2, PITCH2D = 3 };

static Channels one_float(void) { return cudaCreateChannelDesc(32, 0, 0, 0, FLOAT); }

static Array array_of(Channels channels, size_t width, size_t height, size_t depth, unsigned flags) {
    Array array;
    GOOD(cudaMalloc3DArray(&array, &channels, (Extent){width, height, depth}, flags));
    return array;
}

static void arrays(void) {
    Channels pixel = cudaCreateChannelDesc(8, 8, 8, 8, UNSIGNED), found, wrong[] = {{8, 8, 8, 0, UNSIGNED}, {8, 16, 0, 0, UNSIGNED},
        {0, 0, 0, 0, FLOAT}, {8, 0, 0, 0, FLOAT}, {8, 0, 8, 0, SIGNED}, {32, 0, 0, 0, 3}};
    Array array, level;
    Mipmapped pyramid;
    Extent extent;
    Requirements wants;
    unsigned flags;
    size_t width;
    HOLDS(pixel.x == 8 && pixel.w == 8 && pixel.f == UNSIGNED);
    GOOD(cudaMallocArray(&array, &pixel, 40, 10, SURFACE));
    GOOD(cudaArrayGetInfo(&found, &extent, &flags, array));
    HOLDS(memcmp(&found, &pixel, sizeof found) == 0 && extent.width == 40 && extent.height == 10 && extent.depth == 0 && flags == SURFACE);
    GOOD(cudaArrayGetInfo(NULL, NULL, NULL, array));
    GOOD(cudaGetChannelDesc(&found, array));
    IS(1, cudaGetChannelDesc(NULL, array));
    GOOD(cudaArrayGetMemoryRequirements(&wants, array, 0));
    HOLDS(wants.size == 1600);
    GOOD(cudaFreeArray(array));
    GOOD(cudaFreeArray(NULL));
    GOOD(cudaFreeMipmappedArray(NULL));
    IS(400, cudaFreeArray(array));
    for (unsigned k = 0; k < sizeof wrong / sizeof *wrong; k++) IS(20, cudaMallocArray(&array, &wrong[k], 4, 4, 0));
    wrong[0].f = 7;
    IS(801, cudaMallocArray(&array, wrong, 4, 4, 0));
    IS(1, cudaMallocArray(&array, NULL, 4, 4, 0));
    IS(1, cudaMallocArray(NULL, &pixel, 4, 4, 0));
    IS(1, cudaMallocArray(&array, &pixel, 0, 4, 0));
    GOOD(cudaMallocMipmappedArray(&pyramid, &pixel, (Extent){40, 10, 0}, 3, 0));
    GOOD(cudaMipmappedArrayGetMemoryRequirements(&wants, pyramid, 0));
    HOLDS(wants.size == 4 * 520);
    GOOD(cudaGetMipmappedArrayLevel(&level, pyramid, 1));
    GOOD(cudaArrayGetInfo(NULL, &extent, NULL, level));
    HOLDS(extent.width == 20 && extent.height == 5);
    IS(1, cudaGetMipmappedArrayLevel(&level, pyramid, 3));
    GOOD(cudaFreeMipmappedArray(pyramid));
    IS(400, cudaFreeMipmappedArray(pyramid));
    GOOD(cudaDeviceGetTexture1DLinearMaxWidth(&width, &pixel, 0));
    HOLDS(width == 1 << 28);
}

static void flat_copies(void) {
    float from[8 * 4], to[8 * 4] = {0};
    Array array = array_of(one_float(), 8, 4, 0, 0), other = array_of(one_float(), 8, 4, 0, 0);
    void *device;
    for (unsigned k = 0; k < 32; k++) from[k] = k;
    GOOD(cudaMalloc(&device, sizeof from));
    GOOD(cudaMemcpy2DToArray(array, 0, 0, from, 32, 32, 4, ToDevice));
    GOOD(cudaMemcpy2DFromArray(to, 12, array, 8, 1, 12, 3, ToHost));
    HOLDS(to[0] == 10 && to[2] == 12 && to[3] == 18 && to[8] == 28 && to[9] == 0);
    GOOD(cudaMemcpy2DArrayToArray(other, 4, 0, array, 8, 1, 8, 2, OnDevice));
    GOOD(cudaMemcpy2DFromArrayAsync_ptsz(device, 32, other, 0, 0, 32, 4, OnDevice, NULL));
    GOOD(cudaMemcpy(to, device, sizeof to, ToHost));
    HOLDS(to[1] == 10 && to[2] == 11 && to[9] == 18);
    GOOD(cudaMemcpy2DToArrayAsync(other, 0, 3, device, 32, 32, 1, Default, NULL));
    /* Bytes go on in the next row. */
    GOOD(cudaMemcpyToArray(array, 28, 0, from, 8, ToDevice));
    GOOD(cudaMemcpyFromArray(to, array, 24, 0, 16, ToHost));
    HOLDS(to[0] == 6 && to[1] == 0 && to[2] == 1 && to[3] == 9);
    GOOD(cudaMemcpyFromArrayAsync(device, array, 0, 3, 32, OnDevice, NULL));
    GOOD(cudaMemcpyToArrayAsync(other, 0, 0, device, 32, OnDevice, NULL));
    GOOD(cudaMemcpyArrayToArray(array, 0, 1, other, 4, 0, 28, OnDevice));
    GOOD(cudaMemcpyFromArray(to, array, 0, 1, 32, Default));
    HOLDS(to[0] == 25 && to[6] == 31 && to[7] == 15);
    IS(1, cudaMemcpy2DToArray(array, 4, 0, from, 32, 32, 4, ToDevice));
    IS(1, cudaMemcpyToArray(array, 0, 3, from, 36, ToDevice));
    IS(1, cudaMemcpyToArray(array, 0, (size_t)-1, from, 4, ToDevice));
    IS(1, cudaMemcpyToArrayAsync(other, 0, 0, from, 32, OnDevice, NULL));
    IS(12, cudaMemcpy2DToArray(array, 0, 0, from, 16, 32, 4, ToDevice));
    IS(21, cudaMemcpy2DFromArray(to, 32, array, 0, 0, 32, 4, 7));
    GOOD(cudaFreeArray(array));
    IS(400, cudaMemcpy2DToArray(array, 0, 0, from, 32, 32, 4, ToDevice));
    GOOD(cudaFreeArray(other));
    GOOD(cudaFree(device));
}

static void deep_copies(void) {
    float from[3][4][5], to[3][4][5];
    Array array = array_of(one_float(), 5, 4, 3, LAYERED), other = array_of(one_float(), 5, 4, 3, 0);
    Array wide = array_of(cudaCreateChannelDesc(32, 32, 0, 0, FLOAT), 5, 4, 3, 0);
    for (unsigned k = 0; k < 60; k++) ((float *)from)[k] = k, ((float *)to)[k] = 0;
    Copy3D in = {0}, across = {0}, out = {0}, told;
    in.srcPtr = (Pitched){from, 20, 5, 4}, in.dstArray = array, in.extent = (Extent){5, 4, 3}, in.kind = ToDevice;
    GOOD(cudaMemcpy3D(&in));
    /* Places and widths are counted in texels. */
    across.srcArray = array, across.srcPos = (Position){1, 2, 1}, across.dstArray = other, across.dstPos = (Position){0, 0, 0};
    across.extent = (Extent){3, 2, 2}, across.kind = OnDevice;
    GOOD(cudaMemcpy3DAsync(&across, NULL));
    out.srcArray = other, out.dstPtr = (Pitched){to, 20, 5, 4}, out.extent = (Extent){3, 2, 2}, out.kind = ToHost;
    GOOD(cudaMemcpy3D(&out));
    HOLDS(to[0][0][0] == from[1][2][1] && to[1][1][2] == from[2][3][3] && to[0][0][3] == 0);
    PeerCopy3D peer = {0};
    peer.srcArray = array, peer.dstArray = other, peer.extent = (Extent){5, 4, 3};
    GOOD(cudaMemcpy3DPeer(&peer));
    GOOD(cudaMemcpy3DPeerAsync(&peer, NULL));
    peer.dstDevice = 1;
    IS(101, cudaMemcpy3DPeer(&peer));
    out.extent = (Extent){5, 4, 3};
    GOOD(cudaMemcpy3D(&out));
    HOLDS(memcmp(from, to, sizeof from) == 0);
    out.srcPos.x = 1;
    IS(1, cudaMemcpy3D(&out));
    out.srcPos.x = (size_t)1 << 62;
    IS(1, cudaMemcpy3D(&out));
    across.dstArray = wide;
    IS(1, cudaMemcpy3D(&across));
    across.dstArray = other, across.dstPtr = out.dstPtr;
    IS(1, cudaMemcpy3D(&across));
    /* As nodes of graphs. */
    Graph graph;
    Node node;
    GOOD(cudaGraphCreate(&graph, 0));
    GOOD(cudaGraphAddMemcpyNode(&node, graph, NULL, 0, &in));
    GOOD(cudaGraphMemcpyNodeGetParams(node, &told));
    HOLDS(told.dstArray == array && told.extent.width == 5 && told.kind == ToDevice && told.srcPtr.ptr == from && told.dstPtr.ptr == NULL);
    GOOD(cudaGraphDestroy(graph));
    GOOD(cudaFreeArray(array));
    IS(400, cudaMemcpy3D(&in));
    GOOD(cudaFreeArray(other));
    GOOD(cudaFreeArray(wide));
}

static unsigned refused(Resource resource, Reading reading) {
    Texture made;
    return cudaCreateTextureObject(&made, &resource, &reading, NULL);
}

static void textures(void) {
    Array array = array_of(cudaCreateChannelDesc(8, 8, 8, 8, UNSIGNED), 40, 10, 0, 0);
    Resource resource = {0}, found, line = {0}, plane = {0};
    Reading reading = {{0, 2, 3}, 1, 1, 1, {1, 2, 3, 4}, 1, 1, 0, 0.5f, 1, 2, 1, 0}, told;
    View view = {0, 40, 10, 0, 0, 0, 0, 0
#if MAJOR == 13
                 , {0}
#endif
    }, seen;
    Texture made;
    unsigned words[32];
    void *device;
    resource.res.array = array;
    GOOD(cudaCreateTextureObject(&made, &resource, &reading, NULL));
    GOOD(cudaMemcpy(words, (void *)made, sizeof words, ToHost));
    /* After eight bytes, an address and a pitch: kind, width, height; in the ninth word the flags, then the modes. */
    HOLDS(words[7] == 40 && words[8] == 10 && words[12] == 1 && words[13] == 4 && words[14] == (4 | 16 | 32 | 64));
    HOLDS(words[15] == (0 | 2 << 8 | 3 << 16));
    GOOD(cudaGetTextureObjectResourceDesc(&found, made));
    HOLDS(found.resType == ARRAY && found.res.array == array);
    GOOD(cudaGetTextureObjectTextureDesc(&told, made));
    HOLDS(memcmp(&told, &reading, sizeof told) == 0);
    IS(1, cudaGetTextureObjectResourceViewDesc(&seen, made));
    GOOD(cudaDestroyTextureObject(made));
    IS(1, cudaDestroyTextureObject(made));
    GOOD(cudaCreateTextureObject(&made, &resource, &reading, &view));
    GOOD(cudaGetTextureObjectResourceViewDesc(&seen, made));
    HOLDS(memcmp(&seen, &view, sizeof seen) == 0);
    GOOD(cudaDestroyTextureObject(made));
    reading.readMode = 0;
    IS(26, refused(resource, reading));
    reading.readMode = 2;
    IS(1, refused(resource, reading));
    reading = (Reading){0};

    GOOD(cudaMalloc(&device, 4096));
    line.resType = LINEAR, line.res.linear.devPtr = device, line.res.linear.desc = one_float(), line.res.linear.sizeInBytes = 4096;
    GOOD(cudaCreateTextureObject(&made, &line, &reading, NULL));
    GOOD(cudaGetTextureObjectResourceDesc(&found, made));
    HOLDS(found.res.linear.devPtr == device && found.res.linear.desc.x == 32 && found.res.linear.desc.f == FLOAT && found.res.linear.sizeInBytes == 4096);
    GOOD(cudaMemcpy(words, (void *)made, sizeof words, ToHost));
    HOLDS(words[7] == 1024 && words[8] == 0 && words[14] == 2);
    plane.resType = PITCH2D, plane.res.pitch2D.devPtr = device, plane.res.pitch2D.desc = cudaCreateChannelDesc(16, 16, 0, 0, SIGNED);
    plane.res.pitch2D.width = 20, plane.res.pitch2D.height = 5, plane.res.pitch2D.pitchInBytes = 96;
    GOOD(cudaCreateTextureObject(&made, &plane, &reading, NULL));
    GOOD(cudaGetTextureObjectResourceDesc(&found, made));
    HOLDS(found.res.pitch2D.desc.y == 16 && found.res.pitch2D.desc.z == 0 && found.res.pitch2D.desc.f == SIGNED && found.res.pitch2D.width == 20 &&
          found.res.pitch2D.height == 5 && found.res.pitch2D.pitchInBytes == 96);
    reading.filterMode = 1;
    IS(26, refused(plane, reading));
    GOOD(cudaCreateTextureObject(&made, &line, &reading, NULL));
    line.res.linear.desc.x = 5;
    IS(20, refused(line, reading));
    Mipmapped pyramid;
    GOOD(cudaMallocMipmappedArray(&pyramid, &plane.res.pitch2D.desc, (Extent){8, 8, 0}, 3, 0));
    resource.resType = MIPMAPPED, resource.res.mipmap = pyramid;
    IS(26, refused(resource, reading));
    reading.readMode = 1;
    GOOD(cudaCreateTextureObject(&made, &resource, &reading, NULL));
    IS(1, cudaCreateTextureObject(&made, NULL, &reading, NULL));
    IS(1, cudaCreateTextureObject(&made, &resource, NULL, NULL));
    IS(1, cudaCreateTextureObject(NULL, &resource, &reading, NULL));
    GOOD(cudaFreeMipmappedArray(pyramid));
    IS(400, refused(resource, reading));
    GOOD(cudaFree(device));
    GOOD(cudaFreeArray(array));
}

static void surfaces(void) {
    Array array = array_of(one_float(), 8, 8, 6, CUBEMAP | SURFACE), other = array_of(one_float(), 8, 8, 0, 0);
    Resource resource = {0}, found;
    Surface made;
    resource.res.array = array;
    GOOD(cudaCreateSurfaceObject(&made, &resource));
    GOOD(cudaGetSurfaceObjectResourceDesc(&found, made));
    HOLDS(found.resType == ARRAY && found.res.array == array);
    IS(1, cudaDestroyTextureObject(made));
    GOOD(cudaDestroySurfaceObject(made));
    IS(1, cudaDestroySurfaceObject(made));
    resource.res.array = other;
    IS(1, cudaCreateSurfaceObject(&made, &resource));
    GOOD(cudaFreeArray(array));
    GOOD(cudaFreeArray(other));
}

int main(void) {
    arrays();
    flat_copies();
    deep_copies();
    textures();
    surfaces();
    puts("all good");
    return 0;
}
