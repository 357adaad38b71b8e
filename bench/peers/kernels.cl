// The benchmark kernels as one would write them in OpenCL C, with the arguments of the PTX ones. Products by `mma` have none.

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

kernel void f1_saxpy(global const float* x, global const float* y, global float* z, float a, uint n) {
  uint i = get_global_id(0);
  if (i < n) z[i] = fma(a, x[i], y[i]);
}

kernel void f2_sgemm(global const float* a, global const float* b, global float* c, uint n) {
  local float as[16][16], bs[16][16];
  uint x = get_local_id(0), y = get_local_id(1), row = get_group_id(1) * 16 + y, column = get_group_id(0) * 16 + x;
  float sum = 0;
  for (uint t = 0; t < n; t += 16) {
    as[y][x] = a[row * n + t + x];
    bs[y][x] = b[(t + y) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < 16; ++k) sum = fma(as[y][k], bs[k][x], sum);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + column] = sum;
}

// Sums and greatest values of 32 neighbours go through local memory, for OpenCL C has no shuffles that all devices know.
kernel void f3_softmax(global const float* in, global float* out, uint rows) {
  local float part[8][32];
  uint row = get_global_id(0) / 32, lane = get_local_id(0) % 32, warp = get_local_id(0) / 32;
  bool there = row < rows;
  in += row * 1024;
  out += row * 1024;
  float v[32], most = -INFINITY, sum = 0;
  for (int k = 0; k < 32; ++k) {
    v[k] = there ? in[k * 32 + lane] : 0;
    most = fmax(most, v[k]);
  }
  part[warp][lane] = most;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 0; k < 32; ++k) most = fmax(most, part[warp][k]);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 0; k < 32; ++k) {
    v[k] = exp(v[k] - most);
    sum += v[k];
  }
  part[warp][lane] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  sum = 0;
  for (int k = 0; k < 32; ++k) sum += part[warp][k];
  float share = 1.0f / sum;
  if (there)
    for (int k = 0; k < 32; ++k) out[k * 32 + lane] = v[k] * share;
}

float block_sum(float value, local float* part) {
  part[get_local_id(0)] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint o = 128; o; o >>= 1) {
    if (get_local_id(0) < o) part[get_local_id(0)] += part[get_local_id(0) + o];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  float sum = part[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  return sum;
}

kernel void f4_layer_norm(global const float* in, global const float* scale, global const float* shift, global float* out) {
  local float part[256];
  uint t = get_local_id(0);
  in += get_group_id(0) * 1024;
  out += get_group_id(0) * 1024;
  float v[4], sum = 0, squares = 0;
  for (int k = 0; k < 4; ++k) sum += v[k] = in[k * 256 + t];
  float mean = block_sum(sum, part) / 1024;
  for (int k = 0; k < 4; ++k) squares += (v[k] - mean) * (v[k] - mean);
  float factor = rsqrt(block_sum(squares, part) / 1024 + 1e-5f);
  for (int k = 0; k < 4; ++k) out[k * 256 + t] = (v[k] - mean) * factor * scale[k * 256 + t] + shift[k * 256 + t];
}

kernel void f5_bodies(global const float4* bodies, global float4* out, uint n) {
  local float4 tile[256];
  uint i = get_global_id(0);
  float4 me = bodies[i];
  float ax = 0, ay = 0, az = 0;
  for (uint t = 0; t < n; t += 256) {
    tile[get_local_id(0)] = bodies[t + get_local_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < 256; ++k) {
      float4 other = tile[k];
      float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
      float inverse = rsqrt(dx * dx + dy * dy + dz * dz + 1e-3f);
      float pull = other.w * inverse * inverse * inverse;
      ax += dx * pull;
      ay += dy * pull;
      az += dz * pull;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[i] = (float4)(ax, ay, az, 0);
}

float normal(float d) {
  float k = 1 / (1 + 0.2316419f * fabs(d));
  float tail = 0.39894228f * exp(-0.5f * d * d)
      * (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0 ? 1 - tail : tail;
}

kernel void f6_options(global const float* price, global const float* strike, global const float* years, global float* out, uint n,
                       float rate, float volatility) {
  uint i = get_global_id(0);
  if (i >= n) return;
  float s = price[i], x = strike[i], t = years[i], root = sqrt(t);
  float d1 = (log(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
  float d2 = d1 - volatility * root;
  float n1 = normal(d1), n2 = normal(d2), discounted = x * exp(-rate * t);
  out[i] = s * n1 - discounted * n2;
  out[n + i] = discounted * (1 - n2) - s * (1 - n1);
}

kernel void f7_mandelbrot(global uint* out, uint side, uint most) {
#pragma OPENCL FP_CONTRACT OFF
  uint i = get_global_id(0);
  if (i >= side * side) return;
  float scale = 3.0f / side, cx = fma(scale, (float)(i % side), -2.25f), cy = fma(scale, (float)(i / side), -1.5f);
  float x = 0, y = 0, xx = 0, yy = 0;
  uint steps = 0;
  while (steps < most && xx + yy <= 4) {
    y = fma(x + x, y, cy);
    x = cx + (xx - yy);
    xx = x * x;
    yy = y * y;
    ++steps;
  }
  out[i] = steps;
}

// Arithmetic of halves is not in all of PoCL's devices: sums are of `float`, and rounded once.
kernel void f8_convolution(global const half* image, global const half* weights, global half* out, uint width, uint height) {
  uint x = get_global_id(0), y = get_group_id(1);
  if (x >= width || y >= height) return;
  for (uint right = 0; right < 2; ++right) {
    float sum = 0;
    for (uint k = 0; k < 9; ++k) {
      float pixel = vload_half((y + k / 3) * 2 * (width + 1) + 2 * x + right + k % 3, image);
      sum = fma(vload_half(2 * k, weights), pixel, sum);
    }
    vstore_half_rte(sum, (y * width + x) * 2 + right, out);
  }
}

kernel void a1_power(global const float* in, global float* out, uint n) {
  uint i = get_global_id(0);
  if (i < n) out[i] = exp2(in[i]);
}

kernel void a2_logarithm(global const float* in, global float* out, uint n) {
  uint i = get_global_id(0);
  if (i < n) out[i] = log2(in[i]);
}

kernel void a3_root(global const float* in, global float* out, uint n) {
  uint i = get_global_id(0);
  if (i < n) out[i] = rsqrt(in[i]);
}
