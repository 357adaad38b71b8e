/* Texture and surface objects: what their handles lead to, what is told of them, and what is refused. */
#include "common.h"

enum { U8 = 0x01, U32 = 0x03, S16 = 0x09, F16 = 0x10, F32 = 0x20, LAYERED = 1, SURFACE = 2, CUBEMAP = 4 };
enum { ARRAY = 0, MIPMAPPED = 1, LINEAR = 2, PITCH2D = 3 };
enum { WRAP = 0, CLAMP = 1, MIRROR = 2, BORDER = 3 };
enum { INTEGER = 0x01, NORMALIZED = 0x02, SRGB = 0x10, SEAMLESS = 0x40 };

/* The description at a handle: what it begins with, an address, a pitch, and words. */
enum { KIND, WIDTH, HEIGHT, DEPTH, LAYERS, LEVELS, FORMAT, CHANNELS, FLAGS, MODES, BIAS, LEAST, MOST, RED };
enum { IS_CUBE = 1, IS_BUFFER = 2, IS_LINEAR = 4, IS_LINEAR_BETWEEN = 8, IS_NORMALIZED = 16, READS_FRACTIONS = 32, IS_SRGB = 64 };
typedef struct {
    char opaque[8];
    CUdeviceptr address;
    unsigned long long pitch;
    union {
        unsigned words[26];
        float numbers[26];
    };
} Description;

static Description described(CUtexObject object) {
    Description found;
    GOOD(cuMemcpyDtoH_v2(&found, object, sizeof found));
    HOLDS(sizeof found == 128 && object % 16 == 0 && memcmp(found.opaque, "opaque\0", 8) == 0);
    return found;
}

static CUarray array_of(size_t width, size_t height, size_t depth, unsigned format, unsigned channels, unsigned flags) {
    CUarray array;
    CUDA_ARRAY3D_DESCRIPTOR wanted = {width, height, depth, format, channels, flags};
    GOOD(cuArray3DCreate_v2(&array, &wanted));
    return array;
}

static CUDA_RESOURCE_DESC in_array(CUarray array) {
    CUDA_RESOURCE_DESC resource = {0};
    resource.res.array = array;
    return resource;
}

static CUtexObject texture(CUDA_RESOURCE_DESC resource, CUDA_TEXTURE_DESC sampling) {
    CUtexObject made;
    GOOD(cuTexObjectCreate(&made, &resource, &sampling, NULL));
    return made;
}

static unsigned refused(CUDA_RESOURCE_DESC resource, CUDA_TEXTURE_DESC sampling) {
    CUtexObject made;
    return cuTexObjectCreate(&made, &resource, &sampling, NULL);
}

static void arrays(void) {
    CUarray array = array_of(40, 10, 0, U8, 4, 0), cube = array_of(8, 8, 12, F32, 1, CUBEMAP | LAYERED), space = array_of(4, 5, 6, S16, 2, 0);
    CUDA_RESOURCE_DESC resource = in_array(array), found_resource;
    CUDA_TEXTURE_DESC sampling = {{WRAP, MIRROR, BORDER}, 1, NORMALIZED | SRGB, 1, 1, 0.5f, 1.0f, 3.0f, {1, 2, 3, 4}, {0}}, found_sampling;
    CUDA_RESOURCE_VIEW_DESC view;
    CUtexObject made = texture(resource, sampling);
    Description d = described(made);
    float to = 0, four = 4;
    HOLDS(d.words[WIDTH] == 40 && d.words[HEIGHT] == 10 && d.words[DEPTH] == 0 && d.words[LAYERS] == 0 && d.words[LEVELS] == 1);
    HOLDS(d.words[FORMAT] == U8 && d.words[CHANNELS] == 4 && d.pitch == 0);
    HOLDS(d.words[FLAGS] == (IS_LINEAR | IS_NORMALIZED | READS_FRACTIONS | IS_SRGB) && d.words[MODES] == (WRAP | MIRROR << 8 | BORDER << 16));
    HOLDS(d.numbers[BIAS] == 0.5f && d.numbers[LEAST] == 1 && d.numbers[MOST] == 3 && d.numbers[RED] == 1 && d.numbers[RED + 3] == 4);
    /* The address is where the array's texels are. */
    GOOD(cuMemcpyHtoA_v2(array, 4, &four, 4));
    GOOD(cuMemcpyDtoH_v2(&to, d.address + 4, 4));
    HOLDS(to == 4);
    GOOD(cuTexObjectGetResourceDesc(&found_resource, made));
    HOLDS(found_resource.resType == ARRAY && found_resource.res.array == array);
    GOOD(cuTexObjectGetTextureDesc(&found_sampling, made));
    HOLDS(memcmp(&found_sampling, &sampling, sizeof sampling) == 0);
    IS(CUDA_ERROR_INVALID_VALUE, cuTexObjectGetResourceViewDesc(&view, made));
    IS(CUDA_ERROR_INVALID_VALUE, cuTexObjectGetTextureDesc(NULL, made));
    IS(CUDA_ERROR_INVALID_VALUE, cuTexObjectGetTextureDesc(&sampling, made + 16));
    IS(CUDA_ERROR_INVALID_VALUE, cuSurfObjectDestroy(made));
    IS(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2(made));
    GOOD(cuTexObjectDestroy(made));
    IS(CUDA_ERROR_INVALID_VALUE, cuTexObjectDestroy(made));
    IS(CUDA_ERROR_INVALID_VALUE, cuTexObjectGetResourceDesc(&found_resource, made));
    IS(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH_v2(&d, made, sizeof d));
    IS(CUDA_ERROR_INVALID_VALUE, cuTexObjectDestroy(0));

    CUDA_TEXTURE_DESC plain = {0};
    d = described(texture(in_array(cube), plain));
    HOLDS(d.words[FLAGS] == IS_CUBE && d.words[LAYERS] == 12 && d.words[DEPTH] == 0 && d.words[FORMAT] == F32 && d.words[MODES] == 0);
    plain.flags = INTEGER;
    d = described(texture(in_array(space), plain));
    HOLDS(d.words[FLAGS] == 0 && d.words[DEPTH] == 6 && d.words[LAYERS] == 0 && d.words[FORMAT] == S16 && d.words[CHANNELS] == 2);

    /* Integers are not mixed, nor what else there is not. */
    plain.filterMode = 1;
    IS(CUDA_ERROR_INVALID_VALUE, refused(in_array(space), plain));
    plain.flags = 0, plain.maxAnisotropy = 16;
    IS(CUDA_ERROR_NOT_SUPPORTED, refused(in_array(space), plain));
    plain.maxAnisotropy = 0, plain.flags = SEAMLESS;
    IS(CUDA_ERROR_INVALID_VALUE, refused(in_array(space), plain));
    IS(CUDA_ERROR_NOT_SUPPORTED, refused(in_array(cube), plain));
    plain.filterMode = 2, plain.flags = 0;
    IS(CUDA_ERROR_INVALID_VALUE, refused(in_array(space), plain));
    plain.filterMode = 0, plain.addressMode[1] = 4;
    IS(CUDA_ERROR_INVALID_VALUE, refused(in_array(space), plain));
    plain.addressMode[1] = 0, plain.flags = 0x80;
    IS(CUDA_ERROR_INVALID_VALUE, refused(in_array(space), plain));
    plain.flags = 0, resource.flags = 1;
    IS(CUDA_ERROR_INVALID_VALUE, refused(resource, plain));
    resource.flags = 0, resource.resType = 4;
    IS(CUDA_ERROR_INVALID_VALUE, refused(resource, plain));
    IS(CUDA_ERROR_INVALID_HANDLE, refused(in_array(NULL), plain));
    IS(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(NULL, &found_resource, &plain, NULL));
    IS(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&made, NULL, &plain, NULL));
    IS(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&made, &found_resource, NULL, NULL));
    GOOD(cuArrayDestroy(array));
    IS(CUDA_ERROR_INVALID_HANDLE, refused(in_array(array), plain));
}

/* Levels, and views of arrays. */
static void views(void) {
    CUmipmappedArray pyramid;
    CUDA_ARRAY3D_DESCRIPTOR wanted = {40, 10, 0, U8, 4, 0};
    GOOD(cuMipmappedArrayCreate(&pyramid, &wanted, 4));
    CUDA_RESOURCE_DESC resource = {0};
    resource.resType = MIPMAPPED, resource.res.mipmap = pyramid;
    CUDA_TEXTURE_DESC sampling = {0};
    CUDA_RESOURCE_VIEW_DESC view = {0x16, 40, 10, 0, 1, 2, 0, 0, {0}}, found;
    sampling.mipmapFilterMode = 1;
    Description whole = described(texture(resource, sampling)), part;
    HOLDS(whole.words[LEVELS] == 4 && whole.words[FLAGS] == (IS_LINEAR_BETWEEN | READS_FRACTIONS));
    CUtexObject made;
    GOOD(cuTexObjectCreate(&made, &resource, &sampling, &view));
    part = described(made);
    HOLDS(part.address == whole.address + 1600 && part.words[WIDTH] == 20 && part.words[HEIGHT] == 5 && part.words[LEVELS] == 2);
    HOLDS(part.words[FORMAT] == F32 && part.words[CHANNELS] == 1 && part.words[FLAGS] == IS_LINEAR_BETWEEN);
    GOOD(cuTexObjectGetResourceViewDesc(&found, made));
    HOLDS(memcmp(&found, &view, sizeof view) == 0);
    view.lastMipmapLevel = 4;
    IS(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&made, &resource, &sampling, &view));
    view.lastMipmapLevel = 2, view.format = 0x17;
    IS(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&made, &resource, &sampling, &view));
    view.format = 0x19;
    IS(CUDA_ERROR_NOT_SUPPORTED, cuTexObjectCreate(&made, &resource, &sampling, &view));
    view.format = 0, view.width = 41;
    IS(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&made, &resource, &sampling, &view));
    sampling.flags = INTEGER;
    IS(CUDA_ERROR_INVALID_VALUE, refused(resource, sampling));
    GOOD(cuMipmappedArrayDestroy(pyramid));
    IS(CUDA_ERROR_INVALID_HANDLE, refused(resource, sampling));
}

/* Memory of the device as a row, and as rows. */
static void memory(void) {
    CUdeviceptr device;
    CUDA_TEXTURE_DESC plain = {0};
    CUDA_RESOURCE_DESC line = {0}, plane = {0}, wrong;
    CUDA_RESOURCE_VIEW_DESC view = {0, 512, 0, 0, 0, 0, 0, 0, {0}};
    CUtexObject made;
    GOOD(cuMemAlloc_v2(&device, 8192));
    line.resType = LINEAR, line.res.linear.devPtr = device + 512, line.res.linear.format = F16, line.res.linear.numChannels = 2;
    line.res.linear.sizeInBytes = 2050;
    /* Filters and address modes are of no account. */
    plain.filterMode = 1, plain.addressMode[0] = 7;
    Description d = described(texture(line, plain));
    HOLDS(d.address == device + 512 && d.words[WIDTH] == 512 && d.words[HEIGHT] == 0 && d.words[FLAGS] == IS_BUFFER);
    plain.filterMode = 0, plain.addressMode[0] = 0;
    wrong = line, wrong.res.linear.devPtr += 256;
    IS(CUDA_ERROR_INVALID_VALUE, refused(wrong, plain));
    wrong = line, wrong.res.linear.sizeInBytes = 8192;
    IS(CUDA_ERROR_INVALID_VALUE, refused(wrong, plain));
    wrong = line, wrong.res.linear.sizeInBytes = (size_t)-1;
    IS(CUDA_ERROR_INVALID_VALUE, refused(wrong, plain));
    wrong = line, wrong.res.linear.sizeInBytes = 3;
    IS(CUDA_ERROR_INVALID_VALUE, refused(wrong, plain));
    wrong = line, wrong.res.linear.numChannels = 3;
    IS(CUDA_ERROR_INVALID_VALUE, refused(wrong, plain));
    wrong = line, wrong.res.linear.format = 0xb0;
    IS(CUDA_ERROR_NOT_SUPPORTED, refused(wrong, plain));
    wrong = line, wrong.res.linear.devPtr = 512;
    IS(CUDA_ERROR_INVALID_VALUE, refused(wrong, plain));
    IS(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&made, &line, &plain, &view));

    plane.resType = PITCH2D, plane.res.pitch2D.devPtr = device, plane.res.pitch2D.format = U8, plane.res.pitch2D.numChannels = 4;
    plane.res.pitch2D.width = 20, plane.res.pitch2D.height = 5, plane.res.pitch2D.pitchInBytes = 96;
    d = described(texture(plane, plain));
    HOLDS(d.address == device && d.pitch == 96 && d.words[WIDTH] == 20 && d.words[HEIGHT] == 5 && d.words[FLAGS] == READS_FRACTIONS);
    wrong = plane, wrong.res.pitch2D.pitchInBytes = 100;
    IS(CUDA_ERROR_INVALID_VALUE, refused(wrong, plain));
    wrong = plane, wrong.res.pitch2D.pitchInBytes = 64;
    IS(CUDA_ERROR_INVALID_VALUE, refused(wrong, plain));
    wrong = plane, wrong.res.pitch2D.devPtr += 32;
    IS(CUDA_ERROR_INVALID_VALUE, refused(wrong, plain));
    wrong = plane, wrong.res.pitch2D.height = 0;
    IS(CUDA_ERROR_INVALID_VALUE, refused(wrong, plain));
    wrong = plane, wrong.res.pitch2D.height = 87;
    IS(CUDA_ERROR_INVALID_VALUE, refused(wrong, plain));
    wrong = plane, wrong.res.pitch2D.width = wrong.res.pitch2D.pitchInBytes = (size_t)1 << 62;
    IS(CUDA_ERROR_INVALID_VALUE, refused(wrong, plain));
}

static void surfaces(void) {
    CUarray array = array_of(16, 16, 3, U32, 1, LAYERED | SURFACE), other = array_of(16, 16, 0, U32, 1, 0);
    CUDA_RESOURCE_DESC resource = in_array(array), found;
    CUsurfObject made;
    GOOD(cuSurfObjectCreate(&made, &resource));
    Description d = described(made);
    HOLDS(d.words[WIDTH] == 16 && d.words[HEIGHT] == 16 && d.words[LAYERS] == 3 && d.words[FORMAT] == U32 && d.words[FLAGS] == 0);
    HOLDS(d.words[KIND] != described(texture(resource, (CUDA_TEXTURE_DESC){0})).words[KIND]);
    GOOD(cuSurfObjectGetResourceDesc(&found, made));
    HOLDS(found.res.array == array);
    IS(CUDA_ERROR_INVALID_VALUE, cuTexObjectDestroy(made));
    IS(CUDA_ERROR_INVALID_VALUE, cuTexObjectGetResourceDesc(&found, made));
    GOOD(cuSurfObjectDestroy(made));
    IS(CUDA_ERROR_INVALID_VALUE, cuSurfObjectDestroy(made));
    IS(CUDA_ERROR_INVALID_VALUE, cuSurfObjectGetResourceDesc(&found, made));
    resource = in_array(other);
    IS(CUDA_ERROR_INVALID_VALUE, cuSurfObjectCreate(&made, &resource));
    resource = in_array(array), resource.resType = LINEAR;
    IS(CUDA_ERROR_INVALID_VALUE, cuSurfObjectCreate(&made, &resource));
    IS(CUDA_ERROR_INVALID_VALUE, cuSurfObjectCreate(&made, NULL));
    IS(CUDA_ERROR_INVALID_VALUE, cuSurfObjectCreate(NULL, &found));
    GOOD(cuArrayDestroy(array));
    IS(CUDA_ERROR_INVALID_HANDLE, cuSurfObjectCreate(&made, &found));
}

/* Objects end with their context. */
static void contexts(void) {
    CUcontext context;
    size_t before, after, all;
    GOOD(cuMemGetInfo_v2(&before, &all));
    GOOD(cuCtxCreate_v2(&context, 0, 0));
    CUarray array = array_of(16, 16, 0, U32, 1, SURFACE);
    CUDA_RESOURCE_DESC resource = in_array(array), found;
    CUtexObject made = texture(resource, (CUDA_TEXTURE_DESC){0});
    CUsurfObject surface;
    GOOD(cuSurfObjectCreate(&surface, &resource));
    GOOD(cuCtxDestroy_v2(context));
    GOOD(cuMemGetInfo_v2(&after, &all));
    HOLDS(before == after);
    IS(CUDA_ERROR_INVALID_VALUE, cuTexObjectGetResourceDesc(&found, made));
    IS(CUDA_ERROR_INVALID_VALUE, cuSurfObjectDestroy(surface));
    GOOD(cuCtxSetCurrent(NULL));
    IS(CUDA_ERROR_INVALID_CONTEXT, refused(resource, (CUDA_TEXTURE_DESC){0}));
}

int main(void) {
    CUtexObject made;
    IS(CUDA_ERROR_NOT_INITIALIZED, cuTexObjectCreate(&made, NULL, NULL, NULL));
    begin();
    arrays();
    views();
    memory();
    surfaces();
    contexts();
    puts("all good");
    return 0;
}
