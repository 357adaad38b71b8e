/* What programs use of arrays, textures and surfaces in CUDA's runtime interface: declarations of our own. */
#ifndef ARRAY_H
#define ARRAY_H

#include "runtime.h"

typedef void *Array;
typedef void *Mipmapped;
typedef unsigned long long Texture;
typedef unsigned long long Surface;
typedef struct {
    int x, y, z, w;
    unsigned f;
} Channels;
typedef struct {
    unsigned resType;
    union {
        Array array;
        Mipmapped mipmap;
        struct {
            void *devPtr;
            Channels desc;
            size_t sizeInBytes;
        } linear;
        struct {
            void *devPtr;
            Channels desc;
            size_t width, height, pitchInBytes;
        } pitch2D;
#if MAJOR == 13
        int reserved[32];
#endif
    } res;
#if MAJOR == 13
    unsigned flags;
#endif
} Resource;
typedef struct {
    unsigned addressMode[3], filterMode, readMode;
    int sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned maxAnisotropy, mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization, seamlessCubemap;
} Reading;
typedef struct {
    unsigned format;
    size_t width, height, depth;
    unsigned firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer;
#if MAJOR == 13
    unsigned reserved[16];
#endif
} View;
typedef struct {
    Array srcArray;
    Position srcPos;
    Pitched srcPtr;
    int srcDevice;
    Array dstArray;
    Position dstPos;
    Pitched dstPtr;
    int dstDevice;
    Extent extent;
} PeerCopy3D;
typedef struct {
    size_t size, alignment;
    unsigned reserved[4];
} Requirements;

Channels cudaCreateChannelDesc(int, int, int, int, unsigned);
Error cudaMallocArray(Array *, const Channels *, size_t, size_t, unsigned), cudaMalloc3DArray(Array *, const Channels *, Extent, unsigned);
Error cudaMallocMipmappedArray(Mipmapped *, const Channels *, Extent, unsigned, unsigned), cudaGetMipmappedArrayLevel(Array *, Mipmapped, unsigned);
Error cudaFreeArray(Array), cudaFreeMipmappedArray(Mipmapped), cudaArrayGetInfo(Channels *, Extent *, unsigned *, Array);
Error cudaGetChannelDesc(Channels *, Array), cudaArrayGetMemoryRequirements(Requirements *, Array, int);
Error cudaMipmappedArrayGetMemoryRequirements(Requirements *, Mipmapped, int), cudaDeviceGetTexture1DLinearMaxWidth(size_t *, const Channels *, int);
Error cudaMemcpy2DToArray(Array, size_t, size_t, const void *, size_t, size_t, size_t, int);
Error cudaMemcpy2DToArrayAsync(Array, size_t, size_t, const void *, size_t, size_t, size_t, int, Stream);
Error cudaMemcpy2DFromArray(void *, size_t, Array, size_t, size_t, size_t, size_t, int);
Error cudaMemcpy2DFromArrayAsync_ptsz(void *, size_t, Array, size_t, size_t, size_t, size_t, int, Stream);
Error cudaMemcpy2DArrayToArray(Array, size_t, size_t, Array, size_t, size_t, size_t, size_t, int);
Error cudaMemcpyToArray(Array, size_t, size_t, const void *, size_t, int), cudaMemcpyToArrayAsync(Array, size_t, size_t, const void *, size_t, int, Stream);
Error cudaMemcpyFromArray(void *, Array, size_t, size_t, size_t, int), cudaMemcpyFromArrayAsync(void *, Array, size_t, size_t, size_t, int, Stream);
Error cudaMemcpyArrayToArray(Array, size_t, size_t, Array, size_t, size_t, size_t, int);
Error cudaMemcpy3DAsync(const Copy3D *, Stream), cudaMemcpy3DPeer(const PeerCopy3D *), cudaMemcpy3DPeerAsync(const PeerCopy3D *, Stream);
Error cudaCreateTextureObject(Texture *, const Resource *, const Reading *, const View *), cudaDestroyTextureObject(Texture);
Error cudaGetTextureObjectResourceDesc(Resource *, Texture), cudaGetTextureObjectTextureDesc(Reading *, Texture);
Error cudaGetTextureObjectResourceViewDesc(View *, Texture);
Error cudaCreateSurfaceObject(Surface *, const Resource *), cudaDestroySurfaceObject(Surface), cudaGetSurfaceObjectResourceDesc(Resource *, Surface);

#endif
