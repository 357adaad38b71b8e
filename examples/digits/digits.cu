// A neural network reads handwritten digits, sixteen a warp, with the tensor cores of a GPU.
//
// The page is a picture of 512 pixels a line; a digit is a square of 16 x 16 of them. 64 hidden units each weigh all 256 pixels of a digit;
// 10 outputs weigh the units. Products are of 8 bits, sums of 32: mma.sync takes 16 digits x 32 inputs times 32 inputs x 8 units at once.
#include <stdint.h>

constexpr int SIDE = 16, ACROSS = 32, UNITS = 64, CLASSES = 10, WARPS = 4;

struct Tail {                          // what lies in weights.raw
    uint4 output[16 * UNITS / 16];     // 16 outputs, of which 10 mean something, by 64 units, signed bytes
    int hidden_bias[UNITS], output_bias[16];
    int shift;                         // hidden sums are divided by 2^shift to fit a byte
};

// Four matrices of eight lines of 16 bytes each: lane i says where line i is.
__device__ void load(uint32_t (&to)[4], const uint4* line)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
        : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]) : "r"((uint32_t)__cvta_generic_to_shared(line)));
}

__device__ void multiply(int (&sum)[4], const uint32_t (&a)[4], uint32_t low, uint32_t high)
{
    asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(low), "r"(high));
}

extern "C" __global__ void __launch_bounds__(32 * WARPS)
read_digits(const uint4* page, const uint4* hidden, const Tail* tail, const uint4* glyphs, uint4* clean, int* scores)
{
    __shared__ uint4 weights[UNITS * SIDE], output[16 * UNITS / 16];
    __shared__ uint4 digits[WARPS][16 * SIDE], units[WARPS][16 * UNITS / 16];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;

    // The picture of the weights has 8 x 8 tiles of 16 x 16, a unit each; 128 stands for zero.
    for (int i = threadIdx.x; i < UNITS * SIDE; i += 32 * WARPS) {
        int unit = i / 8 / SIDE * 8 + i % 8, row = i / 8 % SIDE;
        uint4 w = hidden[i];
        weights[unit * SIDE + row] = make_uint4(w.x ^ 0x80808080, w.y ^ 0x80808080, w.z ^ 0x80808080, w.w ^ 0x80808080);
    }
    for (int i = threadIdx.x; i < 16 * UNITS / 16; i += 32 * WARPS) output[i] = tail->output[i];
    int first = (blockIdx.x * WARPS + warp) * 16;
    for (int i = lane; i < 16 * SIDE; i += 32) {
        int digit = i % 16, row = i / 16;
        digits[warp][digit * SIDE + row] = page[(first / ACROSS * SIDE + row) * ACROSS + first % ACROSS + digit];
    }
    __syncthreads();

    int sums[UNITS / 8][4];
    for (int n = 0; n < UNITS / 8; ++n)
        for (int i = 0; i < 4; ++i) sums[n][i] = tail->hidden_bias[8 * n + 2 * t + i % 2];
#pragma unroll 1
    for (int row = 0; row < SIDE; row += 2) {
        uint32_t a[4], b[4];
        load(a, &digits[warp][lane % 16 * SIDE + row + lane / 16]);
        for (int n = 0; n < UNITS / 8; n += 2) {
            load(b, &weights[(8 * n + lane % 8 + lane / 16 * 8) * SIDE + row + lane / 8 % 2]);
            multiply(sums[n], a, b[0], b[1]);
            multiply(sums[n + 1], a, b[2], b[3]);
        }
    }

    // Negative sums become 0; the others a byte each, which are the second layer's inputs.
    uchar2* bytes = (uchar2*)units[warp];
    for (int n = 0; n < UNITS / 8; ++n)
        for (int half = 0; half < 2; ++half) {
            int left = min(max(sums[n][2 * half], 0) >> tail->shift, 255), right = min(max(sums[n][2 * half + 1], 0) >> tail->shift, 255);
            bytes[((g + 8 * half) * UNITS + 8 * n + 2 * t) / 2] = make_uchar2(left, right);
        }
    __syncwarp();

    int out[2][4];
    for (int n = 0; n < 2; ++n)
        for (int i = 0; i < 4; ++i) out[n][i] = tail->output_bias[8 * n + 2 * t + i % 2];
    for (int part = 0; part < UNITS / 16; part += 2) {
        uint32_t a[4], b[4];
        load(a, &units[warp][lane % 16 * (UNITS / 16) + part + lane / 16]);
        load(b, &output[(lane % 8 + lane / 16 * 8) * (UNITS / 16) + part + lane / 8 % 2]);
        multiply(out[0], a, b[0], b[1]);
        multiply(out[1], a, b[2], b[3]);
    }

    // The four lanes of a digit have its scores; the greatest says which digit it is, the lower one of two that are equal.
    int read[2];
    for (int half = 0; half < 2; ++half) {
        int best = INT32_MIN;
        for (int n = 0; n < 2; ++n)
            for (int i = 0; i < 2; ++i) {
                int which = 8 * n + 2 * t + i, score = out[n][2 * half + i];
                if (which < CLASSES) {
                    scores[(first + g + 8 * half) * CLASSES + which] = score;
                    best = max(best, score * 16 + 15 - which);
                }
            }
        for (int far = 1; far < 4; far *= 2) best = max(best, __shfl_xor_sync(~0u, best, far));
        read[half] = 15 - (best & 15);
    }
    for (int i = lane; i < 16 * SIDE; i += 32) {
        int digit = i % 16, row = i / 16;
        int low = __shfl_sync(~0u, read[0], digit % 8 * 4), high = __shfl_sync(~0u, read[1], digit % 8 * 4);
        clean[(first / ACROSS * SIDE + row) * ACROSS + first % ACROSS + digit] = glyphs[(digit < 8 ? low : high) * SIDE + row];
    }
}
