"""CUDA's driver interface by itself: launches the kernel of neighbour.ptx."""

import ctypes
from pathlib import Path

cuda = ctypes.CDLL("libcuda.so.1")


def call(name, *arguments):
    status = getattr(cuda, name)(*arguments)
    assert status == 0, f"{name} answers {status}"


context, module, function, out = (ctypes.c_void_p() for _ in range(4))
call("cuInit", 0)
call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
call("cuCtxSetCurrent", context)
call("cuModuleLoad", ctypes.byref(module), str(Path(__file__).with_name("neighbour.ptx")).encode())
call("cuModuleGetFunction", ctypes.byref(function), module, b"neighbour")
call("cuMemAlloc_v2", ctypes.byref(out), ctypes.c_size_t(32))
arguments = (ctypes.c_void_p * 1)(ctypes.addressof(out))
call("cuLaunchKernel", function, 1, 1, 1, 8, 1, 1, 0, None, arguments, None)
numbers = (ctypes.c_uint32 * 8)()
call("cuMemcpyDtoH_v2", numbers, out, ctypes.c_size_t(32))
print(*numbers)
