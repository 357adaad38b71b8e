/* Texture and surface references: what is bound to them, and what their variables describe. */
#include "common.h"

enum { U8 = 0x01, F32 = 0x20, SURFACE = 2 };

/* References, and kernels that write and read by them. */
static const char VARIABLES[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                                ".visible .global .texref picture;\n.visible .global .surfref canvas;\n"
                                ".visible .global .align 16 .b8 counter[128];\n"
                                ".visible .entry paint() {\n    sust.b.2d.b32.trap [canvas, {8, 3}], 0x04030201;\n    ret;\n}\n"
                                ".visible .entry seen(.param .u64 to) {\n    .reg .b64 %rd; .reg .b32 %r<4>;\n"
                                "    ld.param.u64 %rd, [to];\n    tex.2d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [picture, {2, 3}];\n"
                                "    st.global.v4.u32 [%rd], {%r0, %r1, %r2, %r3};\n    ret;\n}\n";

static CUmodule module;
static unsigned words[32];

static void look(const char *name) {
    CUdeviceptr address;
    GOOD(cuModuleGetGlobal_v2(&address, NULL, module, name));
    GOOD(cuMemcpyDtoH_v2(words, address, sizeof words));
}

int main(void) {
    CUtexref picture, again, own;
    CUsurfref canvas;
    CUarray array, found;
    CUmipmappedArray pyramid, found_pyramid;
    CUfunction kernel;
    CUdeviceptr device, address;
    void *to[] = {&device};
    CUDA_ARRAY3D_DESCRIPTOR wanted = {40, 10, 0, U8, 4, SURFACE};
    CUDA_ARRAY_DESCRIPTOR flat = {20, 5, U8, 4};
    unsigned value, format;
    int channels;
    size_t offset;
    float color[4] = {1, 2, 3, 4}, numbers[4];

    begin();
    GOOD(cuModuleLoadData(&module, VARIABLES));
    GOOD(cuMemAlloc_v2(&device, 4096));
    GOOD(cuArray3DCreate_v2(&array, &wanted));
    GOOD(cuMipmappedArrayCreate(&pyramid, &wanted, 3));
    GOOD(cuModuleGetTexRef(&picture, module, "picture"));
    GOOD(cuModuleGetTexRef(&again, module, "picture"));
    HOLDS(picture == again);
    GOOD(cuModuleGetSurfRef(&canvas, module, "canvas"));
    IS(CUDA_ERROR_NOT_FOUND, cuModuleGetTexRef(&again, module, "nothing"));
    IS(CUDA_ERROR_NOT_FOUND, cuModuleGetTexRef(&again, module, "counter"));
    IS(CUDA_ERROR_NOT_FOUND, cuModuleGetTexRef(&again, module, "canvas"));
    IS(CUDA_ERROR_NOT_FOUND, cuModuleGetSurfRef(&canvas, module, "picture"));
    IS(CUDA_ERROR_INVALID_HANDLE, cuTexRefSetFlags((CUtexref)canvas, 0));

    IS(CUDA_ERROR_INVALID_VALUE, cuTexRefGetArray(&found, picture));
    GOOD(cuTexRefSetArray(picture, array, 1));
    IS(CUDA_ERROR_INVALID_VALUE, cuTexRefSetArray(picture, array, 0));
    GOOD(cuTexRefGetArray(&found, picture));
    HOLDS(found == array);
    IS(CUDA_ERROR_INVALID_VALUE, cuTexRefGetAddress_v2(&address, picture));
    GOOD(cuTexRefGetFormat(&format, &channels, picture));
    HOLDS(format == U8 && channels == 4);
    look("picture");
    HOLDS(words[7] == 40 && words[8] == 10 && words[12] == U8 && words[13] == 4 && words[14] == 32 && words[15] == (1 | 1 << 8 | 1 << 16));
    /* What does not go together describes nothing, until it does. */
    GOOD(cuTexRefSetFilterMode(picture, 1));
    GOOD(cuTexRefSetFlags(picture, 1));
    look("picture");
    HOLDS(words[0] == 0 && words[7] == 0);
    GOOD(cuTexRefSetFlags(picture, 2));
    GOOD(cuTexRefSetAddressMode(picture, 1, 3));
    GOOD(cuTexRefSetBorderColor(picture, color));
    GOOD(cuTexRefSetMipmapFilterMode(picture, 1));
    GOOD(cuTexRefSetMipmapLevelBias(picture, 0.5f));
    GOOD(cuTexRefSetMipmapLevelClamp(picture, 1, 2));
    GOOD(cuTexRefSetMaxAnisotropy(picture, 1));
    look("picture");
    HOLDS(words[14] == (4 | 16 | 32) && words[15] == (1 | 3 << 8 | 1 << 16) && memcmp(words + 19, color, sizeof color) == 0);
    GOOD(cuTexRefSetMipmappedArray(picture, pyramid, 1));
    GOOD(cuTexRefGetMipmappedArray(&found_pyramid, picture));
    HOLDS(found_pyramid == pyramid);
    look("picture");
    HOLDS(words[11] == 3 && words[14] == (4 | 8 | 16 | 32));
    GOOD(cuTexRefGetFilterMode(&value, picture));
    HOLDS(value == 1);
    GOOD(cuTexRefGetFlags(&value, picture));
    HOLDS(value == 2);
    GOOD(cuTexRefGetAddressMode(&value, picture, 1));
    HOLDS(value == 3);
    GOOD(cuTexRefGetMipmapFilterMode(&value, picture));
    HOLDS(value == 1);
    GOOD(cuTexRefGetMipmapLevelBias(numbers, picture));
    HOLDS(numbers[0] == 0.5f);
    GOOD(cuTexRefGetMipmapLevelClamp(numbers, numbers + 1, picture));
    HOLDS(numbers[0] == 1 && numbers[1] == 2);
    GOOD(cuTexRefGetMaxAnisotropy(&channels, picture));
    HOLDS(channels == 1);
    GOOD(cuTexRefGetBorderColor(numbers, picture));
    HOLDS(memcmp(numbers, color, sizeof color) == 0);
    IS(CUDA_ERROR_INVALID_VALUE, cuTexRefSetAddressMode(picture, 3, 0));
    IS(CUDA_ERROR_INVALID_VALUE, cuTexRefSetAddressMode(picture, -1, 0));
    IS(CUDA_ERROR_INVALID_VALUE, cuTexRefSetAddressMode(picture, 0, 4));
    IS(CUDA_ERROR_INVALID_VALUE, cuTexRefSetFilterMode(picture, 2));
    IS(CUDA_ERROR_INVALID_VALUE, cuTexRefSetFlags(picture, 0x80));
    IS(CUDA_ERROR_INVALID_VALUE, cuTexRefSetBorderColor(picture, NULL));

    /* Memory, with the format that is said before or after. */
    GOOD(cuTexRefSetFormat(picture, F32, 2));
    GOOD(cuTexRefSetAddress_v2(&offset, picture, device + 516, 128));
    HOLDS(offset == 4);
    GOOD(cuTexRefGetAddress_v2(&address, picture));
    HOLDS(address == device + 512);
    look("picture");
    HOLDS(words[7] == 16 && words[8] == 0 && words[12] == F32);
    GOOD(cuTexRefSetFormat(picture, F32, 1));
    look("picture");
    HOLDS(words[7] == 33);
    IS(CUDA_ERROR_INVALID_VALUE, cuTexRefSetFormat(picture, F32, 3));
    IS(CUDA_ERROR_NOT_SUPPORTED, cuTexRefSetFormat(picture, 0xb0, 1));
    IS(CUDA_ERROR_INVALID_VALUE, cuTexRefSetAddress_v2(NULL, picture, device + 4, 128));
    IS(CUDA_ERROR_INVALID_VALUE, cuTexRefSetAddress_v2(&offset, picture, device, 8192));
    IS(CUDA_ERROR_INVALID_VALUE, cuTexRefSetAddress_v2(&offset, picture, device + 4, (size_t)-1));
    GOOD(cuTexRefSetAddress2D_v3(picture, &flat, device, 96));
    look("picture");
    HOLDS(words[4] == 96 && words[7] == 20 && words[8] == 5 && words[12] == U8);
    IS(CUDA_ERROR_INVALID_VALUE, cuTexRefSetAddress2D_v3(picture, &flat, device + 32, 96));
    IS(CUDA_ERROR_INVALID_VALUE, cuTexRefSetAddress2D_v3(picture, &flat, device, 100));

    GOOD(cuSurfRefSetArray(canvas, array, 0));
    GOOD(cuSurfRefGetArray(&found, canvas));
    look("canvas");
    HOLDS(found == array && words[7] == 40 && words[14] == 0);
    IS(CUDA_ERROR_INVALID_VALUE, cuSurfRefSetArray(canvas, array, 1));

    /* What a kernel writes by one, another reads by the other. */
    GOOD(cuTexRefSetArray(picture, array, 1));
    GOOD(cuTexRefSetFilterMode(picture, 0));
    GOOD(cuTexRefSetMipmapFilterMode(picture, 0));
    GOOD(cuTexRefSetFlags(picture, 1));
    GOOD(cuModuleGetFunction(&kernel, module, "paint"));
    GOOD(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    GOOD(cuModuleGetFunction(&kernel, module, "seen"));
    GOOD(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, to, NULL));
    GOOD(cuMemcpyDtoH_v2(words, device, 16));
    HOLDS(words[0] == 1 && words[1] == 2 && words[2] == 3 && words[3] == 4);

    GOOD(cuArrayDestroy(array));
    IS(CUDA_ERROR_INVALID_HANDLE, cuSurfRefSetArray(canvas, array, 0));
    wanted.Flags = 0;
    GOOD(cuArray3DCreate_v2(&array, &wanted));
    IS(CUDA_ERROR_INVALID_VALUE, cuSurfRefSetArray(canvas, array, 0));

    /* One of the program's own, and those of a module that is gone. */
    GOOD(cuTexRefCreate(&own));
    GOOD(cuTexRefSetArray(own, array, 1));
    GOOD(cuTexRefDestroy(own));
    IS(CUDA_ERROR_INVALID_HANDLE, cuTexRefDestroy(own));
    IS(CUDA_ERROR_INVALID_HANDLE, cuTexRefDestroy(picture));
    GOOD(cuModuleUnload(module));
    IS(CUDA_ERROR_INVALID_HANDLE, cuTexRefSetArray(picture, array, 1));
    puts("all good");
    return 0;
}
