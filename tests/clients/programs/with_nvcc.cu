// A program in CUDA C++: constant, managed and shared memory, a reduction with shuffles and atomics, streams, events, a
// template, errors, a texture and a surface; it prints `right` where all results are.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define GOOD(call)                                                                                 \
    do {                                                                                           \
        cudaError_t error = (call);                                                                \
        if (error != cudaSuccess) {                                                                \
            std::printf("%s: %s\n", #call, cudaGetErrorString(error));                             \
            std::exit(1);                                                                          \
        }                                                                                          \
    } while (0)

__constant__ float factors[4];
__device__ unsigned launched;
__managed__ double total;

__global__ void scale(const float *in, float *out, int n, int part) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * factors[part];
    if (i == 0) atomicAdd(&launched, 1);
}

template <class T> __global__ void sum(const T *in, int n, double *out) {
    __shared__ double warps[32];
    double so_far = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) so_far += in[i];
    for (int step = 16; step > 0; step /= 2) so_far += __shfl_down_sync(~0u, so_far, step);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = so_far;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (unsigned k = 1; k < blockDim.x / 32; k++) so_far += warps[k];
        atomicAdd(out, so_far);
    }
}

// Each texel of the smaller picture is the mean of four.
__global__ void halve(cudaTextureObject_t from, cudaSurfaceObject_t to) {
    int x = threadIdx.x, y = blockIdx.x;
    surf2Dwrite(tex2D<float>(from, 2 * x + 1, 2 * y + 1), to, x * sizeof(float), y);
}

bool halves() {
    const int w = 64, h = 32;
    std::vector<float> picture(w * h), smaller(w * h / 4);
    for (int i = 0; i < w * h; i++) picture[i] = i * 7 % 64;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t large, small;
    GOOD(cudaMallocArray(&large, &format, w, h));
    GOOD(cudaMallocArray(&small, &format, w / 2, h / 2, cudaArraySurfaceLoadStore));
    GOOD(cudaMemcpy2DToArray(large, 0, 0, picture.data(), w * sizeof(float), w * sizeof(float), h, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = large;
    cudaTextureDesc reading = {};
    reading.addressMode[0] = reading.addressMode[1] = cudaAddressModeClamp;
    reading.filterMode = cudaFilterModeLinear;
    cudaTextureObject_t texture;
    GOOD(cudaCreateTextureObject(&texture, &resource, &reading, nullptr));
    resource.res.array.array = small;
    cudaSurfaceObject_t surface;
    GOOD(cudaCreateSurfaceObject(&surface, &resource));
    halve<<<h / 2, w / 2>>>(texture, surface);
    const size_t row = w / 2 * sizeof(float);
    GOOD(cudaMemcpy2DFromArray(smaller.data(), row, small, 0, 0, row, h / 2, cudaMemcpyDeviceToHost));
    bool right = true;
    for (int y = 0; y < h / 2; y++)
        for (int x = 0; x < w / 2; x++) {
            const float *at = &picture[2 * y * w + 2 * x];
            right &= smaller[y * w / 2 + x] == (at[0] + at[1] + at[w] + at[w + 1]) / 4;
        }
    GOOD(cudaDestroyTextureObject(texture));
    GOOD(cudaDestroySurfaceObject(surface));
    GOOD(cudaFreeArray(large));
    GOOD(cudaFreeArray(small));
    return right;
}

int main() {
    const int n = 1 << 16, parts = 4, each = n / parts;
    std::vector<float> values(n);
    for (int i = 0; i < n; i++) values[i] = i % 100;
    const float wanted[parts] = {1, 2, 3, 4};
    GOOD(cudaMemcpyToSymbol(factors, wanted, sizeof wanted));
    float *in, *out, *pinned, milliseconds;
    GOOD(cudaMalloc(&in, n * sizeof *in));
    GOOD(cudaMalloc(&out, n * sizeof *out));
    GOOD(cudaHostAlloc(&pinned, n * sizeof *pinned, cudaHostAllocDefault));
    cudaEvent_t begin, end;
    GOOD(cudaEventCreate(&begin));
    GOOD(cudaEventCreate(&end));
    GOOD(cudaEventRecord(begin));
    for (int part = 0; part < parts; part++) {
        cudaStream_t stream;
        GOOD(cudaStreamCreate(&stream));
        float *from = in + part * each, *to = out + part * each;
        GOOD(cudaMemcpyAsync(from, &values[part * each], each * sizeof *in, cudaMemcpyHostToDevice, stream));
        scale<<<each / 256, 256, 0, stream>>>(from, to, each, part);
        GOOD(cudaGetLastError());
        GOOD(cudaMemcpyAsync(pinned + part * each, to, each * sizeof *in, cudaMemcpyDeviceToHost, stream));
        GOOD(cudaStreamSynchronize(stream));
        GOOD(cudaStreamDestroy(stream));
    }
    int grid = 0, block = 0;
    GOOD(cudaOccupancyMaxPotentialBlockSize(&grid, &block, sum<float>));
    sum<<<grid, block>>>(out, n, &total);
    GOOD(cudaEventRecord(end));
    GOOD(cudaDeviceSynchronize());
    GOOD(cudaEventElapsedTime(&milliseconds, begin, end));
    double expected = 0;
    bool right = milliseconds >= 0 && halves();
    for (int i = 0; i < n; i++) {
        right &= pinned[i] == values[i] * wanted[i / each];
        expected += pinned[i];
    }
    unsigned counted = 0;
    GOOD(cudaMemcpyFromSymbol(&counted, launched, sizeof counted));
    right &= total == expected && counted == parts;
    scale<<<1, 2000>>>(in, out, n, 0);
    right &= cudaGetLastError() == cudaErrorInvalidConfiguration;
    scale<<<1, 1>>>(nullptr, out, 1, 0);
    right &= cudaDeviceSynchronize() == cudaErrorIllegalAddress;
    std::puts(right ? "right" : "wrong");
    return !right;
}
