// SHA-256 (FIPS 180-4) of every line of a text, a thread a line, as hexadecimal lines.
__constant__ unsigned K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

#define ROTATE(x, n) __funnelshift_r(x, x, n)

extern "C" __global__ void sha256_lines(const unsigned char* text, unsigned size, char* digests, unsigned lines)
{
    unsigned line = blockIdx.x * blockDim.x + threadIdx.x;
    if (line >= lines) return;
    unsigned start = 0, end;
    for (unsigned n = 0; n < line; ++start) n += text[start] == '\n';
    for (end = start; end < size && text[end] != '\n';) ++end;
    unsigned length = end - start, blocks = (length + 8) / 64 + 1;

    unsigned s[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    for (unsigned block = 0; block < blocks; ++block) {
        unsigned w[16];
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            unsigned word = 0;
            for (unsigned at = block * 64 + i * 4, k = 0; k < 4; ++k, ++at)
                word = word << 8 | (at < length ? text[start + at] : at == length ? 0x80 : 0);
            w[i] = word;
        }
        // The length in bits closes the last block.
        if (block == blocks - 1) w[14] = length >> 29, w[15] = length << 3;

        unsigned a = s[0], b = s[1], c = s[2], d = s[3], e = s[4], f = s[5], g = s[6], h = s[7];
#pragma unroll 1
        for (int i = 0; i < 64; i += 16) {
#pragma unroll
            for (int k = 0; k < 16; ++k) {
                unsigned t1 = h + (ROTATE(e, 6) ^ ROTATE(e, 11) ^ ROTATE(e, 25)) + (e & f ^ ~e & g) + K[i + k] + w[k];
                unsigned t2 = (ROTATE(a, 2) ^ ROTATE(a, 13) ^ ROTATE(a, 22)) + (a & b ^ a & c ^ b & c);
                h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
            }
#pragma unroll
            for (int k = 0; k < 16; ++k) {
                unsigned x = w[(k + 1) & 15], y = w[(k + 14) & 15];
                w[k] += (ROTATE(x, 7) ^ ROTATE(x, 18) ^ x >> 3) + w[(k + 9) & 15] + (ROTATE(y, 17) ^ ROTATE(y, 19) ^ y >> 10);
            }
        }
        s[0] += a, s[1] += b, s[2] += c, s[3] += d, s[4] += e, s[5] += f, s[6] += g, s[7] += h;
    }

    char* out = digests + line * 65;
#pragma unroll
    for (int i = 0; i < 8; ++i)
        for (int shift = 28; shift >= 0; shift -= 4) {
            unsigned digit = s[i] >> shift & 15;
            *out++ = digit + (digit < 10 ? '0' : 'a' - 10);
        }
    *out = '\n';
}
