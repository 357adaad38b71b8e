"""Kernels of Triton, an operation or a family of operations each."""

import triton
import triton.language as tl


@triton.jit
def binary(x, y, z, OPERATION: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.load(x + i), tl.load(y + i)
    if OPERATION == "add":
        r = a + b
    elif OPERATION == "sub":
        r = a - b
    elif OPERATION == "mul":
        r = a * b
    elif OPERATION == "div":
        r = a / b
    elif OPERATION == "floordiv":
        r = a // b
    elif OPERATION == "mod":
        r = a % b
    elif OPERATION == "and":
        r = a & b
    elif OPERATION == "or":
        r = a | b
    elif OPERATION == "xor":
        r = a ^ b
    elif OPERATION == "maximum":
        r = tl.maximum(a, b)
    elif OPERATION == "minimum":
        r = tl.minimum(a, b)
    elif OPERATION == "lt":
        r = a < b
    elif OPERATION == "le":
        r = a <= b
    elif OPERATION == "eq":
        r = a == b
    elif OPERATION == "where":
        r = tl.where(a > b, a, b + a)
    elif OPERATION == "umulhi":
        r = tl.umulhi(a, b)
    elif OPERATION == "fma":
        r = tl.fma(a, b, a)
    elif OPERATION == "fdiv":
        r = tl.fdiv(a, b)
    elif OPERATION == "div_rn":
        r = tl.div_rn(a, b)
    tl.store(z + i, r)


@triton.jit
def unary(x, z, OPERATION: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    if OPERATION == "exp":
        r = tl.exp(a)
    elif OPERATION == "exp2":
        r = tl.exp2(a)
    elif OPERATION == "log":
        r = tl.log(a)
    elif OPERATION == "log2":
        r = tl.log2(a)
    elif OPERATION == "sin":
        r = tl.sin(a)
    elif OPERATION == "cos":
        r = tl.cos(a)
    elif OPERATION == "sqrt":
        r = tl.sqrt(a)
    elif OPERATION == "sqrt_rn":
        r = tl.sqrt_rn(a)
    elif OPERATION == "rsqrt":
        r = tl.rsqrt(a)
    elif OPERATION == "erf":
        r = tl.erf(a)
    elif OPERATION == "sigmoid":
        r = tl.sigmoid(a)
    elif OPERATION == "softmax":
        r = tl.softmax(a)
    elif OPERATION == "abs":
        r = tl.abs(a)
    elif OPERATION == "floor":
        r = tl.floor(a)
    elif OPERATION == "ceil":
        r = tl.ceil(a)
    elif OPERATION == "neg":
        r = -a
    elif OPERATION == "not":
        r = ~a
    elif OPERATION == "cumsum":
        r = tl.cumsum(a, 0)
    elif OPERATION == "cumsum backwards":
        r = tl.cumsum(a, 0, reverse=True)
    elif OPERATION == "cumprod":
        r = tl.cumprod(a, 0)
    elif OPERATION == "sort":
        r = tl.sort(a)
    elif OPERATION == "flip":
        r = tl.flip(a)
    tl.store(z + i, r)


@triton.jit
def cast(x, z, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(z + i, tl.load(x + i).to(z.dtype.element_ty))


@triton.jit
def reduce(x, z, OPERATION: tl.constexpr, AXIS: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    i, j = tl.arange(0, M), tl.arange(0, N)
    a = tl.load(x + i[:, None] * N + j[None, :])
    if OPERATION == "sum":
        r = tl.sum(a, AXIS)
    elif OPERATION == "max":
        r = tl.max(a, AXIS)
    elif OPERATION == "min":
        r = tl.min(a, AXIS)
    elif OPERATION == "argmax":
        r = tl.argmax(a, AXIS)
    elif OPERATION == "argmin":
        r = tl.argmin(a, AXIS)
    elif OPERATION == "xor_sum":
        r = tl.xor_sum(a, AXIS)
    if AXIS == 0:
        tl.store(z + j, r)
    else:
        tl.store(z + i, r)


@triton.jit
def shape(x, z, OPERATION: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    i, j = tl.arange(0, M), tl.arange(0, N)
    same = z + i[:, None] * N + j[None, :]
    a = tl.load(x + i[:, None] * N + j[None, :])
    if OPERATION == "trans":
        tl.store(z + j[:, None] * M + i[None, :], tl.trans(a))
    elif OPERATION == "reshape":
        tl.store(z + tl.arange(0, M * N), tl.reshape(a, (M * N,)))
    elif OPERATION == "interleave":
        tl.store(z + i[:, None] * (2 * N) + tl.arange(0, 2 * N)[None, :], tl.interleave(a, a + 1))
    elif OPERATION == "gather":
        tl.store(same, tl.gather(a, (i[:, None] * 7 + j[None, :] * 3) % M, 0))
    elif OPERATION == "cumsum 0":
        tl.store(same, tl.cumsum(a, 0))
    elif OPERATION == "cumsum 1":
        tl.store(same, tl.cumsum(a, 1))
    elif OPERATION == "sort 1":
        tl.store(same, tl.sort(a, 1))
    elif OPERATION == "softmax 1":
        tl.store(same, tl.softmax(a, 1))


@triton.jit
def atomic(x, z, olds, OPERATION: tl.constexpr, N: tl.constexpr, CELLS: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    a = tl.load(x + i)
    cell = z + i % CELLS
    if OPERATION == "add":
        r = tl.atomic_add(cell, a)
    elif OPERATION == "max":
        r = tl.atomic_max(cell, a)
    elif OPERATION == "min":
        r = tl.atomic_min(cell, a)
    elif OPERATION == "and":
        r = tl.atomic_and(cell, a)
    elif OPERATION == "or":
        r = tl.atomic_or(cell, a)
    elif OPERATION == "xor":
        r = tl.atomic_xor(cell, a)
    elif OPERATION == "xchg":
        r = tl.atomic_xchg(cell, a)
    elif OPERATION == "cas":
        r = tl.atomic_cas(cell, a, a)
    tl.store(olds + i, r)


@triton.jit
def dot(x, y, z, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, PRECISION: tl.constexpr):
    i, j, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a = tl.load(x + i[:, None] * K + k[None, :])
    b = tl.load(y + k[:, None] * N + j[None, :])
    tl.store(z + i[:, None] * N + j[None, :], tl.dot(a, b, input_precision=PRECISION))


@triton.jit
def matmul(x, y, z, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for t in range(0, tl.cdiv(K, BK)):
        k = t * BK + tl.arange(0, BK)
        a = tl.load(x + i[:, None] * K + k[None, :], mask=(i[:, None] < M) & (k[None, :] < K), other=0.0)
        b = tl.load(y + k[:, None] * N + j[None, :], mask=(k[:, None] < K) & (j[None, :] < N), other=0.0)
        sums = tl.dot(a, b, sums)
    tl.store(z + i[:, None] * N + j[None, :], sums.to(z.dtype.element_ty), mask=(i[:, None] < M) & (j[None, :] < N))


@triton.jit
def attention(q, k, v, o, scale, S, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    i, d = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, D)
    queries = tl.load(q + i[:, None] * D + d[None, :])
    most = tl.full((BM,), -float("inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    sums = tl.zeros((BM, D), tl.float32)
    for s in range(0, S, BN):
        j = s + tl.arange(0, BN)
        keys = tl.load(k + j[None, :] * D + d[:, None])
        rows = tl.load(v + j[:, None] * D + d[None, :])
        likeness = tl.dot(queries, keys) * scale
        more = tl.maximum(most, tl.max(likeness, 1))
        weights = tl.exp(likeness - more[:, None])
        shrunk = tl.exp(most - more)
        total = total * shrunk + tl.sum(weights, 1)
        sums = tl.dot(weights.to(rows.dtype), rows, sums * shrunk[:, None])
        most = more
    tl.store(o + i[:, None] * D + d[None, :], (sums / total[:, None]).to(o.dtype.element_ty))


@triton.jit
def histogram(x, z, N: tl.constexpr, BINS: tl.constexpr):
    tl.store(z + tl.arange(0, BINS), tl.histogram(tl.load(x + tl.arange(0, N)), BINS))


@triton.jit
def random(z, NORMAL: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    if NORMAL:
        tl.store(z + i, tl.randn(42, i))
    else:
        tl.store(z + i, tl.rand(42, i))
