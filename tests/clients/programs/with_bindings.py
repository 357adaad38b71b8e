"""cuda.bindings: PTX through NVIDIA's own Python binding of the driver."""

import ctypes

import numpy as np
from cuda.bindings import driver

PTX = b"""
.version 8.0
.target sm_80
.address_size 64
.visible .entry scale(.param .u64 data, .param .u32 factor, .param .f32 part)
{
    .reg .b64 %rd<3>; .reg .b32 %r<4>; .reg .f32 %f<3>;
    ld.param.u64 %rd1, [data];
    ld.param.u32 %r1, [factor];
    ld.param.f32 %f1, [part];
    mov.u32 %r2, %tid.x;
    mul.wide.u32 %rd2, %r2, 8;
    add.s64 %rd1, %rd1, %rd2;
    ld.global.u32 %r3, [%rd1];
    mul.lo.u32 %r3, %r3, %r1;
    st.global.u32 [%rd1], %r3;
    ld.global.f32 %f2, [%rd1+4];
    mul.f32 %f2, %f2, %f1;
    st.global.f32 [%rd1+4], %f2;
    ret;
}
\0"""


def call(function, *arguments):
    status, *results = function(*arguments)
    assert status == driver.CUresult.CUDA_SUCCESS, (function, status)
    return results[0] if len(results) == 1 else results


call(driver.cuInit, 0)
context = call(driver.cuDevicePrimaryCtxRetain, call(driver.cuDeviceGet, 0))
call(driver.cuCtxSetCurrent, context)
module = call(driver.cuModuleLoadData, PTX)
kernel = call(driver.cuModuleGetFunction, module, b"scale")
host = np.zeros(32, dtype=[("whole", np.uint32), ("part", np.float32)])
host["whole"], host["part"] = np.arange(32), np.arange(32) / 8
data = call(driver.cuMemAlloc, host.nbytes)
call(driver.cuMemcpyHtoD, data, host.ctypes.data, host.nbytes)
arguments = ((int(data), 7, 0.5), (ctypes.c_uint64, ctypes.c_uint32, ctypes.c_float))
call(driver.cuLaunchKernel, kernel, 1, 1, 1, 32, 1, 1, 0, 0, arguments, 0)
call(driver.cuCtxSynchronize)
call(driver.cuMemcpyDtoH, host.ctypes.data, data, host.nbytes)
assert host["whole"].tolist() == [7 * n for n in range(32)]
assert host["part"].tolist() == [n / 16 for n in range(32)]
status, = driver.cuMemFree(int(data) + 4)
assert status == driver.CUresult.CUDA_ERROR_INVALID_VALUE
call(driver.cuMemFree, data)
call(driver.cuModuleUnload, module)
call(driver.cuDevicePrimaryCtxRelease, 0)
print("right")
