"""Triton for sm_90 without PyTorch: products of matrices by warpgroups, whose tiles come as parts of tensors or by pointers."""

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
    """What Triton wants of a tensor of halves."""

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


class Room:
    """Memory for tensor maps that a kernel makes."""

    def __init__(self, size, align, stream):
        self.address = int(call(driver.cuMemAlloc, size))

    def data_ptr(self):
        return self.address


@triton.jit
def described(a, b, c, K, M: tl.constexpr, N: tl.constexpr, BK: tl.constexpr):
    row, column = tl.program_id(0) * M, tl.program_id(1) * N
    total = tl.zeros((M, N), dtype=tl.float32)
    for k in range(0, K, BK):
        total = tl.dot(a.load([row, k]), b.load([k, column]), total)
    c.store([row, column], total.to(tl.float16))


@triton.jit
def describing(a, b, c, rows, columns, K, M: tl.constexpr, N: tl.constexpr, BK: tl.constexpr):
    row, column = tl.program_id(0) * M, tl.program_id(1) * N
    a = tl.make_tensor_descriptor(a, [rows, K], [K, 1], [M, BK])
    b = tl.make_tensor_descriptor(b, [K, columns], [columns, 1], [BK, N])
    c = tl.make_tensor_descriptor(c, [rows, columns], [columns, 1], [M, N])
    total = tl.zeros((M, N), dtype=tl.float32)
    for k in range(0, K, BK):
        total = tl.dot(a.load([row, k]), b.load([k, column]), total)
    c.store([row, column], total.to(tl.float16))


@triton.jit
def pointed(a, b, c, columns, K, M: tl.constexpr, N: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * M + tl.arange(0, M)
    at, k = tl.program_id(1) * N + tl.arange(0, N), tl.arange(0, BK)
    total = tl.zeros((M, N), dtype=tl.float32)
    for start in range(0, K, BK):
        of_a = tl.load(a + rows[:, None] * K + (start + k)[None, :])
        total = tl.dot(of_a, tl.load(b + (start + k)[:, None] * columns + at[None, :]), total)
    tl.store(c + rows[:, None] * columns + at[None, :], total.to(tl.float16))


call(driver.cuInit, 0)
call(driver.cuCtxSetCurrent, call(driver.cuDevicePrimaryCtxRetain, call(driver.cuDeviceGet, 0)))
triton.set_allocator(Room)
random = np.random.default_rng(1)


def product(way, rows, columns, depth, M=128, N=128, BK=64):
    a, b = (random.integers(-4, 5, shape).astype(np.float16) for shape in [(rows, depth), (depth, columns)])
    given = [Array(a), Array(b), Array(np.zeros((rows, columns), np.float16))]
    grid = (triton.cdiv(rows, M), triton.cdiv(columns, N))
    tiles = dict(M=M, N=N, BK=BK)
    if way is described:
        parts = [array.described(block) for array, block in zip(given, [[M, BK], [BK, N], [M, N]])]
        compiled = way[grid](*parts, depth, **tiles)
    elif way is describing:
        compiled = way[grid](*given, rows, columns, depth, **tiles)
    else:
        compiled = way[grid](*given, columns, depth, **tiles)
    assert "wgmma.mma_async" in compiled.asm["ptx"]
    assert ("cp.async.bulk.tensor" in compiled.asm["ptx"]) == (way is not pointed)
    exact = a.astype(np.int64) @ b.astype(np.int64)
    assert np.array_equal(given[2].values(), exact.astype(np.float16))


product(pointed, 256, 128, 192)
for way in (described, describing):
    product(way, 256, 128, 192)
    # Tiles that reach beyond the matrices.
    product(way, 200, 136, 104)
print("right")
