"""Triton without PyTorch: a kernel in integers and floating point, on memory of the driver."""

import numpy as np
import triton
import triton.language as tl
from cuda.bindings import driver


def call(function, *arguments):
    status, *results = function(*arguments)
    assert status == driver.CUresult.CUDA_SUCCESS, (function, status)
    return results[0] if len(results) == 1 else results


class Array:
    """What Triton wants of a tensor."""

    def __init__(self, values):
        self.dtype, self.host = str(values.dtype), values
        self.address = int(call(driver.cuMemAlloc, values.nbytes))
        call(driver.cuMemcpyHtoD, self.address, values.ctypes.data, values.nbytes)

    def data_ptr(self):
        return self.address

    def values(self):
        call(driver.cuMemcpyDtoH, self.host.ctypes.data, self.address, self.host.nbytes)
        return self.host


@triton.jit
def both(a, b, total, x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(total + at, tl.load(a + at, mask=inside) * 3 + tl.load(b + at, mask=inside), mask=inside)
    v = tl.load(x + at, mask=inside)
    tl.store(y + at, v * v + 1.0, mask=inside)


call(driver.cuInit, 0)
call(driver.cuCtxSetCurrent, call(driver.cuDevicePrimaryCtxRetain, call(driver.cuDeviceGet, 0)))
n = 1000
a, b = np.arange(n, dtype=np.int32), np.arange(n, dtype=np.int32)[::-1].copy()
x = np.arange(n, dtype=np.float32) / 4
given = [Array(values) for values in (a.copy(), b.copy(), np.zeros_like(a), x.copy(), np.zeros_like(x))]
both[(triton.cdiv(n, 256),)](*given, n, BLOCK=256)
assert np.array_equal(given[2].values(), a * 3 + b)
assert np.array_equal(given[4].values(), (x.astype(np.float64) ** 2 + 1).astype(np.float32))
print("right")
