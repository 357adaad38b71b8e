"""Triton for sm_100 without PyTorch: products into tensor memory, of halves, of numbers with scales, and those of an attention."""

import numpy as np
import triton
import triton.language as tl
from cuda.bindings import driver
from triton.tools.tensor_descriptor import TensorDescriptor


def call(function, *arguments):
    status, *results = function(*arguments)
    assert status == driver.CUresult.CUDA_SUCCESS, (function, status)
    return results[0] if len(results) == 1 else results


class Type(str):
    """The name of a type, with the bytes of an element."""

    itemsize = 2


class Array:
    """What Triton wants of a tensor."""

    def __init__(self, values):
        self.dtype, self.shape, self.host = Type(values.dtype), values.shape, values
        self.address = int(call(driver.cuMemAlloc, values.nbytes))
        call(driver.cuMemcpyHtoD, self.address, values.ctypes.data, values.nbytes)

    def data_ptr(self):
        return self.address

    def values(self):
        call(driver.cuMemcpyDtoH, self.host.ctypes.data, self.address, self.host.nbytes)
        return self.host

    def described(self, block):
        return TensorDescriptor(self, list(self.shape), [self.shape[1], 1], block)


@triton.jit
def product(a, b, c, K, M: tl.constexpr, N: tl.constexpr, BK: tl.constexpr):
    row, column = tl.program_id(0) * M, tl.program_id(1) * N
    total = tl.zeros((M, N), dtype=tl.float32)
    for k in tl.range(0, K, BK, warp_specialize=True):
        total = tl.dot(a.load([row, k]), b.load([k, column]), total)
    c.store([row, column], total.to(tl.float16))


@triton.jit
def scaled(a, b, of_a, of_b, c, type: tl.constexpr, K: tl.constexpr, PER: tl.constexpr, SIDE: tl.constexpr):
    line = tl.arange(0, SIDE)
    k, block = tl.arange(0, K // PER), tl.arange(0, K // 32)
    rows = tl.load(a + line[:, None] * (K // PER) + k[None, :])
    columns = tl.load(b + line[None, :] * (K // PER) + k[:, None])
    of_a = tl.load(of_a + line[:, None] * (K // 32) + block[None, :])
    of_b = tl.load(of_b + line[:, None] * (K // 32) + block[None, :])
    total = tl.dot_scaled(rows, of_a, type, columns, of_b, type)
    tl.store(c + line[:, None] * SIDE + line[None, :], total)


@triton.jit
def attention(q, k, v, out, LENGTH: tl.constexpr, WIDTH: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    row, along = tl.program_id(0) * M + tl.arange(0, M), tl.arange(0, WIDTH)
    query = tl.load(q + row[:, None] * WIDTH + along[None, :])
    most, weight = tl.full((M,), -1e30, tl.float32), tl.zeros((M,), tl.float32)
    total = tl.zeros((M, WIDTH), tl.float32)
    for start in range(0, LENGTH, N):
        at = start + tl.arange(0, N)
        score = tl.dot(query, tl.load(k + at[None, :] * WIDTH + along[:, None]))
        now = tl.maximum(most, tl.max(score, 1))
        share, before = tl.exp2(score - now[:, None]), tl.exp2(most - now)
        weight, most = weight * before + tl.sum(share, 1), now
        values = tl.load(v + at[:, None] * WIDTH + along[None, :])
        total = tl.dot(share.to(tl.float16), values, total * before[:, None])
    tl.store(out + row[:, None] * WIDTH + along[None, :], total / weight[:, None])


call(driver.cuInit, 0)
call(driver.cuCtxSetCurrent, call(driver.cuDevicePrimaryCtxRetain, call(driver.cuDeviceGet, 0)))
random = np.random.default_rng(1)


def multiply_halves(rows, columns, depth, M=128, N=128, BK=64):
    a, b = (random.integers(-4, 5, shape).astype(np.float16) for shape in [(rows, depth), (depth, columns)])
    given = [Array(a), Array(b), Array(np.zeros((rows, columns), np.float16))]
    parts = [array.described(block) for array, block in zip(given, [[M, BK], [BK, N], [M, N]])]
    grid = (triton.cdiv(rows, M), triton.cdiv(columns, N))
    compiled = product[grid](*parts, depth, M=M, N=N, BK=BK)
    assert "tcgen05.mma" in compiled.asm["ptx"]
    exact = a.astype(np.int64) @ b.astype(np.int64)
    assert np.array_equal(given[2].values(), exact.astype(np.float16))


# What the codes of numbers of 4 bits stand for, and some of those of 8 bits.
E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6])
E4M3 = {0x00: 0, 0x38: 1, 0x40: 2, 0x48: 4, 0xB8: -1, 0xC0: -2}


def multiply_scaled(type, kind, depth=128, side=128):
    def matrix():
        if type == "e2m1":
            codes = random.integers(0, 16, (side, depth))
            return (codes[:, ::2] | codes[:, 1::2] << 4).astype(np.uint8), E2M1[codes]
        codes = random.choice(list(E4M3), (side, depth))
        return codes.astype(np.uint8), np.vectorize(E4M3.get)(codes)

    (a, rows), (b, columns) = matrix(), matrix()
    of_a, of_b = (random.integers(124, 131, (side, depth // 32)).astype(np.uint8) for _ in range(2))
    out = Array(np.zeros((side, side), np.float32))
    given = [Array(a), Array(b), Array(of_a), Array(of_b)]
    if type == "e4m3":
        given[0].dtype = given[1].dtype = "float8_e4m3fn"
    compiled = scaled[(1,)](*given, out, type, depth, depth // a.shape[1], side)
    assert f"tcgen05.mma.cta_group::1.kind::{kind}.block_scale" in compiled.asm["ptx"]
    rows, columns = (
        numbers * np.repeat(2.0 ** (scales.astype(int) - 127), 32, 1)
        for numbers, scales in [(rows, of_a), (columns, of_b)]
    )
    assert np.array_equal(out.values(), rows @ columns.T)


def attend(length=512, width=64, M=128, N=64):
    q, k, v = (random.standard_normal((length, width)).astype(np.float16) for _ in range(3))
    out = Array(np.zeros((length, width), np.float32))
    compiled = attention[(length // M,)](Array(q), Array(k), Array(v), out, length, width, M, N)
    # The second product has its first factor in tensor memory.
    assert "tcgen05.st" in compiled.asm["ptx"]
    share = 2.0 ** (q.astype(float) @ k.T.astype(float))
    exact = share / share.sum(1, keepdims=True) @ v.astype(float)
    assert np.abs(out.values() - exact).max() < 2e-3


multiply_halves(256, 128, 192)
# Tiles that reach beyond the matrices.
multiply_halves(200, 136, 104)
multiply_scaled("e4m3", "mxf8f6f4")
multiply_scaled("e2m1", "mxf4")
attend()
print("right")
