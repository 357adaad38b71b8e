// Hill shading: a height map lit from the side, with the 8-bit dot products of a GPU.
//
// dp4a takes the slopes: four signed bytes of a row times four weights, three rows a slope (Sobel's operator). dp2a lights
// them: two 16-bit slopes times two signed bytes, the direction of the light. A thread shades four pixels.
#define FLIP 0x80808080u
#define WEIGHTS(a, b, c) ((a) & 255 | ((b) & 255) << 8 | ((c) & 255) << 16)

extern "C" __global__ void relief(const unsigned* heights, unsigned* shaded, int words, int rows, int light)
{
    int w = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (w >= words) return;
    int along[4] = {0, 0, 0, 0}, down[4] = {0, 0, 0, 0};
    for (int r = -1; r <= 1; ++r) {
        const unsigned* row = heights + min(max(y + r, 0), rows - 1) * words;
        // Heights run from 0 to 255; less 128 they are signed bytes, and the slopes stay what they are.
        unsigned m = row[w] ^ FLIP;
        unsigned before = w > 0 ? row[w - 1] ^ FLIP : m << 24;
        unsigned after = w < words - 1 ? row[w + 1] ^ FLIP : m >> 24;
        int strips[4] = {(int)__funnelshift_r(before, m, 24), (int)m, (int)__funnelshift_r(m, after, 8), (int)__funnelshift_r(m, after, 16)};
        for (int k = 0; k < 4; ++k) {
            along[k] = __dp4a(strips[k], r == 0 ? WEIGHTS(-2, 0, 2) : WEIGHTS(-1, 0, 1), along[k]);
            down[k] = __dp4a(strips[k], r < 0 ? WEIGHTS(-1, -2, -1) : r > 0 ? WEIGHTS(1, 2, 1) : 0, down[k]);
        }
    }
    unsigned four = 0;
    for (int k = 0; k < 4; ++k) {
        int slopes = along[k] & 0xffff | down[k] << 16;
        int bright = 120 - (__dp2a_lo(slopes, light, 0) >> 6);
        four |= min(max(bright, 0), 255) << 8 * k;
    }
    shaded[y * words + w] = four;
}
