/* Threads side by side, processes side by side and forked off, and many launches and allocations without growth. */
#include "common.h"
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static CUmodule module;
static CUcontext context;

static void *work(void *given) {
    unsigned seed = *(unsigned *)given, n = 64, host[64];
    CUfunction scale = kernel(module, "scale");
    GOOD(cuCtxSetCurrent(context));
    for (int round = 0; round < 200; round++) {
        CUdeviceptr data;
        CUstream stream;
        GOOD(cuStreamCreate(&stream, 0));
        GOOD(cuMemAlloc_v2(&data, sizeof host));
        GOOD(cuMemsetD32_v2(data, round, 64));
        void *values[] = {&data, &n, &seed};
        GOOD(cuLaunchKernel(scale, 2, 1, 1, 32, 1, 1, 0, stream, values, NULL));
        GOOD(cuMemcpyDtoH_v2(host, data, sizeof host));
        HOLDS(host[0] == round * seed && host[63] == round * seed);
        GOOD(cuMemFree_v2(data));
        GOOD(cuStreamDestroy_v2(stream));
    }
    return NULL;
}

static long resident_pages(void) {
    long all, resident;
    FILE *file = fopen("/proc/self/statm", "r");
    HOLDS(file && fscanf(file, "%ld %ld", &all, &resident) == 2);
    fclose(file);
    return resident;
}

int main(int count, char **arguments) {
    long rounds = count > 1 ? atol(arguments[1]) : 1000;
    pid_t others[2];
    /* Processes that are there before CUDA is have CUDA of their own. */
    for (int n = 0; n < 2; n++) {
        others[n] = fork();
        if (others[n] == 0) break;
    }
    module = begin();
    GOOD(cuCtxGetCurrent(&context));
    unsigned seeds[4] = {3, 5, 7, 11};
    pthread_t threads[4];
    for (int n = 0; n < 4; n++) HOLDS(pthread_create(&threads[n], NULL, work, &seeds[n]) == 0);
    for (int n = 0; n < 4; n++) HOLDS(pthread_join(threads[n], NULL) == 0);
    if (others[0] == 0 || others[1] == 0) return 0;
    for (int n = 0; n < 2; n++) {
        int status;
        HOLDS(waitpid(others[n], &status, 0) == others[n] && status == 0);
    }
    /* One that is forked off later has none. */
    pid_t later = fork();
    if (later == 0) {
        CUdeviceptr data;
        _exit(cuMemAlloc_v2(&data, 4) == CUDA_ERROR_NOT_INITIALIZED ? 0 : 1);
    }
    int status;
    HOLDS(waitpid(later, &status, 0) == later && status == 0);

    CUdeviceptr counter, data;
    size_t bytes;
    unsigned value;
    CUfunction add = kernel(module, "count");
    GOOD(cuModuleGetGlobal_v2(&counter, &bytes, module, "counter"));
    long before = 0;
    for (long round = 0; round < rounds; round++) {
        if (round == rounds / 2) before = resident_pages();
        GOOD(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
        GOOD(cuMemAlloc_v2(&data, 4096));
        GOOD(cuMemsetD8_v2(data, 1, 4096));
        GOOD(cuMemFree_v2(data));
    }
    long grown = resident_pages() - before;
    if (grown > 500) {
        printf("%ld pages more\n", grown);
        return 1;
    }
    GOOD(cuMemcpyDtoH_v2(&value, counter, 4));
    HOLDS(value == 5 + rounds);
    puts("all good");
    return 0;
}
