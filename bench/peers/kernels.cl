// The eight benchmark kernels as one would write them in OpenCL C, with the arguments of the PTX ones.

inline uint sad4(uint a, uint b, uint c) {
  uint4 d = convert_uint4(abs_diff(as_uchar4(a), as_uchar4(b)));
  return c + d.x + d.y + d.z + d.w;
}

inline int dot4(int a, int b, int c) {
  int4 p = convert_int4(as_char4(a)) * convert_int4(as_char4(b));
  return c + p.x + p.y + p.z + p.w;
}

kernel void k1_sad(global const uint* a, global const uint* b, global const uint* c, global uint* out, uint n) {
  uint i = get_global_id(0);
  if (i < n) out[i] = sad4(a[i], b[i], c[i]);
}

kernel void k2_match(global const uint* cur, global const uint* ref, global uint* best, uint pitch, uint n) {
  uint i = get_global_id(0);
  if (i >= n) return;
  uint least = 0xffffffffu;
  for (uint cand = 0; cand < 4; ++cand) {
    uint sad = 0;
    for (uint row = 0; row < 16; ++row)
      for (uint w = 0; w < 4; ++w) sad = sad4(cur[i + row * pitch + w], ref[i + row * pitch + w + cand], sad);
    least = min(least, sad);
  }
  best[i] = least;
}

kernel void k3_mix(global uint* out, uint rounds) {
  uint i = get_global_id(0), x = i * 2654435761u + 1, y = ~i, acc = 0;
  for (uint r = 0; r < rounds; ++r) {
    uint m = x * 1664525u + 1013904223u;
    uint s = rotate(y, 7u);
    uint l = (m & s) | (m & acc) | (s & acc);
    int f = (int)(l << 16) >> 21;
    char4 v = add_sat(as_char4(m), as_char4(s));
    char4 less = v < as_char4(l);
    uint e = acc - less.x - less.y - less.z - less.w;
    acc = (uint)dot4(as_int(v), (int)m, (int)e) + popcount(as_uint(v)) + (uint)f;
    x = m ^ acc;
    y = s + l;
  }
  out[i] = acc ^ x ^ y;
}

kernel void k4_collatz(global const uint* in, global uint* out, uint n) {
  uint i = get_global_id(0);
  if (i >= n) return;
  ulong v = in[i];
  uint steps = 0;
  while (v > 1) { v = (v & 1) ? 3 * v + 1 : v >> 1; ++steps; }
  out[i] = steps;
}

kernel void k5_reduce(global const uint* in, global uint* out, uint n) {
  local uint part[256];
  uint t = get_local_id(0), s = 0;
  for (uint i = get_global_id(0); i < n; i += get_global_size(0)) s += in[i];
  part[t] = s;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint o = get_local_size(0) / 2; o; o >>= 1) {
    if (t < o) part[t] += part[t + o];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t == 0) atomic_add(out, part[0]);
}

kernel void k6_gemm(global const int* A, global const int* B, global int* C, int n, int kw) {
  local int as[16][17], bs[16][17];
  int x = get_local_id(0), y = get_local_id(1);
  int row = get_group_id(1) * 16 + y, col = get_group_id(0) * 16 + x, acc = 0;
  for (int t = 0; t < kw; t += 16) {
    as[y][x] = A[row * kw + t + x];
    bs[y][x] = B[(get_group_id(0) * 16 + y) * kw + t + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < 16; ++j) acc = dot4(as[y][j], bs[x][j], acc);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  C[row * n + col] = acc;
}

kernel void k7_hist(global const uint* in, global uint* bins, uint n) {
  local uint h[256];
  uint t = get_local_id(0);
  h[t] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {
    uint w = in[i];
    atomic_inc(&h[w & 255]);
    atomic_inc(&h[w >> 8 & 255]);
    atomic_inc(&h[w >> 16 & 255]);
    atomic_inc(&h[w >> 24]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&bins[t], h[t]);
}

constant uint K256[64] = {
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
  0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
  0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
  0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
  0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
  0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

#define ROTR(x, n) rotate((uint)(x), (uint)(32 - (n)))

kernel void k8_sha256(global const uint* blocks, global uint* digests, uint n) {
  uint i = get_global_id(0);
  if (i >= n) return;
  uint w[16], h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  for (int t = 0; t < 16; ++t) w[t] = blocks[i * 16 + t];
  uint a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], f = h[5], g = h[6], k = h[7];
  #pragma unroll
  for (int t = 0; t < 64; ++t) {
    if (t >= 16) {
      uint x = w[(t + 1) & 15], y = w[(t + 14) & 15];
      w[t & 15] += (ROTR(x, 7) ^ ROTR(x, 18) ^ (x >> 3)) + w[(t + 9) & 15] + (ROTR(y, 17) ^ ROTR(y, 19) ^ (y >> 10));
    }
    uint t1 = k + (ROTR(e, 6) ^ ROTR(e, 11) ^ ROTR(e, 25)) + ((e & f) ^ (~e & g)) + K256[t] + w[t & 15];
    uint t2 = (ROTR(a, 2) ^ ROTR(a, 13) ^ ROTR(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    k = g; g = f; f = e; e = d + t1; d = c; c = b; b = a; a = t1 + t2;
  }
  uint o[8] = {a, b, c, d, e, f, g, k};
  for (int t = 0; t < 8; ++t) digests[i * 8 + t] = h[t] + o[t];
}
