"""cuda.core: C++ through NVRTC to PTX, launched by NVIDIA's object interface."""

import numpy as np
from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch

CODE = r"""
extern "C" __global__ void polynomial(const float *x, float *y, int *odd, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = fmaf(x[i], x[i], 1.0f);
        odd[i] = __popc(i) & 1;
    }
}
"""

device = Device()
device.set_current()
stream = device.create_stream()
program = Program(CODE, "c++", ProgramOptions(arch="compute_80"))
kernel = program.compile("ptx").get_kernel("polynomial")
n = 1000
buffers = [device.memory_resource.allocate(4 * n, stream=stream) for _ in range(3)]
views = [np.zeros(n, dtype) for dtype in (np.float32, np.float32, np.int32)]
views[0][:] = np.arange(n) / 4
from cuda.bindings import driver

driver.cuMemcpyHtoD(int(buffers[0].handle), views[0].ctypes.data, 4 * n)
launch(stream, LaunchConfig(grid=8, block=128), kernel, *buffers, np.int32(n))
stream.sync()
for view, buffer in zip(views, buffers):
    driver.cuMemcpyDtoH(view.ctypes.data, int(buffer.handle), 4 * n)
assert np.array_equal(views[1], (views[0].astype(np.float64) ** 2 + 1).astype(np.float32))
assert views[2].tolist() == [bin(k).count("1") & 1 for k in range(n)]

# A graph of two launches, the second of which reads what the first one wrote.
building = device.create_graph_builder().begin_building()
for source, target in ((0, 1), (1, 0)):
    launch(building, LaunchConfig(grid=8, block=128), kernel, buffers[source], buffers[target], buffers[2], np.int32(n))
graph = building.end_building().complete()
graph.launch(stream)
graph.launch(stream)
stream.sync()
driver.cuMemcpyDtoH(views[0].ctypes.data, int(buffers[0].handle), 4 * n)
wanted = np.arange(n, dtype=np.float32) / 4
for _ in range(4):
    # A product of two 24-bit numbers is exact in 64-bit floating point, the sum with 1 nearly always is.
    wanted = (wanted.astype(np.float64) ** 2 + 1).astype(np.float32)
assert np.array_equal(views[0][:40], wanted[:40])
print("right")
