/* Clusters of blocks, on a device that has them (the argument `hopper`) and on one that has none. */
#include "common.h"

static const char CLUSTERS[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    /* out[block] = the number of the cluster's other block */
    ".visible .entry other(.param .u64 out) {\n"
    " .shared .u32 own; .reg .b64 %rd; .reg .b32 %r<7>;\n"
    " ld.param.u64 %rd, [out]; mov.u32 %r1, %cluster_ctarank; mov.u32 %r2, %ctaid.x; st.shared.u32 [own], %r2;\n"
    " barrier.cluster.arrive; barrier.cluster.wait; xor.b32 %r3, %r1, 1; mov.u32 %r4, own;\n"
    " mapa.shared::cluster.u32 %r5, %r4, %r3; ld.shared::cluster.u32 %r6, [%r5];\n"
    " barrier.cluster.arrive; barrier.cluster.wait; mad.wide.u32 %rd, %r2, 4, %rd; st.global.u32 [%rd], %r6; ret; }\n"
    ".visible .entry fixed() .reqnctapercluster 2, 1, 1 { ret; }\n"
    ".visible .entry said() .explicitcluster { ret; }\n";

enum { MUST_BE_SET = 10, WIDTH, HEIGHT, DEPTH, LARGE, POLICY };

static CUlaunchAttribute attribute = {4, {0}, {2, 1, 1}};

static unsigned launch(CUfunction function, unsigned blocks, unsigned cluster, void **values) {
    attribute.value[0] = cluster;
    CUlaunchConfig config = {blocks, 1, 1, 1, 1, 1, 0, NULL, &attribute, cluster > 0};
    return cuLaunchKernelEx(&config, function, values, NULL);
}

static int asked(CUfunction function, int number) {
    int value;
    GOOD(cuFuncGetAttribute(&value, number, function));
    return value;
}

int main(int count, char **arguments) {
    CUmodule module = begin();
    CUdeviceptr data;
    unsigned out[16];
    int clusters;
    HOLDS(count == 2);
    if (strcmp(arguments[1], "hopper") != 0) {
        CUfunction function = kernel(module, "count");
        GOOD(launch(function, 4, 1, NULL));
        IS(CUDA_ERROR_NOT_SUPPORTED, launch(function, 4, 2, NULL));
        puts("all good");
        return 0;
    }
    GOOD(cuModuleLoadData(&module, CLUSTERS));
    GOOD(cuMemAlloc_v2(&data, sizeof out));
    void *values[] = {&data};
    CUfunction other = kernel(module, "other"), fixed = kernel(module, "fixed"), said = kernel(module, "said");
    GOOD(launch(other, 4, 2, values));
    GOOD(cuMemcpyDtoH_v2(out, data, 16));
    HOLDS(out[0] == 1 && out[1] == 0 && out[2] == 3 && out[3] == 2);

    IS(CUDA_ERROR_INVALID_CLUSTER_SIZE, launch(other, 5, 2, values));
    IS(CUDA_ERROR_INVALID_CLUSTER_SIZE, launch(other, 32, 16, values));
    GOOD(cuFuncSetAttribute(other, LARGE, 1));
    HOLDS(asked(other, LARGE) == 1 && asked(fixed, LARGE) == 0);
    GOOD(launch(other, 16, 16, values));
    GOOD(cuMemcpyDtoH_v2(out, data, sizeof out));
    HOLDS(out[14] == 15 && out[15] == 14);
    IS(CUDA_ERROR_INVALID_CLUSTER_SIZE, launch(other, 64, 32, values));
    GOOD(cuFuncSetAttribute(other, POLICY, 1));
    IS(CUDA_ERROR_INVALID_VALUE, cuFuncSetAttribute(other, LARGE, 2));

    /* What the source or the program requires holds where the launch says nothing. */
    HOLDS(asked(fixed, WIDTH) == 2 && asked(fixed, HEIGHT) == 1 && asked(other, WIDTH) == 0);
    GOOD(launch(fixed, 4, 0, NULL));
    IS(CUDA_ERROR_INVALID_CLUSTER_SIZE, launch(fixed, 3, 0, NULL));
    IS(CUDA_ERROR_INVALID_VALUE, launch(fixed, 4, 4, NULL));
    IS(CUDA_ERROR_INVALID_VALUE, cuFuncSetAttribute(fixed, WIDTH, 4));
    HOLDS(asked(said, MUST_BE_SET) == 1 && asked(other, MUST_BE_SET) == 0);
    IS(CUDA_ERROR_INVALID_VALUE, launch(said, 4, 0, NULL));
    GOOD(launch(said, 4, 2, NULL));
    for (int number = WIDTH; number <= DEPTH; number++)
        GOOD(cuFuncSetAttribute(other, number, number == WIDTH ? 2 : 1));
    GOOD(cuMemsetD8_v2(data, 0, sizeof out));
    GOOD(launch(other, 4, 0, values));
    GOOD(cuMemcpyDtoH_v2(out, data, 16));
    HOLDS(out[0] == 1 && out[3] == 2);

    CUlaunchConfig config = {4, 1, 1, 64, 1, 1, 0, NULL, &attribute, 1};
    attribute.value[0] = 4;
    int alone;
    GOOD(cuOccupancyMaxActiveClusters(&clusters, said, &config));
    GOOD(cuOccupancyMaxActiveBlocksPerMultiprocessor(&alone, said, 64, 0));
    HOLDS(clusters > 0 && clusters % alone == 0);
    attribute.value[0] = 1;
    GOOD(cuOccupancyMaxActiveClusters(&alone, said, &config));
    HOLDS(alone / 4 == clusters);
    GOOD(cuOccupancyMaxPotentialClusterSize(&clusters, said, &config));
    HOLDS(clusters == 8);
    GOOD(cuOccupancyMaxPotentialClusterSize(&clusters, other, &config));
    HOLDS(clusters == 16);
    GOOD(cuCtxSynchronize());
    puts("all good");
    return 0;
}
