/* Starting, versions, functions and results by name, the device. */
#include "common.h"

int main(void) {
    int number;
    char name[64], cut[5];
    const char *text;
    void *function;
    unsigned status;
    size_t bytes;
    CUdevice device;
    GOOD(cuDriverGetVersion(&number));
    HOLDS(number >= 13000);
    IS(CUDA_ERROR_NOT_INITIALIZED, cuDeviceGetCount(&number));
    IS(CUDA_ERROR_INVALID_VALUE, cuInit(1));
    GOOD(cuInit(0));
    GOOD(cuInit(0));
    GOOD(cuDeviceGetCount(&number));
    HOLDS(number == 1);
    IS(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&device, 1));
    IS(CUDA_ERROR_INVALID_VALUE, cuDeviceGet(NULL, 0));
    GOOD(cuDeviceGet(&device, 0));
    GOOD(cuDeviceGetName(name, sizeof name, device));
    HOLDS(strstr(name, "margay"));
    GOOD(cuDeviceGetName(cut, sizeof cut, device));
    HOLDS(strcmp(cut, "marg") == 0);
    GOOD(cuDeviceGetAttribute(&number, 75, device));
    HOLDS(number == 8);
    GOOD(cuDeviceGetAttribute(&number, 76, device));
    HOLDS(number == 0);
    GOOD(cuDeviceGetAttribute(&number, 19, device));
    HOLDS(number == 1);
    IS(CUDA_ERROR_INVALID_VALUE, cuDeviceGetAttribute(&number, 99999, device));
    GOOD(cuDeviceTotalMem_v2(&bytes, device));
    HOLDS(bytes > 1 << 20);

    GOOD(cuGetErrorName(700, &text));
    HOLDS(strcmp(text, "CUDA_ERROR_ILLEGAL_ADDRESS") == 0);
    GOOD(cuGetErrorString(700, &text));
    HOLDS(strcmp(text, "an illegal memory access was encountered") == 0);
    IS(CUDA_ERROR_INVALID_VALUE, cuGetErrorName(12345, &text));
    HOLDS(text == NULL);

    GOOD(cuGetProcAddress_v2("cuMemAlloc", &function, 13000, 0, &status));
    HOLDS(function == (void *)cuMemAlloc_v2 && status == 0);
    GOOD(cuGetProcAddress_v2("cuStreamBeginCapture", &function, 13000, 0, NULL));
    HOLDS(function == (void *)cuStreamBeginCapture_v2);
    GOOD(cuGetProcAddress_v2("cuCtxGetDevice", &function, 12090, 0, &status));
    HOLDS(function == (void *)cuCtxGetDevice);
    GOOD(cuGetProcAddress_v2("cuCtxGetDevice", &function, 13000, 2, NULL));
    HOLDS(function && function != (void *)cuCtxGetDevice);
    IS(CUDA_ERROR_NOT_FOUND, cuGetProcAddress_v2("cuMemAllocAsync", &function, 10000, 0, &status));
    HOLDS(function == NULL && status == 2);
    IS(CUDA_ERROR_NOT_FOUND, cuGetProcAddress_v2("cuNothing", &function, 13000, 0, &status));
    HOLDS(function == NULL && status == 1);
    IS(CUDA_ERROR_NOT_SUPPORTED, cuArrayGetPlane(NULL, NULL, 0));
    puts("all good");
    return 0;
}
