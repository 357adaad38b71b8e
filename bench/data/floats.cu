// The floating-point and matrix kernels of the benchmark. floats.ptx is what nvcc 13.5 makes of them:
//   nvcc -O3 -arch=sm_80 -ptx floats.cu -o floats.ptx
#include <cuda_fp16.h>

// F1: z = a x + y
extern "C" __global__ void f1_saxpy(const float* x, const float* y, float* z, float a, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = a * x[i] + y[i];
}

// F2: a product of square matrices, 16 by 16 tiles in shared memory
extern "C" __global__ void f2_sgemm(const float* a, const float* b, float* c, unsigned n) {
  __shared__ float as[16][16], bs[16][16];
  unsigned x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
  float sum = 0;
  for (unsigned t = 0; t < n; t += 16) {
    as[y][x] = a[row * n + t + x];
    bs[y][x] = b[(t + y) * n + column];
    __syncthreads();
    for (unsigned k = 0; k < 16; ++k) sum += as[y][k] * bs[k][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

// F3: softmax of rows of 1024, a warp a row
extern "C" __global__ void f3_softmax(const float* in, float* out, unsigned rows) {
  unsigned row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  in += row * 1024;
  out += row * 1024;
  float v[32], most = -INFINITY, sum = 0;
#pragma unroll
  for (int k = 0; k < 32; ++k) {
    v[k] = in[k * 32 + lane];
    most = fmaxf(most, v[k]);
  }
  for (int o = 16; o; o >>= 1) most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, o));
#pragma unroll
  for (int k = 0; k < 32; ++k) {
    v[k] = expf(v[k] - most);
    sum += v[k];
  }
  for (int o = 16; o; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
  float share = 1.0f / sum;
#pragma unroll
  for (int k = 0; k < 32; ++k) out[k * 32 + lane] = v[k] * share;
}

// The sum over a block of 256 threads, in all of them
__device__ float block_sum(float value, float* part) {
  for (int o = 16; o; o >>= 1) value += __shfl_xor_sync(0xffffffffu, value, o);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = value;
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 8; ++k) sum += part[k];
  __syncthreads();
  return sum;
}

// F4: layer norm of rows of 1024, a block a row
extern "C" __global__ void f4_layer_norm(const float* in, const float* scale, const float* shift, float* out) {
  __shared__ float part[8];
  in += blockIdx.x * 1024;
  out += blockIdx.x * 1024;
  float v[4], sum = 0, squares = 0;
  for (int k = 0; k < 4; ++k) sum += v[k] = in[k * 256 + threadIdx.x];
  float mean = block_sum(sum, part) / 1024;
  for (int k = 0; k < 4; ++k) squares += (v[k] - mean) * (v[k] - mean);
  float factor = rsqrtf(block_sum(squares, part) / 1024 + 1e-5f);
  for (int k = 0; k < 4; ++k) {
    int i = k * 256 + threadIdx.x;
    out[i] = (v[k] - mean) * factor * scale[i] + shift[i];
  }
}

// F5: accelerations of bodies that attract each other, 256 of them in shared memory at a time
extern "C" __global__ void f5_bodies(const float4* bodies, float4* out, unsigned n) {
  __shared__ float4 tile[256];
  unsigned i = blockIdx.x * 256 + threadIdx.x;
  float4 me = bodies[i];
  float ax = 0, ay = 0, az = 0;
  for (unsigned t = 0; t < n; t += 256) {
    tile[threadIdx.x] = bodies[t + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (unsigned k = 0; k < 256; ++k) {
      float4 other = tile[k];
      float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
      float square = dx * dx + dy * dy + dz * dz + 1e-3f;
      float inverse = rsqrtf(square);
      float pull = other.w * inverse * inverse * inverse;
      ax += dx * pull;
      ay += dy * pull;
      az += dz * pull;
    }
    __syncthreads();
  }
  out[i] = make_float4(ax, ay, az, 0);
}

// The normal distribution's integral by Abramowitz and Stegun, 26.2.17
__device__ float normal(float d) {
  float k = 1 / (1 + 0.2316419f * fabsf(d));
  float tail = 0.39894228f * __expf(-0.5f * d * d)
      * (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0 ? 1 - tail : tail;
}

// F6: prices of options by Black and Scholes; the puts lie behind the calls
extern "C" __global__ void f6_options(const float* price, const float* strike, const float* years, float* out, unsigned n,
                                      float rate, float volatility) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s = price[i], x = strike[i], t = years[i], root = sqrtf(t);
  float d1 = (__logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
  float d2 = d1 - volatility * root;
  float n1 = normal(d1), n2 = normal(d2), discounted = x * __expf(-rate * t);
  out[i] = s * n1 - discounted * n2;
  out[n + i] = discounted * (1 - n2) - s * (1 - n1);
}

// F7: steps until a point leaves the circle
extern "C" __global__ void f7_mandelbrot(unsigned* out, unsigned side, unsigned most) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= side * side) return;
  float scale = 3.0f / side, cx = (i % side) * scale - 2.25f, cy = (i / side) * scale - 1.5f;
  float x = 0, y = 0, xx = 0, yy = 0;
  unsigned steps = 0;
  while (steps < most && xx + yy <= 4) {
    y = 2 * x * y + cy;
    x = xx - yy + cx;
    xx = x * x;
    yy = y * y;
    ++steps;
  }
  out[i] = steps;
}

// F8: 3 by 3 convolution of an image of halves with a border, two pixels a thread
extern "C" __global__ void f8_convolution(const __half2* image, const __half2* weights, __half2* out, unsigned width, unsigned height) {
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= width || y >= height) return;
  unsigned pitch = width + 1;
  __half2 sum = __half2half2(__ushort_as_half(0));
#pragma unroll
  for (int dy = 0; dy < 3; ++dy) {
    __half2 left = image[(y + dy) * pitch + x], right = image[(y + dy) * pitch + x + 1];
    sum = __hfma2(weights[3 * dy], left, sum);
    sum = __hfma2(weights[3 * dy + 1], __halves2half2(__high2half(left), __low2half(right)), sum);
    sum = __hfma2(weights[3 * dy + 2], right, sum);
  }
  out[y * width + x] = sum;
}

__device__ void load_matrices(unsigned r[4], const void* row) {
  unsigned at = (unsigned)__cvta_generic_to_shared(row);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
}

__device__ void multiply(int d[4], const unsigned a[4], const unsigned b[2]) {
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ void multiply(float d[4], const unsigned a[4], const unsigned b[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Blocks of 64 by 64 of C = A B, B by columns; four warps with 32 by 32 each; rows of 64 bytes in shared memory, 16 bytes apart.
// `depth` is in bytes.
template <typename T> __device__ void product(const uint4* a, const uint4* b, T* c, unsigned n, unsigned depth) {
  __shared__ uint4 as[64][5], bs[64][5];
  unsigned thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
  unsigned down = warp / 2 * 32, right = warp % 2 * 32, pitch = depth / 16;
  T sums[2][4][4] = {};
  for (unsigned from = 0; from < pitch; from += 4) {
    for (unsigned k = thread; k < 256; k += 128) {
      as[k / 4][k % 4] = a[(blockIdx.y * 64 + k / 4) * pitch + from + k % 4];
      bs[k / 4][k % 4] = b[(blockIdx.x * 64 + k / 4) * pitch + from + k % 4];
    }
    __syncthreads();
#pragma unroll
    for (unsigned step = 0; step < 4; step += 2) {
      unsigned fa[2][4], fb[2][4];
      for (unsigned i = 0; i < 2; ++i) {
        load_matrices(fa[i], &as[down + 16 * i + lane % 16][step + lane / 16]);
        load_matrices(fb[i], &bs[right + 16 * i + lane / 16 * 8 + lane % 8][step + lane / 8 % 2]);
      }
      for (unsigned i = 0; i < 2; ++i)
        for (unsigned j = 0; j < 4; ++j) multiply(sums[i][j], fa[i], &fb[j / 2][j % 2 * 2]);
    }
    __syncthreads();
  }
  for (unsigned i = 0; i < 2; ++i)
    for (unsigned j = 0; j < 4; ++j)
      for (unsigned k = 0; k < 4; ++k) {
        unsigned row = blockIdx.y * 64 + down + 16 * i + lane / 4 + k / 2 * 8;
        c[row * n + blockIdx.x * 64 + right + 8 * j + lane % 4 * 2 + k % 2] = sums[i][j][k];
      }
}

// F9: a product of matrices of signed bytes
extern "C" __global__ void f9_bytes(const uint4* a, const uint4* b, int* c, unsigned n, unsigned depth) { product(a, b, c, n, depth); }

// F10: a product of matrices of halves
extern "C" __global__ void f10_halves(const uint4* a, const uint4* b, float* c, unsigned n, unsigned depth) { product(a, b, c, n, depth); }

// A1 to A3: one approximate function a thread
__device__ float power(float x) { float d; asm("ex2.approx.f32 %0, %1;" : "=f"(d) : "f"(x)); return d; }
__device__ float logarithm(float x) { float d; asm("lg2.approx.f32 %0, %1;" : "=f"(d) : "f"(x)); return d; }

template <typename F> __device__ void each(const float* in, float* out, unsigned n, F function) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = function(in[i]);
}

extern "C" __global__ void a1_power(const float* in, float* out, unsigned n) { each(in, out, n, power); }
extern "C" __global__ void a2_logarithm(const float* in, float* out, unsigned n) { each(in, out, n, logarithm); }
extern "C" __global__ void a3_root(const float* in, float* out, unsigned n) { each(in, out, n, rsqrtf); }
